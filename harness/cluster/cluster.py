"""A cluster that plays instead of workers on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dalang.harness.cluster.dispatch import Dispatch
from dalang.harness.cluster.link import linked
from dalang.harness.cluster.members import ClusterMembers
from dalang.harness.tournament.cluster_place import ClusterPlace
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.crew import GiveUp, TakeMatches
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.worker import Assignment

PUBLIC = (
    "the scheduler at {address} is reached without TLS, and whoever reaches it can run programs on all machines of the "
    "cluster: keep it in a network of your own, or use tls:// (see docs/cluster.md)"
)


class Cluster:
    """What a run needs of it, see `Abroad`."""

    def __init__(self, members: ClusterMembers) -> None:
        self.members = members

    async def examine(self, assignment: Assignment) -> None:
        await self.members.examine(assignment)

    def slots(self) -> int:
        return self.members.slots()

    def hire(
        self, store: Store, report: TakeMatches, give_up: GiveUp, tell: Callable[[str], None]
    ) -> Dispatch:
        return Dispatch(self.members, store, report, give_up, tell)


@contextmanager
def cluster_at(place: ClusterPlace, config: Config, tell: Callable[[str], None]) -> Iterator[Cluster]:
    """For one run."""
    if not place.processes and not place.is_safe():
        tell(PUBLIC.format(address=place.address))
    with linked(place) as link:
        yield Cluster(ClusterMembers(link, config, tell))
