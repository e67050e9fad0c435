"""Does `arena tune` regain what five detuned parameters have lost? Run it by hand: it takes as long as its games.

    python tests/bench/bench_tuning.py [GAMES] [TEST_GAMES]

The bot is the Sergeant of Laser Flag, with five of its numbers as parameters. Their first values are wrong on purpose.
docs/decisions/040-search-and-tuning.md says what they decided.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.game import load

CHANGES = (
    ("GOOD_CHANCE", 'float(self.settings["good"])'),
    ("DECENT_CHANCE", 'float(self.settings["decent"])'),
    ("+ 0.02 * shelter", '+ float(self.settings["shelter"]) * shelter'),
    ("- 8 * self.danger", '- float(self.settings["danger"]) * self.danger'),
    ("worth(place) > 1 ", 'worth(place) > float(self.settings["patience"]) '),
)
GOOD = {"good": 0.4, "decent": 0.25, "shelter": 0.02, "danger": 8, "patience": 1}
LOWEST = {"good": 0.05, "decent": 0.05, "shelter": 0, "danger": 0, "patience": 0}
DETUNED = {"good": 0.9, "decent": 0.8, "shelter": 0.3, "danger": 0, "patience": 4}
HIGHEST = {"good": 1, "decent": 1, "shelter": 0.5, "danger": 16, "patience": 6}


def write_bot(folder: Path) -> Path:
    """Write the Sergeant with parameters."""
    path = next(bot.path for bot in load("laser_flag").bots if bot.name == "sergeant")
    head, mark, body = path.read_text().partition("class Sergeant")
    for old, new in CHANGES:
        assert old in body, old
        body = body.replace(old, new)
    folder.mkdir()
    (folder / "main.py").write_text(head + mark + body)
    lines = [f"{name} = {{ value = {DETUNED[name]}, low = {LOWEST[name]}, high = {HIGHEST[name]} }}" for name in GOOD]
    (folder / "bot.toml").write_text("\n".join(['name = "sergeant"', 'python = "main.py"', "[parameters]", *lines]))
    return folder


def arena(*arguments: str | Path) -> dict[str, object]:
    """Run a command that prints JSON."""
    command = [Path(sys.executable).with_name("arena"), *arguments, "--json"]
    found: dict[str, object] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def main(games: str = "2000", test: str = "400") -> None:
    """Tune, and compare the three versions."""
    with tempfile.TemporaryDirectory() as folder:
        bot = write_bot(Path(folder) / "sergeant")
        begun = time.monotonic()
        options = ("--games", games, "--test", test, "--state", Path(folder) / "state.json")
        found = arena("tune", "laser_flag", bot, *options)
        print(json.dumps(found, indent=1), f"{time.monotonic() - begun:.0f} s", sep="\n")
        for name, values in (("start", found["start"]), ("tuned", found["tuned"])):
            query = "&".join(f"{key}={value}" for key, value in dict(values).items())  # type: ignore[call-overload]
            best = "&".join(f"{key}={value}" for key, value in GOOD.items())
            pair = (f"{bot}?{query}", f"{bot}?{best}")
            done = arena("compare", "laser_flag", *pair, "--games", test)
            print(f"{name} against the Sergeant: score {done['score']}, {done['score_interval']}, Elo {done['elo']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
