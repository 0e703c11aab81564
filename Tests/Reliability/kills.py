"""Servers that are killed with SIGKILL, again and again, while people sign up (see kills_sqlite, kills_postgres)."""

import itertools
import random
import threading
import time

from latchkey import Client, Unanswered, amount, require, soon, together
from stores import ask, orphans

KILLS = amount(50)
SIGN_UPS = amount(10_000)
WORKERS = 8


class Registrations:
    """People who sign up at servers that come and go, and those of them who were told that they have."""

    def __init__(self, deployment, processes):
        self.deployment = deployment
        self.client_id = deployment.make_client()
        self.servers = [deployment.start() for _ in range(processes)]
        self.numbers = itertools.count()
        self.acknowledged = []
        self.lost = 0
        self.lock = threading.Lock()
        self.ready = []

    def run(self, kills, sign_ups):
        """Spreads the kills over the sign-ups."""
        stopping = threading.Event()
        threads = [threading.Thread(target=self.sign_up, args=(stopping,)) for _ in range(WORKERS)]
        for thread in threads:
            thread.start()
        try:
            for number in range(kills):
                self.wait_for(sign_ups * number // kills)
                time.sleep(random.uniform(0, 0.05))
                self.kill_one(number % len(self.servers))
            self.wait_for(sign_ups)
        finally:
            stopping.set()
            for thread in threads:
                thread.join()

    def wait_for(self, count):
        end = time.monotonic() + 60
        while len(self.acknowledged) < count:
            require(time.monotonic() < end, f"{len(self.acknowledged)} sign-ups, and no more come")
            time.sleep(0.002)

    def kill_one(self, index):
        self.servers[index].kill()
        started = time.monotonic()
        self.servers[index] = self.deployment.start(port=self.servers[index].port)
        self.ready.append(time.monotonic() - started)

    def sign_up(self, stopping):
        client = None
        while not stopping.is_set():
            port = random.choice(self.servers).port
            if client is None or client.port != port:
                client = Client(port, self.client_id)
            try:
                passkey, answer = client.sign_up(f"person-{next(self.numbers)}@acme.example")
            except Unanswered:
                with self.lock:
                    self.lost += 1
                time.sleep(0.01)
                continue
            if answer.status == 200:
                with self.lock:
                    self.acknowledged.append((passkey, answer.json()["refresh_token"]))

    def check(self):
        """Everybody who was told so has a user, a passkey and a refresh token that works; nothing is there by half."""
        kept = set(ask(
            self.deployment,
            "SELECT lower(" + ("encode(credential_id, 'hex')" if hasattr(self.deployment, "database") else
                               "hex(credential_id)") + ") FROM passkey p JOIN user_account u"
            " ON u.tenant_id = p.tenant_id AND u.id = p.user_id JOIN identifier i"
            " ON i.tenant_id = u.tenant_id AND i.user_id = u.id",
        ))
        missing = [passkey for passkey, _ in self.acknowledged if passkey.id.hex() not in kept]
        require(not missing, f"{len(missing)} acknowledged passkeys are gone")
        shares = [self.acknowledged[index::4] for index in range(4)]
        clients = [Client(self.servers[index % len(self.servers)].port, self.client_id) for index in range(4)]

        def refresh(client, people):
            def body(_):
                for passkey, token in people:
                    answer = client.refresh(token)
                    require(answer.status == 200, f"an acknowledged refresh token: {answer.status} {answer.body}")
                for passkey, _ in random.sample(people, len(people) // 10):
                    require(client.sign_in(passkey).status == 200, "an acknowledged passkey")
            return body

        together([refresh(client, people) for client, people in zip(clients, shares)])
        half = orphans(self.deployment)
        require(half == 0, f"{half} rows are there by half")

    def figures(self):
        soon(max(self.ready), 1, "to be ready again")
        slowest, middle = max(self.ready), sorted(self.ready)[len(self.ready) // 2]
        return (f"{len(self.ready)} kills, {self.lost} cut off, {len(self.acknowledged)} sign-ups acknowledged, all"
                f" found, all refreshed; ready again in {middle:.2f} s, at most {slowest:.2f} s")
