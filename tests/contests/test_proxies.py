"""A contest behind the proxies of `arena contest install` and the documents, with TLS, on another port than 443."""

import contextlib
import re
import socket
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from contests_toys import archive
from server import Person, Server
from shortened import shortened

from arena.contests.installing import caddy_site

pytestmark = pytest.mark.process
NAME = "arena.example.org"
DOCUMENT = Path(__file__).parents[2] / "docs" / "a-term.md"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory, need_program):
    """The folder of a certificate that nobody has signed."""
    folder = tmp_path_factory.mktemp("tls")
    command = [need_program("openssl"), "req", "-x509", "-nodes", "-days", "1", "-subj", f"/CN={NAME}"]
    command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    command += ["-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem"]
    subprocess.run([*command, "-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1"], check=True, capture_output=True)
    return folder


def documented(first):
    """Return the block of the document that begins with this line."""
    blocks = re.findall(r"^```\w*\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if block.startswith(first))
    return block


@contextlib.contextmanager
def running(command, port):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            end = time.monotonic() + 30
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                assert process.poll() is None, process.stdout.read().decode()
                assert time.monotonic() < end
                time.sleep(0.05)
            yield
        finally:
            process.terminate()
            process.wait(30)


def nginx(folder, certificate, port, upstream, *, header="$http_host"):
    block = documented("server {")
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"), ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
        (f"/etc/letsencrypt/live/{NAME}", str(certificate)), ("Host $http_host", f"Host {header}"),
    ):  # fmt: skip
        assert old in block
        block = block.replace(old, new)
    places = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off; user root; pid {folder}/pid; error_log stderr;\nevents {{}}\n"
        f"http {{ access_log off;\n{places}\n{block}}}\n"
    )
    return ["nginx", "-p", str(folder), "-c", str(config)]


def caddy(folder, certificate, port, upstream):
    site = caddy_site(f"https://{NAME}")
    for old, new in (
        (f"{NAME} {{", f"https://{NAME}:{port} {{\ntls {certificate}/fullchain.pem {certificate}/privkey.pem"),
        ("127.0.0.1:8000", f"127.0.0.1:{upstream}"),
    ):
        assert old in site
        site = site.replace(old, new)
    config = folder / "Caddyfile"
    config.write_text(f"{{\nadmin off\nauto_https off\n}}\n{site}\n")
    return ["caddy", "run", "--config", str(config), "--adapter", "caddyfile"]


class Browser(Person):
    """Somebody who reaches the proxy by its name."""

    def __init__(self, port, place=f"https://{NAME}"):
        super().__init__(f"https://127.0.0.1:{port}", verify=False)
        self.headers.update({"host": f"{NAME}:{port}", "origin": f"{place}:{port}"})

    def request(self, *arguments, **settings):
        return super().request(*arguments, **settings | {"extensions": {"sni_hostname": NAME}})


def check_forms(server, port):
    """Join as the organizer, invite a team, join as its member, hand in a bot, and sign out."""
    with Browser(port) as organizer, Browser(port) as member, Browser(port, "https://evil.example") as other:
        organizer.join(server.invitation, "Olga")
        assert [one.secure for one in organizer.cookies.jar] == [True]
        done = organizer.press("/desk/invite", team="Red", role="member")
        [token] = re.findall(rf"https://{NAME}:{port}/join\?token=([\w-]+)", done.text)
        member.join(token, "Rita")
        done = member.submit(archive("\nBALLAST = '" + "x" * 2_000_000 + "'"))
        assert done.status_code == 201, done.text
        assert member.press("/sign-out").status_code == 303
        done = other.post("/join", data={"token": token, "name": "Eve"})
        assert done.status_code == 403
        assert "proxy" not in done.text


@contextlib.contextmanager
def contest(folder, *changes, options=()):
    """Start the server of a contest."""
    server = Server(folder, *changes, options=options)
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.parametrize(("program", "proxy"), shortened([("nginx", partial(nginx, header="$host")), ("caddy", caddy)]))
def test_all_forms_work_with_an_address_in_contest_toml(
    tmp_path, certificate, need_program, monkeypatch, program, proxy
):
    """Also where the proxy drops the port, as this nginx does."""
    need_program(program)
    monkeypatch.setenv("HOME", str(tmp_path))
    port = free_port()
    address = ('# address = "https://arena.example.org" ', f'address = "https://{NAME}:{port}" ')
    with contest(tmp_path, address) as server, running(proxy(tmp_path, certificate, port, server.port), port):
        check_forms(server, port)


@pytest.mark.kill  # one more proxy
def test_without_an_address_links_have_that_of_the_request_and_a_proxy_that_drops_the_port_is_named_as_the_cause(
    tmp_path, certificate, need_program
):
    need_program("nginx")
    port = free_port()
    with contest(tmp_path, options=("--name", NAME)) as server:
        command = nginx(tmp_path, certificate, port, server.port, header="$host")
        with running(command, port), Browser(port) as organizer:
            done = organizer.post("/join", data={"token": server.invitation, "name": "Olga"})
            assert done.status_code == 403
            assert f"This page has the address https://{NAME}:{port}, but the request was for {NAME}" in done.text
            assert "address` in contest.toml" in done.text
        with running(nginx(tmp_path, certificate, port, server.port), port):
            check_forms(server, port)
