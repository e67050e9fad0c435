"""Take the seat of an external player, so that the referee sees a process and a connection like those of a bot.

    python seat_program.py ADDRESS

The player's program listens on the Unix socket ADDRESS. It receives the endpoint of the seat from this program, and
plays through the endpoint like a client. At the end it sends back an exit code and a line for standard error.
"""

import os
import socket
import sys

FINISHED, RESIGNED, LOST = 0, 80, 81
"""Exit codes: the match is over, the player resigned, the connection to the player is lost."""


def main(address: str) -> int:
    """Send the endpoint to the player's program, wait for its answer, and return the exit code."""
    with socket.socket(socket.AF_UNIX) as player:
        try:
            player.connect(address)
            player.sendall(os.environ["ARENA_ENDPOINT"].encode() + b"\n")
            code, _, line = player.makefile("r", encoding="utf-8").read().partition(" ")
        except OSError as error:
            code, line = "", f"The connection to the player's program failed: {error.strerror}."
    if line:
        sys.stderr.write(line)
    return int(code) if code else LOST


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
