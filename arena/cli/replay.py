"""``arena replay``: inspect, verify and export replays."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import AS_JSON
from arena.cli.output import complain, print_json, print_table, say, say_lines
from arena.cli.output_files import refuse_same_file, refuse_same_outputs
from arena.errors import ArenaError, ExitCode
from arena.match.ending import counted, ending_and_place
from arena.text.printable import one_line
from arena.text.reading import whole_number
from arena_replays.errors import ReplayError

if TYPE_CHECKING:
    from arena.match.position import ReplayPosition

FILE = click.Path(path_type=Path)


@click.group()
def command() -> None:
    """Inspect, verify and export replays."""


@command.command(short_help="Print the players and the result of a replay.")
@click.argument("file", type=FILE)
@AS_JSON
def info(file: Path, as_json: bool) -> None:
    """Print game, players, turns, result and final digest of FILE.

    With FILE@TURN or FILE@TURN.ACTION, print the position there. `arena play --from` can start from a position that
    --json prints.
    """
    from arena.match.position import ReplayPosition
    from arena.study.replaying.presentation import headline
    from arena_replays import info as read_info

    position = ReplayPosition.parse(str(file))
    if position is not None:
        _print_position(position, as_json)
        return
    document = read_info(file)
    if as_json:
        print_json(document)
        return
    outcome = document["outcome"]
    title = document.get("title") or document.get("game") or "Replay"
    seed = "unknown" if document["seed"] is None else document["seed"]
    say(f"{title} {document.get('version', '')}, seed {seed}", bold=True)
    rows = [["player", "bot", "ending", "score"]]
    for number, player in enumerate(document["players"]):
        score = player.get("score")
        shown = "-" if score is None else f"{score:zg}"
        ending = ending_and_place(player.get("ending", "-"), player.get("place", ""))
        rows.append([str(number), player["name"], ending, shown])
    print_table(rows, right=(3,))
    say(f"{_length(document)}, {document['refusals']} refused")
    if document["first_turn"] not in (None, 1):
        say(f"Bots read turn 1 as self.turn {document['first_turn']}.")
    if parent := document.get("parent"):
        say(f"Starts from {parent.get('file') or 'a replay'}@{parent.get('turn')}.{parent.get('action')}")
    if outcome is not None:
        say(f"Outcome: {headline(outcome, document['players'])} ({outcome['reason']})")
    if document["problem"]:
        say(f"The file is damaged or cut short: {document['problem']}.", fg="red")
    elif not document["ended"]:
        say("The file has no end: the match was cut off or is still running.")
    if document["notice"]:
        say(document["notice"])
    if document["digest"]:
        which = "final state" if document["ended"] else "last state that it has"
        say(f"Digest of the {which}: {document['digest']}")
    say(f"{document['size']} bytes")


def _print_position(position: ReplayPosition, as_json: bool) -> None:
    from arena.match.lookup import find_game
    from arena.study.replaying.positions import position_at

    start = position_at(position)
    game = find_game(start.game)
    state = game.load(start.state, start.options)
    facts = {"to_move": list(state.to_move()), "scores": list(state.scores()), "digest": state.digest()}
    if as_json:
        document = start.to_document()
        print_json({**{key: document[key] for key in document if key not in ("dice", "moves")}, **facts})
        return
    say(f"{game.title} {game.version}, turn {position.turn} after {counted(position.action, 'action')}", bold=True)
    say(f"To move: {', '.join(f'player {player}' for player in state.to_move())}")
    say(f"Scores: {', '.join(f'{score:zg}' for score in state.scores()) or 'none'}")
    say(f"Digest of the state: {state.digest()}")


@command.command()
@click.argument("file", type=FILE)
@click.option("--printed", is_flag=True, help="Print only what the bots printed and logged.")
@click.option("--turn", "turns", metavar="TURN[-TURN]", help="Print the position, orders and news of these turns.")
@click.option("--player", type=int, help="With --turn, print what this player saw. Players count from 0.")
@AS_JSON
def log(file: Path, printed: bool, turns: str | None, player: int | None, as_json: bool) -> None:
    """Print all actions, refused actions, turns and logs of FILE. With --json, leave out the logs.

    With --turn 30-34, print these turns in words: the position before them, and the orders and the news of each.
    """
    from arena_replays import Reader
    from arena_replays import log as read_log
    from arena_replays import printed as read_printed

    if turns is not None:
        if printed:
            raise click.UsageError("Choose --turn or --printed.")
        _print_turns(file, turns, player, as_json)
        return
    if player is not None:
        raise click.UsageError("--player belongs to --turn.")
    if printed and as_json:
        raise click.UsageError("--printed prints text. Leave out --json.")
    if printed:
        lines = read_printed(file)
        first = next(lines, None)
        if first is None:
            say("No bot printed or logged anything.", err=True)
            return
        for line in chain([first], lines):
            say(line)
        return
    if as_json:
        print_json([_plain(entry) for entry in Reader(file).truth])
        return
    for line in read_log(file):
        say(line)


def _print_turns(file: Path, turns: str, player: int | None, as_json: bool) -> None:
    from arena.study.replaying.turns_in_words import turns_in_words
    from arena_replays import Reader

    first, _, last = turns.partition("-")
    numbers = whole_number(first), whole_number(last or first)
    if numbers[0] is None or numbers[1] is None or numbers[0] > numbers[1]:
        raise click.BadParameter("It must be a turn such as 30, or turns such as 30-34.", param_hint="--turn")
    reader = Reader(file)
    words = turns_in_words(reader, numbers[0], numbers[1], player)
    if as_json:
        print_json([turn._asdict() for turn in words])
        return
    names = [entry["name"] for entry in reader.header.get("players", ())]
    for turn in words:
        if turn.position:
            say(f"Before turn {turn.turn}", bold=True)
            say_lines(turn.position)
        name = f" ({one_line(names[turn.player])})" if turn.player < len(names) else ""
        say(f"Turn {turn.turn} of player {turn.player}{name}", bold=True)
        news = ["News:", *turn.news.splitlines()] if turn.news else []
        for line in (*turn.orders, *news):
            say(f"  {line}")


def _plain(entry: Any) -> Any:
    if isinstance(entry, bytes):
        return entry.hex()
    return [_plain(item) for item in entry] if isinstance(entry, list | tuple) else entry


@command.command(short_help="Check that replays follow the rules.")
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option("--parent", type=FILE, help="The replay that FILES start from, if it is not beside them.")
@AS_JSON
def verify(files: tuple[Path, ...], parent: Path | None, as_json: bool) -> int:
    """Check that FILES follow the rules, and report the first turn that differs.

    The command plays each match again: with the recorded answers of the programs, with the draws of the seed, and with
    the recorded failures of programs. Turns, views, endings, scores and places must be the same. It cannot check who
    played, what programs printed, how much time they used, and whether a recorded failure took place.

    A match can start from a position of another replay. If that replay is in the same folder, the command compares this
    position too.

    The exit code is 0 if all files agree with the rules, 1 if one differs, and 11 if one is cut off but agrees up to
    its end. If a file cannot be read, the command prints the error and checks the other files. The exit code is then
    that of the error, or 1 if another file differs.
    """
    from arena.study.checks.verification import verify as check

    documents = []
    unusable = 0
    for file in files:
        try:
            verification = check(file, parent)
        except (ArenaError, ReplayError) as error:  # continue with the other files
            if str(file) not in error.message:
                error.message = f"{file}: {error.message}"
            code = complain(error)
            unusable = unusable or code
            continue
        documents.append({"file": str(file), **asdict(verification)})
        if not as_json:
            _print_verification(file, documents[-1])
    if as_json and documents:
        print_json(documents[0] if len(files) == 1 else documents)
    if not all(document["ok"] for document in documents):
        return ExitCode.DIFFERENCE
    cut_off = not all(document["complete"] for document in documents)
    return unusable or (ExitCode.DAMAGED_REPLAY if cut_off else ExitCode.OK)


def _length(document: dict[str, Any]) -> str:
    return f"{counted(document['turns'], 'turn')}, {counted(document['actions'], 'action')}"


def _print_verification(file: Path, document: dict[str, Any]) -> None:
    if document["ok"]:
        text = f"{file}: verified, {_length(document)}"
        if document["parent"]:
            parent = "its parent" if document["parent"] == "verified" else "without its parent, which is not beside it"
            text += f", {parent}"
        if not document["complete"]:
            text += "; there it is cut off" + (f": {document['problem']}" if document["problem"] else ".")
        elif document["dice"]:
            text += f"; its draws were not compared with a seed: {document['dice']}"
        say(text)
        return
    turn = "" if document["turn"] is None else f", turn {document['turn']}"
    say(f"{file}: ", nl=False)
    say(f"differs{turn}: ", fg="red", nl=False)
    say(document["problem"])


@command.command(short_help="Export a page, a picture or a film.")
@click.argument("files", type=FILE, nargs=-1, required=True)
@click.option(
    "--html", "html_out", type=FILE, metavar="OUT", help="Write one self-contained page, of a match or of both legs."
)
@click.option("--png", "png_turn", type=int, metavar="TURN", help="Write a picture of this turn; 0 is the start.")
@click.option("--gif", "gif_out", type=FILE, metavar="OUT", help="Write a film with one picture per turn.")
@click.option("--webm", "webm_out", type=FILE, metavar="OUT", help="Write a film with all movements.")
@click.option("--out", type=FILE, help="Write the picture of --png to this file; beside FILE if not given.")
@click.option("--light", is_flag=True, help="Use light colours for pictures and films.")
@click.option("--no-logs", is_flag=True, help="Leave out what players logged, drew and printed; for pages to publish.")
def export(
    files: tuple[Path, ...],
    html_out: Path | None,
    png_turn: int | None,
    gif_out: Path | None,
    webm_out: Path | None,
    out: Path | None,
    light: bool,
    no_logs: bool,
) -> None:
    """Export a page, a picture or a film of a replay.

    The page opens in any browser, without network. Name one replay, or for a page both legs of one match.
    Pictures and films need Chromium on this machine.
    """
    from arena.study.coach.page import embedded
    from arena.study.replaying.presentation import legs_for, renderer_for
    from arena_replays import Reader, chromium
    from arena_replays.export import export_html
    from arena_replays.legs import as_matches

    if html_out is None and png_turn is None and gif_out is None and webm_out is None:
        raise click.UsageError("Choose what to export: --html OUT, --png TURN, --gif OUT or --webm OUT.")
    if out is not None and png_turn is None:
        raise click.UsageError("--out belongs to --png; the other options name their own file.")
    if len(files) > 1 and (png_turn is not None or gif_out or webm_out):
        raise click.UsageError("Pictures and films show one replay; name one file.")
    picture = None if png_turn is None else out or files[0].with_suffix(".png")
    outputs = (html_out, gif_out, webm_out, picture)
    refuse_same_outputs(*outputs)
    for file in files:
        for target in outputs:
            refuse_same_file(file, target)
    if no_logs and html_out is None:
        raise click.UsageError("--no-logs belongs to --html.")
    matches = as_matches(files, legs_for)
    if len(matches) > 1:
        raise click.UsageError("These replays are not the two legs of one match.")
    file = files[0]
    renderer = renderer_for(Reader(file).header)
    if html_out is not None:
        with TemporaryDirectory(prefix="arena-export-") as folder:
            legs = matches[0]
            if no_logs:
                legs = tuple([_without_logs(leg, Path(folder) / f"{at}.arena") for at, leg in enumerate(legs)])
            export_html(legs, html_out, renderer, [embedded(leg) for leg in legs])
        _say_written(html_out)
    if png_turn is not None and picture is not None:
        _check_turn(file, png_turn)
        chromium.screenshot(file, png_turn, picture, renderer, dark=not light)
        _say_written(picture)
    for film, form in ((gif_out, "gif"), (webm_out, "webm")):
        if film is not None:
            chromium.record(file, film, form, renderer, dark=not light)
            _say_written(film)


def _without_logs(replay: Path, copy: Path) -> Path:
    """Write the copy of a replay that everybody may see, and return its path."""
    from arena.web.public_replays import public_bytes

    copy.write_bytes(public_bytes(replay, over=True))
    return copy


def _check_turn(file: Path, turn: int) -> None:
    from arena_replays import Reader

    reader = Reader(file)
    last = len(reader.turns) - 1
    hint = f"Its turns are {reader.number_of(0)} to {reader.number_of(last)}, and 0 is the start."
    if last < 0:
        hint = "It has only its start, 0."
    if turn and not (last >= 0 and reader.number_of(0) <= turn <= reader.number_of(last)):
        raise ArenaError(f"{file} has no turn {turn}. {hint}", exit_code=ExitCode.BAD_OPTION)


def _say_written(path: Path) -> None:
    say(f"{path} was written: {path.stat().st_size} bytes")
