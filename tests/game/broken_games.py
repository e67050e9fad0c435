"""Games with one defect each, all made from one sound little game: two players take counters from a pile."""

from __future__ import annotations

import random
from random import Random
from typing import Any, Literal

from arena.game import (
    Entity,
    GameSpec,
    IllegalAction,
    Integers,
    Option,
    Outcome,
    Seeded,
    State,
    action,
    field,
    shared,
)

COIN = Integers(0, 1)
Word = Literal["low", "high"]


class Player(Entity):
    """One of the two players."""

    index: int = field("0 or 1.")
    taken: int = field("Counters taken.", 0)
    bet: Word | None = field("The player's bet, which is secret.", None, secret=True)


class Pile(State):
    """The sound game: take one to three counters; a coin decides whether one comes back. The last one wins."""

    classes: Any = (Player,)
    hidden_information = True

    pile: int = field("Counters left.", 15)
    turn: int = field("The turn, from 1.", 1)
    players: tuple[Player, ...] = field("Both players.", ())
    note: Any = field("Anything.", None)
    last: Player | None = field("Who took last.", None)
    table: Any = shared("Something that all copies have in common.")

    def setup(self) -> None:
        self.pile += self.chance.draw(COIN, "start")
        self.players = tuple(self.create(Player, f"p{index}", index=index) for index in range(2))
        self.share(table={"seen": 0})

    def load(self, document: dict[str, Any]) -> None:
        self.pile, self.turn, self.note = document["pile"], document["turn"], document["note"]
        self.players = tuple(
            self.create(Player, f"p{index}", index=index, taken=taken, bet=bet)
            for index, (taken, bet) in enumerate(zip(document["taken"], document["bets"], strict=True))
        )
        self.last = None if document["last"] is None else self.players[document["last"]]
        self.share(table={"seen": 0})

    def to_document(self) -> dict[str, Any]:
        return {
            "pile": self.pile,
            "turn": self.turn,
            "note": self.note,
            "taken": [player.taken for player in self.players],
            "bets": [player.bet for player in self.players],
            "last": self.last and self.last.index,
        }

    @property
    def mover(self) -> Player:
        return self.players[(self.turn - 1) % 2]

    @action
    def take(self, count: int) -> None:
        """Take counters from the pile.

        Args:
            count: 1 to 3.
        """
        if not 1 <= count <= min(3, self.pile):
            raise IllegalAction("bad_count", "you may take one, two or three")
        self.pile -= count
        self.mover.taken += count
        self.last = self.mover
        if self.pile and self.chance.draw(COIN, "back"):
            self.pile += 1
        self.turn += 1

    @action
    def bet(self, word: Word) -> None:
        """Bet in secret on the rest of the game; the turn passes.

        Args:
            word: What to bet on.
        """
        if self.mover.bet is not None:
            raise IllegalAction("bet_already", "you have bet already")
        self.mover.bet = word
        self.turn += 1

    def to_move(self) -> tuple[int, ...]:
        return ((self.turn - 1) % 2,) if self.pile else ()

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        bets = [] if self.mover.bet is not None else [{"type": "bet", "word": word} for word in ("low", "high")]
        return [{"type": "take", "count": count} for count in range(1, min(3, self.pile) + 1)] + bets

    def outcome(self) -> Outcome | None:
        return None if self.pile else Outcome(self.last and self.last.index, "last_counter")

    def scores(self) -> tuple[float, ...]:
        return tuple(float(player.taken) for player in self.players)

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Player) and entity.index != player

    @classmethod
    def from_view(cls, view: list[Any], options: Any) -> Any:
        state = super().from_view(view, options)
        state.share(table={"seen": 0})
        return state

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        return cls.from_view(view, options)


def spec(state: Any, **changes: Any) -> GameSpec:
    return GameSpec(**({"name": "pile", "title": "Pile", "version": "1", "state": state} | changes))


class ListInField(Pile):
    """Holds a list in a field and changes it in place."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        if self.note is None:
            self.note = []
        self.note.append(count)
        Pile.take(self, count)


class ListInTuple(Pile):
    """Hides the list one level deeper, and puts it there at the set-up."""

    def setup(self) -> None:
        super().setup()
        self.note = ("moves", [])

    @action
    def take(self, count: int) -> None:
        """Take."""
        self.note[1].append(count)
        Pile.take(self, count)


class ForgetfulUndo(Pile):
    """Writes past the journal."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        object.__setattr__(self, "note", (self.note or 0) + 1)


class LateWrite(Pile):
    """Writes another object's field past the journal."""

    @action
    def bet(self, word: Word) -> None:
        """Bet."""
        Pile.bet(self, word)
        object.__setattr__(self.players[0], "taken", self.players[0].taken + 1)


