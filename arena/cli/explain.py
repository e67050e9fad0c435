"""``arena explain``: why a match was lost. ``arena explain losses``: what the losses of a bot have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arena.cli.options import AS_JSON, FiniteRange
from arena.cli.output import Progress, print_json, say, say_lines
from arena.cli.output_files import refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.pages.render import render_alone
from arena.study.coach.advice import with_commands
from arena.study.coach.checks import check_lessons
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.losses import BotMatch, Losses, loss_of, played_by, replays_in
from arena.study.coach.page import embedded
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.report import document_of, text_of, turns_in_words
from arena.study.coach.stored import explanation_of, save
from arena.study.replaying.presentation import renderer_for
from arena_replays import Reader
from arena_replays.export import html_of

LOSS_BUDGET = 5.0
"""Seconds for each loss. Chosen, not measured: a hundred losses take less than ten minutes. That is a quarter of what
`arena explain REPLAY` spends by default, since of each loss only the worst turn is reported."""
STAGES = {
    "lessons": "the prices of mistakes",
    "curve": "the win probabilities",
    "turns": "the comparison of turns",
    "": "all",
}
HTML = click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="OUT",
    help="Write one self-contained page: the viewer with its tab Why, or the texts of all losses.",
)
Show = Callable[[Explanation, float], None]
"""Called with an explanation so far, and with the share of its stage that is done."""


class _Explain(click.Command):
    """Explains one replay, unless the first word is `losses`. A replay with that name is given as ./losses."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if args[:1] == ["losses"]:
            return losses.make_context(f"{info_name} losses", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    cls=_Explain,
    epilog="""\b
Examples:
  arena explain match.arena
  arena explain match.arena --player 1 --budget 120
  arena explain match.arena --check
  arena explain losses contest.toml --bot mine

The result is kept beside the replay, in match.arena.explain.json. The same call prints it again at once.

Exit codes: 0 explained; 1 --check did not confirm a claim; 2 wrong usage; 3 the game is not installed in this version;
4 no such player; 6 the page cannot be written; 9, 10, 11 not a replay, a newer one, a damaged one; 130 interrupted.
""",
)
@click.argument("replay", type=click.Path(path_type=Path))
@click.option(
    "--player",
    type=click.IntRange(0),
    help="Judge only the turns of this player. The default is all players who did not win.",
)
@click.option(
    "--budget",
    type=FiniteRange(1),
    default=20.0,
    help="Spend this many seconds; the default is 20.",
)
@click.option(
    "--check",
    is_flag=True,
    help="Price each lesson again, with new dice. This takes up to the seconds of --budget once more.",
)
@HTML
@AS_JSON
def command(replay: Path, player: int | None, budget: float, check: bool, html: Path | None, as_json: bool) -> int:
    """Say what can be learned from a lost match: mistakes, what each cost, and the win probability over time.

    The game's detectors find mistakes in the words of the game. A built-in bot plays on from each, with the same dice,
    as it was played and as it should have been: the difference is what the mistake cost.

    With the word losses and a folder in the place of REPLAY: say what the losses of a bot have in common.
    """
    refuse_same_file(replay, html)
    progress = Progress()
    told: list[str] = []

    def show(explanation: Explanation, share: float) -> None:
        """Tell the first lesson as soon as it is certain: a student waits for it."""
        if not told and explanation.lessons and (found := explanation.lessons.documents()):
            told.append(f"{turns_in_words(found[0])}: {found[0]['text']}")
            progress.clear()
            say(f"First lesson, {told[0]}", err=True)
        _show(progress, "", explanation, share)

    try:
        document = explain_replay(replay, player, budget, show)
    finally:
        progress.clear()
    if check:
        with ProcessPool(replay) as pool:
            document["checked"] = check_lessons(RecordedMatch.of_file(replay), pool, document, budget)
    if html is not None:
        _write(html, _viewer_of(replay, document))
    if as_json:
        print_json(document)
    elif html is None or check:  # the page does not show the check
        say_lines("\n".join(text_of(document, player)))
    confirmed = all(one["confirmed"] for one in document.get("checked", ()))
    return ExitCode.OK if confirmed else ExitCode.DIFFERENCE


