"""``arena doctor``: check how well this machine isolates bots."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict

import click

from arena.bots.doctor.examination import Check, DoctorReport, examine_machine
from arena.cli.options import AS_JSON
from arena.cli.output import say_lines
from arena.match.isolation import check_level

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
    """Check how well this machine isolates bots, layer by layer.

    Bots attack the files, the network, other processes, the seccomp filter and the control groups. For the other
    layers, the command reports the results of the sandbox's self-test. It also runs the runtimes and compilers for bots
    in other languages in the sandbox, and names a faster Python if there is one.

    The exit code without --require is 0 at level 3, 13 at level 2, 12 at level 1, 11 at level 0.
    """
    report = examine_machine()
    say_lines(json.dumps(_document(report), indent=2) if as_json else _text(report))
    if require is not None:
        check_level(report.isolation, require)
    else:
        raise click.exceptions.Exit(_exit_code(report.isolation.level))


def _exit_code(level: int) -> int:
    return 0 if level == HIGHEST else 11 + level


def _document(report: DoctorReport) -> dict[str, object]:
    return {
        **report.isolation.to_document(),
        "checks": [asdict(check) for check in report.checks],
        "machine": asdict(report.facts),
        "runtimes": [asdict(runtime) for runtime in report.runtimes],
        "slow": [asdict(one) for one in report.slow],
    }


def _text(report: DoctorReport) -> str:
    width = max(len(check.layer) for check in report.checks)
    lines = [f"Isolation of bots on this machine: {report.isolation.name}"]
    lines += [MEANINGS[report.isolation.level], ""]
    for check in report.checks:
        lines.append(f"  {'holds  ' if check.holds else 'MISSING'}  {check.layer:{width}}  {check.found}")
    lines += ["", "Runtimes and compilers, as bots can use them:", ""]
    lines += [f"  {'works ' if one.works else 'FAILS '}  {one.name:{width}}  {one.found}" for one in report.runtimes]
    missing = [check for check in report.checks if not check.holds and check.remedy]
    if missing:
        lines += ["", "To get what is missing:"]
        lines += _remedies(missing)
    if report.slow:
        lines += ["", "Matches could be faster:"]
        lines += [line for one in report.slow for line in ("", f"  {one.cause}:", f"    {one.remedy}")]
    return "\n".join(lines)


def _remedies(missing: list[Check]) -> list[str]:
    layers: dict[str, list[str]] = {}
    for check in missing:
        layers.setdefault(check.remedy, []).append(check.layer)
    lines = []
    for remedy, names in layers.items():
        lines += ["", f"  {', '.join(names)}:", textwrap.indent(remedy, "    ")]
    return lines
