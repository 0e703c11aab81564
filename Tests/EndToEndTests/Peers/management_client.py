"""auth0-python, unmodified, over TLS with a local CA: a tenant is managed with its Management client.

It gets its token by itself, with client credentials, as a form.
"""

import importlib
import os

from name_server import NameServer
from support import PASSKEY_GRANT, Server, equal, run

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
    made = server.admin("tenant", "create", "acme", "--domain", domain, "--passkey-only")["management_client"]
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

    run(applications, connections, apis_and_grants, custom_domains, keys_and_settings, without_a_scope)
