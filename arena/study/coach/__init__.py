"""What a lost match teaches: mistakes in the game's words, what each cost, and how the win probability went.

What an explanation promises is that its claims hold. A detector says what happened; playouts say what it cost; and only
a price that is certainly above zero is shown (decision 036). So many matches teach little, and the text says where the
win probability fell instead. Without a game's own detectors, turns are compared with what a strong bot would have done.

How an explanation is made, from the files to the text:

1. `causes.py` reads the replay: who failed, lost time, or was refused. This costs nothing and is always said.
2. `recorded_match.py` divides the match into parts, each with the state before it (by `replaying.course`).
3. `lessons.py` finds mistakes: by the detectors of the game, by those of `habits.py`, and by a bot's choices. All read
   the turns that `turns.py` makes of parts.
4. `explaining.py` spends a budget of seconds on their prices (`prices.py`) and on the win probabilities (`curve.py`).
   Both ask `questions.py`, which plays on with built-in bots (`playing_bots.py`, `playouts.py`). Who answers is a pool:
   the processes of `process_pool.py`, or this process. `probability.py` turns results into intervals.
5. `report.py` makes the document and its text, with `numbers.py` from the replay alone. `stored.py` keeps the document
   beside the replay. `advice.py` adds the commands that show a turn again.

`checks.py` prices single claims again with new dice, also for reruns. `losses.py` puts the losses of one bot together.
`page.py` has what the page of a replay shows without playouts: causes, and the win probabilities by the estimates of a
game. `practice.py` has the pair of a lesson, and a turn tried by hand. In a reader's browser, `coach.py` explains a
match in one process, and `answers.py` checks what such a browser sends.

What must not happen: a result must not depend on the speed of the machine, apart from the number of playouts; and a
name or a log of a bot's author must not reach somebody who may not see it, so causes are computed for each reader.
"""
