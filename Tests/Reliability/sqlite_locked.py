"""Another process holds SQLite's lock for longer than anybody waits (design: failure rules)."""

import sqlite3
import time

from latchkey import Client, Load, require, run, soon
from postgres_faults import People, check_answers, last_failure
from stores import on_memory


def locked_five_seconds():
    """Writes are 503 in 1.5 s, reads go on, and nothing that was refused is done after all."""
    with on_memory() as deployment:
        client_id = deployment.make_client()
        server = deployment.start()
        people = People(server.port, client_id, 8)
        holder = sqlite3.connect(deployment.store.removeprefix("sqlite:"), isolation_level=None)
        with Load([server.port], client_id, people.work) as load:
            time.sleep(1)
            check_answers(load.take(), 1.5)
            # Whatever was under way when it was taken is done.
            holder.execute("PRAGMA busy_timeout = 5000")
            holder.execute("BEGIN IMMEDIATE")
            count = "SELECT (SELECT count(*) FROM session), (SELECT sum(generation) FROM refresh_family)"
            before = holder.execute(count).fetchone()
            time.sleep(5)
            reads = [Client(server.port, client_id).send("GET", path) for path in (
                "/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz",
            )]
            require(all(read.status == 200 for read in reads), f"{[(read.status, read.body) for read in reads]}")
            require(holder.execute(count).fetchone() == before, "a write although the lock is held")
            holder.execute("ROLLBACK")
            back = time.monotonic()
            time.sleep(3)
            after = load.take()
        counts, slowest = check_answers(after, 1.5)
        require(counts.get(503, 0) > 0, f"nothing was refused: {counts}")
        last = last_failure(after, back)
        soon(last, 2, "the last failure, after the lock was free,")
        return f"{counts}, slowest {slowest:.2f} s, no failure later than {last:.2f} s after"


if __name__ == "__main__":
    run(locked_five_seconds)
