"""Chromium, headless and with a virtual authenticator, on the hosted pages: a new account with a passkey, sign-in by
autofill and by the button, a password without JavaScript, what a screen reader is told, 360 px, and no word of another
origin.
"""

import re
import urllib.parse

from playwright.sync_api import expect, sync_playwright

from hosted import World, answered
from support import Server, equal, run
from visits import CALLBACK, Visit, application


def a_passkey_is_made_and_signs_in(browser, world):
    visit = Visit(browser, world)
    visit.open(screen_hint="signup")
    visit.look("Make an account")
    visit.picture("signup")
    visit.page.get_by_role("button", name="Make an account with a passkey").click()
    # The browser itself says what is missing.
    equal(visit.page.evaluate("document.activeElement.id"), "email")
    visit.page.get_by_label("E-mail").fill("eva@example.com")
    visit.page.get_by_role("button", name="Make an account with a passkey").click()
    visit.comes_back()
    keys = visit.credentials()
    equal([key["userName"] for key in keys], ["eva@example.com"])
    # Signed in already, the page is not shown again.
    visit.open()
    visit.comes_back()
    # Autofill: the virtual authenticator answers as soon as somebody is there.
    visit.open(prompt="login", acr_values="phr")
    visit.comes_back()
    # The button, with nobody there for the field to be filled by.
    visit.open_with_nobody_there(prompt="login")
    visit.look("Sign in")
    visit.picture("login")
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Sign in with a passkey").click()
    visit.comes_back()
    # Whoever has an account is led to the sign-in.
    visit.set_user_present(False)
    visit.open(prompt="create")
    visit.page.get_by_label("E-mail").fill("EVA@example.com")
    visit.page.get_by_role("button", name="Make an account with a passkey").click()
    expect(visit.page.get_by_role("heading", name="Sign in")).to_be_visible()
    visit.close()


def a_passkey_that_is_not_known_is_told_and_forgotten(browser, world):
    visit = Visit(browser, world)
    visit.open(screen_hint="signup")
    visit.page.get_by_label("E-mail").fill("kim@example.com")
    visit.page.get_by_role("button", name="Make an account with a passkey").click()
    visit.comes_back()
    key, = world.server.admin("passkey", "list", "--tenant", "acme", "kim@example.com")
    world.server.admin("passkey", "revoke", "--tenant", "acme", key["id"], "--last", "--yes")
    visit.open_with_nobody_there(prompt="login")
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Sign in with a passkey").click()
    expect(visit.page.get_by_role("alert")).to_have_text("This passkey is not known here any more. Use another one.")
    visit.look("Sign in")
    keys = visit.credentials()
    equal(keys, [], "the browser has forgotten it")
    visit.close()


def an_operators_link_gives_somebody_back_a_passkey(browser, world):
    """Who lost a device makes a passkey on another one; what was signed in is so no more, and the link is spent."""
    lost = Visit(browser, world)
    lost.open(screen_hint="signup")
    lost.page.get_by_label("E-mail").fill("lee@example.com")
    lost.page.get_by_role("button", name="Make an account with a passkey").click()
    lost.comes_back()
    link = world.server.admin("enroll-link", "--tenant", "acme", "lee@example.com")["link"]
    found = Visit(browser, world)
    # Looked at by a scanner of mails, it is still good.
    for _ in range(2):
        found.page.goto(link)
        found.look("Make a new passkey")
    expect(found.page.get_by_text("lee@example.com")).to_be_visible()
    found.picture("enroll-passkey")
    found.page.get_by_role("button", name="Make a passkey").click()
    # The passkey that was lost is still there, and can be taken away.
    expect(found.page.get_by_role("heading", name="Your passkey is made")).to_be_visible()
    found.look("Your passkey is made")
    found.picture("enroll-passkey-done")
    found.page.get_by_role("checkbox").check()
    found.page.get_by_role("button", name="Remove those that are chosen").click()
    expect(found.page.get_by_role("heading", name="Done")).to_be_visible()
    found.page.goto(link)
    found.look("This link is no longer good")
    found.open()
    found.comes_back()
    lost.set_user_present(False)
    lost.open(prompt="none")
    lost.page.wait_for_url(re.compile(re.escape(CALLBACK)), timeout=120_000)
    equal(answered(lost.page.url)["error"], "login_required")
    lost.close()
    found.close()


def a_password_signs_in_with_and_without_javascript(browser, world):
    for javascript in (True, False):
        visit = Visit(browser, world, has_authenticator=False, java_script_enabled=javascript)
        visit.open()
        visit.page.get_by_label("E-mail, phone number or user name").fill("ana@example.com")
        visit.page.get_by_label("Password").fill("wrong")
        visit.page.get_by_role("button", name="Sign in", exact=True).click()
        expect(visit.page.get_by_role("alert")).to_have_text("That name and password do not belong together.")
        if javascript:
            visit.look("Sign in")
            visit.picture("wrong-password")
        visit.page.get_by_label("Password").fill("Correct-horse-1")
        visit.page.get_by_label("Password").press("Enter")
        visit.comes_back()
        visit.close()


