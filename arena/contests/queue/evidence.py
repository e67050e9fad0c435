"""Read from a replay which match of a contest it records, with which bots, options and result.

A result comes from a process that ran the rules, and perhaps from another machine. It counts only if its replay, which
anybody can play again, says the same (`accepted`): the game and its version, the seed, the slot of the schedule, the
bots by their hashes, and how the match ended. What only the referee knew, such as times, is taken as it is.

A replay can be anything that somebody has put there: what is read from it is compared, or raises `ArenaError`.
"""

import hashlib
import json
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, OptionError, Outcome
from arena.match.isolation import Isolation
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec
from arena.match.void import UNFINISHED
from arena_replays import Reader, ReplayError

_HASH = 64
"""The length of a content hash. Bots without a hash have a shorter text instead, such as "partner"."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The data of a complete replay. Each of its records is in the hash chain."""

    header: Mapping[str, Any]
    footer: Mapping[str, Any]
    chain: str
    digest: str


def read_evidence(path: Path) -> Evidence:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise ArenaError("is not a regular file")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        reader = Reader(path)
    except OSError as error:
        raise ArenaError(f"cannot be read: {(error.strerror or str(error)).lower()}") from error
    except ReplayError as error:
        raise ArenaError(f"cannot be read: {error.message.rstrip('.')}") from error
    problems = [reader.problem] if reader.problem else reader.check()
    if problems or reader.footer is None:
        raise ArenaError(f"is damaged: {problems[0].rstrip('.')}")
    return Evidence(reader.header, reader.footer, reader.chain, digest)


def slot_of(spec: MatchSpec) -> dict[str, Any]:
    """Return the slot of a match in the schedule of its contest, in the form of a replay's header."""
    document = spec.to_document()
    names = ("tournament", "stage", "round", "pairing", "number", "map", "options")
    ids = [seat.id for seat in spec.seats if seat.id]
    return {name: document[name] for name in names} | ({"entrants": ids} if ids else {})


