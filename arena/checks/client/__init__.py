"""Check that a bot follows the protocol, in matches where the referee uses every part of it."""

from arena.checks.client.report import ClientReport, ReportLine, check_client

__all__ = ["ClientReport", "ReportLine", "check_client"]
