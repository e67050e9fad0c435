"""A bot that takes part in a contest, a comparison or a climb."""

from dataclasses import dataclass

from arena.match.job import remote_identity


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in the contest, and its current version.

    Attributes:
        hash: The content hash of the version; for a remote bot, its identity (see `remote_identity`).
        path: The path of the version's copy, relative to the contest's folder; empty for a remote bot.
    """

    name: str
    hash: str
    path: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the bot runs on another machine. The contest has no copy of such a bot."""
        return self.hash == remote_identity(self.name)
