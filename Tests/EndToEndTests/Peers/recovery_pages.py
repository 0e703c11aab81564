"""Chromium and a mail server on loopback: somebody who lost their passkey gets back in by a mailed code, by the mailed
link and by a printed code, in the browser that asked and in no other; and whoever is told of a passkey that was planted
with a stolen password takes it back.

LATCHKEY_SCREENSHOTS names a folder for pictures of the pages.
"""

import email
import email.policy
import re
import sys
import time

from fido2.client import DefaultClientDataCollector, Fido2Client
from playwright.sync_api import expect, sync_playwright

from hosted import PASSWORD, World
from software_device import SoftwareDevice
from support import ROOT, Server, equal, run
from visits import CALLBACK, Visit, application

sys.path.insert(0, str(ROOT / "Packages/Transfer/Tests/TransferTests/Peers"))
from smtp_sink import Sink  # noqa: E402: what is beside the library's own tests.

MADE = "Make an account with a passkey"


class Mailbox:
    """What arrives, in the order that it was sent."""

    def __init__(self, sink):
        self.sink, self.seen = sink, 0

    def next(self, recipient):
        """The text of the next mail, which is to this address."""
        limit = time.monotonic() + 120
        while True:
            with self.sink.lock:
                mails = list(self.sink.mails)
            if len(mails) > self.seen:
                break
            if time.monotonic() > limit:
                raise AssertionError("no mail came")
            time.sleep(0.05)
        mail = mails[self.seen]
        self.seen += 1
        equal(mail["recipients"], [recipient])
        message = email.message_from_string(mail["message"], policy=email.policy.default)
        text, page = message.iter_parts()
        equal(links(text.get_content()), list(dict.fromkeys(re.findall(r'href="([^"]+)"', page.get_content()))))
        return str(message["Subject"]), "\n".join(text.get_content().splitlines())


def code_in(text):
    return re.search(r"^(\d{4} \d{4})$", text, re.M)[1]


def links(text):
    return re.findall(r"http\S+", text)


def sees(visit, heading):
    """Waits for a page, and holds it to what holds on every one."""
    expect(visit.page.get_by_role("heading", name=heading)).to_be_visible()
    visit.look(heading)


def sign_up(visit, address):
    visit.open(screen_hint="signup")
    visit.page.get_by_label("E-mail").fill(address)
    visit.page.get_by_role("button", name=MADE).click()
    visit.comes_back()


def ask_for_code(visit, address):
    """From the sign-in page to the page that takes the code."""
    visit.open(prompt="login")
    visit.page.get_by_role("link", name="Lost your passkey or your phone?").click()
    sees(visit, "Get back into your account")
    visit.picture("recover-ask")
    visit.page.get_by_label("E-mail, phone number or user name").fill(address)
    visit.page.get_by_role("button", name="Go on").click()
    sees(visit, "Enter a code")
    visit.picture("recover-code")


def a_mailed_code_gives_somebody_back_a_passkey(browser, world, mailbox):
    lost = Visit(browser, world)
    sign_up(lost, "ana@example.com")
    found = Visit(browser, world)
    ask_for_code(found, "ana@example.com")
    subject, text = mailbox.next("ana@example.com")
    equal(subject, "Your code for acme")
    code = code_in(text)
    # Wrong ones are told, and void nothing until there were five.
    for _ in range(2):
        found.page.get_by_label("Code from the mail").fill("0000 0000")
        found.page.get_by_role("button", name="Go on").click()
        expect(found.page.get_by_role("alert")).to_have_text(
            "This code is wrong, or too old. Look at it again, or start again."
        )
        sees(found, "Enter a code")
    found.page.get_by_label("Code from the mail").fill(code)
    found.page.get_by_role("button", name="Go on").click()
    sees(found, "Make a new passkey")
    found.picture("recover-passkey")
    # A ceremony that fails burns nothing.
    bits = {"authenticatorId": found.authenticator}
    found.devtools.send("WebAuthn.setResponseOverrideBits", {**bits, "isBadUV": True})
    found.page.get_by_role("button", name="Make a passkey").click()
    expect(found.page.get_by_role("alert")).to_have_text(
        "The passkey has to check that it is you: by fingerprint, face or PIN."
    )
    found.devtools.send("WebAuthn.setResponseOverrideBits", {**bits, "isBadUV": False})
    found.page.get_by_role("button", name="Make a passkey").click()
    # The address was proven for the first time: what was made before is gone, and there is nothing to look through.
    found.comes_back()
    subject, text = mailbox.next("ana@example.com")
    assert subject.startswith("Your account at ") and "has a new passkey" in text, text
    lost.open_with_nobody_there(prompt="login")
    lost.set_user_present(True)
    lost.page.get_by_role("button", name="Sign in with a passkey").click()
    expect(lost.page.get_by_role("alert")).to_have_text("This passkey is not known here any more. Use another one.")
    lost.close()

    # Of an address that was proven, older passkeys stay until they are looked through.
    third = Visit(browser, world)
    ask_for_code(third, "ana@example.com")
    _, text = mailbox.next("ana@example.com")
    third.page.get_by_label("Code from the mail").fill(code_in(text))
    third.page.get_by_role("button", name="Go on").click()
    third.page.get_by_role("button", name="Make a passkey").click()
    expect(third.page.get_by_role("heading", name="Your passkey is made")).to_be_visible()
    sees(third, "Your passkey is made")
    third.picture("review-passkeys")
    third.page.get_by_role("checkbox").check()
    third.page.get_by_role("button", name="Remove those that are chosen").click()
    sees(third, "Done")
    third.page.get_by_role("link", name="Continue").click()
    third.comes_back()
    mailbox.next("ana@example.com")
    found.open_with_nobody_there(prompt="login")
    found.set_user_present(True)
    found.page.get_by_role("button", name="Sign in with a passkey").click()
    expect(found.page.get_by_role("alert")).to_have_text("This passkey is not known here any more. Use another one.")
    found.close()
    third.close()


