"""The page for everybody: accessible, by keys alone, on a phone, from a link of the documentation."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from visit import Playground, served

from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena_playground import export, link, pyodide
from arena_playground.export import contents

ROOT = Path(__file__).parents[3]
Start = Callable[..., Playground]
Shared = Callable[[str], Playground]
STILL = """
new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.all(document.getAnimations().map((one) => one.finished)))
  .then(() => true)
"""
HELPED = """\
import helpful
from saloon import AI


class Bot(AI):
    def run_turn(self):
        print(helpful.ANSWER)
"""
BROKEN = "from saloon import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        print('hello')\n        1 / 0\n"


@pytest.mark.kill  # seven steps with axe
def test_each_step_is_accessible_and_fits_light_and_dark(
    shared: Shared, assert_accessible: Callable[[Any], None]
) -> None:
    page = shared("saloon")
    ways = itertools.cycle(((1280, "light"), (390, "dark")))

    def fits() -> None:
        page.do("page.board?.match && page.board.work.then(() => page.board.seek(100000))")
        width, scheme = next(ways)
        page.page.set_viewport_size({"width": width, "height": 800})
        page.page.emulate_media(color_scheme=scheme)
        for frame in page.page.frames:
            if frame.url != "about:srcdoc":  # the hidden frames of Python draw nothing
                frame.evaluate(STILL)  # colours that fade in have no contrast yet
        assert page.do("document.documentElement.scrollWidth - innerWidth") <= 0
        assert_accessible(page.page)

    fits()
    page.run()
    fits()
    for tab in ("many", "ladder"):
        page.page.click(f"#tab-{tab}")
        fits()
    page.play(BROKEN)
    assert "ZeroDivisionError" in page.output
    fits()
    page.page.click("details.menu summary")
    fits()
    page.page.click("details.menu summary")
    page.page.select_option("#opponent", "by hand")
    page.write(page.do("page.game.files['main.py']"))
    page.run()
    assert "Your move" in page.output
    fits()
    assert page.faults == []


@pytest.mark.kill  # the clicks of other tests press the same buttons
def test_by_keys_alone(shared: Shared) -> None:
    """Write, run, read, climb and play by hand without a pointer."""
    page = shared("saloon")
    press = page.page.keyboard.press

    def reach(selector: str) -> None:
        """Press Tab until an element has the focus."""
        for _ in range(60):
            if page.do("(selector) => Boolean(document.activeElement?.matches(selector))", selector):
                return
            if page.do("document.activeElement?.id === 'editor'"):
                press("Escape")
            press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")

    reach("#editor")
    press("Control+End")
    page.page.keyboard.insert_text("\n        print('by keys')\n")
    assert "by keys" in page.do("page.editor.code")
    played = page.do("page.played")
    press("Control+Enter")
    page.until(f"page.played > {played}")
    assert "by keys" in page.output
    reach("#tab-output")
    press("ArrowLeft")
    assert page.page.is_visible("#ladder")
    reach("#ladder button")
    press("Enter")
    page.until("page.store.beaten.includes('rowdy')")
    page.until("!document.getElementById('run').disabled")
    reach("#opponent")
    page.page.keyboard.type("yourself")
    assert page.page.input_value("#opponent") == "by hand"
    played = page.do("page.played")
    reach("#run")
    press("Enter")
    page.until(f"page.played > {played}")
    page.until("document.activeElement?.type === 'search'")
    press("Escape")
    press("e")
    page.until(f"page.played > {played + 1}")
    assert page.faults == []


def test_the_first_boss_is_beaten_by_following_the_page(shared: Shared) -> None:
    """What the first text of the page says is enough, and takes no time."""
    page = shared("saloon")
    assert "first three minutes" in page.output
    page.page.click("#output button:text('Run')")
    page.until("page.played > 0")
    page.do("page.open()")
    page.page.click("#output button:text('Ladder')")
    page.page.click("#ladder button:text('Challenge')")
    page.until("page.store.beaten.length === 1")
    assert "is beaten" in page.status


@pytest.mark.kill  # one more Python starts for each document
def test_links_of_the_documentation_open_with_the_code_of_their_page(playground: Start) -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    import mkdocs_playground

    text = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0]
    html = '<a class="try" data-game="saloon" href="playground.html">Try it now</a>'
    found = mkdocs_playground.on_page_content(html, SimpleNamespace(markdown=text, url="tutorial.html"))  # type: ignore[arg-type]
    address = re.findall('href="([^"]*)"', found)[0].replace("&amp;", "&")
    assert address == f"playground/index.html{link('saloon', code)}"
    page = playground(address.removeprefix("playground/index.html"))
    assert page.do("page.editor.code") == code
    assert page.run().startswith("shared wins")


@pytest.mark.kill  # one more playground is built and opened
def test_an_author_tries_a_new_game(tmp_path: Path, browser: Any) -> None:
    """What `arena new-game` writes plays in the page at once, also by hand."""
    arena = Path(sys.executable).parent / "arena"
    subprocess.run([arena, "new-game", "hop"], cwd=tmp_path, check=True, capture_output=True)
    info = tmp_path / "hop" / "hop-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hop\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nhop = arena_hop:GAME\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "hop")}
    command = [arena, "playground", "export", "site", "-g", "hop"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with served(tmp_path / "site") as address:
        page = Playground(browser.new_page()).open(address)
        assert "wins" in page.run(), page.output
        page.page.select_option("#opponent", "by hand")
        page.run()
        assert "Your move" in page.output
        page.page.close()


@pytest.fixture
def needy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Snakes need a package that the browser does not have."""
    real = metadata.entry_points

    def points(**wanted: str) -> Any:
        if wanted["group"] != "arena.games":
            return real(**wanted)
        distribution = SimpleNamespace(
            requires=["numpy>=2; python_version > '3'", "arena-referee==1", "x; extra == 'y'"]
        )
        return [
            SimpleNamespace(name=one.name, value=one.value, dist=distribution if one.name == "snakes" else one.dist)
            for one in real(**wanted)
        ]

    monkeypatch.setattr(metadata, "entry_points", points)


