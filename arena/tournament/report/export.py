"""Export a tournament to a folder: pages, tables for programs, and pages of replays."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from arena.journal.files import make_private, wrong_with_replay
from arena.matches.data import write_database, write_folder
from arena.tournament.plan.legs import Played, together
from arena.tournament.report.data import tournament_tables
from arena.tournament.report.documents import tournament_document
from arena.tournament.report.form import Course
from arena.tournament.report.page import MOST_ROWS, match_pages, page_of
from arena.tournament.report.sheets import bracket_sheet, final_sheet, ratings_sheet, standings_sheet, statistics_sheet
from arena.tournament.report.text import to_markdown
from arena.tournament.run.organizer import Snapshot
from arena_replays.files import replace_file

WriteReplay = Callable[[Sequence[Path], Path], None]
"""Writes one page for all legs of a match. Arguments: the replays of the legs, and the path of the page."""


def export(
    snapshot: Snapshot,
    folder: Path,
    out: Path,
    write_replay: WriteReplay | None,
    pages: str = "matches",
    report: Callable[[str], None] = lambda _message: None,
    *,
    private: bool = False,
) -> list[Path]:
    """Write the tournament's pages, a Markdown document, and the tables for programs.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.

    Returns:
        The paths of the files, except the pages of replays.
    """
    document = tournament_document(snapshot, private=private)
    out.mkdir(parents=True, exist_ok=True)
    if private:
        make_private(out)
    links = _replays(snapshot, folder, out, write_replay, pages, report) if write_replay else {}
    sheets = [final_sheet(document)]
    for stage in document["stages"]:
        sheets += [standings_sheet(stage), *([bracket_sheet(stage)] if len(stage["encounters"]) <= MOST_ROWS else [])]
    sheets += [ratings_sheet(document), statistics_sheet(document)]
    files = {
        "index.html": page_of(document, links, Course.of(snapshot.schedule.matches())),
        **match_pages(document, links),
        "tournament.md": "\n".join([f"# {document['tournament']}\n", *(to_markdown(sheet) for sheet in sheets)]),
    }
    for name, text in files.items():
        replace_file(out / name, text.encode(), sync=False)
    return [*(out / name for name in files), *write_folder(tournament_tables(snapshot, document), out / "data")]


def export_data(snapshot: Snapshot, path: Path) -> None:
    """Write all tables for programs into one SQLite file."""
    write_database(tournament_tables(snapshot, tournament_document(snapshot, games=False)), path)


def _replays(
    snapshot: Snapshot, folder: Path, out: Path, write: WriteReplay, pages: str, report: Callable[[str], None]
) -> dict[str, str]:
    """Write the missing pages of matches whose seed is spent. Return the addresses of all pages, by match id."""
    links: dict[str, str] = {}
    (out / pages).mkdir(exist_ok=True)
    for game in together(snapshot.schedule.matches(), snapshot.tournament.config.legs):
        if not all(snapshot.schedule.seed_is_spent(spec) for spec, _ in game):
            continue  # the page would show what the players of a further match must not know
        legs = _sound(game, folder, report)
        if not legs:
            continue
        page = f"{pages}/{'-'.join(legs)}.html"
        if not (out / page).exists():
            write(list(legs.values()), out / page)
        for number, match_id in enumerate(legs, 1):
            links[match_id] = page if len(legs) == 1 else f"{page}#leg={number}"
    return links


def _sound(game: Iterable[Played], folder: Path, report: Callable[[str], None]) -> dict[str, Path]:
    """Return the existing, unchanged replays of a game, by match id. Report missing and changed replays."""
    legs: dict[str, Path] = {}
    for spec, result in game:
        if not result.replay:
            continue
        replay = folder / result.replay
        if wrong := wrong_with_replay(replay, result.replay_hash):
            report(f"The replay {replay} {wrong}; the match has no page.")
        else:
            legs[spec.match_id] = replay
    return legs
