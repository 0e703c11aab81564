"""The people whom a plan touches, counted against SQL written by hand, among 50,000 users; and the time it takes."""

import json
import random
import sqlite3
import time

from latchkey import amount, require, run, soon
from stores import on_memory
from tenant_tool import TenantTool

USERS = amount(50_000)
MODELS = [bytes(16), bytes.fromhex("ee882879721c491397753dfcce97072a"), bytes.fromhex("08987058cadc4b81b6e130de50dcbe96")]
# The beginning of a COSE key: EdDSA, ES256, RS256.
KEYS = [b"\xa4\x01\x01\x03\x27", b"\xa5\x01\x02\x03\x26", b"\xa4\x01\x03\x03\x39\x01\x00"]
DATABASE = "Username-Password-Authentication"
POLICY = "options: { authentication_methods: { password: { enabled: true } }, passkey_options: { webauthn: { %s } } }"


def seed(path, tenant, connection):
    """Users with 0 to 3 passkeys of all kinds, some with a password, some blocked."""
    dice = random.Random(1)
    database = sqlite3.connect(path)
    users, identifiers, passwords, passkeys, states = [], [], [], [], []
    for index in range(USERS):
        user = index.to_bytes(12, "big")
        mail = f"person{index}@acme.example"
        found = json.dumps([{"kind": "email", "entered": mail, "canonical": mail, "verified": False}])
        users.append((tenant, user, connection, found, "[]", 1 if dice.random() < 0.02 else None, 0, 0, 0))
        identifiers.append((tenant, connection, "email", mail, user))
        if dice.random() < 0.5:
            passwords.append((tenant, user, "$argon2id$x", 0))
        for number in range(dice.choice([0, 1, 1, 1, 2, 3])):
            row = len(passkeys) + 1
            passkeys.append((
                row, tenant, f"passkey|{row}", user, "localhost" if dice.random() < 0.95 else "old.acme.example",
                row.to_bytes(16, "big"), user, dice.choice(KEYS) + bytes(60), dice.choice(["none", "packed"]), "none",
                int(dice.random() < 0.3), dice.choice(MODELS), "signup", 0,
            ))
            states.append((
                tenant, user, b"", row, 0, int(dice.random() < 0.6), 0, int(dice.random() < 0.8),
                5 if dice.random() < 0.03 else None,
            ))
    with database:
        for table, columns, rows in [
            ("user_account", "tenant_id, id, connection_id, identifiers, user_handles, blocked_at, created_at,"
             " updated_at, logins_count", users),
            ("identifier", "tenant_id, connection_id, kind, canonical, user_id", identifiers),
            ("password", "tenant_id, user_id, hash, changed_at", passwords),
            ("passkey", "number, tenant_id, id, user_id, rp_id, credential_id, user_handle, public_key,"
             " attestation_format, attestation_type, attestation_trusted, aaguid, enrolled_by, created_at", passkeys),
            ("user_activity", "tenant_id, user_id, family_id, passkey_number, sign_count, backup_eligible,"
             " backup_state, uv_initialized, suspended_at", states),
        ]:
            marks = ", ".join("?" * len(columns.split(",")))
            database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", rows)
    return database


# Passkeys of users who are not blocked.
FROM = """FROM user_account u JOIN passkey p ON p.user_id = u.id AND p.tenant_id = u.tenant_id
    JOIN user_activity s ON s.passkey_number = p.number AND s.user_id = p.user_id AND s.family_id = x''
    WHERE u.blocked_at IS NULL AND """
# What signs in: under the tenant's RP ID, not suspended.
USABLE = "p.rp_id = 'localhost' AND s.suspended_at IS NULL"
PASSWORD = "EXISTS (SELECT 1 FROM password w WHERE w.tenant_id = u.tenant_id AND w.user_id = u.id)"


