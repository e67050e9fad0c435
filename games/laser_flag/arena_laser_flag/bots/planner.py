"""The Commander's search for the best action. It tries the actions on a copy of the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.game import Chance
from arena_laser_flag.entities import Unit
from arena_laser_flag.moving import range_of
from arena_laser_flag.state import Game
from arena_laser_flag.to_hit import chance_of, parts_against

Document = dict[str, Any]

ACTIVE = 0.8
"""The value of a charged laser, in points."""
EXPOSURE = 0.45
CLOSER = 0.015
OVERWATCH = 0.12
WON = 100.0
WIDTH = 10
"""For each unit, the number of moves for which the planner also tries the best shot after the move."""


class Fixed(Chance):
    """Dice with given results. When no results are left, all further dice show 1."""

    def __init__(self, dice: list[int]) -> None:
        super().__init__()
        self._dice = dice

    def _answer(self, distribution: Any, label: str) -> int:  # noqa: ARG002 - the results are given
        if label == "reaction_order":
            return 0
        return self._dice.pop(0) if self._dice else 1


class Planner:
    """Compares the actions of one player by expected values.

    A shot is tried twice, as a hit and as a miss. Reaction shots are tried as misses only. Their expected damage is
    then subtracted from the value.

    Args:
        state: The position. The planner applies actions to it and undoes them.
        player: The player to plan for.
    """

    def __init__(self, state: Game, player: int) -> None:
        self.state = state
        self.player = player
        self.threats = {unit.id: self._threat(unit) for unit in self._enemies()}
        self.ways = self._ways()

    def best(self, unit_ids: list[str]) -> Document | None:
        """Return the best action of some units, or None if waiting is better."""
        now = self.value()
        best, choice = now + 0.02, None
        for id_ in unit_ids:
            for action, worth in self._weigh(id_):
                if worth > best:
                    best, choice = worth, action
        return choice

    def _weigh(self, id_: str) -> Iterator[tuple[Document, float]]:
        """Yield all actions of a unit with their values.

        If the unit can shoot after a move, yield the most promising moves again. Their values then
        include the best shot after the move.
        """
        actions = [action for action in self.state.legal_actions() if action.get("unit") == id_]
        moves = []
        for action in actions:
            if action["type"] == "move":
                worth = self.expected_move(action, follow=False)
                moves.append((worth + self._promise(id_, action), action))
                yield action, worth
            else:
                yield action, self.expected_shot(action)
        moves.sort(key=lambda pair: -pair[0])
        unit = self.state.entity(id_)
        if unit is not None and unit.ap >= 2 and unit.laser == "charged":
            for _, action in moves[:WIDTH]:
                yield action, self.expected_move(action, follow=True)

    def _promise(self, id_: str, move: Document) -> float:
        """Estimate the value of the best shot after a move."""
        unit = self.state.entity(id_)
        seen = self.state.board.seen_from(move["x"], move["y"])
        raised = self.state.board.is_cover(move["x"], move["y"])
        numbers = unit.numbers
        best = 0.0
        for enemy in self._enemies():
            if seen & self.state.board.bit(enemy.x, enemy.y):
                needed = numbers.to_hit + (numbers.elevated_attack if raised else 0)
                needed += enemy.numbers.elevated_defense if enemy.elevated else 0
                best = max(best, chance_of(needed) * (1 + ACTIVE * (enemy.laser != "deactivated")))
        if self.state.rules.base_shooting:
            needed = numbers.to_hit + (numbers.elevated_attack if raised else 0) + self.state.rules.base_modifier
            for base in self.state.board.bases:
                if base.owner == 1 - self.player and seen & self.state.board.bit(base.x, base.y):
                    best = max(best, chance_of(needed) * self.state.rules.base_points)
        return best

    # -- expected values ----------------------------------------------------------------------------

    def expected_move(self, action: Document, *, follow: bool) -> float:
        """Return the expected value of a move; with `follow`, of a move and the best shot after it."""
        state = self.state
        mark = state.push(self.player, action, Fixed([]))
        try:
            worth = self.value()
            if follow and state.reason is None and state.active_player == self.player:
                shots = [
                    shot
                    for shot in state.legal_actions()
                    if shot.get("unit") == action["unit"] and shot["type"] != "move"
                ]
                worth = max([worth, *(self.expected_shot(shot) for shot in shots)])
            return worth - self._reaction_cost(mark)
        finally:
            state.pop(mark)

    def expected_shot(self, action: Document) -> float:
        """Return the expected value of a shot."""
        chance, missed = self._branch(action, [1, 1])
        if chance >= 1:
            return missed
        _, hit = self._branch(action, [6, 6])
        return chance * hit + (1 - chance) * missed

    def _branch(self, action: Document, dice: list[int]) -> tuple[float, float]:
        """Try a shot with the given dice. Return the chance of a hit, and the value of the position after the shot."""
        state = self.state
        mark = state.push(self.player, action, Fixed(dice))
        try:
            shot = next(event for event in state.events(mark) if event["kind"] == "shot")
            return chance_of(shot["needed"]), self.value() - self._reaction_cost(mark)
        finally:
            state.pop(mark)

    def _reaction_cost(self, mark: int) -> float:
        """Return the expected cost of the reaction shots since the `State.push` that returned `mark`."""
        safe, target = 1.0, None
        for event in self.state.events(mark):
            if event["kind"] == "shot" and event["reaction"] and not event["hit"]:
                safe *= 1 - chance_of(event["needed"])
                target = event["target"]
        if target is None:
            return 0.0
        return (1 - safe) * self._loss(self.state.entity(target))

    def _loss(self, unit: Unit) -> float:
        """Return the cost of a hit on an own unit."""
        state = self.state
        points = state.rules.hit_points
        enemy = state.players[1 - unit.player]
        if enemy.target_score is not None and enemy.score + points >= enemy.target_score:
            return WON
        lost = ACTIVE if unit.laser != "deactivated" else 0.0
        return points + lost + (1.5 if not self.ways else 0.0)

    # -- the value of a position --------------------------------------------------------------------

    def value(self) -> float:
        """Return the value of the position for the player if the enemy's turn comes next."""
        state, me = self.state, self.player
        if state.reason is not None:
            return 0.0 if state.winner is None else WON if state.winner == me else -WON
        mine, theirs = state.players[me], state.players[1 - me]
        worth = float(mine.score - theirs.score)
        enemies = [unit for unit in theirs.units if unit.laser != "deactivated"]
        worth -= ACTIVE * len(enemies)
        worth -= 1.5 * len(theirs.units) - 1.5 * len(mine.units)
        for unit in mine.units:
            worth += self._standing(unit, enemies)
        worth -= sum(0.05 * self._way(unit) for unit in mine.units if unit.laser == "deactivated")
        return worth

    def _standing(self, unit: Unit, enemies: list[Unit]) -> float:
        """Return the value of one own unit: its laser, its reaction shots, its danger, its place."""
        board = self.state.board
        bit = board.bit(unit.x, unit.y)
        worth = {"charged": ACTIVE, "charging": 0.8 * ACTIVE, "deactivated": 0.0}[unit.laser]
        exposure = 0.0
        seen = board.seen_from(unit.x, unit.y)
        near = 99
        for enemy in enemies:
            if seen & board.bit(enemy.x, enemy.y):
                exposure += chance_of(sum(parts_against(self.state, enemy, unit).values()))
            elif self.threats.get(enemy.id, 0) & bit:
                exposure += 0.2
        for enemy in self._enemies():
            near = min(near, max(abs(enemy.x - unit.x), abs(enemy.y - unit.y)))
        if enemies:
            worth -= EXPOSURE * min(exposure, 1.5) * min(self._loss(unit), 4.0)
        if unit.laser != "deactivated":
            worth -= CLOSER * min(near, 25)
        if unit.ap and not unit.shots_fired and unit.laser != "deactivated":
            watched = any(self.threats.get(enemy.id, 0) & bit for enemy in enemies)
            worth += OVERWATCH * min(unit.ap, unit.numbers.max_overwatch) * (1.0 if watched else 0.5)
        return worth

    def _enemies(self) -> tuple[Unit, ...]:
        units: tuple[Unit, ...] = self.state.players[1 - self.player].units
        return units

    def _threat(self, unit: Unit) -> int:
        """Return the tiles that a unit sees now or after one move."""
        board = self.state.board
        tiles = board.seen_from(unit.x, unit.y)
        for x, y in board.tiles(range_of(self.state, unit, self.state.units)):
            tiles |= board.seen_from(x, y)
        return tiles

    def _ways(self) -> list[dict[tuple[int, int], int]]:
        """Return the number of steps from every tile to each base that the player can use."""
        board = self.state.board
        ways = []
        for base in board.bases:
            if not self.state.rules.usable(base.owner, self.player):
                continue
            steps = {(base.x, base.y): 0}
            front = [(base.x, base.y)]
            for x, y in front:
                for place in ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)):
                    if place not in steps and board.kind(*place) in ".o":
                        steps[place] = steps[x, y] + 1
                        front.append(place)
            ways.append(steps)
        return ways

    def _way(self, unit: Unit) -> int:
        """Return the distance to the nearest base without another unit.

        The distance of the base on which the unit stands is 4, since the unit must leave that base and come back.
        """
        others = {other.place for other in self.state.units if other is not unit}
        steps = [way.get(unit.place, 40) or 4 for way in self.ways if next(iter(way)) not in others]
        return min(steps, default=15)
