"""Servers of the release build, and clients that sign up, sign in and refresh, for the scripts of this folder."""

import base64
import hashlib
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from postgres import ROOT, free_port

SERVER = os.environ.get("LATCHKEY_SERVER", str(ROOT / ".build/release/latchkey-server"))
ADMIN = os.environ.get("LATCHKEY_ADMIN", str(ROOT / ".build/release/latchkey-admin"))
PASSKEY_GRANT = "urn:okta:params:oauth:grant-type:webauthn"
DOMAIN = "login.acme.example"
ORIGIN = f"https://{DOMAIN}"
# .ci/reliability runs one script at a time; elsewhere the machine has other work too.
JUDGES_TIME = os.environ.get("LATCHKEY_JUDGES_TIME") == "1"


class Deployment:
    """A store, a master key and as many servers as are started; all end with the block."""

    def __init__(self, store, **settings):
        self.temporary = tempfile.TemporaryDirectory(prefix="latchkey-reliability-")
        self.folder = pathlib.Path(self.temporary.name)
        self.store = store or f"sqlite:{self.folder}/latchkey.db"
        self.key = f"{self.folder}/master.key"
        self.settings = settings
        self.servers = []
        # What starts latchkey-admin, where it has to see what only a server sees.
        self.admin_runner = []
        subprocess.run([ADMIN, "master-key", "create", self.key], check=True, capture_output=True)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for server in self.servers:
            if kind is SystemExit:
                server.kill()
            server.end(shows_log=kind is not None)
        self.temporary.cleanup()

    def environment(self, port):
        return {
            "PATH": "/usr/bin:/bin", "LATCHKEY_LISTEN": f"127.0.0.1:{port}", "LATCHKEY_STORE": self.store,
            "LATCHKEY_CHALLENGES": "memory:", "LATCHKEY_MASTER_KEY_FILE": self.key, "LATCHKEY_RATE_LIMITS": "off",
            **self.settings,
        }

    def start(self, *flags, waits=True, port=None, runner=()):
        server = Server(self, flags, port or free_port(), runner)
        self.servers.append(server)
        if waits:
            server.wait_until_ready()
        return server

    def admin(self, *words):
        result = subprocess.run(
            [*self.admin_runner, ADMIN, *words, "-o", "json"], capture_output=True, text=True, check=False, env=self.environment(1)
        )
        if result.returncode != 0:
            raise RuntimeError(f"latchkey-admin {' '.join(words)}: {result.returncode}\n{result.stderr}")
        return json.loads(result.stdout)

    def make_client(self, domain=DOMAIN, *settings, passwords=False):
        """A tenant with one application; its client id."""
        tenant = ["tenant", "create", "acme", "--domain", domain]
        made = self.admin(*tenant, *([] if passwords else ["--passkey-only"]))
        self.management_client = made.get("management_client")
        settings = [*settings, *(["--grant", "password"] if passwords else [])]
        client = self.admin(
            "client", "create", "--tenant", "acme", "--name", "App", "--type", "native", "--grant", "passkey",
            "--grant", "refresh", *settings,
        )
        return client["client_id"]


class Server:
    def __init__(self, deployment, flags, port, runner):
        self.port = port
        self.log_file = deployment.folder / f"server-{self.port}.log"
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [*runner, SERVER, *flags], env={**deployment.environment(self.port), "LATCHKEY_TRUSTED_PROXIES": "127.0.0.0/8"},
                cwd=deployment.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )

    def log(self):
        return self.log_file.read_text(errors="replace")

    def wait_until_ready(self, seconds=30):
        end = time.monotonic() + seconds
        while "listening on" not in self.log():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("the server did not start:\n" + self.log())
            time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, shows_log=False):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(25)
            except subprocess.TimeoutExpired:
                self.kill()
        if shows_log:
            print(self.log()[-3000:], file=sys.stderr)


class Unanswered(Exception):
    """The connection was lost before the answer came."""


