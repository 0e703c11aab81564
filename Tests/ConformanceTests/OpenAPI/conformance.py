"""Compares docs/api/openapi.yaml with a running server, both ways.

First journeys: real sign-ups, sign-ins and refreshes, and the refusals on their way. Each answer is held to the file,
and each operation must have succeeded once. Then schemathesis sends what the file allows and what it forbids.
"""

import base64
import hashlib
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.dont_write_bytecode = True
# The server of the end-to-end tests, and their authenticator.
sys.path.insert(0, str(ROOT / "Tests/EndToEndTests/Peers"))

import schemathesis  # noqa: E402
from fido2.client import DefaultClientDataCollector, Fido2Client  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance, response_headers_conformance, response_schema_conformance, status_code_conformance,
)
from name_server import NameServer  # noqa: E402
from software_device import SoftwareDevice  # noqa: E402
from support import PASSKEY_GRANT, Server, equal, free_port, run  # noqa: E402

FILE = ROOT / "docs/api/openapi.yaml"
REALM = "Username-Password-Authentication"
SCOPE = "openid profile email phone offline_access"
EXAMPLES = os.environ.get("LATCHKEY_OPENAPI_EXAMPLES", "10")
VERBOSE = "LATCHKEY_OPENAPI_VERBOSE" in os.environ
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]
FORM = "application/x-www-form-urlencoded"

schema = schemathesis.openapi.from_path(str(FILE))
succeeded = set()


def anyone():
    return f"{secrets.token_hex(6)}@example.com"


class Journey:
    """An application, a browser without a memory, and an authenticator."""

    def __init__(self, server):
        self.server = server
        self.fido2 = Fido2Client(
            SoftwareDevice(), DefaultClientDataCollector(server.base, verify=lambda rp_id, origin: True)
        )

    def call(self, method, path, status, body=None, media_type="application/json", base=None, query=None,
             parts=None, **headers):
        """Sends it, holds the answer to the file, and expects this status."""
        more = {} if body is None else {"body": body, "media_type": media_type}
        case = schema[path][method].Case(
            path_parameters=parts or {}, headers={key.replace("_", "-"): value for key, value in headers.items()}, query=query or {}, **more
        )
        self.server.session.cookies.clear()
        response = case.call(
            base_url=base or self.server.base, session=self.server.session, verify=self.server.authority.ca_file,
            timeout=60,
        )
        equal(response.status_code, status, f"{method} {path}: {response.text}")
        case.validate_response(response, checks=CHECKS)
        if status < 400:
            succeeded.add((method.lower(), path))
        return response

    def begin(self, path, **members):
        answer = self.call("POST", path, 200, {"client_id": APP, **members}).json()
        return answer["auth_session"], answer["authn_params_public_key"]

    def redeem(self, session, answer, status=200, client=None):
        return self.call("POST", "/oauth/token", status, {
            "grant_type": PASSKEY_GRANT, "client_id": client or APP, "scope": SCOPE, "auth_session": session,
            "authn_response": dict(answer),
        }).json()

    def sign_up(self, email=None):
        session, options = self.begin("/passkey/register", user_profile={"email": email or anyone(), "name": "Ana"})
        return self.redeem(session, self.fido2.make_credential(options))

    def assertion(self):
        session, options = self.begin("/passkey/challenge")
        return session, self.fido2.get_assertion(options).get_response(0)


def header(response, name):
    return response.headers[name.lower()][0]


def cookie(response, name):
    lines = response.headers["set-cookie"]
    return next(found[1] for found in (re.match(rf"{name}=([^;]*)", line) for line in lines) if found)


ADMIN_PORT = free_port()
ADMIN = f"http://127.0.0.1:{ADMIN_PORT}"

