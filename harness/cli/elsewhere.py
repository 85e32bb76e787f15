"""The cluster that a command was told to play on, loaded only then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dalang.harness.cli.common import note
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.crew import Abroad


@contextmanager
def elsewhere(config: Config) -> Iterator[Abroad | None]:
    """None if it is played here."""
    if config.cluster is None:
        yield None
        return
    from dalang.harness.cluster.cluster import cluster_at

    with cluster_at(config.cluster, config, note) as cluster:
        yield cluster
