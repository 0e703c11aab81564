"""Chromium's virtual authenticators against a running server, through the browser API: what they make is stored as
it is, and what they are told to do wrong is refused or handled as the connection's policy says, each for its own reason.

Every tenant is one policy. A tenant's pages are those of its own origin on *.localhost, where browsers take http for
safe; the page itself is empty, and what it runs is what the front end of any site runs.
"""

import base64
import datetime
import json
import secrets
import sqlite3
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID
from fido2.webauthn import AttestationObject
from playwright.sync_api import sync_playwright

from support import Server, equal

CONNECTION = "Username-Password-Authentication"
WEBAUTHN = "options.passkey_options.webauthn"
# The model that Chromium's virtual authenticators say they are.
AAGUID = "01020304-0506-0708-0102-030405060708"

CEREMONIES = """
window.call = async (path, body, token) => {
  const headers = { 'Content-Type': 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json(), session: answer.headers.get('X-Auth-Session'),
           ceremony: answer.headers.get('X-Ceremony-Id') };
};
window.finish = async (path, credential, session, client_id, token) => {
  const response = credential.toJSON();
  return { ...await call(path, { response, auth_session: session, client_id }, token), sent: response };
};
window.register = async (username, mediation, token, client_id) => {
  const begun = await call('/register/options', { username, mediation, client_id }, token);
  if (begun.status !== 200) return begun;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(begun.body);
  const made = await navigator.credentials.create({ publicKey });
  const ended = await finish('/register/verify', made, begun.session, client_id, token);
  return { ...ended, options: begun.body };
};
window.upgrade = async (offer, token, client_id) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(offer.authn_params_public_key);
  const made = await navigator.credentials.create({ publicKey });
  return finish('/register/verify', made, offer.auth_session, client_id, token);
};
window.signIn = async (username, client_id) => {
  const begun = await call('/login/options', username ? { username, client_id } : { client_id });
  if (begun.status !== 200) return begun;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(begun.body);
  const ended = await finish('/login/verify', await navigator.credentials.get({ publicKey }), begun.session, client_id);
  return { ...ended, options: begun.body };
};
"""


def bytes_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Tenant:
    """One tenant, its policy given before its first request, so that no running server has another one in mind."""

    def __init__(self, server, name, passwords=False, **policy):
        self.server, self.name = server, name
        self.host = f"{name}.localhost:{server.port}"
        server.admin("tenant", "create", name, "--domain", self.host, *([] if passwords else ["--passkey-only"]))
        self.set(**policy)
        grants = ["--grant", "passkey,password"] if passwords else []
        made = server.admin("client", "create", "--tenant", name, "--name", "Page", "--type", "spa", *grants)
        self.client = made["client_id"]

    def set(self, **policy):
        if policy:
            members = [f"{WEBAUTHN}.{member}={json.dumps(value)}" for member, value in policy.items()]
            self.server.admin("connection", "set", "--tenant", self.name, CONNECTION, *members)

    def record(self, ceremony):
        """How the ceremony ended, as an operator is told. A refusal is written down a moment after its answer."""
        deadline = time.monotonic() + 15
        while True:
            try:
                return self.server.admin("ceremony", "explain", ceremony)
            except RuntimeError as error:
                if "not found" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def passkeys(self, username):
        return self.server.admin("passkey", "list", "--tenant", self.name, username)


