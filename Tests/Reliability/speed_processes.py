"""What a sign-in costs two server processes on one PostgreSQL and Redis, against one: 1/0.9 × at most."""

from latchkey import require, run
from speeds import Target, by_turns, cpu_ratio, rate_ratio
from stores import on_postgres_and_redis


def two_to_one():
    """Server CPU for a sign-in, the same number of connections in all."""
    with on_postgres_and_redis() as deployment:
        one, two = Target(deployment, 1), Target(deployment, 2)
        by_turns(one, two)
        share = cpu_ratio(one, two)
        text = (f"{share:.2f} × the sign-ins of one process for the same CPU, target 0.9 ×"
                f" ({two.cpu:.0f} to {one.cpu:.0f} µs), {rate_ratio(two, one):.2f} × the sign-ins/s")
        require(share >= 0.9, text)
        return text


if __name__ == "__main__":
    run(two_to_one)
