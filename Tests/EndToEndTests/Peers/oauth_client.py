"""Authlib, unmodified, as a client that signs its users in on the hosted pages: discovery, authorization code with PKCE,
tokens, user info, refresh, logout; and what it must not get. The pages are driven by an HTML parser and a cookie jar."""

import base64
import hashlib
import time
import urllib.parse

from authlib.common.security import generate_token

from hosted import CALLBACK, SIGNED_OUT, Browser, Form, World, answered
from relying_party import Application, signed_in
from support import Server, equal, refused, run


def discovery_names_what_is_served():
    metadata = Application(WORLD).metadata
    for name in ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint"):
        assert metadata[name].startswith(WORLD.base + "/"), metadata
    equal(metadata["response_types_supported"], ["code"])
    equal(metadata["code_challenge_methods_supported"], ["S256"])
    assert "authorization_code" in metadata["grant_types_supported"]


def a_code_becomes_tokens_that_refresh_and_end():
    for confidential in (False, True):
        application, browser = Application(WORLD, confidential=confidential), Browser(WORLD)
        started = int(time.time())
        page, url = browser.sign_in(application.begin(), "ana@example.com")
        equal(page, None, page.text if page else "")
        tokens = application.finish(url)
        claims = application.claims(tokens, nonce=application.nonce)
        assert started - 5 <= claims["auth_time"] <= time.time() + 5 and claims["amr"] == ["pwd"], claims
        assert "at_hash" in claims
        info = application.session.get(application.metadata["userinfo_endpoint"], timeout=60).json()
        equal(info["email"], "ana@example.com")
        equal(info["sub"], claims["sub"])
        again = application.session.refresh_token(
            application.metadata["token_endpoint"], refresh_token=tokens["refresh_token"],
        )
        later = application.claims(again)
        equal((later["sid"], later["auth_time"]), (claims["sid"], claims["auth_time"]))
        assert "nonce" not in later
        end = application.metadata["end_session_endpoint"] + "?" + urllib.parse.urlencode({
            "id_token_hint": tokens["id_token"], "post_logout_redirect_uri": SIGNED_OUT, "state": "x y",
        })
        equal(browser.go(end), (None, SIGNED_OUT + "?state=x%20y"))
        equal(answered(browser.go(application.begin(prompt="none"))[1])["error"], "login_required")


def a_page_without_javascript_signs_in():
    application, browser = Application(WORLD), Browser(WORLD)
    page, _ = browser.go(application.begin(ui_locales="ja"))
    form = Form(page.text)
    equal((form.method, form.submits), ("post", 1))
    equal(sorted(form.fields), ["csrf_token", "state"])
    equal(form.names[2:], [
        ("username", "text", "username webauthn"), ("password", "password", "current-password"),
    ])
    equal(page.headers["content-language"], "ja")
    for username in ("ana@example.com", "nobody@example.com"):
        wrong, _ = browser.go(form.action, {**form.fields, "username": username, "password": "wrong"})
        equal(wrong.status_code, 400)
        again = Form(wrong.text)
        assert again.alert, wrong.text
        form = again
    page, url = browser.go(form.action, {**form.fields, "username": "ana@example.com", "password": "Correct-horse-1"})
    equal(page, None, page.text if page else "")
    application.claims(application.finish(url), nonce=application.nonce)


def a_new_account_signs_in_at_once():
    application, browser = Application(WORLD), Browser(WORLD)
    page, _ = browser.go(application.begin(screen_hint="signup"))
    form = Form(page.text)
    email = f"{generate_token(8).lower()}@example.com"
    page, url = browser.go(form.action, {**form.fields, "email": email, "password": "Correct-horse-1"})
    equal(page, None, page.text if page else "")
    tokens = application.finish(url)
    equal(application.session.get(application.metadata["userinfo_endpoint"], timeout=60).json()["email"], email)
    application.claims(tokens, nonce=application.nonce)
    # The name is taken now: the page says so no more than the API.
    page, _ = Browser(WORLD).go(application.begin(screen_hint="signup"))
    form, other = Form(page.text), Browser(WORLD)
    page, _ = other.go(application.begin(screen_hint="signup"))
    form = Form(page.text)
    page, url = other.go(form.action, {**form.fields, "email": email, "password": "Another-horse-2"})
    equal((page.status_code, url), (400, None))


def prompt_and_max_age_ask_anew():
    application, browser = Application(WORLD), Browser(WORLD)
    browser.sign_in(application.begin(), "ana@example.com")
    first = application.claims(signed_in(application, browser, prompt="none"), nonce=application.nonce)
    signed_in(application, browser, max_age=10_000)
    for more in ({"prompt": "login"}, {"prompt": "select_account"}, {"max_age": 1}):
        time.sleep(2.1)
        page, url = browser.go(application.begin(**more))
        equal((page.status_code, url), (200, None))
        form = Form(page.text)
        _, url = browser.go(form.action, {**form.fields, "username": "ana@example.com", "password": "Correct-horse-1"})
        claims = application.claims(application.finish(url), nonce=application.nonce)
        assert claims["auth_time"] > first["auth_time"], (claims, first)
    equal(answered(browser.go(application.begin(prompt="none", acr_values="phr"))[1])["error"],
          "unmet_authentication_requirements")
    equal(answered(Browser(WORLD).go(application.begin(prompt="none"))[1])["error"], "login_required")


