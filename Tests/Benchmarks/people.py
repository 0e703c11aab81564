"""Figures of the Management API over many users, on a server of the release build:

* an import of users with bcrypt hashes: how long it takes, and that a sample signs in and is hashed anew;
* pages of users, searches and counts over 100,000 users: the time of each, and the server's memory before and after.

    .venv/bin/python Tests/Benchmarks/people.py [--users 100000] [--hashed 10000] [--store postgres://…]

The machine should have nothing else to do. The times are those of a client on the same machine, over one connection.
"""

import argparse
import json
import pathlib
import random
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Tests/EndToEndTests/Peers"))

from support import Server  # noqa: E402

# "correct horse", by PyPI bcrypt: with a cost of 4, for what is measured is not bcrypt.
PASSWORD, BCRYPT = "correct horse", "$2b$04$Q/jiwQydCv0L2grKL7ITUuvkxiXO/l4RMLSjDgHpM8HFfjWnJvyN2"

arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
arguments.add_argument("--users", type=int, default=100_000)
arguments.add_argument("--hashed", type=int, default=10_000)
arguments.add_argument("--store", help="another store than SQLite")
given = arguments.parse_args()
settings = {"LATCHKEY_STORE": given.store} if given.store else {}

with Server(tls=False, **settings) as server:
    if given.store:
        server.store = given.store
    host = f"localhost:{server.port}"
    manager = server.admin("tenant", "create", "acme", "--domain", host)["management_client"]
    app = server.admin("client", "create", "--tenant", "acme", "--name", "Old", "--type", "native", "--grant", "password")

    def token():
        return server.post("/oauth/token", {
            "grant_type": "client_credentials", "client_id": manager["client_id"],
            "client_secret": manager["client_secret"], "audience": f"{server.base}/api/v2/",
        }).json()["access_token"]

    server.session.headers["Authorization"] = "Bearer " + token()

    def get(path):
        answer = server.session.get(server.base + "/api/v2/" + path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    connection = get("connections")[0]["id"]

    def bring(users):
        started = time.monotonic()
        sent = server.session.post(
            server.base + "/api/v2/jobs/users-imports", data={"connection_id": connection},
            files={"users": ("users.json", json.dumps(users), "application/json")},
        )
        assert sent.status_code == 202, sent.text
        while (job := get("jobs/" + sent.json()["id"]))["status"] not in ("completed", "failed"):
            time.sleep(0.2)
        assert job["status"] == "completed" and job["summary"]["inserted"] == len(users), job
        return time.monotonic() - started

    def memory():
        status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024

    seconds = bring([
        {"email": f"hashed{index}@example.com", "password_hash": BCRYPT, "user_metadata": {"index": index}}
        for index in range(given.hashed)
    ])
    print(f"import of {given.hashed} users with bcrypt hashes: {seconds:.1f} s ({given.hashed / seconds:.0f} users/s)")
    sample = random.sample(range(given.hashed), min(10, given.hashed))
    for index in sample:
        answer = server.post("/oauth/token", {
            "grant_type": "http://auth0.com/oauth/grant-type/password-realm", "client_id": app["client_id"],
            "username": f"hashed{index}@example.com", "password": PASSWORD, "scope": "openid",
            "realm": "Username-Password-Authentication",
        })
        assert answer.status_code == 200, answer.text
    print(f"{len(sample)} of them signed in with the old password")

    made = given.hashed
    while made < given.users:
        count = min(20_000, given.users - made)
        bring([
            {
                "email": f"user{made + index}@example.com", "name": f"User {made + index}",
                "user_metadata": {"index": made + index, "plan": random.choice(["free", "gold"])},
            }
            for index in range(count)
        ])
        made += count
    server.session.headers["Authorization"] = "Bearer " + token()
    print(f"{made} users; memory of the server: {memory():.0f} MiB")
    someone = get(f"users-by-email?email=user{made - 5}%40example.com")[0]["user_id"].replace("|", "%7C")
    for title, query in [
        ("the first page of 50", "users"), ("the first page of 100", "users?per_page=100"),
        ("the last page that there is", "users?per_page=100&page=10"), ("newest first", "users?sort=created_at:-1"),
        ("with totals", "users?include_totals=true"), ("of one connection", "users?connection=Username-Password-Authentication"),
        ("of one connection, with totals", "users?connection=Username-Password-Authentication&include_totals=true"),
        ("by address", f"users?q=email:user{made - 5}%40example.com"), ("by the beginning of an address", f"users?q=email:user{made - 5}*"),
        ("by address, with totals", f"users?q=email:user{made - 5}%40example.com&include_totals=true"),
        ("users-by-email", f"users-by-email?email=user{made - 5}%40example.com"),
        ("by metadata, many", "users?q=user_metadata.plan:gold"),
        ("by metadata, many, with totals", "users?q=user_metadata.plan:gold&include_totals=true"),
        ("by metadata, many, newest first", "users?q=user_metadata.plan:gold&sort=created_at:-1"),
        ("by metadata, a range", f"users?q=user_metadata.index:[{made - 9}%20TO%20{made - 5}]"),
        ("by name, many", "users?q=name:user*"),
        ("by address, many", "users?q=email:user*"),
        ("logs of one user", f"users/{someone}/logs"),
        ("the newest logs", "logs?per_page=100"),
        ("by metadata, one", f"users?q=user_metadata.index:{made - 5}"),
        ("by name, one", f"users?q=name:%22User%20{made - 5}%22"),
        ("by a range of time", "users?q=created_at:[2020-01-01%20TO%20*]"),
    ]:
        times = []
        for _ in range(21):
            started = time.monotonic()
            get(query)
            times.append((time.monotonic() - started) * 1000)
        print(f"{title}: {statistics.median(times):.1f} ms (slowest {max(times):.1f})")
    print(f"memory of the server afterwards: {memory():.0f} MiB")
