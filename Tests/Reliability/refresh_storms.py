"""8 exchanges of one refresh token at once, for 500 families, without and with a leeway (contract 7.4)."""

from latchkey import amount, require, run
from postgres import Postgres
from refresh_races import Race

FAMILIES = amount(500)


def without_leeway():
    """One winner, and the family is dead."""
    with Postgres() as database, Race(database, 0, 8) as race:
        for number in range(FAMILIES):
            answers = race.exchange([race.new_token()] * 8)
            winners = [answer for answer in answers if answer.status == 200]
            require(len(winners) == 1, f"family {number}: {[answer.status for answer in answers]}")
            others = [answer for answer in answers if answer.status not in (200, 403)]
            require(not others, f"family {number}: {[(answer.status, answer.body, answer.seconds) for answer in others]}")
            after = race.clients[0].refresh(winners[0].json()["refresh_token"])
            require(after.status == 403, f"family {number} lives: {after.body}")
        alive = race.alive() - race.alive_before
        require(alive == 0, f"{alive} families are alive")
        return f"8 × {FAMILIES} families: one winner each, all dead"


def within_leeway():
    """8 of 8, and one generation."""
    with Postgres() as database, Race(database, 10, 8) as race:
        for number in range(FAMILIES):
            answers = race.exchange([race.new_token()] * 8)
            require([answer.status for answer in answers] == [200] * 8, f"family {number}: {answers[0].body}")
        wrong = database.number("SELECT count(*) FROM refresh_family WHERE generation > 1 OR revoked_at IS NOT NULL")
        require(wrong == 0, f"{wrong} families went on twice, or are dead")
        return f"8 × {FAMILIES} families: 8 of 8 each, one generation"


if __name__ == "__main__":
    run(without_leeway, within_leeway)
