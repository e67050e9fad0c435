"""Language models as players (``llm:NAME`` in the place of a bot), and tasks and tools for coding agents.

`settings` reads who a model is and what it may use. `players` is what Arena asks for it; it starts the `gateway`, the
one process that talks to providers. There, `playing` plays a match: it writes prompts with Arena's text form, reads the
answers, counts what cannot be used, and writes the transcript into the replay. `provider` is the client of the two
kinds of HTTP services, and says whether an answer failed because of the service or because of the model.

`harbor` makes a game a task: `arena task export`.

`mcp_command` is `arena mcp`, and `mcp_server` has its tools. They run commands of Arena in one folder (`workbench`), or
play one seat of a match (`agent_seat`): with `playing`, where an agent answers in the place of a provider.
"""
