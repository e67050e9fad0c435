"""Run `arena`, or pytest, in a process that lacks what Python lacks on Windows. Called by test_without_posix.py.

python without_posix.py ARGUMENTS...
python without_posix.py --pytest ARGUMENTS...

Modules of the standard library that have an own form for Windows are imported first. A process that is spawned runs
this file again, so that it lacks the same.
"""

import asyncio.unix_events  # noqa: F401
import concurrent.futures.process  # noqa: F401
import importlib.abc
import multiprocessing.connection
import multiprocessing.heap
import multiprocessing.popen_fork
import multiprocessing.popen_spawn_posix
import multiprocessing.resource_tracker
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


kill = multiprocessing.popen_fork.Popen._send_signal
multiprocessing.popen_fork.Popen.kill = lambda process: kill(process, 9)  # Windows ends processes without signals
multiprocessing.heap.Arena._dir_candidates = []
multiprocessing.resource_tracker._HAVE_SIGMASK = False
multiprocessing.get_all_start_methods = lambda: ["spawn"]
for name in HIDDEN:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Hider())
for module, names in ((os, OF_OS), (signal, OF_SIGNAL), (socket, ["send_fds", "recv_fds"])):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

if __name__ == "__main__":
    if sys.argv[1:2] == ["--pytest"]:
        import pytest

        sys.exit(pytest.main(sys.argv[2:]))
    from arena.__main__ import main

    main()
