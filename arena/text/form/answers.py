"""Find the actions in an answer of a person or a model, or say why there are none.

An answer goes one way:

1. Without what was only thought, struck out or corrected, it is an answer in tags, behind "answer:", in code fences,
   or all of it.
2. That is cut into clauses: JSON, lines, parts between semicolons, sentences (``clauses``), each a list of words
   (``words``).
3. A clause that has nothing but an order counts before a sentence with other words; a sentence with a doubt, such as
   "could" or "or", or a question, gives no order at all. What was left out is named in the reason.
4. Of several orders with remarks that cannot all be carried out, a later line decides, or none is carried out.
5. The words of an order are compared with the legal actions. If exactly one agrees, it is meant (``fitting``).
   If none does, the words are fitted to the parameters, so that the rules can say why it is not legal.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from arena.game.forms import covers, is_form, spread
from arena.text.form.clauses import BULLET, FINAL, Clause, DuplicateKeyError, clauses, passages, stretches
from arena.text.form.fitting import Document, agrees, fitted, named, slots_of, values_of
from arena.text.form.orders import actions_of, argument, declared, head, order, usage
from arena.text.form.values import word as one_word
from arena.text.form.words import ARTICLES, VALUES, AnswerWord, Vocabulary, has
from arena.text.printable import one_line
from arena_player.schema import Action, Schema

LONGEST_ANSWER = 100_000
"""Characters of an answer that are read: more is no answer, and reading must not take long."""
NEAREST = 3
MOST_COMPARED = 500
"""Legal actions that are compared with an answer to find the nearest: a comparison of all may take a second."""
MOST_LISTED = 12
"""Values of a missing argument that a reason lists: about a line."""
LONGEST_SHOWN = 40
"""Characters of a word that a reason quotes."""
MOST_CLAUSES = 1_000
"""Lines and sentences of an answer that are read: so many actions a message of the protocol can have."""
MOST_BOUNDARIES = 12
"""Words before the name of an action among which its order can begin: who acts, and arguments with their labels."""
TITLE_SIGNS = (":", "=", "is")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        actions: The documents of its actions, in order; up to the first that cannot be read.
        reason: Why there is no action, or no further one, or why the first is not legal, or which orders are left out,
            since the answer only mentions them; empty if all is well. It is a sentence, and names the three nearest
            legal actions if there are legal ones and something cannot be read.
        illegal: Whether the first action was read, but is not among the legal ones. The rules say why.
    """

    actions: tuple[Document, ...]
    reason: str = ""
    illegal: bool = False


def read(schema: Schema, answer: str, legal: Sequence[Document] = ()) -> ReadAnswer:
    """Read the actions in an answer: one or several orders, alone, in a code fence or between other words, or JSON.

    Every spelling with one meaning is read: upper case, quotes, brackets, labels such as ``x=2``, other orders of the
    words, and with `legal` also orders that leave out what only one legal action can mean. Orders in tags such as
    ``<answer>``, or behind "answer:", count before those in code fences, and these before orders on lines of their
    own, which count before those within sentences. What is only mentioned is no order: "c1 could move 2,1".

    Args:
        schema: The game's schema.
        answer: The answer.
        legal: The legal actions, forms too. The first action is checked against them; what is legal after it is
            unknown here. Without them, an order must be complete, and nothing is checked.
    """
    reader = _Reader(schema, legal)
    spoken, first, second = passages(answer[:LONGEST_ANSWER])
    reading = reader.read(first)
    if not reading.actions:
        outside = reader.read(second)
        reading = outside if outside.actions or not first.strip() else reading
    done = {order(schema, action) for action in reading.actions}
    others = [text for text in reader.mentioned(spoken) if text not in done] if done and not reading.illegal else []
    reasons = [reading.reason] + ([f"Only mentioned, and left out: {_listed(others)}."] if others else [])
    if reading.reason:
        reasons.append(reader.nearest(order(schema, reading.actions[0]) if reading.illegal else answer))
    return ReadAnswer(reading.actions, " ".join(filter(None, reasons)), reading.illegal)


