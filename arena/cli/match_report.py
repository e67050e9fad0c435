"""Print the results of ``arena play``: what was played, who failed and why, and what to do next.

One match, or its two legs, is printed in full; more of them as a table. The output of a failed bot comes last, since
its author reads from the bottom of the terminal. Warnings go to standard error, so that they are seen in a pipe too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from arena.bots.references import split_reference
from arena.cli.output import print_json, print_table, say
from arena.errors import ArenaError
from arena.match.ending import MEANINGS, counted, ending_and_place
from arena.match.isolation import OWN_BOTS_ONLY, Level
from arena.match.job import REMOTE
from arena.match.result import LegsResult, MatchResult, PlayerResult, TimeUsed, counts_in_words
from arena.match.stack import advice, last_stack
from arena.study.played_matches import PlayedMatches
from arena.text.printable import command_line

SHOWN_LINES = 25
"""The limit of lines of a bot's output. Chosen, not measured: a traceback and what leads to it, on one screen."""


def print_results(
    results: Sequence[MatchResult],
    as_json: bool,
    *,
    single: bool,
    two_legs: bool = False,
    unboxed: bool = False,
    printed: str = "",
) -> None:
    """Print the results: one match or its two legs in full, and several matches as a table with a summary.

    Args:
        single: Whether only one match was scheduled. An interrupted series can also have only one result.
        unboxed: Whether the user asked to run the bots without a sandbox.
        printed: The replay of which to show the last lines that the bots printed and logged; none if empty.
    """
    played = PlayedMatches(results, two_legs=two_legs)
    if as_json:
        print_json(results[0].to_document() if single else played.to_document())
        return
    if single or (len(results) <= 2 and two_legs):
        for number, result in enumerate(results, 1):
            if two_legs:
                say(f"Leg {number}: ", nl=False)
            _print_match(result, unboxed, printed=bool(printed))
            if two_legs:
                say()
        for legs in played.legs:
            _print_legs(legs)
        if len(results) == 1 + two_legs:  # both legs, if it has two
            _print_next_step(results, played.legs[0] if played.legs else None)
    else:
        _print_table(played)
        for legs in played.legs:
            _print_legs(legs)
    if printed:
        _print_last_lines(printed)


def _print_legs(legs: LegsResult) -> None:
    first, second = legs.names
    points = " : ".join(f"{value:zg}" for value in legs.points)
    scores = " : ".join(f"{value:zg}" for value in legs.scores)
    if legs.winner is not None:
        verdict = f"{legs.names[legs.winner]} wins"
    else:
        verdict = "no result" if len(legs.void) == 2 else "a draw"
    void = "".join(f"; leg {number} is void and does not count" for number in legs.void)
    say(f"{first} - {second}: {verdict}", bold=True, nl=False)
    say(f" (points {points}, scores {scores}{void})")


def _print_table(played: PlayedMatches) -> None:
    results = played.results
    rows = [["match", "seed", "players", "winner", "reason", "scores", "turns"]]
    for number, result in enumerate(results, 1):
        rows.append(
            [
                str(number),
                str(result.seed),
                " - ".join(player.name for player in result.players),
                _winner(result),
                result.outcome.reason,
                " : ".join(f"{player.score:zg}" for player in result.players),
                str(result.turns),
            ]
        )
    print_table(rows, right=(0, 6))
    say()
    together = results[0].outcome.common is not None
    of_rules = ["finished"] if together else ["won", "drawn", "lost_by_play"]
    columns = ["played", *of_rules, "lost_by_form", "void", "points"]
    rows = [["bot", *(column.replace("_", " ") for column in columns)]]
    for row in played.summary:
        rows.append([row["bot"], *(f"{row[column]:g}" for column in columns)])
    print_table(rows, right=range(1, len(columns) + 1))
    for name, counts in played.counts.items():
        say(f"{name}: {counts_in_words(counts)}")
    for player in played.failures:
        _print_failure(player, results[0].game)
    for player in played.late_failures:
        _print_late_failure(player)
    for fault in {result.fault for result in results if result.fault}:
        _print_fault(fault)
    if results[0].isolation.is_in_memory:
        say(f"In memory, {OWN_BOTS_ONLY}.")
    if played.equal_games > 1:
        say()
        say(f"{played.equal_games} of the {len(results)} matches are the same game, action by action.")
        say("If your bot should vary its play, let it choose with self.random:")
        say("it gives other numbers with each seed.")
    if results[0].replay:
        say()
        say(f"Replays: {results[0].replay} to {results[-1].replay}")
    for result in results:
        if result.left_out:
            say(f"Warning: {result.replay} is not whole. {result.left_out}", err=True)


