"""Attestations there and back, with the PyPI packages webauthn and fido2.

What `latchkey-admin authenticator` makes in each format verifies in both, as far as they know the format, and what it
spoils does not. What fido2 puts together, on keys and certificates of `cryptography`, verifies in ours.
"""

import base64
import datetime
import hashlib
import json
import os
import pathlib
import secrets
import struct
import subprocess
import tempfile

import webauthn
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.x509.oid import NameOID
from fido2.attestation import Attestation, AttestationVerifier
from fido2.attestation.base import InvalidAttestation
from fido2.cose import ES256
from fido2.ctap1 import RegistrationData
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import AttestationFormat

from support import ADMIN

RP_ID = "login.example.com"
ORIGIN = "https://login.example.com"
UP, AT = 1, 64


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def admin(*words, given=""):
    return subprocess.run([ADMIN, *words], input=given, check=True, capture_output=True, text=True).stdout


# What we make, verified by them.


class Trust(AttestationVerifier):
    """fido2's verifier with one root."""

    def __init__(self, root):
        super().__init__()
        self.root = root

    def ca_lookup(self, attestation_result, auth_data):
        return self.root


class Maker:
    """An authenticator of ours, in a file."""

    def __init__(self, folder, *words):
        self.file = str(folder / f"{secrets.token_hex(4)}.json")
        admin("authenticator", "create", self.file, *words)
        self.root_pem = admin("authenticator", "root", self.file).encode()
        self.root = x509.load_pem_x509_certificate(self.root_pem).public_bytes(serialization.Encoding.DER)

    def register(self, options, attest, *words):
        words = ["--origin", ORIGIN, "--attest", attest, *words]
        return json.loads(admin("authenticator", "register", self.file, *words, given=json.dumps(options)))


def verify_with_webauthn(maker, attest, *words):
    options = webauthn.generate_registration_options(
        rp_id=RP_ID,
        rp_name="Example",
        user_name="ana",
        attestation=webauthn.helpers.structs.AttestationConveyancePreference.DIRECT,
        supported_pub_key_algs=[
            webauthn.helpers.cose.COSEAlgorithmIdentifier.ECDSA_SHA_256,
            webauthn.helpers.cose.COSEAlgorithmIdentifier.RSASSA_PKCS1_v1_5_SHA_256,
        ],
    )
    response = maker.register(json.loads(webauthn.options_to_json(options)), attest, *words)
    verified = webauthn.verify_registration_response(
        credential=response,
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        pem_root_certs_bytes_by_fmt={format: [maker.root_pem] for format in AttestationFormat},
    )
    return AttestationFormat(verified.fmt).value


def verify_with_fido2(maker, attest, *words):
    server = Fido2Server(
        PublicKeyCredentialRpEntity(name="Example", id=RP_ID),
        attestation="direct",
        verify_attestation=None if attest in ("none", "packed-self") else Trust(maker.root),
    )
    options, state = server.register_begin(PublicKeyCredentialUserEntity(id=b"ana", name="ana"))
    response = maker.register(dict(options), attest, *words)
    server.register_complete(state, response)
    object = AttestationObject(base64.urlsafe_b64decode(response["response"]["attestationObject"] + "=="))
    client_data = base64.urlsafe_b64decode(response["response"]["clientDataJSON"] + "==")
    # Without a root the server does not look at the statement.
    Attestation.for_type(object.fmt)().verify(object.att_stmt, object.auth_data, hashlib.sha256(client_data).digest())
    return object.fmt


def refuses(verify, maker, attest, fault, *words):
    try:
        verify(maker, attest, "--fault", fault, *words)
    except (WebAuthnException, InvalidAttestation, InvalidSignature, ValueError, x509.ExtensionNotFound):
        return True
    return False


def known_formats():
    """The formats that we build, that webauthn knows, and that fido2 knows, as each says itself."""
    hello = json.loads(admin("vectors", given='{"id":"hello","op":"hello"}\n'))
    ours = {word.removeprefix("fmt:") for word in hello["capabilities"] if word.startswith("fmt:")}
    fido2 = {kind.FORMAT for kind in Attestation.__subclasses__() if getattr(kind, "FORMAT", None)}
    return ours, {format.value for format in AttestationFormat}, fido2


