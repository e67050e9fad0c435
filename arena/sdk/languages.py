"""The languages of bots: which there are, the files of their kits, and the classes of a game in each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from arena.game import GameSpec
from arena.game.sources import parse_docstring
from arena_player import sdk
from arena_player.sdk.text import wrapped


class Language(NamedTuple):
    """A language with a kit.

    Attributes:
        classes: The name of the file with a game's classes. `{game}` stands for the game's name (``laser_flag``), and
            `{Game}` for the same name in camel case (``LaserFlag``).
        kit: The files of the kit. A bot's folder contains them beside the file with the classes.
        program: The name of the bot's source file that `arena new` makes; empty if `arena new` lacks this language.
        reserved: Words, separated by spaces, that cannot be names in the classes. If a game uses such a word as a name,
            an underscore is added to the name.
    """

    classes: str
    kit: tuple[str, ...]
    program: str
    reserved: str


LANGUAGES = {
    "cpp": Language(
        "{game}.hpp",
        ("arena.hpp",),
        "main.cpp",
        "AI GAME Object PlacedObject Result SCHEMA_HASH State Tile and arena asm auto bool break call_helper case "
        "catch char class class_name concept const constexpr continue decltype default delete do double else enum "
        "explicit export extern false float for fork friend goto id if inline int long mutable namespace new not "
        "nullptr operator or present private protected public register requires return send_action set short signed "
        "sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void "
        "volatile while xor",
    ),
    "javascript": Language(
        "{game}.js",
        ("arena.js",),
        "main.js",
        "AI GAME Outcome PlacedObject Result RulesError SCHEMA_HASH State Tile arena arguments await break case catch "
        "class const continue debugger default delete distance do else enum eval export extends false finally "
        "find_path for fork function if implements import in instanceof interface let new null package private "
        "protected public return run static super switch this throw true try typeof var void while with yield",
    ),
    "java": Language(
        "arena/{Game}.java",
        ("arena/Kit.java",),
        "Main.java",
        "AI GAME GameObject Kit List Map Object Outcome Override PlacedObject Result SCHEMA_HASH String Tile "
        "abstract assert boolean break byte call_helper case catch char class clone const continue default do double "
        "else enum equals extends final finalize finally float for fork getClass goto hashCode id if implements import "
        "instanceof int interface long native new notify notifyAll null package present private protected public "
        "return send_action set short static strictfp super switch synchronized this throw throws toString transient "
        "true try false void volatile wait while",
    ),
}

SDKS = LANGUAGES | {"typescript": Language("{game}.d.ts", ("arena.d.ts",), "", LANGUAGES["javascript"].reserved)}
"""The languages of `arena sdk`, except Python. TypeScript uses the kit of JavaScript, and adds type declarations."""


def camel_case(name: str) -> str:
    """Return the name of a game in camel case: ``LaserFlag`` for ``laser_flag``."""
    return "".join(part.capitalize() for part in name.split("_"))


def kit_folder(language: str) -> Path:
    """Return the folder with the files of a kit: in the installed package, or else in the working copy."""
    here = Path(__file__).parents[1]
    installed = here / "clients" / language
    return installed if installed.is_dir() else here.parent / "clients" / language


def kit_files(game: GameSpec, language: str) -> dict[str, str]:
    """Return the texts of the files that a bot in this language needs, by file name: the game's classes and the kit."""
    kit = SDKS[language]
    name = kit.classes.format(game=game.name, Game=camel_case(game.name))
    more = kit_files(game, "javascript") if language == "typescript" else {}
    typed_classes = {name: classes(game.schema(), language, sdk.read_extras(game.kit))}
    return more | typed_classes | {name: (kit_folder(language) / name).read_text(encoding="utf-8") for name in kit.kit}


def new_files(game: GameSpec, language: str, words: dict[str, str]) -> dict[str, str]:
    """Return the texts of a new bot's files, by file name.

    Placeholders such as ``$game`` are replaced by their values.
    """
    program = LANGUAGES[language].program
    files = {path.name: path for path in sorted((kit_folder(language) / "new").iterdir()) if path.is_file()}
    if game.template is not None:
        own = game.template.with_name(f"bot_template{Path(program).suffix}.txt")
        if own.is_file():
            files[program] = own
    words = words | {"namespace": _safe(game.name, language), "outer": camel_case(game.name)}
    texts = {name: Template(path.read_text(encoding="utf-8")).substitute(words) for name, path in files.items()}
    return texts | kit_files(game, language)


def _safe(name: str, language: str) -> str:
    return f"{name}_" if name in SDKS[language].reserved.split() else name


def classes(schema: dict[str, Any], language: str, extras: str = "") -> str:
    """Return the source of a game's classes in a language, from the template in the folder of its kit."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    from arena_player.schema import parse_schema

    kit = SDKS[language]
    parsed = parse_schema(schema)
    outer = camel_case(parsed.game)
    environment = Environment(
        loader=FileSystemLoader([kit_folder(language), kit_folder("javascript")]),
        undefined=StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "about": _about,
        "comment": _comment,
        "parsed": lambda doc: parse_docstring(doc).text,
        # In Java, a class cannot have the name of the class around it, which is that of the game.
        "name": lambda name: f"{name}_" if language == "java" and name == outer else _safe(name, language),
    }
    player = parsed.classes.get("Player")
    helpers = sdk.helpers(schema, extras)
    missing = "; ".join(f"{name} ({reason})" for name, reason in helpers.missing.items())
    template = environment.get_template(f"classes{Path(kit.classes).suffix}.jinja")
    return template.render(
        schema=parsed,
        outer=outer,
        classes=list(parsed.classes.values()),
        helpers=helpers,
        missing=f"Helpers of Python that are not here: {missing}",
        has_player=player is not None and any(field.name == "index" for field in player.fields),
    )


def _about(item: Any, type_of: Callable[..., str] | None = None) -> str:
    """Return the documentation of a field, an action or a parameter.

    The text lists the choices, has type and sizes of an array, and describes parameters and the returned value with
    Javadoc tags.

    Args:
        type_of: Returns the name of a type, for the comments; None for a statically typed language.
    """
    docstring = parse_docstring(item.doc)
    parts = [docstring.text]
    if getattr(item, "choices", ()):
        parts[0] += f" One of {', '.join(map(json.dumps, item.choices))}."
    if getattr(item, "array", ""):
        parts[0] += f" ({item.array}{', row by row' if len(item.shape) > 1 else ''})"
    for parameter in getattr(item, "parameters", ()):
        about = _about(parameter) if hasattr(parameter, "doc") else docstring.arguments.get(parameter.name, "")
        if type_of:
            type_name = type_of(parameter.type, getattr(parameter, "choices", ()))
            name = f"[{parameter.name}]" if parameter.has_default else parameter.name
            parts.append(f"@param {{{type_name}}} {name} {about}".strip())
        elif about:
            parts.append(f"@param {parameter.name} {about}".strip())
    if getattr(item, "returns", None) and type_of is None:
        parts.append(f"@return A result whose value is the {item.returns}.")
    return "\n\n".join(filter(None, parts))


def _comment(text: str, prefix: str) -> str:
    lines = wrapped(text.replace("*/", "* /"), 120 - len(prefix))
    return "\n".join((prefix + line).rstrip() for line in lines)
