"""What OpenID's certification asks of a Basic OpenID Provider, each of its 33 modules as a test in our own words, with
Authlib as the relying party. Where Auth0's clients force another way, the test says which (docs/conformance.md)."""

import base64
import json
import time
import urllib.parse

from fido2.client import DefaultClientDataCollector, Fido2Client

from hosted import CALLBACK, PASSWORD, Browser, Form, World, answered
from relying_party import Application, signed_in
from software_device import SoftwareDevice
from support import Server, equal, refused, run

EMAIL = "ana@example.com"
PROFILE = {"name": "Ana Ek", "given_name": "Ana", "family_name": "Ek", "nickname": "ana"}
OF_PROFILE = {"name", "given_name", "family_name", "nickname", "updated_at"}
OF_EMAIL = {"email", "email_verified"}
CODE_INVALID = (403, "invalid_grant", "Invalid authorization code", "code_invalid")


def relying_party(*, scope="openid"):
    return Application(WORLD, confidential=True, scope=scope)


def sign_in(application, **more):
    """A browser of its own signs in; the answer that the application gets, and the browser."""
    browser = Browser(WORLD)
    page, url = browser.sign_in(application.begin(**more), EMAIL)
    equal(page, None, page.text if page else "")
    return url, browser


def tokens_of(application, **more):
    url, browser = sign_in(application, **more)
    tokens = application.finish(url)
    application.claims(tokens, nonce=application.nonce)
    return tokens, browser


def user_info(tokens, method="GET", where="header"):
    address = relying_party().metadata["userinfo_endpoint"]
    bearer = {"Authorization": "Bearer " + tokens["access_token"]} if where == "header" else {}
    form = {"access_token": tokens["access_token"]} if where == "body" else None
    answer = WORLD.server.session.request(method, address, headers=bearer, data=form, timeout=60)
    equal(answer.status_code, 200, answer.text)
    return answer.json()


def claims_for(scope):
    """The claims beside `sub` that user info gives for a scope, and the granted scope."""
    tokens, _ = tokens_of(relying_party(scope=scope))
    claims = user_info(tokens)
    assert claims.pop("sub").startswith("auth0|"), claims
    return claims, tokens["scope"].split()


def page_for(**more):
    """The sign-in page that a request leads to, for a browser that nobody is signed in with."""
    page, url = Browser(WORLD).go(relying_party().begin(**more))
    equal((page.status_code, url), (200, None))
    return page


def succeeds(**more):
    """The request signs in as one without these parameters does."""
    application = relying_party()
    tokens, _ = tokens_of(application, **more)
    return application.claims(tokens, nonce=application.nonce)


def asks_again(browser, application, **more):
    """Somebody who is signed in is asked for the password once more; the claims of then."""
    page, url = browser.go(application.begin(**more))
    equal((page.status_code, url), (200, None))
    form = Form(page.text)
    _, url = browser.go(form.action, {**form.fields, "username": EMAIL, "password": PASSWORD})
    return application.claims(application.finish(url), nonce=application.nonce)


def request_object(**claims):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'none'})}.{part(claims)}."


# -- the code flow ---------------------------------------------------------------------------------------------------


def server():
    """A sign-in from the request to user info, with what the ID token must say."""
    application = relying_party()
    tokens, _ = tokens_of(application)
    claims = application.claims(tokens, nonce=application.nonce)
    equal((claims["iss"], claims["aud"]), (application.metadata["issuer"], application.session.client_id))
    equal(user_info(tokens)["sub"], claims["sub"])
    equal(tokens["token_type"], "Bearer")


def response_type_missing():
    application = relying_party()
    address = application.begin().replace("response_type=code&", "").replace("&response_type=code", "")
    assert "response_type" not in address
    page, url = Browser(WORLD).go(address)
    equal(page, None, page.text if page else "")
    equal((answered(url)["error"], answered(url)["state"]), ("invalid_request", application.state))


def userinfo_get():
    user_info(tokens_of(relying_party())[0])


def userinfo_post_header():
    user_info(tokens_of(relying_party())[0], "POST")


def userinfo_post_body():
    user_info(tokens_of(relying_party())[0], "POST", "body")


def ensure_request_without_nonce_succeeds_for_code_flow():
    application = relying_party()
    page, url = Browser(WORLD).sign_in(application.begin().replace("nonce=", "no_nonce="), EMAIL)
    equal(page, None, page.text if page else "")
    assert "nonce" not in application.claims(application.finish(url))


# -- scopes ----------------------------------------------------------------------------------------------------------


def scope_profile():
    """`updated_at` is text here, as Auth0's clients read it, where OpenID Connect has a number."""
    claims, _ = claims_for("openid profile")
    equal(set(claims), OF_PROFILE)
    equal({name: claims[name] for name in PROFILE}, PROFILE)
    assert isinstance(claims["updated_at"], str)


