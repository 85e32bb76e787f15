"""Landlock through ctypes: a process gives up the files that it is not told to keep, for itself and its children."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dalang.harness.isolation.seccomp import PR_SET_CHILD_SUBREAPER

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""The same numbers on every machine."""
VERSION_WANTED, RULE_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
FOR_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL
"""What can be allowed for a file that is no folder."""
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
"""By the version of Landlock that brought them: how many rights on files there are."""
TCP, TCP_SINCE = 0b11, 4
SCOPED, SCOPED_SINCE = 0b11, 6
"""Abstract sockets of others, and signals to them."""
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2


class Refused(OSError):
    """The kernel does not let us."""


class Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def version() -> int:
    """Of the kernel's Landlock; 0 if it has none."""
    found: int = libc().syscall(CREATE_RULESET, None, 0, VERSION_WANTED)
    return max(found, 0)


def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def all_rights() -> int:
    here = version()
    return (1 << max(rights for since, rights in FILE_RIGHTS.items() if since <= here)) - 1


@dataclass(frozen=True)
class Kept:
    """What a process keeps."""

    readable: Sequence[Path]
    writable: Sequence[Path]
    listable: Sequence[Path]
    """Folders whose files have names, but no contents."""

    def rights(self) -> Iterator[tuple[Path, int]]:
        yield from ((path, READ) for path in self.readable)
        yield from ((path, all_rights()) for path in self.writable)
        yield from ((path, READ_DIR) for path in self.listable)


@contextmanager
def restriction(kept: Kept, filter_: bytes, network: bool = False) -> Iterator[Callable[[], None]]:
    """A function after which the process that calls it has only these files, and the filter's system calls.

    It is called in a child that has just been forked, so everything is prepared before.
    """
    ruleset, calls = new_ruleset(network), libc()
    program = Program(len(filter_) // 8, filter_)

    def restrict() -> None:
        # what its children leave behind becomes its own child, so it can be found
        done(calls.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper")
        done(calls.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
        done(calls.syscall(RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
        done(calls.prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0), "seccomp")

    try:
        for path, rights in kept.rights():
            allow(ruleset, path, rights)
        yield restrict
    finally:
        os.close(ruleset)


def new_ruleset(network: bool) -> int:
    here = version()
    attributes = Ruleset(all_rights(), 0 if network else TCP, SCOPED)
    size = 24 if here >= SCOPED_SINCE else 16 if here >= TCP_SINCE else 8
    return done(libc().syscall(CREATE_RULESET, ctypes.byref(attributes), size, 0), "landlock_create_ruleset")


def allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no leave
    try:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        rule = Beneath(rights & all_rights() & (~0 if is_folder else FOR_FILES), descriptor)
        done(libc().syscall(ADD_RULE, ruleset, RULE_BENEATH, ctypes.byref(rule), 0), f"a rule for {path}")
    finally:
        os.close(descriptor)


def done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise Refused(number, f"{what}: {os.strerror(number)}")
    return result
