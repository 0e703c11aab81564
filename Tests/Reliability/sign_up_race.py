"""16 sign-ups at once for one person, whose address each writes in another way, 500 times (contract 2.3)."""

import unicodedata

from latchkey import Client, Passkey, amount, require, run, together
from stores import ask, on_postgres, on_sqlite, orphans

NAMES = amount(500)
AT_ONCE = 16


def spellings(number):
    """16 ways to write one address: cases, compositions, widths, ligatures, white space, both forms of the domain."""
    local, domain = f"Kim.Büfinßer-{number}", "Büro.example"
    composed = f"{local}@{domain}"
    wide = "".join(chr(ord(letter) + 0xFEE0) if "!" < letter <= "~" else letter for letter in local)
    return [
        composed, composed.lower(), composed.upper(), composed.swapcase(), composed.title(), composed.casefold(),
        unicodedata.normalize("NFD", composed), unicodedata.normalize("NFD", composed.upper()),
        f"  {composed}", f"{composed.lower()}\t", f"{wide}@{domain}", composed.replace("K", "\u212a"),
        composed.replace("fi", "\ufb01"), composed.replace("ß", "\u1e9e"), f"{local}@xn--bro-hoa.example",
        f"{local.upper()}@XN--BRO-HOA.Example",
    ]


def race(store):
    """All begin, then all end; one of them gets the user."""
    with store() as deployment:
        client_id = deployment.make_client()
        ports = [deployment.start().port for _ in range(3)]
        clients = [Client(ports[index % 3], client_id) for index in range(AT_ONCE)]
        require(clients[0].sign_up("first@acme.example")[1].status == 200, "a sign-up")
        ended = {}

        def one(index, client):
            def body(wait):
                for number in range(NAMES):
                    passkey = Passkey()
                    first = client.register(spellings(number)[index])
                    require(first.status == 200, f"{spellings(number)[index]}: {first.status} {first.body}")
                    request = client.redeeming(first.json(), passkey.create(first.json()))
                    wait()
                    ended[number, index] = client.exchange(request)
                    wait()
            return body

        together([one(index, client) for index, client in enumerate(clients)])
        for number in range(NAMES):
            answers = [ended[number, index] for index in range(AT_ONCE)]
            losers = [answer for answer in answers if answer.status != 200]
            require(len(losers) == AT_ONCE - 1, f"name {number}: {AT_ONCE - len(losers)} users")
            for answer in losers:
                require(answer.status == 403 and answer.json().get("reason") == "user_exists",
                        f"name {number}: {answer.status} {answer.body}")
        users = int(ask(deployment, "SELECT count(*) FROM user_account")[0]) - 1
        identifiers = int(ask(deployment, "SELECT count(*) FROM identifier")[0]) - 1
        half = orphans(deployment)
        require((users, identifiers, half) == (NAMES, NAMES, 0), f"{users} users, {identifiers} names, {half} by half")
        return f"{AT_ONCE} × {NAMES}: {users} users, {half} orphans, {NAMES * (AT_ONCE - 1)} losers 403 user_exists"


def sqlite():
    """Three processes on one SQLite file."""
    return race(on_sqlite)


def postgres():
    """Three processes on one PostgreSQL."""
    return race(on_postgres)


if __name__ == "__main__":
    run(sqlite, postgres)