def the_pages_fit_every_screen_and_language(browser, world):
    headings = {"en": "Sign in", "sv": "Logga in", "ja": "ログイン"}
    for language, heading in headings.items():
        for scheme in ("light", "dark"):
            visit = Visit(
                browser, world, locale=language, color_scheme=scheme, viewport={"width": 360, "height": 640},
                has_authenticator=False,
            )
            visit.open()
            visit.look(heading)
            visit.picture(f"login-{language}-{scheme}")
            # At twice the size.
            visit.page.evaluate("document.documentElement.style.fontSize = '200%'")
            visit.look(heading)
            visit.close()


def an_answer_comes_by_form_where_it_was_asked_for(browser, world):
    visit = Visit(browser, world, has_authenticator=False)
    visit.open()
    visit.page.get_by_label("E-mail, phone number or user name").fill("ana@example.com")
    visit.page.get_by_label("Password").fill("Correct-horse-1")
    visit.page.get_by_label("Password").press("Enter")
    visit.comes_back()
    with visit.page.expect_request(lambda request: request.url == CALLBACK) as posted:
        visit.open(response_mode="form_post")
    answer = dict(urllib.parse.parse_qsl(posted.value.post_data))
    equal(sorted(answer), ["code", "iss", "state"])
    visit.close()


def a_password_is_followed_by_the_upgrade_that_a_browser_can(browser, world):
    """The virtual authenticator refuses the conditional create, as a manager does that has not kept the password: the
    sign-in goes on all the same. What the server takes for an answer is tried where an answer can be made."""
    calls = """
      window.created = [];
      const create = navigator.credentials.create.bind(navigator.credentials);
      navigator.credentials.create = (options) => {
        sessionStorage.setItem('mediation', options.mediation); return create(options);
      };
    """
    visit = Visit(browser, world, script=calls)
    visit.set_user_present(False)
    visit.open()
    able = visit.page.evaluate("PublicKeyCredential.getClientCapabilities().then((able) => able.conditionalCreate)")
    paths = []
    visit.page.on("request", lambda request: paths.append(urllib.parse.urlsplit(request.url).path))
    visit.page.get_by_label("E-mail, phone number or user name").fill("ana@example.com")
    visit.page.get_by_label("Password").fill("Correct-horse-1")
    visit.page.get_by_role("button", name="Sign in", exact=True).click()
    # No passkey came of it: the page asks, once.
    expect(visit.page.get_by_role("button", name="Make a passkey")).to_be_visible()
    visit.look("You are signed in")
    visit.picture("upgrade-question")
    visit.page.get_by_role("button", name="Not now").click()
    visit.comes_back()
    equal("/u/upgrade" in paths, True, paths)
    equal("/u/passkey/register/options" in paths, bool(able), paths)
    visit.open_with_nobody_there(prompt="login")
    visit.page.get_by_label("E-mail, phone number or user name").fill("ana@example.com")
    visit.page.get_by_label("Password").fill("Correct-horse-1")
    visit.page.get_by_role("button", name="Sign in", exact=True).click()
    visit.comes_back()
    equal(visit.credentials(), [])
    visit.close()


def the_question_after_a_password_makes_a_passkey(browser, world):
    world.sign_up("mia@example.com")
    visit = Visit(browser, world)
    visit.open()
    visit.page.get_by_label("E-mail, phone number or user name").fill("mia@example.com")
    visit.page.get_by_label("Password").fill("Correct-horse-1")
    visit.page.get_by_role("button", name="Sign in", exact=True).click()
    visit.page.get_by_role("button", name="Make a passkey").click()
    visit.comes_back()
    equal([key["userName"] for key in visit.credentials()], ["mia@example.com"])
    # It signs in, by autofill.
    visit.open(prompt="login", acr_values="phr")
    visit.comes_back()
    visit.close()


with Server(tls=False) as SERVER, application(), sync_playwright() as playwright:
    WORLD = World(SERVER, CALLBACK)
    SERVER.admin(
        "connection", "set", "--tenant", "acme", "Username-Password-Authentication",
        "options.passkey_options.upgrade_without_notice=true",
    )
    WORLD.sign_up("ana@example.com")
    # A loaded machine is no failure.
    expect.set_options(timeout=120_000)
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])

    def on_chromium(test):
        def body():
            test(chromium, WORLD)
        body.__name__ = test.__name__
        return body

    run(*map(on_chromium, (
        a_passkey_is_made_and_signs_in,
        a_passkey_that_is_not_known_is_told_and_forgotten,
        an_operators_link_gives_somebody_back_a_passkey,
        a_password_signs_in_with_and_without_javascript,
        the_pages_fit_every_screen_and_language,
        an_answer_comes_by_form_where_it_was_asked_for,
        a_password_is_followed_by_the_upgrade_that_a_browser_can,
        the_question_after_a_password_makes_a_passkey,
    )))
    chromium.close()
