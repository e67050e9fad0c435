"""The match process of a toy game that takes a few milliseconds, and follows from the seed and the seats alone.

It starts without site packages so that thousands of matches are over soon. A job on standard input, a result on
standard output, a replay with a checksum beside it: the same way as the real match process.
"""

import ctypes
import hashlib
import json
import os
import signal
import sys
import time
import zlib


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def play(job):
    state = hashlib.sha256(json.dumps([job["seed"], job["names"], job["map"]]).encode()).digest()
    lines = []
    scores = [0, 0]
    for turn in range(20):
        state = hashlib.sha256(state).digest()
        for seat in range(2):
            scores[seat] += state[seat] % (2 + len(job["names"][seat]))
        lines.append(f"{turn} {scores[0]} {scores[1]}")
    return scores, lines


def write_replay(path, lines):
    body = "\n".join(lines).encode()
    with open(path, "wb") as stream:
        stream.write(b"TOY1" + zlib.crc32(body).to_bytes(4, "big"))
        # In two pieces, so that a kill can fall between them.
        stream.write(body[: len(body) // 2])
        stream.flush()
        stream.write(body[len(body) // 2 :])


def main():
    die_with_parent()
    job = json.loads(sys.stdin.read())
    scores, lines = play(job)
    if job.get("sleep"):
        time.sleep(job["sleep"])
    write_replay(job["replay"], lines)
    winner = None if scores[0] == scores[1] else int(scores[1] > scores[0])
    print(json.dumps({"scores": scores, "winner": winner, "pid": os.getpid()}))


if __name__ == "__main__":
    main()
