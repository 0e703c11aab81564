"""A primary that is killed, a standby that is promoted, and a server that was given both."""

import itertools
import threading
import time

from latchkey import Client, Deployment, Load, require, run, soon, summary, together
from postgres import Postgres


def check(client, people):
    """Whether everybody who was told so has a refresh token and a passkey."""
    def body(_):
        for number, (passkey, token) in enumerate(people):
            require(client.refresh(token).status == 200, "an acknowledged refresh token")
            if number % 5 == 0:
                require(client.sign_in(passkey).status == 200, "an acknowledged passkey")
    return body


def fail_over():
    """Serving again in 10 s; with synchronous replication nothing acknowledged is lost."""
    with Postgres("wal_level = replica", "max_wal_senders = 4", "hot_standby = on") as primary:
        with Postgres(standby_of=primary) as standby:
            primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "postgres")
            primary.sql("SELECT pg_reload_conf()", "postgres")
            primary.wait_until("SELECT coalesce(bool_or(sync_state = 'sync'), false) FROM pg_stat_replication")
            url = f"postgres://latchkey@127.0.0.1:{primary.port},127.0.0.1:{standby.port}/latchkey"
            with Deployment(url) as deployment:
                client_id = deployment.make_client()
                server = deployment.start()
                # The first one to sign up waits for the keys to be opened, which has nothing to do with it.
                require(Client(server.port, client_id).sign_up("first@acme.example")[1].status == 200, "a sign-up")
                acknowledged, numbers = [], itertools.count()
                lock = threading.Lock()

                def work(client, _):
                    passkey, answer = client.sign_up(f"person-{next(numbers)}@acme.example")
                    if answer.status == 200 and passkey is not None:
                        with lock:
                            acknowledged.append((passkey, answer.json()["refresh_token"]))
                    return [answer]

                with Load([server.port], client_id, work) as load:
                    time.sleep(2)
                    primary.kill()
                    killed = time.monotonic()
                    time.sleep(1)
                    standby.promote()
                    standby.wait_until("SELECT NOT pg_is_in_recovery()")
                    # The new primary has no standby of its own yet.
                    time.sleep(6)
                counts, _ = summary(load.answers)
                slowest = max(answer.seconds for at, answer in load.answers if at > killed)
                require(set(counts) <= {200, 503}, f"other answers: {counts}")
                soon(slowest, 1.5, "an answer")
                first = min(at for at, answer in load.answers if at > killed + 0.5 and answer.status == 200) - killed
                last = max((at for at, answer in load.answers if answer.status != 200), default=killed) - killed
                soon(max(first, last), 10, "to serve again without a failure")
                shares = [acknowledged[index::4] for index in range(4)]
                together([check(Client(server.port, client_id), people) for people in shares])
                return f"{counts}, serving again {first:.2f} s after the kill, the last failure {last:.2f} s, {len(acknowledged)} acknowledged and found"


if __name__ == "__main__":
    run(fail_over)
