"""python-fido2's Fido2Client, unmodified, registers and logs in over TLS; PyJWT verifies what it gets.

Every refusal is asked for as the contract writes it, and the three kinds of identifier sign up and in.
"""

import json
import secrets
import sqlite3
import time

import jwt
from fido2.client import DefaultClientDataCollector, Fido2Client
from software_device import SoftwareDevice

from support import PASSKEY_GRANT, Server, equal, refused, run

SCOPE = "openid profile email offline_access"
VERIFICATION = "Passkey verification failed"


def anyone():
    return f"{secrets.token_hex(6)}@example.com"


class Client:
    """An application with an authenticator of its own."""

    def __init__(self, server, client_id, origin=None):
        self.server = server
        self.client_id = client_id
        self.device = SoftwareDevice()
        self.use_origin(origin or server.base)

    def use_origin(self, origin):
        collector = DefaultClientDataCollector(origin, verify=lambda rp_id, origin: True)
        self.fido2 = Fido2Client(self.device, collector)

    def begin(self, path, **members):
        response = self.server.post(path, {"client_id": self.client_id, **members})
        equal(response.status_code, 200, response.text)
        body = response.json()
        return body["auth_session"], body["authn_params_public_key"]

    def token(self, **members):
        return self.server.post("/oauth/token", {"client_id": self.client_id, **members})

    def redeem(self, session, answer):
        return self.token(
            grant_type=PASSKEY_GRANT, auth_session=session, authn_response=dict(answer), scope=SCOPE
        )

    def create(self, profile):
        session, options = self.begin("/passkey/register", user_profile=profile)
        return session, self.fido2.make_credential(options)

    def assertion(self):
        session, options = self.begin("/passkey/challenge")
        return session, self.fido2.get_assertion(options).get_response(0)

    def sign_up(self, profile=None):
        response = self.redeem(*self.create(profile or {"email": anyone()}))
        equal(response.status_code, 200, response.text)
        return response.json()

    def sign_in(self):
        response = self.redeem(*self.assertion())
        equal(response.status_code, 200, response.text)
        return response.json()


