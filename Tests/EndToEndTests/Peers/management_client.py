"""auth0-python, unmodified, over TLS with a local CA: a tenant is managed with its Management client.

It gets its token by itself, with client credentials, as a form.
"""

import importlib
import json
import os
import subprocess
import time

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from auth0.authentication.exceptions import Auth0Error
from fido2.client import DefaultClientDataCollector, Fido2Client

from name_server import NameServer
from software_device import SoftwareDevice
from support import PASSKEY_GRANT, TENANT, Server, equal, run

PEM = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
).decode()
# Of PyPI bcrypt, with a cost of 4.
BCRYPT = "$2b$04$Q/jiwQydCv0L2grKL7ITUuvkxiXO/l4RMLSjDgHpM8HFfjWnJvyN2"
FINGERPRINT = ":".join(["D8"] * 32)


def problem(kind, call, module="auth0.management.errors"):
    """The call fails with this error of the client's, whose body is returned."""
    try:
        call()
    except getattr(importlib.import_module(module), kind) as error:
        return error.body if isinstance(error.body, dict) else vars(error.body)
    raise AssertionError(f"{kind} was not raised")


with NameServer() as names, Server(LATCHKEY_DNS_SERVERS=names.address) as server:
    # Read when a connection is made: the client's own way to trust a CA.
    os.environ["SSL_CERT_FILE"] = server.authority.ca_file
    from auth0.management import ManagementClient

    domain = f"localhost:{server.port}"
    made = server.admin("tenant", "create", "acme", "--domain", domain)["management_client"]
    api = ManagementClient(domain=domain, client_id=made["client_id"], client_secret=made["client_secret"])

    def applications():
        app = api.clients.create(
            name="App", app_type="native", grant_types=["refresh_token", PASSKEY_GRANT],
            mobile={
                "ios": {"team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"},
                "android": {"app_package_name": "com.acme.app", "sha256_cert_fingerprints": [FINGERPRINT.lower()]},
            },
        )
        equal(app.token_endpoint_auth_method, "none")
        equal(app.mobile.android.sha_256_cert_fingerprints, [FINGERPRINT])
        changed = api.clients.update(app.client_id, description="On phones", web_origins=["https://shop.example"])
        equal((changed.description, changed.web_origins), ("On phones", ["https://shop.example"]))
        equal(api.clients.get(app.client_id, fields="name", include_fields=True).client_id, None)
        backend = api.clients.create(name="Backend", app_type="regular_web")
        equal(len(backend.client_secret), 64)
        rotated = api.clients.rotate_secret(backend.client_id)
        equal(rotated.client_secret == backend.client_secret, False)
        equal(api.clients.get(backend.client_id).client_secret, None)
        refused = problem("BadRequestError", lambda: api.clients.update(app.client_id, grant_types=["magic"]))
        equal((refused["statusCode"], refused["errorCode"]), (400, "invalid_body"))
        for name in range(5):
            api.clients.create(name=f"Job {name}", app_type="non_interactive")
        names = [client.name for client in api.clients.list(per_page=2)]
        equal(names, ["Management", "App", "Backend", *(f"Job {name}" for name in range(5))])
        equal([client.name for client in api.clients.list(app_type="native")], ["App"])
        api.clients.delete(backend.client_id)
        gone = problem("NotFoundError", lambda: api.clients.get(backend.client_id))
        equal(gone["errorCode"], "inexistent_client")

    def connections():
        app = next(client for client in api.clients.list() if client.name == "App")
        staff = api.connections.create(
            name="Staff", strategy="auth0", enabled_clients=[app.client_id],
            options={"passkey_options": {"challenge_ui": "button"}},
        )
        api.connections.update(staff.id, options={"disable_signup": True}, display_name="Staff")
        read = api.connections.get(staff.id)
        equal((read.display_name, read.enabled_clients), ("Staff", [app.client_id]))
        equal([connection.name for connection in api.connections.list(take=1)][-1], "Staff")
        equal([connection.name for connection in api.connections.list(name="Staff", strategy="auth0")], ["Staff"])
        api.connections.clients.update(staff.id, request=[{"client_id": app.client_id, "status": False}])
        equal(list(api.connections.clients.get(staff.id)), [])
        refused = problem("ConflictError", lambda: api.connections.create(name="Staff", strategy="auth0"))
        equal(refused["statusCode"], 409)
        api.connections.delete(staff.id)

    def apis_and_grants():
        audience = "https://api.example/"
        things = api.resource_servers.create(identifier=audience, name="Things", scopes=[{"value": "read:things"}])
        api.resource_servers.update(things.id, token_lifetime=600)
        equal(api.resource_servers.get(audience).token_lifetime, 600)
        equal(audience in [server.identifier for server in api.resource_servers.list()], True)
        job = next(client for client in api.clients.list() if client.name == "Job 0")
        secret = api.clients.rotate_secret(job.client_id).client_secret
        grant = api.client_grants.create(client_id=job.client_id, audience=audience, scope=["read:things"])
        equal([found.id for found in api.client_grants.list(client_id=job.client_id)], [grant.id])
        token = server.post("/oauth/token", {
            "grant_type": "client_credentials", "client_id": job.client_id, "client_secret": secret,
            "audience": audience,
        }).json()
        equal((token["scope"], token["expires_in"]), ("read:things", 600))
        api.client_grants.update(grant.id, scope=[])
        equal(api.client_grants.get(grant.id).scope, [])
        api.client_grants.delete(grant.id)
        api.resource_servers.delete(things.id)

    def custom_domains():
        made = api.custom_domains.create(
            domain="id.acme.test", type="self_managed_certs", tls_policy="recommended", domain_metadata={"team": "web"}
        )
        equal((made.status, made.primary, made.domain_metadata), ("pending_verification", True, {"team": "web"}))
        place = made.verification.methods[0]
        equal((place.name, place.domain), ("txt", "_pk-verify.id.acme.test"))
        equal(api.custom_domains.verify(made.custom_domain_id).status, "pending_verification")
        names.records[place.domain] = ["v=spf1 -all", place.record]
        equal(api.custom_domains.verify(made.custom_domain_id).status, "ready")
        early = problem("BadRequestError", lambda: api.custom_domains.update(
            made.custom_domain_id, relying_party_identifier="acme.test"))
        equal("_pk-verify.acme.test" in early["message"], True)
        names.records["_pk-verify.acme.test"] = [place.record]
        changed = api.custom_domains.update(made.custom_domain_id, relying_party_identifier="acme.test")
        equal(changed.relying_party_identifier, "acme.test")
        suffix = problem("BadRequestError", lambda: api.custom_domains.update(
            made.custom_domain_id, relying_party_identifier="test"))
        equal("public suffix" in suffix["message"], True)
        second = api.custom_domains.create(domain="b.acme.test", type="self_managed_certs")
        equal([found.domain for found in api.custom_domains.list()], ["id.acme.test", "b.acme.test"])
        equal(api.custom_domains.get_default().domain, "id.acme.test")
        equal(problem("ConflictError", lambda: api.custom_domains.create(
            domain="b.acme.test", type="self_managed_certs"))["errorCode"], "conflict")
        for domain_id in (second.custom_domain_id, made.custom_domain_id):
            api.custom_domains.delete(domain_id)
        gone = problem("NotFoundError", lambda: api.custom_domains.get(made.custom_domain_id))
        equal(gone["errorCode"], "inexistent_custom_domain")

    def keys_and_settings():
        keys = api.keys.signing.list()
        equal([(key.current, key.next) for key in keys], [(True, False), (False, True)])
        equal(api.keys.signing.get(keys[0].kid).thumbprint, keys[0].thumbprint)
        rotated = api.keys.signing.rotate()
        equal((rotated.kid, rotated.cert), (keys[1].kid, keys[1].cert))
        early = problem("ApiError", api.keys.signing.rotate, module="auth0.management.core.api_error")
        equal((early["statusCode"], early["errorCode"]), (409, "conflict"))
        equal(api.keys.signing.revoke(keys[0].kid).kid, keys[0].kid)
        published = [key["kid"] for key in server.get("/.well-known/jwks.json").json()["keys"]]
        equal((keys[0].kid in published, rotated.kid in published), (False, True))
        settings = api.tenants.settings.update(friendly_name="Acme", session_lifetime=12)
        equal((settings.friendly_name, settings.session_lifetime), ("Acme", 12))
        equal(api.tenants.settings.get(fields="friendly_name", include_fields=True).session_lifetime, None)

    def people():
        realm = "Username-Password-Authentication"
        users = [
            api.users.create(
                connection=realm, email=f"user{index}@example.com", user_metadata={"index": index},
                email_verified=index == 0,
            )
            for index in range(5)
        ]
        emails = [user.email for user in users]
        equal([user.email for user in api.users.list()], emails)
        for size in (1, 2, 5, 100):
            equal([user.email for user in api.users.list(per_page=size)], emails, f"pages of {size}")
        equal([user.email for user in api.users.list(sort="created_at:-1")][-1], emails[0])
        equal([user.email for user in api.users.list(q="user_metadata.index:[1 TO 2]", search_engine="v3")], emails[1:3])
        equal([user.email for user in api.users.list(connection=realm, fields="email", per_page=3)], emails)
        equal([user.user_id for user in api.users.list_users_by_email(email="USER1@example.com")], [users[1].user_id])
        ana = users[0].user_id
        changed = api.users.update(ana, user_metadata={"plan": "gold"}, app_metadata={"role": "boss"}, name="Ana")
        equal((changed.name, changed.user_metadata), ("Ana", {"index": 0, "plan": "gold"}))
        equal(api.users.get(ana, fields="name", include_fields=True).email, None)
        taken = problem("ConflictError", lambda: api.users.create(connection=realm, email=emails[0]))
        equal((taken["errorCode"], taken["message"]), ("auth0_idp_error", "The user already exists."))
        equal(api.user_blocks.list(ana).blocked_for, [])
        api.user_blocks.delete(ana)
        ticket = api.tickets.change_password(user_id=ana, ttl_sec=60).ticket
        equal(ticket.startswith(f"https://{domain}/u/reset-password?ticket="), True)
        key = api.users.authentication_methods.create(
            ana, type="passkey", key_id="AAECAwQFBgcICQoLDA0ODw", relying_party_identifier="localhost", public_key=PEM,
        )
        equal([method.id for method in api.users.authentication_methods.list(ana)], [key.id])
        equal(api.users.authentication_methods.update(ana, key.id, name="Old phone").name, "Old phone")
        api.users.authentication_methods.delete(ana, key.id)
        equal(list(api.users.authentication_methods.list(ana)), [])
        equal(list(api.users.sessions.list(ana)), [])
        equal(list(api.users.refresh_token.list(ana)), [])
        api.users.revoke_access(ana)
        api.users.update(ana, blocked=True)
        equal(api.users.get(ana).blocked, True)
        for user in users[3:]:
            api.users.delete(user.user_id)
            api.users.delete(user.user_id)
        equal([user.email for user in api.users.list()], emails[:3])

    def finished(job):
        deadline = time.monotonic() + 120
        while (state := api.jobs.get(job.id)).status not in ("completed", "failed"):
            equal(time.monotonic() < deadline, True, "the job does not end")
            time.sleep(0.1)
        return state

    def jobs():
        connection = next(iter(api.connections.list())).id
        file = json.dumps([
            {"email": "ana2@example.com", "password_hash": BCRYPT}, {"email": "no address"},
            {"email": "user1@example.com", "user_metadata": {"from": "file"}},
        ])
        job = finished(api.jobs.users_imports.create(
            users=("users.json", file, "application/json"), connection_id=connection, upsert=True,
            external_id="wave 1", send_completion_email=False,
        ))
        equal((job.status, job.external_id), ("completed", "wave 1"))
        summary = job.summary
        equal((summary.total, summary.inserted, summary.updated, summary.failed), (3, 1, 1, 1))
        equal(len(api.jobs.errors.get(job.id)), 1)
        job = finished(api.jobs.users_exports.create(connection_id=connection, format="json"))
        token = server.post("/oauth/token", {
            "grant_type": "client_credentials", "client_id": made["client_id"], "client_secret": made["client_secret"],
            "audience": f"https://{domain}/api/v2/",
        }).json()["access_token"]
        place = job.location.removeprefix(server.base)
        answer = server.session.get(server.base + place, headers={"Authorization": f"Bearer {token}"})
        equal(answer.status_code, 200, answer.text)
        exported = [json.loads(line) for line in answer.text.splitlines()]
        equal(sorted(user["email"] for user in exported), sorted(user.email for user in api.users.list()))
        equal(any("hash" in member for user in exported for member in user), False)
        again = server.session.get(server.base + place, headers={"Authorization": f"Bearer {token}"})
        equal(again.status_code, 404, again.text)

    def logs():
        entries = list(api.logs.list(per_page=7))
        ids = [entry.log_id for entry in entries]
        equal((len(set(ids)), ids), (len(ids), sorted(ids, reverse=True)))
        equal({"sapi", "fapi"} <= {entry.type for entry in entries}, True)
        equal(api.logs.get(ids[-1]).log_id, ids[-1])
        user = next(iter(api.users.list())).user_id
        equal({entry.user_id for entry in api.users.logs.list(user, per_page=3)}, {user})

    def signed_in():
        from auth0.authentication.base import AuthenticationBase

        os.environ["REQUESTS_CA_BUNDLE"] = server.authority.ca_file
        app = next(client for client in api.clients.list() if client.name == "App")
        connection = next(iter(api.connections.list()))
        api.connections.clients.update(connection.id, request=[{"client_id": app.client_id, "status": True}])
        authentication = AuthenticationBase(domain, app.client_id)
        origin = server.base
        device = Fido2Client(SoftwareDevice(), DefaultClientDataCollector(origin, verify=lambda rp_id, origin: True))

        def post(path, body):
            return authentication.post(f"https://{domain}{path}", data={"client_id": app.client_id, **body})

        def redeem(begun, answer):
            return post("/oauth/token", {
                "grant_type": PASSKEY_GRANT, "auth_session": begun["auth_session"], "authn_response": dict(answer),
                "scope": "openid offline_access",
            })

        begun = post("/passkey/register", {"user_profile": {"email": "key@example.com"}})
        made = redeem(begun, device.make_credential(begun["authn_params_public_key"]))
        begun = post("/passkey/challenge", {})
        again = redeem(begun, device.get_assertion(begun["authn_params_public_key"]).get_response(0))
        equal("refresh_token" in made and "id_token" in again, True)
        user = api.users.list_users_by_email(email="key@example.com")[0].user_id
        equal(api.users.get(user).logins_count, 2)
        key = next(iter(api.users.authentication_methods.list(user)))
        equal((key.type, key.relying_party_identifier), ("passkey", "localhost"))
        equal(api.users.authentication_methods.get(user, key.id).id, key.id)
        sessions = [session.id for session in api.users.sessions.list(user, take=1)]
        equal(len(set(sessions)), 2)
        equal(api.sessions.get(sessions[0]).user_id, user)
        tokens = [token.id for token in api.users.refresh_token.list(user, take=1)]
        equal(sorted(token.id for token in api.refresh_tokens.list(user_id=user, take=1)), sorted(tokens))
        equal(sorted(device.id for device in api.device_credentials.list(user_id=user)), sorted(tokens))
        equal(api.refresh_tokens.get(tokens[0]).client_id, app.client_id)
        equal([entry.type for entry in api.users.logs.list(user, sort="date:1")][0], "ss")
        api.sessions.revoke(sessions[0])
        problem("NotFoundError", lambda: api.sessions.get(sessions[0]))
        left = [token.id for token in api.users.refresh_token.list(user)]
        equal(len(left), 1)
        api.refresh_tokens.revoke(ids=left)
        equal(list(api.users.refresh_token.list(user)), [])
        api.users.sessions.delete(user)
        equal(list(api.users.sessions.list(user)), [])
        api.users.authentication_methods.delete_all(user)
        equal(list(api.users.authentication_methods.list(user)), [])
        begun = post("/passkey/challenge", {})
        try:
            redeem(begun, device.get_assertion(begun["authn_params_public_key"]).get_response(0))
            raise AssertionError("a passkey that is gone signs in")
        except Auth0Error as error:
            equal((error.status_code, error.error_code), (403, "invalid_grant"))
        api.users.delete(user)

    def without_a_scope():
        helper = api.clients.create(name="Helper", app_type="non_interactive")
        api.client_grants.create(
            client_id=helper.client_id, audience=f"https://{domain}/api/v2/", scope=["read:clients"]
        )
        other = ManagementClient(domain=domain, client_id=helper.client_id, client_secret=helper.client_secret)
        equal(len(list(other.clients.list())) > 1, True)
        refused = problem("ForbiddenError", lambda: other.clients.delete(helper.client_id))
        equal(refused["message"], "Insufficient scope, expected any of: delete:clients")
        api.clients.delete(helper.client_id)
        problem("UnauthorizedError", lambda: list(other.clients.list()))

    def by_the_tenant_tool():
        """`latchkey-tenant` believes the CA it is given and no other, and gives away no secret to who has none."""
        (server.folder / "home").mkdir()
        environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(server.folder / "home"), "LATCHKEY_URL": f"https://{domain}",
            "LATCHKEY_CLIENT_ID": made["client_id"], "LATCHKEY_CLIENT_SECRET": made["client_secret"],
        }

        def tool(*words, **more):
            return subprocess.run(
                [TENANT, *words, "--no-input"], env=environment | more, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, timeout=60, check=False,
            )

        trusting = {"LATCHKEY_CA_FILE": server.authority.ca_file}
        names = [client.name for client in api.clients.list()]
        told = tool("client", "list", "-o", "json", **trusting)
        equal((told.returncode, told.stderr), (0, ""))
        equal(sorted(client["name"] for client in json.loads(told.stdout)), sorted(names))
        by_flag = tool("whoami", "-o", "json", "--ca-file", server.authority.ca_file)
        equal((by_flag.returncode, by_flag.stderr), (0, ""))
        plan = server.folder / "tenant.yaml"
        plan.write_text(tool("export", **trusting).stdout)
        equal(tool("plan", str(plan), "--exit-code", **trusting).returncode, 0)
        for status, more in [
            (6, {}), (2, {"LATCHKEY_CA_FILE": "/nowhere/ca.pem"}),
            (3, trusting | {"LATCHKEY_URL": f"https://127.0.0.1:{server.port}"}),
            (6, trusting | {"LATCHKEY_URL": f"http://{domain}"}),
        ]:
            refused = tool("whoami", **more)
            equal((refused.returncode, refused.stdout), (status, ""), str(refused))
            equal(len(refused.stderr.strip().splitlines()) <= 2, True, refused.stderr)
            equal(made["client_secret"] in refused.stderr, False)

    run(
        applications, connections, apis_and_grants, custom_domains, keys_and_settings, people, jobs, logs, signed_in,
        without_a_scope, by_the_tenant_tool,
    )
