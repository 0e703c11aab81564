"""50 × kill -9 during 10,000 sign-ups on SQLite: nothing acknowledged is lost, and the file is whole."""

from kills import KILLS, SIGN_UPS, Registrations
from latchkey import require, run
from stores import ask, on_memory


def killed_on_sqlite():
    """One process on one file."""
    with on_memory() as deployment:
        people = Registrations(deployment, 1)
        people.run(KILLS, SIGN_UPS)
        people.check()
        whole = ask(deployment, "PRAGMA integrity_check; PRAGMA foreign_key_check")
        require(whole == ["ok"], f"integrity: {whole}")
        return people.figures() + "; integrity_check ok"


if __name__ == "__main__":
    run(killed_on_sqlite)