def a_code_is_bound_and_works_once():
    application, browser = Application(WORLD), Browser(WORLD)
    browser.sign_in(application.begin(), "ana@example.com")

    def code(**more):
        return answered(browser.go(application.begin(prompt="none", **more))[1])["code"]

    invalid = (403, "invalid_grant", "Invalid authorization code", "code_invalid")
    failed = (403, "invalid_grant", "Failed to verify code verifier", "pkce_failed")
    for changes, row in (
        ({"redirect_uri": "http://127.0.0.1/native"},
         (403, "invalid_grant", "The redirect_uri does not match", "redirect_uri_mismatch")),
        ({"code_verifier": "x" * 43}, failed), ({"code_verifier": None}, failed),
        ({"client_id": WORLD.backend, "client_secret": WORLD.secret}, invalid),
    ):
        taken = code()
        refused(application.exchange(taken, **changes), *row)
        if "client_id" not in changes:
            # The first request of the right client takes it, whatever the outcome.
            refused(application.exchange(taken), *invalid)
        else:
            equal(application.exchange(taken).status_code, 200)
    once = code()
    tokens = application.exchange(once).json()
    refused(application.exchange(once), *invalid)
    refresh = {"grant_type": "refresh_token", "client_id": WORLD.spa, "refresh_token": tokens["refresh_token"]}
    refused(WORLD.server.post("/oauth/token", refresh), 403, "invalid_grant", "Unknown or invalid refresh token.",
            "refresh_token_invalid")
    bearer = {"Authorization": "Bearer " + tokens["access_token"]}
    equal(WORLD.server.get("/userinfo", headers=bearer).status_code, 401)
    # The session itself goes on.
    assert code()


def a_verifier_without_a_challenge_is_refused():
    application, browser = Application(WORLD, confidential=True), Browser(WORLD)
    query = {"client_id": WORLD.backend, "response_type": "code", "redirect_uri": CALLBACK, "scope": "openid"}
    address = application.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(query)
    _, url = browser.sign_in(address, "ana@example.com")
    body = {"client_id": WORLD.backend, "client_secret": WORLD.secret}
    application.verifier = "v" * 43
    refused(application.exchange(answered(url)["code"], **body), 403, "invalid_grant",
            "Failed to verify code verifier", "pkce_failed")
    _, url = browser.go(address)
    equal(application.exchange(answered(url)["code"], **body, code_verifier=None).status_code, 200)
    # A public client cannot do without.
    _, url = browser.go(address.replace(WORLD.backend, WORLD.spa))
    equal(answered(url)["error"], "invalid_request")


def a_wrong_callback_goes_nowhere():
    application, browser = Application(WORLD), Browser(WORLD)
    for callback in ("https://app.example.com/callback/", "https://app.example.com.evil.example/callback", ""):
        address = application.begin().replace(urllib.parse.quote(CALLBACK, safe=""), urllib.parse.quote(callback, safe=""))
        page, url = browser.go(address)
        equal((page.status_code, url), (400, None))
        assert "Callback URL mismatch." in page.text
    native = application.begin().replace(
        urllib.parse.quote(CALLBACK, safe=""), urllib.parse.quote("http://127.0.0.1:51234/native", safe=""),
    )
    equal(browser.go(native)[0].status_code, 200)


def a_state_is_of_one_browser():
    application, victim, attacker = Application(WORLD), Browser(WORLD), Browser(WORLD)
    victim.sign_in(application.begin(), "ana@example.com")
    page, _ = attacker.go(application.begin())
    form = Form(page.text)
    for path in ("/u/login", "/u/signup", "/authorize/resume"):
        page, url = victim.go(f"{path}?state={form.fields['state']}")
        equal((page.status_code, url), (400, None), path)
        assert Form(page.text).title.startswith("Start again"), page.text
    page, url = victim.go(form.action, {**form.fields, "username": "ana@example.com", "password": "Correct-horse-1"})
    equal((page.status_code, url), (400, None))
    page, url = attacker.go(f"/authorize/resume?state={form.fields['state']}")
    equal((page.status_code, url), (200, None), "the attacker is asked to sign in")


def an_error_carries_the_state_and_nothing_else_of_ours():
    application, browser = Application(WORLD), Browser(WORLD)
    _, url = browser.go(application.begin(prompt="none"))
    error = answered(url)
    equal((error["error"], error["state"], error["iss"]), ("login_required", application.state, WORLD.base + "/"))
    equal(sorted(error), ["error", "error_description", "iss", "state"])
    challenge = base64.urlsafe_b64encode(hashlib.sha256(application.verifier.encode()).digest()).decode().rstrip("=")
    _, url = browser.go(application.begin().replace("S256", "plain"))
    equal(answered(url)["error"], "invalid_request", challenge)


with Server(tls=True) as SERVER:
    WORLD = World(SERVER)
    WORLD.sign_up("ana@example.com")
    run(
        discovery_names_what_is_served,
        a_code_becomes_tokens_that_refresh_and_end,
        a_page_without_javascript_signs_in,
        a_new_account_signs_in_at_once,
        prompt_and_max_age_ask_anew,
        a_code_is_bound_and_works_once,
        a_verifier_without_a_challenge_is_refused,
        a_wrong_callback_goes_nowhere,
        a_state_is_of_one_browser,
        an_error_carries_the_state_and_nothing_else_of_ours,
    )
