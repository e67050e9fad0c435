"""Who may see a bot's logs."""

import hashlib
import hmac


def token_of(secret: str, name: str) -> str:
    """Return the token with which a bot's owner sees its logs."""
    return hmac.new(secret.encode(), f"owner of {name}".encode(), hashlib.sha256).hexdigest()[:24]
