"""A cluster that plays instead of workers on this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dalang.harness.cluster.dispatch import Dispatch
from dalang.harness.cluster.link import linked
from dalang.harness.cluster.members import ClusterMembers
from dalang.harness.entrants.fingerprint import is_bundled
from dalang.harness.isolation.levels import NONE
from dalang.harness.tournament.cluster_place import ClusterPlace, is_safe
from dalang.harness.tournament.config import Config
from dalang.harness.tournament.crew import GiveUp, TakeMatches
from dalang.harness.tournament.store import Store
from dalang.harness.tournament.worker import Assignment

REACHED = (
    "bots that are not isolated can reach the scheduler at {address}, and whoever does can run programs on all "
    "machines of the cluster: isolate them, or be sure of them (see docs/cluster.md)"
)
PUBLIC = (
    "the scheduler at {address} is reached without TLS, and whoever reaches it can run programs on all machines of the "
    "cluster: keep it in a network of your own, or use tls:// (see docs/cluster.md)"
)


class Cluster:
    """What a run needs of it, see `Abroad`."""

    def __init__(self, members: ClusterMembers, is_elsewhere: bool = True) -> None:
        self.members = members
        self.is_elsewhere = is_elsewhere
        """Whether it has, or may have, other machines than this one."""

    async def examine(self, assignment: Assignment) -> None:
        if self.is_elsewhere and has_strangers(assignment):
            self.members.tell(REACHED.format(address=self.members.link.address))
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
    with linked(place) as link:
        if public := [address for address in (link.address, link.listens_at()) if not is_safe(address)]:
            tell(PUBLIC.format(address=public[0]))
        yield Cluster(ClusterMembers(link, config, tell), is_elsewhere=not place.processes)


def has_strangers(assignment: Assignment) -> bool:
    """Whether bots have the network, and are not ours."""
    return assignment.terms.isolate == NONE.level and not all(map(is_bundled, assignment.entrants))
