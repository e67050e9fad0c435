"""Connect external players to a match: people in the browser or at a terminal, and bots on other machines.

Everything here is a client of the protocol. No module needs the rules of a game: the schema says how to show a player's
view, and the referee lists the legal actions. For the referee such a seat is a program like any other:
`arena.bots.seat_program`, which hands its endpoint over and waits for an exit code
(docs/decisions/025-players-outside-of-the-match.md). So clocks, refusals and endings stay as they are.

`waiting.py` is where they meet: a `Waiting` is the Unix socket that the seat program connects to, and a `SeatOffer` the
seat of one match. Behind it is one of

* a person at a terminal (`terminal.py`, with `text.py` for what is shown), or in the browser (`arena.web`),
* a bot of another machine: `gateway.py`, one process for each remote seat, with `hosting.py` that starts it; at the
  other end `joining.py`. In between are messages that survive a lost connection (`stream.py`), over an encrypted ZeroMQ
  connection (`connection.py`, `curve.py`), and the address and keys in a `ticket.py`.

The network is not trusted. A gateway has limits of memory, connections and frames, since a flood must cost the flooder
and not the match: it ends that gateway, and its seat has lost its player
(docs/decisions/026-a-gateway-for-each-remote-seat.md).
"""
