"""What the Python peers share: a running latchkey-server, by default with TLS under a local CA that its session trusts."""

import datetime
import ipaddress
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

ROOT = pathlib.Path(__file__).resolve().parents[3]
SERVER = os.environ.get("LATCHKEY_SERVER", str(ROOT / ".build/release/latchkey-server"))
ADMIN = os.environ.get("LATCHKEY_ADMIN", str(ROOT / ".build/release/latchkey-admin"))
TENANT = os.environ.get("LATCHKEY_TENANT", str(ROOT / ".build/release/latchkey-tenant"))
PASSKEY_GRANT = "urn:okta:params:oauth:grant-type:webauthn"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class LocalAuthority:
    """A CA of one run, and a certificate that it signed: for localhost and for `more` names."""

    def __init__(self, folder, more=()):
        self.certificate_file = str(folder / "server.pem")
        self.key_file = str(folder / "server.key")
        self.ca_file = str(folder / "ca.pem")
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        ca_key = ec.generate_private_key(ec.SECP256R1())
        ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test CA")])
        ca = (
            x509.CertificateBuilder().subject_name(ca_name).issuer_name(ca_name).public_key(ca_key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
            .add_extension(x509.BasicConstraints(True, 0), True)
            .add_extension(
                x509.KeyUsage(False, False, False, False, False, True, True, False, False), True
            )
            .sign(ca_key, hashes.SHA256())
        )
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        names += [x509.DNSName(name) for name in more]
        certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])).issuer_name(ca_name)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - day).not_valid_after(now + day)
            .add_extension(x509.SubjectAlternativeName(names), False)
            .add_extension(x509.BasicConstraints(False, None), True)
            .sign(ca_key, hashes.SHA256())
        )
        pathlib.Path(self.ca_file).write_bytes(ca.public_bytes(serialization.Encoding.PEM))
        pathlib.Path(self.certificate_file).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pathlib.Path(self.key_file).write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        os.chmod(self.key_file, 0o600)


class Server:
    """A server of the release build with its own folder, stopped by SIGTERM at the end of the block.

    `settings` are environment variables; without `tls` it speaks http, which browsers take for safe on *.localhost. With
    it the certificate is for localhost and `names`.
    """

    def __init__(self, tls=True, names=(), **settings):
        self.temporary = tempfile.TemporaryDirectory(prefix="latchkey-")
        self.folder = pathlib.Path(self.temporary.name)
        self.port = free_port()
        self.base = f"{'https' if tls else 'http'}://localhost:{self.port}"
        self.store = f"sqlite:{self.folder}/latchkey.db"
        self.key = f"{self.folder}/master.key"
        self.log_file = self.folder / "server.log"
        subprocess.run([ADMIN, "master-key", "create", self.key], check=True, capture_output=True)
        environment = {
            "PATH": "/usr/bin:/bin",
            "LATCHKEY_LISTEN": f"127.0.0.1:{self.port}",
            "LATCHKEY_STORE": self.store,
            "LATCHKEY_CHALLENGES": "memory:",
            "LATCHKEY_MASTER_KEY_FILE": self.key,
            "LATCHKEY_RATE_LIMITS": "off",
            # Passwords are hashed at the lowest priority: where everything is tested at once, that takes its time.
            "LATCHKEY_DEADLINES_HANDLING": "50s",
        }
        self.session = requests.Session()
        self.session.trust_env = False
        if tls:
            self.authority = LocalAuthority(self.folder, names)
            environment["LATCHKEY_TLS_CERTIFICATE"] = self.authority.certificate_file
            environment["LATCHKEY_TLS_KEY"] = self.authority.key_file
            self.session.verify = self.authority.ca_file
        environment.update(settings)
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [SERVER], env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + 15
        while b"listening on" not in self.log_file.read_bytes():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start:\n" + self.log())
            time.sleep(0.02)

    def log(self):
        return self.log_file.read_text(errors="replace")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(25)
        if kind is not None or status != 0:
            print(self.log(), file=sys.stderr)
        self.temporary.cleanup()
        if kind is None:
            equal(status, 0, "SIGTERM drains and exits 0")

    def admin(self, *words):
        result = subprocess.run(
            [ADMIN, "--store", self.store, "--master-key-file", self.key, *words, "-o", "json"],
            capture_output=True, text=True, check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(f"latchkey-admin {' '.join(words)}: {result.returncode}\n{result.stderr}")
        return json.loads(result.stdout)

    def post(self, path, body, **more):
        return self.session.post(self.base + path, json=body, timeout=60, **more)

    def get(self, path, **more):
        return self.session.get(self.base + path, timeout=60, **more)


def equal(got, wanted, what=""):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")


def refused(response, status, error, description, reason):
    """The answer is this row of the contract, whole."""
    equal(response.status_code, status, response.text)
    body = response.json()
    equal(body["error"], error, response.text)
    equal(body["error_description"], description, response.text)
    equal(body["reason"], reason, response.text)
    equal(response.headers["content-type"], "application/json; charset=utf-8")


def run(*tests):
    """Runs each test, names it, and ends with 1 when one failed."""
    for test in tests:
        started = time.monotonic()
        test()
        print(f"ok {test.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
