"""What the fuzzers once found interesting is tried at every run of the tests, without a fuzzer."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_targets", HERE / "targets.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("target", ["unpack", "world"])
def test_corpus(target: str) -> None:
    run = load().TARGETS[target]
    inputs = json.loads((HERE / f"corpus-{target}.json").read_text())
    assert len(inputs) > 20
    for data in inputs:
        run(bytes.fromhex(data))
