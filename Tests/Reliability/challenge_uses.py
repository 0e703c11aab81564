"""One challenge, used 10,000 times over three server processes: it is good once, wherever challenges are kept."""

from latchkey import Client, amount, require, run, together
from stores import on_memory, on_postgres, on_postgres_and_redis, on_sqlite

USES = amount(10_000)
WORKERS = 12


def use(store, processes):
    """Signs somebody in with one assertion, again and again at once."""
    with store() as deployment:
        client_id = deployment.make_client()
        servers = [deployment.start() for _ in range(processes)]
        clients = [Client(servers[index % processes].port, client_id) for index in range(WORKERS)]
        passkey, answer = clients[0].sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        begun = clients[0].challenge().json()
        request = clients[0].redeeming(begun, passkey.get(begun))
        def one(client, uses):
            def body(wait):
                wait()
                return [client.exchange(request).status for _ in range(uses)]
            return body

        shares = [USES // WORKERS + (index < USES % WORKERS) for index in range(WORKERS)]
        parts = together([one(client, uses) for client, uses in zip(clients, shares)])
        statuses = [status for part in parts for status in part]
        require(len(statuses) == USES, f"{len(statuses)} answers to {USES} uses")
        counts = {status: statuses.count(status) for status in set(statuses)}
        require(counts.get(200) == 1 and set(counts) <= {200, 403}, f"answers: {counts}")
        return f"{USES} uses, {processes} processes: {counts[200]} success, {counts[403]} refused"


def memory():
    """In the memory of one server."""
    return use(on_memory, 1)


def sqlite():
    """In SQLite."""
    return use(on_sqlite, 3)


def postgres():
    """In PostgreSQL."""
    return use(on_postgres, 3)


def redis():
    """In Redis."""
    return use(on_postgres_and_redis, 3)


if __name__ == "__main__":
    run(memory, sqlite, postgres, redis)
