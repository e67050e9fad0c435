"""Bots that break themselves, or Python: each has one message, the page lives, and the next run works."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from shortened import shortened
from test_playground import SHORT, bot
from visit import Playground

Start = Callable[..., Playground]
Shared = Callable[[str], Playground]

LOOP = "did not come back within 1 seconds"
PATIENCE = {LOOP: 1.0, "MemoryError": 30.0}
"""After how many seconds instead of five Python stops a loop, by the message that is expected."""
HOSTILE = {
    "an endless loop": (bot("x = 0", "while True:", "    x += 1"), LOOP),
    "a loop in an endless recursion": (bot("f = lambda: f()", "f()"), "RecursionError"),
    "an endless loop while it is loaded": ("while True:\n    pass\n" + bot("pass"), LOOP),
    "an endless generator": (bot("sum(1 for _ in iter(int, 1))"), LOOP),
    "much memory": (bot("x = [bytearray(400 << 20) for _ in range(4)]"), "MemoryError"),
    "much memory in small parts": (bot("x = []", "while True: x.append(bytearray(4 << 20))"), "MemoryError"),
    "an exception": (bot("1 / 0"), "ZeroDivisionError"),
    "an exception while it is loaded": ("1 / 0\n" + bot("pass"), "ZeroDivisionError"),
    "an exit": (bot("import sys", "sys.exit(3)"), "SystemExit"),
    "an exit of the process": (bot("import os", "os._exit(3)"), ""),
    "no class": ("x = 1\n", "class"),
    "a syntax error": ("from saloon import AI\nclass Bot(AI:\n    pass\n", "SyntaxError"),
    "a null byte": ("x = '\0'\n" + bot("pass"), "null"),
    "100,000 prints": (bot("if self.turn < 20: [print('line', n) for n in range(10_000)]"), "line 0"),
    "one long line": (bot("if self.turn == 0: print('long ' * 2_000_000)"), "long"),
    "a wrong action": (bot("self.act({'type': 'no_such_thing'})"), "refused"),
    "an action that is no document": (bot("self.act(object())"), ""),
    "a hundred wrong actions": (bot("for n in range(200): self.act({'type': 'x'})"), "refused"),
    "other built-in functions": (bot("import builtins", "builtins.len = builtins.isinstance = None"), ""),
    "no built-in functions": (bot("import builtins", "vars(builtins).clear()"), ""),
    "no modules": (bot("import sys", "sys.modules.clear()"), ""),
    "another clock": (bot("import time", "time.monotonic = lambda: 0", "while True: pass"), ""),
    "a module that is not there": ("import numpy\n" + bot("pass"), "numpy"),
    "a closed worker": (bot("import js", "js.self.close()"), ""),
    "false answers": (
        bot("import js", "from pyodide.ffi import to_js", "for n in range(50):",
            "    false = to_js({'kind': 'answer', 'id': n, 'found': '[]'}, dict_converter=js.Object.fromEntries)",
            "    js.postMessage(false)"),
        "",
    ),
    "no monitoring": (bot("import sys", "sys.monitoring.free_tool_id(0)", "while True: pass"), ""),
}  # fmt: skip


UNSTOPPED = ("another clock", "no monitoring", "a closed worker")
"""What Python itself does not stop, so that the page does after a silence."""
PARTS = 6


@pytest.mark.kill  # each starts Python again and again
@pytest.mark.parametrize("part", shortened(range(PARTS)))
@pytest.mark.timeout(900)
def test_each_has_one_message_and_the_next_run_works(playground: Start, part: int) -> None:
    page = playground("#game=saloon")
    page.do(SHORT, 40)
    for name in list(HOSTILE)[part::PARTS]:
        code, message = HOSTILE[name]
        page.do("(seconds) => { page.python.silence = seconds; }", 8 if name in UNSTOPPED else 30)
        if message in PATIENCE:  # it stays so until Python is started again
            inside = "arena_playground.inside"
            page.play(bot(f"import {inside}", f"{inside}.PATIENCE = {PATIENCE[message]}"))
        said = page.play(code)
        assert said, name
        assert message in page.output + said, (name, page.output, said)
        assert len(page.page.query_selector_all("#output [role=alert]")) <= 1, (name, page.output)
        assert page.play(page.do("page.game.files['main.py']")).startswith("my_bot wins"), (name, page.output)
        assert len(page.do("document.body.innerText")) < 200_000, name


SPOILED = """async () => {
  const call = page.python.call("check", { code: "" }).catch(({ message }) => message);
  while (!page.python.busy) await null;
  const [id] = page.python.open.keys();
  page.python.receive({ kind: "answer", id, found: "{" });
  return call;
}"""


def test_an_answer_that_nobody_can_read_starts_python_again(shared: Shared) -> None:
    page = shared("saloon")
    assert "code that changed Python" in page.do(SPOILED)
    assert page.run().startswith("my_bot wins"), page.output
