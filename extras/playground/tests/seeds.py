"""Play many seeds of each game in the page, in memory and with `arena play`: truth and digest must be the same.

python extras/playground/tests/seeds.py          # 50 seeds of each game; `arena play` plays every fifth
python extras/playground/tests/seeds.py 10 1     # 10 seeds, and `arena play` plays all of them
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from math import isclose
from pathlib import Path
from typing import Any

from visit import Playground, chromium, served

from arena.cli.new import template_files
from arena.game import names
from arena.match.lookup import find_game
from arena.play.memory import play_in_memory
from arena_playground import export
from arena_replays import Reader

ARENA = Path(sys.executable).parent / "arena"
PLAY = """
async (request) => {
  let replay = null;
  await page.python.call("match", request, (kind, data) => {
    if (kind === "replay" || kind === "whole") replay = data;
  });
  return btoa(Array.from(replay, (one) => String.fromCharCode(one)).join(""));
}
"""


@contextmanager
def opened(folder: Path) -> Iterator[Playground]:
    """Open the exported playground in a new browser."""
    export(folder)
    with served(folder) as address, chromium() as browser:
        yield Playground(browser.new_page()).open(address)


def truth(path: Path) -> tuple[list[Any], str]:
    """Return what a replay records, without the clocks, and its digest."""
    reader = Reader(path)
    assert reader.footer is not None, f"{path} has no end"
    entries = [[*entry[:3], entry[-1]] if entry[0] == "turn" else entry for entry in reader.truth]
    return entries, reader.footer["digest"]


def same(one: Any, other: Any) -> bool:
    """Return whether two documents are equal, but for the last bit of numbers.

    The C library of Python's platform computes the logarithm and the cosine of `arena.game.Normal`.
    """
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (isinstance(one, float) and isclose(one, other, rel_tol=1e-15))


def compare(page: Playground, game: str, seed: int, folder: Path, *, processes: bool) -> int:
    """Play one seed in all ways, and return the number of entries of its record."""
    spec = find_game(game)
    files = template_files(spec, "my_bot", "python")
    bot = folder / game / "my_bot"
    if not bot.exists():
        bot.mkdir(parents=True)
        for name, text in files.items():
            path = bot / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    rival = spec.bots[seed % len(spec.bots[:2])].name
    others = [rival] * (spec.player_counts[0] - 1)
    request = {"game": game, "players": [{"main.py": files["main.py"]}, *others], "names": ["my_bot", *others],
               "seed": seed, "options": {}}  # fmt: skip
    mine, memory, command = (folder / f"{game}-{seed}-{way}.arena" for way in ("page", "memory", "command"))
    mine.write_bytes(base64.b64decode(page.do(PLAY, request)))
    players = [str(bot), *(f"builtin:{one}" for one in others)]
    play_in_memory(game, players, seed=seed, replay=memory)
    found = truth(mine)
    assert same(found, truth(memory)), f"{game}, seed {seed}: the page and the match in memory differ"
    if processes:
        line = [ARENA, "play", game, *players, "--seed", str(seed), "--replay", command, "--sandbox", "none"]
        subprocess.run(line, capture_output=True, check=False, timeout=600)
        legs = command.with_name(f"{command.stem}-1.arena")
        played = truth(legs if legs.exists() else command)
        assert same(found, played), f"{game}, seed {seed}: the page and `arena play` differ"
        subprocess.run([ARENA, "replay", "verify", mine], capture_output=True, check=True)
    return len(found[0])


def main(count: int, every: int, games: list[str]) -> None:
    with tempfile.TemporaryDirectory() as temporary, opened(Path(temporary) / "site") as page:
        for game in games:
            entries = sum(
                compare(page, game, seed, Path(temporary), processes=seed % every == 0) for seed in range(1, count + 1)
            )
            print(
                f"{game}: {count} seeds, {entries} entries, {count // every} also with processes: the same", flush=True
            )


if __name__ == "__main__":
    count, every = (int(one) for one in (sys.argv[1:3] + ["50", "5"][len(sys.argv[1:3]) :]))
    main(count, every, sys.argv[3:] or names())
