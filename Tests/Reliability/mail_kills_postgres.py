"""kill -9 of one of two servers that send mail from one outbox, on PostgreSQL, 100 times."""

from latchkey import amount, run
from mail_kills import kills
from stores import on_postgres


def two_servers():
    """Two servers, whose workers share the outbox."""
    with on_postgres() as deployment:
        return kills(deployment, amount(100), servers=2)


if __name__ == "__main__":
    run(two_servers)
