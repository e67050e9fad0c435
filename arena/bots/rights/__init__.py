"""Level 1: rights that a bot's process gives up by itself before it becomes the bot."""
