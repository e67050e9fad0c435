"""The operating system, as far as bots need it: what Python lacks, and what it does in another way than is needed here.

Nothing here knows what a bot is. `syscalls` makes system calls through ctypes. `spawn` starts a process that inherits
nothing by accident. `reaping` waits for the ends of processes, also of adopted ones. `orphans` stops or kills a process
with all its descendants, and `memory` adds up what they use, both from /proc, where no control group does it better.
`surroundings` makes up for what a shell or a service manager has left out.
"""