class Answer:
    def __init__(self, status, body, headers, seconds):
        self.status = status
        self.body = body
        self.headers = headers
        self.seconds = seconds

    def json(self):
        return json.loads(self.body)

    def header(self, name):
        return self.headers.get(name.lower())


class Client:
    """One connection of an application, as a proxy in front of the server passes it on."""

    def __init__(self, port, client_id, host=DOMAIN, address="192.0.2.1"):
        self.port = port
        self.client_id = client_id
        self.host = host
        self.address = address
        self.connection = None

    def send(self, method, path, members=None, headers=None):
        body = None if members is None else json.dumps({"client_id": self.client_id, **members})
        return self.exchange(self.request(method, path, body, headers))

    def request(self, method, path, body=None, headers=None):
        """The bytes of a request."""
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", f"X-Forwarded-Host: {self.host}",
                 "X-Forwarded-Proto: https", f"X-Forwarded-For: {self.address}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        data = (body or "").encode()
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + data

    def exchange(self, request):
        """Sends the bytes of a request and reads its answer."""
        started = time.monotonic()
        try:
            if self.connection is None:
                self.connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
                self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connection.sendall(request)
            status, headers, body = self.receive()
        except OSError as error:
            self.close()
            raise Unanswered(str(error)) from error
        if headers.get("connection") == "close":
            self.close()
        return Answer(status, body, headers, time.monotonic() - started)

    def receive(self):
        data = b""
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self.more()
        first, *lines = data[:end].decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = data[end + 4:]
        length = int(headers.get("content-length", "0"))
        while len(body) < length:
            body += self.more()
        return int(first.split(" ")[1]), headers, body

    def more(self):
        data = self.connection.recv(65536)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def register(self, email):
        return self.send("POST", "/passkey/register", {"user_profile": {"email": email}})

    def challenge(self):
        return self.send("POST", "/passkey/challenge", {})

    def redeem(self, begun, response, scope="openid offline_access"):
        return self.exchange(self.redeeming(begun, response, scope))

    def redeeming(self, begun, response, scope="openid offline_access"):
        """The bytes of the request that ends a ceremony."""
        return self.request("POST", "/oauth/token", json.dumps({
            "client_id": self.client_id, "grant_type": PASSKEY_GRANT, "auth_session": begun["auth_session"],
            "authn_response": response, "scope": scope,
        }))

    def refresh(self, token):
        return self.send("POST", "/oauth/token", {"grant_type": "refresh_token", "refresh_token": token})

    def password(self, username, password):
        """Tries a password."""
        return self.send("POST", "/oauth/token", {
            "grant_type": "http://auth0.com/oauth/grant-type/password-realm", "username": username,
            "password": password, "realm": "Username-Password-Authentication", "scope": "openid",
        })

    def sign_up_with_password(self, email, password):
        return self.send("POST", "/dbconnections/signup", {
            "connection": "Username-Password-Authentication", "email": email, "password": password,
        })

    def sign_up(self, email, passkey=None):
        """Signs somebody up; the passkey and the token answer."""
        begun = self.register(email)
        if begun.status != 200:
            return None, begun
        passkey = passkey or Passkey()
        return passkey, self.redeem(begun.json(), passkey.create(begun.json()))

    def sign_in(self, passkey):
        begun = self.challenge()
        if begun.status != 200:
            return begun
        return self.redeem(begun.json(), passkey.get(begun.json()))


