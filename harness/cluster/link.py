"""The line to a scheduler of Dask's: its client runs in a loop of its own thread, and is asked from trio."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import trio

from dalang.engine.game import Plain, SetupError
from dalang.harness.cluster.local import local_cluster
from dalang.harness.tournament.cluster_place import TLS, ClusterPlace, is_safe

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 10
"""Seconds for a scheduler to answer."""
FAREWELL_SECONDS = 3
"""Seconds for it to hear that we go."""
RETRY_SECONDS = 0.5
"""Seconds after which a scheduler that did not hear us is asked again."""
CORE = "core"
"""The resource of which a Dask worker has one for each match that it plays at once."""

T = TypeVar("T")


class SchedulerGone(SetupError):
    """Nobody answers any more."""

    def __init__(self, address: str) -> None:
        super().__init__(
            f"the scheduler at {address} is gone; nothing is lost: every finished match is in the file. Run the same "
            "command again when it is back, or with another --cluster, or without one"
        )


class TaskFailed(Exception):
    """A Dask worker could not do what it was asked."""


class Present(NamedTuple):
    """A Dask worker, as the scheduler knows it."""

    address: str
    slots: int
    """Matches that it plays at once; 0 where nobody has said."""


class Link:
    def __init__(self, client: Client, address: str) -> None:
        self.client: Any = client
        self.address = address
        self.numbers = count()

    async def present(self) -> list[Present]:
        """The Dask workers that are there.

        The scheduler is asked by ourselves: the client looks after itself now and then and asks for nobody, and what it
        was told last is what its `scheduler_info` gives.
        """
        info = await self.identity()
        return [
            Present(address, min(int(worker["resources"].get(CORE, 0)), worker["nthreads"]))
            for address, worker in info["workers"].items()
        ]

    async def identity(self) -> Plain:
        """What the scheduler says of itself and its workers, as soon as it can."""
        while True:
            with suppress(TaskFailed):
                found: Plain = await self.carried(self.client.scheduler.identity(n_workers=-1))
                return found
            await trio.sleep(RETRY_SECONDS)

    async def ask(self, address: str, task: Callable[..., bytes], *arguments: Any) -> bytes:
        """What a task gives on one of its slots; while it is there, this waits for one."""
        return await self.carried(self.submitted(address, task, arguments))

    async def submitted(self, address: str, task: Callable[..., bytes], arguments: Sequence[Any]) -> bytes:
        future = self.client.submit(
            task,
            *arguments,
            key=f"dalang-{task.__name__}-{self.client.id}-{next(self.numbers)}",
            workers=[address],
            resources={CORE: 1},
            pure=False,
        )
        try:
            answer: bytes = await future
            return answer
        finally:
            future.release()

    async def tell_all(self, addresses: Sequence[str], task: Callable[..., None], *arguments: Any) -> None:
        """Beside all tasks, and whether they hear it or not."""
        with trio.move_on_after(FAREWELL_SECONDS), suppress(SchedulerGone, TaskFailed):
            await self.carried(
                self.client.run(
                    task, *arguments, workers=list(addresses), on_error="ignore", asynchronous=True
                )
            )

    async def carried(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Have this done in the loop of the client."""
        token, over = trio.lowlevel.current_trio_token(), trio.Event()

        def wake(_: object) -> None:
            with suppress(trio.RunFinishedError):
                token.run_sync_soon(over.set)

        future = asyncio.run_coroutine_threadsafe(coroutine, self.client.loop.asyncio_loop)
        future.add_done_callback(wake)
        try:
            await over.wait()
        finally:
            future.cancel()
        try:
            return future.result()
        except BaseException as error:  # what a worker, its loss or ours made of it
            self.check()
            raise TaskFailed(f"{type(error).__name__}: {one_line(error)}") from error

    def listens_at(self) -> str:
        """Where the scheduler can be reached, as it knows itself: the address that is open to most."""
        named = str(self.client.scheduler_info(n_workers=0)["address"])  # which each of its answers has
        return next((each for each in (named, *self.listeners()) if not is_safe(each)), named)

    def listeners(self) -> list[str]:
        """What it listens to: one that listens to all may call itself by the loopback, where it knows no other name."""
        try:
            found: list[str] = self.client.run_on_scheduler(listening, callback_timeout=CONNECT_SECONDS)
        except Exception:  # it lacks dalang, or is gone: both are told of later
            return []
        return found

    def check(self) -> None:
        if self.client.status != "running":
            raise SchedulerGone(self.address)


