"""Answer the requests of a replay's page about positions: play on from there, try actions, show what a player believes.

A page names a frame of the replay. The rules play the match again up to there (`arena.study.replaying.course`), so that
a position is always what the rules say, and never what a page sends. Matches from a position run one after the other
(`arena.web.page_matches`), and their replays lie in a folder of their own; what takes playouts is in `analyses`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError, ExitCode
from arena.game import Clock, Document, GameSpec, State
from arena.game.forms import covers, is_form, spread
from arena.match.job import HUMAN, OUTSIDE, REMOTE, REPLAY, TERMINAL, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.position import ReplayPosition
from arena.play.referee.prepared import PreparedMatch
from arena.study.coach.playing_bots import playing_bots
from arena.study.coach.practice import found_in, lesson_of, play_pair
from arena.study.replaying.course import Step, course
from arena.study.replaying.positions import position_at
from arena.text.reading import whole_number
from arena.web.analyses import ActionEstimates, Explaining
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import Endpoint, Order, application, json_page
from arena.web.viewing import Viewing
from arena_replays import Reader, header_of
from arena_replays.documents import Header
from arena_replays.state import State as Objects
from arena_replays.state import fold

MOST_WAITING: Final = 200
"""The number of matches of a replay that wait or are played; each takes a second or more. A page that asks for more is
a mistake or an attack."""
MOST_TRIED: Final = 8
"""The number of actions that are tried together: as many rows as a person compares, in `TIMES` playouts each."""
JUDGING: Final = 4.0
"""The seconds of playouts for the turn that a person has found: somebody waits for the answer."""
SAMPLES: Final = 100
"""The number of states that a player's belief is computed from. Their shares are shown as shades of a tile, in which
nobody sees a difference of less than a hundredth."""


class WhatIf:
    """Plays on from positions of the replays that are shown.

    Args:
        replays: The folder for the replays of these matches.
        in_memory: Whether to play them in memory.
    """

    def __init__(
        self, viewing: Viewing, replays: Path = Path("replays"), *, in_memory: bool = not RUNS_PROGRAMS
    ) -> None:
        viewing.offers_what_if = True
        self._viewing = viewing
        self._replays = replays
        self._written: list[Path] = []
        self._matches = PageMatches(in_memory=in_memory)
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
            "/pair/{at:int}": self._pair,
            "/judge/{at:int}": self._judge,
        }

    @asynccontextmanager
    async def lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        """End all matches, estimates and explanations when the server stops."""
        yield
        self._matches.close()
        for estimates in self._estimates:
            estimates.stop()
        self._explaining.close()

    # -- what a page shows ---------------------------------------------------------------------------

    def _list(self, request: Request) -> Response:
        """Return the matches that were started from a replay, by the names of their files, and who can play."""
        number, path = self._replay(request)
        header = header_of(path)
        game = find_game(header.get("game", ""))
        players = header.get("players", ())
        document = {
            "matches": self._matches.statuses(f"{number}/"),
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
        name = request.query_params.get("player")
        named = [player for player in range(game.players_in(state.options)) if str(player) == name]
        players = named or state.to_move()
        if not players:
            raise ArenaError("The match is over.")
        return json_page(beliefs(game, state, players[0]))

    # -- matches and estimates -----------------------------------------------------------------------

    def _play(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Play on from a frame. Return the name of the replay's file."""
        number, path = self._replay(request)
        statuses = self._matches.statuses(f"{number}/").values()
        if sum(status["state"] in ACTIVE for status in statuses) > MOST_WAITING:
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
        prepared = PreparedMatch(
            job, in_memory=self._matches.in_memory
        )  # check the bots and the position before anything starts
        self._written.append(replay)
        key = f"{number}/{replay.name}"

        def describe(_: object) -> dict[str, Any]:
            return {"view": self._viewing.beside(replay, number), "file": str(replay)}

        self._matches.play(WaitingMatch(key, job, partial(with_people, self._matches, key, prepared), describe))
        return {"match": replay.name}

    def _pair(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Play a pair of playouts of a lesson. Return the page that shows both side by side."""
        _, path = self._replay(request)
        lesson, _ = lesson_of(path, body.get("lesson"))
        files: list[Path] = []
        for _ in range(2):
            files.append(self._new_file(path, ReplayPosition(str(path), lesson["from_turn"])))
            self._written.append(files[-1])
        play_pair(path, body.get("lesson"), len(self._written), (files[0], files[1]))
        self._viewing.add(files[1])
        return {"view": self._viewing.beside(files[0], self._viewing.paths.index(files[1]))}

    def _judge(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Return what the turn of a person in a match from a lesson is worth; None if it is not over."""
        _, path = self._replay(request)
        match = next((file for file in self._written if file.name == _text(body, "match")), None)
        if match is None or not match.exists():
            return {"gain": None}
        gain = found_in(path, body.get("lesson"), Reader(match), JUDGING)
        return {"gain": gain and gain.to_document()}

    def _new_file(self, path: Path, place: ReplayPosition) -> Path:
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
        number, _ = self._replay(request)
        self._matches.stop(f"{number}/{_text(body, 'match')}")
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
        few = actions[: MOST_TRIED + 1] if isinstance(actions, list) else None
        if few is None or len(few) > MOST_TRIED or not all(_is_legal(action, legal) for action in few):
            raise ArenaError(f"Choose at most {MOST_TRIED} actions that are legal here.")
        names = playing_bots(game)
        if bot not in names:
            raise ArenaError(f"{game.name} has no built-in bot {bot}.", exit_code=ExitCode.BAD_BOT)
        for estimates in self._estimates:
            estimates.stop()
        place = ReplayPosition(str(self._replay(request)[1]), step.turn, step.action)
        advisers = names if body.get("advice") is True else ()
        self._estimates.append(ActionEstimates(game, place, bot, player, few, advisers))
        return {"try": len(self._estimates) - 1}

    def _tried(self, request: Request) -> Response:
        number: int = request.path_params["number"]
        if number >= len(self._estimates):
            raise ArenaError("There is no such task.")
        return json_page(self._estimates[number].status)

    def _replay(self, request: Request) -> tuple[int, Path]:
        number = self._viewing.number(request, "at")
        return number, self._viewing.paths[number]

    def _game(self, request: Request) -> GameSpec:
        return find_game(header_of(self._replay(request)[1]).get("game", ""))

    def _place(self, request: Request, frame: object) -> ReplayPosition:
        step = self._step(request, frame)
        return ReplayPosition(str(self._replay(request)[1]), step.turn, step.action)

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
    titles: dict[str, str] = {}
    players = header.get("players", [])
    for player in [*players[seat : seat + 1], *players]:
        reference = player.get("bot", "")
        if reference in builtin:
            titles.setdefault(reference, builtin[reference])
        elif reference not in ("", REPLAY, *OUTSIDE) and Path(reference).exists():
            titles.setdefault(reference, f"{player['name']} ({reference})")
    titles = titles | {REPLAY: "as in the replay", HUMAN: "me"} | builtin
    return [{"value": reference, "title": title} for reference, title in titles.items()]


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
    if action in legal:
        return True
    return isinstance(action, dict) and any(covers(form, action) for form in legal if is_form(form))


def beliefs(game: GameSpec, state: State, player: int) -> Document:
    """Return the mean number of unseen entities on each tile, and the mean hidden value of each seen entity.

    Each mean is over sampled states that agree with the player's view. The hidden value is the sum of the entity's
    numeric fields that the player does not see.
    """
    if not game.state.hidden_information:
        raise ArenaError(f"Nothing is hidden in {game.name}.")
    view = state.view(player)
    options = game.resolve_options(state.options_for(player))
    seen = _placed(view)
    unseen: Counter[tuple[int, int]] = Counter()
    sums: Counter[str] = Counter()
    for seed in range(SAMPLES):
        sample = type(state).determinize(list(view), player, Random(seed), options)
        for id_, fields in _placed(sample.view()).items():
            if id_ not in seen:
                unseen[fields["x"], fields["y"]] += 1
                continue
            for name, value in fields.items():
                is_hidden = seen[id_].get(name, value) is None
                if is_hidden and type(value) in (int, float):
                    sums[id_] += value
    return {
        "player": player,
        "tiles": [[x, y, count / SAMPLES] for (x, y), count in sorted(unseen.items())],
        "numbers": [[seen[id_]["x"], seen[id_]["y"], total / SAMPLES] for id_, total in sorted(sums.items())],
    }


def _placed(view: list[Any]) -> Objects:
    """Return the entities of a view that are on a tile."""
    objects: Objects = {}
    fold(objects, view)
    return {
        id_: fields for id_, fields in objects.items() if type(fields.get("x")) is int and type(fields.get("y")) is int
    }
