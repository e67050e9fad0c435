"""``arena explain``: why a match was lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arena.analysis.advice import with_commands
from arena.analysis.cached import explanation_of, save
from arena.analysis.checks import at_position, checked, position_in_words
from arena.analysis.explaining import Explainer, Explanation
from arena.analysis.losses import grouped, lines_of, loss_of, played_by
from arena.analysis.pool import Pool
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import check_in_words, document_of, text_of
from arena.cli.options import FiniteRange
from arena.cli.output import Progress, print_json, say
from arena.cli.output_files import refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.match.position import ReplayPlace
from arena.pages.render import render_alone
from arena.replaying.places import file_of
from arena.replaying.presentation import legs_for, renderer_for
from arena_replays import Reader
from arena_replays.export import html_of
from arena_replays.legs import as_matches

EPILOG = """\b
Examples:
  arena explain match.arena
  arena explain match.arena --player 1 --budget 120
  arena explain match.arena --check
  arena explain match.arena@57
  arena explain match.arena@57 --player 0 --check
  arena explain match-1.arena match-2.arena --json
  arena explain league.toml --bot mine --html losses.html

The result is kept beside each replay, in match.arena.explain.json. The same call prints it again at once.

Exit codes: 0 explained; 1 --check did not confirm a claim; 2 wrong usage; 3 the game is not installed in this version;
4 no such player, turn or bot, or no replay in the folder; 6 the page cannot be written; 9, 10, 11 not a replay, a newer
one, a damaged one; 130 interrupted.
"""

BUDGET, LOSS_BUDGET = 20.0, 5.0
STAGES = {
    "norms": "the reference matches",
    "curve": "the win probabilities",
    "turns": "the comparison of turns",
    "check": "the check",
    "": "all",
}


@click.command(epilog=EPILOG)
@click.argument("replays", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="REPLAY...")
@click.option(
    "--player",
    type=click.IntRange(0),
    help="Judge only the turns of this player. The default is all players who did not win. Not with --bot.",
)
@click.option(
    "--bot", metavar="NAME", help="Explain only the matches that this bot lost, and print the losses in groups."
)
@click.option(
    "--budget",
    type=FiniteRange(1),
    help="Spend this many seconds on all REPLAYs together. The default is 20. With --bot, the default is 5 seconds for "
    "each loss in which the bot's program did not fail. Reference matches of a game, played once, come on top.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Play both lines of each turning point again, with new dice. This takes the seconds of --budget once more.",
)
@click.option(
    "--trust",
    is_flag=True,
    help="Let the recorded bots play on too, from their files in this folder. They run without a sandbox.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT",
    help="Write one self-contained page: of one match, the viewer with its tab Why; of several, their texts.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON.")
def command(
    replays: tuple[Path, ...],
    player: int | None,
    bot: str | None,
    budget: float | None,
    check: bool,
    trust: bool,
    html: Path | None,
    as_json: bool,
) -> int:
    """Explain why a match was lost: what was different from winners, and the turns that decided.

    The numbers of each player are compared with those of winners in matches of built-in bots. Then built-in bots play
    on from positions of the match. Their results show each player's win probability, and what other choices are worth.

    REPLAY is a replay, a folder of replays, or the file of a tournament. For REPLAY@TURN or REPLAY@TURN.ACTION, the
    command prints the win probabilities at this position; with --check, it compares the turn of --player with what
    bots choose.
    """
    seconds = budget or BUDGET
    if (place := ReplayPlace.parse(str(replays[0]))) is not None:
        if len(replays) > 1 or html is not None or bot is not None or trust or check == (player is None):
            raise click.UsageError("REPLAY@TURN stands alone, or with --player and --check.")
        return _explain_position(place, player, seconds, as_json)
    if bot is not None and player is not None:
        raise click.UsageError("--bot explains the turns of that bot. Leave out --player.")
    if bot is not None and (check or trust):
        raise click.UsageError("--check and --trust explain given matches. Leave out --bot.")
    files = [file for path in replays for file in _files(path)]
    for path in (*replays, *files):
        refuse_same_file(path, html)
    asked: list[tuple[Path, int | None]] = [(file, player) for file in files]
    played = [] if bot is None else played_by(bot, files)
    if bot is not None:
        if not played:
            raise ArenaError(f"{bot} played in none of these replays.", exit_code=ExitCode.BAD_OPTION)
        asked = [(one.replay, one.cause.player) for one in played if one.outplayed]
    share = LOSS_BUDGET if bot is not None and budget is None else seconds / max(1, len(asked))
    found: list[dict[str, Any]] = []
    progress = Progress()
    try:
        for number, (file, judged) in enumerate(asked, 1):
            of = f"match {number} of {len(asked)}, {share:.0f} s each: " if len(asked) > 1 else ""
            found.append(_explain(file, judged, share, partial(_show, progress, of), check=check, trust=trust))
            progress.clear()
    except KeyboardInterrupt:
        progress.clear()
        if not found:
            raise
        say(f"Interrupted: {len(found)} of {len(asked)} matches are explained.", err=True)
    is_interrupted, asked = len(found) < len(asked), asked[: len(found)]
    texts = [text_of(document, judged) for document, (_, judged) in zip(found, asked, strict=True)]
    losses = None
    if bot is not None:
        known = {file: document for (file, _), document in zip(asked, found, strict=True)}
        losses = grouped(bot, len(played), [loss_of(one, known.get(one.replay)) for one in played if one.lost])
    if html is not None:
        _write_page(html, [file for file, _ in asked], found, texts, losses)
    if as_json:
        print_json(losses or (found[0] if len(found) == 1 else found))
    elif losses is not None or html is None:
        for line in lines_of(losses) if losses is not None else [line for text in texts for line in ("", *text)][1:]:
            say(line)
    if is_interrupted:
        return ExitCode.INTERRUPTED
    confirmed = [row["confirmed"] for document in found for row in document.get("checked", ())]
    return ExitCode.OK if all(confirmed) else ExitCode.DIFFERENCE


def _explain_position(place: ReplayPlace, player: int | None, budget: float, as_json: bool) -> int:
    """Print the win probabilities at a position or, for a player, compare the turn with what bots choose."""
    if player is None:
        document = at_position(place, budget)
        lines = position_in_words(document)
    else:
        file = file_of(place)
        match, claim = RecordedMatch.of_file(file), {"player": player, "turn": place.turn, "action": place.action}
        with Pool(file) as pool:
            [document] = checked(match, pool, [claim], (), budget)
        lines = [check_in_words(document, match.names)]
    if as_json:
        print_json(document)
    else:
        for line in lines:
            say(line)
    return ExitCode.OK if document.get("confirmed", True) else ExitCode.DIFFERENCE


def _write_page(
    out: Path, files: Sequence[Path], found: Sequence[Any], texts: Sequence[list[str]], losses: Any
) -> None:
    """Write the viewer's page of one match, or else one page with the texts of several."""
    if losses is None and len(as_matches(files, legs_for)) == 1:
        explained = dict(zip(files, found, strict=True))
        [legs] = as_matches(files, legs_for)
        page = html_of(legs, renderer_for(Reader(files[0]).header), [explained[leg] for leg in legs])
    else:
        matches = [(file.name.removesuffix(".arena"), text) for file, text in zip(files, texts, strict=True)]
        title = lines_of(losses)[0] if losses else f"{len(files)} matches explained"
        page = render_alone("explain.html", title=title, matches=matches, losses=losses)
    write_text(out, page)
    say(f"{out} was written: {out.stat().st_size} bytes", err=True)


