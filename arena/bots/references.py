"""References to bots, as users write them: a file, a folder, an archive or ``builtin:NAME``, perhaps with settings."""

from __future__ import annotations

from pathlib import Path

from arena.errors import ArenaError, ExitCode

Settings = tuple[tuple[str, str], ...]


def split_reference(reference: str | Path) -> tuple[str, Settings]:
    """Split ``REFERENCE?NAME=VALUE&NAME=VALUE`` into the bot's reference and its settings.

    A path that exists is whole, also with a question mark in it.

    Raises:
        ArenaError: A setting is not of the form ``NAME=VALUE``.
    """
    text = str(reference)
    head, mark, query = text.rpartition("?")
    if not mark or exists(text):
        return text, ()
    settings = {}
    for pair in query.split("&"):
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise ArenaError(
                f"{text}: the setting {pair!r} is not of the form NAME=VALUE.",
                hint="Settings of a bot follow a question mark: builtin:search?playouts=200",
                exit_code=ExitCode.BAD_BOT,
            )
        settings[name] = value
    return head, tuple(settings.items())


def name_with_settings(name: str, reference: str | Path) -> str:
    """Return a bot's name with the settings of its reference, as two of its variants must not have the same name."""
    settings = "&".join(f"{setting}={value}" for setting, value in split_reference(reference)[1])
    return f"{name}?{settings}" if settings else name


def exists(text: str) -> bool:
    """Return whether a text is the path of a file. False for a text that no path can be, such as one with a NUL."""
    try:
        return Path(text).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False
