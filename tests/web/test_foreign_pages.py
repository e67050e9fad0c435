"""What a page of another site, or another user of the machine, can reach on our servers: nothing."""

from __future__ import annotations

import http.server
import json
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.game import registry

Start = Callable[..., Any]
SERVERS = ["start page", "viewer", "editor", "contest"]
every_server = pytest.mark.parametrize("server", SERVERS, indirect=True)


def talk(port: int, data: bytes, *, closes: bool = True) -> bytes:
    """Sends bytes over one connection; returns the whole answer, after which the server must close if ``closes``."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(data)
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
                connection.settimeout(30 if closes else 0.5)  # a server waits 5 s for the rest of a body
        except TimeoutError:
            assert answer
            assert not closes, f"the connection stays open after {answer[:60]!r}"
        except ConnectionResetError:
            pass
        return answer


def request(line: str, body: bytes = b"", **headers: str) -> bytes:
    """One request; underscores in the names of headers become hyphens."""
    length = {"Content-Length": str(len(body))} if body else {}
    lines = [f"{line} HTTP/1.1", *(f"{name.replace('_', '-')}: {value}" for name, value in (length | headers).items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def saving(site: Any, name: str, **headers: str) -> bytes:
    """The request by which the editor's own page saves a map."""
    editor = registry.load("laser_flag").editor
    assert editor is not None
    body = json.dumps({"document": editor.blank({}), "name": name, "replace": True}).encode()
    host = f"127.0.0.1:{site.port}"
    return request(f"POST {site.root}/save/laser_flag", body, Host=host, Content_Type="application/json", **headers)


def own(site: Any) -> str:
    return f"http://127.0.0.1:{site.port}"


@pytest.mark.process
@pytest.mark.parametrize("server", ["start page", "editor"], indirect=True)
def test_the_page_of_the_editor_saves(server: Any) -> None:
    answer = talk(server.port, saving(server, "fine.json", Origin=own(server), Connection="close"))
    assert answer.startswith(b"HTTP/1.1 200"), answer
    assert (server.folder / "fine.json").exists()


@pytest.mark.process
@every_server
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", ""])
@pytest.mark.promise("hidden-requests")
def test_a_request_hidden_in_a_refused_one_is_never_read(server: Any, origin: str) -> None:
    hidden = saving(server, "smuggled.json")
    outer = request(
        f"POST {server.root}/save/laser_flag",
        hidden,
        Host=f"127.0.0.1:{server.port}",
        Origin=origin or own(server),
        Content_Type="text/plain",
    )
    answer = talk(server.port, outer)
    assert answer.startswith((b"HTTP/1.1 4", b"HTTP/1.1 501")), answer
    assert answer.count(b"HTTP/1.1 ") == 1
    assert not (server.folder / "smuggled.json").exists()


@pytest.mark.process
@every_server
@pytest.mark.parametrize(
    "line", ["GET /", "GET /nothing", "POST /stop/0", "PUT /", "POST /check/laser_flag", "OPTIONS /save/laser_flag"]
)
@pytest.mark.promise("hidden-requests")
def test_a_body_that_nobody_wants_is_no_second_request(server: Any, line: str) -> None:
    method, path = line.split(" ")
    hidden = saving(server, "smuggled.json", Origin=own(server))
    outer = request(f"{method} {server.root}{path}", hidden, Host=f"127.0.0.1:{server.port}")
    answer = talk(server.port, outer, closes=False)
    assert answer.count(b"HTTP/1.1 ") == 1
    assert not (server.folder / "smuggled.json").exists()


CHUNKED = "Transfer-Encoding: chunked"
LENGTH = "Content-Length: 5"


@pytest.mark.process
@every_server
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("header", "body"),
    [
        ([LENGTH, CHUNKED], "0\r\n\r\n"),
        ([CHUNKED, LENGTH], "0\r\n\r\n"),
        (["Transfer-Encoding:\r\n chunked", LENGTH], "0\r\n\r\n"),
        ([LENGTH, "Content-Length: 6"], "hello"),
        (["Content-Length: 5, 6"], "hello"),
        (["Content-Length: +5"], "hello"),
        ([CHUNKED, CHUNKED], "0\r\n\r\n"),
        (["Transfer-Encoding: identity, chunked"], "0\r\n\r\n"),
        (["Transfer-Encoding : chunked"], "0\r\n\r\n"),
        ([f"X: a\r{LENGTH}"], "hello"),
    ],
)
@pytest.mark.promise("two-lengths")
def test_a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read(
    server: Any, method: str, header: list[str], body: str
) -> None:
    """A proxy could see other requests than the server, and let through one that it should refuse."""
    host = f"127.0.0.1:{server.port}"
    lines = [f"{method} {server.root}/ HTTP/1.1", f"Host: {host}", *header, "", body]
    answer = talk(server.port, "\r\n".join(lines).encode() + request(f"GET {server.root}/", Host=host))
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.process
@pytest.mark.parametrize("server", ["editor"], indirect=True)
@pytest.mark.parametrize("body", ["5;" + "a" * 200_000, "5;a\nhello", "5\r\nhelloXX0\r\n", "0\r\nX: " + "a" * 200_000])
def test_the_body_of_a_chunked_request_has_an_end(server: Any, body: str) -> None:
    host = f"127.0.0.1:{server.port}"
    lines = [f"GET {server.root}/ HTTP/1.1", f"Host: {host}", CHUNKED, "", body]
    answer = talk(server.port, "\r\n".join(lines).encode())
    assert answer.count(b"HTTP/1.1 ") <= 1


