"""A report in lines for the terminal."""

from __future__ import annotations

from typing import Any


def lines(report: dict[str, Any]) -> list[str]:
    """Return a report in lines. Each number has its 95 % interval, where it is an estimate."""
    found = [
        f"{report['title']} {report['version']}, {report['players']} players: {report['games']} games of "
        f"{', '.join(report['bots'])} against themselves (search: {report['playouts']} playouts a turn)"
    ]
    if report["unfinished"]:
        found.append(f"{report['unfinished']} games did not end, and are left out.")
    if report["slow"]:
        found.append(f"Too slow for this, unless named with --bot: {', '.join(report['slow'])}.")
    found += ["", "Common score:" if report["cooperative"] else "Points of each seat (an equal share is 50 %):"]
    percent = not report["cooperative"]
    for row in report["seats"]:
        own = "; ".join(f"{bot} {number(one, percent=percent)}" for bot, one in row["bots"].items())
        found.append(f"  seat {row['seat']}: {number(row, percent=percent)}   {own}")
        if report["cooperative"]:
            break
    turns = report["turns"]
    found += [
        "",
        f"Turns: {number(turns)}, from {turns['least']} to {turns['most']}, median {turns['median']}",
        f"Actions of all players: {number(report['actions'])}",
        "Legal actions: " + "; ".join(f"{bot} {_choices(one)}" for bot, one in report["branching"].items()),
    ]
    if not report["cooperative"]:
        found.append(
            "Changes of the lead: " + "; ".join(f"{bot} {number(one)}" for bot, one in report["leads"].items())
        )
    found.append("Decided by dice: " + "; ".join(f"{bot} {_dice(one)}" for bot, one in report["dice"].items()))
    unused = report["unused"]
    found.append(f"Actions never used: {', '.join(unused['actions']) or 'none'}")
    found.append(f"Classes never seen: {', '.join(unused['classes']) or 'none'}")
    if report["maps"]:
        found += ["", "Maps, with the points of each seat:"]
        width = max(len(row["map"]) for row in report["maps"])
        for row in report["maps"]:
            points = "  ".join(number(one, percent=percent) for one in row["seats"])
            mark = "   unequal" if row["unfair"] and percent else ""
            found.append(f"  {row['map']:{width}}  {points}  ({row['games']} games){mark}")
    if report["steps"]:
        found += ["", "When the budget of the search doubles:"]
        found += [
            f"  {row['playouts']} against {row['against']} playouts: {_percent(row['score'])} "
            f"({_percent(row['interval'][0])} to {_percent(row['interval'][1])}, {row['games']} games)"
            for row in report["steps"]
        ]
    if report["missing"]:
        found += ["", "Not played, because the time was over or the report was stopped:"]
        found += [f"  - {each}" for each in report["missing"]]
    return found


def number(found: dict[str, Any], *, percent: bool = False) -> str:
    """Return an estimate in words."""
    shown = _percent if percent else "{:.4g}".format
    if found["interval"] is None:
        return shown(found["mean"])
    low, high = found["interval"]
    if percent:
        low, high = max(0.0, low), min(1.0, high)
    return f"{shown(found['mean'])} ({shown(low)} to {shown(high)})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _choices(found: dict[str, Any]) -> str:
    return f"{found['mean']:.4g} on average, at most {found['most']}"


def _dice(share: float | None) -> str:
    return "all results are equal" if share is None else _percent(share)
