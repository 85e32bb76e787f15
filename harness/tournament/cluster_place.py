"""Which cluster plays: what `--cluster` and `[cluster]` mean. Whoever does not ask for one loads nothing of Dask's."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dalang.engine.game import Plain, SetupError, quoted
from dalang.harness.gate import at_home, check_text, read_json, there

LOCAL = re.compile(r"local:([1-9][0-9]{0,2})")
ADDRESS = re.compile(r"((tcp|tls)://)?([^\s:/\[\]]+|\[[0-9a-fA-F:.]+\]):[0-9]{1,5}")
PLACE_KEYS = ("address", "scheduler_file", "tls_ca", "tls_cert", "tls_key")
TLS = "tls://"
TLS_KEYS = ("tls_ca", "tls_cert", "tls_key")


@dataclass(frozen=True)
class ClusterPlace:
    """A scheduler of Dask's, or processes on this machine for those who want to try."""

    address: str = ""
    processes: int = 0
    """Of a cluster on this machine that lives as long as the run; 0 for one that is there already."""
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None


def is_safe(address: str) -> bool:
    """Whether strangers cannot reach a scheduler, or not without a certificate."""
    return address.startswith(TLS) or is_loopback(host_in(address))


def host_in(address: str) -> str:
    return address.rpartition("://")[2].rpartition(":")[0].strip("[]")


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def find_cluster(text: str, where: str = "--cluster") -> ClusterPlace:
    """The address of a scheduler, a file in which it has written its address, or local:N."""
    check_text(text, where)
    if local := LOCAL.fullmatch(text):
        return ClusterPlace(processes=int(local[1]))
    if there(at_home(text).is_file):
        return ClusterPlace(address_in(at_home(text)))
    if not ADDRESS.fullmatch(text) or text.startswith("local:"):
        raise SetupError(
            f"{where} is no cluster: {quoted(text)}; give the address of a Dask scheduler such as tcp://10.0.0.1:8786 "
            "or tls://10.0.0.1:8786, its scheduler file, or local:2 for two processes on this machine"
        )
    return ClusterPlace(text if "://" in text else f"tcp://{text}")


def address_in(path: Path) -> str:
    """What a scheduler wrote there (`dask scheduler --scheduler-file`)."""
    data = read_json(path)
    address = data.get("address") if isinstance(data, dict) else None
    if not isinstance(address, str) or not ADDRESS.fullmatch(address):
        raise SetupError(f"{path} is no scheduler file of Dask's: it has no address of a scheduler")
    return address


def cluster_section(given: Plain, path: Path) -> ClusterPlace | None:
    """What a TOML says under [cluster]; its paths are seen from its folder."""
    if not given:
        return None
    for key, value in given.items():
        if not isinstance(value, str):
            raise SetupError(f"{path}: {key} in [cluster] must be text in quotes, not {quoted(value)}")
    if ("address" in given) == ("scheduler_file" in given):
        raise SetupError(f"{path}: [cluster] needs either address or scheduler_file")
    has_file = "scheduler_file" in given
    text = str(path.parent / at_home(given["scheduler_file"])) if has_file else given["address"]
    found = find_cluster(text, f"the cluster in {path}")
    return replace(found, **tls_files(given, path, found))


def tls_files(given: Plain, path: Path, found: ClusterPlace) -> dict[str, Any]:
    files = {key: path.parent / at_home(given[key]) for key in TLS_KEYS if key in given}
    if files and not found.address.startswith(TLS):
        raise SetupError(f"{path}: {', '.join(files)} in [cluster] is for a scheduler at tls://")
    for key, file in files.items():
        if not there(file.is_file):
            raise SetupError(f"{path}: {key} in [cluster] names {file}, which is not there")
    return files