def scope_email():
    claims, _ = claims_for("openid email")
    equal(claims, {"email": EMAIL, "email_verified": False})


def scope_address():
    """Nobody has an address here: the scope is none that is known, and is not granted."""
    claims, granted = claims_for("openid address")
    equal((claims, granted), ({}, ["openid"]))


def scope_phone():
    """Somebody without a phone number has no claim of one."""
    claims, granted = claims_for("openid phone")
    equal((claims, granted), ({}, ["openid", "phone"]))


def scope_all():
    claims, granted = claims_for("openid profile email address phone")
    equal((set(claims), granted), (OF_PROFILE | OF_EMAIL, ["openid", "profile", "email", "phone"]))


def ensure_other_scope_order_succeeds():
    claims, granted = claims_for("email openid")
    equal((set(claims), sorted(granted)), (OF_EMAIL, ["email", "openid"]))


# -- what a request may ask for --------------------------------------------------------------------------------------


def display_page():
    succeeds(display="page")


def display_popup():
    succeeds(display="popup")


def prompt_login():
    application = relying_party()
    tokens, browser = tokens_of(application)
    first = application.claims(tokens, nonce=application.nonce)
    time.sleep(1.1)
    second = asks_again(browser, application, prompt="login")
    equal(second["sub"], first["sub"])
    assert second["auth_time"] > first["auth_time"], (first, second)


def prompt_none_not_logged_in():
    _, url = Browser(WORLD).go(relying_party().begin(prompt="none"))
    equal(answered(url)["error"], "login_required")


def prompt_none_logged_in():
    application = relying_party()
    tokens, browser = tokens_of(application)
    first = application.claims(tokens, nonce=application.nonce)
    second = application.claims(signed_in(application, browser, prompt="none"), nonce=application.nonce)
    equal((second["sub"], second["auth_time"]), (first["sub"], first["auth_time"]))


def max_age_1():
    application = relying_party()
    tokens, browser = tokens_of(application)
    first = application.claims(tokens, nonce=application.nonce)
    time.sleep(2.1)
    second = asks_again(browser, application, max_age=1)
    assert second["auth_time"] > first["auth_time"], (first, second)


def max_age_10000():
    application = relying_party()
    tokens, browser = tokens_of(application)
    first = application.claims(tokens, nonce=application.nonce)
    second = application.claims(signed_in(application, browser, max_age=10_000), nonce=application.nonce)
    equal(second["auth_time"], first["auth_time"])


def ensure_request_with_unknown_parameter_succeeds():
    succeeds(extra="foobar")


def id_token_hint():
    application = relying_party()
    tokens, browser = tokens_of(application)
    sub = application.claims(tokens, nonce=application.nonce)["sub"]
    again = signed_in(application, browser, prompt="none", id_token_hint=tokens["id_token"])
    equal(application.claims(again, nonce=application.nonce)["sub"], sub)
    # Of somebody else than whom the browser is signed in with.
    other = Browser(WORLD)
    other.sign_in(application.begin(), "bo@example.com")
    _, url = other.go(application.begin(prompt="none", id_token_hint=tokens["id_token"]))
    equal(answered(url)["error"], "login_required")


def login_hint():
    page = page_for(login_hint="bob@example.com")
    assert 'value="bob@example.com"' in page.text, page.text


def ui_locales():
    equal(page_for(ui_locales="se sv").headers["content-language"], "sv")
    succeeds(ui_locales="se")


def claims_locales():
    succeeds(claims_locales="se")


def ensure_request_with_acr_values_succeeds():
    """Those that the metadata name are met by a passkey. What no sign-in can meet is refused, and not passed over
    (RFC 9470 §5)."""
    application = relying_party()
    wanted = " ".join(application.metadata["acr_values_supported"])
    client = Fido2Client(SoftwareDevice(), DefaultClientDataCollector(WORLD.base, verify=lambda rp_id, origin: True))
    _, url = Browser(WORLD).sign_up_with_passkey(
        application.begin(prompt="create", acr_values=wanted), client, "cy@example.com",
    )
    claims = application.claims(application.finish(url), nonce=application.nonce)
    equal(claims["acr"], "phr")
    _, url = Browser(WORLD).go(application.begin(acr_values="1 2"))
    equal(answered(url)["error"], "unmet_authentication_requirements")


# -- the code, once --------------------------------------------------------------------------------------------------


def reuse(application, url):
    """A code that was used is refused, and what it gave is worth nothing any more."""
    refused(application.exchange(answered(url)["code"], client_secret=WORLD.secret), *CODE_INVALID)


