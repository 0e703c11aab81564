"""Redis that hangs and dies under a running server (design: failure rules)."""

import time

from latchkey import Client, amount, require, run, soon
from stores import on_postgres_and_redis

ROUNDS = amount(40)


class Person:
    """Somebody who is signed in, and has two sign-ins of their own: one that is begun, one that is over."""

    def __init__(self, server, client_id):
        self.client = Client(server.port, client_id)
        self.passkey, answer = self.client.sign_up(f"person-{time.monotonic_ns()}@acme.example")
        require(answer.status == 200, answer.body)
        self.tokens = answer.json()
        begun, spent = self.client.challenge().json(), self.client.challenge().json()
        self.begun = self.client.redeeming(begun, self.passkey.get(begun))
        self.spent = self.client.redeeming(spent, self.passkey.get(spent))
        require(self.client.exchange(self.spent).status == 200, "a sign-in")


def check_while_away(person):
    """What needs a challenge is refused in half a second, everything else is served; the slowest of each."""
    client, refused, served = person.client, [], []
    for number in range(ROUNDS):
        # The one that is begun is sent once: a server that hangs may still take it, later.
        answers = [client.challenge(), client.register(f"away-{number}@acme.example")]
        answers += [client.exchange(person.begun)] if number == 0 else []
        for answer in answers:
            require(answer.status == 503, f"{answer.status} {answer.body}")
            require(answer.json()["error"] == "temporarily_unavailable", answer.body)
            require(answer.header("Retry-After") in ("1", "2", "3"), f"{answer.headers}")
            require(answer.header("Cache-Control") == "no-store", f"{answer.headers}")
        refused += answers
        refreshed = client.refresh(person.tokens["refresh_token"])
        require(refreshed.status == 200, f"an exchange: {refreshed.status} {refreshed.body}")
        person.tokens = refreshed.json()
        token = {"Authorization": f"Bearer {person.tokens['access_token']}"}
        served += [refreshed, client.send("GET", "/userinfo", headers=token)]
        served += [client.send("GET", path) for path in (
            "/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz",
        )]
    require(all(answer.status == 200 for answer in served), f"{[answer.status for answer in served]}")
    slowest = max(answer.seconds for answer in refused)
    soon(slowest, 0.5, "a sign-in while Redis is away")
    soon(max(answer.seconds for answer in served), 0.5, "what needs no challenge")
    return f"{len(refused)} × 503, slowest {slowest:.3f} s, {len(served)} served"


def away(goes, comes):
    """Takes Redis away and brings it back."""
    with on_postgres_and_redis() as deployment:
        client_id = deployment.make_client()
        server = deployment.start()
        person = Person(server, client_id)
        goes(deployment.redis)
        figures = check_while_away(person)
        ready = person.client.send("GET", "/readyz")
        require(ready.status == 503 and ready.json()["checks"] == {"store": "ok", "cache": "failed"}, f"{ready.body}")
        comes(deployment.redis)
        back = time.monotonic()
        while person.client.challenge().status != 200:
            require(time.monotonic() < back + 20, "it never came back")
            time.sleep(0.01)
        serving = time.monotonic() - back
        soon(serving, 2, "to serve again")
        # What was sent while nobody answered may have been taken: then it is gone, and never good twice.
        accepted = sum(person.client.exchange(person.begun).status == 200 for _ in range(20))
        require(accepted <= 1, f"a challenge was accepted {accepted} times")
        again = sum(person.client.exchange(person.spent).status == 200 for _ in range(20))
        require(again == 0, "a challenge that was used before is accepted again")
        require(person.client.sign_in(person.passkey).status == 200, "a sign-in")
        return f"{figures}, serving again after {serving:.2f} s, a challenge accepted twice: 0"


def stopped():
    """It hangs."""
    return away(lambda redis: redis.stop_still(), lambda redis: redis.proceed())


def killed():
    """It dies, and a new one is empty."""
    return away(lambda redis: redis.kill(), lambda redis: redis.start())


if __name__ == "__main__":
    run(stopped, killed)
