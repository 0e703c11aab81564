"""2,000 challenges that four server processes race for: each is won once."""

from latchkey import Client, amount, require, run, together
from stores import on_postgres, on_postgres_and_redis, on_sqlite

CHALLENGES = amount(2000)
PROCESSES = 4
# As many as a store keeps of one client at once, with room to spare.
AT_ONCE = 100


def race(store):
    """Each of four clients, one for each process, sends the answer to each challenge."""
    with store() as deployment:
        client_id = deployment.make_client()
        clients = [Client(deployment.start().port, client_id) for _ in range(PROCESSES)]
        passkey, answer = clients[0].sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        won, others = [], {}
        for start in range(0, CHALLENGES, AT_ONCE):
            requests = []
            for index in range(start, min(start + AT_ONCE, CHALLENGES)):
                begun = clients[index % PROCESSES].challenge().json()
                requests.append((index, clients[0].redeeming(begun, passkey.get(begun))))

            def one(client):
                def body(wait):
                    statuses = []
                    for _, request in requests:
                        wait()
                        statuses.append(client.exchange(request).status)
                    return statuses
                return body

            for statuses in together([one(client) for client in clients]):
                won += [index for (index, _), status in zip(requests, statuses) if status == 200]
                for status in statuses:
                    if status != 200:
                        others[status] = others.get(status, 0) + 1
        require(sorted(won) == list(range(CHALLENGES)), f"{len(set(won))} won, {len(won) - len(set(won))} twice")
        require(set(others) <= {403}, f"other answers: {others}")
        return f"{CHALLENGES} challenges, {PROCESSES} processes: {len(won)} won, 0 twice, {others[403]} refused"


def sqlite():
    """In SQLite."""
    return race(on_sqlite)


def postgres():
    """In PostgreSQL."""
    return race(on_postgres)


def redis():
    """In Redis."""
    return race(on_postgres_and_redis)


if __name__ == "__main__":
    run(sqlite, postgres, redis)
