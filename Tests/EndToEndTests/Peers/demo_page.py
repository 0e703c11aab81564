"""Chromium, headless and with a virtual authenticator, on the demo page of `latchkey-server dev`.

Sign up, sign out, sign in with autofill; by keyboard alone; on a screen of 360 px; what a screen reader is told; and with
ML-DSA, where the connection offers it.
LATCHKEY_SCREENSHOTS names a folder for pictures of the page.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

from playwright.sync_api import expect, sync_playwright

import accessibility
from support import ADMIN, SERVER, equal, free_port

SCREENSHOTS = os.environ.get("LATCHKEY_SCREENSHOTS")


class DevelopmentServer:
    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="latchkey-")
        folder = self.folder = pathlib.Path(self.temporary.name)
        port = free_port()
        self.url = f"http://localhost:{port}/"
        self.address = f"http://127.0.0.1:{port}/"
        self.log_file = folder / "log"
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen(
                [SERVER, "dev", "--listen", f"localhost:{port}", "--data-dir", str(folder / "data")],
                env={"PATH": "/usr/bin:/bin"}, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )
        deadline = time.monotonic() + 15
        while b"listening on" not in self.log_file.read_bytes():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the server did not start:\n" + self.log_file.read_text())
            time.sleep(0.02)
        return self

    def admin(self, *words):
        data = self.folder / "data"
        result = subprocess.run(
            [
                ADMIN, "--store", f"sqlite:{data}/latchkey.db", "--master-key-file", str(data / "master.key"), *words,
                "-o", "json",
            ],
            capture_output=True, text=True, check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(f"latchkey-admin {' '.join(words)}: {result.returncode}\n{result.stderr}")
        return json.loads(result.stdout)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(25)
        if status != 0:
            print(self.log_file.read_text())
        self.temporary.cleanup()
        equal(status, 0, "SIGTERM ends it well")


class Visit:
    """One page in a browser profile of its own, with a virtual authenticator."""

    def __init__(self, browser, server, script=None, **options):
        self.again = lambda: Visit(browser, server, script=script, **options)
        self.context = browser.new_context(**options)
        if script:
            self.context.add_init_script(script)
        self.page = self.context.new_page()
        self.problems = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.heard)
        self.devtools = self.context.new_cdp_session(self.page)
        self.devtools.send("WebAuthn.enable", {"enableUI": False})
        self.add_authenticator()
        self.page.goto(server.url)

    def heard(self, message):
        # A refusal of the API is logged by the browser as a failed request.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.problems.append(message.text)

    def add_authenticator(self):
        self.authenticator = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }})["authenticatorId"]

    def set_user_present(self, is_present):
        self.devtools.send("WebAuthn.setAutomaticPresenceSimulation", {
            "authenticatorId": self.authenticator, "enabled": is_present,
        })

    def picture(self, name):
        if SCREENSHOTS:
            self.page.screenshot(path=f"{SCREENSHOTS}/{name}.png", full_page=True)

    def close(self):
        self.context.close()
        equal(self.problems, [], "errors in the console")


def accessible(visit, *, heading):
    """A minimum that holds on every state of the page."""
    tree = accessibility.everything_has_a_name(visit.devtools)
    roles = [role for role, _ in tree]
    equal(roles.count("main"), 1, "one main landmark")
    equal(heading in [name for role, name in tree if role == "heading"], True, f"{heading} among the headings")
    equal(visit.page.evaluate("document.documentElement.lang"), "en")
    equal(bool(visit.page.title()), True)
    equal(visit.page.locator("h1:visible").count(), 1, "one h1 to be seen")


def contrast(visit):
    accessibility.can_be_read(visit.page, large=3)


def fits(visit):
    accessibility.fits(visit.page)


def journey(browser, server):
    """Sign up, see who I am, sign out, sign in with autofill, add a passkey, and what just happened."""
    visit = Visit(browser, server)
    page = visit.page
    expect(page.get_by_role("heading", name="No password")).to_be_visible()
    equal(page.get_by_label("Name or e-mail").get_attribute("autocomplete"), "username webauthn")
    accessible(visit, heading="No password. Just you.")
    contrast(visit)
    visit.picture("signed-out")

    # Autofill would take a passkey at once; there is none yet.
    page.get_by_label("Name or e-mail").fill("ana")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page.get_by_role("heading", name="Hello, ana")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Your account is made")
    expect(page.locator("#passkeys li")).to_have_count(1)
    accessible(visit, heading="Hello, ana")
    contrast(visit)
    visit.picture("signed-in")

    panel = page.locator("#happened")
    equal(panel.get_attribute("open"), None, "the panel is closed at first")
    page.get_by_text("What just happened").click()
    expect(panel).to_contain_text("POST /register/options")
    expect(panel).to_contain_text("POST /register/verify")
    command = panel.get_by_text(re.compile("latchkey-admin ceremony explain ")).first
    expect(command).to_be_visible()
    equal(re.search(r"explain (\S{10,})$", command.inner_text()) is not None, True, "it shows the ceremony's id")
    accessible(visit, heading="Hello, ana")
    contrast(visit)
    visit.picture("what-just-happened")

    # Signed out, the page waits with autofill. The virtual authenticator answers it by itself once somebody is there,
    # which it looks for when a request begins: on the page as it is loaded again.
    visit.set_user_present(False)
    with page.expect_response(lambda answer: answer.url.endswith("/login/options"), timeout=120_000):
        page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="No password")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("You are signed out")
    visit.picture("signed-out-again")
    # The request has begun by then, and has looked.
    page.wait_for_timeout(1000)
    visit.set_user_present(True)
    page.reload()
    expect(page.get_by_role("heading", name="Hello, ana")).to_be_visible(timeout=120_000)
    expect(panel).to_contain_text('"mediation": "conditional"')
    expect(panel).to_contain_text("POST /login/verify")
    visit.picture("signed-in-by-autofill")

    # A reload finds the session again.
    page.reload()
    expect(page.get_by_role("heading", name="Hello, ana")).to_be_visible()
    visit.close()


def by_keyboard(browser, server):
    """Everything is reached by Tab and done by Enter, and one sees where one is."""
    visit = Visit(browser, server)
    page = visit.page
    expect(page.get_by_role("heading", name="No password")).to_be_visible()

    def tab_to(role, name):
        for _ in range(12):
            page.keyboard.press("Tab")
            focused = page.evaluate("""() => {
              const element = document.activeElement, style = getComputedStyle(element);
              return [element.id || element.tagName, style.outlineStyle, parseFloat(style.outlineWidth)];
            }""")
            if page.get_by_role(role, name=name).evaluate("element => element === document.activeElement"):
                equal(focused[1] != "none" and focused[2] >= 2, True, f"the focus is seen on {focused[0]}")
                return
        raise AssertionError(f"{name} is not reached by Tab")

    tab_to("textbox", "Name or e-mail")
    page.keyboard.type("keys@example.com")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Hello, keys@example.com")).to_be_visible()
    visit.set_user_present(False)
    tab_to("button", "Sign out")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No password")).to_be_visible()
    tab_to("button", "Sign in with a passkey")
    visit.set_user_present(True)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Hello, keys@example.com")).to_be_visible(timeout=120_000)
    tab_to_summary = page.get_by_text("What just happened")
    tab_to_summary.focus()
    page.keyboard.press("Enter")
    equal(page.locator("#happened").get_attribute("open"), "", "the panel opens by Enter")
    visit.close()


def small_and_dark(browser, server):
    """360 px wide in the dark, through a sign-up and what goes wrong."""
    visit = Visit(browser, server, viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = visit.page
    expect(page.get_by_role("heading", name="No password")).to_be_visible()
    fits(visit)
    contrast(visit)
    visit.picture("small-signed-out")

    # A name that is taken, one that cannot be, and a person who cancels: a plain sentence each.
    page.get_by_label("Name or e-mail").fill("ana")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("already has an account")
    fits(visit)
    contrast(visit)
    visit.picture("small-refused")
    page.get_by_label("Name or e-mail").fill("a name with blanks")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be used")

    page.get_by_label("Name or e-mail").fill("a.rather.long.address.of.somebody@a-rather-long-name.example.com")
    page.get_by_role("button", name="Create account with a passkey").click()
    expect(page.get_by_role("heading", name="Hello, a.rather.long")).to_be_visible()
    page.get_by_text("What just happened").click()
    for summary in page.locator("#log summary").all():
        summary.click()
    fits(visit)
    contrast(visit)
    visit.picture("small-signed-in")

    # The account has a passkey on this device already.
    page.get_by_role("button", name="Add another passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("already has a passkey")
    visit.close()


def post_quantum(browser, server):
    """Where the connection offers ML-DSA first, the browser makes such a passkey, and signs in with it."""
    connection = server.admin("connection", "list")[0]["name"]
    member = "options.passkey_options.webauthn.algorithms"
    # Each with the number of bytes that its signatures have.
    for algorithm, size in ((-48, 2420), (-7, None)):
        server.admin("connection", "set", connection, f"{member}=[{algorithm},-257]")
        deadline = time.monotonic() + 10
        visit = Visit(browser, server, script="""
          const create = CredentialsContainer.prototype.create, get = CredentialsContainer.prototype.get;
          CredentialsContainer.prototype.create = async function (options) {
            const made = await create.call(this, options);
            sessionStorage.setItem('offered', JSON.stringify(options.publicKey.pubKeyCredParams.map((p) => p.alg)));
            sessionStorage.setItem('algorithm', made.response.getPublicKeyAlgorithm());
            return made;
          };
          CredentialsContainer.prototype.get = async function (options) {
            const used = await get.call(this, options);
            sessionStorage.setItem('size', used.response.signature.byteLength);
            return used;
          };
        """)
        page = visit.page

        def kept(name):
            return json.loads(page.evaluate("(name) => sessionStorage.getItem(name)", name) or "null")

        # The server looks at its configuration every few seconds.
        while True:
            page.get_by_label("Name or e-mail").fill(f"pq{algorithm}-{time.monotonic_ns()}@example.com")
            page.get_by_role("button", name="Create account with a passkey").click()
            expect(page.get_by_role("heading", name="Hello, pq")).to_be_visible()
            if kept("offered") == [algorithm, -257] or time.monotonic() > deadline:
                break
            visit.close()
            visit = visit.again()
            page = visit.page
        equal(kept("offered"), [algorithm, -257], "what is offered follows the connection")
        equal(kept("algorithm"), algorithm, "the browser takes the first")
        visit.set_user_present(False)
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="No password")).to_be_visible()
        visit.set_user_present(True)
        page.reload()
        expect(page.get_by_role("heading", name="Hello, pq")).to_be_visible(timeout=120_000)
        if size:
            equal(kept("size"), size, "the signature is one of ML-DSA-44")
        visit.close()


def without_passkeys(browser, server):
    """Where passkeys cannot be, the page says so and how to try it all the same."""
    context = browser.new_context()
    context.add_init_script("delete window.PublicKeyCredential")
    page = context.new_page()
    page.goto(server.url)
    expect(page.get_by_role("heading", name="This browser cannot")).to_be_visible()
    expect(page.get_by_text("virtual authenticator environment")).to_be_visible()
    context.close()


def by_address(browser, server):
    """127.0.0.1 leads to localhost: an address cannot be an RP ID."""
    page = browser.new_page()
    page.goto(server.address)
    equal(page.url, server.url)
    page.close()


with DevelopmentServer() as server, sync_playwright() as playwright:
    browser = playwright.chromium.launch(
        executable_path="/usr/bin/chromium", headless=True, args=["--no-sandbox", "--disable-gpu"]
    )
    expect.set_options(timeout=120_000)
    begun = time.monotonic()
    for part in (journey, by_keyboard, small_and_dark, post_quantum, without_passkeys, by_address):
        started = time.monotonic()
        part(browser, server)
        print(f"ok {part.__name__} ({time.monotonic() - started:.2f} s)", flush=True)
    browser.close()
    print(f"ok all ({time.monotonic() - begun:.1f} s)")
