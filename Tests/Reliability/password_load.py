"""More passwords than the machine can hash, beside people who sign in with passkeys: these have to notice nothing.

Fifty passwords a second need more than one core; the pool that hashes them has one thread of the lowest priority and a
queue with an end, and what does not fit is told so within two seconds.
"""

import threading
import time

from latchkey import Client, Deployment, JUDGES_TIME, amount, require, run

SECONDS = amount(20)
PASSKEYS_PER_SECOND, PASSWORDS_PER_SECOND = 100, 50


class Stream:
    """`per_second` calls of `ask(client)`, each at its own time, by as many clients as that needs."""

    def __init__(self, port, client_id, ask, per_second, workers):
        self.answers = []
        self.lock = threading.Lock()
        self.start = time.monotonic() + 0.2
        self.next = 0
        self.count = per_second * SECONDS
        self.per_second = per_second
        self.threads = [
            threading.Thread(target=self.run, args=(Client(port, client_id), ask)) for _ in range(workers)
        ]
        for thread in self.threads:
            thread.start()

    def run(self, client, ask):
        while True:
            with self.lock:
                number, self.next = self.next, self.next + 1
            if number >= self.count:
                return
            time.sleep(max(0, self.start + number / self.per_second - time.monotonic()))
            answer = ask(client, number)
            with self.lock:
                self.answers.append(answer)

    def end(self):
        for thread in self.threads:
            thread.join()
        return self.answers


def p99(answers):
    times = sorted(answer.seconds for answer in answers)
    return times[min(len(times) - 1, len(times) * 99 // 100)] * 1000


def passkeys_beside_passwords():
    with Deployment(None, LATCHKEY_RATE_LIMITS="off") as there:
        client_id = there.make_client(passwords=True)
        server = there.start()
        maker = Client(server.port, client_id)
        names = [f"user{number}@example.com" for number in range(20)]
        for name in names:
            require(maker.sign_up_with_password(name, "Correct-horse-9").status == 200, "a sign-up")
        people = []
        for number in range(50):
            passkey, made = maker.sign_up(f"quick{number}@example.com")
            require(made.status == 200, "a sign-up with a passkey")
            people.append(passkey)

        def by_passkey(client, number):
            return client.sign_in(people[number % len(people)])

        def by_password(client, number):
            return client.password(names[number % len(names)], "Correct-horse-9")

        def passkeys():
            return Stream(server.port, client_id, by_passkey, PASSKEYS_PER_SECOND, workers=8)

        alone = passkeys().end()
        both = passkeys()
        # A client waits for its answer: 120 of them, so that none comes too late for its turn.
        words = Stream(server.port, client_id, by_password, PASSWORDS_PER_SECOND, workers=120)
        beside = both.end()
        tried = words.end()

        for what, answers in (("alone", alone), ("beside passwords", beside)):
            failed = [answer.status for answer in answers if answer.status != 200]
            require(not failed, f"{len(failed)} passkey sign-ins {what} failed: {set(failed)}")
        statuses = {answer.status for answer in tried}
        require(statuses <= {200, 503}, f"passwords: {statuses}")
        right = sum(answer.status == 200 for answer in tried)
        refused = [answer.seconds for answer in tried if answer.status == 503]
        require(right > 0, "no password got in")
        figures = (
            f"passkeys {p99(alone):.1f} ms p99 alone, {p99(beside):.1f} ms beside {len(tried)} passwords, of which {right} "
            f"got in and {len(refused)} were refused (slowest refusal {max(refused, default=0):.2f} s)"
        )
        fits = p99(beside) <= 15 and p99(beside) <= 3 * p99(alone) and max(refused, default=0) <= 2
        require(fits or not JUDGES_TIME, figures)
        return figures


if __name__ == "__main__":
    run(passkeys_beside_passwords)
