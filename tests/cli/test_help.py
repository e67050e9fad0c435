"""The help of every command can be read in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from arena.cli import cli


def all_commands(group: click.Group, *path: str) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        yield (*path, name)
        if isinstance(found, click.Group):
            yield from all_commands(found, *path, name)


@pytest.mark.parametrize("command", [(), *all_commands(cli)], ids=" ".join)
def test_only_examples_are_wider_than_a_terminal_and_no_line_is_cut(command: tuple[str, ...]) -> None:
    lines = CliRunner().invoke(cli, [*command, "--help"], terminal_width=80).stdout.splitlines()
    assert [line for line in lines if len(line) > 80 and not line.startswith("    arena ")] == []
    listed = lines[lines.index("Commands:") :] if "Commands:" in lines else []
    assert [line for line in listed if line.endswith("...")] == []


WRITES = (
    "contest archive", "contest backup", "contest export", "contest init", "contest replay", "contest restore",
    "contest rebuild", "cluster keys", "map generate", "map new", "new", "new-game", "playground export",
    "replay export", "sdk", "task export",
)  # fmt: skip
"""Commands whose result is a file. `contest replay` plays a match again."""
SERVES = (
    "cluster scheduler", "cluster worker", "contest install", "contest serve", "join", "map edit", "mcp", "show",
    "view",
)  # fmt: skip
ACTS = (
    "correct", "disqualify", "erase", "expire", "group", "hold", "invite", "release", "reveal", "stage", "teams",
    "undo", "void", "withdraw",
)  # fmt: skip
"""Commands of `arena contest` that change a contest; `arena contest standings` reports what they did."""
DRAWS = ("map show",)


def test_every_command_that_reports_has_json() -> None:
    without = []
    for path in all_commands(cli):
        command: click.Command | None = cli
        for name in path:
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), name)
        assert command is not None
        if isinstance(command, click.Group) or any("--json" in option.opts for option in command.params):
            continue
        without.append(" ".join(path))
    assert {*without} == {*WRITES, *SERVES, *DRAWS, *(f"contest {act}" for act in ACTS)}
