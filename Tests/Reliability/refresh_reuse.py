"""Reuse against rotation, 1,500 rounds on two servers and one PostgreSQL (contract 7.4)."""

from latchkey import amount, require, run
from postgres import Postgres
from refresh_races import Race

ROUNDS = amount(1500)


def reuse_against_rotation():
    """A token that is used up, against the exchange of the newest one: no family is left with a usable token."""
    usable = won = 0
    with Postgres() as database, Race(database, 0, 2) as race:
        for number in range(ROUNDS):
            old = race.new_token()
            newest = race.clients[0].refresh(old).json()["refresh_token"]
            # Each server sees the reuse first as often as the rotation.
            tokens = [newest, old] if number % 2 == 0 else [old, newest]
            answers = race.exchange(tokens)
            rotated, reused = answers if number % 2 == 0 else answers[::-1]
            require(reused.status == 403, f"a token that was used up: {reused.status} {reused.body}")
            require(rotated.status in (200, 403), f"the newest: {rotated.status} {rotated.body}")
            won += rotated.status == 200
            last = rotated.json()["refresh_token"] if rotated.status == 200 else newest
            usable += race.clients[1].refresh(last).status == 200
        require(usable == 0, f"{usable} families have a usable token after a reuse")
        alive = race.alive() - race.alive_before
        require(alive == 0, f"{alive} families are alive")
        return f"{ROUNDS} rounds, {won} times the rotation came first: {usable} families with a usable token"


if __name__ == "__main__":
    run(reuse_against_rotation)
