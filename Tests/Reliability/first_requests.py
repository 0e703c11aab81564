"""The first requests after a start: eight people sign up at once at a server that has not done anything yet."""

import statistics

from latchkey import Client, amount, require, run, soon, together
from stores import on_memory, on_postgres_and_redis

STARTS = amount(8)


def first_sign_ups(store):
    """The slowest answer after each start; connections are made and keys opened meanwhile."""
    with store() as deployment:
        client_id = deployment.make_client()
        slowest = []
        for start in range(STARTS):
            server = deployment.start()

            def one(index):
                def body(wait):
                    client = Client(server.port, client_id)
                    wait()
                    answer = client.sign_up(f"person-{start}-{index}@acme.example")[1]
                    require(answer.status == 200, f"{answer.status} {answer.body}")
                    return answer.seconds
                return body

            slowest.append(max(together([one(index) for index in range(8)])))
            server.end()
        middle = statistics.median(slowest)
        soon(middle, 0.25, "the slowest of the first eight sign-ups")
        return f"{STARTS} starts: the slowest of 8 sign-ups in {middle * 1000:.0f} ms, at most {max(slowest) * 1000:.0f} ms"


def sqlite_and_memory():
    """The embedded stores."""
    return first_sign_ups(on_memory)


def postgres_and_redis():
    """The shared ones."""
    return first_sign_ups(on_postgres_and_redis)


if __name__ == "__main__":
    run(sqlite_and_memory, postgres_and_redis)
