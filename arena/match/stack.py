"""Find the last traceback or stack dump in the output of a bot, and its innermost position in the bot's own code.

Python, Java and Node.js print frames in lines of their own: `_FRAMES` has one pattern for each. Frames in a row are a
block, and the last block is the one that matters. The languages differ in where the error and the innermost frame are
(`_TOP_FIRST`), and which frames are those of a kit or a library (`_is_own`).

The text is what a bot has printed, so nothing depends on it but what its owner reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FRAMES = (
    re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<line>\d{1,9})(?:,? in (?P<function>.+))?$'),  # Python
    re.compile(r"\s+at (?P<function>[\w.$<>/]+)\((?:[\w.@]+/)?(?P<file>[\w$]+\.java):(?P<line>\d{1,9})\)$"),  # Java
    re.compile(r"\s+at (?:(?P<function>.+) \()?(?:file://)?(?P<file>/[^:()]+):(?P<line>\d{1,9}):\d+\)?$"),  # Node.js
)
_TOP_FIRST = re.compile(r'(?:Current thread|Thread) 0x[0-9a-f]+.*\(most recent call first\):$|"main" #|\s+at ')
_OTHER_CODE = re.compile(
    r"/arena_player/|/arena/packages/|/(?:site|dist)-packages/|/lib/python\d|^<(?!exec>|ipython-|stdin>)|(?:^|/)arena\.js$|^node:"
)
_OTHER_FUNCTIONS = re.compile(r"(?:java|javax|jdk|sun)\.|java\.base/|arena\.Kit\b")
_BOT_FOLDER = "/bot/"
_NODE_POSITION = re.compile(r"(?:file://)?(?P<file>/[^:]+):(?P<line>\d{1,9})$")
"""The first line that Node.js prints of an error at its end."""
_INTERRUPTED = ("KEYBOARD_INTERRUPT: ", "KeyboardInterrupt")
"""Node.js and Python print these words when the referee requests the stack of a program whose time has run out."""
LONGEST = 300
_ADVICE = (
    (
        re.compile("EOFError: EOF when reading a line"),
        "A bot has no keyboard. `arena play ... --debug` lets it use this terminal.",
    ),
    (
        re.compile("read-only file system", re.IGNORECASE),
        "A bot can write in /tmp only, and what it writes there is gone after the match.",
    ),
    (
        re.compile("No module named '"),
        "A bot can import the standard library, the files of its folder, arena_player, arena.game, the packages of "
        "games, and what is installed beside Arena, such as NumPy.",
    ),
)
"""What to do about errors that a program has only as a bot: a part of the error, and the advice."""


@dataclass(frozen=True, slots=True)
class CodePosition:
    """A place in a bot's own code.

    Attributes:
        file: The path of the file. In a sandbox, the path is relative to the bot's folder.
    """

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        where = f"{self.file}, line {self.line}"
        return f"{where}, in {self.function}" if self.function else where


@dataclass(frozen=True, slots=True)
class Stack:
    """The last stack that a program printed.

    Attributes:
        position: The innermost place in the bot's own code; None if the stack has none.
        error: The exception with its message; empty for a stack that the referee requested.
    """

    position: CodePosition | None
    error: str
    lines: tuple[str, ...]


def last_stack(text: str) -> Stack | None:
    """Return the last stack in the output of a program, or None.

    The text is untrusted: a bot can print a false stack. The result is then only a false position in the bot's code.
    """
    lines = text.splitlines()
    blocks = list(_blocks(lines))
    if not blocks:
        return None
    # A thread dump lists all threads. The bot runs in the thread `main` (Java) or in the current thread (Python).
    first, last = next((block for block in reversed(blocks) if _is_main(lines, block[0])), blocks[-1])
    frames = [frame for frame in map(_frame, lines[first:last]) if frame is not None]
    main = _is_main(lines, first)
    top_first = main or any(_TOP_FIRST.match(line) for line in lines[max(0, first - 1) : first + 1])
    own = [frame for frame in frames if _is_own(frame)]
    error = "" if main else _error(lines, first, last, top_first=top_first)
    if error.startswith(_INTERRUPTED):
        error = ""
    position = None
    if own:
        innermost = own[0] if top_first else own[-1]
        position = CodePosition(innermost.file.removeprefix(_BOT_FOLDER), innermost.line, innermost.function[:LONGEST])
    return Stack(position, error[:LONGEST], tuple(lines[first:last]))


def last_words(text: str, *, placed: bool = False) -> str:
    """Return what a program's standard error says of its end, on one line.

    Python ends with the exception. Node.js and Java write it above the frames: then it is returned with its place,
    "ERROR at FILE, line N, in FUNCTION". Of a stack without an exception only the place is left.

    Args:
        placed: Whether to return also an exception of Python with its place.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    stack = last_stack(text)
    if stack is not None and (stack.error or stack.position) and (placed or stack.error != lines[-1].strip()):
        return f"{stack.error} at {stack.position}".lstrip() if stack.position else stack.error
    if not lines or not lines[-1].startswith("Node.js v"):
        return lines[-1] if lines else ""
    # A syntax error has only frames of Node.js itself.
    messages = [line for line in lines[:-1] if not line.startswith("    at ")]
    where = ""
    for line in messages:
        if match := _NODE_POSITION.match(line[: 2 * LONGEST]):
            where = f" at {CodePosition(match['file'].removeprefix(_BOT_FOLDER), int(match['line']))}"
    return (messages or lines)[-1] + where


def advice(text: str, game: str) -> str:
    """Return what to do about the error at the end of a program's standard error; empty for most errors."""
    words = last_words(text)
    if f"No module named '{game}'" in words:
        return f"The typed module of the game is missing beside the bot: `arena sdk {game}` writes it."
    return next((text for error, text in _ADVICE if error.search(words)), "")


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first line and the end of each block of frames. Indented lines between two frames belong to them."""
    first = None
    last = 0
    for number, line in enumerate(lines):
        if _frame(line) is not None:
            first = number if first is None else first
            last = number + 1
        elif first is not None and not line.startswith((" ", "\t")):
            yield first, last
            first = None
    if first is not None:
        yield first, last


def _is_main(lines: list[str], first: int) -> bool:
    """Return whether the stack that begins at line `first` is that of the bot's own thread in a thread dump."""
    return any(line.startswith(("Current thread 0x", '"main" #')) for line in lines[max(0, first - 2) : first])


def _error(lines: list[str], first: int, last: int, *, top_first: bool) -> str:
    """Return the line with the exception: below the frames in Python, above the frames in other languages."""
    if top_first:
        return lines[first - 1].strip() if first and "most recent call first" not in lines[first - 1] else ""
    return next((line.strip() for line in lines[last:] if line.strip() and not line.startswith(" ")), "")


def _frame(line: str) -> CodePosition | None:
    for pattern in _FRAMES:
        if match := pattern.match(line[: 2 * LONGEST]):
            return CodePosition(match["file"], int(match["line"]), match["function"] or "")
    return None


def _is_own(frame: CodePosition) -> bool:
    if frame.file.startswith(_BOT_FOLDER) and not frame.file.endswith("/arena.js"):
        return True
    return not _OTHER_CODE.search(frame.file) and not _OTHER_FUNCTIONS.match(frame.function)