class _Reader:
    def __init__(self, schema: Schema, legal: Sequence[Document]) -> None:
        pairs = [(declared(schema, action), action) for action in legal]
        self._schema = schema
        self._entries = actions_of(schema)
        self._legal = [action for entry, action in pairs if entry is not None]
        self._by_entry = [[action for other, action in pairs if other is entry] for entry in self._entries]
        self._vocabulary = Vocabulary(schema, legal)

    def read(self, text: str) -> ReadAnswer:
        try:
            cut = list(islice(clauses(self._vocabulary, text, self._is_order), MOST_CLAUSES))
        except DuplicateKeyError as error:
            return ReadAnswer((), f"The key {one_word(str(error)[:LONGEST_SHOWN])} has two values in the answer.")
        cut, doubt = self._decided(cut)
        if doubt:
            return ReadAnswer((), doubt)
        actions: list[Document] = []
        failed: list[list[AnswerWord]] = []
        for is_alone in (True, False):
            unread = [clause.text for clause in cut if is_alone and _is_unread(clause)]
            for clause, run in ((part, run) for part in cut for run in part.runs if part.is_alone == is_alone):
                found = self._orders(run, is_first=not actions, is_alone=is_alone)
                actions += [action for action in found or () if is_alone or action not in actions]
                if found is None and is_alone and values_of(run) and has(run, "action"):
                    return self._checked(actions, self._why(run, cut))
                if found is None:
                    failed.append(run)
                    unread += [clause.text] if is_alone and values_of(run) and clause.text.rstrip()[-1:] != ":" else []
            heads = [head(self._schema, action) for action in actions]
            both = [self.order(action) for at, action in enumerate(actions) if heads.count(heads[at]) > 1]
            if both and not is_alone:
                reason = f"The answer has both {' and '.join(both[:2])}. Write one order on each line."
                return ReadAnswer((), reason)
            if actions:
                texts = [one_line(text.strip()[:LONGEST_SHOWN]) for text in unread]
                return self._checked(actions, f"Not read: {_listed(texts)}." if texts else "")
        return ReadAnswer((), self._why(failed[0] if failed else (), cut))

    def _is_order(self, words: Sequence[AnswerWord]) -> bool:
        return self._orders(words, is_first=True) is not None

    def _decided(self, cut: list[Clause]) -> tuple[list[Clause], str]:
        """Return the clauses without orders that were only weighed, or the reason why nothing decides between them.

        Orders with remarks are doubtful if only one of them can be carried out: they have one head, or one has nobody
        who acts, such as the end of a turn. What is marked as final, or what follows without a remark, decides.
        """
        alone = [at for at, clause in enumerate(cut) if clause.is_alone and clause.runs]
        if len(alone) < 2:
            return cut, ""
        said = [(at, self._orders(cut[at].runs[0], is_first=True)) for at in alone]
        options = [(at, actions[0]) for at, actions in said if actions]
        texts: dict[str, set[str]] = {}
        for _, action in options:
            texts.setdefault(head(self._schema, action), set()).add(self.order(action))
        heads = {at: head(self._schema, action) for at, action in options}
        remarked = [at for at, _ in options if cut[at].has_remark]
        rivals = (len(texts) > 1 and at != options[-1][0] and " " not in heads[at] for at in remarked)
        is_doubtful = any(len(texts[heads[at]]) > 1 for at in remarked) or any(rivals)
        doubtful = remarked if is_doubtful else []
        finals = [at for at in heads if FINAL.match(cut[at].text)]
        last = [at for at in finals if heads[at] == heads[finals[0]]] or [
            at for at in heads if doubtful and at > doubtful[-1]
        ][:1]
        if last and (heads[last[-1]] in [heads[at] for at in heads if at < last[-1]] or (finals and doubtful)):
            ruled_out = {at for at in heads if at < last[-1] or at in doubtful} - {last[-1]}
            return [clause for at, clause in enumerate(cut) if at not in ruled_out], ""
        if doubtful:
            both = list(dict.fromkeys(self.order(action) for _, action in options))[:2]
            return cut, f"The answer weighs {' and '.join(both)}. Write your orders only, one on each line."
        return cut, ""

    def order(self, action: Document) -> str:
        return order(self._schema, action)

    def mentioned(self, text: str) -> list[str]:
        """Return the orders that stand anywhere in a text in full."""
        lines = [self._vocabulary.words(BULLET.sub("", line, count=1)) for line in text.splitlines()[:MOST_CLAUSES]]
        runs = [run.words for words in lines for run in stretches(words) if has(run.words, "action")]
        orders = [self._orders(run, is_first=False) for run in runs]
        return list(dict.fromkeys(self.order(action) for actions in orders for action in actions or ()))

    def _checked(self, actions: list[Document], reason: str = "") -> ReadAnswer:
        illegal = bool(actions and self._legal) and not self._is_legal(actions[0])
        return ReadAnswer(tuple(actions), f"{self.order(actions[0])} is not legal now." if illegal else reason, illegal)

    def _is_legal(self, action: Document) -> bool:
        return any(covers(entry, action) if is_form(entry) else entry == action for entry in self._legal)

    def _orders(self, words: Sequence[AnswerWord], *, is_first: bool, is_alone: bool = True) -> list[Document] | None:
        """Return the orders of some words; None if one cannot be read. Names of actions can be nouns too."""
        bare = [word for index, word in enumerate(words) if not _is_title(words, index)]
        actions = self._split(words, is_first, is_alone)
        return self._split(bare, is_first, is_alone) if actions is None and has(bare, "action") else actions

    def _split(self, words: Sequence[AnswerWord], is_first: bool, is_alone: bool) -> list[Document] | None:
        """Return the orders of words, each with the name of an action. One ends where all that is left can begin."""
        actions: list[Document] = []
        places = [index for index, word in enumerate(words) if word.kind == "action"][:MOST_CLAUSES] or [0]
        start = 0
        for place, limit in pairwise([*places, len(words)]):
            first = max(place + 1, limit - MOST_BOUNDARIES) if limit < len(words) else limit
            for end in range(limit, first - 1, -1):
                if (action := self._order(words[start:end], is_first and not actions, is_alone)) is not None:
                    break
            else:
                return None
            actions.append(action)
            start = end
        return actions

    def _order(self, words: Sequence[AnswerWord], is_first: bool, is_alone: bool) -> Document | None:
        """Return the action that words mean: the only legal one that agrees with them, or one with all its values."""
        entries = named(self._entries, words)
        if is_first and (is_alone or values_of(words) or not any(map(slots_of, entries))):
            legal = self._agreeing(words)
            if legal:
                return legal[0][1] if len({self.order(action) for _, action in legal}) == 1 else None
        fits = [self._fitted(entry, words) for entry in entries]
        whole = [action for action, missing, left in fits if not missing and not left]
        return whole[0] if len(whole) == 1 else None

    def _fitted(self, entry: Action, words: Sequence[AnswerWord]) -> tuple[Document, list[str], list[AnswerWord]]:
        return fitted(self._schema, entry, words, self._legal_of(entry))

    def _legal_of(self, entry: Action) -> list[Document]:
        return next(legal for other, legal in zip(self._entries, self._by_entry, strict=True) if other is entry)

    def _agreeing(self, words: Sequence[AnswerWord]) -> list[tuple[Action, Document]]:
        """Return the legal actions that words can mean; of several, the one that leaves out defaults only."""
        if not any(word.kind in ("action", "part", *VALUES) and word.value is not None for word in words):
            return []
        found: list[tuple[Action, Document]] = []
        plain: list[tuple[Action, Document]] = []
        for entry in named(self._entries, words) if has(words, "action", "part") else self._entries:
            action, missing, left = self._fitted(entry, words)
            for legal in self._legal_of(entry):
                is_form_of = is_form(legal) and not missing and not left and covers(legal, action)
                if is_form_of or (not is_form(legal) and agrees(entry, legal, action, left)):
                    found.append((entry, action if is_form_of else legal))
                    plain += found[-1:] if agrees(entry, found[-1][1], action, left, in_full=True) else []
        return plain if len(plain) == 1 and all(entry is plain[0][0] for entry, _ in found) else found

    # -- reasons -------------------------------------------------------------------------------------

    def _why(self, words: Sequence[AnswerWord], cut: Sequence[Clause]) -> str:
        """Return why words are no order: what is missing in them, or too much, or that no action is named."""
        legal = self._agreeing(words)
        if legal:
            entry = legal[0][0]
            slots = slots_of(entry)
            columns = {slot.name: [argument(self._schema, slot, action) for _, action in legal] for slot in slots}
            if any(other is not entry for other, _ in legal):
                columns = {"The action": [self.order(action) for _, action in legal]}
            differing = [name for name, texts in columns.items() if len(set(texts)) > 1]
            for name in (*differing, *self._fitted(entry, words)[1])[:1]:
                return f"{name} is missing: one of {_listed(columns[name])}."
        for word in values_of(words)[:MOST_LISTED]:
            if others := self._agreeing([other for other in words if other is not word]):
                return f"{_shown(word)} does not fit: {_listed([self.order(action) for _, action in others])} would."
        for entry in named(self._entries, words):
            _, missing, left = self._fitted(entry, words)
            if missing or left:
                return f"{missing[0]} is missing." if missing else f"{_shown(left[0])} is too much in this order."
        if values := values_of(words):
            return f"{_shown(values[0])} does not fit."
        titles = [clause for clause in cut if clause.text.rstrip().endswith(":")]
        unknown = [
            _shown(word) for clause in cut if clause not in titles for word in clause.words if word.kind == "noise"
        ]
        begin = f"Unknown here: {_listed(unknown)}. " if 0 < len(unknown) <= NEAREST else ""
        if any(has(clause.words, "action") and not clause.runs for clause in cut):
            return f"{begin}The answer only mentions orders. Write yours on a line of its own."
        names = [action["type"] for action in self._legal] or [entry.name for entry in self._entries]
        return f"{begin}The answer names no action: one of {_listed(names)}."

    def nearest(self, text: str) -> str:
        """Return the end of a reason: the legal actions that are most like a text; without legal ones, all usages."""
        if not self._legal:
            return f"Orders: {'; '.join(usage(entry, self._schema) for entry in self._entries)}."
        actions = spread(self._legal)[:MOST_COMPARED]
        texts = dict.fromkeys(map(self.order, actions))
        line = next((part for part in text.splitlines() if part.strip()), "")[:200]
        return f"Legal and nearest: {'; '.join(difflib.get_close_matches(line, texts, NEAREST, 0.0))}."


def _is_unread(clause: Clause) -> bool:
    """Return whether a clause has nothing but values and unknown words, and so was meant as an order."""
    kinds = {word.kind for word in clause.words} - {"sign"}
    return not clause.runs and "noise" in kinds and bool(kinds & {*VALUES}) and kinds <= {"noise", *VALUES}


def _is_title(words: Sequence[AnswerWord], index: int) -> bool:
    """Return whether the name of an action is a noun here, as in "my move is c1 move 2,1" or "doubt the bid"."""
    before, after = words[max(index - 1, 0) : index], words[index + 1 : index + 2]
    is_noun = any(word.value in ARTICLES for word in before) or any(word.text in TITLE_SIGNS for word in after)
    return words[index].kind == "action" and is_noun


def _shown(word: AnswerWord) -> str:
    return word.text[:LONGEST_SHOWN] if word.kind == "number" else one_word(word.text[:LONGEST_SHOWN])


def _listed(texts: Sequence[str]) -> str:
    texts = list(dict.fromkeys(texts))
    more = len(texts) - MOST_LISTED
    return ", ".join(texts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
