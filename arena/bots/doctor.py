"""What `arena doctor` says of a machine's isolation: which layers work, why the others do not, and the exact remedy.

The self-test (`probe.py`) finds that a layer does not work, and the words of the program that failed. Why, it cannot
know: the same refusal comes from AppArmor, a sysctl, a container or a kernel without namespaces. So `gather_facts`
reads what the machine says of itself, and the functions `diagnose_...` decide by these facts alone. They are tested
with the facts of machines that the tests do not have.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.match.isolation import Isolation

PROFILE = """\
abi <abi/4.0>,
include <tunables/global>
profile bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
"""
"""Lets bubblewrap make user namespaces on Ubuntu from 23.10 on."""
APPARMOR_PROFILE = f"""\
sudo tee /etc/apparmor.d/bwrap <<'EOF'
{PROFILE}EOF
sudo apparmor_parser --replace /etc/apparmor.d/bwrap"""

INSTALL = {
    "debian": "sudo apt install bubblewrap",
    "ubuntu": "sudo apt install bubblewrap",
    "fedora": "sudo dnf install bubblewrap",
    "rhel": "sudo dnf install bubblewrap",
    "arch": "sudo pacman -S bubblewrap",
    "alpine": "sudo apk add bubblewrap util-linux",
    "suse": "sudo zypper install bubblewrap",
}


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """Facts about the machine.

    Attributes:
        wsl: The version of the Windows subsystem for Linux, 1 or 2; 0 elsewhere.
        distribution: The ids of the Linux distribution, most specific first, such as `ubuntu`, `debian`.
        most_namespaces: The limit for the number of user namespaces; None if the kernel has no user namespaces.
        apparmor_restricts: Whether AppArmor denies user namespaces to programs without a profile.
        unified: Whether only control groups version 2 are mounted.
    """

    system: str = "Linux"
    root: bool = False
    container: str = ""
    wsl: int = 0
    distribution: tuple[str, ...] = ()
    seccomp: bool = False
    bwrap: bool = True
    most_namespaces: int | None = 1
    apparmor_restricts: bool = False
    debian_denies: bool = False
    systemd: bool = False
    unified: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A cause, and what to do about it: usually a command."""

    cause: str
    remedy: str


PROTECTIONS = {
    "uid": "each seat has its own user id",
    "namespaces": "bubblewrap runs, with its own users, processes, network and files",
    "rlimits": "address space, processes, descriptors, file sizes, no core files",
    "landlock": "only the needed files can be reached",
    "seccomp": "dangerous system calls are refused",
    "cgroup memory": "the memory of all processes of a bot together is limited",
    "cgroup pids": "the number of processes of a bot is limited",
    "cgroup cpu": "the processor time of all processes of a bot is counted",
    "cgroup freeze": "a bot can be stopped during the opponent's turn",
}
"""What each layer does, if it works."""


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """One line of the doctor's report: what a layer does, or why it does not work and what to do."""

    layer: str
    holds: bool
    found: str
    remedy: str = ""


def checks(isolation: Isolation, facts: MachineFacts) -> Iterator[LayerCheck]:
    """Yield a check for each layer that the self-test of the sandbox has tried."""
    if facts.root and "uid" not in isolation.layers:
        yield LayerCheck("uid", False, "the bots would run as root")
    for layer in isolation.layers:
        if layer.startswith("landlock"):
            name, _, version = layer.partition(" ")
            yield LayerCheck(name, True, f"{PROTECTIONS[name]} (version {version})")
        else:
            yield LayerCheck(layer, True, PROTECTIONS[layer])
    for missing in isolation.missing:
        if missing.layer == "namespaces":
            diagnosis = diagnose_namespaces(facts, missing.reason)
            finding = diagnosis.cause
            if missing.reason not in ("", diagnosis.cause):
                finding += f" (bubblewrap said: {missing.reason})"
            yield LayerCheck(missing.layer, False, finding, diagnosis.remedy)
        elif missing.layer == "proc":
            diagnosis = diagnose_proc(facts)
            yield LayerCheck(missing.layer, False, f"bots have no /proc: {diagnosis.cause}", diagnosis.remedy)
        elif missing.layer.startswith("cgroup"):
            yield LayerCheck(missing.layer, False, missing.reason, diagnose_groups(facts).remedy)
        else:
            yield LayerCheck(missing.layer, False, missing.reason, missing.remedy)


