"""What a gang can learn from a lost match: own men who were hurt, pianos left silent, and tiles that were no good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any

from arena.game import Mistake, PlayerTurn, Seeded
from arena_saloon.entities import Cowboy
from arena_saloon.words import JOBS, STEPS

if TYPE_CHECKING:
    from arena_saloon.state import Game

Turn = PlayerTurn["Game"]
Turns = Sequence[PlayerTurn["Game"]]
Document = dict[str, Any]

_RUN = 3
"""So many turns without a call-in are no accident, such as a landing tile that was taken."""


def crushed_own_man(turns: Turns) -> Iterator[Mistake]:
    """Find call-ins whose newcomer landed on a cowboy of the same gang."""
    for turn in turns:
        for index, order in enumerate(turn.actions):
            if order["type"] != "call_in":
                continue
            game, _ = turn.played(turn.actions[:index])
            victim = game.cowboy_at(*game.players[turn.player].young_gun.call_in_tile)
            if victim is not None and victim.owner == turn.player:
                text = (
                    f"You called in a {order['job']} onto your own man, {_name(victim)}, who died with "
                    f"{victim.health} health. Move him away before you call in, or wait a turn."
                )
                _, better = turn.played(turn.without(order))
                yield Mistake(text, [turn.number], better=better, units=[victim.id])


def hit_own_men(turns: Turns) -> Iterator[Mistake]:
    """Find shots and throws that cost cowboys of the same gang health, or made them drunk."""
    for turn in turns:
        for order in [order for order in turn.actions if order["type"] == "act"]:
            game, better = turn.played(turn.without(order))
            if len(better) < len(turn.actions) - 1:
                continue
            shooter = game.entity(order["cowboy"])
            hurt = [(man, harm) for man in _own(turn, game) if (harm := _harm(man, turn.after.entity(man.id)))]
            if hurt and shooter is not None:
                deed = "shot" if shooter.job == "Sharpshooter" else "bottle"
                harms = " and ".join(f"{_name(man)}, who {harm}" for man, harm in hurt)
                text = (
                    f"The {deed} of your {_name(shooter)} hit your own gang: {harms}. "
                    f"Keep your men out of the line, or do not act."
                )
                yield Mistake(text, [turn.number], better=better, units=[shooter.id, *(man.id for man, _ in hurt)])


def punched_own_man(turns: Turns) -> Iterator[Mistake]:
    """Find moves after which a Brawler stood beside a cowboy of the same gang, and punched him."""
    for turn in turns:
        found: set[frozenset[str]] = set()
        for brawler, victim in permutations(_own(turn, turn.after), 2):
            pair = frozenset((brawler.id, victim.id))
            if brawler.job != "Brawler" or not _beside(brawler, victim) or pair in found:
                continue
            for mover, other in ((victim, brawler), (brawler, victim)):
                moves = _moves(turn, mover)
                game, better = turn.played(turn.without(*moves))
                apart = [game.entity(man.id) for man in (mover, other)]
                if not moves or None in apart or _beside(*apart) or game.entity(victim.id).health <= victim.health:
                    continue
                text = (
                    f"You moved {_name(mover)} beside your own man, {_name(other)}, and at the end of the turn "
                    f"{brawler.id} punched {victim.id}. A Brawler hits everyone beside him, so keep a tile free."
                )
                yield Mistake(text, [turn.number], better=better, units=[brawler.id, victim.id])
                found.add(pair)
                break


def left_piano_silent(turns: Turns) -> Iterator[Mistake]:
    """Find turns that ended with a cowboy beside a piano that he could have played."""
    for turn in turns:
        game, better = turn.played([order for order in turn.actions if order["type"] != "end_turn"])
        silent = []
        while plays := [order for order in game.legal_actions(turn.player) if order["type"] == "play"]:
            game.push(turn.player, plays[0], Seeded("lessons"))
            silent.append(plays[0])
        if silent:
            text = (
                f"{_name(game.entity(silent[0]['cowboy']))} stood idle beside piano {silent[0]['furnishing']} at the "
                f"end of your turn. Had he played it, you would have scored a point."
            )
            if len(silent) > 1:
                text += f" In all, {len(silent)} points were open in this turn."
            end = [] if game.reason else [{"type": "end_turn"}]
            yield Mistake(text, [turn.number], better=[*better, *silent, *end], units=[one["cowboy"] for one in silent])


def called_nobody_in(turns: Turns) -> Iterator[Mistake]:
    """Find runs of turns without a call-in, although the gang was not full."""
    run: list[Turn] = []
    for turn in [*turns, None]:
        if turn is not None and _free_jobs(turn) and all(order["type"] != "call_in" for order in turn.actions):
            run.append(turn)
            continue
        if len(run) >= _RUN:
            jobs = {order["job"] for one in turns for order in one.actions if order["type"] == "call_in"}
            text = (
                f"You called nobody in for {len(run)} of your turns in a row. In the first of them there was room for "
                f"another {_either(_free_jobs(run[0]))}."
            )
            if len(jobs) == 1:
                most = run[0].before.options.max_cowboys_per_job
                text = f"You only call in {jobs.pop()}s, and at most {most} men of one job may live. {text}"
            yield Mistake(text, [one.number for one in run], missing={"type": "call_in"})
        run = []


def walked_into_a_shot(turns: Turns) -> Iterator[Mistake]:
    """Find moves into the line of an enemy Sharpshooter, who then fired."""
    for turn in turns:
        for man in _own(turn, turn.after):
            moves, harm = _moves(turn, man), _harm(man, turn.later.entity(man.id))
            aiming = [enemy for enemy in _aiming(turn.after, man) if _has_fired(turn, enemy)]
            if not moves or not aiming or not harm:
                continue
            game, better = turn.played(turn.without(*moves))
            kept = game.entity(man.id)
            if kept is not None and not _aiming(game, kept):
                enemy = aiming[0]
                text = (
                    f"You moved {_name(man)} to ({man.x}, {man.y}), into the line of the enemy's {_name(enemy)} with "
                    f"focus {enemy.focus}, and he {harm}. Where he stood before, no shot could reach him."
                )
                yield Mistake(text, [turn.number], better=better, units=[man.id, enemy.id])


def stayed_in_a_line(turns: Turns) -> Iterator[Mistake]:
    """Find cowboys who did not move out of the line of an enemy Sharpshooter, who then fired."""
    for turn in turns:
        for man in _own(turn, turn.after):
            harm = _harm(man, turn.later.entity(man.id))
            aiming = [enemy for enemy in _aiming(turn.after, man) if _has_fired(turn, enemy)]
            if not harm or not aiming or _moves(turn, man):
                continue
            better = _away(turn, man, unaimed=True)
            if better is not None:
                text = (
                    f"{_name(man)} stayed on ({man.x}, {man.y}), in the line of the enemy's {_name(aiming[0])} with "
                    f"focus {aiming[0].focus}, and {harm}. One step aside and no shot could have reached him."
                )
                yield Mistake(text, [turn.number], better=better, units=[man.id, aiming[0].id])


def stood_under_a_young_gun(turns: Turns) -> Iterator[Mistake]:
    """Find cowboys who ended the turn where the enemy's next man lands, and did not live on."""
    for turn in turns:
        gun = turn.after.players[1 - turn.player].young_gun
        for man in _own(turn, turn.after):
            if (man.x, man.y) != gun.call_in_tile or turn.later.entity(man.id) is not None:
                continue
            if turn.later.next_cowboy == turn.after.next_cowboy:
                continue
            better = _away(turn, man)
            if better is not None:
                text = (
                    f"{_name(man)} ended your turn on ({man.x}, {man.y}), where the enemy's next man lands, and was "
                    f"dead a turn later. One step aside and nobody could have crushed him."
                )
                yield Mistake(text, [turn.number], better=better, units=[man.id])