class Device:
    """A page in a browser profile of its own, with one virtual authenticator."""

    def __init__(self, browser, tenant, **options):
        self.tenant = tenant
        self.username = f"ana{secrets.token_hex(4)}@example.com"
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)
        address = f"http://{tenant.host}/page"
        self.page.route(address, lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>Page</title>"))
        self.page.goto(address)
        self.page.evaluate(CEREMONIES)
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.send("WebAuthn.enable", {"enableUI": False})
        standard = {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }
        self.id = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": standard | options})["authenticatorId"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()

    def run(self, function, *arguments):
        return self.page.evaluate(f"(given) => {function}(...given)", [*arguments, self.tenant.client])

    def posted(self, path, **body):
        """Posts JSON with the client's id, as the page would, and returns what it is answered."""
        answer = self.page.evaluate("(given) => call(...given)", [path, {**body, "client_id": self.tenant.client}])
        equal(answer["status"], 200, str(answer["body"]))
        return answer["body"]

    def register(self, mediation=None, token=None):
        return self.run("register", self.username, mediation, token)

    def sign_in(self, username=None):
        return self.run("signIn", username)

    def registered(self):
        """Registers, and returns the answer with what was recorded."""
        answer = self.register()
        equal((answer["status"], answer["body"].get("verified")), (200, True), str(answer["body"]))
        return answer, self.accepted(answer)

    def signed_in(self, username=None):
        answer = self.sign_in(username)
        equal((answer["status"], answer["body"].get("verified")), (200, True), str(answer["body"]))
        return answer, self.accepted(answer)

    def accepted(self, answer):
        record = self.tenant.record(answer["ceremony"])
        equal(record["outcome"], "accepted", str(record))
        return record["details"]

    def refused(self, answer, reason, policy=None):
        """The client got the reason, and the operator the reason and the policy that asked for it."""
        is_policy = reason in ("authenticator_not_allowed", "user_verification_unproven")
        equal(answer["status"], 403 if is_policy else 400, str(answer["body"]))
        equal((answer["body"]["verified"], answer["body"]["reason"]), (False, reason), str(answer["body"]))
        record = self.tenant.record(answer["body"]["trace_id"])
        equal(record["outcome"], reason, str(record))
        equal(record["details"].get("policy"), policy and f"{WEBAUTHN}.{policy}", str(record))
        return record["details"]

    def passkey(self):
        listed = self.tenant.passkeys(self.username)
        equal(len(listed), 1, str(listed))
        return listed[0]

    # What the authenticator is told.

    def lie(self, *lies):
        bits = {name: name in lies for name in ("isBogusSignature", "isBadUV", "isBadUP")}
        self.devtools.send("WebAuthn.setResponseOverrideBits", {"authenticatorId": self.id, **bits})

    def credential(self):
        held = self.devtools.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]
        equal(len(held), 1, "the authenticator holds one credential")
        return held[0]

    def change(self, **properties):
        """Changes what the authenticator keeps of its one credential: backupEligibility, backupState, signCount."""
        self.devtools.send("WebAuthn.setCredentialProperties", {
            "authenticatorId": self.id, "credentialId": self.credential()["credentialId"], **properties,
        })

    def verify_users(self, does):
        self.devtools.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": does})