@pytest.mark.process
@pytest.mark.parametrize("server", ["start page", "editor"], indirect=True)
@pytest.mark.parametrize("path", ["save", "play", "check"])
@pytest.mark.promise("foreign-pages")
def test_what_changes_something_needs_an_origin(server: Any, path: str) -> None:
    raw = saving(server, "quiet.json").replace(b"/save/", f"/{path}/".encode(), 1)
    assert talk(server.port, raw).startswith(b"HTTP/1.1 403")
    assert not (server.folder / "quiet.json").exists()


@pytest.mark.process
@pytest.mark.parametrize("server", ["start page", "viewer", "editor"], indirect=True)
@pytest.mark.parametrize("key", ["", "/", "/wrong-key-wrong-key-00", "{root}x", "//{root}", "{short}"])
@pytest.mark.promise("other-users")
def test_every_address_needs_the_key(server: Any, key: str) -> None:
    root = key.format(root=server.root, short=server.root[:-1])
    for path in ("/", "/view/0", "/replay/0", "/edit/laser_flag", "/viewer/main.js"):
        answer = talk(server.port, request(f"GET {root}{path}", Host=f"127.0.0.1:{server.port}"))
        assert answer.startswith((b"HTTP/1.1 403", b"HTTP/1.1 400")), answer[:99]
        assert server.root.strip("/").encode() not in answer
    order = saving(server, "keyless.json", Origin=own(server)).replace(server.root.encode(), root.encode(), 1)
    assert talk(server.port, order).startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    assert not (server.folder / "keyless.json").exists()


@pytest.mark.process
@pytest.mark.promise("other-users")
def test_every_run_has_its_own_key(start: Start, tmp_path: Path) -> None:
    keys = {start(tmp_path, "view", "--no-browser").root for _ in range(2)}
    assert len(keys) == 2
    assert all(len(key) > 20 for key in keys)


@pytest.mark.process
@pytest.mark.promise("rebinding")
def test_the_live_page_of_a_contest_answers_to_the_names_that_it_is_given(
    start: Start, sites: Callable[[str], Any]
) -> None:
    serve = ("contest", "serve", "--show-only", "--port", "0", "--host", "0.0.0.0")
    site = start(sites("contest").folder, *serve, "--name", "arena.example.org")
    assert "0.0.0.0" not in site.url, "an address that others can open"
    hosts = {"arena.example.org": b"200", "arena.example.org:80": b"200", "10.0.0.7:8000": b"200", "[fe80::1]": b"200"}
    hosts |= {"evil.example.org": b"403", "10.0.0.7.evil.example": b"403"}
    for host, status in hosts.items():
        answer = talk(site.port, request("GET /", Host=host, Connection="close"))
        assert answer.split(b" ")[1] == status, host


@pytest.mark.process
@every_server
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "", "[::1", "localhost@evil.example"],
)
@pytest.mark.promise("rebinding")
def test_a_foreign_name_for_this_machine_is_refused(server: Any, host: str) -> None:
    for path in (server.root + "/", server.root + "/viewer/main.js", "/nothing"):
        raw = request(f"GET {path}", Host=host.format(port=server.port))
        assert talk(server.port, raw).startswith((b"HTTP/1.1 403", b"HTTP/1.1 400"))
    raw = request(f"GET {server.root}/", Host=f"127.0.0.1:{server.port}", Connection="close")
    assert talk(server.port, raw).startswith((b"HTTP/1.1 200", b"HTTP/1.1 303"))


ATTACK = """<!doctype html><script>
  const post = (type) =>
    fetch("{target}", {{ method: "POST", mode: "no-cors", headers: {{ "Content-Type": type }}, body: {body} }});
  Promise.allSettled([post("text/plain"), post("text/plain")]).then(() => (document.title = "done"));
</script>"""


@pytest.fixture
def evil() -> Iterator[Callable[[str], str]]:
    """Serves one page on another origin; returns its address."""
    pages: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(pages[0])

        def log_message(self, *words: Any) -> None: ...

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def serve(page: str) -> str:
        pages.append(page.encode())
        return f"http://localhost:{served.server_address[1]}/"

    yield serve
    served.shutdown()
    served.server_close()


@pytest.mark.browser
@pytest.mark.parametrize("server", ["start page", "editor"], indirect=True)
@pytest.mark.promise("foreign-pages")
def test_a_visited_page_writes_no_file_through_chromium(server: Any, browser: Any, evil: Callable[[str], str]) -> None:
    hidden = saving(server, "package.json").decode()
    target = f"http://127.0.0.1:{server.port}{server.root}/save/laser_flag"
    page = browser.new_page()
    page.goto(evil(ATTACK.format(target=target, body=json.dumps(hidden))))
    page.wait_for_selector("title", state="attached")
    while page.title() != "done":
        page.wait_for_timeout(20)
    page.wait_for_timeout(300)
    page.close()
    assert not (server.folder / "package.json").exists()