def spec_of(evidence: Evidence) -> MatchSpec:
    """Return the match of the schedule that a replay's header names."""
    header = evidence.header
    try:
        slot = header["tournament"]
        ids = slot.get("entrants") or [""] * len(header["players"])
        players = zip(header["players"], ids, strict=True)
        seats = [{"name": player["name"], "hash": player["hash"], "id": entrant} for player, entrant in players]
        return MatchSpec.from_document(
            {**slot, "game": header["game"], "seed": evidence.footer["seed"], "seats": seats}
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArenaError("does not say to which match of the contest it belongs") from None


def proved_result(evidence: Evidence, path: Path) -> MatchResult:
    """Return the result in a replay, without the facts that only the referee knew, such as the load of the machine.

    Args:
        path: The path of the replay, relative to the contest's folder.
    """
    header, footer = evidence.header, evidence.footer
    try:
        players = zip(header["players"], footer["players"], strict=True)
        return MatchResult(
            players=tuple(_player(at_start, at_end) for at_start, at_end in players),
            outcome=Outcome.from_document(footer["outcome"]) if footer["outcome"] else UNFINISHED,
            game=header["game"],
            version=header["version"],
            arena=header["arena"],
            seed=footer["seed"],
            turns=footer["turns"],
            digest=footer["digest"],
            course=footer.get("course", ""),
            replay=str(path),
            replay_hash=evidence.digest,
            chain=evidence.chain,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ArenaError("has no result that can be read") from None


def _player(at_start: Mapping[str, Any], at_end: Mapping[str, Any]) -> PlayerResult:
    return PlayerResult(
        ending=at_end["ending"],
        name=at_start["name"],
        bot=at_start["bot"],
        bot_hash=at_start["hash"],
        detail=at_end["detail"],
        score=at_end["score"],
        refusals=dict(at_end["refusals"]),
        isolation=Isolation.from_document(at_start["isolation"]),
    )


def proves(proved: MatchResult, result: MatchResult) -> bool:
    """Return whether a recorded result agrees with its replay.

    If the match in the replay is void, the recorded result can also be a loss for the bot that made it void (see
    `MatchResult.without_void`).
    """
    return proved.agrees_with(result) or proved.without_void().agrees_with(result)


def differences(evidence: Evidence, spec: MatchSpec, result: MatchResult, options: Mapping[str, Any]) -> list[str]:
    """Describe how a replay differs from a match of the schedule and its result.

    Args:
        options: All options of the game for this match; empty if unknown. Then the options are not compared.
    """
    header = evidence.header
    proved = proved_result(evidence, Path(result.replay))
    defects = []
    if header.get("game") != spec.game:
        defects.append(f"its game is {header.get('game')}, not {spec.game}")
    if evidence.footer.get("seed") != spec.seed:
        defects.append(f"its seed is {evidence.footer.get('seed')}, not {spec.seed}")
    if header.get("leg", spec.leg) != spec.leg:
        defects.append("it is another leg")
    if options and _plain(header.get("options")) != _plain(options):
        defects.append("its options differ from those of the match")
    if "tournament" in header and _plain(header["tournament"]) != _plain(slot_of(spec)):
        defects.append("it belongs to another match")
    if len(proved.players) != len(spec.seats):
        return [*defects, "it has another number of players"]
    for seat, player in zip(spec.seats, proved.players, strict=True):
        if not seat.id and player.name != seat.name:  # names change; `slot_of` has compared the ids
            defects.append(f"{player.name} has the seat of {seat.name}")
        elif len(seat.hash) == _HASH and player.bot_hash != seat.hash:
            defects.append(f"the bot {seat.name} in it is {player.bot_hash[:12]}, not {seat.hash[:12]}")
    if not proves(proved, result):
        defects.append("its result differs")
    return defects


def accepted(
    spec: MatchSpec, result: MatchResult, options: Mapping[str, Any], game: GameSpec, version: str
) -> MatchResult:
    """Check a result against its replay, and return it with the version of Arena and the last hash of the replay.

    If the match is void or has no replay, check only the bots and the version of the game.

    Args:
        result: The result from the match process or the worker, with the path of its replay.
    """
    players = zip(spec.seats, result.players, strict=True)
    defects = [
        f"the bot {seat.name} in it is {player.bot_hash[:12]}, not {seat.hash[:12]}"
        for seat, player in players
        if len(seat.hash) == _HASH and player.bot_hash not in ("", seat.hash)
    ]
    if result.version != game.version:
        defects.append(f"it was played with {game.name} {result.version}, not {game.version}")
    if result.replay and not result.void and not defects:
        try:
            evidence = read_evidence(Path(result.replay))
            defects = differences(evidence, spec, result, options)
        except ArenaError as error:
            defects = [f"its replay {error.message}"]
        else:
            result = replace(result, arena=evidence.header["arena"], chain=evidence.chain)
            if result.arena != version:
                defects.append(f"it was played with Arena {result.arena}, not {version}")
    if defects:
        where = f" from {result.host}" if result.host else ""
        raise ArenaError(
            f"The result of the match {spec.match_id}{where} is refused: {'; '.join(defects)}.",
            exit_code=ExitCode.FAULT,
        )
    return result


def resolved_options(game: GameSpec, spec: MatchSpec, content: Any = None) -> dict[str, Any]:
    """Return all options of a match, with the defaults.

    Args:
        content: The content of the match's map, which is used if the map is not one of the game's. Then no file is
            read.
    """
    values = dict(spec.options)
    if len(game.player_counts) > 1:
        values["players"] = len(spec.seats)
    try:
        if spec.map and game.map_option:
            if content is not None and spec.map not in game.maps:
                values[game.map_option] = content
            else:
                values[game.map_option] = game.load_map(spec.map) if game.load_map else spec.map
        return dict(game.resolve_options(values).to_document())
    except OptionError as error:
        raise ArenaError(str(error)) from error


def rules_of(game: GameSpec) -> str:
    """Return a game's version and a short hash of its sources. Machines with equal return values have equal rules."""
    package = sys.modules[game.state.__module__.partition(".")[0]]
    digest = hashlib.sha256(game.version.encode())
    for folder in map(Path, package.__path__):
        for path in sorted(folder.rglob("*.py")):
            digest.update(f"{path.relative_to(folder)}\n".encode() + path.read_bytes())
    return f"{game.version}-{digest.hexdigest()[:12]}"


def _plain(value: Any) -> Any:
    """Return a value as it is after writing and reading JSON: tuples become lists."""
    return json.loads(json.dumps(value))