def _files(path: Path) -> list[Path]:
    if path.suffix == ".toml":
        path = path.with_suffix("")
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.arena"))
    if not found:
        raise ArenaError(f"There is no replay in {path}.", exit_code=ExitCode.BAD_OPTION)
    return found


def _show(progress: Progress, of: str, explanation: Explanation, share: float) -> None:
    progress.count(explanation.playouts, "playouts", None, f" ({of}{share:.0%} of {STAGES[explanation.stage]})")


def _explain(
    file: Path,
    player: int | None,
    budget: float,
    show: Callable[[Explanation, float], None],
    *,
    check: bool,
    trust: bool,
) -> dict[str, Any]:
    """Return the explanation of a match: the kept one, if at least as much time was spent on it."""
    begun, match = monotonic(), RecordedMatch.of_file(file)
    if player is not None and player >= match.players:
        raise ArenaError(
            f"{file} has no player {player}. Its players are 0 to {match.players - 1}.", exit_code=ExitCode.BAD_OPTION
        )
    document = explanation_of(file)
    is_whole = bool(document) and not document["stage"] and document["budget"] >= budget
    with Pool(file) as pool:
        if not is_whole or (document["player"], document["trust"]) != (player, trust):
            explanation = Explanation(match)
            bots = [str(one.get("bot", "")) for one in match.reader.header.get("players", ())] if trust else []
            left = budget + begun - monotonic()
            explainer = Explainer(explanation, pool, left, [] if player is None else [player], bots=bots)
            try:
                for share in explainer.run(norms=True):
                    show(explanation, share)
            finally:
                document = document_of(explanation) | {"budget": budget, "player": player, "trust": trust}
                save(document, file)
            document = with_commands(document, match.reader, file)
        if check:
            points, teams = document["turning_points"], document["playouts"]["teams"]
            document["checked"] = checked(match, pool, points, teams, budget)
    return document