class MetadataService:
    """A root and the signer of a BLOB with one model."""

    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.signer_key = ec.generate_private_key(ec.SECP256R1())
        self.name = self.named("Metadata root")
        root = self.certificate(self.name, self.key.public_key(), self.key, self.name, True)
        self.signer = self.certificate(
            self.named("mds.example"), self.signer_key.public_key(), self.key, self.name, False
        )
        self.roots = folder / "roots.pem"
        self.roots.write_bytes(root.public_bytes(serialization.Encoding.PEM))

    @staticmethod
    def named(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    @staticmethod
    def certificate(name, public_key, issuer_key, issuer, is_authority):
        now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
        return (
            x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(public_key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(is_authority, None), True).sign(issuer_key, hashes.SHA256())
        )

    def anchor(self, batch):
        """An authority with the name and key of an attestation certificate that signed itself, anew each time."""
        batch = x509.load_der_x509_certificate(batch)
        authority = self.certificate(batch.issuer, batch.public_key(), self.key, self.name, True)
        return authority.public_bytes(serialization.Encoding.DER)

    def taken(self, server, number, aaguid, name, root):
        """Imports a BLOB in which the model's attestations end at `root`, in DER, and waits until the server has it."""
        file = self.folder / "blob.jwt"
        file.write_bytes(self.blob(number, aaguid, name, root))
        server.admin("mds", "import", str(file), "--roots", str(self.roots))
        deadline = time.monotonic() + 30
        while f"metadata of authenticators read: number {number}," not in server.log():
            equal(time.monotonic() < deadline, True, "the server reads the metadata")
            time.sleep(0.05)

    def blob(self, number, aaguid, name, root):
        def encoded(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")

        certificate = base64.b64encode(self.signer.public_bytes(serialization.Encoding.DER)).decode()
        statement = {
            "aaguid": aaguid, "description": name, "protocolFamily": "fido2", "schema": 3,
            "icon": "data:image/png;base64,iVBORw0KGgo=", "attestationTypes": ["basic_full"],
            "attestationRootCertificates": [base64.b64encode(root).decode()],
        }
        signed = encoded({"alg": "ES256", "typ": "JWT", "x5c": [certificate]}) + b"." + encoded({
            "legalHeader": "Made for tests.", "no": number, "nextUpdate": "2999-01-01", "entries": [{
                "aaguid": aaguid, "metadataStatement": statement, "timeOfLastStatusChange": "2025-12-01",
                "statusReports": [{"status": "FIDO_CERTIFIED_L1", "effectiveDate": "2025-12-01"}],
            }],
        })
        r, s = decode_dss_signature(self.signer_key.sign(signed, ec.ECDSA(hashes.SHA256())))
        return signed + b"." + base64.urlsafe_b64encode(r.to_bytes(32) + s.to_bytes(32)).rstrip(b"=")


def statement(answer):
    """The attestation object that the browser sent, by another implementation."""
    return AttestationObject(bytes_of(answer["sent"]["response"]["attestationObject"]))


# Registrations


def packed(browser, server):
    """Asked for its attestation, a FIDO2 key gives one of its batch: recorded, and trusted once its root is known."""
    recorded = Tenant(server, "packed", attestation="direct")
    with Device(browser, recorded, transport="usb") as device:
        answer, details = device.registered()
        sent = statement(answer)
        equal((sent.fmt, len(sent.att_stmt["x5c"])), ("packed", 1), "a packed statement with a certificate")
        equal((details["format"], details["attestation_trusted"]), ("packed", False))
        listed = device.passkey()
        equal((listed["attestation_format"], listed["aaguid"]), ("packed", AAGUID))
        device.signed_in()
        service = MetadataService(server.folder)
        root = service.anchor(sent.att_stmt["x5c"][0])

    # Metadata of another model first: a policy that asks for trust needs some.
    other = "00000000-0000-4000-8000-000000000001"
    service.taken(server, 1, other, "Another key", root)
    wary = Tenant(server, "wary", attestation="direct", require_trusted_attestation=True, allowed_aaguids=[AAGUID])
    with Device(browser, wary, transport="usb") as device:
        device.refused(device.register(), "authenticator_not_allowed", "require_trusted_attestation")

    service.taken(server, 2, AAGUID, "Virtual key", root)
    with Device(browser, wary, transport="usb") as device:
        answer, details = device.registered()
        equal((details["attestation_trusted"], details["authenticator"]), (True, "Virtual key"))
        listed = device.passkey()
        equal((listed["authenticator"], listed["attestation_trusted"]), ("Virtual key", True))
        equal((listed["credential_device_type"], listed["icon"][:5]), ("single_device", "data:"))
        # Bound to one device by its maker's word: the token says so.
        equal(methods(answer), {"phr", "pop", "user", "mfa", "hwk"})
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user", "mfa", "hwk"})
    for name, policy, refusing in (
        ("other", {"allowed_aaguids": [other]}, "allowed_aaguids"),
        ("denied", {"denied_aaguids": [AAGUID]}, "denied_aaguids"),
        ("formats", {"attestation_formats": ["none", "fido-u2f"]}, "attestation_formats"),
    ):
        with Device(browser, Tenant(server, name, attestation="direct", **policy), transport="usb") as device:
            device.refused(device.register(), "authenticator_not_allowed", refusing)
    # Each import is in the audit log of each tenant that there was.
    with sqlite3.connect(f"file:{server.folder}/latchkey.db?mode=ro", uri=True) as store:
        written = store.execute("SELECT details FROM audit_event WHERE details LIKE '%mds import%'").fetchall()
    store.close()
    equal([json.loads(row[0])["target"] for row in written if "metadata 1" in row[0]], ["metadata 1"] * 2)


def enterprise(browser, server):
    """An enterprise attestation is one of the batch where the browser was given no leave for the device's own."""
    with Device(browser, Tenant(server, "enterprise", attestation="enterprise"), transport="usb") as device:
        answer, details = device.registered()
        equal(answer["options"]["attestation"], "enterprise")
        equal((details["format"], statement(answer).fmt), ("packed", "packed"))


def none(browser, server):
    """Unless asked for, the browser keeps the attestation to itself."""
    with Device(browser, Tenant(server, "none"), transport="usb") as device:
        answer, details = device.registered()
        equal((details["format"], statement(answer).fmt, statement(answer).att_stmt), ("none", "none", {}))


def u2f(browser, server):
    """A U2F key: its attestation, a user handle that it cannot keep, a counter that rises, and no second factor."""
    policy = {"attestation": "direct", "resident_key": "discouraged", "user_verification": "discouraged"}
    tenant = Tenant(server, "u2f", **policy)
    with Device(
        browser, tenant, protocol="u2f", ctap2Version="ctap2_0", transport="usb", hasResidentKey=False,
        hasUserVerification=False,
    ) as device:
        answer, details = device.registered()
        equal((statement(answer).fmt, details["format"]), ("fido-u2f", "fido-u2f"))
        equal(details["aaguid"], "00000000-0000-0000-0000-000000000000")
        equal(details["flags"], ["UP", "AT"], "nobody was verified")
        counts = []
        for _ in range(2):
            answer, details = device.signed_in(device.username)
            equal(len(answer["options"]["allowCredentials"]), 1)
            counts.append(details["sign_count"])
        equal(counts[0] < counts[1], True, f"the counter rises: {counts}")
        equal(device.passkey()["sign_count"], counts[1])
        equal(methods(answer), {"phr", "pop", "user"})
        device.change(signCount=0)
        device.refused(device.sign_in(device.username), "counter_regression", "counter_policy")


def post_quantum(browser, server):
    """ML-DSA-44 where it is offered first, and its refusal where it was not offered."""
    tenant = Tenant(server, "quantum", algorithms=[-48, -7])
    with Device(browser, tenant) as device:
        answer, _ = device.registered()
        equal(answer["sent"]["response"]["publicKeyAlgorithm"], -48)
        answer, _ = device.signed_in()
        equal(len(bytes_of(answer["sent"]["response"]["signature"])), 2420, "a signature of ML-DSA-44")
        device.lie("isBogusSignature")
        device.refused(device.sign_in(), "signature_invalid")


def extensions(browser, server):
    """prf, largeBlob, minPinLength and credProps are passed on, and what is said of them recorded.

    The virtual authenticators know no credProtect: asked for it without insisting, they go on without.
    """
    salt = base64.urlsafe_b64encode(bytes(range(32))).rstrip(b"=").decode()
    tenant = Tenant(
        server, "extensions", extensions={
            "prf": {"eval": {"first": salt}}, "largeBlob": {"support": "preferred", "read": True},
            "credentialProtectionPolicy": "userVerificationRequired", "minPinLength": True,
        },
    )
    with Device(
        browser, tenant, transport="usb", hasPrf=True, hasLargeBlob=True, hasMinPinLength=True
    ) as device:
        answer, details = device.registered()
        equal(answer["options"]["extensions"]["prf"], {"eval": {"first": salt}})
        said = details["extensions"]
        equal(said["prf"], {"enabled": True})
        equal(said["largeBlob"], {"supported": True})
        equal(said["credProps"], {"rk": True})
        equal(said["minPinLength"], 4)
        equal(answer["options"]["extensions"]["credentialProtectionPolicy"], "userVerificationRequired")
        equal(device.passkey()["discoverable"], True)
        answer, details = device.signed_in()
        outputs = answer["sent"]["clientExtensionResults"]
        equal(len(bytes_of(outputs["prf"]["results"]["first"])), 32, "the secret that the page gets")
        equal("results" in json.dumps(details), False, "and the server writes down nowhere")
        equal("credentialProtectionPolicy" in answer["options"]["extensions"], False, "for registrations alone")
    # An authenticator that has none of it registers all the same.
    with Device(browser, tenant, hasResidentKey=True) as device:
        _, details = device.registered()
        equal(details["extensions"].get("prf", {}).get("enabled", False), False)
        equal(details["extensions"].get("largeBlob", {}).get("supported", False), False)
        device.signed_in()


def discoverable(browser, server):
    """credProps is stored: a credential that its device does not keep is listed as such."""
    tenant = Tenant(server, "plain", resident_key="discouraged", user_verification="preferred")
    with Device(browser, tenant, transport="usb", hasResidentKey=False, hasUserVerification=False) as device:
        _, details = device.registered()
        equal(details["extensions"]["credProps"], {"rk": False})
        equal(device.passkey()["discoverable"], False)
        device.signed_in(device.username)


# What goes wrong


def wrong_signatures(browser, server):
    with Device(browser, Tenant(server, "signature")) as device:
        device.registered()
        device.lie("isBogusSignature")
        device.refused(device.sign_in(), "signature_invalid")
        device.refused(device.sign_in(device.username), "signature_invalid")
        device.lie()
        device.signed_in()


def absent_users(browser, server):
    """UP=0 is refused, in a sign-in and in a registration that the server did not begin as an upgrade."""
    with Device(browser, Tenant(server, "presence")) as device:
        device.registered()
        device.lie("isBadUP")
        details = device.refused(device.sign_in(), "user_presence_missing")
        equal("UP" in details["flags"], False)
        device.lie()
        device.signed_in()
    with Device(browser, Tenant(server, "presence-first")) as device:
        device.lie("isBadUP")
        device.refused(device.register(), "user_presence_missing")


def unverified_users(browser, server):
    """UV=0 is refused where policy requires UV, and counts for less where it does not."""
    with Device(browser, Tenant(server, "verified", user_verification="required")) as device:
        device.registered()
        device.lie("isBadUV")
        device.refused(device.sign_in(), "user_verification_missing", "user_verification")
        device.lie()
        device.signed_in()
    with Device(browser, Tenant(server, "verified-first", user_verification="required")) as device:
        device.lie("isBadUV")
        device.refused(device.register(), "user_verification_missing", "user_verification")
    preferred = Tenant(server, "preferred", user_verification="preferred")
    with Device(browser, preferred) as device:
        device.registered()
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user", "mfa"})
        device.lie("isBadUV")
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user"})
    # Made without UV, its UV counts for nothing until something else stands beside it (uvInitialized).
    with Device(browser, preferred) as device:
        device.lie("isBadUV")
        device.registered()
        device.lie()
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user"})
        equal(device.passkey()["uv_initialized"], False)
    with Device(browser, Tenant(server, "unproven", user_verification="preferred", uv_unproven_login="refuse")) as device:
        device.lie("isBadUV")
        device.registered()
        device.lie()
        device.refused(device.sign_in(), "user_verification_unproven", "uv_unproven_login")


def methods(answer):
    """`amr` of the session that the answer's token is of."""
    claims = json.loads(bytes_of(answer["body"]["token"].split(".")[1]))
    return set(claims["amr"])


def automatic_upgrades(browser, server):
    """After a password the answer without UP and UV is right, to the options of an upgrade and to no others.

    What a browser makes without asking is what the virtual authenticator makes when it is told to claim nothing.
    """
    tenant = Tenant(server, "automatic", passwords=True, user_verification="required")
    # Nobody gets a mail here.
    server.admin(
        "connection", "set", "--tenant", tenant.name, CONNECTION, "options.passkey_options.upgrade_without_notice=true"
    )
    password = f"Aa1-{secrets.token_hex(8)}"
    with Device(browser, tenant) as device:
        device.posted("/dbconnections/signup", connection=CONNECTION, email=device.username, password=password)

        def by_password():
            grant = {"grant_type": "password", "username": device.username, "password": password, "scope": "openid"}
            return device.posted("/oauth/token", **grant)

        tokens = by_password()
        offer, token = tokens["passkey_upgrade"], tokens["access_token"]
        equal((offer["eligible"], offer["has_passkey"], offer["mediation"]), (True, False, "conditional"))
        equal(offer["authn_params_public_key"]["authenticatorSelection"]["userVerification"], "preferred")
        device.lie("isBadUP", "isBadUV")
        device.refused(device.register(token=token), "user_presence_missing")
        device.devtools.send("WebAuthn.clearCredentials", {"authenticatorId": device.id})
        answer = device.run("upgrade", offer, token)
        equal(answer["status"], 200, str(answer["body"]))
        equal(device.accepted(answer)["flags"], ["AT"])
        listed = device.passkey()
        equal((listed["enrolled_by"], listed["uv_initialized"]), ("upgrade", False))
        # The password was the other proof: UV counts from the second login on.
        device.lie()
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user"})
        equal(methods(device.signed_in()[0]), {"phr", "pop", "user", "mfa"})
        equal("passkey_upgrade" in by_password(), False)
        refused = device.register("conditional", token)
        equal((refused["status"], refused["body"]["reason"]), (403, "upgrade_not_offered"))


def backup(browser, server):
    """BE is for life unless policy says otherwise; BS comes and goes."""
    strict = Tenant(server, "strict")
    with Device(browser, strict) as device:
        device.registered()
        device.change(backupEligibility=True)
        details = device.refused(device.sign_in(), "backup_flags_invalid", "backup_eligibility")
        equal((details["expected"], details["got"]), ("BE 0", "BE 1"))
    with Device(browser, strict, defaultBackupEligibility=True, defaultBackupState=False) as device:
        device.registered()
        before = device.passkey()
        equal((before["credential_device_type"], before["credential_backed_up"]), ("multi_device", False))
        for state in (True, False):
            device.change(backupState=state)
            device.signed_in()
            equal(device.passkey()["credential_backed_up"], state)
        device.change(backupEligibility=False)
        device.refused(device.sign_in(), "backup_flags_invalid", "backup_eligibility")
    with Device(browser, Tenant(server, "upgrade", backup_eligibility="allow-upgrade")) as device:
        device.registered()
        device.change(backupEligibility=True, backupState=True)
        device.signed_in()
        after = device.passkey()
        equal((after["credential_device_type"], after["credential_backed_up"]), ("multi_device", True))
        device.change(backupEligibility=False, backupState=False)
        device.refused(device.sign_in(), "backup_flags_invalid", "backup_eligibility")
    with Device(browser, Tenant(server, "observe", backup_eligibility="observe"), defaultBackupEligibility=True) as device:
        device.registered()
        device.change(backupEligibility=False)
        device.signed_in()
        equal(device.passkey()["credential_device_type"], "single_device")
    with Device(browser, Tenant(server, "synced", require_backup_eligible=True)) as device:
        device.refused(device.register(), "authenticator_not_allowed", "require_backup_eligible")


def old_counters(browser, server):
    """A counter that did not rise is refused, noted, or the end of the passkey."""
    with Device(browser, Tenant(server, "counter")) as device:
        device.registered()
        device.signed_in()
        device.change(signCount=0)
        details = device.refused(device.sign_in(), "counter_regression", "counter_policy")
        equal(details["sign_count"], 1)
        # The credential stays usable.
        device.change(signCount=50)
        device.signed_in()
        equal(device.passkey()["sign_count"], 51)
    with Device(browser, Tenant(server, "counter-warn", counter_policy="warn")) as device:
        device.registered()
        device.change(signCount=50)
        device.signed_in()
        device.change(signCount=0)
        device.signed_in()
        equal(device.passkey()["sign_count"], 1)
    with Device(browser, Tenant(server, "counter-disable", counter_policy="disable")) as device:
        device.registered()
        device.change(signCount=50)
        device.signed_in()
        device.change(signCount=0)
        device.refused(device.sign_in(), "counter_regression", "counter_policy")
        equal(device.passkey()["suspended"], True)
        device.change(signCount=100)
        device.refused(device.sign_in(), "counter_regression", "counter_policy")


with Server(tls=False) as server, sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium", headless=True, args=["--no-sandbox", "--disable-gpu"]
    )
    begun = time.monotonic()
    for part in (
        none, packed, enterprise, u2f, post_quantum, extensions, discoverable, wrong_signatures, absent_users,
        unverified_users, automatic_upgrades, backup, old_counters,
    ):
        started = time.monotonic()
        part(browser, server)
        print(f"ok {part.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
    browser.close()
    print(f"ok all ({time.monotonic() - begun:.1f} s)")
