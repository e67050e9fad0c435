"""What runs in the Python of the browser: matches, series, completions. The page calls `call` with JSON.

All code of the page's user runs here, in a worker without network, cookies and storage. So this module protects nobody:
it keeps the next run working, and says what happened and where.
"""

from __future__ import annotations

import builtins
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

from arena.bots.builtin import module_source
from arena.errors import ArenaError
from arena.game import GameSpec, OptionError, spread
from arena.match.lookup import find_game
from arena.match.position import Position, ReplayPosition
from arena.play.memory import Failure, MatchInMemory, Player, bot_class
from arena_player import AI
from arena_player.result import Result
from arena_replays import Reader

BOTS = Path("/bots")
REPLAY = Path("/replays/match.arena")
SHOWN = Path("/replays/shown.arena")
"""The replay on the board, from which a match can start."""
PATIENCE = 5.0
"""Seconds after which a turn of the bot ends with a traceback."""
EVENTS = 200
"""A loop looks at the clock once in this many rounds."""
KEPT = 2000
"""Printed lines and refusals that the page gets of one match."""
DRAW = 0.08
"""Seconds between two updates of the board."""

NO_PACKAGE = "This playground has Python's standard library, and the packages that its organizer has added."

monitoring: Any = getattr(sys, "monitoring", None)
"""The browser's Python has it; Python 3.11, which checks the types of this module, does not."""

Emit = Callable[[str, Any], None]


class Stopped(BaseException):
    """Ends a bot that does not come back. No bot catches this with `except Exception`."""


class Watch:
    """Interrupts loops of the user's code that do not end, at their line and without a second thread.

    The interpreter calls `_jump` at each jump in a file of the user. Code of others costs nothing.
    """

    def __init__(self) -> None:
        self.ends = 0.0
        self._count = 0
        tool = monitoring
        self._tool = tool.DEBUGGER_ID
        tool.use_tool_id(self._tool, "playground")
        tool.register_callback(self._tool, tool.events.PY_START, self._start)
        tool.register_callback(self._tool, tool.events.JUMP, self._jump)
        tool.register_callback(self._tool, tool.events.PY_RESUME, self._start)

    @contextmanager
    def guard(self) -> Iterator[None]:
        tool = monitoring
        tool.set_events(self._tool, tool.events.PY_START | tool.events.PY_RESUME)
        self.again()
        try:
            yield
        finally:
            tool.set_events(self._tool, 0)

    def again(self) -> None:
        """Give the code its time again."""
        self.ends = time.monotonic() + PATIENCE

    def _start(self, code: CodeType, _offset: int) -> Any:
        if code.co_filename.startswith(str(BOTS)):
            monitoring.set_local_events(self._tool, code, monitoring.events.JUMP)
        return monitoring.DISABLE

    def _jump(self, _code: CodeType, _offset: int, _target: int) -> None:
        self._count += 1
        if self._count % EVENTS == 0 and time.monotonic() > self.ends:
            raise Stopped


