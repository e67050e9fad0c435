"""Measure how many matches four teams play in a real season whose fifth team sleeps in every turn.

Compare with a season of five teams that answer at once. Run it on a machine that has nothing else to do. A bot that
sleeps for a second in each turn often loses its first match by the rule for idle bots, and then never plays.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "season"))
from seasons import opened
from server import Server, archive, sources
from waiting import until

TEAMS = ("Red", "Blue", "Green", "White", "Sleeper")
TURN = "def run_turn(self) -> None:\n"


def matches_a_minute(slots, sleep, seconds):
    """Return the seats of the first four teams and of the fifth in rated matches, for each minute."""
    lines = {"# matches_at_once": f"matches_at_once = {slots}  #", "rated_matches = 200": "rated_matches = 0"}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), *lines.items())
        try:
            olga = server.person().join(server.invitation, "Olga")
            people = olga.invited(csv="team,member\n" + "".join(f"{team},{team} person\n" for team in TEAMS))
            for team, invitation in zip(TEAMS, people, strict=True):
                pause = f"        __import__('time').sleep({sleep if team == 'Sleeper' else 0})\n"
                program = sources()["main.py"].replace(TURN, TURN + pause)
                assert pause in program
                assert server.person().join(invitation).submit(
                    archive(f"\n# {team}\n", **{"main.py": program})
                ).status_code == 201  # fmt: skip
            until(lambda: set(TEAMS) <= set(olga.rows()), server.complain, patience=600)
            before, begin = olga.rows(), time.monotonic()
            time.sleep(seconds)
            after, spent = olga.rows(), (time.monotonic() - begin) / 60
        finally:
            server.stop()
        with opened(server.path) as season:
            rated = [one for one in season.state.played.values() if one.is_rated]
            used = [sum(one.slot_time.thinking) + one.slot_time.rest for one in rated]
            own = sum(use for one, use in zip(rated, used, strict=True) if "Sleeper" in one.names)
    rates = [(after[team]["matches"] - before[team]["matches"]) / spent for team in TEAMS]
    return sum(rates[:4]), rates[4], own / sum(used)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--sleep", type=float, default=0.5)
    given = parser.parse_args()
    for slots in (1, 2):
        honest, _, _ = matches_a_minute(slots, 0, given.seconds)
        four, sleeper, part = matches_a_minute(slots, given.sleep, given.seconds)
        print(f"{slots} slots: four teams {honest:.0f} seats a minute among five honest teams, {four:.0f} with a "
              f"sleeper ({100 * four / honest:.0f} %); the sleeper {sleeper:.1f}; its matches use "
              f"{100 * part:.0f} % of the slot seconds", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