with NameServer() as names, \
        Server(LATCHKEY_ADMIN_LISTEN=f"127.0.0.1:{ADMIN_PORT}", LATCHKEY_DNS_SERVERS=names.address) as server:
    HOST = f"localhost:{server.port}"
    TENANT = server.admin(
        "tenant", "create", "acme", "--domain", HOST, "--origin", "https://shop.example"
    )["management_client"]

    def client(title, kind, *words):
        return server.admin("client", "create", "--tenant", "acme", "--name", title, "--type", kind, *words)

    GRANTS = ("--grant", PASSKEY_GRANT, "--grant", "refresh_token")
    APP = client("App", "native", *GRANTS)["client_id"]
    WEB = client("Web", "spa", *GRANTS, "--web-origin", server.base)["client_id"]
    BACKEND = client("Backend", "regular_web", *GRANTS)
    OLD = client("Old app", "native", "--grant", "password,refresh")["client_id"]
    CALLBACK = "https://app.example.com/callback"
    CODE = client("No passkeys", "native", "--grant", "authorization_code", "--callback", CALLBACK)["client_id"]
    journey = Journey(server)

    def an_app_signs_up_and_in():
        made = journey.sign_up()
        session, answer = journey.assertion()
        used = journey.redeem(session, answer)
        for tokens in (made, used):
            equal(tokens["scope"], SCOPE)
            for method in ("GET", "POST"):
                journey.call(method, "/userinfo", 200, Authorization=f"Bearer {tokens['access_token']}")
        again = journey.call("POST", "/oauth/token", 200, {
            "grant_type": "refresh_token", "client_id": APP, "refresh_token": used["refresh_token"],
        }, FORM).json()
        journey.call("POST", "/oauth/revoke", 200, {"client_id": APP, "token": again["refresh_token"]})
        journey.call("POST", "/oauth/revoke", 200, {"client_id": APP, "token": again["refresh_token"]}, FORM)
        journey.call("POST", "/oauth/token", 403, {
            "grant_type": "refresh_token", "client_id": APP, "refresh_token": again["refresh_token"],
        })

    def in_time(ask):
        """Password hashes have the lowest priority: on a busy machine there is a 503 now and then."""
        for attempt in range(20):
            try:
                return ask()
            except AssertionError as error:
                if "temporarily_unavailable" not in str(error) or attempt == 19:
                    raise

    def a_user_signs_up_and_in_by_password():
        password = f"Aa1-{secrets.token_hex(8)}"

        def sign_up(status, **members):
            user = {"client_id": OLD, "connection": REALM, "email": anyone(), "password": password, **members}
            journey.call("POST", "/dbconnections/signup", status, user)
            return user["email"]

        email = in_time(lambda: sign_up(200))
        in_time(lambda: sign_up(400, email=email))
        sign_up(400, password="short")
        grant = {"grant_type": "password", "client_id": OLD, "username": email, "password": password, "scope": SCOPE}
        realm = {**grant, "grant_type": "http://auth0.com/oauth/grant-type/password-realm", "realm": REALM}
        in_time(lambda: journey.call("POST", "/oauth/token", 200, grant))
        in_time(lambda: journey.call("POST", "/oauth/token", 200, realm, FORM))
        in_time(lambda: journey.call("POST", "/oauth/token", 403, {**grant, "password": "wrong"}))
        forgotten = {"client_id": OLD, "connection": REALM, "email": email}
        journey.call("POST", "/dbconnections/change_password", 200, forgotten)
        journey.call("POST", "/dbconnections/change_password", 200, {**forgotten, "email": anyone()})
        journey.call("POST", "/dbconnections/change_password", 400, {**forgotten, "client_id": "nobody"})

    def a_browser_signs_in_on_the_hosted_pages():
        password = f"Aa1-{secrets.token_hex(8)}"
        user = {"client_id": CODE, "connection": REALM, "password": password}

        def sign_up():
            # Anew each time: what was answered by a 503 may have been done.
            user["email"] = anyone()
            journey.call("POST", "/dbconnections/signup", 200, user)

        in_time(sign_up)
        verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "client_id": CODE, "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid", "state": "s",
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="), "code_challenge_method": "S256",
        }
        begun = journey.call("GET", "/authorize", 302, query=query)
        browser = f"__Host-pk_tx={cookie(begun, '__Host-pk_tx')}"

        def sign_in():
            page = server.get(header(begun, "location"), headers={"Cookie": browser})
            hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.text))
            done = server.session.post(
                server.base + "/u/login", data={**hidden, "username": user["email"], "password": password},
                headers={"Cookie": browser}, allow_redirects=False, timeout=60,
            )
            equal(done.status_code, 302, done.text)
            return hidden["state"], done.cookies["__Host-pk_session"]

        state, session = in_time(sign_in)
        cookies = f"{browser}; __Host-pk_session={session}"
        back = journey.call("GET", "/authorize/resume", 302, query={"state": state}, Cookie=cookies)
        grant = {
            "grant_type": "authorization_code", "client_id": CODE, "redirect_uri": CALLBACK, "code_verifier": verifier,
            "code": re.search("code=([^&]*)", header(back, "location"))[1],
        }
        journey.call("POST", "/oauth/token", 200, grant)
        journey.call("POST", "/oauth/token", 403, grant, FORM)
        journey.call("POST", "/authorize", 200, {**query, "response_mode": "form_post"}, FORM, Cookie=cookies)
        journey.call("GET", "/authorize", 302, query={**query, "prompt": "none"})
        journey.call("GET", "/authorize", 400, query={**query, "client_id": "nobody"})
        journey.call("GET", "/authorize", 400, query={**query, "redirect_uri": "nowhere"}, Accept="application/json")
        journey.call("GET", "/authorize/resume", 400, query={"state": state})
        journey.call("GET", "/oidc/logout", 200, Cookie=cookies)
        journey.call("POST", "/oidc/logout", 200, {}, FORM)
        journey.call("GET", "/v2/logout", 200, Cookie=cookies)
        journey.call("GET", "/v2/logout", 400, query={"client_id": CODE, "returnTo": "https://evil.example/"})

    def an_app_is_refused():
        email = anyone()
        journey.sign_up(email)
        register = "/passkey/register"
        journey.call("POST", register, 400, {"client_id": APP, "user_profile": {"email": email}})
        journey.call("POST", register, 400, {"client_id": CODE, "user_profile": {"email": anyone()}})
        journey.call("POST", register, 401, {"client_id": BACKEND["client_id"], "user_profile": {"email": anyone()}})
        journey.call("POST", register, 200, {**BACKEND_CREDENTIALS, "user_profile": {"email": anyone()}})
        journey.call("POST", "/passkey/challenge", 400, {"client_id": APP, "realm": "nobody"})
        session, answer = journey.assertion()
        journey.redeem(session, answer)
        journey.redeem(session, answer, 403)
        session, _ = journey.begin("/passkey/challenge")
        refused = journey.redeem(session, answer, 403)
        equal((refused["reason"], "trace_id" in refused), ("challenge_mismatch", True))
        journey.call("GET", "/userinfo", 401)
        journey.call("GET", "/userinfo", 401, Authorization="Bearer no")

    BACKEND_CREDENTIALS = {name: BACKEND[name] for name in ("client_id", "client_secret")}

    def a_page_signs_up_in_and_out():
        page = {"Origin": server.base}
        options = journey.call("POST", "/register/options", 200, {"client_id": WEB, "username": anyone()}, **page)
        made = journey.fido2.make_credential(options.json())
        verified = journey.call(
            "POST", "/register/verify", 200, {**dict(made), "client_id": WEB},
            X_Auth_Session=header(options, "X-Auth-Session"), **page,
        )
        session = cookie(verified, "__Host-pk_session")
        journey.call("GET", "/api/me", 200, Cookie=f"__Host-pk_session={session}")
        journey.call("GET", "/api/me", 200, Authorization=f"Bearer {verified.json()['token']}")
        more = journey.call(
            "POST", "/register/options", 200, {"client_id": WEB}, Cookie=f"__Host-pk_session={session}", **page
        )
        equal(len(more.json()["excludeCredentials"]), 1)
        name = verified.json()["user"]["username"]
        options = journey.call("POST", "/login/options", 200, {"client_id": WEB, "username": name}, **page)
        answer = journey.fido2.get_assertion(options.json()).get_response(0)
        ceremony = cookie(options, "pk_ceremony")
        verified = journey.call(
            "POST", "/login/verify", 200, {"response": dict(answer), "client_id": WEB, "scope": SCOPE},
            Cookie=f"pk_ceremony={ceremony}", **page,
        )
        equal("refresh_token" in verified.json(), True)
        session = cookie(verified, "__Host-pk_session")
        for path in ("/api/logout", "/logout"):
            journey.call("POST", path, 204, Cookie=f"__Host-pk_session={session}", **page)
        journey.call("GET", "/api/me", 401, Cookie=f"__Host-pk_session={session}")

    def a_page_is_refused():
        page = {"Origin": server.base}
        name = anyone()
        options = journey.call("POST", "/register/options", 200, {"client_id": WEB, "username": name}, **page)
        journey.call(
            "POST", "/register/verify", 400, {"client_id": WEB, "response": {}},
            X_Auth_Session=header(options, "X-Auth-Session"), **page,
        )
        journey.call("POST", "/login/verify", 400, {"client_id": WEB}, **page)
        journey.call("POST", "/register/options", 400, {"client_id": WEB, "username": "no@where@example.com"}, **page)
        journey.call("POST", "/register/options", 403, {"client_id": WEB, "mediation": "conditional"}, **page)
        journey.call("POST", "/register/options", 401, {"client_id": "nobody", "username": name}, **page)
        evil = {"Origin": "https://evil.example"}
        journey.call("POST", "/login/options", 403, {"client_id": WEB}, Cookie="__Host-pk_session=x", **evil)
        journey.call("POST", "/api/logout", 403, Cookie="__Host-pk_session=x", **evil)

    ACCOUNT_SCOPE = "openid read:me:factors " + " ".join(
        f"{verb}:me:authentication_methods" for verb in ("create", "read", "update", "delete")
    )

    def account_token(visitor):
        session, answer = visitor.assertion()
        return visitor.call("POST", "/oauth/token", 200, {
            "grant_type": PASSKEY_GRANT, "client_id": APP, "scope": ACCOUNT_SCOPE, "audience": f"{server.base}/me/",
            "auth_session": session, "authn_response": dict(answer),
        }).json()["access_token"]

    def a_user_looks_after_an_account():
        methods, method = "/me/v1/authentication-methods", "/me/v1/authentication-methods/{id}"
        manage("POST", "/api/v2/client-grants", 201, {
            "client_id": APP, "audience": f"{server.base}/me/", "subject_type": "user",
            "scope": ACCOUNT_SCOPE.split()[1:],
        })
        visitor, email = Journey(server), anyone()
        visitor.sign_up(email)
        bearer = {"Authorization": f"Bearer {account_token(visitor)}"}
        journey.call("GET", "/me/v1/factors", 200, **bearer)
        first = journey.call("GET", methods, 200, **bearer).json()["authentication_methods"][0]
        started = journey.call("POST", methods, 202, {"type": "passkey", "use_exclude_credentials": False}, **bearer)
        new = Journey(server)
        made = new.fido2.make_credential(started.json()["authn_params_public_key"])
        body = {"auth_session": started.json()["auth_session"], "authn_response": dict(made)}
        added = journey.call("POST", method + "/verify", 201, body, parts={"id": "passkey|new"}, **bearer).json()
        journey.call("POST", method + "/verify", 400, body, parts={"id": "passkey|new"}, **bearer)
        journey.call("POST", methods, 400, {"type": "password"}, **bearer)
        it = {"id": added["id"]}
        journey.call("GET", method, 200, parts=it, **bearer)
        journey.call("PATCH", method, 200, {"name": "Phone"}, parts=it, **bearer)
        journey.call("DELETE", method, 204, parts=it, **bearer)
        journey.call("GET", method, 404, parts=it, **bearer)
        journey.call("DELETE", method, 409, parts={"id": first["id"]}, **bearer)
        journey.call("GET", methods, 401)

        codes = journey.call("POST", methods, 202, {"type": "recovery-code"}, **bearer).json()
        confirmed = {"auth_session": codes["auth_session"]}
        journey.call("POST", method + "/verify", 201, confirmed, parts={"id": codes["id"]}, **bearer)
        journey.call("GET", method, 200, parts={"id": codes["id"]}, **bearer)
        journey.call("GET", methods, 200, **bearer)
        somebody = {"client_id": APP, "identifier": email}
        recovery = journey.call("POST", "/recovery/start", 202, somebody).json()
        journey.call("POST", "/recovery/start", 400, {"client_id": APP, "identifier": email, "realm": "nowhere"})
        code = {"client_id": APP, **recovery}
        journey.call("POST", "/recovery/verify", 403, {**code, "code": "12345678"})
        begun = journey.call("POST", "/recovery/verify", 200, {**code, "recovery_code": codes["recovery_code"]}).json()
        back = Journey(server)
        back.redeem(begun["auth_session"], back.fido2.make_credential(begun["authn_params_public_key"]))
        journey.call("POST", "/recovery/verify", 403, {**code, "recovery_code": codes["recovery_code"]})
        journey.call("DELETE", method, 401, parts={"id": codes["id"]}, **bearer)

    def manage(method, path, status, body=None, **more):
        return journey.call(method, path, status, body, Authorization=f"Bearer {management_token()}", **more)

    def management_token():
        return journey.call("POST", "/oauth/token", 200, {
            "grant_type": "client_credentials", "client_id": TENANT["client_id"],
            "client_secret": TENANT["client_secret"], "audience": f"{server.base}/api/v2/",
        }, FORM).json()["access_token"]

    def an_administrator_manages():
        clients, client = "/api/v2/clients", "/api/v2/clients/{id}"
        made = manage("POST", clients, 201, {"name": "Job", "app_type": "non_interactive"}).json()
        it = {"id": made["client_id"]}
        manage("GET", clients, 200)
        manage("GET", clients, 200, query={"include_totals": "true", "per_page": 1})
        manage("GET", clients, 200, query={"take": 1})
        manage("GET", client, 200, parts=it)
        manage("PATCH", client, 200, {"description": "Nightly"}, parts=it)
        manage("POST", client + "/rotate-secret", 200, parts=it)

        servers, api = "/api/v2/resource-servers", "/api/v2/resource-servers/{id}"
        audience = "https://api.example/"
        there = {"id": manage("POST", servers, 201, {
            "identifier": audience, "scopes": [{"value": "read:things"}],
        }).json()["id"]}
        manage("GET", servers, 200)
        manage("GET", api, 200, parts=there)
        manage("PATCH", api, 200, {"name": "Things"}, parts=there)
        grants, grant = "/api/v2/client-grants", "/api/v2/client-grants/{id}"
        given = {"id": manage("POST", grants, 201, {
            "client_id": it["id"], "audience": audience, "scope": ["read:things"],
        }).json()["id"]}
        manage("GET", grants, 200)
        manage("GET", grant, 200, parts=given)
        manage("PATCH", grant, 200, {"scope": []}, parts=given)
        manage("DELETE", grant, 204, parts=given)
        manage("DELETE", api, 204, parts=there)

        keys, key = "/api/v2/keys/signing", "/api/v2/keys/signing/{kid}"
        first = {"kid": manage("GET", keys, 200).json()[0]["kid"]}
        manage("GET", key, 200, parts=first)
        manage("POST", keys + "/rotate", 201)
        manage("POST", keys + "/rotate", 409)
        manage("PUT", key + "/revoke", 200, parts=first)
        settings = "/api/v2/tenants/settings"
        manage("GET", settings, 200)
        manage("PATCH", settings, 200, {"friendly_name": "Acme"})
        tenant_file = manage("GET", "/api/v2/tenant-file", 200).json()
        manage("POST", "/api/v2/tenant-file/plan", 200, {"file": tenant_file, "who": True})
        tenant_file["tenant"]["friendly_name"] = "Acme AB"
        done = {"file": tenant_file, "version": tenant_file["version"]}
        manage("POST", "/api/v2/tenant-file/apply", 200, done)
        manage("POST", "/api/v2/tenant-file/apply", 409, done)

        domains, domain = "/api/v2/custom-domains", "/api/v2/custom-domains/{id}"
        made = manage("POST", domains, 201, {"domain": "id.acme.test", "type": "self_managed_certs"}).json()
        place = made["verification"]["methods"][0]
        own = {"id": made["custom_domain_id"]}
        manage("POST", domain + "/verify", 200, parts=own)
        names.records[place["domain"]] = [place["record"]]
        equal(manage("POST", domain + "/verify", 200, parts=own).json()["status"], "ready")
        manage("GET", domains, 200)
        manage("GET", domains, 200, query={"take": 1, "include_canonical": "true"})
        manage("GET", domain, 200, parts=own)
        manage("PATCH", domain, 200, {"related_origins": ["https://shop.example"]}, parts=own)
        manage("PATCH", domain, 400, {"relying_party_identifier": "test"}, parts=own)
        manage("GET", domain + "/relying-parties", 200, parts=own, query={"users": 5})
        manage("PATCH", domains + "/default", 200, {"domain": "id.acme.test"})
        manage("GET", domains + "/default", 200)
        manage("DELETE", domain, 204, parts=own)

        connections, connection = "/api/v2/connections", "/api/v2/connections/{id}"
        staff = {"id": manage("POST", connections, 201, {"name": "Staff", "strategy": "auth0"}).json()["id"]}
        manage("GET", connections, 200)
        manage("GET", connection, 200, parts=staff)
        manage("PATCH", connection, 200, {"display_name": "Staff"}, parts=staff)
        manage("PATCH", connection + "/clients", 204, [{"client_id": it["id"], "status": True}], parts=staff)
        manage("GET", connection + "/clients", 200, parts=staff)
        manage("DELETE", connection, 204, parts=staff)
        manage("DELETE", client, 204, parts=it)

    def an_administrator_manages_people():
        users, user = "/api/v2/users", "/api/v2/users/{id}"

        def make():
            # An answer that came too late is no answer, but the user is there: so each time another one.
            address = anyone()
            made = manage("POST", users, 201, {
                "connection": REALM, "email": address, "password": f"Aa1-{secrets.token_hex(8)}",
                "user_metadata": {"plan": "gold"},
            })
            return address, made.json()

        email, made = in_time(make)
        ana = {"id": made["user_id"]}
        manage("POST", users, 409, {"connection": REALM, "email": email})
        manage("GET", users, 200)
        manage("GET", users, 200, query={"include_totals": "true", "q": "user_metadata.plan:gold", "sort": "created_at:-1"})
        manage("GET", users, 400, query={"q": "plan:"})
        manage("GET", user, 200, parts=ana)
        manage("PATCH", user, 200, {"given_name": "Ana", "app_metadata": {"role": "boss"}}, parts=ana)
        manage("GET", "/api/v2/users-by-email", 200, query={"email": email.upper()})
        for path, more in (("/api/v2/user-blocks", {"query": {"identifier": email}}),
                           ("/api/v2/user-blocks/{id}", {"parts": ana})):
            manage("GET", path, 200, **more)
            manage("DELETE", path, 204, **more)

        someone = anyone()
        visitor = Journey(server)
        visitor.sign_up(someone)
        eve = {"id": manage("GET", "/api/v2/users-by-email", 200, query={"email": someone}).json()[0]["user_id"]}
        methods, method = user + "/authentication-methods", user + "/authentication-methods/{method_id}"
        key = manage("GET", methods, 200, parts=eve).json()[0]
        one = {**eve, "method_id": key["id"]}
        manage("GET", method, 200, parts=one)
        manage("PATCH", method, 200, {"name": "Phone"}, parts=one)
        brought = {name: key[name] for name in ("type", "public_key", "relying_party_identifier")}
        manage("POST", methods, 409, {**brought, "key_id": key["key_id"]}, parts=ana)
        manage("POST", methods, 201, {**brought, "key_id": secrets.token_urlsafe(16)}, parts=ana)
        manage("PUT", methods, 400, parts=ana)
        manage("DELETE", methods, 204, parts=ana)
        tokens = user + "/refresh-tokens"
        family = {"id": manage("GET", tokens, 200, parts=eve).json()["tokens"][0]["id"]}
        manage("GET", "/api/v2/refresh-tokens", 200, query={"user_id": eve["id"], "take": 1})
        manage("GET", "/api/v2/refresh-tokens/{id}", 200, parts=family)
        manage("GET", "/api/v2/device-credentials", 200, query={"user_id": eve["id"]})
        manage("DELETE", "/api/v2/device-credentials/{id}", 204, parts=family)
        sessions, session = user + "/sessions", "/api/v2/sessions/{id}"
        for method_, path in (("POST", session + "/revoke"), ("DELETE", session)):
            visitor.redeem(*visitor.assertion())
            at = {"id": manage("GET", sessions, 200, parts=eve).json()["sessions"][-1]["id"]}
            manage("GET", session, 200, parts=at)
            manage(method_, path, 202, parts=at)
        families = manage("GET", tokens, 200, parts=eve).json()["tokens"]
        manage("DELETE", "/api/v2/refresh-tokens/{id}", 204, parts={"id": families[0]["id"]})
        manage("POST", "/api/v2/refresh-tokens/revoke", 202, {"user_id": eve["id"]})
        manage("DELETE", tokens, 202, parts=eve)
        manage("DELETE", sessions, 202, parts=eve)
        manage("POST", user + "/revoke-access", 204, parts=eve)
        manage("DELETE", method, 204, parts=one)
        manage("DELETE", user, 204, parts=eve)

    def an_administrator_brings_people_in_and_out():
        connection = manage("GET", "/api/v2/connections", 200).json()[0]["id"]
        imports, exports, job = "/api/v2/jobs/users-imports", "/api/v2/jobs/users-exports", "/api/v2/jobs/{id}"
        users = json.dumps([{"email": anyone()}, {"email": "no address"}])
        sent = server.session.post(
            server.base + imports, verify=server.authority.ca_file,
            headers={"Authorization": f"Bearer {management_token()}"},
            files={"users": ("users.json", users, "application/json")}, data={"connection_id": connection},
        )
        equal(sent.status_code, 202, sent.text)
        succeeded.add(("post", imports))

        def finished(at):
            for _ in range(600):
                state = manage("GET", job, 200, parts=at).json()
                if state["status"] in ("completed", "failed"):
                    return state
                time.sleep(0.2)
            raise AssertionError("the job does not end")

        it = {"id": sent.json()["id"]}
        equal(finished(it)["summary"], {"failed": 1, "updated": 0, "inserted": 1, "total": 2})
        equal(len(manage("GET", job + "/errors", 200, parts=it).json()), 1)
        it = {"id": manage("POST", exports, 200, {"connection_id": connection, "format": "csv"}).json()["id"]}
        key = finished(it)["location"].split("key=")[1]
        manage("GET", job + "/result", 200, parts=it, query={"key": key})
        manage("GET", job + "/result", 404, parts=it, query={"key": key})
        manage("POST", exports, 400, {"format": "xml"})
        manage("GET", job, 404, parts={"id": "job_none"})

        user = manage("GET", "/api/v2/users", 200).json()[0]["user_id"]
        for ticket in ("/api/v2/tickets/password-change", "/api/v2/tickets/email-verification"):
            manage("POST", ticket, 201, {"user_id": user})
            manage("POST", ticket, 404, {"user_id": "auth0|none"})
        logs = manage("GET", "/api/v2/logs", 200).json()
        manage("GET", "/api/v2/logs", 200, query={"include_totals": "true", "q": "type:s*"})
        manage("GET", "/api/v2/logs", 200, query={"from": logs[-1]["log_id"], "take": 2})
        manage("GET", "/api/v2/logs/{id}", 200, parts={"id": logs[0]["log_id"]})
        manage("GET", "/api/v2/logs/{id}", 404, parts={"id": "none"})
        manage("GET", "/api/v2/users/{id}/logs", 200, parts={"id": user})

    def an_administrator_is_refused():
        clients, client = "/api/v2/clients", "/api/v2/clients/{id}"
        journey.call("GET", clients, 401)
        journey.call("GET", clients, 401, Authorization="Bearer no")
        user = journey.sign_up()["access_token"]
        journey.call("GET", clients, 401, Authorization=f"Bearer {user}")
        manage("GET", clients, 400, query={"per_page": 1000})
        manage("POST", clients, 400, {"app_type": "spa"})
        manage("GET", client, 404, parts={"id": "nobody"})
        manage("POST", "/api/v2/connections", 409, {"name": REALM, "strategy": "auth0"})

    def discovery_and_health():
        for path in ("/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"):
            journey.call("GET", path, 200)
        keys = journey.call("GET", "/.well-known/jwks.json", 200)
        journey.call("GET", "/.well-known/jwks.json", 304, If_None_Match=header(keys, "ETag"))
        for path in (
            "/.well-known/webauthn", "/.well-known/apple-app-site-association", "/apple-app-site-association",
            "/.well-known/assetlinks.json", "/.well-known/passkey-endpoints",
        ):
            file = journey.call("GET", path, 200)
            journey.call("GET", path, 304, If_None_Match=header(file, "ETag"))
        for path in ("/healthz", "/readyz"):
            journey.call("GET", path, 200)
            journey.call("GET", path, 200, base=ADMIN)
        journey.call("GET", "/metrics", 200, base=ADMIN)
        journey.call("GET", "/tls/allowed", 200, base=ADMIN, query={"domain": HOST})
        journey.call("GET", "/tls/allowed", 404, base=ADMIN, query={"domain": "nobody.example"})
        journey.call("GET", "/tls/allowed", 400, base=ADMIN)

    def every_operation_has_succeeded():
        paths = schema.raw_schema["paths"]
        described = {(method, path) for path, item in paths.items() for method in item if method != "servers"}
        # Which is refused whatever is sent.
        described.remove(("put", "/api/v2/users/{id}/authentication-methods"))
        equal(sorted(described - succeeded), [], "operations that no journey made succeed")

    world = {}

    def schemathesis_run(base, *words):
        # Once: what schemathesis takes away, it may find by itself.
        if not world:
            world.update({
                "web": WEB, "backend": [BACKEND["client_id"], BACKEND["client_secret"]], "realm": REALM,
                "access_token": journey.sign_up()["access_token"], "management_token": management_token(),
                "account_token": account_token(journey),
            })
        environment = {
            **os.environ, "LATCHKEY_OPENAPI_WORLD": json.dumps(world), "PYTHONPATH": str(HERE),
            "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "*",
        }
        program = pathlib.Path(sys.executable).parent / "schemathesis"
        result = subprocess.run(
            [
                str(program), "--config-file", str(HERE / "schemathesis.toml"), "run", str(FILE), "--url", base,
                "--tls-verify", server.authority.ca_file, "--max-examples", EXAMPLES,
                "--no-color", *words,
            ],
            env=environment, cwd=server.folder, capture_output=True, text=True, check=False,
        )
        print(*re.findall(r"\d+ generated.*", result.stdout))
        if result.returncode != 0 or VERBOSE:
            print(result.stdout[-20000:], result.stderr[-4000:], file=sys.stderr)
        equal(result.returncode, 0, "schemathesis")

    def schemathesis_finds_nothing():
        # Settings that are changed at random would change what every other operation answers.
        schemathesis_run(
            server.base, "--exclude-tag", "Admin listener", "--exclude-operation-id", "updateTenantSettings"
        )

    def schemathesis_finds_nothing_on_the_admin_listener():
        schemathesis_run(ADMIN, "--include-tag", "Admin listener", "--include-tag", "Health")

    def the_server_is_still_well():
        journey.call("GET", "/readyz", 200)
        journey.sign_up()
        equal([line for line in server.log().splitlines() if '"level":"error"' in line], [], "the server's log")

    run(
        an_app_signs_up_and_in, a_user_signs_up_and_in_by_password, an_app_is_refused, a_page_signs_up_in_and_out,
        a_page_is_refused,
        a_user_looks_after_an_account, a_browser_signs_in_on_the_hosted_pages,
        an_administrator_manages, an_administrator_manages_people,
        an_administrator_brings_people_in_and_out, an_administrator_is_refused, discovery_and_health,
        every_operation_has_succeeded, schemathesis_finds_nothing, schemathesis_finds_nothing_on_the_admin_listener,
        the_server_is_still_well,
    )
