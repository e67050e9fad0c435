"""Answer the requests of a replay's page: play on from a position, or explain the match."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from arena.analysis.worker import playing_bots
from arena.errors import ArenaError, ExitCode
from arena.game import Clock, Document, GameSpec, State
from arena.game.forms import covers, is_form, spread
from arena.match.job import HUMAN, OUTSIDE, REMOTE, REPLAY, TERMINAL, Job, SeatAssignment
from arena.match.lookup import find_game
from arena.match.position import ReplayPlace
from arena.referee.prepared import PreparedMatch
from arena.replaying.branches import ROOT, BranchTree
from arena.replaying.places import state_at
from arena.replaying.positions import position_at
from arena.text.numbers import whole_number
from arena.web.action_estimates import ActionEstimates
from arena.web.beliefs import beliefs
from arena.web.explaining import Explaining
from arena.web.page_matches import ACTIVE, PageMatches, WaitingMatch, with_people
from arena.web.pages import Endpoint, Order, application, json_page, viewer_page
from arena.web.viewing import Viewing
from arena_replays.documents import Header
from arena_replays.export import title_of

MOST_WAITING = 200
MOST_TRIED = 8


class Branching:
    def __init__(self, viewing: Viewing) -> None:
        viewing.branches = True
        self._viewing = viewing
        self._trees: dict[int, BranchTree] = {}
        self._matches = PageMatches()
        self._estimates: list[ActionEstimates] = []
        self._explaining = Explaining(viewing)

    def application(self) -> Starlette:
        """Return an application that shows these replays and their branches only."""
        return application(self._viewing.pages() | self.routes(), self.orders(), self.lifespan)

    def routes(self) -> dict[str, Endpoint]:
        """Return the endpoints for GET requests. These requests change nothing."""
        return {
            "/branches/{at:int}": self._list,
            "/branches/{at:int}/tree.html": self._export,
            "/branch/{at:int}/{branch}": self._page,
            "/course/{at:int}/{branch}": self._course,
            "/legal/{at:int}": self._legal,
            "/believed/{at:int}": self._believed,
            "/tried/{number:int}": self._tried,
            "/explained/{at:int}": self._explaining.explained,
        }

    def orders(self) -> dict[str, Order]:
        """Return the functions for POST requests. These requests change something."""
        return {
            "/fork/{at:int}": self._fork,
            "/describe/{at:int}": self._describe,
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

    # -- pages and data ------------------------------------------------------------------------------

    def _list(self, request: Request) -> Response:
        at, tree = self._tree(request)
        unfinished = self._matches.unfinished(f"{at}/")
        branches = [
            asdict(branch) | {"view": f"branch/{at}/{branch.id}" if branch.id else f"view/{at}"}
            for branch in tree.branches()
            if branch.id not in unfinished or unfinished[branch.id]["state"] not in ACTIVE
        ]
        header = tree.reader(ROOT).header
        game = find_game(header.get("game", ""))
        document = {
            "branches": branches,
            "unfinished": unfinished,
            "players": [player["name"] for player in header.get("players", ())],
            "seats": [choices(game, header, seat) for seat in range(len(header.get("players", ())))],
            "bots": playing_bots(game),
        }
        return json_page(document)

    def _page(self, request: Request) -> Response:
        at, tree = self._tree(request)
        id_ = request.path_params["branch"]
        root = request.scope["root_path"]
        parent = tree.parent_of(id_)
        config = {
            "legs": [{"url": f"{root}/course/{at}/{id_}", "believed": f"{root}/believed/{at}?branch={id_}&"}],
            "other": {"url": f"{root}/course/{at}/{parent}" if parent else f"{root}/replay/{at}"},
            "branches": {"urls": [f"{root}/branches/{at}"], "here": id_},
        }
        title = f"{id_} of {title_of(tree.reader(ROOT))}"
        return viewer_page(request, title, config, f"renderer/{at}.js")

    def _course(self, request: Request) -> Response:
        _, tree = self._tree(request)
        return Response(tree.course(request.path_params["branch"]), media_type="application/octet-stream")

    def _export(self, request: Request) -> Response:
        _, tree = self._tree(request)
        name = quote(f"{tree.root.stem}-branches.html")
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return HTMLResponse(tree.page(), headers=headers)

    def _legal(self, request: Request) -> Response:
        place, state = self._position(request)
        moves = [{"player": player, "actions": spread(state.legal_actions(player))} for player in state.to_move()]
        return json_page({"turn": place.turn, "action": place.action, "moves": moves})

    def _believed(self, request: Request) -> Response:
        """Return what a player can believe about hidden objects at a frame; by default the player who is to move."""
        _, state = self._position(request)
        game = find_game(self._tree(request)[1].reader(ROOT).header.get("game", ""))
        player = request.query_params.get("player")
        asked = [at for at in range(game.players_in(state.options)) if str(at) == player]
        players = asked or state.to_move()
        if not players:
            raise ArenaError("The match is over.")
        return json_page(beliefs(game, state, players[0]))

    # -- matches, estimates and descriptions ---------------------------------------------------------

    def _fork(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        at, tree = self._tree(request)
        unfinished = self._matches.unfinished(f"{at}/").values()
        if sum(one["state"] in ACTIVE for one in unfinished) > MOST_WAITING:
            raise ArenaError(
                f"More than {MOST_WAITING} branches wait or are played.", hint="Wait for some, or stop them."
            )
        header = tree.reader(ROOT).header
        seats = body.get("seats")
        if not isinstance(seats, list) or not all(isinstance(seat, str) and seat for seat in seats):
            raise ArenaError("Name a bot for each seat.")
        place = tree.place(_text(body, "branch", ROOT), _frame(body.get("frame")))
        start = position_at(place, same_dice=body.get("same_dice") is True, moves=REPLAY in seats)
        id_, path = tree.new()
        assigned = tuple(map(SeatAssignment, seats))
        job = Job(start.game, assigned, clock=_clock(header), replay=str(path), start=start, progress=True).seeded()
        if TERMINAL in seats or REMOTE in seats:
            raise ArenaError(f"{TERMINAL} and {REMOTE} cannot fill a seat of a branch.")
        prepared = PreparedMatch(job)  # check the bots and the position before anything starts
        if name := _text(body, "name", ""):
            tree.describe(id_, name=name, note="")
        key = f"{at}/{id_}"
        self._matches.play(WaitingMatch(key, job, partial(with_people, self._matches, key, prepared)))
        return {"branch": id_}

    def _describe(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        _, tree = self._tree(request)
        id_ = _text(body, "branch", ROOT)
        tree.path(id_)
        tree.describe(id_, name=_text(body, "name", ""), note=_text(body, "note", ""))
        return {}

    def _halt(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        at, _ = self._tree(request)
        self._matches.stop(f"{at}/{_text(body, 'branch', ROOT)}")
        return {}

    def _try(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start to estimate the win probabilities after some legal actions. Return the number of the task.

        Earlier tasks are stopped.
        """
        _, tree = self._tree(request)
        place = tree.place(_text(body, "branch", ROOT), _frame(body.get("frame")))
        player, actions, bot = body.get("player"), body.get("documents"), _text(body, "bot", "")
        game = find_game(tree.reader(ROOT).header.get("game", ""))
        state = state_at(place.replay, place.turn, place.action)
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
        self._estimates.append(
            ActionEstimates(game, place, bot, player, actions, names if body.get("advice") is True else ())
        )
        return {"try": len(self._estimates) - 1}

    def _tried(self, request: Request) -> Response:
        number: int = request.path_params["number"]
        if number >= len(self._estimates):
            raise ArenaError("There is no such task.")
        return json_page(self._estimates[number].status)

    def _position(self, request: Request) -> tuple[ReplayPlace, State]:
        _, tree = self._tree(request)
        query = request.query_params
        place = tree.place(query.get("branch", ROOT), _frame(query.get("frame", "")))
        return place, state_at(place.replay, place.turn, place.action)

    def _tree(self, request: Request) -> tuple[int, BranchTree]:
        at = self._viewing.number(request, "at")
        return at, self._trees.setdefault(at, BranchTree(self._viewing.paths[at]))


def choices(game: GameSpec, header: Header, seat: int) -> list[dict[str, str]]:
    """Return what can play on a seat of a branch. The first entry is the default.

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


def _text(body: Mapping[str, Any], key: str, default: str) -> str:
    value = body.get(key, default)
    if not isinstance(value, str):
        raise ArenaError(f"The value of {key} is not a text.")
    return value


def _frame(value: object) -> int:
    number = whole_number(value) if isinstance(value, str) else value
    if type(number) is not int or number < 0:
        raise ArenaError("Name a frame of the replay.", exit_code=ExitCode.BAD_OPTION)
    return number


def _is_legal(action: object, legal: list[Document]) -> bool:
    return action in legal or (isinstance(action, dict) and any(covers(one, action) for one in legal if is_form(one)))