LESSONS = (
    crushed_own_man,
    hit_own_men,
    punched_own_man,
    left_piano_silent,
    called_nobody_in,
    walked_into_a_shot,
    stayed_in_a_line,
    stood_under_a_young_gun,
)


def _name(cowboy: Cowboy) -> str:
    return f"{cowboy.job} {cowboy.id}"


def _either(words: list[str]) -> str:
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _own(turn: Turn, game: Game) -> list[Cowboy]:
    return [man for man in (*game.cowboys, *game.arrivals) if man.owner == turn.player and not man.is_dead]


def _moves(turn: Turn, cowboy: Cowboy) -> list[Document]:
    return [order for order in turn.actions if order["type"] == "move" and order["cowboy"] == cowboy.id]


def _beside(one: Cowboy, other: Cowboy) -> bool:
    return other.x is not None and other.y is not None and one.direction_to(other.x, other.y) is not None


def _harm(before: Cowboy, after: Cowboy | None) -> str:
    """Return what a cowboy has suffered, as a verb; empty if nothing."""
    if after is None or after.is_dead:
        return "died"
    if after.health < before.health:
        return f"lost {before.health - after.health} health"
    return "got drunk" if after.is_drunk and not before.is_drunk else ""


def _free_jobs(turn: Turn) -> list[str]:
    """Return the jobs that can be called in at the start of a turn, if nothing of worth is on the landing tile."""
    game, gun = turn.before, turn.before.players[turn.player].young_gun
    cowboy, furnishing = game.cowboy_at(*gun.call_in_tile), game.furnishing_at(*gun.call_in_tile)
    is_own = cowboy is not None and cowboy.owner == turn.player
    if not gun.can_call_in or is_own or (furnishing is not None and furnishing.is_piano):
        return []
    limit = game.options.max_cowboys_per_job
    return [job for job in JOBS if game.living_with_job(turn.player, job) < limit]


