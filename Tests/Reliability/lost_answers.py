"""The database commits and its answer is lost: nothing is issued twice in silence, and the client can go on."""

import socket
import threading
import time

from latchkey import Client, Deployment, Passkey, amount, require, run
from postgres import Postgres

TIMES = amount(500)


class Proxy:
    """Between server and database; when it is armed, the answer to the next commit is swallowed with its connection.

    It is the next commit of what names `mark`: the server has work of its own beside a request, as sealing its log.
    """

    def __init__(self, target):
        self.target = target
        self.armed = threading.Event()
        self.swallowed = 0
        self.mark = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            front, _ = self.listener.accept()
            back = socket.create_connection(("127.0.0.1", self.target))
            for end in (front, back):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            marked = threading.Event()
            threading.Thread(target=self.forward, args=(front, back, marked, False), daemon=True).start()
            threading.Thread(target=self.forward, args=(back, front, marked, True), daemon=True).start()

    def forward(self, source, target, marked, is_answer):
        last = b""
        try:
            while data := source.recv(65536):
                if not is_answer and self.mark and self.mark in last + data:
                    marked.set()
                last = data[-256:]
                if is_answer and b"COMMIT\0" in data and marked.is_set():
                    marked.clear()
                    if self.armed.is_set():
                        self.armed.clear()
                        self.swallowed += 1
                        break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Lossy:
    """A server whose database is behind the proxy, a client, and somebody who has signed up."""

    def __init__(self, database, **settings):
        self.database = database
        self.proxy = Proxy(database.port)
        self.deployment = Deployment(f"postgres://latchkey@127.0.0.1:{self.proxy.port}/latchkey", **settings)

    def __enter__(self):
        self.deployment.__enter__()
        client_id = self.deployment.make_client()
        self.deployment.admin("client", "set", "--tenant", "acme", "App", "refresh_token.leeway=60")
        self.client = Client(self.deployment.start().port, client_id)
        self.proxy.mark = client_id.encode()
        self.passkey, answer = self.client.sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        self.token = answer.json()["refresh_token"]
        return self

    def __exit__(self, *rest):
        self.deployment.__exit__(*rest)

    def lose(self, request):
        """Sends a request whose commit's answer is lost: a 503, and nothing that says otherwise."""
        self.proxy.armed.set()
        lost = request()
        require(not self.proxy.armed.is_set(), "nothing was committed")
        require(lost.status == 503, f"{lost.status} {lost.body}")
        require(lost.json()["error"] == "temporarily_unavailable", lost.body)
        require(lost.header("Retry-After") is not None, f"{lost.headers}")


def patiently(ask):
    """A server that had no connection free for a moment has done nothing; the client asks again a little later."""
    for _ in range(5):
        answer = ask()
        if answer.status != 503:
            break
        time.sleep(0.5)
    return answer


def await_refusals(database, count):
    """Refusals are written down a moment later; that commit is not the one to lose."""
    failed = "SELECT count(*) FROM audit_event WHERE types LIKE '%passkey_challenge_failed%'"
    deadline = time.monotonic() + 60
    while database.number(failed) < count:
        require(time.monotonic() < deadline, "the refusal was not written down")
        time.sleep(0.05)


def refreshes():
    """The client refreshes again, inside the leeway."""
    with Postgres() as database, Lossy(database) as it:
        generations = "SELECT coalesce(sum(generation), 0) FROM refresh_family"
        before = database.number(generations), database.number("SELECT count(*) FROM refresh_token")
        for number in range(TIMES):
            it.lose(lambda: it.client.refresh(it.token))
            again = patiently(lambda: it.client.refresh(it.token))
            require(again.status == 200, f"refresh {number} again: {again.status} {again.body}")
            it.token = again.json()["refresh_token"]
        made = database.number(generations) - before[0]
        require(made == TIMES, f"{made} generations of {TIMES} tries")
        tokens = database.number("SELECT count(*) FROM refresh_token") - before[1]
        require(tokens == TIMES * 2, f"{tokens} tokens of {TIMES * 2} exchanges that were asked for")
        return f"{it.proxy.swallowed} answers lost, as many 503; {tokens} tokens for {TIMES * 2} requests, {TIMES} went on"


def sign_ins():
    """The challenge is used up; the client begins again with a new one."""
    with Postgres() as database, Lossy(database) as it:
        families = "SELECT count(*) FROM refresh_family"
        before = database.number("SELECT count(*) FROM session"), database.number(families)
        for number in range(TIMES):
            begun = patiently(it.client.challenge).json()
            request = it.client.redeeming(begun, it.passkey.get(begun))
            it.lose(lambda: it.client.exchange(request))
            require(patiently(lambda: it.client.exchange(request)).status == 403, "a challenge is taken twice")
            require(patiently(lambda: it.client.sign_in(it.passkey)).status == 200, f"sign-in {number} with a new challenge")
        made = database.number("SELECT count(*) FROM session") - before[0], database.number(families) - before[1]
        require(made == (TIMES * 2, TIMES * 2), f"{made} sessions and families of {TIMES * 2} sign-ins")
        return f"{it.proxy.swallowed} answers lost, as many 503; {made[0]} sessions for {TIMES * 2} sign-ins, {TIMES} went on"


def sign_ups():
    """The account is there or not, but once: the client begins again, and is told that the user exists, or signs in."""
    with Postgres() as database, Lossy(database) as it:
        for number in range(TIMES // 5):
            begun = it.client.register(f"lost-{number}@acme.example").json()
            passkey = Passkey()
            request = it.client.redeeming(begun, passkey.create(begun))
            it.lose(lambda: it.client.exchange(request))
            require(patiently(lambda: it.client.exchange(request)).status == 403, "a challenge is taken twice")
            # It was committed: the passkey that the device has made signs in.
            require(patiently(lambda: it.client.sign_in(passkey)).status == 200, "the passkey of the lost answer")
            again = it.client.register(f"lost-{number}@acme.example")
            require(again.json().get("reason") == "user_exists", f"{again.status} {again.body}")
            await_refusals(database, number + 1)
        users = database.number("SELECT count(*) FROM user_account") - 1
        require(users == TIMES // 5, f"{users} users of {TIMES // 5} sign-ups")
        return f"{it.proxy.swallowed} answers lost, {users} users for as many sign-ups, all signed in"


def challenges():
    """Challenges in the database: one whose taking was lost is gone, one whose keeping was lost was never given out."""
    with Postgres() as database, Lossy(database, LATCHKEY_CHALLENGES="store") as it:
        for number in range(TIMES // 5):
            it.lose(it.client.challenge)
            begun = patiently(it.client.challenge).json()
            request = it.client.redeeming(begun, it.passkey.get(begun))
            sessions = database.number("SELECT count(*) FROM session")
            it.lose(lambda: it.client.exchange(request))
            require(database.number("SELECT count(*) FROM session") == sessions, "a session although it was not known")
            require(patiently(lambda: it.client.exchange(request)).status == 403, "a challenge is taken twice")
            require(patiently(lambda: it.client.sign_in(it.passkey)).status == 200, f"sign-in {number} with a new challenge")
        return f"{it.proxy.swallowed} answers lost, as many 503, none taken twice, {TIMES // 5} went on"


if __name__ == "__main__":
    run(refreshes, sign_ins, sign_ups, challenges)