def listening(dask_scheduler: Any) -> list[str]:
    """What the scheduler does for us, in its own process; Dask goes by the name of the argument."""
    return [listener.listen_address for listener in dask_scheduler.listeners]


@contextmanager
def linked(place: ClusterPlace) -> Iterator[Link]:
    """A line to this cluster, which is made first if it is to be on this machine."""
    check_installed()
    if place.processes:
        with local_cluster(place.processes) as address, connected(ClusterPlace(address)) as link:
            yield link
    else:
        with connected(place) as link:
            yield link


def check_installed() -> None:
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise SetupError("a cluster needs Dask; install it with: pip install 'dalang[cluster]'") from None


@contextmanager
def connected(place: ClusterPlace) -> Iterator[Link]:
    hush()
    client: Any = called(place)
    client.loop.asyncio_loop.set_exception_handler(tell_unless_given_up)
    try:
        yield Link(client, place.address)
    finally:
        client.close(timeout=FAREWELL_SECONDS)


def called(place: ClusterPlace) -> Client:
    """A client of Dask's whose scheduler has answered."""
    from distributed import Client

    client: Any = Client.__new__(Client)
    options = {"timeout": CONNECT_SECONDS, "security": security_of(place), "set_as_default": False}
    try:
        in_time(partial(Client.__init__, client, place.address, **options))
    except Exception as error:  # whatever answers there may be no scheduler
        client.status = "closed"  # otherwise it would take its time to say goodbye to nobody
        raise SetupError(
            f"no scheduler of Dask's answers at {place.address} ({one_line(error)}); start one with: dask scheduler"
        ) from error
    return client  # type: ignore[no-any-return]


def in_time(connect: Callable[[], T]) -> T:
    """Dask's own timeout does not hold with a server that takes the call and says nothing."""
    answer: Future[T] = Future()

    def call() -> None:
        try:
            answer.set_result(connect())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=call, daemon=True).start()
    return answer.result(timeout=2 * CONNECT_SECONDS)


def hush() -> None:
    """Dask tells at length of what we tell in a line, and that bots are large."""
    import dask

    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def tell_unless_given_up(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Dask waits in a task of its own for a result that was lost; if we wait no longer, nobody hears how that ends."""
    from distributed.client import AllExit

    if not isinstance(context.get("exception"), AllExit):
        loop.default_exception_handler(context)


def security_of(place: ClusterPlace) -> Any:
    """The certificates that were named; of those that were not, what Dask's own settings say."""
    from distributed import Security

    files = {"tls_ca_file": place.tls_ca, "tls_client_cert": place.tls_cert, "tls_client_key": place.tls_key}
    security: Any = Security(**{key: str(path) for key, path in files.items() if path})
    if place.address.startswith(TLS):
        security.require_encryption = True
        check_certificates(security, place.address)
    return security


def check_certificates(security: Any, address: str) -> None:
    try:
        has_some = security.get_connection_args("client")["ssl_context"] is not None
    except (OSError, ValueError) as error:
        raise SetupError(f"the certificates for {address} cannot be used: {one_line(error)}") from error
    if not has_some:
        raise SetupError(
            f"{address} needs certificates: name tls_ca, tls_cert and tls_key in [cluster] of a TOML, or set them for "
            "Dask (see docs/cluster.md)"
        )


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