class Desk:
    """The matches of the page.

    Args:
        emit: Sends something to the page at once: a kind and a document, or bytes.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._watch = Watch()
        self._hand: Hand | None = None
        self._builtins = dict(builtins.__dict__)
        self._modules = set(sys.modules)
        self._changed = False

    def match(self, request: dict[str, Any]) -> dict[str, Any]:
        """Play a match, and send its replay while it grows. The result names what went wrong, and where."""
        spec, talk = find_game(request["game"]), Talk()
        try:
            with self._watch.guard():
                match = self._begin(spec, request, talk)
                self._hand = Hand(match, talk) if None in request["players"] else None
                self._play(match)
        except BaseException as error:
            self.mend()
            self._hand = None
            return self._mishap(error, talk)
        return self._report(match, talk)

    def act(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out a person's action, and play on until the person must act again."""
        assert self._hand is not None
        match, talk = self._hand.match, self._hand.talk
        try:
            with self._watch.guard():
                if request.get("resign"):
                    match.resign(self._hand.player)
                else:
                    self._hand.act(request["action"])
                self._play(match)
        except BaseException as error:
            self.mend()
            self._hand = None
            return self._mishap(error, talk)
        return self._report(match, talk)

    def series(self, request: dict[str, Any]) -> dict[str, Any]:
        """Play matches, and send the result of each. The sides change from match to match."""
        spec, talk = find_game(request["game"]), Talk()
        try:
            with self._watch.guard():
                for number in range(request["first"], request["first"] + request["count"]):
                    self._watch.again()
                    seats: list[Player] = [self._load(spec, one, talk, at) for at, one in enumerate(request["players"])]
                    place = number % len(seats)
                    seats = seats[len(seats) - place :] + seats[: len(seats) - place]
                    seed = request["seed"] + number
                    match = MatchInMemory(spec, seats, seed=seed, options=request["options"], captures=True)
                    for _ in match.turns():
                        self._watch.again()
                    self._emit("game", {"number": number, "place": place, **ended(match, place)})
        except BaseException as error:
            self.mend()
            return self._mishap(error, talk)
        return self._clean()

    def _begin(self, spec: GameSpec, request: dict[str, Any], talk: Talk) -> MatchInMemory:
        start = None if request.get("frame") is None else position_of(request["frame"], same_dice=request["same_dice"])
        players: list[Player] = [
            None if one is None else self._load(spec, one, talk, at) for at, one in enumerate(request["players"])
        ]
        REPLAY.parent.mkdir(exist_ok=True)
        return MatchInMemory(
            spec,
            players,
            seed=request["seed"],
            options=request["options"],
            replay=REPLAY,
            names=request["names"],
            captures=True,
            start=start,
        )

    def _load(self, spec: GameSpec, player: Any, talk: Talk, seat: int) -> Player:
        """Return a bot: a built-in one with its settings, or files by name. Each match gets it new, as a process is."""
        keep_typed_module(spec)
        if isinstance(player, str):
            return f"builtin:{player}"
        folder = BOTS / f"bot{seat}"
        shutil.rmtree(folder, ignore_errors=True)
        for name, text in player.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return watched(bot_class(spec, folder), talk, str(folder))

    def _play(self, match: MatchInMemory) -> None:
        drawn, sent = 0.0, 0
        for _ in match.turns():
            self._watch.again()
            if time.monotonic() > drawn + DRAW:
                sent = self._send(sent)
                drawn = time.monotonic()

    def _send(self, sent: int) -> int:
        data = REPLAY.read_bytes()
        if len(data) > sent:
            self._emit("replay", data)
        return len(data)

    def _report(self, match: MatchInMemory, talk: Talk) -> dict[str, Any]:
        # The end of a match writes the replay anew.
        self._emit("whole" if match.over else "replay", REPLAY.read_bytes())
        traces = {failure.traceback for failure in match.failures.values()}
        found = {
            "over": match.over,
            "headline": headline(match),
            "prints": [note._asdict() for note in match.notes if note.kind != "draw" and note.payload not in traces][
                :KEPT
            ],
            "refusals": talk.refusals[:KEPT],
            "refused": talk.refused,
            "endings": [one.ending for one in match.result().players],
            "failures": [problem(failure, player) for player, failure in match.failures.items()],
        }
        if match.over:
            from arena.study.coach.coach import advantage  # everybody waits for what is loaded at the start

            found["advantage"] = advantage(REPLAY)
        elif self._hand is not None:
            found["ask"] = self._hand.ask()
        return found | self._clean()

    def _mishap(self, error: BaseException, talk: Talk) -> dict[str, Any]:
        """Describe what ended the match before its end, for the page."""
        if isinstance(error, ArenaError | OptionError):
            found = {"message": str(error), "hint": getattr(error, "hint", ""), "line": 0, "file": "", "traceback": ""}
        else:
            found = problem(Failure.of(error.with_traceback(own_frames(error))), None)
        if isinstance(error, Stopped):
            found["message"] = f"The bot did not come back within {PATIENCE:g} seconds. Is there an endless loop?"
        return {"mishap": found, "refusals": talk.refusals[:KEPT], "refused": talk.refused} | self._clean()

    def mend(self) -> None:
        """Give Python its built-in functions back. Until then, no function can be called."""
        self._changed = builtins.__dict__ != self._builtins
        builtins.__dict__.update(self._builtins)

    def _clean(self) -> dict[str, Any]:
        """Undo what the user's code did to Python. The page starts a new Python if this is not enough."""
        changed, self._changed = self._changed, False
        self.mend()
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        return {"restart": changed or self._changed or not self._modules <= set(sys.modules)}


