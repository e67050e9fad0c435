"""Explain a recorded match: why it ended as it did, how the win probabilities went, and which turns decided it.

What an explanation promises is that its claims hold: a turn is named only if its gain is certain for two different
bots, no team of bots says the opposite, and the curve falls there by more than its interval (decision 036). So many
matches have no turning point, and the text says what could be seen instead. Nothing of the game's own code is needed
besides its rules and its built-in bots.

How an explanation is made, from the files to the text:

1. `causes.py` reads the replay: who failed, was refused, left, or was outplayed. This costs nothing and is always said.
2. `recorded_match.py` divides the match into parts, each with the state before it (by `replaying.course`).
3. `facts.py`, `differences.py` and `norms.py` count what each player did and had, and compare it with winners, in this
   match and in reference matches of built-in bots.
4. `explaining.py` plays on from positions with built-in bots (`playing_bots.py`, `playouts.py`), within a budget of
   seconds. It asks `questions.py`; who answers is a pool: the processes of `process_pool.py`, or this process.
   `probability.py` turns results into win probabilities with intervals.
5. `report.py` makes the document, which is saved beside the replay, and its text. `advice.py` adds the commands that
   show a turn again.

`checks.py` plays single claims again with new dice, also for reruns. `losses.py` puts the losses of one bot together.
`deciding.py` says what it can without playing anything, for pages.

What must not happen: a result must not depend on the speed of the machine, apart from the number of playouts; and a
name or a log of a bot's author must not reach somebody who may not see it, so causes are computed for each reader.
"""
