"""Bots: their folders, their processes, and their sandboxes.

This module imports nothing, so that commands that do not start bots do not import the sandbox.
"""
