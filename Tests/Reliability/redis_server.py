"""Redis servers for the scripts of this folder: without persistence, on a socket in a folder of their own."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time


class Redis:
    """A server, which goes at the end of the block."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="latchkey-reliability-redis-")
        self.socket = f"{self.folder}/redis.sock"
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        return f"redis+unix://{self.socket}"

    def start(self):
        """Starts it, empty, on the same socket as before."""
        pathlib.Path(self.socket).unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["/usr/bin/redis-server", "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--save", "",
             "--appendonly", "no"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 20
        while not os.path.exists(self.socket):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("redis-server did not start")
            time.sleep(0.01)

    def stop_still(self):
        self.process.send_signal(signal.SIGSTOP)

    def proceed(self):
        self.process.send_signal(signal.SIGCONT)

    def kill(self):
        self.process.kill()
        self.process.wait()
