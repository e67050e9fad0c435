"""The state of a game of Derelict: what the framework calls, and all choices of the players."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from arena.game import IllegalAction, MalformedAction, Outcome, Tile, action
from arena.game.action import Call
from arena_derelict import assault, commands, documents, estimate, flow, hidden, moving, reveal, setup, shooting, turns
from arena_derelict.board import board_of
from arena_derelict.legal_actions import OPEN, is_over_limit, list_choices, random_choice
from arena_derelict.matches import leg_score
from arena_derelict.position import Position


class Game(Position):
    """Derelict: marines against aliens in the corridors of a wrecked ship."""

    hidden_information = True

    steps: ClassVar[Mapping[str, Callable[..., bool]]] = {
        "deployment": setup.deploy,
        "marine_turn": turns.start_marine_turn,
        "command_roll": turns.roll_command_points,
        "alien_turn": turns.start_alien_turn,
        "reinforce": setup.ask_for_reinforcement,
        "check": reveal.check,
        "orient": reveal.ask_to_orient,
        "place_others": reveal.place_others,
        "overwatch": shooting.open_overwatch_fire,
        "fire": shooting.fire,
        "contest": assault.contest,
        "guard": assault.on_guard,
        "resolve": assault.resolve,
    }

    # -- making a state ----------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Make the static map, which all copies of the game share."""
        self.share(board=board_of(self.options.mission))

    def setup(self) -> None:
        """Make the starting position and run the rules until the first choice."""
        setup.place_mission(self)
        turns.start_game(self)

    def load(self, document: dict[str, Any]) -> None:
        """Make the position that a JSON state describes."""
        documents.load(self, document)

    def to_document(self) -> dict[str, Any]:
        """Return the JSON state. Its key ``pending`` contains the other data that a saved game needs."""
        return documents.state_document(self) | {"pending": documents.pending_document(self)}

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Game:
        """Sample a state that agrees with a view: draw the unknown numbers of aliens in blips.

        Args:
            view: The player's view.
            player: The player. Player 1 knows everything.
            rng: A random generator for the guesses.
            options: The options of the game as the player knows them.
        """
        del player
        return cls.from_view(hidden.fill_in_counts(view, rng), options)

    # -- the contract ------------------------------------------------------------------------------------------------

    def to_move(self) -> tuple[int, ...]:
        """Return the player who has to decide; an empty tuple if the game is over."""
        return () if self.decision is None else (self.decision.player,)

    def turn_number(self) -> int:
        """Return the turn number, from 1: odd in the marines' turns, even in the aliens' turns."""
        return 2 * self.turn - (self.side == "marine")

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return all choices, each with its cost and other details; empty if the player has no decision to make."""
        decision = self.decision
        if decision is None or (player is not None and player != decision.player):
            return []
        return list_choices(self)

    def random_action(self, player: int, rng: Random) -> dict[str, Any]:  # noqa: ARG002 - one player decides
        """Return a random choice. All have the same probability."""
        return random_choice(self, rng)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return None if self.ended is None else Outcome(self.winner, self.ended)

    def scores(self) -> tuple[float, ...]:
        """Return the leg score for the marines and 0 for the aliens."""
        return float(leg_score(self)), 0.0

    def evaluate(self) -> tuple[float, ...] | None:
        """Estimate the probabilities that the players win. Return None for missions of an unusual kind."""
        return estimate.shares(self)

    def conceals(self, player: int, entity: Any, name: str) -> bool:  # noqa: ARG002 - the count is the only secret
        """Return whether the numbers in blips are hidden from a player: true for the marines."""
        return player == 0

    def options_for(self, player: int | None) -> dict[str, Any]:
        """Return the options without hidden information: the marines do not get the numbers in blips."""
        return hidden.options_for(self.options, player)

    def tile(self, x: int, y: int) -> Tile:
        """Return a tile, even if it is off the map. The rules of each action refuse such a tile with a reason."""
        return Tile(x, y)

    def admit(self, player: int, action: Any) -> Call:
        """Check an action in the order that the rules specify, and decode it."""
        decision = self.decision
        if decision is None:
            raise IllegalAction("game_over")
        if player != decision.player:
            raise IllegalAction("not_your_turn")
        try:
            call = self.decode(action)
        except MalformedAction:
            raise IllegalAction("malformed_action") from None
        name = call.action.type
        if name not in OPEN[decision.kind] or (decision.kind == "reveal" and not reveal.is_offered(self, name)):
            raise IllegalAction("choice_not_open_now")
        if is_over_limit(self, decision.kind, name):
            raise IllegalAction("choice_limit_reached")
        if name in ("shoot", "assault", "overwatch", "guard", "unjam") and not self.options.combat:
            raise IllegalAction("choice_not_open_now")
        return call

    # -- choices -----------------------------------------------------------------------------------------------------

    @action
    def activate(self, cell: Tile) -> None:
        """Activate your unit in a cell. The activation of the previous unit is over for this turn.

        During deployment this picks the marine to be placed. In the ruleset full, you can activate a marine again if
        you have at least `reactivate_min` command points. That activation costs no command points. It gives no action
        points.

        Args:
            cell: The unit's cell.
        """
        if self._decided == "deploy_pick":
            setup.pick(self, cell)
        else:
            turns.activate(self, cell)

    @action
    def move(self, cell: Tile) -> None:
        """Move the active unit one step, or from a lurk cell to the nearest free entry cell.

        During deployment this places the picked marine on a start cell.

        Args:
            cell: The cell to move to.
        """
        if self._decided == "deploy_place":
            setup.place(self, cell)
        else:
            moving.move(self, cell)

    @action
    def turn_left(self) -> None:
        """Turn the active unit, or the alien being placed, by 90 degrees anticlockwise."""
        self._turn(-1)

    @action
    def turn_right(self) -> None:
        """Turn the active unit, or the alien being placed, by 90 degrees clockwise."""
        self._turn(1)

    def _turn(self, quarters: int) -> None:
        if self._decided == "turn":
            moving.rotate(self, quarters)
        else:
            reveal.orient(self, quarters)

    @action
    def door(self, cell: Tile) -> None:
        """Open or close a door in one of the three cells in front of the active unit.

        Args:
            cell: The door's cell.
        """
        moving.toggle_door(self, cell)

    @action
    def shoot(self, cell: Tile) -> None:
        """Shoot with the active marine at an alien or a closed door; with the flamer at a section.

        Args:
            cell: The target's cell. For the flamer, the nearest visible cell of the section.
        """
        shooting.shoot(self, cell)

    @action
    def assault(self, cell: Tile) -> None:
        """Attack the enemy straight ahead of the active unit. If there is none, attack the door there.

        Args:
            cell: The cell straight ahead.
        """
        assault.assault(self, cell)

    @action
    def overwatch(self) -> None:
        """Put the active marine on overwatch: it shoots at aliens that act in its sight and range.

        This ends the activation.
        """
        commands.overwatch(self)

    @action
    def guard(self) -> None:
        """Put the active marine on guard: you can roll its dice in an assault again. This ends the activation."""
        commands.guard(self)

    @action
    def unjam(self) -> None:
        """Clear the jam of the active marine's weapon, or the jam that has just happened on overwatch."""
        if self._decided == "unjam_now":
            shooting.unjam_now(self, accepted=True)
        else:
            commands.unjam(self)

    @action
    def decline(self) -> None:
        """Leave the weapon jammed."""
        shooting.unjam_now(self, accepted=False)

    @action
    def command(self) -> None:
        """Spend a command point on an action point for the active marine."""
        commands.command(self)

    @action
    def reveal(self) -> None:
        """Reveal the active blip: it becomes an alien, and the other aliens of the blip are placed around it."""
        reveal.reveal(self)

    @action
    def deploy(self, cell: Tile) -> None:
        """Place a reinforcement on a lurk cell, or another alien of a revealed contact beside the first alien.

        Args:
            cell: The cell for the new unit.
        """
        kind = self._decided
        if kind == "reinforce":
            setup.reinforce(self, cell)
        elif kind == "reveal":
            reveal.deploy(self, cell)
        else:
            reveal.forced_place(self, cell)

    @action
    def reroll(self) -> None:
        """Roll the dice of the decision again."""
        if self._decided == "command_reroll":
            turns.settle_command_roll(self, again=True)
        else:
            assault.settle(self, again=True)

    @action
    def accept(self) -> None:
        """Accept the current roll. In the decision face_attacker, keep the facing of the unit instead."""
        if self._decided == "command_reroll":
            turns.settle_command_roll(self, again=False)
        elif self._decided == "face_attacker":
            flow.proceed(self)
        else:
            assault.settle(self, again=False)

    @action
    def face(self) -> None:
        """Turn the unit that was assaulted towards its attacker."""
        assault.face(self)

    @action
    def pass_(self) -> None:
        """End your turn. In the decision forced_orient, keep the facing of the alien instead."""
        if self._decided == "forced_orient":
            flow.proceed(self)
        else:
            turns.end_turn(self)

    @property
    def _decided(self) -> str:
        """The kind of the current decision; empty if there is none."""
        return self.decision.kind if self.decision is not None else ""