def ours_in_theirs(folder):
    count = 0
    ours, webauthn_formats, fido2_formats = known_formats()
    makers = [Maker(folder), Maker(folder, "--kind", "security-key", "--intermediate")]
    # The formats that each knows, with the flags of each way to make them, and faults that each looks for.
    cases = [
        ("none", [], "both", []),
        ("packed-self", [], "both", ["attestationSignatureWrong"]),
        (
            "packed", [], "both",
            ["attestationSignatureWrong", "attestationSignatureByOtherKey", "attestationChainUntrusted"],
        ),
        ("fido-u2f", [], "both", ["attestationSignatureWrong", "attestationChainUntrusted"]),
        (
            "tpm", ["--algorithm", "-7"], "both",
            ["tpmMagicWrong", "tpmExtraDataWrong", "tpmNameWrong", "attestationSignatureWrong"],
        ),
        ("tpm", ["--algorithm", "-257"], "both", ["tpmPublicAreaOfOtherKey", "tpmTypeWrong"]),
        ("tpm", ["--algorithm", "-7", "--tpm-algorithm", "-7"], "both", ["tpmPurposeMissing"]),
        ("tpm", ["--algorithm", "-257", "--tpm-algorithm", "-65535"], "both", ["attestationSignatureWrong"]),
        (
            "android-key", [], "webauthn",
            [
                "androidKeyChallengeWrong", "androidKeyForAllApplications", "androidKeyImported",
                "androidKeyPurposeWrong", "attestationCertificateOfOtherKey", "attestationSignatureWrong",
            ],
        ),
        ("android-safetynet", [], "both", ["safetyNetNonceWrong", "attestationSignatureWrong"]),
        ("apple", [], "both", ["appleNonceWrong", "attestationChainUntrusted"]),
    ]
    # Nothing is left out that one of the two could judge: a new version that knows more has to be asked more.
    formats = {attest.replace("packed-self", "packed"): who for attest, _, who, _ in cases}
    assert set(formats) == webauthn_formats & ours, (webauthn_formats, ours)
    assert {name for name, who in formats.items() if who == "both"} == fido2_formats & ours, fido2_formats
    assert ours - set(formats) == {"compound"}, "what neither of the two knows"
    for maker in makers:
        for attest, words, who, faults in cases:
            for verify in [verify_with_webauthn, verify_with_fido2]:
                if who == "webauthn" and verify is verify_with_fido2:
                    continue
                format = verify(maker, attest, *words)
                assert format == attest.replace("packed-self", "packed"), (attest, format)
                count += 1
                # Each call makes keys of its own: the faults of one authenticator are enough.
                for fault in faults if maker is makers[0] else []:
                    assert refuses(verify, maker, attest, fault, *words), (verify.__name__, attest, fault)
                    count += 1
    return count


# What they make, verified by ours.