def counted(database, touched, still):
    """Passkeys, users, and those who get in now and not when only `still` signs in."""
    one = lambda sql: database.execute(sql).fetchone()[0]
    def has(condition):
        return f"""EXISTS (SELECT 1 FROM passkey p JOIN user_activity s ON s.passkey_number = p.number
            AND s.user_id = p.user_id AND s.family_id = x''
            WHERE p.user_id = u.id AND p.tenant_id = u.tenant_id AND {condition})"""
    return (
        one(f"SELECT count(*) {FROM} {touched}"), one(f"SELECT count(DISTINCT u.id) {FROM} {touched}"),
        0 if still is None else one(
            f"SELECT count(*) FROM user_account u WHERE u.blocked_at IS NULL AND {has(touched)} AND {has(USABLE)}"
            f" AND NOT {has(still)} AND NOT {PASSWORD}"
        ),
    )


CASES = [
    ("user_verification", "user_verification: required", "s.uv_initialized = 0", f"{USABLE} AND s.uv_initialized = 1"),
    ("uv_unproven_login", "uv_unproven_login: refuse", "s.uv_initialized = 0", f"{USABLE} AND s.uv_initialized = 1"),
    ("algorithms", "algorithms: [-8, -7]", "hex(substr(p.public_key, 5, 1)) = '39'", None),
    ("denied_aaguids", "denied_aaguids: [ee882879-721c-4913-9775-3dfcce97072a]",
     "hex(p.aaguid) = 'EE882879721C491397753DFCCE97072A'", None),
    ("attestation_formats", "attestation_formats: [none]", "p.attestation_format <> 'none'", None),
    ("require_backup_eligible", "require_backup_eligible: true", "s.backup_eligible = 0", None),
]


def counts():
    """Each rule by itself."""
    with on_memory() as deployment:
        tool = TenantTool(deployment)
        deployment.admin(
            "client", "create", "--tenant", "acme", "--name", "App", "--type", "native", "--grant",
            "passkey,password,refresh",
        )
        server = tool.serve()
        store = deployment.store.removeprefix("sqlite:")
        with sqlite3.connect(store) as look:
            tenant, connection = look.execute("SELECT tenant_id, id FROM connection").fetchone()
        database = seed(store, tenant, connection)
        slowest = 0
        path = tool.home / "tenant.yaml"
        for rule, member, touched, still in CASES:
            path.write_text(
                f"databases:\n  - name: {DATABASE}\n    strategy: auth0\n    enabled_clients: [App]\n"
                f"    {POLICY % member}\n"
            )
            started = time.monotonic()
            plan = json.loads(tool.run("plan", str(path), "-o", "json"))
            slowest = max(slowest, time.monotonic() - started)
            found = {impact["rule"]: impact for impact in plan["impact"]}
            require(set(found) == {rule}, f"{rule}: {sorted(found)}")
            impact = found[rule]
            told = (impact["passkeys"], impact["users"], impact["no_other_way_in"])
            want = counted(database, touched, still)
            require(told == want, f"{rule}: told {told}, SQL counts {want}")
            require(told[0] > 0, f"{rule} touches nobody")
        require(plan["all_users"] == USERS, f"{plan['all_users']} of {USERS} users were looked at")
        # The grant that lets passkeys in, taken from the only client that has it.
        path.write_text("clients:\n  - name: App\n    app_type: native\n    grant_types: [refresh_token]\n")
        plan = json.loads(tool.run("plan", str(path), "--who", "-o", "json"))
        impact = {entry["change"].rsplit(" ", 1)[1]: entry for entry in plan["impact"]}["passkey"]
        ways = f"(EXISTS (SELECT 1 FROM passkey p JOIN user_activity s ON s.passkey_number = p.number" \
               f" AND s.user_id = p.user_id AND s.family_id = x'' WHERE p.user_id = u.id AND {USABLE}) OR {PASSWORD})"
        stranded = database.execute(
            f"SELECT count(*) FROM user_account u WHERE u.blocked_at IS NULL AND {ways}"
            " AND EXISTS (SELECT 1 FROM passkey p WHERE p.user_id = u.id)"
        ).fetchone()[0]
        require(impact["no_other_way_in"] == stranded, f"grant: {impact['no_other_way_in']}, SQL counts {stranded}")
        require(len(impact["who"]) == min(1000, impact["users"]), f"{len(impact['who'])} are named")
        soon(slowest, 2, "the slowest plan")
        server.end()
        return f"{USERS} users, {len(CASES) + 1} rules equal SQL; slowest plan {slowest:.2f} s with the tool"


if __name__ == "__main__":
    run(counts)
