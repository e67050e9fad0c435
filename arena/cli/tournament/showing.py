"""``arena tournament standings``, ``bracket``, ``matches`` and ``show``: print results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import AS_JSON
from arena.cli.output import print_json, say
from arena.cli.tables import ENDING, FORM, JSON_FORM, LAST, print_matches, print_sheets
from arena.cli.tournament.common import LEAGUE, read_snapshot
from arena.errors import ArenaError
from arena.match.ending import in_words
from arena.match.wording import counted

if TYPE_CHECKING:
    from arena.match.result import PlayerResult


@click.command()
@LEAGUE
@FORM
@JSON_FORM
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also print ratings, the likelihood that one bot is stronger than another, and the behaviour of the bots.",
)
def standings(league: Path, form: str, everything: bool) -> None:
    """Print the tables of all stages."""
    from arena.contests.report import sheets
    from arena.contests.report.documents import stage_documents, standings_document, tournament_document

    snapshot = read_snapshot(league)
    if form == "json":
        print_json(tournament_document(snapshot, private=True) if everything else standings_document(snapshot))
        return
    chosen = [sheets.standings_sheet(stage) for stage in stage_documents(snapshot)]
    if everything:
        document = tournament_document(snapshot, private=True, games=False)
        chosen += [
            sheets.ratings_sheet(document), sheets.superiority_sheet(document), sheets.statistics_sheet(document)
        ]  # fmt: skip
    print_sheets(chosen, form)


@click.command()
@LEAGUE
@FORM
@JSON_FORM
def bracket(league: Path, form: str) -> None:
    """Print the pairings and results, round by round."""
    from arena.contests.report import sheets
    from arena.contests.report.documents import standings_document

    document = standings_document(read_snapshot(league))
    if form == "json":
        print_json({stage["name"]: stage["encounters"] for stage in document["stages"]})
        return
    print_sheets([sheets.bracket_sheet(stage) for stage in document["stages"]], form)


@click.command()
@LEAGUE
@FORM
@JSON_FORM
@click.option("--bot", help="List only matches of this bot.")
@ENDING
@LAST
def matches(league: Path, form: str, bot: str | None, ending: str | None, last: int | None) -> None:
    """List the matches that were played."""
    snapshot = read_snapshot(league)
    print_matches(snapshot.schedule.matches(), snapshot.tournament.names, form, bot, ending, last)


@click.command(short_help="Show one match, and why a bot lost it.")
@click.argument("match")
@LEAGUE
@AS_JSON
@click.option("--view", is_flag=True, help="Open the replay in the browser.")
def show(match: str, league: Path, as_json: bool, view: bool) -> None:
    """Show one match, and why a bot lost it. MATCH is the id of the match, or the first characters of the id."""
    from arena.journal.files import wrong_with_replay
    from arena.matches.folders import folder_of
    from arena.contests.report.documents import match_document
    from arena.contests.report.progress import one_line

    folder = folder_of(league)
    spec, result = _match(folder, match)
    if as_json:
        print_json(match_document(spec, result, private=True))
        return
    say(f"{spec.match_id}  {one_line(spec, result)}", bold=True)
    say(
        f"{counted(result.turns, 'turn')}; {result.outcome.reason or 'no reason given'}; "
        f"isolation {result.isolation.name}"
    )
    for name, player in zip(spec.names, result.players, strict=True):
        say(_player_line(name, player, in_words(player.ending, result.place(spec.names.index(name)))))
        for line in player.explained.splitlines():
            say(f"    {line}")
    replay = folder / result.replay
    if not result.replay:
        say("There is no replay.")
        return
    wrong = wrong_with_replay(replay, result.replay_hash)
    say(f"The replay {replay} {wrong}." if wrong else f"Replay: {replay}")
    if view and not wrong:
        from arena.tournament.plan.legs import legs_of
        from arena.web.server import serve
        from arena.web.viewing import Viewing

        snapshot = read_snapshot(league)
        game = legs_of(spec.match_id, snapshot.schedule.matches(), snapshot.tournament.config.legs)
        legs = [folder / played.replay for _, played in game] or [replay]
        serve(Viewing([legs]).application(), 0, say, page="view/0")


def _player_line(name: str, player: PlayerResult, ending: str) -> str:
    refused, clock = sum(player.refusals.values()), player.clock
    line = f"  {name}: {ending}, score {player.score:zg}, {refused} refused, {clock.wall:.2f} s in all"
    return f"{line}, longest turn {clock.worst_turn:.3f} s"


def _match(folder: Path, match: str) -> Any:
    from contextlib import closing

    from arena.tournament.run.journal import Journal

    with closing(Journal(folder, read_only=True)) as journal:
        found = journal.match(match)
    if found is None:
        raise ArenaError(
            f"There is no match {match or 'without an id'}, or several ids start with it.",
            hint="`arena tournament matches` lists them.",
        )
    return found
