"""A page with the rules of a game, made from its rules text and from the classes that carry the rules."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any

from arena.game import GameSpec
from arena.web.startpage.markdown import render

POLICY = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'"


def rules_page(game: GameSpec) -> tuple[str, str]:
    """Return the page and its policy."""
    text = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="dark light">\n<link rel="icon" href="data:,">\n'
        f"<title>{html.escape(game.title)}: rules</title>\n"
        '<link rel="stylesheet" href="/viewer/style.css">\n<link rel="stylesheet" href="/editor/editor.css">\n'
        '<script type="module" src="/editor/theme.js"></script>\n</head>\n<body class="scrolls">\n'
        f'<nav class="crumbs"><a href="/">Arena</a> <span>›</span> <b>{html.escape(game.title)}</b>'
        '<a href="#actions">Actions</a> <a href="#objects">Objects</a> <a href="#options">Options</a></nav>\n'
        f'<main class="rules">\n{rules_html(game)}\n</main>\n</body>\n</html>\n'
    )
    return text, POLICY


def rules_html(game: GameSpec) -> str:
    """Return the rules as HTML: the text for people, actions, objects, options."""
    schema = game.schema()
    source = game.rules_text()
    text = render(source) if source.strip() else f"<h2>{html.escape(game.title)}</h2>"
    parts = [text, *_actions(schema), *_objects(schema), *_options(game)]
    return "\n".join(parts)


def _actions(schema: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="actions">Actions</h2>'
    for owner, one in schema["classes"].items():
        for name, action in one["actions"].items():
            receiver = "game" if action["receiver"] is None else _lower(owner)
            parameters = ", ".join(_lower(parameter["name"]) for parameter in action["parameters"])
            yield (
                f'<article class="action"><h3><code>{html.escape(receiver)}.<b>{html.escape(name)}</b>'
                f"({html.escape(parameters)})</code></h3>{_paragraphs(_first_part(action['doc']))}"
            )
            if action["parameters"]:
                rows = "".join(_parameter(parameter) for parameter in action["parameters"])
                yield f'<div class="wide"><table>{rows}</table></div>'
            yield f"<p class='dim'>On the wire: <code>{html.escape(_wire(name, action))}</code></p></article>"


def _parameter(parameter: dict[str, Any]) -> str:
    choices = parameter.get("choices")
    allowed = ", ".join(map(str, choices)) if choices else parameter["type"]
    cells = (f"<code>{html.escape(parameter['name'])}</code>", html.escape(allowed), html.escape(parameter["doc"]))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _wire(name: str, action: dict[str, Any]) -> str:
    keys = [f'"{action["receiver"]}": …'] if action["receiver"] else []
    keys += [f'"{key}": …' for parameter in action["parameters"] for key in parameter["keys"]]
    return "{" + ", ".join([f'"type": "{name}"', *keys]) + "}"


def _objects(schema: dict[str, Any]) -> Iterator[str]:
    yield '<h2 id="objects">Objects</h2>'
    for name, one in schema["classes"].items():
        if not one["fields"]:
            continue
        rows = "".join(
            f"<tr><td><code>{html.escape(field)}</code></td><td>{html.escape(_type(kind))}</td>"
            f"<td>{html.escape(kind['doc'])}</td></tr>"
            for field, kind in one["fields"].items()
        )
        doc = html.escape(_sentence(one["doc"]))
        yield (
            f'<details><summary><b>{html.escape(name)}</b> <span class="dim">{doc}</span>'
            f'</summary><div class="wide"><table>{rows}</table></div></details>'
        )


def _options(game: GameSpec) -> Iterator[str]:
    if not game.options:
        return
    yield '<h2 id="options">Options</h2>'
    rows = "".join(
        f"<tr><td><code>{html.escape(one.name)}</code></td><td>{html.escape(one.describe())}</td>"
        f"<td>{html.escape(one.doc)}</td></tr>"
        for one in game.options
    )
    yield f'<div class="wide"><table>{rows}</table></div>'


def _type(kind: dict[str, Any]) -> str:
    return ", ".join(map(str, kind["choices"])) if kind.get("choices") else str(kind["type"])


def _first_part(doc: str) -> str:
    """Return a docstring up to its list of arguments."""
    lines = []
    for line in doc.splitlines():
        if line.strip() in ("Args:", "Returns:", "Raises:", "Attributes:"):
            break
        lines.append(line)
    return "\n".join(lines)


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{html.escape(' '.join(part.split()))}</p>" for part in text.split("\n\n") if part.strip())


def _sentence(doc: str) -> str:
    return " ".join(doc.split()).partition(". ")[0]


def _lower(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
