"""``arena contest standings``, ``bracket``, ``matches``, ``show``, ``export`` and ``archive``: print and publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.contest.common import CONTEST, match_id_of, read_shown
from arena.cli.options import AS_JSON, FORM, JSON_FORM
from arena.cli.output import print_json, print_tables, say
from arena.errors import ArenaError
from arena.game.validation import did_you_mean

if TYPE_CHECKING:
    from arena.contests.report.export import ReplayPages
    from arena.contests.report.visible_contest import VisibleContest
    from arena.match.result import PlayerResult
    from arena.web.contests.site import Folders
    from arena_replays.page import Common


@click.command(short_help="Print the tables of the ladder and of all stages.")
@CONTEST
@FORM
@JSON_FORM
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Also print ratings, the likelihood that one bot is stronger than another, the behaviour of the bots, and the "
    "acts of organizers.",
)
def standings(contest: Path, form: str, everything: bool) -> None:
    """Print the tables of the ladder and of all stages, with results that are held back."""
    from arena.contests.report import listings
    from arena.contests.report.rows import documents_of, standings_tables, tables_of

    visible = read_shown(contest)
    if form == "json":
        all_tables = tables_of(visible, private=True) if everything else standings_tables(visible)
        print_json(documents_of(all_tables))
        return
    tables = [listings.ladder(visible)] if visible.ladder else []
    tables += [listings.standings(visible, run) for run in visible.stages.values()]
    if everything:
        if visible.ratings:
            tables += [listings.ratings(visible), listings.superiority(visible)]
        tables.append(listings.behaviour(visible, private=True))
        acts = listings.acts(visible)
        if acts.rows:
            tables.append(acts)
    if not tables:
        say("No stage has begun yet.", err=True)
    print_tables(tables, form)


@click.command(short_help="Print the pairings and results, round by round.")
@CONTEST
@FORM
@JSON_FORM
def bracket(contest: Path, form: str) -> None:
    """Print the pairings and results of all stages, round by round."""
    from arena.contests.report import listings

    runs = read_shown(contest).stages.values()
    tables = [listings.encounters(run) for run in runs]
    if form == "json":
        print_json({run.config.name: table.documents for run, table in zip(runs, tables, strict=True)})
        return
    if not tables:
        say("No stage has begun yet.", err=True)
    print_tables(tables, form)


@click.command(short_help="List the matches that were played.")
@CONTEST
@FORM
@JSON_FORM
@click.option("--bot", help="List only matches of this bot or team.")
@click.option("--ending", help="List only matches in which a player has this ending, such as crashed or timed_out.")
def matches(contest: Path, form: str, bot: str | None, ending: str | None) -> None:
    """List all matches that were played, in the order in which they ended, also those that are held back."""
    from arena.contests.report import listings
    from arena.contests.report.rows import match_documents, match_rows
    from arena.match.ending import MEANINGS

    visible = read_shown(contest)
    names = [*visible.state.entrants]
    if bot is not None and bot not in names:
        raise ArenaError(f"No bot is called {bot}{did_you_mean(bot, names)}.")
    if ending is not None and ending not in MEANINGS:
        raise ArenaError(f"No match ends with {ending}{did_you_mean(ending, MEANINGS)}.")
    indices = [
        index
        for index, (spec, result) in enumerate(visible.counting)
        if bot in (None, *spec.names) and ending in (None, *(player.ending for player in result.players))
    ]
    if form == "json":
        documents = match_documents(visible)
        print_json([documents[index] for index in indices])
        return
    rows = match_rows(visible)
    table = listings.matches([visible.counting[index] for index in indices], [rows[index] for index in indices])
    print_tables([table], form)


@click.command(short_help="Show one match, and why a bot lost it.")
@click.argument("match")
@CONTEST
@AS_JSON
@click.option("--view", is_flag=True, help="Open the replay in the browser.")
def show(match: str, contest: Path, as_json: bool, view: bool) -> None:
    """Show one match, and why a bot lost it. MATCH is the id of the match, or the first characters of the id."""
    from arena.contests.journal.files import folder_of, replay_defect
    from arena.contests.report.progress import one_line
    from arena.contests.report.rows import match_documents
    from arena.contests.stages.series import legs_of
    from arena.match.ending import counted, ending_and_place

    folder, visible = folder_of(contest), read_shown(contest)
    state = visible.state
    played = state.played[match_id_of(state, match)]
    assert played.result is not None, "the match was played"
    spec, result = played.spec, state.orders.counted(played.id, played.result)
    if as_json:
        print_json(next(document for document in match_documents(visible) if document["match_id"] == played.id))
        return
    say(f"{spec.match_id}  {one_line(spec, result)}", bold=True)
    say(
        f"{counted(result.turns, 'turn')}; {result.outcome.reason or 'no reason given'}; "
        f"isolation {result.isolation.name}"
    )
    for seat, (name, player) in enumerate(zip(spec.names, result.players, strict=True)):
        say(_player_line(name, player, ending_and_place(player.ending, result.place(seat))))
        for line in player.explained.splitlines():
            say(f"    {line}")
    replay = folder / result.replay
    if not result.replay:
        say("There is no replay.")
        return
    wrong = replay_defect(replay, result.replay_hash)
    say(f"The replay {replay} {wrong}." if wrong else f"Replay: {replay}")
    if view and not wrong:
        from arena.web.server import serve
        from arena.web.viewing import Viewing

        game = legs_of(spec.match_id, visible.matches(), state.settings.rules.legs)
        legs = [folder / leg_result.replay for _, leg_result in game] or [replay]
        serve(Viewing([legs]).application(), 0, say, page="view/0")


def _player_line(name: str, player: PlayerResult, ending: str) -> str:
    refused, clock = sum(player.refusals.values()), player.clock
    line = f"  {name}: {ending}, score {player.score:zg}, {refused} refused, {clock.wall:.2f} s in all"
    return f"{line}, longest turn {clock.worst_turn:.3f} s"


@click.command(short_help="Write pages and tables of the results.")
@CONTEST
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write into this folder; if not given, NAME-results, or NAME-results-with-logs with --logs.",
)
@click.option("--replays/--no-replays", default=True, help="Write a page for each match.")
@click.option("--logs", is_flag=True, help="Include the bots' logs, drawings and output. Do not publish such a page.")
@click.option("--everything", is_flag=True, help="Include results that are held back, challenges and first matches.")
@click.option(
    "--data",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write only all tables for programs, into this SQLite file.",
)
def export(contest: Path, out: Path | None, replays: bool, logs: bool, everything: bool, data: Path | None) -> None:
    """Write pages of the contest, and all tables for programs as CSV.

    The pages and tables can be published: they contain what everybody may see, and no logs of the bots, unless --logs
    or --everything is given. The contest can run meanwhile.
    """
    from arena.contests.journal.files import disk_errors, folder_of, private_files
    from arena.contests.report.export import export as write_all
    from arena.contests.report.rows import tables_of
    from arena.contests.report.writers import write_database
    from arena.contests.values import utc
    from arena.match.lookup import find_game
    from arena.web.contests.site import further_pages

    if data is not None and (out is not None or logs or not replays):
        raise click.UsageError("--data writes only the tables. Leave out --out, --logs and --no-replays.")
    visible, folder = read_shown(contest, everything=everything), folder_of(contest)
    people = visible.state.settings.visible
    if not (people.has_opened(utc()) or logs or everything):
        text = f"The contest opens at {people.shown_time(people.opens)}, and nothing of it may be seen before."
        raise ArenaError(text, hint="For a copy of your own, add --everything.")
    if data is not None:
        with disk_errors(data, "Choose another file, or fix the cause."):
            write_database(tables_of(visible), data)
        say(f"Wrote {data}.")
        return
    target = out or contest.with_name(f"{contest.stem}-results" + ("-with-logs" if logs else ""))
    may_watch = visible.state.settings.visible.public_replays or logs or everything
    further = further_pages(find_game(visible.state.settings.game), "", _warn) if replays and may_watch else {}
    pages = _replay_pages(folder, visible, further, logs=logs) if replays and may_watch else None
    hint = "Choose another folder with --out, or fix the cause."
    with private_files() if logs else nullcontext(), disk_errors(target, hint):
        files = write_all(visible, folder, target, pages, _warn, private=logs)
        _write_folders(further, target)
    say(f"Wrote {files[0]} and {len(files) - 1} more files.")


def _write_folders(folders: Folders, target: Path) -> None:
    from arena_replays.files import replace_file

    for name, contents in folders.items():
        for file, content in contents.items():
            (target / name / file).parent.mkdir(parents=True, exist_ok=True)
            replace_file(target / name / file, content, sync=False)


@click.command(short_help="Write what may stay of a contest, in one file.")
@click.argument("target", type=click.Path(path_type=Path, dir_okay=False))
@CONTEST
def archive(target: Path, contest: Path) -> None:
    """Write TARGET, a new .tar file, for the years after the contest.

    It has a static site with all tables, the rules, and the replays in the viewer; the replays themselves; and the bots
    of all who agree. It names no person, and only teams that agree. `[[bots]] path = "TARGET"` makes these bots rungs
    of another ladder, and `arena contest verify TARGET` checks the replays.
    """
    import tempfile

    from arena.contests.archive import SUFFIX
    from arena.contests.journal.files import disk_errors, folder_of
    from arena.contests.report.archived import archived_state, write_archive
    from arena.contests.report.export import export as write_all
    from arena.contests.report.visible_contest import VisibleContest
    from arena.match.lookup import find_game
    from arena.web.contests.site import further_pages
    from arena.web.public_replays import public_bytes
    from arena.web.rulebook import rules_file

    if target.suffix != SUFFIX:
        raise click.UsageError(f"TARGET is {target}: its name must end with {SUFFIX}.")
    folder = folder_of(contest)
    state, consents = archived_state(folder)
    visible = VisibleContest.of(state)
    game = find_game(visible.state.settings.game)
    if not visible.finished:
        _warn("The contest is not over. The archive has what everybody may see now.")
    further = dict(further_pages(game, "", _warn))
    if game.rules_text():
        further["rules"] = {"index.html": rules_file(game, "../index.html")[0].encode()}
    with disk_errors(target), tempfile.TemporaryDirectory(dir=target.parent, prefix=".site-") as temporary:
        site = Path(temporary)
        write_all(visible, folder, site, _replay_pages(folder, visible, further, logs=False), _warn)
        _write_folders(further, site)
        index = write_archive(visible, consents, folder, site, target, partial(public_bytes, over=True))
    bots = f"{len(index.bots)} bots may play in later contests"
    say(f"Wrote {target}: {len(index.replays)} replays; {bots}. The site is in its folder site/: open site/index.html.")


def _replay_pages(folder: Path, visible: VisibleContest, further: Folders, *, logs: bool) -> ReplayPages:
    """Return how replays become pages. Existing pages are kept, and only get their new place among the others."""
    from arena.contests.report.export import ReplayPages
    from arena.study.replaying.presentation import renderer_of
    from arena.web.contests.site import coach_of
    from arena.web.public_replays import public_bytes
    from arena.web.stills import last_still
    from arena_replays.export import export_sharing, move_page

    renderer, common = renderer_of(visible.state.settings.game), _common(folder, visible)
    coach = coach_of(further)

    def write(legs: Sequence[Path], page: Path, place: Mapping[str, Any]) -> None:
        if page.exists():
            move_page(page, place)
            return
        replays = [leg.read_bytes() if logs else public_bytes(leg, over=True) for leg in legs]
        export_sharing(replays, page, renderer, common, place, coach=f"..{coach}" if coach else "")

    rules = "rules/index.html" if "rules" in further else ""
    return ReplayPages(write, last_still, renderer, "matches-with-logs" if logs else "matches", rules)


def _common(folder: Path, visible: VisibleContest) -> Common | None:
    """Return the parts that the pages of all matches share, from the first readable replay; None without a replay."""
    from arena.web.public_replays import public_bytes
    from arena_replays import ReplayError
    from arena_replays.page import Common

    for _, result in visible.matches():
        with suppress(OSError, ReplayError):
            return Common(public_bytes(folder / result.replay, over=True))
    return None


def _warn(text: str) -> None:
    say(f"Warning: {text}", err=True)


COMMANDS = (standings, bracket, matches, show, export, archive)
