"""Run `arena` in a process that lacks what Python lacks on Windows. Called by test_without_posix.py.

python without_posix.py ARGUMENTS...

Modules of the standard library that have an own form for Windows are imported first.
"""

import asyncio.unix_events  # noqa: F401
import concurrent.futures.process  # noqa: F401
import importlib.abc
import multiprocessing.connection  # noqa: F401
import os
import shutil  # noqa: F401
import signal
import socket
import subprocess  # noqa: F401
import sys
import tarfile  # noqa: F401
import webbrowser  # noqa: F401
from pathlib import Path  # noqa: F401

HIDDEN = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix", "crypt", "spwd", "nis"}
OF_OS = [
    "fork", "forkpty", "geteuid", "getuid", "getegid", "getgid", "setuid", "setgid", "setreuid", "setresuid",
    "setsid", "killpg", "getpgid", "setpgid", "getpgrp", "sched_getaffinity", "sched_setaffinity",
    "sched_yield", "uname", "getloadavg", "chown", "lchown", "fchown", "mkfifo", "mknod", "wait", "wait3",
    "wait4", "waitid", "WNOHANG", "WIFSIGNALED", "pidfd_open", "O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC",
    "O_NONBLOCK", "register_at_fork", "getgroups", "setgroups", "initgroups", "sysconf", "statvfs",
    "fstatvfs", "nice", "getpriority", "setpriority", "memfd_create", "posix_spawn", "openpty", "ttyname",
    "pipe2", "sendfile", "preadv", "pwritev", "pread", "pwrite", "fchdir", "chroot", "sync",
]  # fmt: skip
OF_SIGNAL = [
    "SIGKILL", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGSTOP", "SIGCONT", "SIGCHLD", "SIGALRM",
    "SIGPIPE", "SIGTSTP", "SIGWINCH", "pthread_sigmask", "sigwait", "setitimer", "alarm", "pause",
]  # fmt: skip


class Hider(importlib.abc.MetaPathFinder):
    """Hides modules."""

    def find_spec(self, name, path, target=None):
        if name in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


for name in HIDDEN:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hider())
for module, names in ((os, OF_OS), (signal, OF_SIGNAL), (socket, ["send_fds", "recv_fds"])):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

from arena.__main__ import main  # noqa: E402

main()
