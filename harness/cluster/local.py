"""A cluster on this machine, for trying: a process that has a scheduler and its workers, and ends with us."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dalang.engine.game import SetupError
from dalang.harness.match.children import CHILDREN

LOOPBACK = "127.0.0.1"


@contextmanager
def local_cluster(processes: int) -> Iterator[str]:
    """The address of a scheduler with so many workers, each of which plays one match at once."""
    process = CHILDREN.start([sys.executable, "-P", "-m", "dalang.harness.cluster.local", str(processes)])
    assert process.stdin and process.stdout
    try:
        address = process.stdout.readline().decode().strip()
        if not address:
            raise SetupError("the cluster on this machine did not start; what it said stands above")
        yield address
    finally:
        process.stdin.close()  # it waits for that
        process.wait()
        process.stdout.close()
        CHILDREN.forget(process)


def main() -> None:
    """Until stdin is closed; only this machine can reach it, and nobody looks at a page of it."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        host=LOOPBACK,
        scheduler_kwargs={"dashboard": False, "dashboard_address": f"{LOOPBACK}:0"},
        resources={"core": 1},
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        sys.stdout.write(f"{cluster.scheduler_address}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    main()
