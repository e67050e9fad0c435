"""The page of `arena explain losses --html`: readable on a phone and on a large screen, in all colours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from shortened import shortened

from arena.cli import cli
from arena.study.coach.stored import save, stored

View = Callable[..., Any]

FAINT = """
(() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = numbers(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const found = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const color = element.namespaceURI.endsWith("svg") ? style.fill : style.color;
    const [dark, bright] = [light(numbers(color)), light(behind(element))].sort((a, b) => a - b);
    const ratio = (bright + 0.05) / (dark + 0.05);
    if (ratio < 4.5) found.push(`${texts.currentNode.data.trim()}: ${ratio.toFixed(2)}`);
  }
  return found;
})()
"""
"""The texts whose contrast with what is behind them is too low."""


@pytest.fixture
def page(explained_replay: Path, tmp_path: Path) -> str:
    """Write the page of a bot's losses: of the one that is explained."""
    out = tmp_path / "losses.html"
    save(stored(explained_replay) | {"player": 0}, explained_replay)
    run = CliRunner().invoke(cli, ["explain", "losses", str(tmp_path), "--bot", "Suicide", "--html", str(out)])
    assert run.exit_code == 0, run.output
    return out.as_uri()


@pytest.mark.parametrize(("width", "height"), shortened([(390, 844), (1440, 900), (3840, 2160)]))
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_can_be_read_everywhere(
    viewer: View, page: str, width: int, height: int, dark: bool, assert_accessible: Callable[[Any], None]
) -> None:
    view = viewer(width, height, dark=dark)
    view.page.goto(page)
    assert view.do("document.documentElement.scrollWidth - innerWidth") <= 0
    assert view.do(FAINT) == []
    assert_accessible(view.page)
    assert float(view.do("parseFloat(getComputedStyle(document.body).fontSize)")) >= max(14, width / 150)
    assert view.page.locator("main").bounding_box()["width"] >= 0.6 * width
    assert [request for request in view.requests if not request.startswith(("file:", "data:"))] == []


def test_the_page_says_the_cause_in_words_and_is_marked_up(viewer: View, page: str) -> None:
    view = viewer()
    view.page.goto(page)
    text = view.page.inner_text("main")
    assert "Suicide lost 1 of 1 matches" in text
    assert "You ran into your own body." in text
    assert "Out in turn 10: snake self collision." in text
    assert "last_snake" not in text
    assert view.do("document.documentElement.lang") == "en"
    assert view.page.get_by_role("main").count() == 1
    assert view.page.get_by_role("heading", level=1).count() == 1
    assert view.page.get_by_role("region").count() == 2, "the groups and each match are regions with names"
