"""What a sign-in costs the server on PostgreSQL and Redis, against SQLite and memory: 1.25 × at most."""

from latchkey import require, run
from speeds import CONNECTIONS, Target, by_turns, cpu_ratio, rate_ratio
from stores import on_memory, on_postgres_and_redis


def postgres_and_redis_to_sqlite_and_memory():
    """Server CPU for a sign-in."""
    with on_memory() as small, on_postgres_and_redis() as large:
        one, other = Target(small), Target(large)
        by_turns(one, other)
        ratio = cpu_ratio(other, one)
        text = (f"{ratio:.2f} × the server CPU of a sign-in, target 1.25 × ({other.cpu:.0f} to {one.cpu:.0f} µs),"
                f" {rate_ratio(other, one):.2f} × the sign-ins/s at {CONNECTIONS} connections")
        require(ratio <= 1.25, text)
        return text


if __name__ == "__main__":
    run(postgres_and_redis_to_sqlite_and_memory)
