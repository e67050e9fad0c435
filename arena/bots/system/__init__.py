"""Functions of the operating system: start and kill processes, manage descriptors, and make system calls."""
