"""Take the seat of an external player, so that the referee sees a process and a connection like those of a bot.

    python seat_program.py ADDRESS

The player's program listens on the Unix socket ADDRESS. It receives the endpoint of the seat from this program, and
plays through the endpoint like a client. At the end it sends back an exit code and a line for standard error. A second
line is for standard output: what the player's program has counted, as a JSON object.
"""

import os
import socket
import sys

# Exit codes.
FINISHED = 0
"""The match is over."""
RESIGNED = 80
"""The player resigned."""
LOST = 81
"""The connection to the player is lost."""
OUTAGE = 82
"""What a player of another distribution needs has failed, such as the provider of a model."""


def offer(player: socket.socket, address: str, endpoint: str) -> None:
    """Connect to the player's program, and send it the endpoint of the seat."""
    player.connect(address)
    player.sendall(endpoint.encode() + b"\n")


def answer(player: socket.socket) -> tuple[int, str, str]:
    """Wait for the answer of the player's program. Return the exit code, the line, and what was counted."""
    said, _, counts = player.makefile("r", encoding="utf-8").read().partition("\n")
    code, _, line = said.partition(" ")
    return int(code) if code else LOST, line, counts


def main(address: str) -> int:
    """Send the endpoint to the player's program, wait for its answer, and return the exit code."""
    with socket.socket(socket.AF_UNIX) as player:
        try:
            offer(player, address, os.environ["ARENA_ENDPOINT"])
            code, line, counts = answer(player)
        except OSError as error:
            code, line, counts = LOST, f"The connection to the player's program failed: {error.strerror}.", ""
    sys.stdout.write(counts)
    sys.stderr.write(line)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