with Server() as server:
    HOST = f"localhost:{server.port}"
    server.admin("tenant", "create", "peer", "--domain", HOST, "--passkey-only")
    optional = '{"identifier":{"active":true},"signup":{"status":"optional"}}'
    server.admin(
        "connection", "set", "--tenant", "peer", "Username-Password-Authentication",
        f'options.attributes={{"email":{optional},"phone_number":{optional},"username":{optional}}}',
    )

    def make_client(name, *words):
        made = server.admin(
            "client", "create", "--tenant", "peer", "--name", name, "--type", "native",
            "--grant", PASSKEY_GRANT, "--grant", "refresh_token", *words,
        )
        return made["client_id"]

    APP = make_client("RS256 app")
    ELLIPTIC = make_client("ES256 app", "--id-token-alg", "ES256")
    STRICT = make_client(
        "Without leeway",
        'refresh_token={"rotation_type":"rotating","expiration_type":"expiring","leeway":0}',
    )

    def discovery():
        return server.get("/.well-known/openid-configuration").json()

    def verified(token, client_id, algorithm):
        """The claims, by a client that knows the issuer's address and nothing else."""
        document = discovery()
        equal(document["issuer"], server.base + "/")
        keys = jwt.PyJWKSet.from_dict(server.session.get(document["jwks_uri"], timeout=60).json())
        key = next(key for key in keys.keys if key.key_id == jwt.get_unverified_header(token)["kid"])
        return jwt.decode(
            token, key.key, algorithms=[algorithm], audience=client_id, issuer=document["issuer"],
            options={"require": ["exp", "iat", "iss", "sub", "aud", "auth_time"]},
        )

    def registers_and_logs_in_and_the_tokens_verify():
        for client_id, algorithm in ((APP, "RS256"), (ELLIPTIC, "ES256")):
            client = Client(server, client_id)
            made, used = client.sign_up(), client.sign_in()
            for tokens in (made, used):
                claims = verified(tokens["id_token"], client_id, algorithm)
                equal(claims["amr"], ["phr", "pop", "user", "mfa"])
                equal(claims["acr"], "phr")
                access = verified(tokens["access_token"], f"{server.base}/userinfo", "ES256")
                equal(access["sub"], claims["sub"])
                info = server.session.get(
                    discovery()["userinfo_endpoint"],
                    headers={"Authorization": f"Bearer {tokens['access_token']}"}, timeout=60,
                )
                equal(info.status_code, 200, info.text)
                equal(info.json()["sub"], claims["sub"])
                equal(info.json()["email"], claims["email"])

    def tls_answers_say_so():
        response = server.get("/.well-known/jwks.json")
        equal("strict-transport-security" in response.headers, False, "a loopback name")

    def refreshes_detects_reuse_and_revokes():
        client = Client(server, APP)
        first = client.sign_up()["refresh_token"]
        second = client.token(grant_type="refresh_token", refresh_token=first, scope="").json()
        before = verified(second["id_token"], APP, "RS256")
        third = client.token(grant_type="refresh_token", refresh_token=second["refresh_token"]).json()
        after = verified(third["id_token"], APP, "RS256")
        for name in ("sub", "sid", "auth_time", "amr", "acr"):
            equal(after[name], before[name], name)
        row = (403, "invalid_grant", "Unknown or invalid refresh token.", "refresh_token_invalid")
        refused(client.token(grant_type="refresh_token", refresh_token=first), *row)
        refused(client.token(grant_type="refresh_token", refresh_token=third["refresh_token"]), *row)

        strict = Client(server, STRICT)
        parent = strict.sign_up()["refresh_token"]
        child = strict.token(grant_type="refresh_token", refresh_token=parent).json()["refresh_token"]
        refused(strict.token(grant_type="refresh_token", refresh_token=parent), *row)
        refused(strict.token(grant_type="refresh_token", refresh_token=child), *row)

        token = client.sign_in()["refresh_token"]
        answer = server.session.post(
            discovery()["revocation_endpoint"], data={"client_id": APP, "token": token}, timeout=60
        )
        equal((answer.status_code, answer.content), (200, b""))
        refused(client.token(grant_type="refresh_token", refresh_token=token), *row)

    def wrong_origin():
        client = Client(server, APP)
        client.sign_up()
        for origin in ("https://localhost", "https://evil.example", f"https://localhost:{server.port + 1}"):
            client.use_origin(origin)
            refused(client.redeem(*client.assertion()), 403, "invalid_grant", VERIFICATION, "origin_mismatch")
            refused(
                client.redeem(*client.create({"email": anyone()})),
                403, "invalid_grant", VERIFICATION, "origin_mismatch",
            )

    def wrong_rp_id():
        client = Client(server, APP)
        client.sign_up()
        client.device.rp_id_instead = "evil.example"
        refused(client.redeem(*client.assertion()), 403, "invalid_grant", VERIFICATION, "rp_id_mismatch")
        refused(
            client.redeem(*client.create({"email": anyone()})),
            403, "invalid_grant", VERIFICATION, "rp_id_mismatch",
        )

    def replayed_challenge():
        client = Client(server, APP)
        client.sign_up()
        session, answer = client.assertion()
        equal(client.redeem(session, answer).status_code, 200)
        row = (403, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid")
        refused(client.redeem(session, answer), *row)
        other, _ = client.begin("/passkey/challenge")
        refused(client.redeem(other, answer), 403, "invalid_grant", VERIFICATION, "challenge_mismatch")

    def foreign_session():
        client, other = Client(server, APP), Client(server, ELLIPTIC)
        client.sign_up()
        session, answer = client.assertion()
        row = (403, "invalid_grant", "Invalid or expired auth_session", "auth_session_invalid")
        refused(other.redeem(session, answer), *row)
        equal(client.redeem(session, answer).status_code, 200, "another client's try took nothing")
        refused(client.redeem(secrets.token_urlsafe(32), answer), *row)

    def counter_regression():
        client = Client(server, APP)
        client.sign_up()
        for _ in range(3):
            client.sign_in()
        for counter in (3, 2, 0):
            client.device.counter_instead = counter
            refused(client.redeem(*client.assertion()), 403, "invalid_grant", VERIFICATION, "counter_regression")
        client.device.counter_instead = 1000
        client.sign_in()

    def unknown_credential():
        client = Client(server, APP)
        client.sign_up()
        client.device.id_instead = secrets.token_bytes(32)
        refused(client.redeem(*client.assertion()), 403, "invalid_grant", "Unknown passkey", "unknown_credential")

    def every_kind_of_identifier():
        number = f"+4670{secrets.randbelow(10**8):08d}"
        for kind, name in (("email", anyone()), ("phone_number", number), ("username", f"n{secrets.token_hex(5)}")):
            client = Client(server, APP)
            client.sign_up({kind: name})
            claims = verified(client.sign_in()["id_token"], APP, "RS256")
            equal(claims["sub"].startswith("auth0|"), True)
            options = server.post("/login/options", {"client_id": APP, "username": name})
            listed = [item["id"] for item in options.json()["allowCredentials"]]
            answer = client.fido2.get_assertion(options.json()).get_response(0)
            equal([dict(answer)["id"]], listed, kind)
            verify = server.post(
                "/login/verify", {**dict(answer), "client_id": APP},
                headers={"X-Auth-Session": options.headers["X-Auth-Session"]},
            )
            equal(verify.status_code, 200, verify.text)
            equal(verify.json()["user"]["username"], name)
            again = server.post("/passkey/register", {"client_id": APP, "user_profile": {kind: name.upper()}})
            refused(again, 400, "invalid_request", "The user already exists", "user_exists")

    def refused_beginnings_are_written_down():
        client, name = Client(server, APP), anyone()
        client.sign_up({"email": name})
        again = server.post("/passkey/register", {"client_id": APP, "user_profile": {"email": name}})
        refused(again, 400, "invalid_request", "The user already exists", "user_exists")
        query = "SELECT details FROM audit_event WHERE types LIKE '%passkey_challenge_failed%' ORDER BY id DESC"
        deadline = time.monotonic() + 15
        written = None
        while written is None and time.monotonic() < deadline:
            store = sqlite3.connect(f"file:{server.folder}/latchkey.db?mode=ro", uri=True)
            written = store.execute(query).fetchone()
            store.close()
        details = json.loads(written[0])
        equal((details["purpose"], details["error"]["message"]), ("register", "The user already exists"))

    run(
        registers_and_logs_in_and_the_tokens_verify, tls_answers_say_so, refreshes_detects_reuse_and_revokes,
        wrong_origin, wrong_rp_id, replayed_challenge, foreign_session, counter_regression, unknown_credential,
        every_kind_of_identifier, refused_beginnings_are_written_down,
    )
