"""The values of a test of which the first ones tell enough each day: `make kill-test` runs it with all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def shortened(values: Iterable[Any], keep: int = 1) -> list[Any]:
    """Return the values for `parametrize`; all but the first ones are long forms. A tuple has several arguments."""
    rows = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*row, marks=() if at < keep else pytest.mark.kill) for at, row in enumerate(rows)]
