"""Sites of dalang as tests meet them: a real process, asked through a real socket."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.test_tournament import command

LONGEST_ANSWER = 60.0
"""Seconds for which an answer is waited for on a busy machine."""


class Served(NamedTuple):
    """A site, and the process that serves it."""

    address: str
    process: subprocess.Popen[str]

    @property
    def place(self) -> tuple[str, int]:
        host, _, port = self.address.removeprefix("http://").rstrip("/").rpartition(":")
        return host, int(port)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.place, LONGEST_ANSWER)

    def say(self, request: bytes) -> bytes:
        """All that is answered until the connection is closed."""
        with self.connect() as wire:
            wire.sendall(request)
            return b"".join(iter(lambda: wire.recv(2**16), b""))

    def ask(self, path: str, method: str = "GET", host: str = "localhost", more: str = "") -> Asked:
        head, _, body = self.say(
            f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n".encode()
        ).partition(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        return Asked(int(first.split()[1]), headers, body)


class Asked(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


@contextmanager
def served(*arguments: str | Path) -> Iterator[Served]:
    """`dalang serve` with these arguments, at any port."""
    words = command("serve", *map(str, arguments), "--port", "0", "--json")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield Served(json.loads(process.stdout.readline())["address"], process)
        finally:
            process.terminate()
            process.communicate(timeout=LONGEST_ANSWER)


@contextmanager
def run_with_spectators(*arguments: str | Path) -> Iterator[Served]:
    """`dalang run --serve` with these arguments, as soon as spectators are let in."""
    words = command("run", *map(str, arguments), "--serve", "--port", "0")
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield Served(next(told_address(process.stderr)), process)
        finally:
            process.terminate()
            process.communicate(timeout=LONGEST_ANSWER)


def told_address(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith("spectators: "):
            yield line.removeprefix("spectators: ").strip()
    sys.exit("nobody was let in")


def events(wire: socket.socket, path: str) -> Iterator[tuple[str, str]]:
    """What a feed tells: the sort of each event and its data."""
    wire.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    sort = ""
    for line in wire.makefile("rb"):
        text = line.decode().strip()
        if text.startswith("event: "):
            sort = text.removeprefix("event: ")
        elif text.startswith("data: "):
            yield sort, text.removeprefix("data: ")
