"""What --cluster and [cluster] mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dalang.engine.game import SetupError
from dalang.harness.tournament.cluster_place import ClusterPlace, cluster_section, find_cluster
from dalang.harness.tournament.config import read_config


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("tcp://10.0.0.1:8786", "tcp://10.0.0.1:8786"),
        ("tls://head.example:8786", "tls://head.example:8786"),
        ("head:8786", "tcp://head:8786"),
        ("[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_an_address_is_that_of_a_scheduler(text: str, address: str) -> None:
    assert find_cluster(text) == ClusterPlace(address)


def test_local_is_a_number_of_processes_here() -> None:
    assert find_cluster("local:2") == ClusterPlace(processes=2)


@pytest.mark.parametrize(
    "text", ["", "local:0", "local:x", "local:", "head", "http://head:1", "tcp://a b:1", "a:1:2", "\0"]
)
def test_anything_else_is_refused_with_what_can_be_said(text: str) -> None:
    with pytest.raises(SetupError, match="--cluster"):
        find_cluster(text)


def test_a_scheduler_file_tells_the_address(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text('{"type": "Scheduler", "address": "tls://10.0.0.1:8786"}')
    assert find_cluster(str(file)) == ClusterPlace("tls://10.0.0.1:8786")
    for content in ("[]", "{}", '{"address": 1}', '{"address": "no where"}', "no json"):
        file.write_text(content)
        with pytest.raises(SetupError, match=r"scheduler\.json"):
            find_cluster(str(file))


def test_a_section_names_certificates_beside_it(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").touch()
    said = {"address": "tls://head:8786", "tls_ca": "ca.pem"}
    assert cluster_section(said, tmp_path / "t.toml") == ClusterPlace(
        "tls://head:8786", tls_ca=tmp_path / "ca.pem"
    )
    assert cluster_section({}, tmp_path / "t.toml") is None


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"address": 1}, "address in .cluster. must be text"),
        ({"address": ""}, "is no cluster: ''"),
        ({"tls_ca": "x"}, "needs either address or scheduler_file"),
        ({"address": "h:1", "scheduler_file": "x"}, "needs either address or scheduler_file"),
        ({"address": "h:1", "tls_key": "x"}, "tls_key in .cluster. is for a scheduler at tls://"),
        ({"address": "tls://h:1", "tls_key": "x"}, "which is not there"),
        ({"scheduler_file": "not there"}, "is no cluster"),
    ],
)
def test_a_section_that_means_nothing_is_refused(said: Any, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=complaint):
        cluster_section(said, tmp_path / "t.toml")


def test_an_unknown_key_is_refused(tmp_path: Path) -> None:
    config = tmp_path / "t.toml"
    config.write_text('[game]\nname = "kali"\n[cluster]\nadress = "h:1"\n')
    with pytest.raises(SetupError, match="did you mean 'address'"):
        read_config(config)
