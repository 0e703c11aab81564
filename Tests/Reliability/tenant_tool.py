"""A tenant of a deployment, and `latchkey-tenant` for it."""

import os
import pathlib
import subprocess

import latchkey
from postgres import ROOT, free_port

TENANT = os.environ.get("LATCHKEY_TENANT", str(ROOT / ".build/release/latchkey-tenant"))


class TenantTool:
    """The Management client of a new tenant that answers at a port of the loopback."""

    def __init__(self, deployment):
        self.deployment = deployment
        self.port = free_port()
        made = deployment.admin("tenant", "create", "acme", "--domain", f"localhost:{self.port}")
        client = made["management_client"]
        self.home = pathlib.Path(deployment.folder, "home")
        self.home.mkdir()
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.home), "LATCHKEY_URL": f"http://localhost:{self.port}",
            "LATCHKEY_CLIENT_ID": client["client_id"], "LATCHKEY_CLIENT_SECRET": client["client_secret"],
        }

    def serve(self):
        return self.deployment.start(port=self.port)

    def start(self, *words):
        return subprocess.Popen(
            [TENANT, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )

    def run(self, *words, expect=0):
        process = self.start(*words)
        output, errors = process.communicate(timeout=120)
        latchkey.require(
            process.returncode == expect, f"latchkey-tenant {' '.join(words)}: {process.returncode}\n{output}{errors}"
        )
        return output
