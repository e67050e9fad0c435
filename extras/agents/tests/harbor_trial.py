"""A trial of a task without Docker: the agent's container and the verifier's, as root in bubblewrap.

As in Harbor, the verifier is a new container with its own system, ``/tests`` and Arena. Other than in Harbor, it gets
everything else that the agent left and not only the folder of the bot: ``/app``, ``/logs``, ``/root``, ``/tmp`` and the
environment variables. So these tests ask more of the verifier than a trial does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import arena_agents

ROOT = Path(arena_agents.__file__).parents[3]
SYSTEM = ("/usr", "/etc")
LINKS = ("/bin", "/sbin", "/lib", "/lib64")
CAPABILITIES = (
    "CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP NET_BIND_SERVICE SYS_CHROOT KILL "
    "AUDIT_WRITE"
)
"""Those of root in a container of Docker."""
LEFT = ("app", "logs", "root", "tmp")
"""What the agent can write, and the verifier sees."""


def container(writable: Path, binds: Mapping[Path, str], environment: Mapping[str, str]) -> list[str]:
    """Return the beginning of a command that runs in a container whose processes die with it."""
    command = ["bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-net", "--die-with-parent"]
    command += ["--dev", "/dev", "--proc", "/proc", "--dir", "/mnt", "--clearenv", "--cap-drop", "ALL"]
    for capability in CAPABILITIES.split():
        command += ["--cap-add", f"CAP_{capability}"]
    for path in SYSTEM:
        command += ["--ro-bind", path, path]
    for path in LINKS:
        command += ["--symlink", os.readlink(path), path] if Path(path).is_symlink() else ["--ro-bind", path, path]
    for name in LEFT:
        (writable / name).mkdir(parents=True, exist_ok=True)
        command += ["--bind", str(writable / name), f"/{name}"]
    shown = {**{path: str(path) for path in interpreter()}, **binds}
    for source, target in shown.items():
        for folder in reversed(Path(target).parents[:-1]):  # all users can reach them
            command += ["--dir", str(folder)]
        command += ["--ro-bind", str(source), target]
    for name, value in {"PATH": "/usr/bin:/bin", "HOME": "/root", **environment}.items():
        command += ["--setenv", name, value]
    return command


def interpreter() -> Iterator[Path]:
    """Yield the folders of Arena's sources and of the base Python, which the virtual environment needs."""
    yield ROOT
    if not sys.base_prefix.startswith("/usr"):
        yield Path(sys.base_prefix)


class Trial:
    """One agent's attempt at a task, and its verification."""

    def __init__(self, task: Path, folder: Path) -> None:
        self.task = task
        self.folder = folder
        self.environment: dict[str, str] = {}
        (folder / "logs/verifier").mkdir(parents=True)
        (folder / "tmp").mkdir()
        (folder / "tmp").chmod(0o1777)

    def agent(self, script: str) -> None:
        """Run a shell script as root in the agent's container, with `/solution` as for the oracle."""
        binds = {Path(sys.prefix): "/opt/arena", self.task / "solution": "/solution"}
        command = [*container(self.folder, binds, {}), "--chdir", "/app", "/bin/bash", "-c", script]
        subprocess.run(command, check=True, timeout=60, capture_output=True)

    def verify(self, seconds: float = 120.0) -> float | None:
        """Run the verifier. Return the reward; None if it wrote none."""
        binds = {Path(sys.prefix): "/opt/verifier", self.task / "tests": "/tests"}
        command = [*container(self.folder, binds, self.environment), "--chdir", "/app", "/tests/test.sh"]
        self.done = subprocess.run(command, timeout=seconds, capture_output=True, text=True)
        written = self.folder / "logs/verifier/reward.json"
        if written.is_symlink() or not written.is_file():
            return None
        document = json.loads(written.read_text())
        assert set(document) == {"reward"}, "nothing else counts"
        return float(document["reward"])
