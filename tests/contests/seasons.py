"""Seasons for tests: people, versions and results without processes."""

import contextlib

from arena.game import Outcome
from arena.journal.store import now
from arena.match.lookup import find_game
from arena.match.result import MatchResult, PlayerResult
from arena.season import people
from arena.season.config import template
from arena.season.matches import pair, specs_of
from arena.season.store import open_season
from arena.season.values import Member

ORGANIZER = Member("o", "Olga", "", "organizer")


def write_config(folder, *changes, game="saloon"):
    """Write the usual configuration, with some lines replaced."""
    text = template(find_game(game))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / "season.toml"
    path.write_text(text)
    return path


@contextlib.contextmanager
def opened(path):
    with open_season(path) as season:
        yield season


def add_team(season, team):
    """Add a team with one member, and return the member with their token."""
    return people.join(season, people.invite(season, team, "", "member", "test"), f"{team} person")


def add_version(season, team, *, passes=True, active=True, content="", checked=True, late=False, seconds=0.0):
    """Add a version without files."""
    number = len(season.state.versions[team]) + 1
    content = content or f"{team}{number}".ljust(64, "0")
    document = {"team": team, "number": number, "hash": content, "path": f"bots/{content[:24]}", "by": "test",
                "at": now(), "size": 1, "file": "bot.zip", "late": late}  # fmt: skip
    report = {"passed": passes, "problem": "" if passes else "it crashes", "lines": [], "match": "", "at": now(),
              "seconds": seconds}  # fmt: skip
    written = [("version", f"{team}/{number}", document)]
    if checked:
        written.append(("report", f"{team}/{number}", report))
    if checked and active:
        written.append(("activate", f"{team}/{number}", {"at": now()}))
    season.write(*written)
    return season.state.version(team, number)


def play(season, *players, points=(1.0, 0.0), kind="ladder", team="", result=None):
    """Record an encounter of one match, and return the id of the match. The result can replace the points."""
    season.write(pair(season, kind, tuple(players), 1, team))
    encounter = season.state.encounters[len(season.state.encounters)]
    spec = specs_of(season, encounter)[0]
    season.commit(spec, result or result_of(points))
    return spec.match_id


def result_of(points):
    best = max(points)
    winners = [seat for seat, one in enumerate(points) if one == best]
    outcome = Outcome(winners[0] if len(winners) == 1 else None, "goal")
    endings = ["drawn" if len(winners) > 1 else "won" if one == best else "lost" for one in points]
    return MatchResult(tuple(PlayerResult(ending, score=one) for ending, one in zip(endings, points, strict=True)),
                       outcome)  # fmt: skip


def void_result(players=2):
    """The result of a match whose process somebody has ended."""
    outcome = Outcome(None, "interrupted by SIGTERM")
    return MatchResult((PlayerResult("void"),) * players, outcome, void=f"the referee gave no result: {outcome.reason}")


def table_bytes(season, *, everything=True):
    """The table as the page shows it."""
    return repr(season.table(everything=everything)).encode()
