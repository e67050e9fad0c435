"""``arena doctor``: check how well this machine isolates bots."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict

import click

from arena.bots.doctor import Diagnosis, LayerCheck, checks, gather_facts
from arena.bots.interpreters import candidates, faster, measure, measured
from arena.bots.probe import probe
from arena.cli.options import AS_JSON
from arena.cli.output import print_json, say_lines
from arena.match.isolation import Isolation, check_level
from arena.text.printable import command_line

HIGHEST = 3
MEANINGS = (
    "Nothing is isolated. Play only bots that you trust.",
    "Some limits hold. Play only bots of people you know.",
    "Bots cannot reach files, network or each other. Arena limits their memory, but the kernel does not.",
    "Bots are fully isolated. Untrusted bots can play here.",
)


@click.command()
@AS_JSON
@click.option(
    "--require",
    type=click.IntRange(0, 3),
    default=None,
    help="Exit with code 0 at this isolation level or above, else with code 7.",
)
def command(as_json: bool, require: int | None) -> None:
    """Show which layers of isolation this machine offers to bots, why not more, and how to get them.

    The command reports the results of the sandbox's self-test. It also names a faster Python if there is one.

    The exit code without --require is 0 at level 3, 13 at level 2, 12 at level 1, 11 at level 0.
    """
    isolation, facts = probe(), gather_facts()
    layers, python = list(checks(isolation, facts)), faster_python()
    if as_json:
        print_json(
            {
                **isolation.to_document(),
                "checks": [asdict(check) for check in layers],
                "machine": asdict(facts),
                "faster_python": python and asdict(python),
            }
        )
    else:
        say_lines("\n".join(_text(isolation, layers, python)))
    if require is not None:
        check_level(isolation, require)
    else:
        raise click.exceptions.Exit(_exit_code(isolation.level))


def faster_python() -> Diagnosis | None:
    """Return which Python on this machine is clearly faster than this one, and how to use it."""
    own = measure(getattr(sys, "_base_executable", sys.executable))
    pythons = [python for python in measured(candidates(os.environ.get("PATH", ""))) if own and python.path != own.path]
    better = faster(own, pythons) if own else None
    if own is None or better is None:
        return None
    return Diagnosis(
        f"Arena runs on {own}; {better} on this machine is {own.seconds / better.seconds:.1f} times as fast",
        f"Install Arena with that Python: {command_line(better.path, '-m', 'venv', 'FOLDER')}, or `make setup`.",
    )


def _exit_code(level: int) -> int:
    return 0 if level == HIGHEST else 11 + level


def _text(isolation: Isolation, layers: Sequence[LayerCheck], python: Diagnosis | None) -> list[str]:
    width = max(len(check.layer) for check in layers)
    lines = [f"Isolation of bots on this machine: {isolation.name}", MEANINGS[isolation.level], ""]
    for check in layers:
        lines.append(f"  {'holds  ' if check.holds else 'MISSING'}  {check.layer:{width}}  {check.found}")
    missing = [check for check in layers if not check.holds and check.remedy]
    if missing:
        lines += ["", "To get what is missing:", *_remedies(missing)]
    if python is not None:
        lines += ["", "Matches could be faster:", "", f"  {python.cause}:", f"    {python.remedy}"]
    return lines


def _remedies(missing: Sequence[LayerCheck]) -> list[str]:
    layers: dict[str, list[str]] = {}
    for check in missing:
        layers.setdefault(check.remedy, []).append(check.layer)
    lines = []
    for remedy, names in layers.items():
        lines += ["", f"  {', '.join(names)}:", textwrap.indent(remedy, "    ")]
    return lines
