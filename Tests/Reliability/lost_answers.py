"""The database commits and its answer is lost: nothing is issued twice in silence, and the client can go on."""

import os
import socket
import threading

from latchkey import Client, Deployment, require, run
from postgres import Postgres

TIMES = int(os.environ.get("LATCHKEY_LOST", "500"))


class Proxy:
    """Between server and database; when it is armed, the answer to the next commit is swallowed with its connection."""

    def __init__(self, target):
        self.target = target
        self.armed = threading.Event()
        self.swallowed = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            front, _ = self.listener.accept()
            back = socket.create_connection(("127.0.0.1", self.target))
            for end in (front, back):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.forward, args=(front, back, False), daemon=True).start()
            threading.Thread(target=self.forward, args=(back, front, True), daemon=True).start()

    def forward(self, source, target, is_answer):
        try:
            while data := source.recv(65536):
                if is_answer and self.armed.is_set() and b"COMMIT\0" in data:
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


def answers_lost_after_commit():
    """Half at refreshes, half at sign-ins: 503 each time, one issue for each try, and the documented way goes on."""
    with Postgres() as database:
        proxy = Proxy(database.port)
        with Deployment(f"postgres://latchkey@127.0.0.1:{proxy.port}/latchkey") as deployment:
            client_id = deployment.make_client()
            deployment.admin("client", "set", "--tenant", "acme", "App", "refresh_token.leeway=60")
            server = deployment.start()
            client = Client(server.port, client_id)
            passkey, answer = client.sign_up("one@acme.example")
            require(answer.status == 200, answer.body)
            token = answer.json()["refresh_token"]

            generations = "SELECT coalesce(sum(generation), 0) FROM refresh_family"
            generation = database.number(generations)
            for number in range(TIMES // 2):
                proxy.armed.set()
                lost = client.refresh(token)
                require(lost.status == 503, f"refresh {number}: {lost.status} {lost.body}")
                require(lost.json()["error"] == "temporarily_unavailable", lost.body)
                again = client.refresh(token)
                require(again.status == 200, f"refresh {number} again: {again.status} {again.body}")
                token = again.json()["refresh_token"]
            require(database.number(generations) == generation + TIMES // 2, "a generation more or less than tries")

            sessions = database.number("SELECT count(*) FROM session")
            for number in range(TIMES // 2):
                begun = client.challenge().json()
                response = passkey.get(begun)
                proxy.armed.set()
                lost = client.redeem(begun, response)
                require(lost.status == 503, f"sign-in {number}: {lost.status} {lost.body}")
                # The challenge is used up; a new one goes on.
                require(client.redeem(begun, response).status == 403, "a challenge is taken twice")
                require(client.sign_in(passkey).status == 200, "a new challenge")
            made = database.number("SELECT count(*) FROM session") - sessions
            require(made == TIMES // 2 * 2, f"{made} sessions of {TIMES // 2 * 2} tries")
            require(proxy.swallowed == TIMES // 2 * 2, f"{proxy.swallowed} answers were lost")
            return f"{proxy.swallowed} answers lost, as many 503; each try issued once, {TIMES} went on"


if __name__ == "__main__":
    run(answers_lost_after_commit)
