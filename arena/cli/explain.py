"""``arena explain``: why a match was lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import FiniteRange
from arena.cli.output import print_json, say, say_status
from arena.cli.output_files import refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.match.position import ReplayPlace

if TYPE_CHECKING:
    from arena.analysis.explanation import Explanation

EPILOG = """\b
Examples:
  arena explain match.arena
  arena explain match.arena --player 1 --budget 120
  arena explain match.arena@57
  arena explain match-1.arena match-2.arena --json
  arena explain league.toml --bot mine --html losses.html

The result is kept beside each replay, in match.arena.explain.json. A later call with a larger budget continues from it.

\b
Exit codes: 0 explained; 2 wrong usage; 3 the game is not installed in this version; 4 no such player, turn or bot, or
no replay in the folder; 6 the page cannot be written; 9, 10, 11 not a replay, a newer one, a damaged one; 130
interrupted.
"""

BUDGET, LOSS_BUDGET = 30.0, 5.0


@click.command(epilog=EPILOG)
@click.argument("replays", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="REPLAY...")
@click.option(
    "--player",
    type=click.IntRange(0),
    help="Judge only the turns of this player. The default is all players. Not with --bot or REPLAY@TURN.",
)
@click.option(
    "--bot", metavar="NAME", help="Explain only the matches that this bot lost, and print the losses in groups."
)
@click.option(
    "--budget",
    type=FiniteRange(1),
    help="Spend this many seconds on all REPLAYs together. The default is 30. With --bot, the default is 5 seconds for "
    "each loss in which the bot's program did not fail.",
)
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="OUT", help="Write one self-contained page."
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON.")
@click.option(
    "--text",
    "as_text",
    is_flag=True,
    help="Print the explanation as text. This is the default without --html and --json.",
)
def command(
    replays: tuple[Path, ...],
    player: int | None,
    bot: str | None,
    budget: float | None,
    html: Path | None,
    as_json: bool,
    as_text: bool,
) -> None:
    """Explain why a match was lost: the cause, the win probability over time, and the turns that decided.

    Built-in bots play on from the positions of the match. The results of these playouts show each player's win
    probability before and after each turn, and after other choices.

    REPLAY is a replay, a folder of replays, or the file of a tournament. For REPLAY@TURN or REPLAY@TURN.ACTION, the
    command prints the win probabilities at this position.
    """
    if (place := ReplayPlace.parse(str(replays[0]))) is not None:
        if len(replays) > 1 or html is not None or bot is not None or player is not None:
            raise click.UsageError("REPLAY@TURN stands alone, without --html, --bot and --player.")
        _explain_position(place, budget or BUDGET, as_json=as_json)
        return
    if bot is not None and player is not None:
        raise click.UsageError("--bot explains the turns of that bot. Leave out --player.")
    files = [file for path in replays for file in _files(path)]
    for path in (*replays, *files):
        refuse_same_file(path, html)
    if bot is not None:
        _explain_losses(bot, files, budget, html, as_json=as_json)
        return
    share = (budget or BUDGET) / len(files)
    documents = [_explain(file, player, share, show=sys.stderr.isatty()) for file in files]
    if html is not None:
        _write_page(html, files, documents, [[] if player is None else [player]] * len(files))
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)
    if as_json or (html is not None and not as_text):
        return
    from arena.analysis.report import MOST_TOKENS, text_of

    for number, document in enumerate(documents):
        if number:
            say()
        players = list(range(len(document["players"]))) if player is None else [player]
        for line in text_of(document, players, MOST_TOKENS // len(documents)):
            say(line)


def _explain_position(place: ReplayPlace, budget: float, *, as_json: bool) -> None:
    from arena.analysis.at_position import at_position, lines_of

    document = at_position(place, budget)
    if as_json:
        print_json(document)
    else:
        for line in lines_of(document):
            say(line)


def _explain_losses(bot: str, files: list[Path], budget: float | None, html: Path | None, *, as_json: bool) -> None:
    """Explain each loss of a bot in which the bot's program did not fail. Print all losses of the bot in groups."""
    from arena.analysis.causes import OUTPLAYED
    from arena.analysis.losses import grouped, lines_of, loss_of, played_by

    played = played_by(bot, files)
    if not played:
        raise ArenaError(f"{bot} played in none of these replays.", exit_code=ExitCode.BAD_OPTION)
    lost = [one for one in played if one.lost]
    outplayed = [one for one in lost if one.cause == OUTPLAYED]
    share = LOSS_BUDGET if budget is None else budget / max(1, len(outplayed))
    explained = {one.replay: _explain(one.replay, one.player, share, show=sys.stderr.isatty()) for one in outplayed}
    document = grouped(bot, len(played), [loss_of(one, explained.get(one.replay)) for one in lost])
    if html is not None:
        players = [[one.player] for one in outplayed]
        _write_page(html, list(explained), list(explained.values()), players, document)
    if as_json:
        print_json(document)
        return
    for line in lines_of(document):
        say(line)


def _write_page(
    out: Path,
    files: list[Path],
    documents: list[dict[str, Any]],
    players: list[list[int]],
    losses: dict[str, Any] | None = None,
) -> None:
    from arena.analysis.page import page_of

    names = [file.name.removesuffix(".arena") for file in files]
    write_text(out, page_of(list(zip(names, documents, players, strict=True)), losses))
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


def _explain(file: Path, player: int | None, budget: float, *, show: bool) -> dict[str, Any]:
    from arena.analysis.cached import load, save
    from arena.analysis.differences import found_in
    from arena.analysis.explaining import Explainer
    from arena.analysis.explanation import Explanation
    from arena.analysis.pool import Pool
    from arena.analysis.recorded_match import RecordedMatch
    from arena.analysis.report import document_of
    from arena.analysis.worker import required_bots

    match = RecordedMatch.of_file(file)
    if player is not None and player >= match.players:
        raise ArenaError(
            f"{file} has no player {player}. Its players are 0 to {match.players - 1}.", exit_code=ExitCode.BAD_OPTION
        )
    explanation = Explanation(match)
    load(explanation, file)
    with Pool(file) as pool:
        try:
            names = required_bots(match.game)
            for explanation.differences, part in found_in(match.reader, match.game, names, pool, 2 * budget):
                if show:
                    say_status(f"{part:.0%} of the reference matches of {match.game.title}")
            for found in Explainer(explanation, pool, budget, [] if player is None else [player]).run():
                if show:
                    _progress(found, budget)
        finally:
            if show:
                say_status()
            document = document_of(explanation)
            save(explanation, file, document)
    return document


def _progress(found: Explanation, budget: float) -> None:
    say_status(f"{min(1, found.seconds / budget):.0%} {found.stage or 'done'}, {found.playouts} playouts")