class HiddenCounter(Pile):
    """Keeps part of the state in a table that all copies share."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.table["seen"] += 1
        if self.table["seen"] % 5 == 0:
            self.pile = 0


class UnlistedLegal(Pile):
    """Accepts four counters, but does not list them."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        if count == 4 and self.pile > 4:
            self.pile -= 1
            count = 3
        Pile.take(self, count)


class UnlistedBet(Pile):
    """Forgets to list one word."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        return [one for one in super().legal_actions(player) if one.get("word") != "high"]


class RandomUnlisted(Pile):
    """Sometimes chooses to take four counters."""

    def random_action(self, player: int, rng: Random) -> dict[str, Any]:
        return rng.choice([*self.legal_actions(player), {"type": "take", "count": 4}])


class RandomWithoutBets(Pile):
    """Chooses at random, but never bets on the high word."""

    def random_action(self, player: int, rng: Random) -> dict[str, Any]:
        return rng.choice([one for one in self.legal_actions(player) if one.get("word") != "high"])


class RandomThatCounts(Pile):
    """Counts in the state how often an action was chosen."""

    def random_action(self, player: int, rng: Random) -> dict[str, Any]:
        self.note = (self.note or 0) + 1
        return super().random_action(player, rng)


class OutOfTurn(Pile):
    """Lets the other player act."""

    def admit(self, player: int, action: Any) -> Any:
        may = self.to_move()
        return super().admit(may[0] if may else player, action)


class ListedIllegal(Pile):
    """Lists three counters where there are only two."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        return [*listed, {"type": "take", "count": 3}] if listed and self.pile < 3 else listed


class GlobalDice(Pile):
    """Uses Python's own dice."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        if self.pile:
            self.pile += random.randint(0, 1)


class OwnDice(Pile):
    """Has dice of its own in the state: whoever copies it knows what will come."""

    def setup(self) -> None:
        super().setup()
        self.share(table=Random(1))


class CountedDice(Pile):
    """Throws dice of its own that are outside the state."""

    dice: Any = Random(5)

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        if self.pile:
            self.pile += self.dice.randint(0, 1)


class KeepsChance(Pile):
    """Keeps the source of dice."""

    def setup(self) -> None:
        super().setup()
        self.share(table={"seen": 0})
        object.__setattr__(self, "note", Seeded(4))


class DrawsThenRefuses(Pile):
    """Rolls before it checks."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        self.chance.draw(COIN, "too early")
        Pile.take(self, count)


class ChangesThenRefuses(Pile):
    """Changes a field past the journal before it refuses."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        if count == 0:
            object.__setattr__(self, "note", (self.note or 0) + 1)
        Pile.take(self, count)


class RefusesWithoutCode(Pile):
    """Has no words for a refusal."""

    @action
    def bet(self, word: Word) -> None:
        """Bet."""
        if self.mover.bet is not None:
            raise IllegalAction("")
        Pile.bet(self, word)


class Crashes(Pile):
    """Stumbles over a negative count."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, (1, 2, 3)[count - 1])


class ForgetsNote(Pile):
    """Does not write down who bet."""

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"bets": [None, None]}


class ReadsWrongly(Pile):
    """Reads the state wrongly."""

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.pile = max(1, self.pile - 1)


class NotJson(Pile):
    """Writes a document with a key that is no string."""

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"taken": {player.index: player.taken for player in self.players}}


class NotRebuilt(Pile):
    """Needs a table that a state from a view does not have."""

    @classmethod
    def from_view(cls, view: list[Any], options: Any) -> Any:
        return super(Pile, cls).from_view(view, options)

    def scores(self) -> tuple[float, ...]:
        return super().scores() if self.table["seen"] == 0 else ()


class TooMuchToShare(Pile):
    """Estimates shares of the win that are more than one win together."""

    def evaluate(self) -> tuple[float, ...]:
        return (0.7, 0.7)


class BrokenDelta(Pile):
    """Leaves something out of what it sends."""

    def delta(self, mark: int, player: int | None = None) -> list[Any]:
        flat = super().delta(mark, player)
        triples = zip(flat[0::3], flat[1::3], flat[2::3], strict=True)
        return [part for triple in triples if triple[1] != "pile" for part in triple]


class LeaksInField(Pile):
    """Copies a secret into a field that everybody sees."""

    @action
    def bet(self, word: Word) -> None:
        """Bet."""
        Pile.bet(self, word)
        self.note = word


