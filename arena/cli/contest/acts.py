"""``arena contest invite``, ``teams`` and the acts: what organizers do on the desk, while nothing runs the contest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.contest.common import CONTEST, match_id_of, read_state
from arena.cli.output import say
from arena.contests.values import ACTS
from arena.errors import ArenaError, ExitCode
from arena.text.printable import command_line
from arena.text.reading import MIB, read_limited, text_of

if TYPE_CHECKING:
    from arena.contests.open_contest import OpenContest


@contextmanager
def _opened(contest: Path) -> Iterator[OpenContest]:
    """Open a contest that nothing runs."""
    from arena.contests.open_contest import open_contest

    try:
        with open_contest(contest) as opened:
            yield opened
    except ArenaError as error:
        if error.exit_code == ExitCode.BUSY:
            error.hint = "While a server runs the contest, use its desk. Else wait, or stop it with Ctrl-C."
        raise


# -- people --------------------------------------------------------------------------------------------


@click.command(short_help="Invite a person.")
@click.argument("name")
@CONTEST
@click.option("--person", default="", help="Name the person; if not given, they choose their name.")
@click.option("--organizer", is_flag=True, help="Invite an organizer. NAME is then the name of the person.")
def invite(name: str, contest: Path, person: str, organizer: bool) -> None:
    """Invite a person to the team or bot NAME while nothing runs the contest, and print the token.

    Whoever has joined sees the logs of the team or bot, and hands in bots of a team. A new team needs [people] in
    CONTEST. The person's link is ADDRESS/join?token=TOKEN. While a server runs, use its desk instead.
    """
    from arena.contests.config_bots import names_of_bots
    from arena.contests.people import accounts

    with _opened(contest) as opened:
        arguments = ("", name, "organizer") if organizer else (name, person, "member")
        say(accounts.invite(opened, *arguments, by="", taken=names_of_bots(opened)))


@click.command(short_help="Invite all people of a CSV file.")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@CONTEST
def teams(file: Path, contest: Path) -> None:
    """Invite all people of FILE, a CSV file, while nothing runs the contest.

    The first line of FILE names the columns: team, member and, if needed, role and groups. A role is organizer, member
    or spectator. Without a role, a person with a team is a member, and a person without a team is a spectator. If a
    line is wrong, nobody is invited.

    Print a line for each person: team, name and token. The person's link is ADDRESS/join?token=TOKEN.
    """
    from arena.contests.config_bots import names_of_bots
    from arena.contests.people import accounts

    try:
        text = text_of(read_limited(file, MIB))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ArenaError(f"{file} cannot be read: {reason}.", exit_code=ExitCode.BAD_LEAGUE) from None
    except ValueError as error:
        raise ArenaError(f"{file} cannot be read: it is {error}.", exit_code=ExitCode.BAD_LEAGUE) from None
    with _opened(contest) as opened:
        for invited in accounts.invite_all(opened, text, "", names_of_bots(opened)):
            say("\t".join(invited))


# -- acts ----------------------------------------------------------------------------------------------


REASON = click.option("--reason", required=True, help="The reason, which is in the public log.")
_SUBJECTS = {
    "MATCH": "MATCH is the id of the match, or the first characters of the id.",
    "NAME": "NAME is a team or bot.",
    "STAGE": "STAGE is the name of a stage of CONTEST that has not begun, or of a new one.",
    "ACT": "ACT is the id of the act: the command that recorded it printed it, and `standings --all` lists it.",
}
_MORE = {
    "void": "MATCH can be the name of a stage too.",
    "correct": "POINTS are the points of the seats, in their order, from 0 to 1, such as '1 0'.",
    "disqualify": "NAME/NUMBER is a version.",
    "group": "GROUPS are names of [groups] in CONTEST, such as 'novice school', or '' for none.",
    "release": "Without --count, all results are released, and later ones are no longer held back.",
    "undo": "Tables and stages are then the same as before the act.",
}
_PARAMETERS: dict[str, tuple[Callable[..., Any], ...]] = {
    "stage": (
        click.option(
            "--set",
            "settings",
            metavar="KEY=VALUE",
            multiple=True,
            help="Set a key of a new stage, as in CONTEST, such as format=swiss, or advance=8: how many of the stage "
            "before, or of the ladder, take part.",
        ),
    ),
    "correct": (click.argument("points"),),
    "group": (click.argument("groups"),),
    "release": (click.option("--count", metavar="NUMBER", default="", help="Release only this many results."),),
}
_ACTS = (
    *("stage", "void", "replay", "correct", "withdraw", "disqualify", "group", "hold", "release", "reveal"),
    "undo",
)


def _command_of(kind: str) -> click.Command:
    """Make the command of one kind of acts."""
    declared = ACTS[kind]

    def callback(contest: Path, reason: str, subject: str = "", **more: Any) -> None:
        settings = _fields(more.pop("settings", ()))
        _act(contest, kind, subject, {"reason": reason, **settings, **more})

    does = f"{declared.does[:1].upper()}{declared.does[1:]}, while nothing runs the contest."
    explained = [does, _SUBJECTS.get(declared.subject, ""), _MORE.get(kind, "")]
    decorated: Any = callback
    argument = (click.argument("subject", metavar=declared.subject),) if declared.subject else ()
    arguments = (*argument, *_PARAMETERS.get(kind, ()), CONTEST, REASON)
    for parameter in reversed(arguments):
        decorated = parameter(decorated)
    short = f"{declared.does[:1].upper()}{declared.does[1:]}."
    return click.command(kind, help=" ".join(filter(None, explained)), short_help=short)(decorated)


def _fields(settings: Iterable[str]) -> dict[str, str]:
    """Return the keys and values of a new stage."""
    from arena.contests.people.organizer_acts import STAGE_NUMBERS

    keys, fields = ("format", *STAGE_NUMBERS, "only", "exhibition"), {}
    for text in settings:
        key, _, value = text.partition("=")
        if key not in keys or not value:
            raise click.UsageError(f"--set {text}: write KEY=VALUE. The keys are {', '.join(keys)}.")
        fields[key] = value
    return fields


def _act(contest: Path, kind: str, subject: str, fields: dict[str, str]) -> None:
    from arena.contests.people.organizer_acts import act, words_of

    read_state(contest)  # refuse a contest that has not begun, before anything is written
    with _opened(contest) as opened:
        state = opened.state
        is_match = ACTS[kind].subject == "MATCH" and subject not in state.stages
        key = act(opened, None, kind, {"subject": match_id_of(state, subject) if is_match else subject, **fields})
        text = words_of(state, state.acts.get(key) or state.undone[subject], ids=True)
    say(f"{key}: {text}.")
    if kind != "undo":
        say(f"To undo it, run: {command_line('arena', 'contest', 'undo', key, contest, '--reason', 'REASON')}")


# -- people's data -------------------------------------------------------------------------------------


@click.command(short_help="Erase a person for ever.")
@click.argument("person")
@CONTEST
@REASON
@click.option("--yes", is_flag=True, help="Do not ask.")
def erase(person: str, contest: Path, reason: str, yes: bool) -> None:
    """Erase PERSON for ever, while nothing runs the contest: all texts about them, and their name everywhere.

    PERSON is the name or the id of a person, or the name of a bot. A team goes with its last member. The name becomes a
    pseudonym; versions, matches and standings stay. The command lists first what it touches. Nothing brings back what
    was erased: neither `undo` nor `rebuild`. Delete older archives and exports yourself.
    """
    from arena.contests.people import erasure

    read_state(contest)
    with _opened(contest) as opened:
        erasure.finish(opened)
        found = erasure.plan(opened, erasure.people_of(opened.state, person))
        for line in found.lines():
            say(line)
        say("This cannot be undone.", bold=True)
        if not yes:
            question = f"Nothing brings it back. To erase it, write the name again ({person})"
            if click.prompt(question, default="", show_default=False) != person:
                raise ArenaError("Nothing was erased.", exit_code=ExitCode.USAGE)
        key = erasure.erase(opened, None, reason, found)
    say(f"{key}: erased. Delete older archives, exports and copies of yours, which still have the name.")


@click.command(short_help="Erase what is older than the contest keeps it.")
@CONTEST
@click.option("--yes", is_flag=True, help="Do not ask.")
def expire(contest: Path, yes: bool) -> None:
    """Erase what is older than `keep_people_days` and `keep_sources_days` of CONTEST, while nothing runs it.

    `serve` does it by itself, each hour. The command lists first what it touches. Nothing brings it back.
    """
    from arena.contests.people import erasure, retention
    from arena.contests.values import utc

    read_state(contest)
    with _opened(contest) as opened:
        erasure.finish(opened)
        found = retention.plan_of_old(opened, utc())
        if found is None:
            say("Nothing is old enough.")
            return
        for line in found.lines():
            say(line)
        say("This cannot be undone.", bold=True)
        if not yes and not click.confirm("Erase it?"):
            raise ArenaError("Nothing was erased.", exit_code=ExitCode.USAGE)
        say(f"{retention.erase_old(opened, found)}: erased.")


COMMANDS = (invite, teams, erase, expire, *map(_command_of, _ACTS))
