"""Sign-ins/s on SQLite with durable commits (FULL) against commits without fsync (NORMAL): 0.9 × at least."""

import os
import statistics
import time

from latchkey import require, run
from speeds import CONNECTIONS, Target, by_turns, rate_ratio
from stores import on_memory


def sync_time(folder):
    """Milliseconds of an fdatasync of 4 KiB, the median: on a disk that others keep busy the ratio says little."""
    times = []
    file = os.open(folder / "sync", os.O_CREAT | os.O_WRONLY)
    for number in range(100):
        os.pwrite(file, bytes(4096), number * 4096)
        started = time.monotonic()
        os.fdatasync(file)
        times.append((time.monotonic() - started) * 1000)
    os.close(file)
    return statistics.median(times)


def full_to_normal():
    """At 32 connections."""
    with on_memory() as safe, on_memory() as unsafe:
        unsafe.store += "?synchronous=normal"
        full, normal = Target(safe), Target(unsafe)
        before = sync_time(safe.folder)
        by_turns(full, normal)
        ratio = rate_ratio(full, normal)
        text = (f"{ratio:.2f} × the sign-ins/s of NORMAL at {CONNECTIONS} connections, target 0.9 ×; an fdatasync takes"
                f" {before:.1f} ms before and {sync_time(safe.folder):.1f} ms after")
        require(ratio >= 0.9, text)
        return text


if __name__ == "__main__":
    run(full_to_normal)
