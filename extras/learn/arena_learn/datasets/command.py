"""``arena dataset``: what players saw and did, from replays."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extending import AS_JSON, new_folder, print_json, say
from arena.errors import ArenaError, ExitCode
from arena_learn.needs import need

EPILOG = """\b
Examples:
  arena dataset replays -o data                            # all replays of a folder, all seats
  arena dataset contest -o data --bot Sheriff              # a contest, the decisions of one bot
  arena dataset replays -o data --format minari --seat 0

Exit codes: 0 written; 3 a replay of other rules, or the game is not installed; 4 replays of several games or options,
or no decision of the bot or seat;
6 the folder is not empty; 9 no replay; 11 a damaged replay, or one without a result; 19 a package is missing.
"""


@click.command(epilog=EPILOG)
@click.argument("replays", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", "folder", required=True, type=click.Path(path_type=Path), help="The new folder.")
@click.option("--format", "form", type=click.Choice(["parquet", "minari"]), default="parquet", show_default=True)
@click.option("--bot", "bots", multiple=True, help="Only the decisions of the bot with this name; can be repeated.")
@click.option("--seat", type=click.IntRange(0), help="Only the decisions of this seat, from 0. Minari needs one.")
@AS_JSON
def command(
    replays: tuple[Path, ...], folder: Path, form: str, bots: tuple[str, ...], seat: int | None, as_json: bool
) -> None:
    """Write a dataset from REPLAYS, files or folders: one row for each decision, with what this player saw.

    The rows of a match stay together: of ten matches, about eight are for training, one for validation, one for tests.
    A manifest has the rules, the options, the seeds, and the meaning of each number.
    """
    need("minari" if form == "minari" else "datasets", f"A dataset as {form}")
    if form == "minari" and seat is None:
        raise ArenaError("A dataset of Minari has one seat.", hint="Name it: --seat 0.", exit_code=ExitCode.USAGE)
    from arena_learn.datasets.collecting import Collection, replay_files

    files = replay_files(replays)
    collection = Collection(bots, seat)
    with new_folder(folder):
        if form == "minari":
            from arena_learn.datasets.minari import write_minari

            name = write_minari(files, folder, collection)
        else:
            from arena_learn.datasets.parquet import write_parquet

            write_parquet(files, folder, collection)
    if as_json:
        print_json(collection.manifest())
        return
    if form == "minari":
        say(f"MINARI_DATASETS_PATH={folder.resolve()}: minari.load_dataset({name!r})")
    manifest = collection.manifest()
    say(f"{folder} has {manifest['decisions']} decisions of {len(files)} matches.")
    for count, what in (
        (manifest["cut_off"], "objects had no row in the observation, or legal actions no number"),
        (manifest["actions_without_number"], "actions have no number (-1)"),
    ):
        if count:
            say(f"{count} {what}.")
