"""Functions of the operating system: processes, their descriptors and ends, and system calls without a wrapper."""
