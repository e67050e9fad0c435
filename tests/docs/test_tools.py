"""The checks in ``tools/`` fail where they must."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from mkdocs.exceptions import PluginError

from arena_player.version import __version__

ROOT = Path(__file__).parents[2]


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.process
@pytest.mark.parametrize(("environment", "code"), [({"CI": "true"}, 1), ({}, 0)])
def test_javascript_is_not_passed_unchecked_on_ci(tmp_path: Path, environment: dict[str, str], code: int) -> None:
    for program in ("sh", "dirname"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    without_npm = {key: value for key, value in os.environ.items() if key != "CI"} | {"PATH": str(tmp_path)}
    ran = subprocess.run(
        ["sh", "tools/check-javascript.sh"], cwd=ROOT, env=without_npm | environment, capture_output=True, text=True
    )
    assert ran.returncode == code
    assert "npm is not installed" in ran.stderr


def test_a_release_has_one_version_and_a_dated_changelog() -> None:
    entries = load_tool("release_notes").entries
    dated = f"# Changelog\n\n## {__version__} - 2026-12-01\n\nGood things.\n\n## 0.0.1 - 2025-01-01\n\nOld things.\n"
    assert entries(dated, f"v{__version__}") == "Good things."
    with pytest.raises(SystemExit, match="does not name version"):
        entries(dated, "v99")
    with pytest.raises(SystemExit, match="Put the date there"):
        entries(dated.replace("2026-12-01", "unreleased"), f"v{__version__}")


def test_hosted_workflows_call_targets_of_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(workflow.read_text())["jobs"]
        commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
        called = {command.split()[1] for command in commands if command.startswith("make ")}
        assert called
        assert called <= targets, workflow.name


PACKAGES = {"arena": ROOT, "arena_player": ROOT / "clients" / "python", "arena_replays": ROOT / "replays"}


def names_in(module: str) -> set[str]:
    """Return all names that a module gives a meaning, and the modules in a package."""
    path = PACKAGES[module.partition(".")[0]] / module.replace(".", "/")
    names = {one.stem for one in path.iterdir()} if path.is_dir() else set()
    for node in ast.walk(ast.parse((path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text())):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.alias(name=name, asname=new):
                names.add(new or name)
    return names


def test_programs_import_names_that_exist() -> None:
    """No test runs the benchmarks whole, so that an import of a renamed value was not noticed."""
    missing = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.module}.{one.name}"
        for folder in ("bench", "stats", "fuzz")
        for path in sorted((ROOT / "tests" / folder).glob("**/*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES
        for one in node.names
        if one.name not in names_in(str(node.module))
    ]
    assert missing == []


def test_a_language_model_gets_the_pages_for_authors_of_bots_whole() -> None:
    """At most 25,000 tokens: `whole` refuses more characters than that."""
    llms = load_tool("mkdocs_llms")
    text = llms.whole(ROOT / "docs")
    assert "class Lookahead(AI):" in text  # the code that a page includes
    assert not re.search(r"8<--|\]\((?!http)|\.try", text)
    titles = [(ROOT / "docs" / name).read_text().partition("\n")[0] for name in llms.PAGES]
    assert [title for title in titles if f"{title}\n" not in text] == []
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    lines = llms.index(ROOT / "docs", nav).split("\n")
    assert "- [Searching](searching.html): A bot that looks ahead tries actions in a copy of the game." in lines
    assert len([line for line in lines if line.startswith("- [")]) == len(nav[1]["Students"])


def test_a_text_for_a_language_model_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    llms = load_tool("mkdocs_llms")
    monkeypatch.setattr(llms, "MOST_CHARACTERS", 1000)
    with pytest.raises(PluginError, match="Leave a page out"):
        llms.whole(ROOT / "docs")
