"""The public names of all distributions, with signatures, are those listed; `make api` writes the lists again.

Public is what the module's ``__all__`` names, and of a class every member without an underscore. Of a game only the
names are listed: bots and tools see its members through the schema. The sources are read, not imported, so that the
lists are the same with every version of Python.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import griffe
import pytest
from shortened import shortened

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent
SOURCES = [str(ROOT / folder) for folder in (".", "clients/python", "replays", *sorted(ROOT.glob("games/*")))]
MODULES = {
    "arena-player": ("arena_player",),
    "arena-referee": (
        "arena.bots.bot",
        "arena.bots.builtin",
        "arena.bots.players",
        "arena.cli.extending",
        "arena.contests.engines",
        "arena.contests.strength",
        "arena.errors",
        "arena.game",
        "arena.match.ending",
        "arena.match.lookup",
        "arena.match.position",
        "arena.match.result",
        "arena.match.settings",
        "arena.match.spec",
        "arena.pages.render",
        "arena.play.memory",
        "arena.play.seats.external",
        "arena.play.seats.waiting",
        "arena.study.checks",
        "arena.study.coach.coach",
        "arena.study.replaying.course",
        "arena.study.replaying.positions",
        "arena.testing",
        "arena.text.form",
        "arena.text.printable",
        "arena.text.reading",
        "arena.web.contests.extending",
        "arena.web.rulebook",
    ),
    "arena-replays": ("arena_replays",),
    "games": ("arena_saloon", "arena_laser_flag", "arena_derelict", "arena_snakes"),
}


def lines_of(distribution: str) -> list[str]:
    """Return one line for each public name of a distribution."""
    lines: list[str] = []
    for module, loaded in loaded_modules(MODULES[distribution]):
        names = sorted(map(str, loaded.exports or ()))
        if not names:
            raise ValueError(f"{module} has no __all__.")
        for name in names:
            path = f"{module}.{name}"
            lines += [path] if distribution == "games" else member_lines(path, loaded[name])
    return lines


@cache
def loaded_modules(names: tuple[str, ...]) -> list[tuple[str, griffe.Object | griffe.Alias]]:
    """Return modules by name. Each package is loaded once: to load one of its modules loads all of it."""
    loader = griffe.GriffeLoader(search_paths=SOURCES)
    for package in {name.partition(".")[0] for name in names}:
        loader.load(package)
    loader.resolve_aliases(external=False)
    return [(name, loader.modules_collection[name]) for name in names]


def member_lines(path: str, member: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Yield the line of a function or attribute; for a class also those of its members."""
    if member.is_alias:
        member = member.final_target
    if isinstance(member, griffe.Class):
        bases = f"({', '.join(map(str, member.bases))})" if member.bases else ""
        yield f"class {path}{bases}"
        for name, inner in sorted(member.all_members.items()):
            if not name.startswith("_") or (name == "__init__" and not inner.inherited):
                yield from member_lines(f"{path}.{name}", inner)
    elif isinstance(member, griffe.Function):
        yield f"{path}{signature(member)}"
    else:
        annotation = getattr(member, "annotation", None)
        yield f"{path}: {annotation}" if annotation else path


def signature(function: griffe.Function) -> str:
    """Return parameters and result as they are written."""
    parts: list[str] = []
    kinds = [parameter.kind for parameter in function.parameters]
    for parameter in function.parameters:
        bare_star = "*" not in parts and griffe.ParameterKind.var_positional not in kinds
        if parameter.kind is griffe.ParameterKind.keyword_only and bare_star:
            parts.append("*")
        stars = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
        text = stars.get(parameter.kind, "") + parameter.name
        text += f": {parameter.annotation}" if parameter.annotation else ""
        plain = parameter.default is not None and not stars.get(parameter.kind)
        parts.append(f"{text} = {parameter.default}" if plain else text)
    return f"({', '.join(parts)}) -> {function.returns}"


@pytest.mark.process
@pytest.mark.parametrize("distribution", shortened(reversed(MODULES)))
def test_a_change_of_the_public_api_is_seen(distribution: str) -> None:
    listed = (LISTS / f"{distribution}.txt").read_text().splitlines()
    change = "\n".join(difflib.unified_diff(listed, lines_of(distribution), "listed", "found", n=0, lineterm=""))
    assert not change, f"The public API has changed. If that is intended, run `make api`.\n{change}"


def undocumented(module: str, name: str, member: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Yield what has no docstring: a public name, and methods and properties of a public class."""
    member = member.final_target if member.is_alias else member
    if not member.docstring:
        yield f"{module}.{name}"
    if isinstance(member, griffe.Class):
        for inner in member.members.values():
            is_own = not inner.is_alias and not inner.name.startswith("_")
            if is_own and (inner.is_function or "property" in inner.labels) and not inner.docstring:
                yield f"{module}.{name}.{inner.name}"


@pytest.mark.process
def test_what_other_distributions_may_use_has_docstrings() -> None:
    missing: list[str] = []
    for module, loaded in loaded_modules(MODULES["arena-referee"]):
        for name in map(str, loaded.exports or ()):
            missing += undocumented(module, name, loaded[name])
    assert missing == []


def main() -> None:
    """Write all lists."""
    for distribution in MODULES:
        (LISTS / f"{distribution}.txt").write_text("".join(f"{line}\n" for line in lines_of(distribution)))


if __name__ == "__main__":
    main()