@pytest.mark.usefixtures("needy")
def test_a_game_that_needs_more_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ArenaError) as error:
        export(tmp_path, ["snakes"])
    assert error.value.message == "Snakes cannot be played in the browser: it needs numpy."
    assert "arena_playground.fetch numpy" in error.value.hint
    index = contents([find_game("saloon"), find_game("snakes")])["index.html"].decode()
    assert "Snakes (needs numpy)" in index
    monkeypatch.setattr(pyodide, "WHEELS", tmp_path)
    (tmp_path / "numpy-9-py3-none-any.whl").write_bytes(b"")
    parts = contents([find_game("snakes")])
    assert "python/numpy.bin" in parts
    assert "needs numpy" not in parts["index.html"].decode()


@pytest.mark.kill  # `make kill-test`: two more playgrounds are built and opened
def test_a_wheel_is_taken_along_and_refused_if_it_does_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Any
) -> None:
    monkeypatch.setattr(pyodide, "WHEELS", tmp_path / "wheels")
    wheel = tmp_path / "helpful-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        out.writestr("helpful.py", "ANSWER = 42\n")
        out.writestr("helpful-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: helpful\nVersion: 1.0\n")
    pyodide.add(str(wheel))
    export(tmp_path / "site", ["saloon"])
    with served(tmp_path / "site") as address:
        page = Playground(browser.new_page()).open(address)
        page.play(HELPED)
        assert "42" in page.output, page.output
        page.page.close()
    other = wheel.rename(tmp_path / "helpful-1.0-cp311-cp311-manylinux_2_28_x86_64.whl")
    with pytest.raises(OSError, match="not for the browser"):
        pyodide.add(str(other))
    false = tmp_path / pyodide._known("numpy")["file_name"]
    false.write_bytes(b"something else")
    with pytest.raises(OSError, match="hash is another one"):
        pyodide.add(str(false))
    command = [sys.executable, "-m", "arena_playground.fetch", "no_such.whl"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "cannot be added" in done.stderr
    assert "Traceback" not in done.stderr
