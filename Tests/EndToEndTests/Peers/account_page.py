"""Chromium, headless and with virtual authenticators, on the account page: passkeys are made, named and removed, and the
browser's own list follows by signal; sessions and password; a proof where one is needed; without JavaScript where that is
promised; three languages, light and dark, 360 px, 200 %.
"""

import re

from playwright.sync_api import expect, sync_playwright

from hosted import PASSWORD, World
from support import Server, equal, run
from visits import CALLBACK, Visit, application

HEADINGS = ["Your account", "Passkeys", "Where you are signed in", "What happened lately"]
WITH_PASSWORD = HEADINGS[:2] + ["Password"] + HEADINGS[2:]


def account(visit):
    return visit.world.base + "/u/passkeys"


def shown(visit):
    """The page, once its script has told the passkey manager what there is."""
    expect(visit.page.get_by_role("heading", name="Your account")).to_be_visible()
    expect(visit.page.get_by_role("button", name="Make a passkey on this device")).to_be_visible()


def told(visit, message):
    expect(visit.page.get_by_role("status")).to_have_text(message)
    shown(visit)


def sign_up(visit, email):
    """From the account page to a new account with a passkey, and back."""
    visit.page.goto(account(visit))
    visit.page.get_by_role("link", name="Make an account").click()
    visit.page.get_by_label("E-mail").fill(email)
    visit.page.get_by_role("button", name="Make an account with a passkey").click()
    shown(visit)


def sign_in(visit, email, password=PASSWORD):
    visit.page.goto(account(visit))
    visit.page.get_by_label("E-mail, phone number or user name").fill(email)
    visit.page.get_by_label("Password").fill(password)
    visit.page.get_by_role("button", name="Sign in", exact=True).click()
    expect(visit.page.get_by_role("heading", name="Your account")).to_be_visible()


def open_details(visit, passkey):
    # The newest is the first.
    visit.page.get_by_label(re.compile(f"Rename or remove: {re.escape(passkey)}")).first.click()


def follows(visit, read, wanted, what):
    """The browser acts on a signal after the call is over."""
    for _ in range(600):
        if read() == wanted:
            return
        visit.page.wait_for_timeout(100)
    equal(read(), wanted, what)


def a_passkey_is_named_and_removed_and_the_browser_follows(browser, world):
    visit = Visit(browser, world)
    sign_up(visit, "eva@example.com")
    visit.look(*HEADINGS)
    visit.picture("account")
    expect(visit.page.get_by_text("so it cannot be removed")).to_have_count(1)
    # A second one, on another device.
    first = visit.authenticator
    second = visit.add_authenticator("usb")
    visit.set_user_present(False, first)
    visit.page.get_by_role("button", name="Make one on a phone, with a QR code").click()
    told(visit, "The passkey is made. It signs you in from now on.")
    equal(len(visit.credentials(second)), 1, "the second device has one")
    open_details(visit, "Passkey")
    name = visit.page.get_by_label("Name", exact=True).first
    name.fill("Key on my ring")
    name.press("Enter")
    told(visit, "The passkey has its new name.")
    expect(visit.page.get_by_text("Key on my ring")).to_be_visible()
    visit.picture("account-two")
    # An administrator changes the address; the browser shows the new one as soon as the page is looked at.
    world.change_user("eva@example.com", {"email": "eva@example.org"})
    visit.page.goto(account(visit))
    shown(visit)
    follows(
        visit, lambda: [key["userName"] for key in visit.credentials(first) + visit.credentials(second)],
        ["eva@example.org"] * 2, "the name in the browser's list",
    )
    open_details(visit, "Key on my ring")
    visit.look(*HEADINGS)
    visit.picture("account-details")
    visit.page.get_by_role("button", name="Remove: Key on my ring").click()
    told(visit, "The passkey is removed.")
    follows(visit, lambda: visit.credentials(second), [], "the browser has forgotten it")
    equal(len(visit.credentials(first)), 1, "the other is there still")
    visit.close()


