"""Export a season to a folder: the ladder, its matches, and the tables for programs."""

import base64
from pathlib import Path

from markupsafe import Markup

from arena.match.lookup import title_of
from arena.matches.data import write_folder
from arena.pages.pictures import in_place_of_signs
from arena.pages.render import render_alone
from arena.season.board import Board
from arena.season.data import SeasonData, season_tables
from arena.contests.report.documents import match_document
from arena.contests.report.page import MOST_ROWS, Links, match_pages, page_addresses
from arena.contests.report.titles import Titles
from arena.contests.report.views import match_lines
from arena.web.contests.ladder import ladder_view
from arena_replays.files import replace_file


def export(data: SeasonData, out: Path) -> list[Path]:
    """Write the pages, and the tables into the folder `data`. Return the paths of the files."""
    out.mkdir(parents=True, exist_ok=True)
    board = Board(data.state)
    tables = list(season_tables(data, board))
    games = [match_document(one.spec, one.outcome) for one in data.results]
    few = len(games) <= MOST_ROWS
    title = data.config.name
    pictures = {
        team: f"data:image/png;base64,{base64.b64encode(png).decode()}"
        for team, png in data.state.shown_pictures().items()
    }
    files = {
        "index.html": render_alone(
            "season/export.html", title=title, game=title_of(data.config.game), played=len(games),
            ladder=ladder_view(board.table()), pictures=Markup(in_place_of_signs(pictures)),
            matches=match_lines(games, Titles({"stages": []})) if few else None,
            pages=[] if few else page_addresses(len(games)), link=lambda _match: "",
        ),
        **match_pages({"tournament": title, "games": games, "stages": []}, Links()),
    }  # fmt: skip
    for name, text in files.items():
        replace_file(out / name, text.encode(), sync=False)
    return [*(out / name for name in files), *write_folder(tables, out / "data")]
