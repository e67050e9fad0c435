"""What the operating system gives: processes, their descriptors and ends, and system calls without a wrapper."""
