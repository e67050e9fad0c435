"""``arena explain``: why a match was lost."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import click

from arena.cli.options import FiniteRange
from arena.cli.output import print_json, say, say_status
from arena.cli.output_files import refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.match.position import ReplayPlace

EPILOG = """\b
Examples:
  arena explain match.arena
  arena explain match.arena --player 1 --budget 120
  arena explain match.arena --check
  arena explain match.arena@57
  arena explain match.arena@57 --player 1 --check
  arena explain match-1.arena match-2.arena --json
  arena explain league.toml --bot mine --html losses.html

The result is kept beside each replay, in match.arena.explain.json. The same call prints it again at once.

\b
Exit codes: 0 explained; 1 --check did not confirm a claim; 2 wrong usage; 3 the game is not installed in this version;
4 no such player, turn or bot, or no replay in the folder; 6 the page cannot be written; 9, 10, 11 not a replay, a newer
one, a damaged one; 130 interrupted.
"""

BUDGET, LOSS_BUDGET = 20.0, 5.0


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
    check: bool,
    trust: bool,
    html: Path | None,
    as_json: bool,
    as_text: bool,
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
        return _check_turn(place, player, seconds, as_json) if check else _explain_position(place, seconds, as_json)
    if bot is not None and player is not None:
        raise click.UsageError("--bot explains the turns of that bot. Leave out --player.")
    if bot is not None and (check or trust):
        raise click.UsageError("--check and --trust explain given matches. Leave out --bot.")
    files = [file for path in replays for file in _files(path)]
    for path in (*replays, *files):
        refuse_same_file(path, html)
    if bot is not None:
        _explain_losses(bot, files, budget, html, as_json=as_json)
        return ExitCode.OK
    share = seconds / len(files)
    documents = [_explain(file, player, share, trust=trust) for file in files]
    rows = [
        _check(file, one["turning_points"], one["playouts"]["teams"], share) if check else []
        for file, one in zip(files, documents, strict=True)
    ]
    shown = [list(range(len(one["players"]))) if player is None else [player] for one in documents]
    if html is not None:
        _write_page(html, files, documents, shown)
    if as_json:
        found = [one | ({"checked": row} if check else {}) for one, row in zip(documents, rows, strict=True)]
        print_json(found[0] if len(found) == 1 else found)
    elif html is None or as_text:
        for number, (document, players, row) in enumerate(zip(documents, shown, rows, strict=True)):
            if number:
                say()
            _print(document, players, row if check else None)
    return ExitCode.OK if all(one["confirmed"] for row in rows for one in row) else ExitCode.DIFFERENCE


def _print(document: dict[str, Any], players: list[int], checked: list[dict[str, Any]] | None) -> None:
    from arena.analysis.checks import check_in_words
    from arena.analysis.report import text_of

    for line in text_of(document, players):
        say(line)
    for one in checked or ():
        say(check_in_words(one, [player["name"] for player in document["players"]]), bold=not one["confirmed"])
    if checked == []:
        say("There is no turning point to check.")


def _explain_position(place: ReplayPlace, budget: float, as_json: bool) -> int:
    from arena.analysis.checks import at_position, position_in_words

    document = at_position(place, budget)
    if as_json:
        print_json(document)
    else:
        for line in position_in_words(document):
            say(line)
    return ExitCode.OK


def _check_turn(place: ReplayPlace, player: int | None, budget: float, as_json: bool) -> int:
    from arena.analysis.checks import check_in_words
    from arena.replaying.places import file_of
    from arena_replays import Reader

    file = file_of(place)
    [one] = _check(file, [{"player": player, "turn": place.turn, "action": place.action}], (), budget)
    if as_json:
        print_json(one)
    else:
        say(check_in_words(one, [entry["name"] for entry in Reader(file).header.get("players", ())]))
    return ExitCode.OK if one["confirmed"] else ExitCode.DIFFERENCE


def _check(file: Path, claims: list[dict[str, Any]], teams: Sequence[Any], budget: float) -> list[dict[str, Any]]:
    from arena.analysis.checks import checked
    from arena.analysis.pool import Pool
    from arena.analysis.recorded_match import RecordedMatch

    if not claims:
        return []
    with Pool(file) as pool:
        return checked(RecordedMatch.of_file(file), pool, claims, teams, budget)


def _explain_losses(bot: str, files: list[Path], budget: float | None, html: Path | None, *, as_json: bool) -> None:
    """Explain each loss of a bot in which the bot's program did not fail. Print all losses of the bot in groups."""
    from arena.analysis.losses import grouped, lines_of, loss_of, played_by

    played = played_by(bot, files)
    if not played:
        raise ArenaError(f"{bot} played in none of these replays.", exit_code=ExitCode.BAD_OPTION)
    lost = [one for one in played if one.lost]
    outplayed = [one for one in lost if one.outplayed]
    share = LOSS_BUDGET if budget is None else budget / max(1, len(outplayed))
    explained = {one.replay: _explain(one.replay, one.cause.player, share) for one in outplayed}
    document = grouped(bot, len(played), [loss_of(one, explained.get(one.replay)) for one in lost])
    if html is not None:
        _write_page(
            html, list(explained), list(explained.values()), [[one.cause.player] for one in outplayed], document
        )
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
    """Write the viewer's page of one match, or else one page with the texts of several."""
    from arena.analysis.losses import lines_of
    from arena.analysis.report import text_of
    from arena.pages.render import render_alone
    from arena.replaying.presentation import legs_for, renderer_for
    from arena.replaying.views import all_with_views
    from arena_replays import Reader
    from arena_replays.export import html_of
    from arena_replays.legs import as_matches

    if losses is None and len(as_matches(files, legs_for)) == 1:
        with all_with_views(files) as paths:
            found = dict(zip(paths, documents, strict=True))
            [legs] = as_matches(paths, legs_for)
            page = html_of(legs, renderer_for(Reader(paths[0]).header), [found[leg] for leg in legs])
    else:
        names = [file.name.removesuffix(".arena") for file in files]
        texts = [text_of(*one) for one in zip(documents, players, strict=True)]
        title = lines_of(losses)[0] if losses else f"{len(files)} matches explained"
        matches = list(zip(names, texts, strict=True))
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


