"""Chromium on a web app of another origin that uses `latchkey.js` as docs/guides/web.md shows it: sign-up, autofill, sign-in,
sign-out, what a refusal says, the upgrade where the browser makes none, and a strict policy."""

import http.server
import re
import threading
import urllib.parse

from playwright.sync_api import expect, sync_playwright

from hosted import PASSWORD, World
from support import ROOT, Server, equal, free_port, run
from visits import Visit

PORT = free_port()
APP = f"http://localhost:{PORT}"


def snippet(name):
    guide = (ROOT / "docs/guides/web.md").read_text()
    return re.search(rf"<!-- file: {re.escape(name)} -->\n```\w+\n(.*?)```", guide, re.DOTALL)[1]


def served(world, client):
    """The guide's page, with the address and the client filled in, and nothing allowed but what it says."""
    files = {
        "/": (snippet("index.html").replace("<title>", "<link rel=icon href=data:,><title>"), "text/html"),
        "/app.js": (snippet("app.js").replace("SERVER", world.base).replace("CLIENT_ID", client), "text/javascript"),
    }
    policy = f"default-src 'none'; script-src 'self' {world.base}; connect-src {world.base}; img-src data:"

    class Pages(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body, kind = files.get(urllib.parse.urlsplit(self.path).path, ("", None))
            self.send_response(200 if kind else 404)
            self.send_header("Content-Type", f"{kind or 'text/plain'}; charset=utf-8")
            self.send_header("Content-Security-Policy", policy)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def status(visit, text):
    expect(visit.page.get_by_role("status")).to_have_text(text)


def the_page_of_the_guide_works(browser, world):
    visit = Visit(browser, world)
    visit.own = APP + "/"
    visit.page.goto(APP)
    status(visit, "Signed out")
    visit.page.get_by_label("E-mail").fill("ana@example.com")
    visit.page.get_by_role("button", name="Make an account").click()
    status(visit, "Signed in as ana@example.com")
    equal([key["userName"] for key in visit.credentials()], ["ana@example.com"])
    # The session is a cookie: the page finds it again.
    visit.page.reload()
    status(visit, "Signed in as ana@example.com")
    visit.set_user_present(False)
    with visit.page.expect_response(lambda answer: answer.url.endswith("/login/options"), timeout=120_000):
        visit.page.get_by_role("button", name="Sign out").click()
    status(visit, "Signed out")
    # By the button, while the field waits.
    visit.page.wait_for_timeout(1000)
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Sign in").click()
    status(visit, "Signed in as ana@example.com")
    # By the field, once somebody is there.
    visit.set_user_present(False)
    with visit.page.expect_response(lambda answer: answer.url.endswith("/login/options"), timeout=120_000):
        visit.page.get_by_role("button", name="Sign out").click()
    status(visit, "Signed out")
    visit.page.wait_for_timeout(1000)
    visit.set_user_present(True)
    visit.page.reload()
    status(visit, "Signed in as ana@example.com")
    visit.page.get_by_role("button", name="Sign out").click()
    visit.set_user_present(False)
    visit.close()


def a_refusal_has_its_reason_and_the_browser_forgets_the_key(browser, world):
    visit = Visit(browser, world)
    visit.own = APP + "/"
    visit.page.goto(APP)
    status(visit, "Signed out")
    visit.page.get_by_label("E-mail").fill("ana@example.com")
    visit.page.get_by_role("button", name="Make an account").click()
    status(visit, "That did not work: user_exists")
    visit.page.get_by_label("E-mail").fill("bo@example.com")
    visit.page.get_by_role("button", name="Make an account").click()
    status(visit, "Signed in as bo@example.com")
    key, = world.server.admin("passkey", "list", "--tenant", "acme", "bo@example.com")
    visit.set_user_present(False)
    visit.page.get_by_role("button", name="Sign out").click()
    status(visit, "Signed out")
    world.server.admin("passkey", "revoke", "--tenant", "acme", key["id"], "--last", "--yes")
    visit.page.wait_for_timeout(1000)
    visit.set_user_present(True)
    visit.page.get_by_role("button", name="Sign in").click()
    status(visit, "That did not work: unknown_credential")
    for _ in range(600):
        if not visit.credentials():
            break
        visit.page.wait_for_timeout(100)
    equal(visit.credentials(), [], "the browser has forgotten it")
    visit.close()


def an_upgrade_is_tried_where_the_browser_can_and_harms_nobody(browser, world):
    """The virtual authenticator refuses to make keys without asking, as a manager does that has no password to go by."""
    world.sign_up("ida@example.com")
    visit = Visit(browser, world)
    visit.own = APP + "/"
    visit.page.goto(APP)
    status(visit, "Signed out")
    able, made, asked = visit.page.evaluate("""async ([server, client_id, password]) => {
      const { Latchkey, canUpgrade } = await import(server + "/latchkey.js");
      const body = { grant_type: "password", client_id, username: "ida@example.com", password, scope: "openid" };
      const answer = await fetch(server + "/oauth/token", {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      });
      const tokens = await answer.json();
      let asked = null;
      const create = CredentialsContainer.prototype.create;
      CredentialsContainer.prototype.create = function (options) { asked = options.mediation; return create.call(this, options); };
      const passkeys = new Latchkey({ clientID: client_id, token: () => tokens.access_token });
      if (!tokens.passkey_upgrade.eligible) throw new Error("no offer");
      return [await canUpgrade(), await passkeys.upgrade(tokens.passkey_upgrade), asked];
    }""", [world.base, world.app, PASSWORD])
    equal(made, None)
    equal(asked, "conditional" if able else None)
    visit.close()


with Server(tls=False) as SERVER, sync_playwright() as playwright:
    WORLD = World(SERVER, APP + "/callback")
    WORLD.app = SERVER.admin(
        "client", "create", "--tenant", "acme", "--name", "My app", "--type", "spa", "--grant", "passkey", "--grant",
        "refresh", "--grant", "password", "--web-origin", APP,
    )["client_id"]
    SERVER.admin(
        "connection", "set", "--tenant", "acme", "Username-Password-Authentication",
        "options.passkey_options.upgrade_without_notice=true",
    )
    PAGES = served(WORLD, WORLD.app)
    # A loaded machine is no failure.
    expect.set_options(timeout=120_000)
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"])

    def on_chromium(test):
        def body():
            test(chromium, WORLD)
        body.__name__ = test.__name__
        return body

    run(*map(on_chromium, (
        the_page_of_the_guide_works,
        a_refusal_has_its_reason_and_the_browser_forgets_the_key,
        an_upgrade_is_tried_where_the_browser_can_and_harms_nobody,
    )))
    chromium.close()
    PAGES.shutdown()
