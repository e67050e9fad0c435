"""``arena contest install``: make a contest a service of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import click

from arena.cli.contest.common import CONTEST
from arena.cli.output import say, say_lines
from arena.errors import ArenaError

_PATIENCE = 60.0
"""Seconds until the invitation of a server that has just started is missed: bots of the file are tried before."""


@click.command(short_help="Make the contest a service of this machine.")
@CONTEST
@click.option("--yes", is_flag=True, help="Do not ask before the machine is changed.")
@click.option("--undo", "take_back", is_flag=True, help="Take back what an earlier installation has done.")
def install(contest: Path, yes: bool, take_back: bool) -> None:
    """Make the contest a service of a Debian or Ubuntu with systemd, as root.

    The command first shows all that it will do. It installs bubblewrap, writes a unit with limits and a daily backup,
    and, where AppArmor needs it, a profile for bubblewrap. If [people] has an `address` with https, it also sets up
    Caddy, which gets certificates for that name; without an address, the contest is served on port 8000 of all
    addresses. At the end it prints how well bots are isolated, and the invitation for the organizer.
    """
    from arena.bots.doctor import gather_facts
    from arena.contests import installing
    from arena.contests.config_file import read_config_file
    from arena.contests.journal.files import folder_of

    if take_back:
        installing.undo(say)
        say("What was installed is taken back. Packages, backups and the contest itself are still there.")
        return
    contest = contest.resolve()
    config, _ = read_config_file(contest)
    address, facts = config.visible.address, gather_facts()
    installing.check_machine(contest, address)
    has_user = subprocess.run(["/usr/bin/id", installing.USER], capture_output=True, check=False).returncode == 0
    steps = installing.plan(
        installing.Installable(
            contest=contest,
            folder=folder_of(contest),
            arena=Path(sys.argv[0]).resolve(),
            owner=f"{contest.stat().st_uid}:{contest.stat().st_gid}",
            address=address,
            packages=installing.missing_packages(address),
            has_user=has_user,
            needs_profile=facts.apparmor_restricts,
        )
    )
    say("This will change the machine:")
    for step in steps:
        if step.file:
            say(f"  {'add to' if step.append else 'write'} {step.file}:")
            say_lines(textwrap.indent(step.text.strip("\n"), "      "))
        elif step.command:
            say(f"  run {' '.join(step.command)}")
    say("`arena contest install --undo` takes it back.")
    if not yes:
        click.confirm("Go on?", abort=True)
    began = int(time.time())
    installing.install(steps, say)
    _say_verdict()
    _say_invitation(address, began)


def _say_verdict() -> None:
    """Print how well the service isolates bots: as its user, in a control group like its own."""
    from arena.contests.installing import doctor_of_service

    unit = f"arena-doctor-{int(time.time())}"
    done = subprocess.run(doctor_of_service(sys.argv[0], unit), capture_output=True, text=True, check=False)
    subprocess.run(["journalctl", "--sync"], capture_output=True, check=False)
    read = ["journalctl", "--unit", unit, "--identifier", Path(sys.argv[0]).name, "--output", "cat", "--no-pager"]
    verdict = subprocess.run(read, capture_output=True, text=True, check=False)
    say_lines(verdict.stdout.rstrip() or done.stderr.rstrip())


def _say_invitation(address: str, began: int) -> None:
    from arena.contests.installing import PORT, UNIT

    read = ["journalctl", "--unit", UNIT, "--output", "cat", "--since", f"@{began}", "--no-pager"]
    lines, end = "", time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        lines = subprocess.run(read, capture_output=True, text=True, check=False).stdout
        if found := re.findall(r"join\?token=[\w-]+", lines):
            base = address or f"http://{_own_address()}:{PORT}"
            say(f"Invitation for the organizer: {base}/{found[-1]}")
            return
        count = ["systemctl", "show", "--property", "NRestarts", "--value", UNIT]
        restarts = subprocess.run(count, capture_output=True, text=True, check=False).stdout.strip()
        if restarts not in ("", "0", "1"):
            break
        time.sleep(0.5)
    say_lines("\n".join(line for line in lines.splitlines()[-12:] if "arena.service:" not in line), err=True)
    raise ArenaError("The server has not printed an invitation.", hint=f"Read: journalctl --unit {UNIT}")


def _own_address() -> str:
    """Return an address of this machine that others reach, as far as it can be known here."""
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    return found[0] if found else "localhost"


COMMANDS = (install,)
