"""50 × kill -9 of one of three servers during 10,000 sign-ups on PostgreSQL: nothing acknowledged is lost."""

import time

from kills import KILLS, SIGN_UPS, Registrations
from latchkey import Deployment, require, run
from postgres import SCRIPT, Postgres, call


def killed_on_postgres():
    """Three processes on one database."""
    with Postgres() as database, Deployment(database.url) as deployment:
        deployment.database = database
        people = Registrations(deployment, 3)
        people.run(KILLS, SIGN_UPS)
        people.check()
        # No transaction, lock or connection of a killed process is left once the database has noticed.
        time.sleep(1)
        idle = database.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'latchkey'"
                               " AND state LIKE 'idle in transaction%'")
        require(idle == 0, f"{idle} transactions are left open")
        call(SCRIPT, "run", database.folder, "pg_amcheck", "-h", database.folder, "-p", str(database.port), "-U",
             "postgres", "-d", "latchkey", "--install-missing", "--heapallindexed")
        return people.figures() + "; pg_amcheck ok"


if __name__ == "__main__":
    run(killed_on_postgres)
