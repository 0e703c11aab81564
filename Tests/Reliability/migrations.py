"""Many servers at once on an empty store, and the rule of rolling upgrades."""

import subprocess

from latchkey import Client, Deployment, amount, require, run
from postgres import Postgres

ROUNDS = amount(20)


def start_eight(deployment):
    servers = [deployment.start(waits=False) for _ in range(8)]
    for server in servers:
        server.wait_until_ready()
    for server in servers:
        answer = Client(server.port, "none").send("GET", "/readyz")
        require(answer.status == 200, f"/readyz: {answer.status}")
    for server in servers:
        server.end()
    deployment.servers.clear()


def eight_on_postgres():
    """8 servers at once × 20 on empty databases: all serve, each migration is applied once."""
    with Postgres("max_connections = 200") as database:
        for number in range(ROUNDS):
            database.sql(f"CREATE DATABASE round{number} OWNER latchkey TEMPLATE template0", "postgres")
            with Deployment(f"postgres://latchkey@127.0.0.1:{database.port}/round{number}") as deployment:
                start_eight(deployment)
            rows = database.sql("SELECT count(*), count(DISTINCT number), min(number) FROM schema_migration",
                                f"round{number}")
            require(rows.split("|")[0] == rows.split("|")[1] and rows.endswith("|1"), f"migrations: {rows}")
        return f"{ROUNDS} rounds, {ROUNDS * 8} starts"


def eight_on_sqlite():
    """The same on an empty file."""
    for _ in range(ROUNDS):
        with Deployment(None) as deployment:
            start_eight(deployment)
            path = deployment.store.removeprefix("sqlite:")
            rows = subprocess.run(
                ["/usr/bin/sqlite3", path, "SELECT count(*), count(DISTINCT number), min(number) FROM schema_migration"],
                capture_output=True, text=True, check=True,
            ).stdout.strip()
            require(rows.split("|")[0] == rows.split("|")[1] and rows.endswith("|1"), f"migrations: {rows}")
    return f"{ROUNDS} rounds, {ROUNDS * 8} starts"


def rolling_upgrade():
    """A store that a newer version brought forward serves this one when it lets it in, and not when it does not."""
    with Postgres() as database, Deployment(database.url) as deployment:
        client_id = deployment.make_client()
        running = deployment.start()
        passkey, answer = Client(running.port, client_id).sign_up("before@acme.example")
        require(answer.status == 200, answer.body)
        newest = database.number("SELECT max(number) FROM schema_migration")
        # What a newer version would do: a table that this one does not know, and a column with a default.
        database.sql(
            "BEGIN; CREATE TABLE newer (id bigint); GRANT ALL ON newer TO latchkey;"
            " ALTER TABLE user_account ADD COLUMN newer bigint NOT NULL DEFAULT 0;"
            f" INSERT INTO schema_migration (number, oldest_server, hash) VALUES ({newest + 1}, {newest}, 1); COMMIT"
        )
        # The one that was running goes on, and one more of the same version starts, also when it may change nothing.
        for server in [running, deployment.start(), deployment.start("--no-migrate")]:
            client = Client(server.port, client_id)
            require(client.sign_in(passkey).status == 200, "a sign-in on the newer schema")
            require(client.sign_up(f"after-{server.port}@acme.example")[1].status == 200, "a sign-up on it")
        status = deployment.admin("migrate", "status")
        require(status["schema"] == newest + 1 and status["usable"] is True, f"migrate status: {status}")
        # The next step shuts this version out: it does not start, and says why.
        database.sql(f"INSERT INTO schema_migration (number, oldest_server, hash) VALUES ({newest + 2}, {newest + 2}, 1)")
        refused = deployment.start(waits=False)
        require(refused.process.wait(20) != 0, "a server that is shut out starts")
        require(f"schema {newest + 2}" in refused.log(), refused.log())
        return "one version back serves on; two are shut out"


if __name__ == "__main__":
    run(eight_on_postgres, eight_on_sqlite, rolling_upgrade)
