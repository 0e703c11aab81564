"""kill -9 of the one server that sends mail, on SQLite, 100 times."""

from latchkey import amount, run
from mail_kills import kills
from stores import on_memory


def one_server():
    """One server, its worker killed at any point."""
    with on_memory() as deployment:
        return kills(deployment, amount(100), servers=1)


if __name__ == "__main__":
    run(one_server)
