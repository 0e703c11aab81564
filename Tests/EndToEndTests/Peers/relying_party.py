"""Authlib, unmodified, as what the peers of the hosted pages call an application."""

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

from hosted import CALLBACK, answered
from support import equal

SCOPE = "openid profile email offline_access"


class Application:
    """What a relying party does with Authlib."""

    def __init__(self, world, *, confidential=False, scope=SCOPE):
        self.world = world
        self.session = OAuth2Session(
            world.backend if confidential else world.spa, world.secret if confidential else None,
            scope=scope, redirect_uri=CALLBACK, code_challenge_method="S256",
            token_endpoint_auth_method="client_secret_basic" if confidential else "none",
        )
        self.session.verify = world.server.session.verify
        self.session.trust_env = False
        self.metadata = self.session.get(
            world.base + "/.well-known/openid-configuration", withhold_token=True, timeout=60,
        ).json()

    def begin(self, **more):
        """An authorization request: its address, and what has to be remembered of it."""
        self.verifier, self.nonce = generate_token(48), generate_token(20)
        address, self.state = self.session.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, nonce=self.nonce, **more,
        )
        return address

    def finish(self, url):
        """Tokens for an authorization response, whose state and issuer are checked."""
        equal(answered(url)["iss"], self.metadata["issuer"], "the issuer of the answer")
        return self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=url, state=self.state, code_verifier=self.verifier,
        )

    def claims(self, tokens, nonce=None):
        """The ID token as Authlib validates it (OpenID Connect Core §3.1.3.7), with nonce and at_hash."""
        keys = JsonWebKey.import_key_set(
            self.session.get(self.metadata["jwks_uri"], withhold_token=True, timeout=60).json()
        )
        claims = jwt.decode(
            tokens["id_token"], keys, claims_cls=CodeIDToken,
            claims_options={"iss": {"value": self.metadata["issuer"]}, "aud": {"value": self.session.client_id}},
            claims_params={"nonce": nonce, "client_id": self.session.client_id, "access_token": tokens["access_token"]},
        )
        claims.validate(leeway=5)
        return claims

    def exchange(self, code, **changes):
        """A token request by hand, for what Authlib would not send."""
        body = {
            "grant_type": "authorization_code", "client_id": self.session.client_id, "code": code,
            "redirect_uri": CALLBACK, "code_verifier": self.verifier,
        }
        body.update(changes)
        return self.world.server.post("/oauth/token", {name: value for name, value in body.items() if value is not None})


def signed_in(application, browser, **more):
    """Tokens of a browser that is signed in already."""
    page, url = browser.go(application.begin(**more))
    equal(page, None, page.text if page else "")
    return application.finish(url)
