"""The walls around a bot's process, at levels 1 to 3. `arena.bots` has the levels and what must not happen.

At level 1 one process drops its rights, one layer after the other, and becomes the bot: `limited` makes the command,
and `confine` is the program that it runs. At levels 2 and 3 others prepare a place, and the bot is the last to enter:

1. `stage` leases a user id for the seat if the referee is root, and shows this user the files that only root can reach.
2. `bwrap` makes the command line of bubblewrap: what is visible, the limits, the seccomp program. `visible` says which
   parts of Arena's own Python belong to that.
3. `inside` starts it. The first process inside reports, and waits on a socket.
4. `seat_group` is the control group into which that process is moved now, so that the work of bubblewrap does not count
   as the bot's; `group_parents` has found where it can be made.
5. The referee releases the first process, which starts the bot.

If the referee dies at any point, the kernel kills the sandbox, or the first process reads the end of the stream and
exits: no bot runs without a referee.
"""
