"""Bots: what a bot is, how it is checked and built, how it is started, and the walls around it.

A bot is a program of somebody who may be hostile: they know this source, hand in any program, and enter several bots
that work together. The border of this room is the start of the program.

* **Before the start** nothing of a bot is imported or run. `folders/` lists, limits and hashes its files, and a child
  process with little memory and time parses and unpacks them. `bot.py` makes a `Bot` of the results: a value that says
  what to run. `build.py` runs a build command as if it were a bot, behind the same walls.
* **The start** is `launch.py`. It returns a `BotProcess` (`process.py`), with which the referee waits for the bot,
  freezes it, reads its clocks and ends it. A bot speaks through the socket of its seat alone; what it prints goes into
  a `Capture`.

Four levels of isolation; each has the walls of the lower ones, or stronger ones in their place:

* 0, none: the referee's clocks and checks of messages. For bots of your own, and where there is no Linux.
* 1, limits (`sandbox/limited.py`): the process gives up rights before it becomes the bot: resource limits, Landlock,
  seccomp. For bots of people you know.
* 2, bwrap (`sandbox/inside.py`): namespaces of its own, only the needed files, no network, seccomp. For untrusted bots
  while somebody is present.
* 3, bwrap + cgroup (`sandbox/seat_group.py`): also hard limits for all processes of a bot together, an exact CPU clock,
  and freezing. For untrusted bots overnight.

docs/security.md names what each level promises, with the tests of each promise; docs/sandbox.md has the mechanism.
`probe.py` finds the level of a machine by trying it, and `doctor.py` says what is missing and how to get it.

What must not happen:

* A bot runs behind fewer walls than were required, or than its result says. A layer that fails ends the start.
* A failure of Arena or of the machine looks like a failure of the bot: before the sandbox has reported that it is
  ready, every error is an `ArenaError`.
* Something of a bot stays behind: a process, a control group, a user id, a folder, a descriptor. Who makes one of them
  registers its end at once (`ExitStack`, `Descriptors`), so that a start that fails half way cleans up too.
* A bot gets a descriptor, a variable or a path that it does not need.
* A bot makes the referee wait or fill its memory: each wait has an end, and each read a limit.
* A signal reaches the wrong process. An id is free for others once the process was reaped, so pidfds are used, or the
  process is known to be unreaped.

This module imports nothing, so that commands that do not start bots do not import the sandbox.
"""