def gather_facts(read: Callable[[str], str] | None = None) -> MachineFacts:
    """Collect the facts about this machine.

    Args:
        read: Returns the text of a file, empty if it cannot be read; by default, from the file system.
    """
    read = read or _read
    version = read("/proc/version").lower()
    release = dict(line.split("=", 1) for line in read("/etc/os-release").splitlines() if "=" in line)
    limit = read("/proc/sys/user/max_user_namespaces").strip()
    return MachineFacts(
        system=platform.system(),
        root=hasattr(os, "geteuid") and os.geteuid() == 0,
        container=_container(read),
        wsl=_wsl(version),
        distribution=tuple(f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".replace('"', "").split()),
        seccomp="Seccomp:\t2" in read("/proc/self/status"),
        bwrap=os.access("/usr/bin/bwrap", os.X_OK),
        most_namespaces=int(limit) if limit.isdigit() else None,
        apparmor_restricts=read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").strip() == "1",
        debian_denies=read("/proc/sys/kernel/unprivileged_userns_clone").strip() == "0",
        systemd=Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent"), "systemd", "private").exists(),
        unified=Path("/sys/fs/cgroup/cgroup.controllers").exists(),
    )


def _read(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _wsl(version: str) -> int:
    if "microsoft" not in version:
        return 0
    return 2 if "wsl2" in version else 1


def _container(read: Callable[[str], str]) -> str:
    if os.path.exists("/run/.containerenv"):
        return "podman"
    if os.path.exists("/.dockerenv"):
        return "docker"
    manager = read("/run/systemd/container").strip()
    return manager or ("kubernetes" if "kubepods" in read("/proc/1/cgroup") else "")


def diagnose_namespaces(facts: MachineFacts, words: str = "") -> Diagnosis:
    """Return why there are no namespaces. Causes come first if their remedy is needed whatever else is true.

    Args:
        words: What bubblewrap said.
    """
    if facts.system == "Darwin":
        return Diagnosis(
            "macOS has no namespaces",
            "Run untrusted bots in a Linux machine: colima, lima or Docker Desktop. Your own bots need no sandbox.",
        )
    if facts.system == "Windows":
        return Diagnosis(
            "Windows has no namespaces",
            "Install WSL 2 (wsl --install) and run arena inside it. Your own bots need no sandbox.",
        )
    if facts.wsl == 1:
        return Diagnosis("WSL 1 has no Linux kernel", "In Windows: wsl --set-version DISTRIBUTION 2")
    if not facts.bwrap:
        command = next((INSTALL[name] for name in facts.distribution if name in INSTALL), "")
        return Diagnosis("bubblewrap is not installed", command or "Install the package bubblewrap.")
    if facts.most_namespaces is None:
        return Diagnosis("this kernel is built without user namespaces", "Use a kernel with CONFIG_USER_NS=y.")
    if facts.most_namespaces == 0:
        return _sysctl("user.max_user_namespaces", 15000)
    if facts.debian_denies:
        return _sysctl("kernel.unprivileged_userns_clone", 1)
    if facts.apparmor_restricts and not facts.container:
        return Diagnosis("AppArmor lets only programs with a profile make user namespaces", APPARMOR_PROFILE)
    if "mount namespace" in words:  # `Stage`
        return Diagnosis(
            "root may not mount anything here: the capability CAP_SYS_ADMIN is missing",
            "Run arena as an ordinary user, or add --cap-add SYS_ADMIN to the command that starts the container.",
        )
    if facts.container or facts.seccomp:
        return _in_container(facts, words)
    return Diagnosis(words or "the reason is unknown", "Run bwrap --unshare-all --ro-bind / / true to see more.")


def _sysctl(name: str, value: int) -> Diagnosis:
    command = f"echo {name}={value} | sudo tee /etc/sysctl.d/90-arena.conf && sudo sysctl --system"
    return Diagnosis(f"the sysctl {name} is 0", command)


SHOW_PROC = {"docker": "--security-opt systempaths=unconfined", "podman": "--security-opt unmask=ALL"}
"""The options of a container in which nothing is mounted over parts of /proc."""


def _in_container(facts: MachineFacts, words: str) -> Diagnosis:
    container = facts.container
    if container in SHOW_PROC:
        defect = "hides parts of /proc" if "proc" in words else "forbids new namespaces"
        apparmor = "--security-opt apparmor=unconfined " if container == "docker" else ""
        options = f"--security-opt seccomp=unconfined {apparmor}{SHOW_PROC[container]}"
        return Diagnosis(f"this {container} container {defect}", f"{container} run {options} ...")
    if facts.container == "kubernetes":
        return Diagnosis(
            "this pod forbids new namespaces",
            "securityContext: seccompProfile: {type: Unconfined}, procMount: Unmasked",
        )
    if facts.container:
        return Diagnosis(f"this container ({facts.container}) forbids new namespaces", "Allow nested containers in it.")
    return Diagnosis(
        "a seccomp filter around this process forbids new namespaces",
        "Start arena outside of the service or container that sets the filter.",
    )


def diagnose_proc(facts: MachineFacts) -> Diagnosis:
    """Return why bots cannot have a /proc, and the remedy."""
    container = facts.container
    if container in SHOW_PROC:
        remedy = f"{container} run {SHOW_PROC[container]} ..."
        return Diagnosis(f"this {container} container hides parts of /proc", remedy)
    return Diagnosis("something is mounted over parts of /proc", "Unmount it; grep ' /proc/' /proc/mounts shows what.")


def diagnose_groups(facts: MachineFacts) -> Diagnosis:
    """Return why there are no control groups, and how to get them."""
    if facts.container in {"docker", "podman"}:
        mount = "--cgroupns=host --volume /sys/fs/cgroup:/sys/fs/cgroup:rw"
        return Diagnosis(
            "this container may not make control groups",
            f"Run arena as root inside, in a container started by: {facts.container} run {mount} ...",
        )
    if facts.root:
        return Diagnosis("control groups are not mounted writable", "sudo mount -o remount,rw /sys/fs/cgroup")
    if facts.systemd and facts.unified:
        return Diagnosis(
            "this session's control group is not delegated",
            "systemd-run --user --scope --unit=arena-$$ --property=Delegate=yes --quiet arena ...",
        )
    if facts.systemd:
        return Diagnosis(
            "control groups version 1 cannot be delegated to a user",
            "Boot with systemd.unified_cgroup_hierarchy=1, or run contests as root.",
        )
    return Diagnosis("an ordinary user gets control groups only from systemd", "Run contests as root.")
