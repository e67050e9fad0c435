import importlib.util
from importlib.metadata import EntryPoint
from typing import Any

import pytest
from click.testing import CliRunner

import arena_learn
from arena.cli import cli
from arena.errors import ArenaError, ExitCode
from arena_learn.needs import need


@pytest.fixture
def _nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name in ("pettingzoo", "gymnasium", "pyarrow", "minari") else found(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)


@pytest.mark.usefixtures("_nothing_else")
def test_a_missing_package_is_named_with_the_way_to_get_it(tmp_path: Any) -> None:
    for extra, package in (("environments", "pettingzoo"), ("datasets", "pyarrow"), ("minari", "minari")):
        with pytest.raises(ArenaError, match=package) as caught:
            need(extra, "This")
        assert f"arena-learn[{extra}]" in caught.value.hint
        assert caught.value.hint.startswith("Install them: ")
    for make in (arena_learn.aec, arena_learn.parallel, arena_learn.seat):
        with pytest.raises(ArenaError, match="gymnasium, pettingzoo"):
            make("saloon")
    result = CliRunner().invoke(cli, ["dataset", str(tmp_path), "-o", str(tmp_path / "data")])
    assert result.exit_code == ExitCode.NOT_INSTALLED
    assert "pyarrow" in result.output


def test_a_new_bot_that_learns_needs_the_distribution(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(**selection: str) -> list[EntryPoint]:
        return []

    monkeypatch.setattr("importlib.metadata.entry_points", nothing)
    result = CliRunner().invoke(cli, ["new", "saloon", str(tmp_path / "bot"), "--learn"])
    assert result.exit_code == ExitCode.NOT_INSTALLED
    assert "arena-learn" in result.output
    assert not (tmp_path / "bot").exists()
