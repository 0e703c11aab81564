"""PostgreSQL that hangs, restarts and loses its backends, under load (design: failure rules)."""

import time

from latchkey import Client, Deployment, Load, amount, require, run, soon, summary
from postgres import Postgres


TERMINATED = amount(100)


class People:
    """One of each worker's own: a passkey, and a line of refresh tokens."""

    def __init__(self, port, client_id, count):
        client = Client(port, client_id)
        self.passkeys, self.tokens = [], []
        for index in range(count):
            passkey, answer = client.sign_up(f"person-{index}@acme.example")
            require(answer.status == 200, f"sign-up {index}: {answer.status} {answer.body}")
            self.passkeys.append(passkey)
            self.tokens.append(answer.json()["refresh_token"])
        client.close()

    def work(self, client, index):
        """A sign-in and a refresh; what the client got."""
        begun = client.challenge()
        answers = [begun]
        if begun.status == 200:
            answers.append(client.redeem(begun.json(), self.passkeys[index].get(begun.json())))
        refreshed = client.refresh(self.tokens[index])
        if refreshed.status == 200:
            self.tokens[index] = refreshed.json()["refresh_token"]
        return answers + [refreshed]


def check_answers(answers, slowest_allowed):
    counts, slowest = summary(answers)
    require("lost" not in counts, f"connections were lost: {counts}")
    strange = [answer for _, answer in answers if answer.status not in (200, 503)]
    require(not strange, f"other answers: {counts} {strange[0].body if strange else b''}")
    soon(slowest, slowest_allowed, "an answer")
    for _, answer in answers:
        if answer.status == 503:
            require(answer.json()["error"] == "temporarily_unavailable", answer.body)
            require(answer.header("Retry-After") in ("1", "2", "3"), f"Retry-After: {answer.header('Retry-After')}")
    return counts, slowest


def last_failure(answers, since):
    """Seconds until nothing failed any more; everything was served after that."""
    last = max((at for at, answer in answers if at > since and answer.status != 200), default=since)
    served = [answer for at, answer in answers if at > last and answer.status == 200]
    require(len(served) > 20, f"{len(served)} answers after the last failure")
    return last - since


def stopped_five_seconds():
    """Every process of the database stands still for 5 s: answers in 1.5 s, 503; serving 2 s after."""
    with Postgres() as database, Deployment(database.url) as deployment:
        client_id = deployment.make_client()
        server = deployment.start()
        people = People(server.port, client_id, 8)
        with Load([server.port], client_id, people.work) as load:
            time.sleep(1)
            before = load.take()
            database.stop_still()
            time.sleep(5)
            during = load.take()
            database.proceed()
            proceeded = time.monotonic()
            time.sleep(4)
            after = load.take()
        check_answers(before, 1.5)
        counts, slowest = check_answers(during + after, 1.5)
        last = last_failure(after, proceeded)
        soon(last, 2, "the last failure, after the database was back,")
        return f"{counts}, slowest {slowest:.2f} s, no failure later than {last:.2f} s after"


def restarted():
    """The database restarts as after a crash, under load."""
    with Postgres() as database, Deployment(database.url) as deployment:
        client_id = deployment.make_client()
        server = deployment.start()
        people = People(server.port, client_id, 8)
        with Load([server.port], client_id, people.work) as load:
            time.sleep(1)
            database.restart("immediate")
            up = time.monotonic()
            time.sleep(4)
        counts, slowest = check_answers(load.answers, 1.5)
        last = last_failure(load.answers, up)
        soon(last, 2, "the last failure, after the database was back,")
        return f"{counts}, slowest {slowest:.2f} s, no failure later than {last:.2f} s after"


def backends_terminated():
    """100 backends are terminated one by one under load: 97 % succeed without a second try by the client."""
    with Postgres() as database, Deployment(database.url) as deployment:
        client_id = deployment.make_client()
        server = deployment.start()
        people = People(server.port, client_id, 8)
        terminated = 0
        with Load([server.port], client_id, people.work) as load:
            time.sleep(1)
            while terminated < TERMINATED:
                ended = database.number(
                    "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity"
                    " WHERE application_name = 'latchkey' ORDER BY random() LIMIT 1) one"
                )
                terminated += ended
                time.sleep(0.02)
            ended_at = time.monotonic()
            time.sleep(3)
        counts, slowest = check_answers(load.answers, 1.5)
        share = counts[200] / sum(counts.values())
        require(share >= 0.97, f"{share:.2%} succeed: {counts}")
        last = last_failure(load.answers, ended_at)
        soon(last, 2, "the last failure, after the database was back,")
        return f"{terminated} terminated, {counts}, {share:.2%} succeed, slowest {slowest:.2f} s"


if __name__ == "__main__":
    run(stopped_five_seconds, restarted, backends_terminated)