def _explain(file: Path, player: int | None, budget: float, *, trust: bool = False) -> dict[str, Any]:
    """Return the explanation of a match: the kept one, if at least as much time was spent on it."""
    from arena.analysis.cached import explanation_of, save
    from arena.analysis.explaining import Explainer, Explanation
    from arena.analysis.pool import Pool
    from arena.analysis.recorded_match import RecordedMatch
    from arena.analysis.report import document_of, with_commands

    begun, match = monotonic(), RecordedMatch.of_file(file)
    if player is not None and player >= match.players:
        raise ArenaError(
            f"{file} has no player {player}. Its players are 0 to {match.players - 1}.", exit_code=ExitCode.BAD_OPTION
        )
    kept = explanation_of(file)
    is_whole = bool(kept) and not kept["stage"] and kept["budget"] >= budget
    if is_whole and (kept["player"], kept["trust"]) == (player, trust):
        return kept
    explanation = Explanation(match)
    bots = [str(one.get("bot", "")) for one in match.reader.header.get("players", ())] if trust else []
    with Pool(file) as pool:
        try:
            left = budget + begun - monotonic()
            explainer = Explainer(explanation, pool, left, [] if player is None else [player], bots=bots)
            for share in explainer.run(norms=True):
                if sys.stderr.isatty():
                    say_status(f"{share:.0%} {explanation.stage}, {explanation.playouts} playouts")
        finally:
            if sys.stderr.isatty():
                say_status()
            document = document_of(explanation) | {"budget": budget, "player": player, "trust": trust}
            save(document, file)
    return with_commands(document, match.reader, str(file))
