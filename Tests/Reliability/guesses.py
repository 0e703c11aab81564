"""Passwords that are guessed: how many are looked at before all others are refused (contract 1.4), and that their owner
gets in with a passkey all the while."""

import json

from latchkey import Client, Deployment, amount, require, run

GUESSES = amount(1000)
PASSWORD = "Correct-horse-9"
TRIED = (403, "invalid_grant")


class World:
    """Users that were made without limits, and a server with those that everybody gets."""

    def __init__(self, deployment, users=1):
        self.client_id = deployment.make_client(passwords=True)
        manager = deployment.management_client
        unlimited = deployment.start()
        maker = Client(unlimited.port, self.client_id)
        self.passkeys = {}
        for number in range(users):
            name = f"user{number}@example.com"
            self.passkeys[name], made = maker.sign_up(name)
            require(made.status == 200, f"{made.status} {made.body}")
        answer = maker.exchange(maker.request("POST", "/oauth/token", json.dumps({
            "grant_type": "client_credentials", **manager, "audience": "https://login.acme.example/api/v2/",
        })))
        bearer = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        found = maker.exchange(maker.request("GET", "/api/v2/users?per_page=1&sort=created_at:1", headers=bearer)).json()
        self.owner = found[0]["email"]
        path = "/api/v2/users/" + found[0]["user_id"].replace("|", "%7C")
        changed = maker.exchange(maker.request("PATCH", path, json.dumps({"password": PASSWORD}), bearer))
        require(changed.status == 200, f"{changed.status} {changed.body}")
        unlimited.end()
        deployment.settings["LATCHKEY_RATE_LIMITS"] = ""
        self.server = deployment.start()

    def client(self, address):
        return Client(self.server.port, self.client_id, address=address)

    def gets_in(self):
        """The owner, with the passkey, from an address of their own."""
        return self.client("198.51.100.7").sign_in(self.passkeys[self.owner]).status == 200

    def knows(self):
        """What the right password is answered with, from an address of its own."""
        return self.client("198.51.100.8").password(self.owner, PASSWORD).status


def deployment():
    return Deployment(None, LATCHKEY_RATE_LIMITS="off")


def tried(answers):
    """How many guesses were looked at; all others say when to come back."""
    looked = [answer for answer in answers if (answer.status, answer.json()["error"]) == TRIED]
    for answer in answers:
        if answer in looked:
            continue
        require(answer.status == 429, f"{answer.status} {answer.body}")
        wait = int(answer.header("Retry-After") or 0)
        require(wait >= 1, f"Retry-After: {answer.header('Retry-After')} in {answer.body}")
    return len(looked)


def one_address():
    """One account from one address."""
    with deployment() as there:
        world = World(there)
        client = world.client("192.0.2.9")
        looked = tried([client.password(world.owner, f"wrong {number}") for number in range(GUESSES)])
        require(looked <= 10, f"{looked} of {GUESSES} were looked at")
        elsewhere, owner = world.knows(), world.gets_in()
        require(owner, "the owner's passkey is refused")
        require(elsewhere == 200, f"the right password from elsewhere: {elsewhere}")
        return f"{looked} of {GUESSES} guesses looked at; the owner gets in by passkey, and by password from elsewhere"


def many_addresses():
    """One account from 200 addresses."""
    with deployment() as there:
        world = World(there)
        clients = [world.client(f"203.0.113.{number}") for number in range(200)]
        answers = [clients[number % 200].password(world.owner, f"wrong {number}") for number in range(GUESSES)]
        looked = tried(answers)
        require(looked <= 100, f"{looked} of {GUESSES} were looked at")
        # Fewer than a hundred in a row turn nothing off.
        off = 200 if GUESSES < 100 else 429
        require((status := world.knows()) == off, f"the right password: {status}")
        require(world.gets_in(), "the owner's passkey is refused")
        require((status := world.knows()) == 200, f"the right password after the passkey: {status}")
        return f"{looked} of {GUESSES} guesses looked at; the owner gets in by passkey, and then by password again"


def many_accounts():
    """As many accounts as guesses from one address."""
    with deployment() as there:
        world = World(there, users=GUESSES)
        client = world.client("192.0.2.9")
        looked = tried([client.password(name, "Winter-2026") for name in world.passkeys])
        require(looked <= 100, f"{looked} of {GUESSES} were looked at")
        require(world.gets_in(), "the owner's passkey is refused")
        require((status := world.knows()) == 200, f"the right password from elsewhere: {status}")
        return f"{looked} of {GUESSES} accounts tried; their owners get in"


if __name__ == "__main__":
    run(one_address, many_addresses, many_accounts)
