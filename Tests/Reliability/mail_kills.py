"""Servers that are killed while they send mail: each mail at least once, with one Message-ID, none lost."""

import email
import email.policy
import random
import sys
import threading
import time

from latchkey import require
from postgres import ROOT
from stores import ask

sys.path.insert(0, str(ROOT / "Packages/Transfer/Tests/TransferTests/Peers"))
from smtp_sink import Sink  # noqa: E402: what is beside the library's own tests.



class Outbox:
    """A deployment whose servers send to a mail server of ours, slowly enough for kills to fall into it."""

    def __init__(self, deployment, servers=1):
        self.deployment = deployment
        self.sink = Sink({"delay": 0.1})
        deployment.settings |= {
            "LATCHKEY_MAIL": f"smtp://127.0.0.1:{self.sink.port}", "LATCHKEY_MAIL_FROM": "Acme Å <no-reply@acme.example>",
        }
        deployment.make_client()
        self.written = {}
        self.expected = 0
        self.left = {}
        self.servers = [deployment.start() for _ in range(servers)]

    def write(self, count):
        """Puts mails into the outbox, one process each."""
        for _ in range(count):
            address = f"user{len(self.written)}@example.com"
            answer = self.deployment.admin("mail", "test", address, "--queue", "--language", "ja", "--tenant", "acme")
            self.written[answer["message_id"]] = address

    def waiting(self):
        return set(ask(self.deployment, "SELECT message_id FROM outbox"))

    def sent(self):
        """How often each mail arrived."""
        with self.sink.lock:
            mails = list(self.sink.mails)
        counts = {}
        for mail in mails:
            message = email.message_from_string(mail["message"], policy=email.policy.default)
            identifier = message["Message-ID"].strip("<>")
            require(self.written[identifier] == mail["recipients"][0], f"{identifier} went to {mail['recipients']}")
            counts[identifier] = counts.get(identifier, 0) + 1
        return counts

    def kill(self, index):
        writer = threading.Thread(target=self.write, args=(2,))
        writer.start()
        time.sleep(random.uniform(0, 0.4))
        self.servers[index].kill()
        writer.join()
        # What the mail server took and nobody struck out: it will come once more, and nothing else will. (Of a server
        # that lives it may be what it is about to strike out.)
        while len(self.servers) == 1 and self.sink.talking:
            time.sleep(0.01)
        waiting = self.waiting()
        left = {name: copies for name, copies in self.sent().items() if name in waiting}
        between = sum(1 for name, copies in left.items() if copies > self.left.get(name, 0))
        self.left |= left
        self.expected += between
        self.servers[index] = self.deployment.start()
        return between

    def end(self):
        """Waits until all is sent, and counts."""
        limit = time.monotonic() + 600
        while waiting := self.waiting():
            require(time.monotonic() < limit, f"{len(waiting)} mails wait for ever")
            time.sleep(0.2)
        counts = self.sent()
        self.sink.close()
        lost = set(self.written) - set(counts)
        require(not lost, f"{len(lost)} mails were lost")
        return len(counts), sum(counts.values()) - len(counts)


def looks_right(mail):
    """The mail as another library reads it."""
    message = email.message_from_string(mail["message"], policy=email.policy.default)
    require(str(message["From"]) == "Acme Å <no-reply@acme.example>", str(message["From"]))
    require(not message.defects and message.get_content_type() == "multipart/alternative", "it is badly formed")
    text, page = message.iter_parts()
    require("正常に届いています" in text.get_content() and "<html lang=\"ja\">" in page.get_content(), "the texts")
    require("正常に届いています" in message["Subject"], message["Subject"])
    require(message["Date"].datetime is not None, message["Date"])


def kills(deployment, count, servers):
    outbox = Outbox(deployment, servers)
    outbox.write(2)
    fell_between = sum(1 for number in range(count) if outbox.kill(number % servers) > 0)
    mails, duplicates = outbox.end()
    looks_right(outbox.sink.mails[0])
    require(duplicates <= count, f"{duplicates} duplicates for {count} kills")
    if servers == 1:
        require(duplicates == outbox.expected, f"{duplicates} duplicates, {outbox.expected} were left to be sent again")
        require(outbox.expected == fell_between, "a kill left more than one mail to be sent again")
    return f"{count} kills, {mails} mails, none lost, {duplicates} twice, each for a kill after the mail server took it"
