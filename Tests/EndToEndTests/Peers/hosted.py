"""What the peers of the hosted pages share: a tenant with applications, and a browser of a cookie jar and an HTML parser."""

import html.parser
import urllib.parse

import requests

from support import equal

PASSWORD = "Correct-horse-1"
CALLBACK = "https://app.example.com/callback"
SIGNED_OUT = "https://app.example.com/out"


class World:
    """A tenant on a running server, with a user `ana` who has a password, a public and a confidential application."""

    def __init__(self, server, callback=CALLBACK):
        self.server = server
        self.base = server.base
        name = urllib.parse.urlsplit(server.base).netloc
        self.management = server.admin("tenant", "create", "acme", "--domain", name)["management_client"]
        server.admin("tenant", "set", "acme", "default_directory=Username-Password-Authentication")
        grants = ["--grant", "authorization_code", "--grant", "refresh_token"]
        urls = ["--callback", callback, "--callback", "http://127.0.0.1/native"]
        out = f'allowed_logout_urls=["{SIGNED_OUT}"]'
        create = ["client", "create", "--tenant", "acme"]
        self.spa = server.admin(*create, "--name", "Web", "--type", "spa", *grants, *urls, out)["client_id"]
        backend = server.admin(*create, "--name", "Backend", "--type", "regular_web", *grants, *urls, out)
        self.backend, self.secret = backend["client_id"], backend["client_secret"]

    def sign_up(self, email, password=PASSWORD, **profile):
        made = self.server.post("/dbconnections/signup", {
            "client_id": self.spa, "connection": "Username-Password-Authentication", "email": email,
            "password": password, **profile,
        })
        equal(made.status_code, 200, made.text)


    def change_user(self, email, changes):
        """By an administrator, over the Management API."""
        token = self.server.post("/oauth/token", {
            "grant_type": "client_credentials", "audience": self.base + "/api/v2/", **{
                name: self.management[name] for name in ("client_id", "client_secret")
            },
        }).json()["access_token"]
        users = {"headers": {"Authorization": "Bearer " + token}}
        found, = self.server.get("/api/v2/users-by-email", params={"email": email}, **users).json()
        path = self.base + "/api/v2/users/" + urllib.parse.quote(found["user_id"], safe="")
        changed = self.server.session.patch(path, json=changes, timeout=60, **users)
        equal(changed.status_code, 200, changed.text)


class Form(html.parser.HTMLParser):
    """The one form of a page, as a browser without JavaScript has it, and what is told by an alert."""

    def __init__(self, page):
        super().__init__()
        self.action, self.method, self.fields, self.names, self.alert, self.title = None, None, {}, [], "", ""
        self.submits, self.reading = 0, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("role") == "alert" and "hidden" not in values:
            self.reading = "alert"
        elif tag == "title":
            self.reading = "title"
        if tag == "form":
            equal(self.action, None, "one form")
            self.action, self.method = values["action"], values["method"]
        elif tag == "input":
            self.names.append((values["name"], values.get("type"), values.get("autocomplete")))
            if values.get("type") == "hidden":
                self.fields[values["name"]] = values["value"]
        elif tag == "button" and values.get("type") == "submit":
            self.submits += 1

    def handle_endtag(self, tag):
        self.reading = None

    def handle_data(self, data):
        if self.reading:
            setattr(self, self.reading, getattr(self, self.reading) + data)


class Browser:
    """Follows redirects on the server's own origin, one by one, and stops where they lead elsewhere."""

    def __init__(self, world):
        self.base = world.base
        self.jar = requests.Session()
        self.jar.trust_env = False
        self.jar.verify = world.server.session.verify

    def go(self, address, form=None):
        """The page that the address leads to, or the address of somebody else."""
        for _ in range(10):
            url = urllib.parse.urljoin(self.base + "/", address)
            if not url.startswith(self.base + "/"):
                return None, url
            if form is None:
                answer = self.jar.get(url, allow_redirects=False, timeout=60)
            else:
                answer = self.jar.post(url, data=form, allow_redirects=False, timeout=60)
            form = None
            if answer.status_code != 302:
                return answer, None
            address = answer.headers["location"]
        raise AssertionError("too many redirects")

    def sign_in(self, address, username, password=PASSWORD):
        """From an authorization request to the answer that the application gets, by password."""
        page, _ = self.go(address)
        equal(page.status_code, 200, page.text)
        form = Form(page.text)
        page, url = self.go(form.action, {**form.fields, "username": username, "password": password})
        return page, url

    def sign_up_with_passkey(self, address, fido2, email):
        """The same for somebody new, with a passkey of python-fido2's client, by the calls of the page's script."""
        page, _ = self.go(address)
        equal(page.status_code, 200, page.text)
        fields = Form(page.text).fields

        def call(path, body, session=None):
            headers = {"X-CSRF-Token": fields["csrf_token"], "Origin": self.base}
            if session:
                headers["X-Auth-Session"] = session
            answer = self.jar.post(
                f"{self.base}/u/passkey/{path}?state={fields['state']}", json=body, headers=headers, timeout=60,
            )
            equal(answer.status_code, 200, answer.text)
            return answer

        begun = call("register/options", {"user_profile": {"email": email}})
        made = fido2.make_credential(begun.json())
        call("register/verify", dict(made), begun.headers["X-Auth-Session"])
        return self.go(f"/authorize/resume?state={fields['state']}")


def answered(url):
    """The parameters of an authorization response."""
    parsed = urllib.parse.urlsplit(url)
    pairs = urllib.parse.parse_qsl(parsed.query, strict_parsing=True)
    equal(len(dict(pairs)), len(pairs), "each parameter once")
    return dict(pairs)
