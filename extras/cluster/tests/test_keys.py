"""Who reaches a worker runs programs on it: where workers listen, and who is refused. With real dask processes."""

import contextlib
import os
import re
import socket
import ssl
import stat
import subprocess
import time
from pathlib import Path

import distributed
import pytest
from cluster import ARENA, end, free_port, on

from arena.bots.system.orphans import descendants
from arena.errors import ArenaError
from arena_cluster.keys import host_for, make_keys, security_of

pytestmark = pytest.mark.process

LEAGUE = """
[contest]
name = "Locked"
game = "saloon"
isolation = "none"
[options]
max_turns = 4
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[stages]]
name = "all"
format = "round_robin"
games = 2
"""


def listening(pid):
    """Return the local addresses on which a process and those below it listen, over IPv4 and IPv6."""
    inodes = set()
    for process in descendants(pid):
        for descriptor in Path(f"/proc/{process}/fd").glob("*"):
            with contextlib.suppress(OSError):
                inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(descriptor)))
    found = []
    for table, family in (("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6)):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and words[9] in inodes:
                raw = bytes.fromhex(words[1].partition(":")[0])
                order = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
                found.append(socket.inet_ntop(family, order))
    return found


class Cluster:
    """A scheduler and one worker, until the test is over."""

    def __init__(self, folder, stack, keys=None):
        protocol = "tls" if keys else "tcp"
        self.address = f"{protocol}://127.0.0.1:{free_port()}"
        more = ["--keys", str(keys)] if keys else []
        self.log = folder / "worker.log"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        port = self.address.rpartition(":")[2]
        self.scheduler = subprocess.Popen([ARENA, "cluster", "scheduler", "--port", port, *more], **quiet)
        stack.callback(end, self.scheduler)
        with self.log.open("w") as log:
            self.worker = subprocess.Popen(
                [ARENA, "cluster", "worker", "--scheduler", self.address, "--slots", "1", *more],
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        stack.callback(end, self.worker)
        deadline = time.monotonic() + 90
        while "Working for" not in self.log.read_text():
            assert self.worker.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.1)


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster") / "keys"
    made = subprocess.run([ARENA, "cluster", "keys", str(folder)], capture_output=True, text=True, timeout=60)
    assert made.returncode == 0, made.stderr
    assert "arena cluster scheduler --host ADDRESS --keys" in made.stdout, "it says how to start a scheduler"
    return folder


@pytest.fixture(scope="module")
def locked(tmp_path_factory, keys):
    with contextlib.ExitStack() as stack:
        yield Cluster(tmp_path_factory.mktemp("locked"), stack, keys)


@pytest.mark.kill  # one more cluster
def test_without_keys_a_worker_of_a_loopback_scheduler_listens_on_loopback_only_and_warns(tmp_path):
    with contextlib.ExitStack() as stack:
        cluster = Cluster(tmp_path, stack)
        addresses = listening(cluster.worker.pid)
        assert len(addresses) >= 2, "the nanny and the worker"
        assert {address for address in addresses if not address.startswith("127.")} - {"::1"} == set()
        assert "Warning" in cluster.log.read_text()
        assert "arena cluster keys" in cluster.log.read_text()


@pytest.mark.kill  # one more cluster
def test_a_locked_worker_listens_on_loopback_only_and_does_not_warn(locked):
    addresses = listening(locked.worker.pid)
    assert len(addresses) >= 2
    assert {address for address in addresses if not address.startswith("127.")} - {"::1"} == set()
    assert "Warning" not in locked.log.read_text()


def test_keys_are_readable_by_their_owner_only_and_never_replaced(keys):
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    before = {path.name: path.read_bytes() for path in keys.iterdir()}
    assert set(before) == {"certificate.pem", "key.pem"}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in keys.iterdir())
    again = subprocess.run([ARENA, "cluster", "keys", str(keys)], capture_output=True, text=True, timeout=60)
    assert again.returncode == 6
    assert {path.name: path.read_bytes() for path in keys.iterdir()} == before


@pytest.mark.sandbox
def test_a_locked_cluster_plays_a_contest(locked, keys, tmp_path):
    (tmp_path / "contest.toml").write_text(LEAGUE)
    words = [*on(locked.address), "--engine-option", f"keys={keys}", "--no-check"]
    done = subprocess.run([ARENA, "contest", "run", *words], cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(list((tmp_path / "contest").rglob("*.arena"))) == 2


def greeting(address, keys=None):
    """Return what a port of Dask sends first to a TLS client with these keys; nothing where it is refused."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if keys:
        context.load_cert_chain(keys / "certificate.pem", keys / "key.pem")
    host, port = address.rpartition("/")[2].split(":")
    try:
        with context.wrap_socket(socket.create_connection((host, int(port)), 10)) as connection:
            return connection.recv(8)
    except (ssl.SSLError, ConnectionError):
        return b""


@pytest.mark.promise("cluster-keys")
def test_who_has_not_the_keys_is_refused(locked, keys, tmp_path):
    """By the scheduler, and by the ports of nanny and worker, to which work could be sent directly."""
    security = security_of(keys, locked.address)
    with distributed.Client(locked.address, security=security, timeout="30s", set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)
        workers = client.scheduler_info()["workers"]
    ports = [locked.address, *workers, *(worker["nanny"] for worker in workers.values())]
    assert len(ports) == 3
    make_keys(tmp_path / "other")
    for port in ports:
        assert greeting(port, keys), "the right keys"
        assert greeting(port) == b"", "no keys"
        assert greeting(port, tmp_path / "other") == b"", "the keys of another cluster"


@pytest.mark.promise("cluster-keys")
def test_who_does_not_speak_tls_is_refused(locked, keys):
    assert greeting(locked.address, keys), "it is there"
    plain = locked.address.replace("tls:", "tcp:")
    with pytest.raises(OSError):  # noqa: PT011 - reset or timed out
        distributed.Client(plain, timeout="5s", set_as_default=False).close()


@pytest.mark.parametrize(
    ("scheduler", "keyed", "words"), [("tls://127.0.0.1:1", False, "--keys"), ("tcp://127.0.0.1:1", True, "tls://")]
)
def test_keys_and_address_belong_together(keys, scheduler, keyed, words):
    with pytest.raises(ArenaError) as caught:
        security_of(keys if keyed else None, scheduler)
    assert words in caught.value.hint


def test_keys_that_are_not_there_are_one_message(tmp_path):
    with pytest.raises(ArenaError, match=r"certificate\.pem"):
        security_of(tmp_path, "tls://127.0.0.1:1")


def test_the_address_of_a_worker_is_the_one_towards_its_scheduler():
    assert host_for("tcp://127.0.0.1:8786") == "127.0.0.1"
    assert host_for("tcp://localhost:8786").startswith("127.")