def _aiming(game: Game, target: Cowboy) -> list[Cowboy]:
    """Return the enemy Sharpshooters whose next shot can reach a cowboy."""
    return [
        enemy
        for enemy in game.cowboys
        if enemy.owner != target.owner and not enemy.is_drunk and not enemy.turns_busy
        if _distance(enemy, target) <= enemy.focus
    ]


def _distance(one: Cowboy, other: Cowboy) -> float:
    """Return the distance of two cowboys in a row or column; infinite for others."""
    dx, dy = (one.x or 0) - (other.x or 0), (one.y or 0) - (other.y or 0)
    return abs(dx + dy) if dx == 0 or dy == 0 else float("inf")


def _has_fired(turn: Turn, enemy: Cowboy) -> bool:
    """Return whether an enemy who stayed where he was has no focus left when the player's next turn begins."""
    later = turn.later.entity(enemy.id)
    return later is not None and not later.is_drunk and (later.x, later.y, later.focus) == (enemy.x, enemy.y, 0)


def _away(turn: Turn, man: Cowboy, *, unaimed: bool = False) -> list[Document] | None:
    """Return the actions of a turn after which a cowboy is elsewhere: without his moves, or with a step at the end.

    Args:
        unaimed: Whether he must be where no enemy's shot can reach him.
    """
    orders = [order for order in turn.actions if order["type"] != "end_turn"]
    steps = [
        {"type": "move", "cowboy": man.id, "x": (man.x or 0) + dx, "y": (man.y or 0) + dy} for dx, dy in STEPS.values()
    ]
    for tried in (turn.without(*_moves(turn, man)), *([*orders, step, {"type": "end_turn"}] for step in steps)):
        game, better = turn.played(tried)
        kept = game.entity(man.id)
        if len(better) < len(tried) or kept is None or (kept.x, kept.y) == (man.x, man.y):
            continue
        if not unaimed or not _aiming(game, kept):
            return better
    return None
