"""Copy bots into the folder of a contest, so that later changes of their files have no effect.

A copy has the content hash of its files in its path, is made in a temporary folder, and gets its name when it is whole.
So a copy that exists is complete; equal bots share one, and who comes second finds it made. A build is beside its
sources in the copy, and no part of the hash.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.folders.files import BUILT, content_hash, list_files
from arena.bots.folders.manifest import MAIN, MANIFEST
from arena.contests.journal.files import UNFINISHED, disk_errors, make_private
from arena.errors import ArenaError, ExitCode


def copy_bot(bot: Bot, folder: Path) -> str:
    """Copy a bot into the contest's folder, once for each content hash.

    Returns:
        The path of the copy's folder, or of its Python file, relative to the contest's folder.
    """
    target = folder / copy_path(bot.content_hash)
    is_new = not target.exists()
    if is_new:
        with _new_folder(target, target.parent) as temporary:
            for name in bot.files or sorted(os.listdir(bot.folder)):
                source = bot.folder / name
                (temporary / name).parent.mkdir(parents=True, exist_ok=True)
                if source.is_dir():
                    shutil.copytree(source, temporary / name, dirs_exist_ok=True)
                else:
                    shutil.copy2(source, temporary / name)
    if defect := copy_defect(target, bot.content_hash):
        if not is_new:
            raise _changed_copy(bot.name, target, defect)
        shutil.rmtree(target, ignore_errors=True)
        raise ArenaError(f"The bot {bot.name} changed while it was being copied.", hint="Start again.")
    return _entry_path(bot, folder)


def move_bot(bot: Bot, folder: Path) -> str:
    """Do what `copy_bot` does with a bot whose files only this process can change. They are moved, not read again."""
    target = folder / copy_path(bot.content_hash)
    if target.exists():
        return copy_bot(bot, folder)
    with _new_folder(target, target.parent) as temporary:
        for name in bot.files or os.listdir(bot.folder):
            (temporary / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(bot.folder / name, temporary / name)
    return _entry_path(bot, folder)


def _entry_path(bot: Bot, folder: Path) -> str:
    copy = copy_path(bot.content_hash)
    is_folder = (folder / copy / MANIFEST).is_file() or bot.entry == MAIN
    return str(copy if is_folder else copy / bot.entry)


@contextmanager
def _new_folder(target: Path, parent: Path) -> Iterator[Path]:
    """Yield a new folder in `parent`, which becomes `target`. After an error, such as a full disk, it is removed."""
    with disk_errors(target):
        parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=parent))
        try:
            yield temporary
            make_private(temporary)
            try:
                temporary.rename(target)
            except OSError:
                if not target.exists():  # otherwise an equal bot was stored or built at the same time
                    raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def store_build(bot: Bot, require: int, cache: Path | None = None) -> Bot:
    """Build the bot of a stored copy if it needs a build, and store the result in the copy.

    Returns:
        The bot, ready to run.
    """
    if bot.build is None:
        return bot
    target = bot.folder / BUILT
    if not target.exists():
        from arena.bots.build import built

        folder = built(bot, require=require, cache=cache).folder
        with _new_folder(target, bot.folder.parent) as temporary:
            shutil.copytree(folder, temporary, dirs_exist_ok=True)
    return replace(bot, folder=target, files=(), build=None)


def copy_path(content: str) -> Path:
    """Return the path of a bot version's copy, relative to the contest's folder."""
    return Path("bots") / content[:24]


def copy_defect(folder: Path, content: str) -> str:
    """Return what is wrong with a bot's copy, such as "was changed"; "" if it is unchanged."""
    if not folder.is_dir():
        return "is gone"
    with suppress(ArenaError, OSError):
        if content_hash(folder.resolve(), list_files(folder.resolve())) == content:
            return ""
    return "was changed"


def check_copies(folder: Path, copies: Iterable[tuple[str, str]]) -> None:
    """Check the copies of bots in the folder of a contest, by their content hashes and names."""
    for content, name in copies:
        copy = folder / copy_path(content)
        if defect := copy_defect(copy, content):
            raise _changed_copy(name, copy, defect)


def _changed_copy(name: str, copy: Path, defect: str) -> ArenaError:
    return ArenaError(
        f"The stored copy of the bot {name}, {copy}, {defect}.",
        hint="Restore the copy from a backup.",
        exit_code=ExitCode.BAD_BOT,
    )
