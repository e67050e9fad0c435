"""Read replays into a dataset: which files, which seats, which split, and the manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.cli.extending import did_you_mean
from arena.errors import ArenaError, ExitCode
from arena_learn.datasets.decisions import Decision, Recorded
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.watch import Watch

SPLITS = ("train",) * 8 + ("validation", "test")
MANIFEST = "manifest.json"


def replay_files(paths: Sequence[Path]) -> list[Path]:
    """Return the replays among files and folders, such as those of a contest, each once.

    Raises:
        ArenaError: There is none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise ArenaError(f"There is no file and no folder {path}.", exit_code=ExitCode.NOT_A_REPLAY)
        listed = sorted(path.rglob("*.arena")) if path.is_dir() else [path]
        found.update(dict.fromkeys(listed))
    if not found:
        raise ArenaError(
            f"There is no replay in {', '.join(map(str, paths))}.",
            hint="Give replays (*.arena), or folders with them.",
            exit_code=ExitCode.NOT_A_REPLAY,
        )
    return list(found)


def split_of(match: str) -> str:
    """Return the split of a match from its hash: of ten matches, about eight train, one validates and one tests."""
    return SPLITS[int(hashlib.sha256(match.encode()).hexdigest()[:8], 16) % len(SPLITS)]


@dataclass(slots=True)
class Collection:
    """The matches of a dataset, read one after the other.

    Attributes:
        bots: Only the decisions of bots with these names; of all bots if empty.
        seat: Only the decisions of this seat; of all seats if None.
        layout: The layout; None before the first match.
        matches: What the manifest says about each match.
        cut_off: How many legal actions had no number, and how many objects had no row.
        unnumbered: How many actions have no number.
    """

    bots: Sequence[str] = ()
    seat: int | None = None
    layout: Layout | None = None
    matches: list[dict[str, Any]] = field(default_factory=list)
    cut_off: int = 0
    unnumbered: int = 0
    _watch: Watch | None = None

    def read(self, path: Path) -> tuple[Recorded, Iterator[Decision]]:
        """Return a replay and its decisions.

        Raises:
            ArenaError: The replay is of another game, of other options, or of other rules than those before.
            ReplayError: The file is no replay, or is damaged.
        """
        match = Recorded.of(path)
        if self.layout is None:
            self.layout = match.layout
            self._watch = Watch(match.layout)
        elif match.layout != self.layout:
            what = "options" if match.layout.game == self.layout.game else "game"
            raise ArenaError(
                f"{path} has another {what} than the replays before, so its numbers mean something else.".replace(
                    "another options", "other options"
                ),
                hint="Make a dataset for each game and each set of options.",
                exit_code=ExitCode.BAD_OPTION,
            )
        return match, self._decisions(match)

    def _decisions(self, match: Recorded) -> Iterator[Decision]:
        watch, header = self._watch, match.reader.header
        assert watch is not None
        rows = 0
        names = [player["name"] for player in header["players"]]
        for decision in match.decisions(watch, self._wanted(names)):
            rows += 1
            self.unnumbered += decision.action < 0
            self.cut_off += decision.cut_off
            yield decision
        self.cut_off += sum(tracker.cut_off for tracker in watch.trackers)
        self.matches.append(
            {
                "file": match.path.name,
                "match": match.hash,
                "split": split_of(match.hash),
                "seed": match.reader.seed,
                "players": [{"name": one["name"], "hash": one.get("hash", "")} for one in header["players"]],
                "points": match.points(),
                "decisions": rows,
            }
        )

    def check(self) -> None:
        """Check that there are decisions, and that each bot that was named has played.

        Raises:
            ArenaError: There are none, or a bot or the seat did not play.
        """
        known = list(dict.fromkeys(player["name"] for match in self.matches for player in match["players"]))
        for bot in self.bots:
            if bot not in known:
                raise ArenaError(
                    f"No bot {bot} played in these replays{did_you_mean(bot, known)}.",
                    exit_code=ExitCode.BAD_OPTION,
                )
        if self.seat is not None and self.layout is not None and self.seat >= self.layout.players:
            raise ArenaError(
                f"There is no seat {self.seat} of {self.layout.game} here: seats are 0 to {self.layout.players - 1}.",
                exit_code=ExitCode.BAD_OPTION,
            )
        if not any(match["decisions"] for match in self.matches):
            raise ArenaError(
                "These replays have no decision of these bots on this seat."
                if self.bots or self.seat is not None
                else "These replays have no decisions.",
                exit_code=ExitCode.BAD_OPTION,
            )

    def _wanted(self, names: Sequence[str]) -> Callable[[int], bool]:
        return lambda player: (not self.bots or names[player] in self.bots) and self.seat in (None, player)

    def manifest(self) -> dict[str, Any]:
        """Return what was read, with the meaning of all numbers."""
        layout = self.layout
        assert layout is not None
        return {
            "game": layout.game,
            "version": layout.version,
            "schema": layout.schema,
            "options": layout.options,
            "layout_hash": layout.hash,
            "layout": layout.to_document(),
            "decisions": sum(one["decisions"] for one in self.matches),
            "cut_off": self.cut_off,
            "actions_without_number": self.unnumbered,
            "matches": self.matches,
        }


def write_manifest(folder: Path, collection: Collection) -> None:
    """Write the manifest of a dataset.

    Raises:
        ArenaError: No decision of the wanted bots or of the wanted seat was read.
    """
    collection.check()
    (folder / MANIFEST).write_text(json.dumps(collection.manifest(), indent=1) + "\n", encoding="utf-8")
