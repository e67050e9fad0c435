"""Bots: their folders, their processes, and their sandboxes.

This module imports nothing, so that a command that only needs `Limits` does not wait for the sandbox.
"""