class LeaksInEvent(Pile):
    """Tells everybody what was bet."""

    @action
    def bet(self, word: Word) -> None:
        """Bet."""
        Pile.bet(self, word)
        self.event("bet", what=word)


class LeaksInView(Pile):
    """Shows in ``note`` how many have bet low."""

    def view(self, player: int | None = None) -> list[Any]:
        flat = super().view(player)
        flat[flat.index("note") + 1] = self._low_bets()
        return flat

    def _deltas(self, players: Any, mark: int) -> list[Any]:
        return [[*delta, "game", "note", self._low_bets()] for delta in super()._deltas(players, mark)]

    def _low_bets(self) -> int:
        return sum(one.bet == "low" for one in self.players)


class LeaksInActions(Pile):
    """Lists actions by what the other has bet."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        other = self.players[self.turn % 2].bet
        return [one for one in listed if one != {"type": "take", "count": 3}] if other == "low" else listed

    @action
    def take(self, count: int) -> None:
        """Take."""
        if count == 3 and self.players[self.turn % 2].bet == "low":
            raise IllegalAction("bad_count", "not now")
        Pile.take(self, count)


class NeverConceals(Pile):
    """Declares a secret and shows it to all."""

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return False


class OpenSecret(Pile):
    """Declares a secret, but no hidden information."""

    hidden_information = False


class WrongWorld(Pile):
    """Samples a world that contradicts what was seen."""

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        state = cls.from_view(view, options)
        state.players[player].taken += 1
        return state


class NoWorld(Pile):
    """Has hidden information but samples no worlds."""

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Random, options: Any) -> Any:
        return State.determinize.__func__(cls, view, player, rng, options)  # type: ignore[attr-defined]


class Endless(Pile):
    """Puts back what was taken."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.pile = 15


class SameDigest(Pile):
    """Has a digest that knows only the pile."""

    def digest(self) -> str:
        return str(self.pile)


class WrongType(Pile):
    """Puts a boolean where a number belongs."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.mover.taken = True


class WrongWord(Pile):
    """Puts a word where another belongs."""

    @action
    def bet(self, word: Word) -> None:
        """Bet."""
        Pile.bet(self, word)
        self.players[0].bet = "middle"  # type: ignore[assignment]


class KeepsRemoved(Pile):
    """Refers to a player who is out of the game."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        if self.pile < 8 and self.entity("guest") is None:
            guest = self.create(Player, "guest", index=2)
            self.last = guest
            self.remove(guest)


class EntityInAny(Pile):
    """Holds an entity where the declaration names no class."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.note = (self.players[0],)

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"note": None}


class WritesWhenAsked(Pile):
    """Changes the state when it is looked at."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        self.note = (self.note or 0) + 1
        return super().legal_actions(player)


class NoActions(Pile):
    """Lists nothing, though somebody is to move."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        return super().legal_actions(player) if self.pile > 5 else []


class NoOutcome(Pile):
    """Ends without an outcome."""

    def outcome(self) -> Outcome | None:
        return None


class StrangeWinner(Pile):
    """Declares a player the winner whom there is not."""

    def outcome(self) -> Outcome | None:
        return None if self.pile else Outcome(2, "last_counter")


class BackInTime(Pile):
    """Counts its turns backwards."""

    def turn_number(self) -> int:
        return -self.turn


class StrangeFallback(Pile):
    """Would have the referee do what is not allowed."""

    def fallback_action(self, player: int) -> dict[str, Any]:
        return {"type": "take", "count": 9}


class SecretOptions(Pile):
    """Sends a player options that the game itself refuses."""

    def options_for(self, player: int) -> dict[str, Any]:
        return {"colour": "red"}


class ListsTwice(Pile):
    """Lists an action twice."""

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        listed = super().legal_actions(player)
        return listed + listed[:1]


class SharedClone(Pile):
    """Makes clones that are the original."""

    def clone(self) -> Any:
        return self


class SharedFunction(Pile):
    """Shares a function that `pickle` cannot name."""

    score: Any = shared("How to count.")

    def prepare(self) -> None:
        self.share(score=lambda taken: taken)


class MutableAnnotation(Pile):
    """Declares a list."""

    moves: list[int] = field("Moves.", ())


class NoDocs(Pile):
    """Explains nothing."""

    odd: int = field("", 0)


class StrayClass(Pile):
    """Makes an entity of a class that it does not list."""

    def setup(self) -> None:
        super().setup()
        self.create(Stray, "stray")


class Stray(Entity):
    """Not listed."""


class FailingSetup(Pile):
    """Cannot be set up."""

    def setup(self) -> None:
        raise KeyError("rows")


class LosesInView(Pile):
    """Rebuilds a state from a view without the players' counters."""

    @classmethod
    def from_view(cls, view: list[Any], options: Any) -> Any:
        state = super().from_view(view, options)
        for player in state.players:
            object.__setattr__(player, "taken", 0)
        return state


