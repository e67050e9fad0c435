"""Functions of the operating system: start and kill processes, own descriptors, and make system calls."""
