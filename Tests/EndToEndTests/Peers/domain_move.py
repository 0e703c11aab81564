"""A tenant moves from one name to another, in real Chromium: passkeys of the old name go on signing in at the new one,
new ones are made there, the report goes from nobody to everybody, and the old name is taken off when it may be.

The names are those of sites on the network: Chromium is told where they lie, and trusts the key of the local CA's
certificate. Both hosts, and the old RP ID's own, are served by one latchkey-server.
"""

import base64
import json
import secrets
import subprocess

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from playwright.sync_api import sync_playwright

from name_server import NameServer
from support import ADMIN, Server, equal, run

OLD, NEW = "login.old.test", "id.new.test"
NAMES = [OLD, NEW, "old.test", "new.test"]

PAGE = """
window.call = async (path, body) => {
  const answer = await fetch(path, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : null, session: answer.headers.get('X-Auth-Session') };
};
window.register = async (username, client_id) => {
  const begun = await call('/register/options', { username, client_id });
  if (begun.status !== 200) return begun;
  const made = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(begun.body) });
  const ended = await call('/register/verify', { response: made.toJSON(), auth_session: begun.session, client_id });
  return { ...ended, rp: begun.body.rp.id };
};
window.signIn = async (rp_id, client_id) => {
  const begun = await call('/login/options', { rp_id, client_id });
  if (begun.status !== 200) return begun;
  let used;
  try {
    used = await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(begun.body) });
  } catch (error) {
    return { status: error.name, body: { message: error.message }, rp: begun.body.rpId };
  }
  const ended = await call('/login/verify', { response: used.toJSON(), auth_session: begun.session, client_id });
  return { ...ended, rp: begun.body.rpId };
};
window.signOut = async () => call('/api/logout', {});
"""


class Person:
    """A browser profile with one virtual authenticator, which stays while pages come and go."""

    def __init__(self, browser, client):
        self.client = client
        self.username = f"p{secrets.token_hex(4)}@example.com"
        self.page = browser.new_context().new_page()
        self.page.set_default_timeout(60_000)
        devtools = self.page.context.new_cdp_session(self.page)
        devtools.send("WebAuthn.enable", {"enableUI": False})
        devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }})

    def visit(self, host):
        """Any page of the host will do: what it runs is the front end's."""
        self.page.goto(f"https://{host}/.well-known/jwks.json")
        self.page.evaluate(PAGE)

    def do(self, function, *arguments):
        return self.page.evaluate(f"(given) => {function}(...given)", [*arguments, self.client])


class Tenant:
    """The tenant, as its administrator and the operator have it."""

    def __init__(self, server, names):
        self.server, self.names = server, names
        made = server.admin("tenant", "create", "acme", "--domain", OLD, "--rp-id", "old.test", "--passkey-only")
        # Before the first request, so that no running server has another tenant in mind.
        page = server.admin("client", "create", "--tenant", "acme", "--name", "Page", "--type", "spa")
        self.client = page["client_id"]
        manager = made["management_client"]
        answer = self.post("/oauth/token", {
            "grant_type": "client_credentials", "client_id": manager["client_id"],
            "client_secret": manager["client_secret"], "audience": manager["audience"],
        })
        equal(answer.status_code, 200, answer.text)
        self.token = answer.json()["access_token"]

    def post(self, path, body):
        return self.server.session.post(
            self.server.base + path, json=body, headers={"Host": OLD}, timeout=60)

    def manage(self, method, path, body=None, status=200):
        answer = self.server.session.request(
            method, f"{self.server.base}/api/v2/{path}", json=body, timeout=60,
            headers={"Host": OLD, "Authorization": "Bearer " + self.token})
        equal(answer.status_code, status, answer.text)
        return answer.json() if answer.content else None

    def publish(self, domain, name):
        method = domain["verification"]["methods"][0]
        self.names.records["_pk-verify." + name] = ["something else", method["record"]]

    def status(self):
        row, = self.server.admin("rp", "status", "--tenant", "acme")
        equal((row["from"], row["to"]), ("old.test", "new.test"))
        return row["users"], row["covered"], row["percent"]

    def cut_over(self, *words):
        return subprocess.run(
            [ADMIN, "--store", self.server.store, "--master-key-file", self.server.key, "rp", "cut-over", NEW,
             "old.test", "--tenant", "acme", "--no-input", *words],
            capture_output=True, text=True, check=False)


def pin(file):
    """The hash of a certificate's key, as Chromium is told to trust it."""
    key = x509.load_pem_x509_certificate(open(file, "rb").read()).public_key()
    digest = hashes.Hash(hashes.SHA256())
    digest.update(key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo))
    return base64.b64encode(digest.finalize()).decode()


