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
