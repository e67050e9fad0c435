"""The system calls that a bot is not allowed to make. `seccomp_programs.py` makes the seccomp programs from this file.

All other calls up to `LAST_KNOWN` are allowed, because each programming language needs different calls.
The denied calls are calls that attacks on kernels use, and that no program needs to play a game.
"""

from __future__ import annotations

from dataclasses import dataclass

SUCCESS = 0
EPERM = 1
EACCES = 13
EINVAL = 22
ENOSYS = 38
EOPNOTSUPP = 95

LAST_KNOWN = 469
"""The last system call of Linux 6.17. Calls with higher numbers are answered with ENOSYS, as by an older kernel."""

CLONE_NEW_NAMESPACES = 0x7E020000
AF_UNIX = 1
TIOCSTI = 0x5412
TIOCLINUX = 0x541C
PERSONALITY_QUERY = 0xFFFFFFFF
MADV_PAGEOUT = 21
SOL_SOCKET = 1
SO_SNDBUF = 7
RWF_NOWAIT = 0x08
RWF_DONTCACHE = 0x80
PR_SCHED_CORE = 62
NOTICING_COMMANDS = {"F_GETLK": 5, "F_OFD_GETLK": 36, "F_SETLEASE": 1024, "F_NOTIFY": 1026}
"""Commands of fcntl that report what other processes do with a file.

The commands that set a lock are allowed. On files that several sandboxes share, a bot can set only read locks. Read
locks do not exclude each other, so a bot does not notice the locks of others.
"""


@dataclass(frozen=True, slots=True)
class Architecture:
    """A processor architecture.

    Attributes:
        name: The name that `platform.machine()` returns.
        audit: The number of the architecture in the data that the kernel gives to a seccomp program.
        column: The column of the architecture in the tables below.
    """

    name: str
    audit: int
    column: int


ARCHITECTURES = (Architecture("x86_64", 0xC000003E, 0), Architecture("aarch64", 0xC00000B7, 1))

DENIED: dict[str, tuple[int | None, int | None]] = {
    # File systems and namespaces, through which a process could leave the sandbox.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    # Memory and descriptors of other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # Large parts of the kernel in which many vulnerabilities have been found.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "modify_ldt": (154, None),
    "memfd_secret": (447, 447),
    # Objects of the kernel that belong to no process, so that only a control group counts their memory. Without an
    # IPC namespace (level 1), they outlive the bot, and a later bot reaches them.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "shmdt": (67, 197),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    # Settings of the whole machine, and obsolete calls.
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "create_module": (174, None),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "settimeofday": (164, 170),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "syslog": (103, 116),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "uselib": (134, None),
    "ustat": (136, None),
    "_sysctl": (156, None),
    "nfsservctl": (180, 42),
    "lookup_dcookie": (212, 18),
    # A bot cannot change its processor, the memory node of its pages, or its priority for input and output (and see
    # `IGNORED`).
    "sched_setaffinity": (203, 122),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "ioprio_set": (251, 30),
}
"""Calls that are answered with EPERM, with their numbers on x86-64 and aarch64; None where a call does not exist."""

ABSENT: dict[str, tuple[int | None, int | None]] = {
    # Calls that show which pages of a file are in memory, and so what earlier bots have read.
    "mincore": (27, 232),
    "cachestat": (451, 451),
    "io_setup": (206, 0),
    # Calls that show what other processes do with a file now.
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "flock": (73, 32),
}
"""Calls that are answered with ENOSYS, as by a kernel that lacks them. Then libraries use other calls."""

IGNORED: dict[str, tuple[int | None, int | None]] = {
    # It could remove pages of files from memory.
    "fadvise64": (221, 223),
    # A bot with less weight than other programs would wait for them without end, and its match would become void. Some
    # libraries (libzmq) and runtimes set the policy or priority of their threads, and end if that fails.
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    # Who waits for the disk is not idle, so that a bot could hold its turn up with the files of others. It can write
    # to memory only, where these calls have no effect.
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "msync": (26, 227),
}
"""Calls that do nothing here and report success."""

DENIED_WITHOUT_MEMORY_LIMIT: dict[str, tuple[int | None, int | None]] = {
    "memfd_create": (319, 279),
}
"""Calls that create memory outside of the address space. They are denied if no memory cgroup limits the bot."""

EXAMINED: dict[str, tuple[int, int]] = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ioctl": (16, 29),
    "personality": (135, 92),
    "fcntl": (72, 25),
    "madvise": (28, 233),
    "preadv2": (327, 286),
    "pwritev2": (328, 287),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "setsockopt": (54, 208),
}
"""Calls that are allowed or refused depending on their arguments (see `seccomp_programs.py`).

- clone: allowed without new namespaces.
- clone3: answered with ENOSYS, because seccomp cannot read its arguments. The C library then uses clone.
- socket, socketpair: allowed for AF_UNIX.
- ioctl: allowed, except the commands that insert characters into the input of a terminal.
- personality: allowed only to read the current personality.
- fcntl: allowed, except the `NOTICING_COMMANDS`.
- madvise: allowed, except MADV_PAGEOUT, which removes pages from memory.
- preadv2, pwritev2: allowed without RWF_NOWAIT and RWF_DONTCACHE. These flags show or change which pages are in memory.
- prlimit64: allowed if the target is 0, which means the caller.
- prctl: allowed, except PR_SCHED_CORE. A bot with a core of its own would wait while others run there, and they for it.
- setsockopt: allowed, but SO_SNDBUF does nothing, because a limit on the address space does not count send buffers.
"""

SAME_RULE = {"socketpair": "socket", "pwritev2": "preadv2"}
"""Maps a call to another call with the same rule for arguments."""