def an_old_sign_in_leads_to_a_proof_and_back(browser, world):
    """A password does not do where there is a passkey."""
    world.sign_up("kim@example.com")
    visit = Visit(browser, world)
    visit.set_user_present(False)
    sign_in(visit, "kim@example.com")
    visit.look(*WITH_PASSWORD)
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Make a passkey on this device").click()
    told(visit, "The passkey is made. It signs you in from now on.")
    visit.set_user_present(False)
    open_details(visit, "Passkey")
    with visit.page.expect_response(lambda answer: "/u/passkey/login/options" in answer.url, timeout=120_000):
        visit.page.get_by_role("button", name=re.compile("^Remove: ")).click()
    expect(visit.page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(visit.page.get_by_label("Password")).to_have_count(0)
    visit.look("Sign in")
    # The request has begun by then, and has looked.
    visit.page.wait_for_timeout(1000)
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Sign in with a passkey").click()
    told(visit, "Thank you. Now make your change.")
    open_details(visit, "Passkey")
    visit.page.get_by_role("button", name=re.compile("^Remove: ")).click()
    told(visit, "The passkey is removed.")
    follows(visit, visit.credentials, [], "the browser has forgotten it")
    visit.close()


def without_javascript_all_but_a_new_passkey_works(browser, world):
    with_script = Visit(browser, world)
    sign_up(with_script, "lee@example.com")
    state = with_script.context.storage_state()
    plain = Visit(browser, world, has_authenticator=False, java_script_enabled=False, storage_state=state)
    page = plain.page
    page.goto(account(plain))
    # The browser reads the page as with scripts and runs none, so that it does not show what is for those without.
    equal("<noscript><p>Passkeys need JavaScript." in page.content().replace("&lt;", "<").replace("&gt;", ">"), True)
    plain.picture("account-plain")
    open_details(plain, "Passkey")
    page.get_by_label("Name", exact=True).fill("Laptop")
    page.get_by_role("button", name="Rename: Passkey").click()
    expect(page.get_by_role("status")).to_have_text("The passkey has its new name.")
    expect(page.get_by_text("Laptop")).to_be_visible()
    # Its own session ends last.
    page.get_by_role("button", name=re.compile("^Sign out: ")).click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    with_script.set_user_present(False)
    with_script.page.goto(account(with_script))
    expect(with_script.page.get_by_role("heading", name="Sign in")).to_be_visible()
    plain.close()
    with_script.close()


def a_password_is_changed_and_others_are_signed_out(browser, world):
    world.sign_up("ida@example.com")
    own = Visit(browser, world, has_authenticator=False, java_script_enabled=False)
    other = Visit(browser, world, has_authenticator=False)
    sign_in(own, "ida@example.com")
    sign_in(other, "ida@example.com")
    page = own.page
    page.reload()
    expect(page.get_by_role("button", name=re.compile("^Sign out: "))).to_have_count(2)
    page.get_by_role("button", name="Sign out everywhere else").click()
    expect(page.get_by_role("status")).to_have_text("That is signed out.")
    other.page.reload()
    expect(other.page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.locator("summary", has_text="Change the password").click()
    page.get_by_label("Password of now").fill("wrong")
    page.get_by_label("New password").fill("Another-horse-2")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("alert")).to_have_text("That name and password do not belong together.")
    page.locator("summary", has_text="Change the password").click()
    page.get_by_label("Password of now").fill(PASSWORD)
    page.get_by_label("New password").fill("Another-horse-2")
    page.get_by_role("button", name="Change the password").click()
    expect(page.get_by_role("status")).to_have_text("The password is changed.")
    own.picture("account-password")
    sign_in(other, "ida@example.com", "Another-horse-2")
    own.close()
    other.close()


def the_page_fits_every_screen_and_language(browser, world):
    first = Visit(browser, world)
    sign_up(first, "a.rather.long.address.of.somebody@a-rather-long-name.example.com")
    state = first.context.storage_state()
    headings = {
        "en": HEADINGS,
        "sv": ["Ditt konto", "Nycklar", "Där du är inloggad", "Vad som hänt på sistone"],
        "ja": ["アカウント", "パスキー", "ログイン中の場所", "最近の出来事"],
    }
    for language, wanted in headings.items():
        for scheme in ("light", "dark"):
            visit = Visit(
                browser, world, locale=language, color_scheme=scheme, viewport={"width": 360, "height": 640},
                has_authenticator=False, storage_state=state,
            )
            visit.page.goto(account(visit))
            expect(visit.page.locator("#passkey")).to_be_visible()
            visit.page.locator("summary").first.click()
            visit.look(*wanted)
            visit.picture(f"account-{language}-{scheme}")
            # At twice the size.
            visit.page.evaluate("document.documentElement.style.fontSize = '200%'")
            visit.look(*wanted)
            visit.close()
    first.close()


with Server(tls=False) as SERVER, application(), sync_playwright() as playwright:
    WORLD = World(SERVER, CALLBACK)
    # A loaded machine is no failure.
    expect.set_options(timeout=120_000)
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])

    def on_chromium(test):
        def body():
            test(chromium, WORLD)
        body.__name__ = test.__name__
        return body

    run(*map(on_chromium, (
        a_passkey_is_named_and_removed_and_the_browser_follows,
        an_old_sign_in_leads_to_a_proof_and_back,
        without_javascript_all_but_a_new_passkey_works,
        a_password_is_changed_and_others_are_signed_out,
        the_page_fits_every_screen_and_language,
    )))
    chromium.close()