def codereuse():
    application = relying_party()
    url, _ = sign_in(application)
    tokens = application.finish(url)
    reuse(application, url)
    bearer = {"Authorization": "Bearer " + tokens["access_token"]}
    equal(WORLD.server.get("/userinfo", headers=bearer).status_code, 401)


def codereuse_30seconds():
    """Begun before all other tests."""
    application, url, tokens, used_at = LONG_AGO
    time.sleep(max(0, used_at + 31 - time.monotonic()))
    reuse(application, url)
    bearer = {"Authorization": "Bearer " + tokens["access_token"]}
    equal(WORLD.server.get("/userinfo", headers=bearer).status_code, 401)


# -- where answers go ------------------------------------------------------------------------------------------------


def ensure_registered_redirect_uri():
    application = relying_party()
    other = urllib.parse.quote("https://app.example.com/elsewhere", safe="")
    page, url = Browser(WORLD).go(application.begin().replace(urllib.parse.quote(CALLBACK, safe=""), other))
    equal((page.status_code, url), (400, None))
    assert "Callback URL mismatch." in page.text


def unsigned_request_object_supported_correctly_or_rejected():
    application = relying_party()
    _, url = Browser(WORLD).go(application.begin(request=request_object(scope="openid")))
    equal((answered(url)["error"], answered(url)["state"]), ("request_not_supported", application.state))
    equal(application.metadata["request_parameter_supported"], False)


def claims_essential():
    """The parameter is none that is served, as the metadata say; the sign-in is not the worse for it."""
    application = relying_party()
    equal(application.metadata["claims_parameter_supported"], False)
    succeeds(claims=json.dumps({"userinfo": {"name": {"essential": True}}}))


def ensure_request_object_with_redirect_uri():
    """A request object does not choose where the answer goes, also where it is refused."""
    application = relying_party()
    inside = request_object(redirect_uri="https://evil.example/callback")
    _, url = Browser(WORLD).go(application.begin(request=inside))
    assert url.startswith(CALLBACK + "?"), url
    equal(answered(url)["error"], "request_not_supported")
    by_reference = application.begin(request_uri="https://evil.example/request")
    _, url = Browser(WORLD).go(by_reference)
    equal(answered(url)["error"], "request_uri_not_supported")


# -- and then --------------------------------------------------------------------------------------------------------


def refresh_token():
    application = relying_party(scope="openid offline_access")
    tokens, _ = tokens_of(application)
    first = application.claims(tokens)
    again = application.session.refresh_token(
        application.metadata["token_endpoint"], refresh_token=tokens["refresh_token"],
    )
    later = application.claims(again)
    equal(
        [later[name] for name in ("iss", "sub", "aud", "auth_time")],
        [first[name] for name in ("iss", "sub", "aud", "auth_time")],
    )
    assert "nonce" not in later or later["nonce"] == application.nonce
    equal(user_info(again)["sub"], first["sub"])
    # Of another client it is worth nothing.
    other = WORLD.server.post("/oauth/token", {
        "grant_type": "refresh_token", "client_id": WORLD.spa, "refresh_token": again["refresh_token"],
    })
    equal((other.status_code, other.json()["error"]), (403, "invalid_grant"))


def ensure_request_with_valid_pkce_succeeds():
    application = relying_party()
    tokens, _ = tokens_of(application)
    assert application.verifier and tokens["access_token"]


with Server(tls=True) as SERVER:
    WORLD = World(SERVER)
    WORLD.sign_up(EMAIL, **PROFILE)
    WORLD.sign_up("bo@example.com")
    EARLY = relying_party()
    EARLY_URL, _ = sign_in(EARLY)
    LONG_AGO = (EARLY, EARLY_URL, EARLY.finish(EARLY_URL), time.monotonic())
    MODULES = [
        server, response_type_missing, userinfo_get, userinfo_post_header, userinfo_post_body,
        ensure_request_without_nonce_succeeds_for_code_flow, scope_profile, scope_email, scope_address, scope_phone,
        scope_all, ensure_other_scope_order_succeeds, display_page, display_popup, prompt_login,
        prompt_none_not_logged_in, prompt_none_logged_in, max_age_1, max_age_10000,
        ensure_request_with_unknown_parameter_succeeds, id_token_hint, login_hint, ui_locales, claims_locales,
        ensure_request_with_acr_values_succeeds, codereuse, ensure_registered_redirect_uri,
        unsigned_request_object_supported_correctly_or_rejected, claims_essential,
        ensure_request_object_with_redirect_uri, refresh_token, ensure_request_with_valid_pkce_succeeds,
        codereuse_30seconds,
    ]
    equal(len(MODULES), 33)
    run(*MODULES)
