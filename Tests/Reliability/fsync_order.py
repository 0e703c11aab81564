"""When an answer leaves, its commit is on the disk: system calls in their order, as strace saw them."""

import re
import subprocess

from latchkey import Client, amount, require, run
from stores import on_memory, on_postgres

ANSWERS = amount(200)
STRACE = ["/usr/bin/strace", "-f", "-yy", "-s", "4096", "-e",
          "trace=fdatasync,fsync,pwrite64,sendto,write,writev,sendmsg"]
CALL = re.compile(r"^(?P<thread>\d+) +(?P<name>\w+)\(\d+<(?P<file>.*?)>(?P<rest>.*?)(?P<unfinished> <unfinished \.\.\.>)?$")
RESUMED = re.compile(r"^(?P<thread>\d+) +<\.\.\. (?P<name>\w+) resumed>.*= (?P<result>-?\d+)")
SYNCS, SENDS = ("fdatasync", "fsync"), ("sendto", "write", "writev", "sendmsg")


class Order:
    """Reads a trace line by line: what each thread wrote into the log, and what of it is on the disk."""

    def __init__(self, log):
        self.log = re.compile(log)
        self.pending, self.syncing = {}, {}
        # Of each file of the log how many writes there were, how many a finished sync began after, and each thread's last.
        self.written, self.safe, self.last = {}, {}, {}
        self.syncs = 0

    def read(self, path):
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if resumed := RESUMED.match(line):
                    if call := self.pending.pop(resumed["thread"], None):
                        self.end(call, int(resumed["result"]))
                elif call := CALL.match(line):
                    self.begin(call)
                    if call["unfinished"]:
                        self.pending[call["thread"]] = call
                    else:
                        result = re.search(r".*= (-?\d+)", call["rest"])
                        self.end(call, int(result[1]) if result else -1)
        return self

    def begin(self, call):
        if self.log.search(call["file"]):
            if call["name"] in SYNCS:
                self.syncing[call["thread"]] = self.written.get(call["file"], 0)
            else:
                # Counted when it begins: a sync that begins later may still miss it, one that began before does.
                count = self.written[call["file"]] = self.written.get(call["file"], 0) + 1
                self.last.setdefault(call["thread"], {})[call["file"]] = count
        elif call["name"] in SENDS:
            self.sends(call)

    def end(self, call, result):
        if call["name"] in SYNCS and self.log.search(call["file"]):
            covered = self.syncing.pop(call["thread"], 0)
            require(result == 0, f"{call['name']} failed")
            self.safe[call["file"]] = max(self.safe.get(call["file"], 0), covered)
            self.syncs += 1

    def is_safe(self, writes):
        return all(self.safe.get(file, 0) >= count for file, count in writes.items())

    def sends(self, call):
        raise NotImplementedError

    @staticmethod
    def is_answer(call):
        return "HTTP/1.1 200" in call["rest"] and "access_token" in call["rest"]


class EmbeddedOrder(Order):
    """The server writes the log itself: all of it is safe when an answer leaves."""

    def __init__(self):
        super().__init__(r"latchkey\.db-wal$")
        self.answers, self.early, self.idle, self.before = 0, 0, 0, {}

    def sends(self, call):
        if self.is_answer(call):
            self.answers += 1
            self.early += not self.is_safe(self.written)
            # An answer with nothing of its own to wait for would prove nothing.
            self.idle += self.written == self.before
            self.before = dict(self.written)


class ClientOrder(Order):
    """Processes of the database write the log: each tells of a commit when what it wrote is safe, and then the answer
    leaves."""

    def __init__(self):
        super().__init__(r"/pg_wal/[0-9A-F]+$")
        self.answers, self.early, self.idle, self.syncs_before = 0, 0, 0, 0
        self.is_told_early = False

    def sends(self, call):
        if self.is_answer(call):
            self.answers += 1
            self.early += self.is_told_early
            self.idle += self.syncs == self.syncs_before
            self.is_told_early, self.syncs_before = False, self.syncs
        elif "COMMIT\\0" in call["rest"]:
            self.is_told_early |= not self.is_safe(self.last.get(call["thread"], {}))


def sign_up(server, client_id):
    client = Client(server.port, client_id)
    for number in range(ANSWERS):
        answer = client.sign_up(f"person-{number}@acme.example")[1]
        require(answer.status == 200, answer.body)


def figures(order):
    require(order.answers == ANSWERS, f"{order.answers} of {ANSWERS} answers are in the trace")
    require(order.early == 0, f"{order.early} of {ANSWERS} answers left before their commit was safe")
    require(order.idle == 0, f"{order.idle} answers had nothing to wait for")
    return f"{order.early} of {ANSWERS} answers before their fdatasync ({order.syncs} syncs)"


def sqlite():
    """Sign-ups one after another: none is answered before its commit is on the disk."""
    with on_memory() as deployment:
        trace = str(deployment.folder / "trace")
        client_id = deployment.make_client()
        # The process stays the server's own: strace watches from beside it.
        server = deployment.start(runner=[*STRACE, "-D", "-o", trace])
        sign_up(server, client_id)
        server.end()
        return figures(EmbeddedOrder().read(trace))


def postgres():
    """The same, with the database's processes in the same trace."""
    with on_postgres() as deployment:
        trace = str(deployment.folder / "trace")
        client_id = deployment.make_client()
        server = deployment.start()
        # Its connections are there.
        require(Client(server.port, client_id).sign_up("first@acme.example")[1].status == 200, "a sign-up")
        watched = [str(number) for number in [server.process.pid, *deployment.database.processes()]]
        tracer = subprocess.Popen([*STRACE, "-o", trace, *[word for pid in watched for word in ("-p", pid)]],
                                  stderr=subprocess.PIPE, text=True)
        attached = 0
        while attached < len(watched):
            attached += "attached" in tracer.stderr.readline()
        try:
            sign_up(server, client_id)
        finally:
            tracer.terminate()
            tracer.wait()
        return figures(ClientOrder().read(trace))


if __name__ == "__main__":
    run(sqlite, postgres)
