"""The program on the seat of a player who is outside of the match.

    python seat_program.py ADDRESS

It sends the endpoint of its seat to a program of Arena that waits at the Unix socket ADDRESS. That program plays
through the endpoint as any client does. In the end it sends an exit code, and a line for the error output. So the
referee sees a process and a connection, like those of a bot.
"""

import os
import socket
import sys

FINISHED, RESIGNED, LOST = 0, 80, 81
"""Exit codes: the match is over, the player resigned, the player is gone."""


def main(address: str) -> int:
    """Send the endpoint, wait for the end, and return the exit code."""
    with socket.socket(socket.AF_UNIX) as player:
        try:
            player.connect(address)
            player.sendall(os.environ["ARENA_ENDPOINT"].encode() + b"\n")
            code, _, line = player.makefile("r", encoding="utf-8").read().partition(" ")
        except OSError as error:
            code, line = "", f"The player's side does not answer: {error.strerror}."
    if line:
        sys.stderr.write(line)
    return int(code) if code else LOST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
