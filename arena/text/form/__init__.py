"""One text form of every game: for people at a terminal, language models, reports and documents.

Everything is made from the schema of the game; no game has a line of code here. What goes out:

* `first`: the rules, how orders are written, and what is long and rarely changes. Once in a match.
* `position`: what a player sees. A table for each class; what all its rows share is said once, and nothing is not said.
* `news`: the difference between two positions, and the events between them.
* `actions`: what is legal, in the same words in every turn, such as ``c1 move 2,1``. `order` writes one action.
* `card`: the classes, fields and actions of the schema, for authors of bots.
* `details`: one thing with the meaning of its fields.

What comes in is an answer of a person or a model: `read` returns its actions, or the reason why it has none.

What others wrote, such as a name or a word of an opponent, is one word or one quoted line here, so that it cannot pass
for a line of the form. The same view always gives the same text: a text tells no more than the view that it is made of.

`values` writes single values, `positions` the positions, `changes` the news, `orders` the actions. `answers` reads an
answer: ``clauses`` cuts it, ``words`` has what its words mean, and ``fitting`` what they say about an action. The
grammar for readers is in docs/text-form.md.
"""

from arena.text.form.answers import ReadAnswer, read
from arena.text.form.changes import news
from arena.text.form.descriptions import card, details, first
from arena.text.form.orders import actions, order, usage
from arena.text.form.positions import Board, position
from arena.text.form.values import Things, things_of

__all__ = [
    "Board",
    "ReadAnswer",
    "Things",
    "actions",
    "card",
    "details",
    "first",
    "news",
    "order",
    "position",
    "read",
    "things_of",
    "usage",
]
