"""A full disk of 4 MiB under SQLite (design: failure rules)."""

import os
import subprocess
import time

from latchkey import Client, Deployment, require, run, soon


def full_disk():
    """Writes 503 with Retry-After 30, reads 200, and it recovers by itself."""
    with Deployment(None) as deployment:
        disk = deployment.folder / "disk"
        disk.mkdir()
        deployment.store = f"sqlite:{disk}/latchkey.db"
        # The disk is there for the server alone: in a mount namespace of its own.
        server = deployment.start(runner=[
            "/usr/bin/unshare", "--mount", "/bin/sh", "-c",
            f"mount -t tmpfs -o size=4m,mode=700 tmpfs '{disk}' && exec \"$0\" \"$@\"",
        ])
        deployment.admin_runner = ["/usr/bin/nsenter", "--target", str(server.process.pid), "--mount"]
        client = Client(server.port, deployment.make_client())
        passkey, answer = client.sign_up("one@acme.example")
        require(answer.status == 200, answer.body)
        tokens = answer.json()
        filler = f"/proc/{server.process.pid}/root{disk}/filler"
        subprocess.run(["/bin/sh", "-c", f"cat /dev/zero >'{filler}'"], capture_output=True, check=False)

        # The log still has room inside its file for a few, and for a small one after a larger one was refused.
        latest = tokens["refresh_token"]
        for count in range(4000):
            sign_up = client.sign_up(f"two-{count}@acme.example")[1]
            writes = [client.sign_in(passkey), client.refresh(latest), sign_up]
            if writes[1].status == 200:
                latest = writes[1].json().get("refresh_token", latest)
            if all(write.status != 200 for write in writes):
                break
        for write in writes:
            require(write.status == 503 and write.json()["error"] == "temporarily_unavailable", write.body)
            require(write.header("Retry-After") == "30", f"{write.headers}")
        ready = client.send("GET", "/readyz")
        require(ready.status == 503 and ready.json()["checks"]["store"] == "failed", ready.body)
        token = {"Authorization": f"Bearer {tokens['access_token']}"}
        for _ in range(50):
            reads = [client.send("GET", "/userinfo", headers=token), client.challenge()]
            reads += [client.send("GET", path) for path in (
                "/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz",
            )]
            require(all(read.status == 200 for read in reads), f"{[(read.status, read.body) for read in reads]}")

        os.remove(filler)
        started = time.monotonic()
        while (again := client.refresh(latest)).status != 200:
            require(again.status == 503 and time.monotonic() < started + 30, f"{again.status} {again.body}")
            time.sleep(0.02)
        recovered = time.monotonic() - started
        soon(recovered, 2, "to recover")
        require(client.sign_in(passkey).status == 200, "a sign-in")
        require(client.send("GET", "/readyz").status == 200, "ready again")
        return f"{len(writes)} writes 503 with Retry-After 30, 250 reads 200, recovery {recovered:.2f} s"


if __name__ == "__main__":
    run(full_disk)
