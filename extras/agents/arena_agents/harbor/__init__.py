"""``arena task export``: a game as a task for coding agents, in the format of Harbor (Terminal-Bench 2).

An agent with root in its container writes a bot; the reward is the bot's mean score. So nothing of the agent's
container may be trusted. The task asks for a separate verifier: Harbor copies only the folder of the bot (`artifacts`
in ``task.toml``) into a fresh container, made from ``tests/Dockerfile`` with its own Arena. There ``tests/verify.py``
draws a seed, lets `arena grade` play the bot in the sandbox, and writes the reward.

The folder ``task`` has the files of a task: those that end with ``.jinja`` are templates, all others are copied.
`export` fills them in.
"""
