"""``arena explain``: why a match was lost."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.output import print_json, say, say_status
from arena.errors import ArenaError, ExitCode

if TYPE_CHECKING:
    from arena.analysis.explaining import Explanation

EPILOG = """\b
Examples:
  arena explain match.arena
  arena explain match.arena --player 1 --budget 120
  arena explain match-1.arena match-2.arena --json

The result is kept beside each replay, in match.arena.explain.json. A later call with a larger budget continues from it.
"""


@click.command(epilog=EPILOG)
@click.argument("replays", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="REPLAY...")
@click.option(
    "--player", type=click.IntRange(0), help="Judge the turns of this player only; of all players if not given."
)
@click.option(
    "--budget",
    type=click.FloatRange(1),
    default=30.0,
    help="Spend this many seconds on all REPLAYs together; 30 if not given.",
)
@click.option(
    "--html", type=click.Path(path_type=Path, dir_okay=False), metavar="OUT", help="Write one self-contained page."
)
@click.option("--json", "as_json", is_flag=True, help="Print the explanation as JSON.")
@click.option("--text", "as_text", is_flag=True, help="Print the explanation as text, which is the default.")
def command(
    replays: tuple[Path, ...], player: int | None, budget: float, html: Path | None, as_json: bool, as_text: bool
) -> None:
    """Explain why a match was lost: the cause, the win probability over time, and the turns that decided.

    Built-in bots play on from the positions of the match. That shows how likely each player was to win before and after
    each turn, and what another choice would have been worth. REPLAY is a replay, or a folder of replays.
    """
    files = [file for path in replays for file in _files(path)]
    documents = [_explain(file, player, budget / len(files), show=sys.stderr.isatty()) for file in files]
    if html is not None:
        _write_page(html, files, documents, player)
    if as_json:
        print_json(documents[0] if len(documents) == 1 else documents)
    if as_json or (html is not None and not as_text):
        return
    from arena.analysis.report import text_of

    for number, document in enumerate(documents):
        if number:
            say()
        for line in text_of(document, list(range(len(document["players"]))) if player is None else [player]):
            say(line)


def _write_page(out: Path, files: list[Path], documents: list[dict[str, Any]], player: int | None) -> None:
    from arena.analysis.page import page_of
    from arena.tournament.report.page import style

    named = [(file.name.removesuffix(".arena"), document) for file, document in zip(files, documents, strict=True)]
    try:
        out.write_text(page_of(named, style(), [] if player is None else [player]), encoding="utf-8")
    except OSError as error:
        raise ArenaError(
            f"{out} cannot be written: {(error.strerror or str(error)).lower()}.", exit_code=ExitCode.CANNOT_WRITE
        ) from None
    say(f"{out} was written: {out.stat().st_size} bytes", err=True)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(path.rglob("*.arena"))
    if not found:
        raise ArenaError(f"There is no replay in {path}.", exit_code=ExitCode.BAD_OPTION)
    return found


def _explain(file: Path, player: int | None, budget: float, *, show: bool) -> dict[str, Any]:
    from arena.analysis.cached import load, save
    from arena.analysis.explaining import Explainer, Explanation
    from arena.analysis.pool import Pool
    from arena.analysis.recorded_match import RecordedMatch
    from arena.analysis.report import document_of

    match = RecordedMatch.of_file(file)
    if player is not None and player >= match.players:
        raise ArenaError(
            f"{file} has no player {player}. Its players are 0 to {match.players - 1}.", exit_code=ExitCode.BAD_OPTION
        )
    explanation = Explanation(match)
    load(explanation, file)
    with Pool(file) as pool:
        try:
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
