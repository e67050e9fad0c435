"""A fork server for matches of a toy game that take a few milliseconds, and follow from the seed and the seats alone.

A job comes in, a result goes out, with a replay that has a checksum: the same way as the real match process.
"""

import hashlib
import json
import socket
import sys
import time
import zlib

from arena.bots.system.reaping import die_with_parent
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult, TimeUsed
from arena.play.referee.forkserver import serve


def play(job):
    state = hashlib.sha256(json.dumps([job["seed"], job["names"], job["map"]]).encode()).digest()
    lines = []
    scores = [0] * len(job["names"])
    for turn in range(20):
        state = hashlib.sha256(state).digest()
        for seat in range(len(scores)):
            scores[seat] += state[seat] % (2 + len(job["names"][seat]))
        lines.append(f"{turn} {' '.join(map(str, scores))}")
    return scores, lines


def write_replay(path, lines):
    body = "\n".join(lines).encode()
    with open(path, "wb") as stream:
        stream.write(b"TOY1" + zlib.crc32(body).to_bytes(4, "big"))
        # In two pieces, so that a kill can fall between them.
        stream.write(body[: len(body) // 2])
        stream.flush()
        stream.write(body[len(body) // 2 :])


def play_match(channel):
    stream = channel.makefile("rw")
    job = json.loads(stream.readline())
    names = [seat["name"] for seat in job["seats"]]
    scores, lines = play({"seed": job["seed"], "names": names, "map": job["options"]["map"]})
    time.sleep(job["options"]["sleep"])
    write_replay(job["replay"], lines)
    winner = scores.index(max(scores)) if scores.count(max(scores)) == 1 else None
    ranks = tuple(1 + sum(other > score for other in scores) for score in scores) if len(scores) > 2 else ()
    outcome = Outcome(winner, "toy", ranks)
    players = tuple(
        PlayerResult(outcome.verdict(seat), score=float(score), clock=TimeUsed(turns=20))
        for seat, score in enumerate(scores)
    )
    result = MatchResult(players, outcome, turns=20, replay=job["replay"])
    stream.write(json.dumps({"event": "result", "result": result.to_document()}) + "\n")
    stream.flush()


def main():
    die_with_parent(int(sys.argv[2]))
    serve(socket.socket(fileno=int(sys.argv[1])), play_match)


if __name__ == "__main__":
    main()