class Vectors:
    """`latchkey-admin vectors`, one case at a time."""

    def __init__(self):
        self.process = subprocess.Popen([ADMIN, "vectors"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def register(self, client_data, challenge, object, roots):
        credential_id = b64(object.auth_data.credential_data.credential_id)
        case = {
            "rpId": RP_ID,
            "expectedOrigins": [ORIGIN],
            "expectedChallenge": b64(challenge),
            "requireUserPresence": True,
            "requireUserVerification": False,
            "allowCrossOrigin": False,
            "allowedAlgorithms": [-7, -257],
            "trustAnchors": [b64(root) for root in roots],
            "verificationTime": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "credential": {
                "id": credential_id,
                "rawId": credential_id,
                "type": "public-key",
                "response": {"clientDataJSON": b64(client_data), "attestationObject": b64(object)},
                "clientExtensionResults": {},
            },
        }
        self.process.stdin.write(json.dumps({"id": "1", "op": "registration", "input": case}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(10) == 0


class Authority:
    """A root of `cryptography`."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP384R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Peer root")])
        builder = self.builder(self.name, self.key.public_key())
        self.root = self.sign(builder.add_extension(x509.BasicConstraints(True, None), True))

    def builder(self, subject, public_key):
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        return (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(public_key)
            .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        )

    def sign(self, builder):
        return builder.sign(self.key, hashes.SHA384()).public_bytes(serialization.Encoding.DER)

    def leaf(self, subject, public_key, *extensions):
        builder = self.builder(subject, public_key).add_extension(x509.BasicConstraints(False, None), True)
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return self.sign(builder)


def client_data(challenge):
    return CollectedClientData.create("webauthn.create", challenge, ORIGIN)


def authenticator_data(public_key, aaguid):
    attested = AttestedCredentialData.create(aaguid, secrets.token_bytes(24), public_key)
    return AuthenticatorData.create(hashlib.sha256(RP_ID.encode()).digest(), UP | AT, 7, attested)


def der(tag, content):
    length = len(content)
    head = bytes([length]) if length < 128 else bytes([0x82, length >> 8, length & 255])
    return bytes([tag]) + head + content


def none(key, data, message, authority):
    return "none", {}


def safetynet(key, data, message, authority):
    service = rsa.generate_private_key(65537, 2048)
    host = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "attest.android.com")])
    names = x509.SubjectAlternativeName([x509.DNSName("attest.android.com")])
    certificate = authority.leaf(host, service.public_key(), (names, False))
    header = {"alg": "RS256", "x5c": [base64.b64encode(certificate).decode()]}
    payload = {
        "nonce": base64.b64encode(hashlib.sha256(message).digest()).decode(), "ctsProfileMatch": True,
        "timestampMs": int(datetime.datetime.now().timestamp() * 1000),
    }
    signed = ".".join(b64(json.dumps(part).encode()) for part in (header, payload)).encode()
    signature = service.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    return "android-safetynet", {"ver": "1", "response": signed + b"." + b64(signature).encode()}


def packed_self(key, data, message, authority):
    return "packed", {"alg": -7, "sig": key.sign(message, ec.ECDSA(hashes.SHA256()))}


def packed(key, data, message, authority):
    batch = rsa.generate_private_key(65537, 2048)
    subject = x509.Name([
        x509.NameAttribute(NameOID.COUNTRY_NAME, "SE"),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Peer"),
        x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, "Authenticator Attestation"),
        x509.NameAttribute(NameOID.COMMON_NAME, "Peer batch"),
    ])
    model = x509.UnrecognizedExtension(
        x509.ObjectIdentifier("1.3.6.1.4.1.45724.1.1.4"), der(4, data.credential_data.aaguid)
    )
    certificate = authority.leaf(subject, batch.public_key(), (model, False))
    return "packed", {
        "alg": -257, "sig": batch.sign(message, padding.PKCS1v15(), hashes.SHA256()), "x5c": [certificate],
    }


def apple(key, data, message, authority):
    nonce = der(0x30, der(0xA1, der(4, hashlib.sha256(message).digest())))
    extension = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.840.113635.100.8.2"), nonce)
    return "apple", {"x5c": [authority.leaf(authority.name, key.public_key(), (extension, False))]}


def android_key(key, data, message, authority):
    # [1] SET { SIGN }, [702] GENERATED.
    properties = der(0xA1, der(0x31, der(2, b"\2"))) + b"\xbf\x85\x3e\x03" + der(2, b"\0")
    description = der(
        0x30,
        der(2, b"\3") + der(10, b"\1") + der(2, b"\4") + der(10, b"\1") + der(4, message[-32:]) + der(4, b"")
        + der(0x30, b"") + der(0x30, properties),
    )
    extension = x509.UnrecognizedExtension(x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.1.17"), description)
    return "android-key", {
        "alg": -7,
        "sig": key.sign(message, ec.ECDSA(hashes.SHA256())),
        "x5c": [authority.leaf(authority.name, key.public_key(), (extension, False)), authority.root],
    }


def tpm(key, data, message, authority):
    def buffer(content):
        return struct.pack(">H", len(content)) + content

    aik = rsa.generate_private_key(65537, 2048)
    numbers = key.public_key().public_numbers()
    area = (
        struct.pack(">HHIH", 0x23, 0x0B, 0x00040072, 0) + struct.pack(">HHHH", 0x10, 0x10, 3, 0x10)
        + buffer(numbers.x.to_bytes(32, "big")) + buffer(numbers.y.to_bytes(32, "big"))
    )
    name = struct.pack(">H", 0x0B) + hashlib.sha256(area).digest()
    info = (
        b"\xffTCG\x80\x17" + buffer(b"") + buffer(hashlib.sha256(message).digest()) + bytes(17) + bytes(8)
        + buffer(name) + buffer(b"")
    )
    device = x509.Name([
        x509.NameAttribute(x509.ObjectIdentifier("2.23.133.2.1"), "id:53544D20"),
        x509.NameAttribute(x509.ObjectIdentifier("2.23.133.2.2"), "Peer"),
        x509.NameAttribute(x509.ObjectIdentifier("2.23.133.2.3"), "id:00010000"),
    ])
    certificate = authority.leaf(
        x509.Name([]), aik.public_key(),
        (x509.SubjectAlternativeName([x509.DirectoryName(device)]), True),
        (x509.ExtendedKeyUsage([x509.ObjectIdentifier("2.23.133.8.3")]), False),
    )
    return "tpm", {
        "ver": "2.0", "alg": -257, "x5c": [certificate],
        "sig": aik.sign(info, padding.PKCS1v15(), hashes.SHA256()), "certInfo": info, "pubArea": area,
    }


def theirs_in_ours():
    count = 0
    vectors, authority, stranger = Vectors(), Authority(), Authority()
    for make, type in [
        (none, "none"), (packed_self, "self"), (packed, "basic"), (apple, "anonca"), (android_key, "basic"),
        (tpm, "attca"), (safetynet, "basic"),
    ]:
        challenge = secrets.token_bytes(32)
        client = client_data(challenge)
        key = ec.generate_private_key(ec.SECP256R1())
        data = authenticator_data(ES256.from_cryptography_key(key.public_key()), os.urandom(16))
        format, statement = make(key, data, data + client.hash, authority)
        object = AttestationObject.create(format, data, statement)
        # fido2 finds its own statement right, where it knows the format.
        if format != "android-key":
            Attestation.for_type(format)().verify(object.att_stmt, object.auth_data, client.hash)
        answer = vectors.register(client, challenge, object, [authority.root])
        assert answer["verdict"] == "accept", (format, answer)
        assert (answer["fmt"], answer["attestationType"]) == (format, type), answer
        has_chain = type not in ("none", "self")
        assert answer["attestationTrusted"] == has_chain, answer
        count += 1
        if type == "none":
            continue
        # Under another root, or for another challenge, it is none.
        if has_chain:
            assert vectors.register(client, challenge, object, [stranger.root])["reason"] == "authenticator_not_allowed"
        other = client_data(challenge + b"1")
        refused = vectors.register(other, challenge + b"1", object, [authority.root])
        assert refused["reason"] == "attestation_invalid", refused
        count += 2 if has_chain else 1

    # fido2 turns the answer of a U2F device into an attestation object.
    challenge = secrets.token_bytes(32)
    client = client_data(challenge)
    application = hashlib.sha256(RP_ID.encode()).digest()
    key, batch = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    handle = secrets.token_bytes(64)
    signature = batch.sign(b"\0" + application + client.hash + handle + point, ec.ECDSA(hashes.SHA256()))
    certificate = authority.leaf(authority.name, batch.public_key())
    registration = RegistrationData(b"\5" + point + bytes([len(handle)]) + handle + certificate + signature)
    registration.verify(application, client.hash)
    object = AttestationObject.from_ctap1(application, registration)
    answer = vectors.register(client, challenge, object, [authority.root])
    assert answer["verdict"] == "accept" and answer["fmt"] == "fido-u2f" and answer["attestationTrusted"], answer
    vectors.close()
    return count + 1


with tempfile.TemporaryDirectory(prefix="latchkey-") as folder:
    made = ours_in_theirs(pathlib.Path(folder))
verified = theirs_in_ours()
print(f"ok {made} answers of webauthn and fido2 about our attestations, {verified} of ours about theirs")
