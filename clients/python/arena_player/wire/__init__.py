"""The protocol between referee and clients: messages, limits, codec. It needs msgpack, but not ZeroMQ."""

from . import limits
from .codec import check, fitting, pack, unpack
from .error import CODES, WireError
from .table import MESSAGES, PROTOCOL

__all__ = ["CODES", "MESSAGES", "PROTOCOL", "WireError", "check", "fitting", "limits", "pack", "unpack"]
