"""A sibling that is exchanged later than the leeway after its twin: it is reuse, and the family is dead (contract 7.4)."""

import time

from latchkey import amount, require, run
from postgres import Postgres
from refresh_races import Race

FAMILIES = amount(500)
LEEWAY = 5


def late_siblings():
    """Two children of one token; one goes on, the other comes too late: neither line is left."""
    with Postgres() as database, Race(database, LEEWAY, 2) as race:
        pairs = []
        for _ in range(FAMILIES):
            twins = [answer.json()["refresh_token"] for answer in race.exchange([race.new_token()] * 2)]
            went_on = race.clients[0].refresh(twins[0])
            require(went_on.status == 200, f"a twin: {went_on.status} {went_on.body}")
            pairs.append((twins[1], went_on.json()["refresh_token"], time.monotonic()))
        for late, newest, exchanged_at in pairs:
            time.sleep(max(0, exchanged_at + LEEWAY + 0.1 - time.monotonic()))
            refused = race.clients[1].refresh(late)
            require(refused.status == 403, f"a late sibling: {refused.status} {refused.body}")
            after = race.clients[0].refresh(newest)
            require(after.status == 403, f"the line of its twin lives: {after.status} {after.body}")
        dead = database.number("SELECT count(*) FROM refresh_family WHERE revoked_at IS NOT NULL")
        require(dead == FAMILIES, f"{dead} of {FAMILIES} families are dead")
        return f"{dead} of {FAMILIES} families dead"


if __name__ == "__main__":
    run(late_siblings)