def _winner(result: MatchResult) -> str:
    if not result.has_verdict:
        return "no result"
    if result.outcome.common is not None:
        return "everybody"
    winners = [result.players[seat].name for seat in result.outcome.winners]
    return "drawn" if len(winners) in (0, len(result.players)) else ", ".join(winners)


def _print_match(result: MatchResult, unboxed: bool, *, printed: bool) -> None:
    title = result.headline([player.name for player in result.players])
    say(f"{title} ({result.outcome.reason}) after {counted(result.turns, 'turn')}", bold=True)
    rows = [["player", "bot", "ending", "score", "refused", "time", "worst turn", "isolation"]]
    for number, player in enumerate(result.players):
        rows.append(
            [
                str(number),
                player.name,
                ending_and_place(player.ending, result.place(number)),
                f"{player.score:zg}",
                str(sum(player.refusals.values())),
                _time(player.clock),
                f"{1000 * player.clock.worst_turn:.1f} ms",
                f"L{player.isolation.level:d}",
            ]
        )
    print_table(rows, right=(3, 4, 5, 6))
    _print_what_was_ordered(result)
    for player in result.players:
        if player.counts:
            say(f"{player.name}: {counts_in_words(player.counts)}")
    for player in result.players:
        if player.failed or (player.detail and not result.has_verdict):
            _print_failure(player, result.game)
        elif player.failed_after_the_match:
            _print_late_failure(player)
    if result.fault:
        _print_fault(result.fault)
    inside = [player.isolation for player in result.players if not player.isolation.is_of_player_outside]
    if result.isolation.is_in_memory:
        say(f"In memory, {OWN_BOTS_ONLY}.")
    elif any(isolation.level < Level.BWRAP for isolation in inside):
        reason = "you requested this." if unboxed else "`arena doctor` shows why and what to do."
        say(f"Warning: The bots were not in a sandbox; {reason}", err=True)
    for player in result.players:
        if player.bot == REMOTE:
            say(f"Warning: {player.name} ran on another machine, which Arena did not isolate.", err=True)
    if result.replay:
        say(f"Replay: {result.replay}   (seed {result.seed})")
        authors = [player.name for player in result.players if not player.bot.startswith("builtin:") and _wrote(player)]
        if authors and not printed:
            show = command_line("arena", "replay", "log", "--printed", result.replay)
            say(f"{' and '.join(authors)} printed lines; this shows them: {show}")
    if result.left_out:
        say(f"Warning: The replay is not whole. {result.left_out}", err=True)


def _time(clock: TimeUsed) -> str:
    """Return a player's total time as text: CPU time if it was measured, else wall time."""
    return f"{clock.wall:.2f} s wall" if clock.cpu is None else f"{clock.cpu:.2f} s CPU"


def _print_fault(fault: str) -> None:
    say(err=True)
    say("Not caused by a bot: ", fg="red", nl=False, err=True)
    say(f"{fault}. Please report it.", err=True)


def _print_next_step(results: Sequence[MatchResult], legs: LegsResult | None) -> None:
    """Say what to do after a match of a bot against a built-in bot: after a win, and after a loss.

    Args:
        results: The match, or both of its legs. The last leg that was lost is explained.
        legs: The result of both legs; None for a match of one leg.
    """
    result = results[-1]
    students = [seat for seat, player in enumerate(result.players) if Path(player.bot).exists()]
    if len(students) != 1 or not any(player.bot.startswith("builtin:") for player in result.players):
        return
    seat = students[0]
    bot, game = result.players[seat].bot, result.game
    won = seat in result.outcome.winners and result.has_verdict
    if legs is not None:  # a leg that was won may be part of a match that was lost
        won = legs.winner is not None and legs.names[legs.winner] == result.players[seat].name
    if not result.replay:
        return
    name = result.players[seat].name
    lost = [leg for leg in results for player in leg.players if (player.name, player.ending) == (name, "lost")]
    if won:
        say(f"Next: `{command_line('arena', 'climb', game, bot)}` plays stronger bots, and says what to learn.")
    elif not result.players[seat].failed:
        replay = lost[-1].replay if lost else result.replay
        say(f"Why: `{command_line('arena', 'explain', replay)}` finds the turns that decided.")


