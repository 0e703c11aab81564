"""kill -9 in the middle of `latchkey-tenant apply`, 30 × the tool and 30 × the server: the old state or the new one."""

import random
import time

from latchkey import amount, require, run
from stores import on_memory
from tenant_tool import TenantTool

KILLS = amount(30)
CLIENTS = 40


def file(number):
    """A tenant with many things, all of which differ from those of the last number."""
    lines = ["tenant:", f"  friendly_name: State {number}", "clients:"]
    for index in range(CLIENTS):
        lines += [f"  - name: Client {index}", "    app_type: spa", f"    description: State {number}"]
    lines += ["resourceServers:"]
    for index in range(10):
        lines += [f"  - identifier: urn:api:{index}", f"    name: State {number}", "    scopes: []"]
    return "\n".join(lines) + "\n"


class Applications:
    def __init__(self, deployment):
        self.tool = TenantTool(deployment)
        self.server = self.tool.serve()
        self.path = self.tool.home / "tenant.yaml"
        self.number = 0
        self.kept = {"old": 0, "new": 0}
        self.apply_whole(0)
        started = time.monotonic()
        self.apply_whole(1)
        # Longer than one takes here, so that kills fall before, into and after the change.
        self.span = (time.monotonic() - started) * 1.2
        self.number = 1

    def apply_whole(self, number):
        self.path.write_text(file(number))
        self.tool.run("apply", str(self.path), "--yes")

    def kill(self, who):
        old, new = self.number, self.number + 1
        self.path.write_text(file(new))
        process = self.tool.start("apply", str(self.path), "--yes")
        time.sleep(random.uniform(0, self.span))
        if who == "tool":
            process.kill()
        else:
            self.server.kill()
        process.communicate(timeout=120)
        if who == "server":
            self.server = self.tool.serve()
        # A request that the tool sent before it died may still be at work.
        export = self.settled()
        found = {n for n in (old, new) if f"State {n}" in export}
        require(len(found) == 1, f"neither the old state nor the new one: {sorted(found)}")
        self.number = found.pop()
        require(export.count(f"State {self.number}\n") == CLIENTS + 11, "a state by half")
        self.kept["new" if self.number == new else "old"] += 1

    def settled(self):
        export = self.tool.run("export")
        while True:
            time.sleep(0.05)
            again = self.tool.run("export")
            if again == export:
                return export
            export = again


def killed_tool():
    """The tool dies."""
    with on_memory() as deployment:
        applications = Applications(deployment)
        for _ in range(KILLS):
            applications.kill("tool")
        return f"{KILLS} kills, state kept {applications.kept}"


def killed_server():
    """The server dies."""
    with on_memory() as deployment:
        applications = Applications(deployment)
        for _ in range(KILLS):
            applications.kill("server")
        return f"{KILLS} kills, state kept {applications.kept}"


if __name__ == "__main__":
    run(killed_tool, killed_server)
