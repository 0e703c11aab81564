"""Sign-ins/s on SQLite with durable commits (FULL) against commits without fsync (NORMAL): 0.9 × at least."""

from latchkey import require, run
from speeds import CONNECTIONS, Target, by_turns, rate_ratio
from stores import on_memory


def full_to_normal():
    """At 32 connections."""
    with on_memory() as safe, on_memory() as unsafe:
        unsafe.store += "?synchronous=normal"
        full, normal = Target(safe), Target(unsafe)
        by_turns(full, normal)
        ratio = rate_ratio(full, normal)
        text = f"{ratio:.2f} × the sign-ins/s of NORMAL at {CONNECTIONS} connections, target 0.9 ×"
        require(ratio >= 0.9, text)
        return text


if __name__ == "__main__":
    run(full_to_normal)