def _print_what_was_ordered(result: MatchResult) -> None:
    """Print the refused actions with their reasons, as far as the replay holds them, and who gave no order at all."""
    from arena.study.coach.causes import idle_in_words, refused_of
    from arena_replays import Reader

    reader = Reader(result.replay) if result.replay else None
    for seat, player in enumerate(result.players):
        if player.refusals and reader is None:
            say(f"{player.name} was refused: {_reasons(player)}")
        elif player.refusals and reader is not None:
            say(f"{player.name} was refused:")
            for group in refused_of(reader, seat):
                say(f"  {group}")
        if reader is None or player.failed or player.bot.startswith("builtin:"):
            continue
        if idle := idle_in_words(reader, seat):
            say(f"{player.name}: {idle}.")


def _reasons(player: PlayerResult) -> str:
    """Return the codes of refused actions with their counts, the most frequent first."""
    counts = sorted(player.refusals.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{code} {count}" for code, count in counts)


def _wrote(player: PlayerResult) -> bool:
    return bool(player.stdout.strip() or player.stderr.strip())


def _print_last_lines(replay: str) -> None:
    """Print the last lines that the bots of a match printed and logged, each with its turn."""
    from arena_replays import printed

    lines = deque(printed(replay), SHOWN_LINES + 1)
    say()
    if not lines:
        say("No bot printed or logged anything.")
        return
    is_cut = len(lines) > SHOWN_LINES  # the queue holds one line more than is shown
    say(f"The last {SHOWN_LINES} lines that the bots printed:" if is_cut else "What the bots printed:")
    for line in list(lines)[-SHOWN_LINES:]:
        say(f"  | {line}")


def _print_failure(player: PlayerResult, game: str) -> None:
    meaning = MEANINGS[player.ending] if player.failed else ""
    message = ": ".join(filter(None, (meaning, player.detail)))
    stack = last_stack(player.stderr)
    if stack is not None and stack.position is not None and not stack.error:  # where its time ran out
        message += f"; it was at {stack.position}"
    say()
    say(f"{player.name} {player.ending}: ", fg="red", nl=False)
    say(message)
    _print_output(("output", player.stdout, player.stdout_cut), ("error output", player.stderr, player.stderr_cut))
    if player.exit.startswith("killed by SIG") and "--debug`" not in player.stderr and _has_sanitizers(player.bot):
        say("`arena play ... --debug` shows the line.")
    if f"No module named '{game}'" in player.stderr:
        path = Path(split_reference(player.bot)[0])
        command = command_line("arena", "sdk", game, "--out", path if path.is_dir() else path.parent)
        say(f"The typed module of the game is missing beside the bot: `{command}` writes it.")
        return
    hint = advice(player.stderr, game)
    if hint:
        say(hint)


def _has_sanitizers(reference: str) -> bool:
    """Return whether `--debug` builds a bot so that it names the line of a crash (see `arena.bots.build`)."""
    from arena.bots.bot import load_bot
    from arena.bots.build import SANITIZERS, for_debugging

    try:
        bot = load_bot(split_reference(reference)[0])
    except ArenaError:  # for example a bot on another machine
        return False
    return for_debugging(bot, *SANITIZERS) is not bot


def _print_late_failure(player: PlayerResult) -> None:
    say()
    say(f"{player.name} failed after the match: ", fg="red", nl=False)
    say(f"{player.exit}. The result of the match stays.")
    _print_output(("error output", player.stderr, player.stderr_cut))


def _print_output(*outputs: tuple[str, str, bool]) -> None:
    for name, text, cut in outputs:
        lines = text.rstrip().splitlines()
        if lines:
            say(f"  Its {name}" + (" (the end of it):" if cut or len(lines) > SHOWN_LINES else ":"))
        for line in lines[-SHOWN_LINES:]:
            say(f"  | {line}")
