"""What the tests of language models share: a configured model with a provider on this machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fake_provider import Behaviour, Configured, Provider, providing

sys.path[:0] = [str(Path(__file__).parents[3] / "tests" / "contests")]  # a real server of a contest


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Configured]:
    """Start a provider, and write the settings of ``llm:small`` with its address."""
    monkeypatch.setenv("ARENA_LLM_FILE", str(tmp_path / "models.toml"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with ExitStack() as stack:

        def configure(behave: Behaviour, aids: dict[str, Any] | None = None, **settings: Any) -> Provider:
            provider = stack.enter_context(providing(behave))
            model = {"base_url": provider.url, "model": "m", "pause": 0.01, "silence": 5.0} | settings
            lines = ["[aids]", *(f"{name} = {json.dumps(value)}" for name, value in (aids or {}).items())]
            lines += ["[models.small]", *(f"{name} = {json.dumps(value)}" for name, value in model.items())]
            (tmp_path / "models.toml").write_text("\n".join(lines))
            return provider

        yield configure
