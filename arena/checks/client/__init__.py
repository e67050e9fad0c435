"""Checks of a bot's client against the protocol, in matches with everything that the protocol allows."""

from arena.checks.client.report import CardLine, Report, check_client

__all__ = ["CardLine", "Report", "check_client"]
