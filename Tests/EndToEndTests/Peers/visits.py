"""A browser profile on the hosted pages, with a virtual authenticator, and the application that sent it there.

LATCHKEY_SCREENSHOTS names a folder for pictures of the pages.
"""

import contextlib
import http.server
import os
import re
import threading
import urllib.parse

import accessibility
from hosted import answered
from support import equal, free_port

SCREENSHOTS = os.environ.get("LATCHKEY_SCREENSHOTS")
CALLBACK = f"http://localhost:{free_port()}/callback"
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


class Application(http.server.BaseHTTPRequestHandler):
    """Where answers arrive: a page with nothing on it."""

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Visit:
    """A browser profile with a virtual authenticator."""

    def __init__(self, browser, world, *, script=None, has_authenticator=True, **options):
        self.world = world
        # Where requests may go beside the server's own pages.
        self.own = CALLBACK
        self.context = browser.new_context(**options)
        if script:
            self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.problems, self.elsewhere = [], []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.heard)
        self.page.on("request", self.asked)
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.send("WebAuthn.enable", {"enableUI": False})
        if has_authenticator:
            self.authenticator = self.add_authenticator("internal")

    def add_authenticator(self, transport):
        return self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": transport, "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }})["authenticatorId"]

    def heard(self, message):
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def asked(self, request):
        favicon = CALLBACK.replace("/callback", "/favicon.ico")
        if not request.url.startswith((self.world.base + "/", self.own, favicon, "data:")):
            self.elsewhere.append(request.url)

    def open(self, **more):
        query = {
            "client_id": self.world.spa, "response_type": "code", "redirect_uri": CALLBACK, "state": "s",
            "scope": "openid", "code_challenge": CHALLENGE, "code_challenge_method": "S256", **more,
        }
        self.page.goto(self.world.base + "/authorize?" + urllib.parse.urlencode(query))

    def open_with_nobody_there(self, **more):
        """The page waits with autofill, and the authenticator, which looks for somebody when a request begins, has
        looked."""
        self.set_user_present(False)
        with self.page.expect_response(lambda answer: "/u/passkey/login/options" in answer.url, timeout=120_000):
            self.open(**more)
        self.page.wait_for_timeout(1000)

    def comes_back(self):
        """The answer that the application gets."""
        self.page.wait_for_url(re.compile(re.escape(CALLBACK)), timeout=120_000)
        answer = answered(self.page.url)
        equal(answer.get("error"), None, self.page.url)
        equal(answer["state"], "s")
        return answer["code"]

    def set_user_present(self, is_present, authenticator=None):
        self.devtools.send("WebAuthn.setAutomaticPresenceSimulation", {
            "authenticatorId": authenticator or self.authenticator, "enabled": is_present,
        })

    def credentials(self, authenticator=None):
        """What a virtual authenticator has."""
        found = self.devtools.send("WebAuthn.getCredentials", {"authenticatorId": authenticator or self.authenticator})
        return found["credentials"]

    def picture(self, name):
        if SCREENSHOTS:
            self.page.screenshot(path=f"{SCREENSHOTS}/hosted-{name}.png", full_page=True)

    def look(self, *headings):
        """What holds on every page: nothing unnamed, nothing too wide, nothing hard to read, and these headings."""
        tree = accessibility.everything_has_a_name(self.devtools)
        equal([name for role, name in tree if role == "heading"], list(headings))
        accessibility.fits(self.page)
        accessibility.can_be_read(self.page)

    def close(self):
        self.context.close()
        equal(self.problems, [], "errors in the console")
        equal(self.elsewhere, [], "requests to others")


@contextlib.contextmanager
def application():
    """Answers at CALLBACK."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", urllib.parse.urlsplit(CALLBACK).port), Application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