class EntityInEvent(Pile):
    """Sends an object where its id belongs."""

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.event("taken", player=self.mover)


class OddDefault(Pile):
    """Has a default that JSON cannot write."""

    @action
    def take(self, count: int = frozenset()) -> None:  # type: ignore[assignment]
        """Take."""
        Pile.take(self, count)


def doubled(given: dict[str, Any]) -> dict[str, Any]:
    """Resolve options to something else each time."""
    return {"size": 2 * given.get("size", 1)}


BAD_OPTION = (Option("size", "int", 50, "Too large by default.", 1, 10),)


class Underived(Pile):
    """Keeps a private count that `derive` does not compute."""

    streak: int = field("Counters taken in a row.", 0, private=True)

    @action
    def take(self, count: int) -> None:
        """Take."""
        Pile.take(self, count)
        self.streak += 1


BROKEN: list[tuple[Any, str, str]] = [
    (Underived, "private", "derive() does not give what the rules have kept"),
    (ListInField, "mutable_field", "note holds the list"),
    (ListInTuple, "mutable_field", "note holds the list"),
    (ForgetfulUndo, "undo", "note"),
    (ForgetfulUndo, "delta", "note"),
    (HiddenCounter, "chance", "two results"),
    (LateWrite, "undo", "taken"),
    (UnlistedLegal, "unlisted_accepted", '"count": 4'),
    (UnlistedBet, "unlisted_accepted", '"high"'),
    (RandomUnlisted, "random_action", "which is not listed"),
    (RandomWithoutBets, "random_action", 'did not return {"type": "bet", "word": "high"}'),
    (RandomThatCounts, "random_action", "note"),
    (OutOfTurn, "unlisted_accepted", "player"),
    (ListedIllegal, "listed_refused", '"count": 3'),
    (GlobalDice, "chance", "global random generator"),
    (GlobalDice, "repeatable", "digest differs"),
    (OwnDice, "foresight", "OwnDice.table"),
    (CountedDice, "repeatable", "digest differs"),
    (KeepsChance, "foresight", "note"),
    (DrawsThenRefuses, "refusal_draws", "too early"),
    (ChangesThenRefuses, "refusal_leaves_trace", "note"),
    (RefusesWithoutCode, "refusal", "the code ''"),
    (Crashes, "crash", "IndexError"),
    (ForgetsNote, "document_round_trip", ""),
    (ReadsWrongly, "document_round_trip", "pile"),
    (NotJson, "document_round_trip", "taken"),
    (NotRebuilt, "crash", "TypeError"),
    (BrokenDelta, "delta", "pile"),
    (LeaksInField, "secret", "bet is hidden from player"),
    (LeaksInEvent, "secret", "events"),
    (LeaksInView, "secret", "note"),
    (LeaksInActions, "secret", "legal actions"),
    (NeverConceals, "secret", "never hidden"),
    (OpenSecret, "secret", "hidden_information is False"),
    (WrongWorld, "determinize", "taken"),
    (NoWorld, "determinize", "must implement determinize"),
    (Endless, "endless", "no outcome after"),
    (SameDigest, "digest", "not the digest"),
    (WrongType, "field_type", "taken holds true"),
    (WrongWord, "field_type", "one of low, high"),
    (KeepsRemoved, "reference", "is not in the game"),
    (EntityInAny, "reference", "names no entity class"),
    (WritesWhenAsked, "query", ""),
    (NoActions, "players", "no legal action"),
    (NoOutcome, "players", "no outcome"),
    (TooMuchToShare, "players", "add up to 1"),
    (StrangeWinner, "outcome", "winner is 2"),
    (BackInTime, "players", "went back"),
    (StrangeFallback, "players", "fallback_action"),
    (SecretOptions, "determinize", "The option colour is not known here"),
    (ListsTwice, "players", "twice"),
    (SharedClone, "clone", "share the object"),
    (SharedFunction, "clone", "cannot be copied by pickle"),
    (MutableAnnotation, "definition", "list[int]"),
    (NoDocs, "definition", "no explanation"),
    (StrayClass, "definition", "State.classes does not list"),
    (LosesInView, "view_round_trip", "taken"),
    (EntityInEvent, "events", "cannot be sent"),
    (OddDefault, "schema", "not JSON serializable"),
    (FailingSetup, "crash", "set-up raised KeyError"),
]
"""Each broken game, the rule it breaks, and words of the finding."""
