"""Two worlds that differ only in the final, which no step has shown: nobody but organizers can tell them apart."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from shortened import shortened
from worlds import Matches, Points, World, crawl, do, world_in

from arena.contests.report.export import export
from arena.contests.report.visible_contest import VisibleContest

pytestmark = pytest.mark.process
AT = "2026-11-29T20:00:00.000+00:00"
READERS = ("anybody", "a display", "of Red", "of Green", "spectator")


Cookies = dict[str, dict[str, str]]


def differences(worlds: list[World], who: str, cookies: Cookies, *, forms: bool = False) -> list[str]:
    """Return the addresses and forms by which a reader gets something else in the other world."""
    played = [world.contest.state.played.values() for world in worlds]
    ids = {match.id for matches in played for match in (*matches[:1], *matches[3:5], *matches[-3:])}
    one, other = (crawl(world, sorted(ids), cookies[who], forms=forms) for world in worlds)
    assert len(one) > 150
    assert any(address.startswith("POST") for address in one) == forms
    return [address for address in {**one, **other} if one.get(address) != other.get(address)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], dict[str, dict[str, str]]]:
    """The folders of both worlds, and the cookies of their readers.

    In one world Red has won the grand final, and the cup is over. In the other, Red has lost it, and has won a second
    one; the organizer has corrected it. All entries after the final are the same otherwise, at the same time.
    """
    folder, matches = tmp_path_factory.mktemp("worlds"), Matches(tmp_path_factory.mktemp("matches"))
    (folder / "one").mkdir()
    with world_in(folder / "one", matches, begin=True) as world:
        cookies = world.sessions()
    shutil.copytree(folder / "one", folder / "other")
    for name in ("one", "other"):
        with world_in(folder / name, matches) as world:
            final = world.next_of_cup()
            other = next(team for team in final.names if team != "Red")
            played = world.play(final, "Red" if name == "one" else other)
            if name == "other":
                world.play(world.next_of_cup(), "Red")
                do(world.contest, "correct", played, points="0.25 0.75")
            world.ladder("Red", "Gold")
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("arena.contests.people.organizer_acts.now", lambda: AT)
                do(world.contest, "announce")
    return [folder / "one", folder / "other"], cookies


@contextlib.contextmanager
def opened(paths: list[Path]) -> Iterator[list[World]]:
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(world_in(path, Points())) for path in paths]


def exported(world: World, folder: Path) -> dict[str, bytes]:
    """Return the files of an export for everybody."""
    paths = export(VisibleContest.of(world.contest.state), world.contest.folder, folder, None)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.promise("held-results")
@pytest.mark.parametrize("readers", shortened([(READERS[:3],), (READERS,)]), ids=len)
def test_nobody_can_tell_the_worlds_apart_before_the_reveal(
    folders: tuple[list[Path], Cookies], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readers: tuple[str, ...]
) -> None:
    """All routes of the application, all kinds of readers, exports; again after a restart, which reads the journal."""
    cookies = folders[1]
    paths = [Path(shutil.copytree(path, tmp_path / "copies" / path.name)) for path in folders[0]]
    moment = time.time()
    monkeypatch.setattr(time, "time", lambda: moment)
    monkeypatch.setattr("arena.web.contests.extending.now", lambda: AT)
    with opened(paths) as worlds:
        for world in worlds:
            world.go("bracket:cup")
        assert differences(worlds, "anybody", cookies) == []
        for world in worlds:
            world.go("intro:cup:4")
        for who in readers:
            assert differences(worlds, who, cookies) == [], who
    with opened(paths) as worlds:
        assert differences(worlds, "a display", cookies) == [], "after a restart"
        assert differences(worlds, "of Green", cookies, forms=True) == []
        assert exported(worlds[0], tmp_path / "one") == exported(worlds[1], tmp_path / "other")
        for world in worlds:
            world.evening.go("next")  # the match begins
            world.evening.go("next")
        assert "/show/state.json" in differences(worlds, "anybody", cookies), "now everybody knows"