class Hand:
    """A match in which the page's user plays one seat."""

    def __init__(self, match: MatchInMemory, talk: Talk) -> None:
        self.match = match
        self.talk = talk
        self.player = match.player or 0

    def ask(self) -> dict[str, Any]:
        assert self.match.player is not None
        self.player = self.match.player
        return {"player": self.player, "actions": spread(self.match.legal_actions(self.player))}

    def act(self, action: dict[str, Any]) -> None:
        self.match.act(self.player, action)


class Talk:
    """The refused actions of a match, each with the line that asked for it."""

    def __init__(self) -> None:
        self.refusals: list[dict[str, Any]] = []
        self.refused = 0

    def add(self, folder: str, result: Result[Any], action: dict[str, Any]) -> None:
        self.refused += 1
        if len(self.refusals) < KEPT:
            frame = sys._getframe()
            while frame.f_back is not None and not frame.f_code.co_filename.startswith(folder):
                frame = frame.f_back
            inside = frame.f_code.co_filename.startswith(folder)
            place = {"file": Path(frame.f_code.co_filename).name, "line": frame.f_lineno} if inside else {}
            self.refusals.append({"code": result.code, "message": result.message, "action": action, **place})


def position_of(frame: int, *, same_dice: bool) -> Position:
    """Return the position at a frame of the replay on the board."""
    from arena.study.replaying.course import course  # only here, since everybody waits for what is loaded at the start
    from arena.study.replaying.positions import position_at

    step = next((step for step in course(Reader(SHOWN)) if step.frame == frame), None)
    if step is None:
        raise ArenaError("The match on the board has no such position.")
    if not step.state.to_move():
        raise ArenaError("The match is over here.", hint="Go back to an earlier turn.")
    return position_at(ReplayPosition(str(SHOWN), step.turn, step.action), same_dice=same_dice)


def keep_typed_module(spec: GameSpec) -> None:
    """Keep the typed module of a game between matches, since it takes longer to write than to play."""
    if spec.name not in sys.modules:
        module = ModuleType(spec.name)
        exec(compile(module_source(spec), f"<{spec.name}.py>", "exec"), module.__dict__)
        sys.modules[spec.name] = module


def watched(kind: type[AI], talk: Talk, folder: str) -> type[AI]:
    """Return a bot's class that also notes its refused actions."""

    class Watched(kind):  # type: ignore[misc, valid-type]
        def refused(self, action: dict[str, Any], result: Result[Any]) -> None:
            talk.add(folder, result, action)
            super().refused(action, result)

    Watched.__name__ = Watched.__qualname__ = kind.__name__
    Watched.__module__, Watched.__doc__ = kind.__module__, kind.__doc__
    return Watched


def own_frames(error: BaseException) -> TracebackType | None:
    """Return the traceback from the first line of the user's code on."""
    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(str(BOTS)):
        trace = trace.tb_next
    return trace


def headline(match: MatchInMemory) -> str:
    result = match.result()
    return "" if result.outcome is None else result.outcome.headline([player.name for player in result.players])


def ended(match: MatchInMemory, place: int) -> dict[str, Any]:
    """Return how a match of a series ended for the user's bot."""
    result = match.result()
    winners = result.outcome.winners
    points = 0.0 if winners and place not in winners else 1 / len(winners) if winners else 0.5
    failure = match.failures.get(place)
    found: dict[str, Any] = {"points": points, "ending": result.players[place].ending}
    return found if failure is None else found | {"problem": problem(failure, place)}


