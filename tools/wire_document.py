"""Write the generated parts of `docs/protocol.md`, and the test vectors.

Commands:

    python tools/wire_document.py docs          write both again
    python tools/wire_document.py docs --check  write nothing; exit with 1 if something is out of date
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgpack
from wire_examples import EXCHANGE, OTHERS, Example, arrays, counterexamples, folding

from arena_player.wire import limits
from arena_player.wire.codec import pack
from arena_player.wire.error import CODES
from arena_player.wire.table import MESSAGES, PARTS, PROTOCOL, Message, WireField

_SECTION = re.compile(r"(<!-- begin: (\w+) -->\n).*?(<!-- end: \2 -->)", re.DOTALL)


def render(text: str) -> str:
    """Return the text of the protocol document with new generated sections."""
    made = sections()
    return _SECTION.sub(lambda match: f"{match[1]}{made[match[2]]}\n{match[3]}", text)


def sections() -> dict[str, str]:
    """Return all generated sections by name."""
    return {
        "version": f"This is version **{PROTOCOL}** of the protocol.",
        "client_messages": _messages("client"),
        "referee_messages": _messages("referee"),
        "records": "\n\n".join(f"**{part.name}**\n\n{_fields(part.fields)}" for part in PARTS),
        "limits": _limits(),
        "errors": "\n".join(["| code | meaning |", "|---|---|", *(f"| `{code}` | {CODES[code]} |" for code in CODES)]),
        "order": _order(),
        "example": _example(),
    }


def vectors() -> dict[str, Any]:
    """Return the content of each file of test vectors, by file name."""
    return {
        "valid.json": [_valid(example) for example in (*EXCHANGE, *OTHERS)],
        "invalid.json": [
            {"name": bad.name, "sender": bad.sender, "error": bad.code, "meaning": bad.meaning, "hex": bad.data.hex()}
            for bad in counterexamples()
        ],
        "folding.json": [{"delta": step.delta, "objects": step.objects} for step in folding()],
        "arrays.json": [{"hex": msgpack.packb(delta).hex(), "value": value.hex()} for delta, value in arrays()],
    }


def _valid(example: Example) -> dict[str, Any]:
    return {
        "name": example.name,
        "sender": example.sender,
        "meaning": example.meaning,
        "message": example.message,
        "hex": pack(example.message).hex(),
    }


def _messages(sender: str) -> str:
    return "\n\n".join(_message(message) for message in MESSAGES.values() if message.sender == sender)


def _message(message: Message) -> str:
    return f"#### `{message.name}`\n\n{message.when}\n\n{_fields(message.fields)}"


def _fields(fields: Iterable[WireField]) -> str:
    lines = ["| field | kind | meaning |", "|---|---|---|"]
    for field in fields:
        name = f"`{field.name}`" + (" (optional)" if field.optional else "")
        lines.append(f"| {name} | {field.kind.name} | {field.meaning} |")
    return "\n".join(lines)


def _order() -> str:
    lines = ["| message | from | comes directly after |", "|---|---|---|"]
    for message in MESSAGES.values():
        after = ", ".join(f"`{name}`" for name in message.follows) or "(the connection)"
        lines.append(f"| `{message.name}` | {message.sender} | {after} |")
    return "\n".join(lines)


def _limits() -> str:
    rows = (
        ("bytes of a message from a client", limits.CLIENT_BYTES),
        ("bytes of a message from the referee", limits.REFEREE_BYTES),
        ("levels of maps and arrays, with the message itself", limits.DEPTH),
        ("maps and arrays in a message from a client, with the message itself", limits.CLIENT_PARTS),
        ("entries of an array in a message from a client", limits.CLIENT_ARRAY),
        ("entries of a map in a message from a client", limits.CLIENT_MAP),
        ("actions in one `act`", limits.BATCH),
        ("characters of a string in an action", limits.DOCUMENT_TEXT),
        ("characters of the text of a `log`", limits.LOG_TEXT),
        ("shapes in a `draw`", limits.SHAPES),
        ("characters of the text of a shape", limits.SHAPE_TEXT),
        ("`log` and `draw` messages that a client should send before one `act`", limits.NOTES_PER_REPLY),
    )
    return "\n".join(["| most | |", "|---|---:|", *(f"| {name} | {value:,} |" for name, value in rows)])


def _example() -> str:
    parts = []
    for number, example in enumerate(_turn(), 1):
        arrow = "client → referee" if example.sender == "client" else "referee → client"
        shown: Any = example.message
        if example.name == "welcome":
            shown = {**example.message, "schema": "(see above)"}
        text = _wrapped(json.dumps(shown, ensure_ascii=False))
        parts.append(f"{number}. **{arrow}** {example.meaning}\n\n   ```json\n{text}\n   ```")
        if example.name == "hello":
            parts.append(f"   On the wire, {len(pack(example.message))} bytes:\n\n   ```\n{_hex(example)}\n   ```")
    return "\n\n".join(parts)


def _turn() -> list[Example]:
    """Return the exchange up to the end of the first turn, without notes."""
    end = next(place for place, example in enumerate(EXCHANGE, 1) if example.message.get("your_move") is False)
    return [example for example in EXCHANGE[:end] if example.name not in ("log", "draw")]


def _wrapped(text: str, width: int = 104) -> str:
    """Break long JSON into indented lines, after commas."""
    lines = [""]
    for part in re.split(r"(?<=, )", text):
        if len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(f"   {line.rstrip()}" for line in lines)


def _hex(example: Example) -> str:
    data = pack(example.message).hex(" ")
    return "\n".join(f"   {data[start : start + 96].rstrip()}" for start in range(0, len(data), 96))


def _files(folder: Path) -> dict[Path, str]:
    """Return the new content of all files that this script writes."""
    protocol = folder / "protocol.md"
    files = {protocol: render(protocol.read_text(encoding="utf-8"))}
    for name, content in vectors().items():
        entries = content if isinstance(content, list) else [content]
        lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
        files[folder / "protocol-vectors" / name] = f"[\n{lines}\n]\n"
    return files


def main(arguments: list[str]) -> int:
    """Run the command and return its exit code."""
    stale = [
        (path, text)
        for path, text in _files(Path(arguments[0])).items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for path, text in stale:
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        print(f"{'out of date' if '--check' in arguments else 'written'}: {path}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
