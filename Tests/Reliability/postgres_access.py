"""The ways to a database: SCRAM over TLS with the server's name verified, and PgBouncer in transaction mode."""

import os
import subprocess
import tempfile
import threading
import time

from latchkey import ADMIN, Client, Deployment, Load, require, run, summary
from postgres import SCRIPT, Postgres, call, free_port
from postgres_faults import People


def make_certificate(folder, name):
    """A CA, and a certificate for localhost that it signed; the paths of the CA's file, the certificate and the key."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", f"/CN={name} CA", "-keyout", f"{name}-ca.key", "-out", f"{name}-ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{name}-ca.pem", "-CAkey", f"{name}-ca.key", "-days", "2",
            "-copy_extensions", "copy", "-out", f"{name}.pem")
    return f"{folder}/{name}-ca.pem", f"{folder}/{name}.pem", f"{folder}/{name}.key"


def scram_over_tls():
    """A password by SCRAM, TLS with sslmode=verify-full; a wrong password, CA or name is refused in one line."""
    with tempfile.TemporaryDirectory() as folder, Postgres() as database:
        ca, certificate, key = make_certificate(folder, "right")
        other_ca = make_certificate(folder, "other")[0]
        with open(certificate, encoding="ascii") as file:
            database.file("server.pem", file.read())
        with open(key, encoding="ascii") as file:
            database.file("server.key", file.read())
        database.sql("ALTER ROLE latchkey PASSWORD 'correct horse'")
        for setting, value in [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key")]:
            database.sql(f"ALTER SYSTEM SET {setting} = '{database.folder}/{value}'")
        database.sql("ALTER SYSTEM SET ssl = on")
        database.file("data/pg_hba.conf", "local all postgres trust\nhostssl all latchkey 127.0.0.1/32 scram-sha-256\n")
        database.restart("fast")

        def url(password="correct%20horse", host="localhost", root=ca, mode="verify-full"):
            return (f"postgres://latchkey:{password}@{host}:{database.port}/latchkey"
                    f"?sslmode={mode}&sslrootcert={root}")

        with Deployment(url()) as deployment:
            client_id = deployment.make_client()
            server = deployment.start()
            answer = Client(server.port, client_id).sign_up("one@acme.example")[1]
            require(answer.status == 200, answer.body)
            encrypted = database.sql("SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)"
                                     " WHERE application_name = 'latchkey'")
            require(encrypted == "t", "a connection without TLS")
            for wrong, why in [(url(password="wr0ng"), "password"), (url(root=other_ca), "certificate"),
                               (url(host="127.0.0.1"), "certificate"), (url(mode="disable"), "pg_hba")]:
                result = subprocess.run([ADMIN, "tenant", "list"], capture_output=True, text=True, check=False,
                                        env={**deployment.environment(1), "LATCHKEY_STORE": wrong})
                lines = [line for line in result.stderr.splitlines() if "warning" not in line]
                require(result.returncode == 1, f"{why}: exit {result.returncode} {result.stderr}")
                require(len(lines) == 1 and why in lines[0], f"{why}: {result.stderr}")
                require("wr0ng" not in result.stderr and "horse" not in result.stderr, "the password is shown")
        return "served; wrong password, CA, name and plain text refused"


def pgbouncer():
    """PgBouncer in transaction mode, fewer connections behind it than in front, store_prepare off."""
    port = free_port()
    with Postgres() as database:
        ini = database.file("pgbouncer.ini", f"""
[databases]
latchkey = host=127.0.0.1 port={database.port} dbname=latchkey user=latchkey
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
pidfile = {database.folder}/pgbouncer.pid
logfile = {database.folder}/pgbouncer.log
""")
        call(SCRIPT, "run", database.folder, "pgbouncer", "-q", "-d", ini)
        try:
            time.sleep(0.5)
            url = f"postgres://latchkey@127.0.0.1:{port}/latchkey"
            with Deployment(url, LATCHKEY_STORE_PREPARE="off") as deployment:
                client_id = deployment.make_client()
                servers = [deployment.start() for _ in range(2)]
                people = People(servers[0].port, client_id, 12)
                # Each person stays with one server, whose memory holds the challenges.
                with Load([server.port for server in servers], client_id, people.work, workers=12) as load:
                    time.sleep(8)
                counts, slowest = summary(load.answers)
                require(set(counts) == {200}, f"other answers: {counts}")
                locks = database.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
                require(locks == 0, f"{locks} advisory locks are left")
                return f"{counts}, slowest {slowest:.2f} s"
        finally:
            call(SCRIPT, "run", database.folder, "sh", "-c", f"kill $(cat {database.folder}/pgbouncer.pid)")


if __name__ == "__main__":
    run(scram_over_tls, pgbouncer)