def a_mailed_link_works_in_the_browser_that_asked(browser, world, mailbox):
    lost = Visit(browser, world)
    sign_up(lost, "bo@example.com")
    lost.close()
    found = Visit(browser, world)
    ask_for_code(found, "bo@example.com")
    _, text = mailbox.next("bo@example.com")
    link, _ = links(text)
    # Another jar, and a scanner of mails: they are shown nothing, and use nothing up.
    elsewhere = Visit(browser, world, has_authenticator=False)
    for _ in range(3):
        elsewhere.page.goto(link)
        sees(elsewhere, "Not in this browser")
    elsewhere.picture("recover-elsewhere")
    elsewhere.close()
    found.page.goto(link)
    found.page.get_by_role("button", name="Go on").click()
    found.page.get_by_role("button", name="Make a passkey").click()
    # It was not opened in the tab of the sign-in.
    expect(found.page.get_by_role("status")).to_have_text(
        "Your passkey is made, and you are signed in. Go back to the application."
    )
    mailbox.next("bo@example.com")
    found.open(prompt="none")
    found.comes_back()
    found.page.goto(link)
    sees(found, "Not in this browser")
    found.close()


def a_recovery_that_is_not_ones_own_is_stopped(browser, world, mailbox):
    thief = Visit(browser, world)
    ask_for_code(thief, "bo@example.com")
    _, text = mailbox.next("bo@example.com")
    code, (_, stop) = code_in(text), links(text)
    owner = Visit(browser, world, has_authenticator=False)
    owner.page.goto(stop)
    sees(owner, "It was not you?")
    owner.picture("not-me")
    owner.page.get_by_role("button", name="It was not me").click()
    sees(owner, "It is stopped")
    owner.page.goto(stop)
    sees(owner, "This link is no longer good")
    owner.close()
    thief.page.get_by_label("Code from the mail").fill(code)
    thief.page.get_by_role("button", name="Go on").click()
    sees(thief, "Not in this browser")
    thief.close()


def a_planted_passkey_is_taken_back(browser, world, mailbox):
    """Chromium's virtual authenticator makes none without asking: the software one stands in for the thief's."""
    world.sign_up("kim@example.com")
    native = {"client_id": world.native}
    password = {"grant_type": "password", "username": "kim@example.com", "password": PASSWORD, "scope": "openid"}
    signed_in = world.server.post("/oauth/token", {**native, **password}).json()
    offer, bearer = signed_in["passkey_upgrade"], {"Authorization": "Bearer " + signed_in["access_token"]}
    thief = Fido2Client(SoftwareDevice(), DefaultClientDataCollector(world.base, verify=lambda rp_id, origin: True))
    made = thief.make_credential(offer["authn_params_public_key"])
    answer = {**native, "auth_session": offer["auth_session"], "response": dict(made)}
    planted = world.server.post("/register/verify", answer, headers=bearer)
    equal(planted.status_code, 200, planted.text)
    subject, text = mailbox.next("kim@example.com")
    assert subject.startswith("A passkey was made for your account at "), subject
    assert re.search(r"When: \d{4}-\d\d-\d\d \d\d:\d\d UTC\. From: 127\.0\.0\.1\. ", text), text
    stop, = links(text)
    for _ in range(2):
        equal(world.server.session.get(stop, timeout=60).status_code, 200, "a scanner opens it")
    equal(world.server.get("/api/me", headers=bearer).status_code, 200, "which ends nothing")
    owner = Visit(browser, world, has_authenticator=False)
    owner.page.goto(stop)
    sees(owner, "It was not you?")
    owner.page.get_by_role("button", name="It was not me").click()
    # It leads to a new password.
    sees(owner, "Choose a new password")
    owner.page.get_by_label("Password").fill("Another-horse-2")
    owner.page.get_by_role("button", name="Set the password").click()
    sees(owner, "Your password is set")
    owner.close()
    equal(world.server.get("/api/me", headers=bearer).status_code, 401)
    equal(world.server.admin("passkey", "list", "--tenant", "acme", "kim@example.com"), [])
    again = world.server.post("/oauth/token", {**native, **password})
    equal(again.json()["reason"], "wrong_credentials", again.text)


SINK = Sink({})
MAIL = {"LATCHKEY_MAIL": f"smtp://127.0.0.1:{SINK.port}", "LATCHKEY_MAIL_FROM": "no-reply@acme.example"}

with Server(tls=False, **MAIL) as SERVER, application(), sync_playwright() as playwright:
    WORLD, MAILBOX = World(SERVER, CALLBACK), Mailbox(SINK)
    WORLD.native = SERVER.admin(
        "client", "create", "--tenant", "acme", "--name", "App", "--type", "native", "--grant", "password",
        "--grant", "passkey",
    )["client_id"]
    # A loaded machine is no failure.
    expect.set_options(timeout=120_000)
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])

    def on_chromium(test):
        def body():
            test(chromium, WORLD, MAILBOX)
        body.__name__ = test.__name__
        return body

    run(*map(on_chromium, (
        a_mailed_code_gives_somebody_back_a_passkey,
        a_mailed_link_works_in_the_browser_that_asked,
        a_recovery_that_is_not_ones_own_is_stopped,
        a_planted_passkey_is_taken_back,
    )))
    chromium.close()
SINK.close()
