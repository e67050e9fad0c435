"""Answer the requests of a replay's page: play on from a position, or explain the match."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError, ExitCode
from arena.game import Clock, Document, GameSpec, State
from arena.game.forms import covers, is_form, spread
from arena.match.job import HUMAN, OUTSIDE, REMOTE, REPLAY, TERMINAL, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.position import ReplayPlace
from arena.play.referee.prepared import PreparedMatch
from arena.study.analysis.advice import with_commands
from arena.study.analysis.explaining import Explainer, Explanation, explanation_of, save
from arena.study.analysis.playouts import Result
from arena.study.analysis.probability import win_difference, win_of
from arena.study.analysis.recorded_match import RecordedMatch
from arena.study.analysis.report import document_of
from arena.study.analysis.worker import Pool, Question, Worker, playing_bots
from arena.study.replaying.course import Step, course
from arena.study.replaying.positions import position_at
from arena.text.reading import whole_number
from arena.web.computing import failure
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import Endpoint, Order, application, json_page
from arena.web.viewing import Viewing
from arena_replays import Reader, header_of
from arena_replays.documents import Header
from arena_replays.state import State as Objects
from arena_replays.state import fold

# Estimate the win probability after each of several actions: those that a person or built-in bots choose.

TIMES: Final = 20
LONGEST_ESTIMATE: Final = 120.0
"""No playout starts later than this many seconds after the first one."""


class ActionEstimates:
    """Estimates the win probability after each of some actions. A pool of processes plays on from each action."""

    def __init__(
        self,
        game: GameSpec,
        place: ReplayPlace,
        bot: str,
        player: int,
        actions: Sequence[Document],
        advisers: Sequence[str] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._bot, self._where, self._player = bot, (place.turn, place.action), player
        self._power = game.playout_power
        self._actions = list(actions)
        self._advisers = advisers
        self._choices: dict[str, list[Document]] = {}
        self._played: list[list[Result]] = []
        self._state, self._message = "playing", ""
        self._pool = Pool(Path(place.replay))
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def status(self) -> dict[str, Any]:
        """The progress, the bots' choices, and the win probability after each action so far.

        After the action, the built-in bot plays for all players. For the key ``bot``, this bot also chooses the action.
        """
        with self._lock:
            columns = list(zip(*self._played, strict=True)) or [()] * (len(self._actions) + 1)
            without = columns[-1]
            return {
                "state": self._state,
                "message": self._message,
                "played": len(self._played),
                "times": TIMES,
                "choices": [{"bot": bot, "actions": actions} for bot, actions in self._choices.items()],
                "rows": [
                    {
                        "action": action,
                        "win": win_of(column, self._player, self._power).to_document(),
                        "difference": win_difference(
                            list(zip(without, column, strict=True)), self._player, self._power
                        ).to_document(),
                    }
                    for action, column in zip(self._actions, columns, strict=False)
                ],
                "bot": win_of(without, self._player, self._power).to_document(),
            }

    def stop(self) -> None:
        with self._lock:
            running, self._state = self._state == "playing", "done"
        if running:
            self._pool.close()

    def _run(self) -> None:
        try:
            self._ask_bots()
            questions: list[Question] = [
                (Worker.after, f"builtin:{self._bot}", self._where, self._player, self._actions, [seed])
                for seed in range(TIMES)
            ]
            for _, rows in self._pool.ask(questions, time.monotonic() + LONGEST_ESTIMATE):
                with self._lock:
                    self._played += rows
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            with self._lock:
                self._message = "" if self._state == "done" else str(error)  # no message after stop
        except Exception as error:  # also after a fault of Arena, the page gets an end
            message = failure(error, "The estimate")["message"]
            with self._lock:
                self._message = message
        self.stop()

    def _ask_bots(self) -> None:
        questions: list[Question] = [
            (Worker.choice_at, f"builtin:{bot}", self._where, self._player) for bot in self._advisers
        ]
        found = dict(self._pool.ask(questions))
        with self._lock:
            for at, bot in enumerate(self._advisers):
                self._choices[bot] = found[at]
                if found[at] and found[at][0] not in self._actions:
                    self._actions.append(found[at][0])


# Explain the shown replays in the background, while their pages show the results so far.

SECONDS: Final = 20
LONGEST_EXPLANATION: Final = 600


class Explaining:
    """The explanations of all replays of a server. Only one is computed at a time: a new one stops the previous one."""

    def __init__(self, viewing: Viewing) -> None:
        self._viewing = viewing
        self._lock = threading.Lock()
        self._tasks: dict[Path, _Task] = {}

    def explained(self, request: Request) -> Response:
        """Return the explanation of a replay so far; during the computation, with the elapsed ``share`` of its time."""
        path = self._path(request)
        task = self._tasks.get(path)
        return json_page(task.document if task else explanation_of(path))

    def explain(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start or continue the explanation of a replay. The request can give a time limit, in seconds.

        If this explanation is being computed already, change nothing.
        """
        path = self._path(request)
        seconds = body.get("seconds", SECONDS)
        if type(seconds) is not int or not 1 <= seconds <= LONGEST_EXPLANATION:
            raise ArenaError(
                f"Choose a whole number of seconds from 1 to {LONGEST_EXPLANATION}.", exit_code=ExitCode.BAD_OPTION
            )
        with self._lock:
            task = self._tasks.get(path)
            if task is None or not task.running:
                self._stop()
                self._tasks[path] = _Task(path, seconds)
        return {}

    def close(self) -> None:
        """Stop the running explanation. Its results are saved beside the replay."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        for task in self._tasks.values():
            task.stop()

    def _path(self, request: Request) -> Path:
        return self._viewing.paths[self._viewing.number(request, "at")]


class _Task:
    """One explanation that is being computed, on all cores.

    An explanation that was kept is shown until the new one has as many playouts. It has more time than the kept one.
    """

    def __init__(self, path: Path, seconds: int) -> None:
        self.running = True
        self._path = path
        self._share = 0.0
        self._message = ""
        self._found = explanation_of(path)
        self._kept = self._found.get("playouts", {}).get("count", 0)
        # One that was interrupted has not had all of its time.
        self._seconds = seconds + (0 if self._found.get("stage", "") else self._found.get("budget", 0))
        self._pool = Pool(path)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def document(self) -> dict[str, Any]:
        """The explanation so far, with the elapsed share of the stage, or the reason of a failure."""
        more = {"share": self._share} if self.running else {"message": self._message} if self._message else {}
        return {**self._found, **more}

    def stop(self) -> None:
        """Stop the computation, and wait up to 10 s until its results are saved."""
        if self.running:
            self.running = False
            self._pool.close()
            self._thread.join(10)

    def _run(self) -> None:
        explanation: Explanation | None = None
        try:
            explanation = Explanation(RecordedMatch.of_file(self._path))
            for share in Explainer(explanation, self._pool, self._seconds).run(norms=True):
                self._share = share
                if explanation.playouts >= self._kept:
                    self._take(explanation)
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            self._message = f"The explanation broke off: {error}" if self.running else ""  # no message after stop
        except Exception as error:  # also after a fault of Arena, the page gets an end
            self._message = failure(error, "The explanation")["message"]
        if explanation is not None and explanation.playouts >= max(1, self._kept):
            save(self._take(explanation), self._path)
        if self.running:
            self._pool.close()
            self.running = False

    def _take(self, explanation: Explanation) -> dict[str, Any]:
        """Show an explanation. Return its document as it is stored."""
        document = document_of(explanation, self._seconds)
        self._found = with_commands(document, explanation.match.reader, self._path)
        return document


MOST_WAITING = 200
MOST_TRIED = 8
SAMPLES = 100


class WhatIf:
    """Plays on from positions of the replays that are shown.

    Args:
        replays: The folder for the replays of these matches.
    """

    def __init__(self, viewing: Viewing, replays: Path = Path("replays")) -> None:
        viewing.offers_what_if = True
        self._viewing = viewing
        self._replays = replays
        self._written: list[Path] = []
        self._matches = PageMatches()
        self._estimates: list[ActionEstimates] = []
        self._explaining = Explaining(viewing)

    def application(self) -> Starlette:
        """Return an application that shows these replays and what is played from them only."""
        return application(self._viewing.pages() | self.routes(), self.orders(), self.lifespan)

    def routes(self) -> dict[str, Endpoint]:
        """Return the endpoints for GET requests. These requests change nothing."""
        return {
            "/what-if/{at:int}": self._list,
            "/legal/{at:int}": self._legal,
            "/believed/{at:int}": self._believed,
            "/tried/{number:int}": self._tried,
            "/explained/{at:int}": self._explaining.explained,
        }

    def orders(self) -> dict[str, Order]:
        """Return the functions for POST requests. These requests change something."""
        return {
            "/play-on/{at:int}": self._play,
            "/halt/{at:int}": self._halt,
            "/try/{at:int}": self._try,
            "/explain/{at:int}": self._explaining.explain,
        }

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002 - the signature is Starlette's
        """End all matches, estimates and explanations when the server stops."""
        yield
        self._matches.close()
        for one in self._estimates:
            one.stop()
        self._explaining.close()

    # -- what a page shows ---------------------------------------------------------------------------

    def _list(self, request: Request) -> Response:
        """Return the matches that were started from a replay, by the names of their files, and who can play."""
        at, path = self._replay(request)
        header = header_of(path)
        game = find_game(header.get("game", ""))
        players = header.get("players", ())
        document = {
            "matches": self._matches.statuses(f"{at}/"),
            "players": [player["name"] for player in players],
            "seats": [choices(game, header, seat) for seat in range(len(players))],
            "bots": playing_bots(game),
        }
        return json_page(document)

    def _legal(self, request: Request) -> Response:
        step = self._step(request, request.query_params.get("frame"))
        state = step.state
        moves = [{"player": player, "actions": spread(state.legal_actions(player))} for player in state.to_move()]
        return json_page({"turn": step.turn, "action": step.action, "moves": moves})

    def _believed(self, request: Request) -> Response:
        """Return what a player can believe about hidden objects at a frame; by default the player who is to move."""
        state = self._step(request, request.query_params.get("frame")).state
        game = self._game(request)
        player = request.query_params.get("player")
        asked = [at for at in range(game.players_in(state.options)) if str(at) == player]
        players = asked or state.to_move()
        if not players:
            raise ArenaError("The match is over.")
        return json_page(beliefs(game, state, players[0]))

    # -- matches and estimates -----------------------------------------------------------------------

    def _play(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Play on from a frame. Return the name of the replay's file."""
        at, path = self._replay(request)
        if sum(one["state"] in ACTIVE for one in self._matches.statuses(f"{at}/").values()) > MOST_WAITING:
            raise ArenaError(f"More than {MOST_WAITING} matches wait or are played.", hint="Wait, or stop some.")
        seats = body.get("seats")
        if not isinstance(seats, list) or not all(isinstance(seat, str) and seat for seat in seats):
            raise ArenaError("Name a bot for each seat.")
        place = self._place(request, body.get("frame"))
        start = position_at(place, same_dice=body.get("same_dice") is True, moves=REPLAY in seats)
        if TERMINAL in seats or REMOTE in seats:
            raise ArenaError(f"{TERMINAL} and {REMOTE} cannot fill a seat of a match in the browser.")
        replay = self._new_file(path, place)
        job = Job(
            start.game,
            tuple(map(SeatAssignment, seats)),
            clock=_clock(header_of(path)),
            replay=str(replay),
            start=start,
            progress=True,
        ).seeded()
        prepared = PreparedMatch(job)  # check the bots and the position before anything starts
        self._written.append(replay)
        key = f"{at}/{replay.name}"

        def describe(_: object) -> dict[str, Any]:
            return {"view": self._viewing.beside(replay, at), "file": str(replay)}

        self._matches.play(WaitingMatch(key, job, partial(with_people, self._matches, key, prepared), describe))
        return {"match": replay.name}

    def _new_file(self, path: Path, place: ReplayPlace) -> Path:
        try:
            self._replays.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ArenaError(
                f"The folder {self._replays} for the replay cannot be created: {error.strerror}.",
                exit_code=ExitCode.CANNOT_WRITE,
            ) from None
        turn = f"{place.turn}.{place.action}" if place.action else f"{place.turn}"
        files = (self._replays / f"{path.stem}-from-{turn}-{number}.arena" for number in count(1))
        return next(file for file in files if file not in self._written and not file.exists())

    def _halt(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        at, _ = self._replay(request)
        self._matches.stop(f"{at}/{_text(body, 'match')}")
        return {}

    def _try(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start to estimate the win probabilities after some legal actions. Return the number of the task.

        Earlier tasks are stopped.
        """
        step = self._step(request, body.get("frame"))
        player, actions, bot = body.get("player"), body.get("documents"), _text(body, "bot")
        game, state = self._game(request), step.state
        if type(player) is not int or player not in state.to_move():
            raise ArenaError("This player is not to move here.")
        legal = state.legal_actions(player)
        if (
            not isinstance(actions, list)
            or len(actions) > MOST_TRIED
            or not all(_is_legal(one, legal) for one in actions)
        ):
            raise ArenaError(f"Choose at most {MOST_TRIED} actions that are legal here.")
        names = playing_bots(game)
        if bot not in names:
            raise ArenaError(f"{game.name} has no built-in bot {bot}.", exit_code=ExitCode.BAD_BOT)
        for one in self._estimates:
            one.stop()
        place = ReplayPlace(str(self._replay(request)[1]), step.turn, step.action)
        self._estimates.append(
            ActionEstimates(game, place, bot, player, actions, names if body.get("advice") is True else ())
        )
        return {"try": len(self._estimates) - 1}

    def _tried(self, request: Request) -> Response:
        number: int = request.path_params["number"]
        if number >= len(self._estimates):
            raise ArenaError("There is no such task.")
        return json_page(self._estimates[number].status)

    def _replay(self, request: Request) -> tuple[int, Path]:
        at = self._viewing.number(request, "at")
        return at, self._viewing.paths[at]

    def _game(self, request: Request) -> GameSpec:
        return find_game(header_of(self._replay(request)[1]).get("game", ""))

    def _place(self, request: Request, frame: object) -> ReplayPlace:
        step = self._step(request, frame)
        return ReplayPlace(str(self._replay(request)[1]), step.turn, step.action)

    def _step(self, request: Request, frame: object) -> Step:
        """Return the step of a replay that leads to a frame."""
        number = whole_number(frame) if isinstance(frame, str) else frame
        if type(number) is not int or number < 0:
            raise ArenaError("Name a frame of the replay.", exit_code=ExitCode.BAD_OPTION)
        for step in course(Reader(self._replay(request)[1])):
            if step.frame == number:
                return step
        raise ArenaError(f"The replay has no position after {number} actions.", exit_code=ExitCode.BAD_OPTION)


def choices(game: GameSpec, header: Header, seat: int) -> list[dict[str, str]]:
    """Return what can play on from here on a seat. The first entry is the default.

    The seat's bot comes first, then the bots of the other players. Bots that are not on this machine are left out.
    """
    builtin = {f"builtin:{bot.name}": f"{bot.name} (built-in)" for bot in game.bots}
    found: dict[str, str] = {}
    players = header.get("players", [])
    for player in [*players[seat : seat + 1], *players]:
        reference = player.get("bot", "")
        if reference in builtin:
            found.setdefault(reference, builtin[reference])
        elif reference not in ("", REPLAY, *OUTSIDE) and Path(reference).exists():
            found.setdefault(reference, f"{player['name']} ({reference})")
    found = found | {REPLAY: "as in the replay", HUMAN: "me"} | builtin
    return [{"value": value, "title": title} for value, title in found.items()]


def _clock(header: Header) -> Clock | None:
    """Return the clock of a recorded match; None if its header has no valid clock. The game's clock then applies."""
    times: dict[str, Any] = header.get("clock", {})
    numbers = all(isinstance(time, int | float | None) for time in times.values())
    return Clock(**times) if numbers and times.keys() == Clock().to_document().keys() else None


def _text(body: Mapping[str, Any], key: str) -> str:
    value = body.get(key, "")
    if not isinstance(value, str):
        raise ArenaError(f"The value of {key} is not a text.")
    return value


def _is_legal(action: object, legal: list[Document]) -> bool:
    return action in legal or (isinstance(action, dict) and any(covers(one, action) for one in legal if is_form(one)))


def beliefs(game: GameSpec, state: State, player: int) -> Document:
    """Return the mean number of unseen entities on each tile, and the mean hidden value of each seen entity.

    Each mean is over sampled states that agree with the player's view. The hidden value is the sum of the entity's
    numeric fields that the player does not see.
    """
    if not game.state.hidden_information:
        raise ArenaError(f"Nothing is hidden in {game.name}.")
    view = state.view(player)
    options = game.resolve_options(state.options_for(player))
    known = _placed(view)
    places: Counter[tuple[int, int]] = Counter()
    sums: Counter[str] = Counter()
    for seed in range(SAMPLES):
        world = type(state).determinize(list(view), player, Random(seed), options)
        for id_, fields in _placed(world.view()).items():
            if id_ not in known:
                places[fields["x"], fields["y"]] += 1
                continue
            for name, value in fields.items():
                if known[id_].get(name, value) is None and type(value) in (int, float):
                    sums[id_] += value
    return {
        "player": player,
        "tiles": [[x, y, count / SAMPLES] for (x, y), count in sorted(places.items())],
        "numbers": [[known[id_]["x"], known[id_]["y"], total / SAMPLES] for id_, total in sorted(sums.items())],
    }


def _placed(view: list[Any]) -> Objects:
    things: Objects = {}
    fold(things, view)
    return {id_: one for id_, one in things.items() if type(one.get("x")) is int and type(one.get("y")) is int}
