"""Bots: their folders, their processes, and the sandbox around those.

Nothing is imported here: a command that only needs `Limits` should not wait for the sandbox.
"""
