"""Brackets and rating plots as SVG. All text is escaped; colours come from the page's style sheet."""

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

Document = Mapping[str, Any]
Link = Callable[[str], str]
"""Maps a match's id to the address of its replay, or a bot's name to the address of its page; "" without an address."""

_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 170, 38, 36, 12


def bracket_drawing(stage: Document, link: Link) -> str:
    """Return the bracket of a single or double elimination, with places for encounters that are not played yet.

    With fewer than two entrants, return an empty text.
    """
    count = len(stage["standings"])
    size = 1
    while size < count:
        size *= 2
    if size < 2:
        return ""
    sections = _sections(size, stage["format"] == "double_elimination")
    found = {(e["section"], e["column"], e["row"]): e for e in stage["encounters"]}
    parts: list[str] = []
    top = width = 0.0
    for title, section, columns in sections:
        if section == "third" and not any(key[0] == "third" for key in found):
            continue
        parts.append(f'<text class="head" x="0" y="{top + 14:g}">{escape(title)}</text>')
        section_parts, right, bottom = _section(section, columns, found, top + 22, link)
        parts += section_parts
        width, top = max(width, right), bottom + 24
    return (
        f'<svg class="bracket" viewBox="0 0 {width + 2:g} {top:g}" width="{width + 2:g}" height="{top:g}" role="group">'
        f"<title>Bracket of {escape(stage['name'])}</title>{''.join(parts)}</svg>"
    )


def _sections(size: int, double: bool) -> list[tuple[str, str, list[int]]]:
    """Return, for each part of a bracket, its title, its name, and the number of rows in each of its columns."""
    depth = size.bit_length() - 1
    winners = ("Winners' bracket" if double else "Bracket", "W", [size >> column for column in range(1, depth + 1)])
    if not double:
        return [winners, ("Third place", "third", [1])]
    losers = [max(1, size >> ((column + 1) // 2 + 1)) for column in range(1, 2 * depth - 1)]
    parts = [winners, ("Losers' bracket", "L", losers), ("Grand final", "F", [1, 1])]
    return [part for part in parts if part[2]]


def _section(
    section: str, columns: list[int], found: Mapping[tuple[str, int, int], Document], top: float, link: Link
) -> tuple[list[str], float, float]:
    parts: list[str] = []
    tallest = max(columns) * (_HEIGHT + _GAP_Y)
    for index, rows in enumerate(columns):
        x = index * (_WIDTH + _GAP_X)
        for row in range(rows):
            encounter = found.get((section, index + 1, row))
            if encounter is None and section in ("F", "third") and index:
                continue
            middle = top + tallest * (row + 0.5) / rows
            if index + 1 < len(columns) and (section != "F" or (section, index + 2, 0) in found):
                parts.append(
                    _wire(x, middle, top + tallest * (row * columns[index + 1] // rows + 0.5) / columns[index + 1])
                )
            parts.append(_box(x, middle - _HEIGHT / 2, encounter, link))
    return parts, len(columns) * (_WIDTH + _GAP_X) - _GAP_X, top + tallest


def _wire(x: float, y: float, next_y: float) -> str:
    start, bend, end = x + _WIDTH, x + _WIDTH + _GAP_X / 2, x + _WIDTH + _GAP_X
    return f'<path class="wire" d="M{start:g} {y:g}H{bend:g}V{next_y:g}H{end:g}"/>'


def _box(x: float, y: float, encounter: Document | None, link: Link) -> str:
    frame = f'<rect class="box" x="{x + 0.5:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="5"/>'
    if encounter is None:
        return frame
    lines = []
    players = list(encounter["players"])
    points = encounter.get("points", [None] * len(players))
    for index, name in enumerate(players):
        won = ' class="won"' if encounter.get("winner") == name else ""
        baseline = y + 15 + 17 * index
        score = "" if points[index] is None or len(players) == 1 else f"{points[index]:g}"
        lines.append(f'<text{won} x="{x + 8:g}" y="{baseline:g}">{escape(_short(name))}</text>')
        lines.append(f'<text{won} x="{x + _WIDTH - 8:g}" y="{baseline:g}" text-anchor="end">{score}</text>')
    if len(players) == 1:
        lines.append(f'<text class="bye" x="{x + 8:g}" y="{y + 32:g}">bye</text>')
    tip = f"<title>{escape(' – '.join(players))}: {escape(encounter.get('decided', 'to be played'))}</title>"
    drawn = f"<g>{tip}{frame}{''.join(lines)}</g>"
    address = next((found for match in reversed(encounter["matches"]) if (found := link(match))), "")
    return f'<a href="{escape(address)}">{drawn}</a>' if address else drawn


def _short(name: str) -> str:
    return name if len(name) <= 19 else name[:18] + "…"


def rating_drawing(document: Document) -> str:
    """Return a plot of the ratings: a dot and a 95 % interval for each bot, best first; "" if there are no ratings."""
    rows = document["ratings"]
    if not rows:
        return ""
    low: float = min(row["low"] for row in rows)
    high: float = max(row["high"] for row in rows)
    span: float = max(high - low, 1.0)
    left, width, line = 180.0, 520.0, 24.0
    height = line * len(rows) + 34

    def place(value: float) -> float:
        return left + width * (value - low) / span

    parts = [_axis(value, place(value), height) for value in _ticks(low, high)]
    for index, row in enumerate(rows):
        y = line * index + 18
        words = f"{row['name']}: {row['elo']:+z.0f}, between {row['low']:+z.0f} and {row['high']:+z.0f}"
        parts.append(
            f"<g><title>{escape(words)}</title>"
            f'<text x="{left - 10:g}" y="{y + 4:g}" text-anchor="end">{escape(_short(row["name"]))}</text>'
            f'<path class="interval" d="M{place(row["low"]):.1f} {y:g}H{place(row["high"]):.1f}"/>'
            f'<circle class="point" cx="{place(row["elo"]):.1f}" cy="{y:g}" r="4.5"/></g>'
        )
    return (
        f'<svg class="ratings" viewBox="0 0 {left + width + 24:g} {height:g}" width="{left + width + 24:g}" '
        f'height="{height:g}" role="img"><title>Ratings with 95 % intervals</title>{"".join(parts)}</svg>'
    )


def _axis(value: float, x: float, height: float) -> str:
    return (
        f'<path class="tick" d="M{x:.1f} 6V{height - 22:g}"/>'
        f'<text class="axis" x="{x:.1f}" y="{height - 8:g}" text-anchor="middle">{value:+z.0f}</text>'
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between two values."""
    steps = (base * 10.0**power for power in range(6) for base in (1.0, 2.0, 5.0))
    step = next(step for step in steps if (high - low) / step <= 6.0 or step >= 500_000.0)
    first = -(-low // step)
    return [step * (first + index) for index in range(int((high - first * step) // step) + 1)]