@click.command(
    epilog="""\b
Examples:
  arena explain losses replays --bot my_bot
  arena explain losses contest.toml --bot mine --html losses.html

Each explanation is kept beside its replay. After Ctrl-C, the command prints what it has.

Exit codes: 0 explained; 2 wrong usage; 3 the game is not installed in this version; 4 no replay in the folder, or none
of this bot; 6 the page cannot be written; 9, 10, 11 not a replay, a newer one, a damaged one; 130 interrupted.
""",
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--bot", metavar="NAME", required=True, help="The bot whose losses are explained.")
@click.option(
    "--budget",
    type=FiniteRange(1),
    help="Spend this many seconds on all losses together. The default is 5 seconds for each loss in which the bot's "
    "program did not fail.",
)
@HTML
@AS_JSON
def losses(folder: Path, bot: str, budget: float | None, html: Path | None, as_json: bool) -> int:
    """Say what the losses of a bot have in common: their causes, phases of the match, maps and opponents.

    FOLDER is a folder of replays, or the file of a contest. Each loss is named with its worst turn.
    """
    replays = replays_in(folder)
    for replay in replays:
        refuse_same_file(replay, html)
    matches = played_by(bot, replays)
    if not matches:
        raise ArenaError(f"{bot} played in none of these replays.", exit_code=ExitCode.BAD_OPTION)
    played = [match for match in matches if match.played_on]
    documents = _explained_losses(played, budget)
    explained = list(zip(played, documents, strict=False))  # after Ctrl-C, the first matches only
    by_replay = {match.replay: document for match, document in explained}
    lost = tuple(loss_of(match, by_replay.get(match.replay)) for match in matches if match.lost)
    report = Losses(bot, len(matches), lost)
    if html is not None:
        texts = [(match.replay.stem, text_of(document, match.cause.player)) for match, document in explained]
        _write(html, render_alone("losses.html", title=report.title, losses=report, matches=texts))
    if as_json:
        print_json(report.to_document())
    else:
        say_lines("\n".join(report.lines()))
    return ExitCode.OK if len(explained) == len(played) else ExitCode.INTERRUPTED


def _explained_losses(matches: Sequence[BotMatch], budget: float | None) -> list[dict[str, Any]]:
    """Return the explanations of the matches; after Ctrl-C, those of the first ones."""
    share = LOSS_BUDGET if budget is None else budget / max(1, len(matches))
    documents: list[dict[str, Any]] = []
    progress = Progress()
    try:
        for number, match in enumerate(matches, 1):
            title = f"match {number} of {len(matches)}, {share:.0f} s each: "
            documents.append(explain_replay(match.replay, match.cause.player, share, partial(_show, progress, title)))
    except KeyboardInterrupt:
        if not documents:
            raise
        progress.clear()
        say(f"Interrupted: {len(documents)} of {len(matches)} matches are explained.", err=True)
    progress.clear()
    return documents


def explain_replay(replay: Path, player: int | None, budget: float, show: Show | None = None) -> dict[str, Any]:
    """Return the explanation of a match: the stored one, if it is complete and at least as much time went into it."""
    stored = explanation_of(replay)
    if stored and not stored["stage"] and stored["budget"] >= budget and stored["player"] == player:
        return stored
    begin = monotonic()
    match = RecordedMatch.of_file(replay)
    if player is not None and player >= match.players:
        raise ArenaError(
            f"{replay} has no player {player}. Its players are 0 to {match.players - 1}.",
            exit_code=ExitCode.BAD_OPTION,
        )
    explanation = Explanation(match)
    with ProcessPool(replay) as pool:
        players = [] if player is None else [player]
        explainer = Explainer(explanation, pool, budget + begin - monotonic(), players)
        try:
            for share in explainer.run():
                if show is not None:
                    show(explanation, share)
        finally:  # an interrupted explanation is kept too: the web page and the next call begin with it
            document = document_of(explanation, budget, player)
            save(document, replay)
    return with_commands(document, match.reader, replay)


def _show(progress: Progress, title: str, explanation: Explanation, share: float) -> None:
    progress.count(explanation.playouts, "playouts", None, f" ({title}{share:.0%} of {STAGES[explanation.stage]})")


def _viewer_of(replay: Path, document: dict[str, Any]) -> str:
    return html_of(replay, renderer_for(Reader(replay).header), [embedded(replay, document)])


def _write(out: Path, page: str) -> None:
    write_text(out, page)
    say(f"{out} was written: {out.stat().st_size} bytes", err=True)