def problem(failure: Failure, player: int | None) -> dict[str, Any]:
    lines = failure.traceback.strip().splitlines()
    return {
        "message": lines[-1] if lines else type(failure.error).__name__,
        "hint": NO_PACKAGE if isinstance(failure.error, ModuleNotFoundError) else "",
        "file": Path(failure.file).name,
        "line": failure.line,
        "turn": failure.turn,
        "player": player,
        "traceback": failure.traceback.replace(f"{BOTS}/", ""),
    }


class Helper:
    """Completions and documentation for the editor."""

    def __init__(self) -> None:
        import jedi  # this takes a second, and a match does not need it

        self._jedi = jedi
        self._environment = jedi.InterpreterEnvironment()
        self._found: dict[str, Any] = {}

    def _script(self, request: dict[str, Any]) -> Any:
        folder = Path("/help") / request["game"]
        typed = folder / f"{request['game']}.py"
        if not typed.exists():
            folder.mkdir(parents=True)
            typed.write_text(module_source(find_game(request["game"])), encoding="utf-8")
        project = self._jedi.Project(str(folder), added_sys_path=[str(folder)])
        path = str(folder / "main.py")
        return self._jedi.Script(request["code"], path=path, project=project, environment=self._environment)

    def complete(self, request: dict[str, Any]) -> list[dict[str, str]]:
        found = self._script(request).complete(request["line"], request["column"])
        hidden = not request.get("prefix", "").startswith("_")
        shown = [one for one in found[:200] if not (hidden and one.name.startswith("_"))]
        self._found = {one.name: one for one in shown}
        return [{"label": one.name, "type": one.type} for one in shown]

    def about(self, request: dict[str, Any]) -> str:
        """Return the documentation of one of the last completions, which takes longer than to find them."""
        return first_line(self._found.get(request["label"]))

    def explain(self, request: dict[str, Any]) -> str:
        found = self._script(request).help(request["line"], request["column"])
        return "\n\n".join(one.docstring() for one in found if one.type != "keyword")[:3000]


def first_line(completion: Any) -> str:
    try:
        return str(completion.docstring(raw=False, fast=True)).split("\n\n")[0][:300]
    except Exception:  # jedi fails on some stubs, and the list can be of another word by now
        return ""


def check(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the syntax error of a file; None if there is none."""
    try:
        compile(request["code"], "main.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
        return {"message": getattr(error, "msg", str(error)), "line": line, "column": column}
    return None


def explained(emit: Emit, request: dict[str, Any]) -> dict[str, Any]:
    """Explain the replay that the page shows, and send it what is known so far, as JSON.

    Return the explanation as ``document``, and what the page can send to a contest as ``sent``.
    """
    from arena.study.coach.coach import Coach  # a page that only plays does not wait for it

    coach, document = Coach(SHOWN, lambda: emit("alive", "{}")), {}
    for document in coach.explain(request["budget"]):
        if "share" in document:
            emit("document", json.dumps(document))
    return {"document": document, "sent": {"budget": request["budget"], "answers": coach.answers}}


def make_call(emit: Emit) -> Callable[..., Any]:
    """Return the function that the page calls: a name, a JSON document and perhaps a replay in, JSON out."""
    desk = Desk(emit)
    known: dict[str, Callable[[dict[str, Any]], Any]] = {
        "match": desk.match,
        "act": desk.act,
        "series": desk.series,
        "check": check,
        "coach": partial(explained, emit),
    }

    def call(name: str, text: str, replay: Any = None) -> str:
        desk.mend()
        if replay is not None:
            SHOWN.parent.mkdir(exist_ok=True)
            SHOWN.write_bytes(replay.to_bytes())
        if name in ("complete", "about", "explain") and name not in known:
            helper = Helper()
            known.update(complete=helper.complete, about=helper.about, explain=helper.explain)
        return json.dumps(known[name](json.loads(text)))

    return call
