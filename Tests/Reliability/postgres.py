"""PostgreSQL servers for the scripts of this folder: private ones, in folders of their own."""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPT = str(ROOT / ".ci/postgres")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def call(*words):
    result = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


class Postgres:
    """A server on 127.0.0.1, which goes at the end of the block, or with this process."""

    def __init__(self, *configuration, standby_of=None):
        self.folder = tempfile.mktemp(prefix="latchkey-reliability-postgres-")
        self.port = free_port()
        if standby_of is None:
            call(SCRIPT, "start", self.folder, str(self.port), *configuration)
        else:
            call(SCRIPT, "standby", self.folder, str(self.port), standby_of.folder, str(standby_of.port))
        call(SCRIPT, "guard", self.folder, str(os.getpid()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proceed()
        subprocess.run([SCRIPT, "stop", self.folder, "immediate"], capture_output=True, check=False)

    def file(self, name, text, mode="600"):
        """Writes a file that the server's user owns."""
        path = f"{self.folder}/{name}"
        subprocess.run([SCRIPT, "run", self.folder, "tee", path], input=text, text=True, check=True,
                       capture_output=True)
        call(SCRIPT, "run", self.folder, "chmod", mode, path)
        return path

    @property
    def url(self):
        return f"postgres://latchkey@127.0.0.1:{self.port}/latchkey"

    def sql(self, text, database="latchkey"):
        return call(
            SCRIPT, "run", self.folder, "psql", "-qXAt", "-h", self.folder, "-p", str(self.port), "-U", "postgres",
            "-d", database, "-c", text,
        ).strip()

    def number(self, text):
        return int(self.sql(text))

    def backends(self):
        """The processes that serve latchkey-server."""
        text = self.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'latchkey'")
        return [int(line) for line in text.split()]

    def processes(self):
        """The server and all of its children."""
        lines = (pathlib.Path(self.folder) / "data/postmaster.pid").read_text().split()
        postmaster = int(lines[0])
        children = pathlib.Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return [postmaster] + [int(child) for child in children]

    def signal(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def stop_still(self):
        """Stops every process where it is, as a hanging machine does."""
        self.signal(signal.SIGSTOP)

    def proceed(self):
        try:
            self.signal(signal.SIGCONT)
        except FileNotFoundError:
            pass

    def restart(self, mode="immediate"):
        call(SCRIPT, "restart", self.folder, mode)

    def kill(self):
        self.signal(signal.SIGKILL)

    def promote(self):
        call(SCRIPT, "run", self.folder, "pg_ctl", "-D", self.folder + "/data", "promote")

    def wait_until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while self.sql(condition) != "t":
            if time.monotonic() > end:
                raise RuntimeError(f"not within {seconds} s: {condition}")
            time.sleep(0.05)
