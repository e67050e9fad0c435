"""A fork server whose match processes report what they have inherited, or misbehave."""

import ctypes
import json
import os
import signal
import socket
import sys
import time

from arena.bots.system.reaping import die_with_parent
from arena.play.referee.forkserver import serve


def look():
    number = ctypes.c_int()
    ctypes.CDLL(None).prctl(2, ctypes.byref(number))  # PR_GET_PDEATHSIG
    descriptors = [fd for fd in os.listdir("/proc/self/fd") if int(fd) > 2 and os.path.exists(f"/proc/self/fd/{fd}")]
    return {
        "descriptors": len(descriptors),
        "parent": os.getppid(),
        "death": number.value,
        "handler": signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL,
        "blocked": [int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
        "wakeup": signal.set_wakeup_fd(-1),
        "cpus": sorted(os.sched_getaffinity(0)),
        "environment": os.environ.get("TMPDIR", ""),
    }


def play(channel):
    stream = channel.makefile("rw")

    def report(document):
        stream.write(json.dumps(document) + "\n")
        stream.flush()

    what = json.loads(stream.readline())["options"]["what"]
    if what == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    report({"event": "turn", "seen": look()})
    if what == "half a line":
        stream.write('{"event": "res')
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "interrupted":
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if what in ("stubborn", "sleeps"):
        time.sleep(60)
    if what == "interrupted":
        signal.pause()
    report({"event": "error", "message": f"{what} is over", "hint": "", "exit_code": 2})


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    serve(socket.socket(fileno=int(sys.argv[1])), play)
