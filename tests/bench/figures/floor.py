"""The floor of the wire: the same exchange of bytes between two processes with bare pyzmq and msgpack."""

from __future__ import annotations

import os
import subprocess
import tempfile

from arena.bots.system.spawn import python

CLIENT = """
import os, sys, time, zmq, msgpack
endpoint, rounds, cpu = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
if cpu >= 0:
    os.sched_setaffinity(0, {cpu})
socket = zmq.Context().socket(zmq.PAIR)
socket.connect(endpoint)
request = {"type": "act", "seq": 1000, "actions": [{"type": "move", "cowboy": "c1", "x": 3, "y": 4}]}
times = []
for _ in range(rounds):
    start = time.perf_counter()
    socket.send(msgpack.packb(request))
    msgpack.unpackb(socket.recv())
    times.append(time.perf_counter() - start)
times.sort()
print(times[len(times) // 2], times[int(len(times) * 0.99)])
"""

REPLY = {
    "type": "result",
    "seq": 1001,
    "results": [None],
    "delta": ["c1", "x", 3, "c1", "can_move", False],
    "events": [],
    "draws": [],
    "your_move": True,
    "clock": {"bank": 59.123456789, "turn": 9.987654321},
}


def bare_exchange(cpu: int | None, rounds: int = 5000) -> tuple[float, float]:
    """Return the median and the 99th percentile of one exchange, in seconds, with both ends on one processor."""
    import msgpack
    import zmq

    with tempfile.TemporaryDirectory() as folder:
        endpoint = f"ipc://{folder}/floor"
        allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
        if cpu is not None:
            os.sched_setaffinity(0, {cpu})  # before ZeroMQ starts its thread, which inherits it
        context = zmq.Context()
        with context.socket(zmq.PAIR) as socket:
            socket.bind(endpoint)
            client = subprocess.Popen(
                python("-c", CLIENT, endpoint, str(rounds), str(-1 if cpu is None else cpu)),
                stdout=subprocess.PIPE,
                text=True,
            )
            try:
                for _ in range(rounds):
                    msgpack.unpackb(socket.recv())
                    socket.send(msgpack.packb(REPLY))
            finally:
                if allowed is not None:
                    os.sched_setaffinity(0, allowed)
                output = client.communicate(timeout=30)[0]
        context.term()
    middle, high = output.split()
    return float(middle), float(high)
