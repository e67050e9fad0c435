"""Writes traces of the test games, so that conformance can be tried on them."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from arena.game import GameSpec, IllegalAction, NoChance, Seeded


def record(game: GameSpec, seed: int = 1, steps: int = 200, **options: Any) -> list[dict[str, Any]]:
    """Play a random game, some refused actions included, and return the lines of its trace."""
    rng = Random(seed)
    values = game.resolve_options(options)
    setup = Seeded(f"{seed}/set-up")
    state = game.start(values, setup)
    first = {"kind": "trace", "version": 1, "game": game.name, "options": values.to_document()}
    first["setup_draws"] = [draw.value for draw in setup.draws]
    lines = [first | {"initial": state.to_document()} | _rest(state)]
    chance = Seeded(f"{seed}/play")
    while state.to_move() and len(lines) <= steps:
        player = state.to_move()[0]
        if rng.random() < 0.2:
            lines.append(_refused(state, player))
        action = rng.choice(state.legal_actions(player))
        state.push(player, action, chance)
        draws = [draw.value for draw in chance.take()]
        line = {"player": player, "action": action, "ok": True, "draws": draws, "state": state.to_document()}
        lines.append(line | _rest(state))
    return json.loads(json.dumps(lines))  # type: ignore[no-any-return]


def _refused(state: Any, player: int) -> dict[str, Any]:
    action = {"type": "dance"}
    try:
        state.push(player, action, NoChance())
    except IllegalAction as refusal:
        return {"player": player, "action": action, "ok": False, "error": refusal.code}
    raise AssertionError("nobody can dance")


def _rest(state: Any) -> dict[str, Any]:
    outcome = state.outcome()
    players = state.to_move()
    return {
        "to_move": list(players) if len(players) > 1 else players[0] if players else None,
        "outcome": outcome and outcome.to_document(),
        "legal_actions": state.legal_actions() if players else [],
    }


def text(lines: list[dict[str, Any]]) -> list[str]:
    """Write the lines as they stand in a file."""
    return [json.dumps(line) + "\n" for line in lines]
