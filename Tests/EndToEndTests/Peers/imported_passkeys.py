"""Passkeys that a program with PyPI webauthn registered in Chromium are imported, and the browser's key signs in here.

The old site and the new one are two origins of one RP ID, as when a company moves: the old one is the program below, the
new one a running server. Nothing of the browser changes in between.
"""

import base64
import http.server
import json
import threading
import time

import webauthn
from playwright.sync_api import sync_playwright
from webauthn.helpers.structs import AuthenticatorSelectionCriteria, ResidentKeyRequirement

from support import Server, equal, free_port, run

RP_ID = "shop.localhost"
PASSWORDS = {"bob@example.com": ("correct horse", "$2b$04$Q/jiwQydCv0L2grKL7ITUuvkxiXO/l4RMLSjDgHpM8HFfjWnJvyN2")}


def text_of(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class OldSite(http.server.BaseHTTPRequestHandler):
    """Registers passkeys as the library's own examples do, and keeps them in a list."""

    kept = []
    challenges = {}

    def do_GET(self):
        self.answer(b"<!doctype html><title>Old site</title>", "text/html")

    def do_POST(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        email = given["email"]
        if self.path == "/begin":
            options = webauthn.generate_registration_options(
                rp_id=RP_ID, rp_name="Old site", user_name=email, user_id=f"user-{email}".encode()[:32],
                authenticator_selection=AuthenticatorSelectionCriteria(resident_key=ResidentKeyRequirement.REQUIRED),
            )
            self.challenges[email] = options
            return self.answer(webauthn.options_to_json(options).encode())
        options = self.challenges.pop(email)
        verified = webauthn.verify_registration_response(
            credential=given["credential"], expected_challenge=options.challenge, expected_rp_id=RP_ID,
            expected_origin=f"http://{self.headers['Host']}",
        )
        self.kept.append({
            "email": email, "user": options.user.id, "verified": verified,
            "transports": given["credential"]["response"].get("transports", []),
        })
        return self.answer(b"{}")

    def answer(self, body, media_type="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


REGISTER = """
async (email) => {
  const post = async (path, body) => (await fetch(path, { method: 'POST', body: JSON.stringify(body) })).json();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await post('/begin', { email }));
  const credential = (await navigator.credentials.create({ publicKey })).toJSON();
  await post('/finish', { email, credential });
}
"""
SIGN_IN = """
async (client_id) => {
  const post = async (path, body) => {
    const answer = await fetch(path, {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    return { status: answer.status, session: answer.headers.get('X-Auth-Session'), body: await answer.json() };
  };
  const begun = await post('/login/options', { client_id });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.body);
  const response = (await navigator.credentials.get({ publicKey })).toJSON();
  return post('/login/verify', { response, auth_session: begun.session, client_id });
}
"""


def document(kept):
    """A user of the old site as an import has one."""
    found = kept["verified"]
    passkey = {
        "type": "passkey", "key_id": text_of(found.credential_id),
        "public_key": base64.b64encode(found.credential_public_key).decode(), "relying_party_identifier": RP_ID,
        "user_handle": text_of(kept["user"]), "sign_count": found.sign_count, "aaguid": found.aaguid,
        "credential_device_type": str(found.credential_device_type.value),
        "credential_backed_up": found.credential_backed_up, "transports": kept["transports"],
    }
    return {"email": kept["email"], "email_verified": True, "passkeys": [passkey]}


old_port = free_port()
old_site = http.server.ThreadingHTTPServer(("127.0.0.1", old_port), OldSite)
threading.Thread(target=old_site.serve_forever, daemon=True).start()

with Server(tls=False) as server, sync_playwright() as playwright:
    host = f"{RP_ID}:{server.port}"
    base = f"http://{host}"
    manager = server.admin("tenant", "create", "shop", "--domain", host)["management_client"]
    page_client = server.admin("client", "create", "--tenant", "shop", "--name", "Page", "--type", "spa")["client_id"]
    old_client = server.admin(
        "client", "create", "--tenant", "shop", "--name", "Old app", "--type", "native", "--grant", "password",
    )["client_id"]
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    devtools = context.new_cdp_session(page)
    devtools.send("WebAuthn.enable", {"enableUI": False})
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
        "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
    }})

    def ask(method, path, **more):
        return server.session.request(method, f"http://localhost:{server.port}{path}", **{
            **more, "headers": {"Host": host, **more.get("headers", {})},
        })

    def token():
        answer = ask("POST", "/oauth/token", json={
            "grant_type": "client_credentials", "client_id": manager["client_id"],
            "client_secret": manager["client_secret"], "audience": f"{base}/api/v2/",
        })
        equal(answer.status_code, 200, answer.text)
        return {"Authorization": f"Bearer {answer.json()['access_token']}"}

    def managed(path):
        answer = ask("GET", "/api/v2/" + path, headers=token())
        equal(answer.status_code, 200, answer.text)
        return answer.json()

    def bring(users):
        connection = managed("connections")[0]["id"]
        sent = ask(
            "POST", "/api/v2/jobs/users-imports", headers=token(), data={"connection_id": connection},
            files={"users": ("users.json", json.dumps(users), "application/json")},
        )
        equal(sent.status_code, 202, sent.text)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            job = managed("jobs/" + sent.json()["id"])
            if job["status"] in ("completed", "failed"):
                return job
            time.sleep(0.1)
        raise AssertionError("the job does not end")

    def passkeys_move_with_their_browser():
        page.goto(f"http://{RP_ID}:{old_port}/")
        page.evaluate(REGISTER, "ana@example.com")
        equal(len(OldSite.kept), 1)
        address = f"{base}/page"
        page.route(address, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>P</title>"))
        page.goto(address)
        before = page.evaluate(SIGN_IN, page_client)
        equal((before["status"], before["body"].get("reason")), (401, "unknown_credential"), str(before))
        job = bring([document(kept) for kept in OldSite.kept])
        equal(job["summary"], {"failed": 0, "updated": 0, "inserted": 1, "total": 1}, str(job))
        for count in (1, 2):
            after = page.evaluate(SIGN_IN, page_client)
            equal((after["status"], after["body"].get("verified")), (200, True), str(after))
            user = managed("users-by-email?email=ana@example.com")[0]
            equal((user["email_verified"], user["logins_count"]), (True, count))

    def passwords_move_with_their_hashes():
        users = [{"email": email, "password_hash": kept} for email, (_, kept) in PASSWORDS.items()]
        equal(bring(users)["summary"]["inserted"], len(users))
        for email, (password, _) in PASSWORDS.items():
            # Password hashes have the lowest priority: on a busy machine there is a 503 now and then.
            for _ in range(60):
                answer = ask("POST", "/oauth/token", json={
                    "grant_type": "http://auth0.com/oauth/grant-type/password-realm", "client_id": old_client,
                    "username": email, "password": password, "scope": "openid",
                    "realm": "Username-Password-Authentication",
                })
                if answer.status_code != 503:
                    break
                time.sleep(1)
            equal(answer.status_code, 200, answer.text)

    run(passkeys_move_with_their_browser, passwords_move_with_their_hashes)
    browser.close()
old_site.shutdown()