with NameServer() as names, Server(names=NAMES, LATCHKEY_DNS_SERVERS=names.address) as server, \
        sync_playwright() as playwright:
    tenant = Tenant(server, names)
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[
        "--no-sandbox", f"--host-resolver-rules=MAP *.test 127.0.0.1:{server.port}",
        f"--ignore-certificate-errors-spki-list={pin(server.authority.certificate_file)}",
    ])
    people = [Person(browser, tenant.client) for _ in range(4)]
    new_domain = {}

    def at_the_old_name():
        for person in people:
            person.visit(OLD)
            made = person.do("register", person.username)
            equal((made["status"], made.get("rp")), (200, "old.test"), str(made))

    def the_new_name_is_proven():
        domain = tenant.manage("POST", "custom-domains", {"domain": NEW, "type": "self_managed_certs"}, 201)
        path = f"custom-domains/{domain['custom_domain_id']}"
        early = tenant.manage("POST", path + "/verify")
        equal((early["status"], early["verification"]["status"]), ("pending_verification", "failed"), str(early))
        tenant.publish(domain, NEW)
        equal(tenant.manage("POST", path + "/verify")["status"], "ready")
        move = {"relying_party_identifier": "new.test", "legacy_relying_party_identifiers": ["old.test"]}
        refused = tenant.manage("PATCH", path, move, 400)
        equal("_pk-verify.new.test" in refused["message"], True, refused["message"])
        tenant.publish(domain, "new.test")
        moved = tenant.manage("PATCH", path, move)
        equal(moved["relying_party_identifier"], "new.test")
        new_domain.update(moved)
        # What Chromium will ask for, on a host that is an RP ID and no domain.
        listed = server.session.get(server.base + "/.well-known/webauthn", headers={"Host": "old.test"}, timeout=60)
        equal(listed.json(), {"origins": [f"https://{NEW}"]})
        equal(tenant.status(), (4, 0, "0 %"))

    def old_passkeys_sign_in_and_new_ones_are_made():
        for number, person in enumerate(people):
            early = tenant.cut_over("--yes")
            equal((early.returncode, "would be left behind" in early.stderr), (5, True), early.stderr)
            person.visit(NEW)
            # There is no passkey of the new name yet.
            equal(person.do("signIn", None)["status"], "NotAllowedError")
            entered = person.do("signIn", "old.test")
            equal((entered["status"], entered["rp"]), (200, "old.test"), str(entered))
            made = person.do("register", None)
            equal((made["status"], made["rp"]), (200, "new.test"), str(made))
            equal(person.do("signOut")["status"], 204)
            entered = person.do("signIn", None)
            equal((entered["status"], entered["rp"]), (200, "new.test"), str(entered))
            # The old one goes on, at both places.
            equal(person.do("signIn", "old.test")["status"], 200)
            person.visit(OLD)
            equal(person.do("signIn", None)["status"], 200)
            equal(tenant.status(), (4, number + 1, f"{25 * (number + 1)} %"))

    def who_has_not_come_is_named():
        late = Person(browser, tenant.client)
        late.visit(OLD)
        equal(late.do("register", late.username)["status"], 200)
        equal(tenant.status(), (5, 4, "80 %"))
        who = server.admin("rp", "status", "--tenant", "acme", "--who")
        equal([person["email"] for person in who], [late.username])
        # Below the threshold, and above one that the operator lowers, where it has to be said again.
        equal(tenant.cut_over("--yes").returncode, 5)
        equal(tenant.cut_over("--threshold", "80").returncode, 2)
        late.visit(NEW)
        equal(late.do("signIn", "old.test")["status"], 200)
        equal(late.do("register", None)["status"], 200)
        equal(tenant.status(), (5, 5, "100 %"))

    def the_old_name_goes():
        done = tenant.cut_over("-o", "json")
        equal(done.returncode, 0, done.stderr)
        equal(json.loads(done.stdout)["legacy_relying_party_identifiers"], [])
        person = people[0]
        person.visit(NEW)
        # A running server knows it within five seconds, which may end between the two halves of a sign-in.
        for _ in range(60):
            refused = person.do("signIn", "old.test")
            if refused["body"].get("reason") == "invalid_parameter":
                break
            person.page.wait_for_timeout(500)
        equal((refused["status"], refused["body"]["reason"]), (400, "invalid_parameter"), str(refused))
        equal(person.do("signIn", None)["status"], 200)

    run(
        at_the_old_name, the_new_name_is_proven, old_passkeys_sign_in_and_new_ones_are_made,
        who_has_not_come_is_named, the_old_name_goes,
    )
    browser.close()
