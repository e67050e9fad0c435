"""The referee: it plays one match, and does not trust the players.

A match has two halves. The *state machine* decides: whose turn it is, what an answer does, how much time is left, how
the match ends. It does no I/O: messages, ends of programs and readings of clocks go in, and outputs come out, such as
`Send`, `HangUp` and the entries of the replay. The *host* is the loop around it: sockets, processes, pipes, clocks. It
decides nothing, but measures. So each rule of a match is tested without a process, and a rerun or a match in memory
uses the rules of a real match.

    job -> PreparedMatch -> Host: launch the programs -> Opening: game, state machine, replay
        -> loop: event -> Match -> outputs -> carry out, record -> ... -> shut down -> MatchResult

What it promises:

* A bot can only lose by what it does. Time that other programs took from it is given back before a limit counts. Only
  the bot that must answer has the processor (docs/decisions/005-cpu-time-decides.md).
* What comes next depends on the answers alone, not on when they came: players who move simultaneously are asked one
  after the other, and a failure takes effect at the player's move.
* No input of a bot is kept without a limit: messages are read only while they are expected, and notes, refusals and
  printed lines have a share of the replay.
* No process, descriptor or file outlives the match, however it ends (docs/decisions/009-match-processes-on-a-leash.md).
* A failure of the rules or of the referee makes the match void (`arena.match.void`), and is nobody's loss.

Which file to open:

* The state machine: `match.py` first; `seat.py` (what a program may say), `clock.py` (limits), `standing.py` (who is
  still in), `live_state.py` (actions and updates), `outputs.py` (what comes out).
* The host: `host.py` first; `seat_link.py` (socket and process of a seat), `processor.py` and `load.py` (who has the
  processor, and who took it), `recording.py` (replay and printed lines), `carrying.py` (outputs to any kind of seat).
* Before and after: `prepared.py` and `opening.py` (from a job to a match that can begin), `played.py` (its result).
* Processes: `match_process.py` (the client's end), `forkserver.py` and `__main__.py` (the server, and what it forks).
"""
