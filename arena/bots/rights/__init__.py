"""Level 1: a process drops its own rights before it becomes the bot."""
