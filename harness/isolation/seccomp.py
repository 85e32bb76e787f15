"""System calls that a bot is refused, as a program for the kernel's filter (seccomp, classic BPF)."""

from __future__ import annotations

import errno
import os
import platform
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

LOAD, JUMP_IF, JUMP_FROM, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Where the filter finds them; of an argument it looks at the lower half."""

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The kernel's name of each machine whose numbers are known here."""
FOREIGN_CALLS = 0x40000000
"""From here on x86-64 has the same calls again under other numbers (x32)."""

REFUSED = {
    # looking into others, or moving them
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440),
    # another view of the files
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "setns": (308, 268), "unshare": (272, 97),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264),
    # more of the processor than its share
    "sched_setaffinity": (203, 122), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118),
    "sched_setattr": (314, 274), "setpriority": (141, 140), "ioprio_set": (251, 30),
    # what others do with files that all of them read; the oldest of these calls is not there on aarch64
    "inotify_init1": (294, 26), "inotify_init": (253, 26), "fanotify_init": (300, 262),
    # memory that belongs to no process, so that nobody sees whose it is, and one leaves word in it for the next
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    # the machine itself, and parts of the kernel that few need and many have broken
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "quotactl": (179, 60), "syslog": (103, 116), "vhangup": (153, 58),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162),
}  # fmt: skip
"""By name: the number on each of the machines."""
SAID_MISSING = {
    "clone3": (435, 435), "memfd_create": (319, 279), "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
}  # fmt: skip
"""Said not to exist, so that runtimes take the older way: what these are asked to do a filter cannot see."""
ON_REQUEST = {
    "clone": (56, 220), "ioctl": (16, 29), "prctl": (157, 167), "socket": (41, 198), "fcntl": (72, 25),
    "flock": (73, 32), "prlimit64": (302, 261), "setsid": (112, 157), "setpgid": (109, 154),
}  # fmt: skip
"""Refused for some arguments, or at one level only."""

NEW_NAMESPACES = 0x7E020000
TYPING_FOR_OTHERS = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: they put words into the mouth of whoever sits at the terminal."""
LOCKING = (6, 7, 37, 38)
"""F_SETLK, F_SETLKW and the same for open files. A lock says something to every process that reads the same file, and
one of them meets the same deal from another seat; so nobody gets one, but all are told that they did."""
WATCHING = (1024, 1026)
"""F_SETLEASE and F_NOTIFY."""
OURSELVES = 0
UNIX = 1
"""The family of sockets for programs on the same machine."""
PRETEND = 0
"""No error: the call is said to have been done."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, SIGKILL = 1, 36, 9

Instruction = bytes


def is_known_machine() -> bool:
    return platform.machine() in MACHINES


def program(closed: bool = False, network: bool = False) -> bytes:
    """The filter; `closed` for bots that no namespace keeps from the network and from outliving us."""
    machine = platform.machine()
    column = list(MACHINES).index(machine)
    number = {name: numbers[column] for name, numbers in {**REFUSED, **SAID_MISSING, **ON_REQUEST}.items()}
    return b"".join(
        [
            *[load(ARCHITECTURE), jump(JUMP_IF, MACHINES[machine], 1, 0), end(KILL)],
            *[load(NUMBER), *([jump(JUMP_FROM, FOREIGN_CALLS, 0, 1), end(refusal())] if column == 0 else [])],
            *when(number["clone"], [argument(0), jump(JUMP_BITS, NEW_NAMESPACES, 0, 1), end(refusal())]),
            *when(number["ioctl"], [argument(1), *refusing(TYPING_FOR_OTHERS)]),
            *when(number["fcntl"], [argument(1), *refusing(LOCKING, PRETEND), *refusing(WATCHING)]),
            *when(number["prlimit64"], [argument(0), jump(JUMP_IF, OURSELVES, 1, 0), end(refusal())]),
            *refusing([number["flock"]], PRETEND),
            *(closing(number, network) if closed else []),
            *refusing(number[name] for name in REFUSED),
            *refusing((number[name] for name in SAID_MISSING), errno.ENOSYS),
            end(ALLOW),
        ]
    )


def closing(number: Mapping[str, int], network: bool) -> list[Instruction]:
    """No sockets, or none to programs on this machine; pairs of them are fine.

    Nobody takes back that it dies with us, and that it gets its children's orphans.

    Who wants a session or a group of his own is told that he has it, and stays where one signal ends them all: however
    fast they fork, none slips away.
    """
    parent_death = [argument(1), jump(JUMP_IF, SIGKILL, 1, 0), end(refusal())]
    options = [
        *refusing([PR_SET_CHILD_SUBREAPER]),
        *[jump(JUMP_IF, PR_SET_PDEATHSIG, 0, len(parent_death)), *parent_death],
    ]
    return [
        *when(
            number["socket"],
            [argument(0), *refusing([UNIX], errno.EACCES)] if network else [end(refusal(errno.EACCES))],
        ),
        *refusing([number["setsid"], number["setpgid"]], PRETEND),
        *when(number["prctl"], [argument(0), *options]),
    ]


def when(number: int, body: list[Instruction]) -> list[Instruction]:
    """For this call the body decides; what it does not refuse is allowed."""
    return [jump(JUMP_IF, number, 0, len(body) + 1), *body, end(ALLOW)]


def refusing(values: Iterable[int], error: int = errno.EPERM) -> list[Instruction]:
    return [each for value in values for each in (jump(JUMP_IF, value, 0, 1), end(refusal(error)))]


def refusal(error: int = errno.EPERM) -> int:
    return REFUSE | error


def load(offset: int) -> Instruction:
    return struct.pack("HBBI", LOAD, 0, 0, offset)


def argument(place: int) -> Instruction:
    return load(ARGUMENTS + 8 * place)


def jump(kind: int, value: int, if_so: int, if_not: int) -> Instruction:
    return struct.pack("HBBI", kind, if_so, if_not, value)


def end(verdict: int) -> Instruction:
    return struct.pack("HBBI", RETURN, 0, 0, verdict)


@contextmanager
def as_file(filter_: bytes) -> Iterator[int]:
    """A descriptor from which another program reads it, once: whoever shares it shares the place in it."""
    descriptor = os.memfd_create("seccomp")
    try:
        os.write(descriptor, filter_)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)
