"""Isolation level 1: a process drops its own rights before it runs the bot."""
