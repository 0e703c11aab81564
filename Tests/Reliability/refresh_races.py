"""Refresh tokens that are exchanged at once, on two servers and one PostgreSQL (contract 7.4)."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

from latchkey import Client, Deployment, require, run
from postgres import Postgres

FAMILIES = int(os.environ.get("LATCHKEY_FAMILIES", "500"))
ROUNDS = int(os.environ.get("LATCHKEY_REUSES", "1500"))


class Race:
    """Two servers on one database, and clients that start at one moment, half on each."""

    def __init__(self, database, leeway, clients):
        self.database = database
        self.leeway = leeway
        self.count = clients

    def __enter__(self):
        self.deployment = Deployment(self.database.url).__enter__()
        client_id = self.deployment.make_client()
        self.deployment.admin("client", "set", "--tenant", "acme", "App", f"refresh_token.leeway={self.leeway}")
        ports = [self.deployment.start().port for _ in range(2)]
        self.clients = [Client(ports[index % 2], client_id) for index in range(self.count)]
        self.barrier = threading.Barrier(self.count)
        self.pool = ThreadPoolExecutor(self.count)
        self.passkey, answer = self.clients[0].sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        return self

    def __exit__(self, *rest):
        self.pool.shutdown()
        self.deployment.__exit__(*rest)

    def new_token(self):
        answer = self.clients[0].sign_in(self.passkey)
        require(answer.status == 200, answer.body)
        return answer.json()["refresh_token"]

    def exchange(self, tokens):
        """Each client exchanges its token, all at once."""
        def one(client, token):
            self.barrier.wait()
            return client.refresh(token)
        return list(self.pool.map(one, self.clients, tokens))


def storm_without_leeway():
    """8 at once: one winner, and the family is dead."""
    with Postgres() as database, Race(database, 0, 8) as race:
        for number in range(FAMILIES):
            answers = race.exchange([race.new_token()] * 8)
            winners = [answer for answer in answers if answer.status == 200]
            require(len(winners) == 1, f"family {number}: {[answer.status for answer in answers]}")
            require(all(answer.status in (200, 403) for answer in answers), f"family {number}")
            after = race.clients[0].refresh(winners[0].json()["refresh_token"])
            require(after.status == 403, f"family {number} lives: {after.body}")
        return f"{FAMILIES} families, one winner each, all dead"


def storm_within_leeway():
    """8 at once: 8 of 8, and one generation."""
    with Postgres() as database, Race(database, 10, 8) as race:
        for number in range(FAMILIES):
            answers = race.exchange([race.new_token()] * 8)
            require([answer.status for answer in answers] == [200] * 8, f"family {number}: {answers[0].body}")
        wrong = database.number("SELECT count(*) FROM refresh_family WHERE generation > 1 OR revoked_at IS NOT NULL")
        require(wrong == 0, f"{wrong} families went on twice, or are dead")
        return f"{FAMILIES} families, 8 of 8 each, one generation"


def reuse_against_rotation():
    """A token that is used up, against the exchange of the newest one: no family is left with a usable token."""
    usable = 0
    with Postgres() as database, Race(database, 0, 2) as race:
        for _ in range(ROUNDS):
            old = race.new_token()
            newest = race.clients[0].refresh(old).json()["refresh_token"]
            rotated, reused = race.exchange([newest, old])
            require(reused.status == 403, f"a token that was used up: {reused.status} {reused.body}")
            last = rotated.json()["refresh_token"] if rotated.status == 200 else newest
            usable += race.clients[1].refresh(last).status == 200
        require(usable == 0, f"{usable} families have a usable token after a reuse")
        return f"{ROUNDS} rounds, no family left with a usable token"


if __name__ == "__main__":
    run(storm_without_leeway, storm_within_leeway, reuse_against_rotation)
