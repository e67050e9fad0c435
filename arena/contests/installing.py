"""Install a contest as a service of a Debian or Ubuntu machine: the steps, and how to take them back.

`plan` says from facts what will be done, before anything is done. `install` does it, and keeps a record before each
step, so that `undo` takes back what was done, also after a failure. Files are restored; packages stay.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from arena.bots.doctor import PROFILE
from arena.errors import ArenaError, ExitCode
from arena_replays.files import replace_file

USER = "arena"
UNIT = "arena.service"
PORT = 8000
_RECORD = Path("/var/lib/arena-install.json")
_BACKUPS = Path("/var/backups/arena")
_APPARMOR = Path("/etc/apparmor.d/bwrap")
_CADDY = Path("/etc/caddy/Caddyfile")

_SERVICE = """\
[Unit]
Description=Arena contest
Wants=network-online.target
After=network-online.target

[Service]
User={user}
WorkingDirectory={folder}
CacheDirectory=arena
Environment=XDG_CACHE_HOME=/var/cache/arena
ExecStart={arena} contest serve {contest} --host {host} --port {port}
Restart=always
RestartSec=2
# Bots get control groups of their own below that of the service.
Delegate=yes
OOMPolicy=continue
MemoryMax=90%
TasksMax=16384
LimitNOFILE=65536

[Install]
WantedBy=multi-user.target
"""
_BACKUP = """\
[Unit]
Description=Backup of the Arena contest

[Service]
Type=oneshot
User={user}
ExecStart=/bin/sh -c '{arena} contest backup {backups}/$$(date +%%Y-%%m-%%d-%%H%%M%%S).tar {contest}'
ExecStartPost=/usr/bin/find {backups} -name "*.tar" -mtime +14 -delete
"""
_TIMER = """\
[Unit]
Description=Daily backup of the Arena contest

[Timer]
OnCalendar=daily
Persistent=true

[Install]
WantedBy=timers.target
"""


class InstallStep(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the machine: a command, or a file.

    Attributes:
        command: The command; empty if a file is written.
        undo: The command that takes it back; empty if nothing does.
        file: The path of the file.
        text: Its new text, or what is added at its end.
        append: Whether the text is added.
        before: The text that the file had, once it is written; None if it was not there.
    """

    command: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()
    file: str = ""
    text: str = ""
    append: bool = False
    before: str | None = None


@dataclass(frozen=True, slots=True)
class Installable:
    """What the plan depends on.

    Attributes:
        packages: The packages of the distribution that are missing.
        has_user: Whether the user of the service exists.
        needs_profile: Whether AppArmor denies user namespaces to bubblewrap.
        address: The address of the contest in `[people]`; empty to serve on all addresses, without TLS.
        arena: The path of the command.
        owner: The numbers of user and group that own the contest now, such as `0:0`.
    """

    contest: Path
    folder: Path
    arena: Path
    owner: str = "0:0"
    address: str = ""
    packages: tuple[str, ...] = ()
    has_user: bool = False
    needs_profile: bool = False


def plan(machine: Installable) -> list[InstallStep]:
    """Return the steps of an installation, in their order."""
    proxied = bool(machine.address)
    words = {
        "user": USER,
        "arena": machine.arena,
        "contest": machine.contest,
        "folder": machine.contest.parent,
        "host": "127.0.0.1" if proxied else "0.0.0.0",
        "port": PORT,
        "backups": _BACKUPS,
    }
    units = {UNIT: _SERVICE, "arena-backup.service": _BACKUP, "arena-backup.timer": _TIMER}
    steps = [InstallStep(undo=("systemctl", "daemon-reload"))]
    if machine.packages:
        steps += [
            InstallStep(command=("apt-get", "update")),
            InstallStep(command=("apt-get", "install", "-y", *machine.packages)),
        ]
    if not machine.has_user:
        add = ("useradd", "--system", "--user-group", "--home-dir", "/nonexistent", "--shell", "/usr/sbin/nologin")
        steps.append(InstallStep(command=(*add, USER), undo=("userdel", USER)))
    for folder in (machine.folder, _BACKUPS):
        made = ("install", "--directory", "--owner", USER, "--group", USER, "--mode", "700", str(folder))
        steps.append(InstallStep(command=made))
    for path in (str(machine.contest), str(machine.folder)):
        give = ("chown", "--recursive", f"{USER}:{USER}", path)
        steps.append(InstallStep(command=give, undo=("chown", "--recursive", machine.owner, path)))
    if machine.needs_profile:
        steps.append(InstallStep(file=str(_APPARMOR), text=PROFILE))
        load = ("apparmor_parser", "--replace", str(_APPARMOR))
        steps.append(InstallStep(command=load, undo=("apparmor_parser", "--remove", str(_APPARMOR))))
    steps += [
        InstallStep(file=f"/etc/systemd/system/{name}", text=text.format(**words)) for name, text in units.items()
    ]
    if proxied:
        site = caddy_site(machine.address)
        steps.append(InstallStep(undo=("systemctl", "reload", "caddy")))
        steps.append(InstallStep(file=str(_CADDY), text=site, append=True))
        steps.append(InstallStep(command=("systemctl", "reload-or-restart", "caddy")))
    steps.append(InstallStep(command=("systemctl", "daemon-reload")))
    for name in (UNIT, "arena-backup.timer"):
        start = ("systemctl", "enable", "--now", name)
        steps.append(InstallStep(command=start, undo=("systemctl", "disable", "--now", name)))
    return steps


