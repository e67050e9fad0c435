"""``arena conform``: check the rules of a game against recorded games."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.options import AS_JSON
from arena.cli.output import print_json, say, say_status
from arena.errors import ExitCode
from arena.game import GameSpec
from arena.match.lookup import find_game
from arena.study.checks import TraceReport, conform_file, find_traces

_MANY = 20


@click.command()
@click.argument("game")
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...")
@AS_JSON
def command(game: str, traces: tuple[str, ...], as_json: bool) -> None:
    """Check the rules of GAME against recorded games.

    A TRACE is a .jsonl or .jsonl.gz file, a folder with such files, or a pattern.

    Exit codes: 0 all traces agree with the rules; 1 a trace differs; 3 there is no such game; 13 there is no trace, or
    a trace is unusable and none differs.
    """
    spec = find_game(game)
    paths = find_traces(traces)
    reports = []
    for report in _progress(spec, paths, hidden=as_json or not sys.stderr.isatty()):
        reports.append(report)
        if not as_json:
            say(str(report), fg=None if report.verdict == "ok" else "red")
    if as_json:
        print_json(_document(game, reports))
    else:
        say(_summary(reports), bold=True)
    sys.exit(_exit_code(reports))


def _progress(game: GameSpec, paths: list[Path], hidden: bool) -> Iterator[TraceReport]:
    """Compare the traces one by one, and yield a report for each. For many traces, show a counter unless `hidden`."""
    counts = not hidden and len(paths) >= _MANY
    for number, path in enumerate(paths, 1):
        report = conform_file(game, path)
        if counts:
            say_status()
        yield report
        if counts and number < len(paths):
            say_status(f"{number} of {len(paths)}")


def _count(reports: list[TraceReport], verdict: str) -> int:
    return sum(1 for report in reports if report.verdict == verdict)


def _summary(reports: list[TraceReport]) -> str:
    lines = sum(report.lines for report in reports)
    text = f"{_count(reports, 'ok')} of {len(reports)} traces agree ({lines} lines compared)"
    for verdict, word in (("differs", "differ"), ("unusable", "unusable")):
        count = _count(reports, verdict)
        if count:
            text += f", {count} {word}"
    return text


def _document(game: str, reports: list[TraceReport]) -> dict[str, object]:
    return {
        "game": game,
        "ok": all(report.verdict == "ok" for report in reports),
        "agree": _count(reports, "ok"),
        "differ": _count(reports, "differs"),
        "unusable": _count(reports, "unusable"),
        "lines": sum(report.lines for report in reports),
        "traces": [report.to_document() for report in reports],
    }


def _exit_code(reports: list[TraceReport]) -> int:
    if _count(reports, "differs"):
        return ExitCode.DIFFERENCE
    return ExitCode.BAD_TRACE if _count(reports, "unusable") else ExitCode.OK
