"""Runs the README's web snippet in a real browser: a passkey is made and used, from a page of another origin.

Arguments: the file with the snippet, the port of the page.
"""

import http.server
import pathlib
import sys
import threading

from playwright.sync_api import sync_playwright

SNIPPET = pathlib.Path(sys.argv[1]).read_bytes()
PORT = int(sys.argv[2])
PAGE = b"""<!doctype html><title>My app</title>
<script type="module">import * as app from "/app.js"; window.app = app; document.title = "ready";</script>"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        files = {"/": (PAGE, "text/html"), "/app.js": (SNIPPET, "text/javascript")}
        body, kind = files.get(self.path, (None, None))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Pages)
threading.Thread(target=server.serve_forever, daemon=True).start()

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page()
    page.on("console", lambda message: print("console:", message.text, file=sys.stderr))
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    }})
    page.goto(f"http://localhost:{PORT}/")
    page.wait_for_function("document.title === 'ready'", timeout=60_000)
    made = page.evaluate("app.signUp('ana@example.com')")
    used = page.evaluate("app.signIn()")
    for answer in (made, used):
        if answer.get("verified") is not True or answer["user"]["username"] != "ana@example.com" or not answer["token"]:
            raise SystemExit(f"not signed in: {answer}")
    if not any(cookie["name"].endswith("pk_session") for cookie in page.context.cookies()):
        raise SystemExit("no session cookie")
    browser.close()
print("ok")
