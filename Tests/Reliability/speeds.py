"""Sign-ins by latchkey-load at servers of a deployment, for the scripts speed_*: ratios of one run, taken by turns."""

import json
import os
import statistics
import subprocess

from latchkey import require
from postgres import ROOT

LOAD = os.environ.get("LATCHKEY_LOAD", str(ROOT / ".build/release/latchkey-load"))
CONNECTIONS = 32
SECONDS = 3
ROUNDS = 5


class Target:
    """Servers of one deployment that sign people in, ES256 tokens each."""

    def __init__(self, deployment, processes=1):
        self.servers = [deployment.start() for _ in range(processes)]
        if not hasattr(deployment, "load_client"):
            deployment.load_host = f"localhost:{self.servers[0].port}"
            deployment.load_client = deployment.make_client(deployment.load_host, "--id-token-alg", "ES256")
        self.host, self.client_id = deployment.load_host, deployment.load_client
        self.figures, self.spoilt = [], 0

    def measure(self):
        """Signs in at all servers at once; what a sign-in costs and how many there are in a second."""
        commands = [[
            LOAD, "--url", f"127.0.0.1:{server.port}", "--host", self.host, "--client-id", self.client_id, "--pid",
            str(server.process.pid), "--connections", str(CONNECTIONS // len(self.servers)), "--users", "64",
            "--seconds", str(SECONDS),
        ] for server in self.servers]
        loads = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for command in commands]
        lines = []
        for load in loads:
            output, errors = load.communicate(timeout=60)
            require(load.returncode == 0, f"latchkey-load: {errors}")
            lines.append(json.loads(output))
        if any(line["errors"] for line in lines):
            # A disk that stands still for a second says nothing about speed: once more.
            self.spoilt += 1
            require(self.spoilt <= 2, f"errors: {lines}")
            return self.measure()
        logins = sum(line["logins"] for line in lines)
        cpu = sum(line["server_cpu_us_per_login"] * line["logins"] for line in lines) / logins
        return self.figures.append((cpu, sum(line["logins_s"] for line in lines)))

    @property
    def cpu(self):
        """Microseconds of the servers' CPU for a sign-in, the median."""
        return statistics.median(cpu for cpu, _ in self.figures)


def cpu_ratio(one, other):
    """What a sign-in costs `one` against `other`: the median of what the rounds say, each of one moment."""
    return statistics.median(a[0] / b[0] for a, b in zip(one.figures, other.figures))


def rate_ratio(one, other):
    """The same of the sign-ins in a second."""
    return statistics.median(a[1] / b[1] for a, b in zip(one.figures, other.figures))


def by_turns(*targets):
    """Measures each again and again, in turn, the first round for warmth alone."""
    for number in range(ROUNDS + 1):
        for target in targets if number % 2 == 0 else targets[::-1]:
            target.measure()
            if number == 0:
                target.figures.clear()
