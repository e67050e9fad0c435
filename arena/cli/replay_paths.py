"""Choose the files of the replays of `arena play`, and never overwrite the replay that a match starts from."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.output_files import refuse_same_file
from arena.errors import ArenaError, ExitCode
from arena_replays import records

if TYPE_CHECKING:
    from arena.match.job import Job
    from arena.match.position import Position


def with_replays(jobs: list[Job], wanted: str | None) -> list[Job]:
    """Return the jobs with the paths of their replays. The file names have numbers if there are several matches.

    Args:
        wanted: The value of ``--replay``; None for a file in the folder replays/, which is created if it is missing.
    """
    if wanted == "none":
        return jobs
    if wanted == "":
        raise click.UsageError("--replay needs a file. --replay none writes no replay.")
    if wanted is None:
        folder = Path("replays")
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise ArenaError(
                f"The folder {folder} for the replay cannot be created: {error.strerror}.",
                hint="Choose another file with --replay FILE, or write no replay with --replay none.",
                exit_code=ExitCode.CANNOT_WRITE,
            ) from None
        stem = folder / "-".join([jobs[0].game, *(_short(seat.bot) for seat in jobs[0].seats), str(jobs[0].seed)])
        path = Path(f"{stem}.arena")
    else:
        path = Path(wanted)
    paths = [path]
    if len(jobs) > 1:
        width = len(str(len(jobs)))
        names = (f"{path.stem}-{number:0{width}}{path.suffix or '.arena'}" for number in range(1, len(jobs) + 1))
        paths = [path.with_name(name) for name in names]
    for one in paths:
        _refuse_overwriting(one, jobs[0].start)
    return [replace(job, replay=str(one)) for job, one in zip(jobs, paths, strict=True)]


def _refuse_overwriting(path: Path, start: Position | None) -> None:
    if start is not None and start.parent is not None:
        refuse_same_file(Path(start.parent.file), path)
    try:
        with path.open("rb") as file:
            found = file.read(len(records.MAGIC))
    except OSError:
        return  # there is no such file; the match reports any other error
    if found and found != records.MAGIC:
        raise ArenaError(
            f"{path} exists and is not a replay.",
            hint="Choose another file with --replay.",
            exit_code=ExitCode.CANNOT_WRITE,
        )


def _short(reference: str) -> str:
    name = reference.removeprefix("builtin:").rstrip("/").rpartition("/")[2]
    if name in (".", ".."):  # a command that runs in the bot's folder
        name = Path(reference).resolve().name
    return re.sub(r"[^\w-]+", "_", name.partition(".")[0]) or "bot"
