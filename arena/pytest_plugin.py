"""A plugin of pytest: the tests beside a bot import the files of this bot.

pytest imports a test file by its name alone. So of a bot and its copy, which both have a test_bot.py, it would run the
tests of one, and their `import main` would be the same file. pytest loads this plugin wherever Arena is installed.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from arena_player.modules import BotModules

MANIFEST = "bot.toml"


class OwnFiles:
    """The modules of each bot that has tests, by the bot's folder."""

    def __init__(self) -> None:
        self._modules: dict[Path, BotModules] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Import a test file among the bot's modules."""
        with self._modules_for(collector):
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run a test among the bot's modules."""
        with self._modules_for(item):
            return (yield)

    def _modules_for(self, node: pytest.Collector | pytest.Item) -> AbstractContextManager[object]:
        folder = node.path.parent
        if not isinstance(node, pytest.Module | pytest.Item) or not (folder / MANIFEST).is_file():
            return nullcontext()
        from arena_player.modules import BotModules  # only for bots: other tests measure their own imports

        return self._modules.setdefault(folder, BotModules(str(folder)))


def pytest_configure(config: pytest.Config) -> None:
    """Add the plugin."""
    config.pluginmanager.register(OwnFiles())
