"""Train players for every game: observations and actions from the schema, environments, datasets, policies.

Nothing is imported until it is used, so that a bot in the sandbox starts fast and needs only NumPy.
"""
