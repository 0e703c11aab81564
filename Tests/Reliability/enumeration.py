"""Whether somebody has an account: no answer tells it, and no time (contract 2.3, 9.2, 9.5, 12.3). Limits are off, and known and
unknown names take turns, so that both meet the same machine."""

import json
import statistics
import sys

from latchkey import JUDGES_TIME, Client, Deployment, Passkey, amount, require, run
from postgres import ROOT

sys.path.insert(0, str(ROOT / "Packages/Transfer/Tests/TransferTests/Peers"))
from smtp_sink import Sink  # noqa: E402: what is beside the library's own tests.

NAMES = amount(2000)
PASSWORDS = amount(300)
# What today's providers make: how long its id is, and where it can be reached.
KINDS = [(size, way) for size in (16, 20, 32) for way in (["internal"], ["hybrid", "internal"])]


def shape(value):
    """A value without what is in it: the names of members, and of what kind they are."""
    if isinstance(value, dict):
        return {name: shape(member) for name, member in value.items()}
    if isinstance(value, list):
        return [shape(member) for member in value]
    return type(value).__name__


def look(answer):
    """All of an answer that both kinds of name have to have alike."""
    changing = {"date", "x-request-id", "x-auth-session", "x-ceremony-id", "set-cookie"}
    headers = {name: value for name, value in answer.headers.items() if name not in changing}
    is_json = headers.get("content-type", "").startswith("application/json")
    return answer.status, tuple(sorted(headers.items())), json.dumps(shape(answer.json())) if is_json else answer.body.decode()


class World:
    def __init__(self, deployment):
        self.sink = Sink()
        deployment.settings |= {
            "LATCHKEY_MAIL": f"smtp://127.0.0.1:{self.sink.port}", "LATCHKEY_MAIL_FROM": "no-reply@acme.example",
        }
        self.client_id = deployment.make_client(passwords=True)
        self.client = Client(deployment.start().port, self.client_id)

    def sign_up(self, count):
        names = [f"known{number:05}@example.com" for number in range(count)]
        for number, name in enumerate(names):
            passkey = Passkey(*KINDS[number % len(KINDS)])
            require(self.client.sign_up(name, passkey)[1].status == 200, "a sign-up")
        return names

    def sign_up_with_passwords(self, count):
        names = [f"known{number:05}@example.com" for number in range(count)]
        for name in names:
            made = self.client.sign_up_with_password(name, "Correct-horse-9")
            require(made.status == 200, f"{made.status} {made.body}")
        return names


def compare(known, ask):
    """Asks for known and unknown names by turns; the medians of their times, in milliseconds."""
    times = {True: [], False: []}
    looks = {}
    for number, name in enumerate(known):
        # Each goes first as often as the other.
        for is_known in (True, False) if number % 2 else (False, True):
            answer = ask(name if is_known else name.replace("known", "other"))
            times[is_known].append(answer.seconds * 1000)
            looks.setdefault(look(answer), set()).add(is_known)
    # Unknown names may look in more ways: some seem to have several passkeys.
    for number in range(500 if len(looks) > 2 else 0):
        looks.setdefault(look(ask(f"other{number + len(known):05}@example.com")), set()).add(False)
    for seen, kinds in looks.items():
        require(False in kinds, f"for known names alone: {seen}")
    medians = statistics.median(times[True]), statistics.median(times[False])
    ratio = medians[0] / medians[1]
    require(0.9 <= ratio <= 1.1 or not JUDGES_TIME, f"medians: known {medians[0]:.3f} ms, unknown {medians[1]:.3f} ms")
    return (
        f"{len(known)} known names {medians[0]:.3f} ms, as many unknown ones {medians[1]:.3f} ms ({ratio:.3f}), "
        f"all of the same looks ({sum(True in kinds for kinds in looks.values())})"
    )


def deployment():
    return Deployment(None, LATCHKEY_RATE_LIMITS="off")


def login_options():
    with deployment() as there:
        world = World(there)
        known = world.sign_up(NAMES)
        return compare(known, lambda name: world.client.send("POST", "/login/options", {"username": name}))


def change_password():
    with deployment() as there:
        world = World(there)
        known = world.sign_up(NAMES)
        return compare(known, lambda name: world.client.send("POST", "/dbconnections/change_password", {
            "connection": "Username-Password-Authentication", "email": name,
        }))


def recovery_start():
    with deployment() as there:
        world = World(there)
        known = world.sign_up(NAMES)
        return compare(known, lambda name: world.client.send("POST", "/recovery/start", {
            "realm": "Username-Password-Authentication", "identifier": name,
        }))


def password():
    with deployment() as there:
        world = World(there)
        known = world.sign_up_with_passwords(PASSWORDS)
        return compare(known, lambda name: world.client.password(name, "Wrong-horse-9"))


def password_of_passkey_users():
    """Users without a password are as unknown as nobody."""
    with deployment() as there:
        world = World(there)
        known = world.sign_up(PASSWORDS)
        return compare(known, lambda name: world.client.password(name, "Wrong-horse-9"))


if __name__ == "__main__":
    run(login_options, change_password, recovery_start, password, password_of_passkey_users)
