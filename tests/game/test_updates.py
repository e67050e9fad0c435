"""What several players are sent at once is what each would be sent alone, and equal parts are computed once."""

from __future__ import annotations

from random import Random
from typing import Any

import cellar_game as cellar
import pytest
import sealed_orders_game as sealed_orders

from arena.game import Entity, GameError, GameSpec, Sampled, State, field
from arena.match.lookup import find_game
from arena.study.checks.contract.fold import fold

FOG = {"rules": {"fog_of_war": True}}
GAMES = [
    (find_game("snakes"), {"players": 2}),
    (find_game("snakes"), {"players": 6}),
    (find_game("derelict"), {}),
    (find_game("laser_flag"), FOG),
    (find_game("saloon"), {}),
    (cellar.GAME, {}),
    (sealed_orders.GAME, {"rounds": 200}),
]


@pytest.mark.parametrize(("game", "options"), GAMES, ids=[f"{game.name}-{options}" for game, options in GAMES])
def test_all_players_at_once_are_sent_what_each_is_sent_alone(game: GameSpec, options: dict[str, Any]) -> None:
    rng = Random(1)
    state = game.start(options, Sampled(rng))
    players = range(game.players_in(state.options))
    known = {player: fold({}, state.view(player)) for player in (None, *players)}
    for _ in range(150):
        mark = state.mark
        for _ in range(rng.choice((1, 1, 1, 3))):
            if state.to_move():
                mover = rng.choice(state.to_move())
                state.push(mover, state.random_action(mover, rng), Sampled(rng))
        updates = state.updates(mark, (*players, None))
        for player, (delta, events) in zip((*players, None), updates, strict=True):
            assert delta == state.delta(mark, player)
            assert events == state.events(mark, player)
            assert fold(known[player], delta) == fold({}, state.view(player))
        state.commit()


def test_players_who_are_sent_the_same_share_one_list() -> None:
    state: Any = find_game("snakes").start({"players": 8}, Sampled(Random(1)))
    mark = state.push(3, state.legal_actions(3)[0])
    updates = [delta for delta, _ in state.updates(mark, range(8))]
    assert updates[3] == ["s3", "chosen", state.snakes[3].chosen]
    assert updates[0] == []
    assert all(delta is updates[0] for player, delta in enumerate(updates) if player != 3)


class Hand(Entity):
    """Something that only its owner sees. The owner can change."""

    owner: int = field("The player.")
    card: str | None = field("The card.", None, secret="owner")
    mark: int = field("Public.", 0)


class Table(State):
    """Hands of three players."""

    classes = (Hand,)
    hidden_information = True
    hands: tuple[Hand, ...] = field("All hands.", ())

    def setup(self) -> None:
        self.hands = tuple(self.create(Hand, f"h{number}", owner=number, card="ace") for number in range(3))


class AskedHand(Entity):
    """The same, where the rules are asked."""

    owner: int = field("The player.")
    card: str | None = field("The card.", None, secret=True)
    mark: int = field("Public.", 0)


class AskedTable(State):
    """The same, where the rules are asked."""

    classes = (AskedHand,)
    hidden_information = True
    hands: tuple[AskedHand, ...] = field("All hands.", ())

    def setup(self) -> None:
        self.hands = tuple(self.create(AskedHand, f"h{number}", owner=number, card="ace") for number in range(3))

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, AskedHand) and entity.owner != player


@pytest.mark.parametrize("seed", range(30))
def test_a_secret_of_its_owner_is_hidden_like_one_that_the_rules_conceal(seed: int) -> None:
    sent = []
    for cls, hand in ((Table, Hand), (AskedTable, AskedHand)):
        rng = Random(seed)
        state: Any = cls.new(None)
        known = [fold({}, state.view(player)) for player in range(3)]
        for step in range(12):
            mark = state.mark
            for _ in range(rng.randint(1, 4)):
                change(state, hand, step, rng)
            updates = [delta for delta, _ in state.updates(mark, range(3))]
            for player in range(3):
                assert fold(known[player], updates[player]) == fold({}, state.view(player))
            sent.append((cls is Table, updates))
            state.commit()
    half = len(sent) // 2
    names = [str(updates).replace("AskedHand", "Hand") for _, updates in sent]
    assert names[:half] == names[half:]


def change(state: Any, cls: Any, step: int, rng: Random) -> None:
    """Change a field, pass a hand on, make one, or remove one."""
    hands = state.hands
    one = rng.choice(hands)
    what = rng.randrange(5)
    if what == 0:
        one.card = rng.choice(("ace", "king", None))
    elif what == 1:
        one.owner = rng.randrange(3)
    elif what == 2:
        one.mark += 1
    elif what == 3:
        made = state.create(
            cls, f"n{step}-{len(state._journal)}", owner=rng.randrange(3), card=rng.choice(("ten", None))
        )
        state.hands = (*hands, made)
    elif len(hands) > 2:
        state.hands = tuple(other for other in hands if other is not one)
        state.remove(one)


def test_the_owner_of_a_secret_is_a_number() -> None:
    class Lost(Entity):
        """Its owner is no number."""

        owner: str = field("The player.")
        card: int = field("The card.", 0, secret="owner")

    class Losers(State):
        """A game with a mistake."""

        classes = (Lost,)

    with pytest.raises(GameError, match=r"Lost\.card is secret='owner', but owner is no field of the type int"):
        Losers.plan()