class Passkey:
    """An ES256 passkey in software, with an id of so many bytes."""

    def __init__(self, size=32, transports=("internal",)):
        self.id = os.urandom(size)
        self.transports = list(transports)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.user_handle = None

    def create(self, begun):
        options = begun["authn_params_public_key"]
        self.user_handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        cose = (b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20" + numbers.x.to_bytes(32, "big")
                + b"\x22\x58\x20" + numbers.y.to_bytes(32, "big"))
        data = self.data(options["rp"]["id"], 0x45) + bytes(16) + struct.pack(">H", len(self.id)) + self.id + cose
        attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58" + bytes([len(data)]) + data
        return self.answer({
            "clientDataJSON": encode(self.client_data("webauthn.create", options["challenge"])),
            "attestationObject": encode(attestation), "transports": self.transports,
        })

    def get(self, begun):
        options = begun["authn_params_public_key"]
        data = self.data(options["rpId"], 0x05)
        client_data = self.client_data("webauthn.get", options["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return self.answer({
            "clientDataJSON": encode(client_data), "authenticatorData": encode(data), "signature": encode(signature),
            "userHandle": self.user_handle,
        })

    def answer(self, response):
        return {
            "id": encode(self.id), "rawId": encode(self.id), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": {}, "response": response,
        }

    @staticmethod
    def data(rp_id, flags):
        return hashlib.sha256(rp_id.encode()).digest() + bytes([flags]) + bytes(4)

    @staticmethod
    def client_data(kind, challenge):
        return json.dumps({"type": kind, "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}).encode()


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Load:
    """Threads that do `work(client, worker)` again and again, and the answers they got with the time of each."""

    def __init__(self, ports, client_id, work, workers=8):
        self.answers = []
        self.stopping = threading.Event()
        self.lock = threading.Lock()
        self.threads = [
            threading.Thread(target=self.run, args=(ports[index % len(ports)], client_id, work, index))
            for index in range(workers)
        ]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def run(self, port, client_id, work, index):
        client = Client(port, client_id)
        while not self.stopping.is_set():
            try:
                answers = work(client, index)
            except Unanswered:
                answers = [None]
            with self.lock:
                self.answers += [(time.monotonic(), answer) for answer in answers]

    def take(self):
        with self.lock:
            taken, self.answers = self.answers, []
        return taken


def summary(answers):
    """How many of each status, and the slowest."""
    counts = {}
    for _, answer in answers:
        status = answer.status if answer else "lost"
        counts[status] = counts.get(status, 0) + 1
    slowest = max((answer.seconds for _, answer in answers if answer), default=0)
    return counts, slowest


def together(bodies):
    """Runs `bodies` at once, each with a function that waits until all have called it; what they give."""
    barrier = threading.Barrier(len(bodies), timeout=60)

    def one(body):
        try:
            return body(barrier.wait)
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(len(bodies)) as pool:
        futures = [pool.submit(one, body) for body in bodies]
        errors = [future.exception() for future in futures]
    # The others only lost their turn by the one that failed.
    for error in sorted(filter(None, errors), key=lambda error: isinstance(error, threading.BrokenBarrierError)):
        raise error
    return [future.result() for future in futures]


def amount(full):
    """How often, of `full` times: all, or the part that LATCHKEY_PART asks for."""
    return max(2, round(full * float(os.environ.get("LATCHKEY_PART", "1"))))


def require(holds, what):
    if not holds:
        raise AssertionError(what)


def soon(seconds, limit, what):
    """Requires that `seconds` are at most `limit`, unless the machine is so busy that time says nothing."""
    require(seconds <= limit or not JUDGES_TIME, f"{what} took {seconds:.2f} s, the limit is {limit} s")


def run(*checks):
    """Runs each check, names it with its figures, and ends with 1 when one failed."""
    # What whoever started this has blocked, its children would not hear.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Whoever has no more time for this lets it clean up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    failed = False
    wanted = sys.argv[1:]
    for check in checks:
        if wanted and check.__name__ not in wanted:
            continue
        started = time.monotonic()
        try:
            figures = check()
            print(f"ok   {check.__name__}: {figures} ({time.monotonic() - started:.0f} s)", flush=True)
        except Exception as error:  # Whatever it is, the next check has its turn.
            failed = True
            if not isinstance(error, (AssertionError, RuntimeError, Unanswered)):
                traceback.print_exc()
            print(f"FAIL {check.__name__}: {error}", flush=True)
    sys.exit(1 if failed else 0)
