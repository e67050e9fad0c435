"""Stacks in what bots print: tracebacks and thread dumps, of real programs and of hostile ones."""

from __future__ import annotations

import time

import pytest

from arena.match.result import PlayerResult
from arena.match.stack import CodePosition, last_stack, last_words

TRACEBACK = """\
turn 3
Traceback (most recent call last):
  File "/bot/search.py", line 12, in best
    return self.deeper()
  File "/bot/my_bot.py", line 31, in run_turn
    self.draw.line(1, 2, 3, 4)
    ~~~~~~~~~~~~~~^^^^^^^^^^^^
  File "/arena/packages/arena_player/draw.py", line 58, in line
    raise TypeError("line() takes two places")
TypeError: line() takes two places
"""
DUMP = """\
Thread 0x00007f0e (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/bot/helper.py", line 8 in pump

Current thread 0x00007f9f (most recent call first):
  File "/bot/slow.py", line 3 in search
  File "/bot/slow.py", line 9 in run_turn
  File "/arena/packages/arena_player/session.py", line 148 in _call
  File "<frozen runpy>", line 88 in _run_code
"""
JAVA = """\
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):

"main" #1 prio=5 os_prio=0 cpu=1106.70ms elapsed=1.52s tid=0x00007f7a nid=0x3 runnable
   java.lang.Thread.State: RUNNABLE
\tat java.util.ArrayList.get(java.base@17.0.15/ArrayList.java:427)
\tat Main.run_turn(Main.java:18)
\tat arena.Kit$Session.takeTurn(Kit.java:1028)

"Finalizer" #3 daemon prio=8 in Object.wait()
   java.lang.Thread.State: WAITING (on object monitor)
\tat java.lang.Object.wait(java.base@17.0.15/Native Method)
\tat java.lang.ref.ReferenceQueue.remove(java.base@17.0.15/ReferenceQueue.java:155)
"""
JAVA_FIRST = "java.lang.Error: n\n\tat Main.go(Main.java:5)\n"

NODE = """\
TypeError: Cannot read properties of undefined (reading 'here')
    at Bot.run_turn (file:///bot/main.js:9:37)
    at #takeTurn (file:///bot/arena.js:906:23)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
"""
SYNTAX = """\
  File "/bot/b.py", line 2
    if
     ^
SyntaxError: invalid syntax
"""


@pytest.mark.parametrize(
    ("text", "position", "error"),
    [
        (TRACEBACK, CodePosition("my_bot.py", 31, "run_turn"), "TypeError: line() takes two places"),
        (DUMP, CodePosition("slow.py", 3, "search"), ""),
        (TRACEBACK + DUMP, CodePosition("slow.py", 3, "search"), ""),
        (JAVA, CodePosition("Main.java", 18, "Main.run_turn"), ""),
        (JAVA_FIRST, CodePosition("Main.java", 5, "Main.go"), "java.lang.Error: n"),
        (NODE, CodePosition("main.js", 9, "Bot.run_turn"), NODE.splitlines()[0]),
        (SYNTAX, CodePosition("b.py", 2), "SyntaxError: invalid syntax"),
        ('  File "/usr/lib/python3.11/json.py", line 2, in loads\nValueError: x\n', None, "ValueError: x"),
    ],
)  # fmt: skip
def test_the_innermost_position_of_the_bots_own_code(text, position, error):
    stack = last_stack(text)
    assert stack is not None
    assert (stack.position, stack.error) == (position, error)


def test_output_without_a_stack():
    assert last_stack("") is None
    assert last_stack("turn 1\nat last\n  File of the year\n") is None


@pytest.mark.parametrize(
    "text",
    [
        '  File "' + "x" * 60_000,
        "\tat " + "a." * 30_000 + "(",
        "    at " + "(" * 60_000,
        '  File "/bot/a.py", line 1 in f\n' * 2_000,
        '"main" #\n' * 8_000,
        "Current thread 0x0 (most recent call first):\n" * 1_500,
    ],
)
def test_hostile_output_costs_little_time(text):
    begin = time.process_time()
    last_stack(text)
    assert time.process_time() - begin < 0.5


def test_a_result_names_the_position_instead_of_the_last_line_of_the_stack():
    assert PlayerResult("timed_out", stderr=DUMP).last_words == "at slow.py, line 3, in search"
    assert PlayerResult("crashed", stderr=TRACEBACK).last_words == "TypeError: line() takes two places"
    placed = last_words(TRACEBACK, placed=True)
    assert placed.startswith("TypeError: line() takes two places at ")
    assert placed.endswith(str(last_stack(TRACEBACK).position))


def test_the_last_words_of_other_languages_are_the_error_and_its_place():
    node = "file:///bot/main.js:9\n    throw new Error('three');\n    ^\n\n" + NODE + "\nNode.js v20.20.2\n"
    crashed = lambda text: PlayerResult("crashed", stderr=text).last_words  # noqa: E731
    where = "at main.js, line 9, in Bot.run_turn"
    assert crashed(node) == f"TypeError: Cannot read properties of undefined (reading 'here') {where}"
    assert crashed(JAVA_FIRST) == "java.lang.Error: n at Main.java, line 5, in Main.go"
    broken = "file:///bot/main.js:11\n  if (\n     ^\n\nSyntaxError: Unexpected end of input\n"
    frames = "    at wrapSafe (node:internal/modules/cjs/loader:1469:18)\n"
    assert crashed(f"{broken}{frames}\nNode.js v20.20.2\n") == (
        "SyntaxError: Unexpected end of input at main.js, line 11"
    )
    assert crashed("\nNode.js v20.20.2\n") == "Node.js v20.20.2"
    assert crashed("no stack\n\n") == "no stack"


def test_last_words_of_much_hostile_output_take_no_time():
    began = time.process_time()
    PlayerResult("crashed", stderr="/a:1\n" * 30_000 + "Node.js v1").last_words  # noqa: B018
    assert time.process_time() - began < 2