def caddy_site(address: str) -> str:
    """Return what the configuration of Caddy gets, so that a contest is served at an address, with TLS."""
    return f"\n{urlsplit(address).netloc} {{\n\treverse_proxy 127.0.0.1:{PORT}\n}}\n"


def doctor_of_service(arena: str, unit: str) -> list[str]:
    """Return the command that runs `arena doctor` as the service does; the journal of the unit has what it says.

    To read it from a pipe needs D-Bus, which a minimal Debian does not have.
    """
    once = ("systemd-run", "--quiet", "--collect", "--service-type=oneshot", f"--unit={unit}")
    return [*once, f"--uid={USER}", "--property=Delegate=yes", arena, "doctor"]


def missing_packages(address: str) -> tuple[str, ...]:
    """Return the packages of the distribution that the contest needs, and that are not here."""
    programs = {"bubblewrap": "bwrap", **({"caddy": "caddy"} if address else {})}
    return tuple(package for package, program in programs.items() if shutil.which(program) is None)


def check_machine(contest: Path, address: str) -> None:
    """Raise `ArenaError` if this machine or the place of the contest does not fit."""
    docs = "docs/a-term.md has the unit and the proxy to set up by hand; Containerfile is for containers."
    if not Path("/run/systemd/system").is_dir() or shutil.which("apt-get") is None:
        raise ArenaError("This is no Debian or Ubuntu that systemd runs.", hint=docs, exit_code=ExitCode.NOT_INSTALLED)
    if os.geteuid() != 0:
        raise ArenaError("Only root can install a service.", hint="Run it with sudo.", exit_code=ExitCode.CANNOT_WRITE)
    if _RECORD.exists():
        raise ArenaError(f"{_RECORD} says that a contest is installed here.", hint="First add --undo.")
    if address and shutil.which("nginx"):
        raise ArenaError("nginx serves this machine already.", hint=docs)
    if address and urlsplit(address).scheme != "https":
        raise ArenaError(f"The address {address} is not https.", hint="Correct `address` in [people], or remove it.")
    if closed := [str(parent) for parent in contest.parents if not parent.stat().st_mode & 0o001]:
        reason = f"The user {USER} could not enter {closed[-1]}."
        raise ArenaError(reason, hint="Move the contest into a folder such as /srv/contest.")


def install(steps: Sequence[InstallStep], say: Callable[[str], None]) -> None:
    """Carry out the steps. Each is recorded before it is done."""
    done: list[InstallStep] = []
    for step in steps:
        if step.file:
            path = Path(step.file)
            before = path.read_text(encoding="utf-8") if path.exists() else None
            step = msgspec.structs.replace(step, before=before)
        done.append(step)
        replace_file(_RECORD, msgspec.json.encode(done), sync=True)
        if step.file:
            say(f"  writes {step.file}")
            replace_file(Path(step.file), ((step.before or "") * step.append + step.text).encode(), sync=True)
            Path(step.file).chmod(0o644)
        elif step.command:
            _run(step.command, say)


def undo(say: Callable[[str], None]) -> None:
    """Take back what an installation has done, the last step first, and forget it."""
    if not _RECORD.exists():
        raise ArenaError("No contest is installed on this machine.", hint="`arena contest install` installs one.")
    for step in reversed(msgspec.json.decode(_RECORD.read_bytes(), type=list[InstallStep])):
        if step.file and step.before is None:
            say(f"  removes {step.file}")
            Path(step.file).unlink(missing_ok=True)
        elif step.file:
            say(f"  restores {step.file}")
            replace_file(Path(step.file), (step.before or "").encode(), sync=True)
            Path(step.file).chmod(0o644)
        elif step.undo:
            _run(step.undo, say, must=False)
    _RECORD.unlink()


def _run(command: tuple[str, ...], say: Callable[[str], None], *, must: bool = True) -> None:
    say("  " + " ".join(command))
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0 and must:
        raise ArenaError(
            f"`{' '.join(command)}` failed: {(done.stderr or done.stdout).strip()[-600:]}",
            hint="Fix the cause, take back what was done with `arena contest install --undo`, and try again.",
        )
