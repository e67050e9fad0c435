"""An evening in this process: steps, what each reader gets, who may act, and what the journal keeps of it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from worlds import ROLES, Matches, Points, World, get, post, run, secret_of, world_in

from arena.contests.backup import back_up, restore
from arena.contests.people import accounts
from arena.contests.rebuild import rebuild
from arena.contests.report.archived import archived_state
from arena.contests.verify import verify
from arena.text.reading import hash_of
from arena.web.contests.requests import COOKIE
from arena_replays import Reader
from arena_show import playhead
from arena_show.director import cut_at, worth
from arena_show.displays import Displays
from arena_show.evening import Evening
from arena_show.fold import Edit, Pace
from arena_show.news import News
from arena_show.playlist import Step, edited
from arena_show.scenes import Scenes, _leads

pytestmark = pytest.mark.process


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a contest whose cup was played while its results were held back."""
    folder, matches = tmp_path_factory.mktemp("evening"), Matches(tmp_path_factory.mktemp("matches"))
    with world_in(folder, matches, begin=True) as world:
        world.play(world.next_of_cup(), "Red")
    return folder


@pytest.fixture
def world(begun: Path, tmp_path: Path) -> Iterator[World]:
    shutil.copytree(begun, tmp_path / "copy")
    with world_in(tmp_path / "copy", Points()) as world:
        yield world


def state_of(world: World, address: str = "/show/state.json", cookies: dict[str, str] | None = None) -> dict[str, Any]:
    answer = get(world, address, cookies or {})
    assert answer.status == 200, answer.text
    document: dict[str, Any] = json.loads(answer.body)
    assert abs(document.pop("now") - 1000 * time.time()) < 5000, "screens take their clock from it"
    return document


def organizer(world: World) -> tuple[dict[str, str], str]:
    """Return the cookies of a new organizer, and the value of their forms."""
    invitation = accounts.invite(world.contest, "", "Olga", "organizer", "")
    _, token = accounts.join(world.contest, invitation, "Olga")
    cookie = accounts.new_session(world.contest, hash_of(token))
    session = accounts.session_of(world.contest, cookie)
    assert session is not None
    return {COOKIE: cookie}, session.csrf


def test_each_step_of_an_evening_tells_no_more_than_its_scene(world: World) -> None:
    kinds, awarded = [], []
    final = next(step.match for step in reversed(world.evening.steps()) if step.match)
    for step in world.evening.steps():
        world.evening.go("next")
        document, board = state_of(world), state_of(world, f"/display/state.json?id={secret_of('board')}")
        scene = document["scene"]
        assert (scene["id"], scene["kind"]) == (step.id, step.kind)
        assert board["scene"]["id"] == step.id
        assert document["steps"] is None
        kinds.append(step.kind)
        if step.kind == "award":
            awarded.append(scene["name"])
        if step.match != final and f"result:{final}" not in world.evening.show.places:
            assert final not in get(world, "/matches").text
            assert get(world, f"/show/match/{final}/replay").status == 404
    assert kinds[:6] == ["break", "bracket", "intro", "match", "result", "bracket"]
    assert awarded == ["Gold", "Blue", "Red"]
    assert get(world, f"/match/{final}").status == 200


def test_bytes_of_the_future_of_a_match_exist_for_nobody(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.go("match:")
    step = world.evening.step()
    assert step is not None
    film, since = world.evening.film(step), world.evening.show.since
    address, turns = f"/show/match/{step.match}/replay", []
    for seconds in (0.0, 10.0, 20.0, 1000.0):
        moment = since + seconds
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        reader = Reader(get(world, address).body)
        turns.append(len([turn for turn in reader.turns if turn.digest is not None]))
        assert turns[-1] == film.playhead.turn_at(seconds)
        assert (reader.footer, reader.seed, reader.notes) == (None, None, [])
        for place in ("replay/{}", "match/{}", "match/{}/still", "match/{}/advantage"):
            assert get(world, "/" + place.format(step.match)).status == 404
    assert 0 == turns[0] < turns[1] < turns[2] < turns[3] == film.playhead.turns
    leads = state_of(world)["scene"]["leads"]
    assert leads["share"] == 0.99, "the last position is known, but not the result"
    assert leads["text"].endswith("leads, 99 %")
    world.evening.act("reveal")
    assert Reader(get(world, address).body).footer is not None
    assert get(world, f"/replay/{step.match}").status == 200


def test_who_leads_is_said_with_its_reason_while_it_is_news() -> None:
    rising = [0.5, 0.5, 0.72, 0.72]
    players = [rising, [1 - share for share in rising]]
    assert _leads(("Red", "Gold"), players) == {"player": 0, "share": 0.72, "text": "Red leads, 72 %", "gained": 2}
    assert _leads(("Red", "Gold"), [[*player, *[player[-1]] * 20] for player in players])["gained"] == 0
    mover = [*[0.56, 0.64] * 6, 0.56]
    assert _leads(("Red", "Gold"), [mover, [1 - share for share in mover]])["gained"] == 0, "who has just moved"
    assert _leads(("Red", "Gold"), [[0.5], [0.5]]) == {"player": 0, "share": 0.5, "text": "Even", "gained": 0}


def test_a_presenter_has_one_link_and_no_more_than_the_remote(world: World) -> None:
    first = world.evening.new_link()
    token = world.evening.new_link()
    assert get(world, f"/remote?token={first}").status == 200, (
        "a page with a button: a preview of the link takes nothing"
    )
    assert post(world, "/remote", {}, token=first).status == 403
    taken = post(world, "/remote", {}, token=token)
    cookies = dict([taken.headers["set-cookie"].partition(";")[0].split("=", 1)])
    assert post(world, "/remote", {}, token=token).status == 403
    assert post(world, "/show/act", {}, do="next").status == 401
    assert post(world, "/show/act", cookies, do="next", step="-1").status == 204
    assert post(world, "/show/act", cookies, do="next", step="-1").status == 409, "a double tap"
    assert state_of(world)["step"] == 0
    steps = state_of(world, "/remote/state.json", cookies)["steps"]
    assert [step["now"] for step in steps][:2] == [True, False]
    assert post(world, "/show/act", cookies, do="jump", to=steps[4]["id"]).status == 204
    assert post(world, "/show/act", cookies, do="jump", to="nothing").status == 400
    for place in ("/show/desk", "/desk", "/queue"):
        assert get(world, place, cookies).status == 401
    for place in ("/show/role", "/show/link", "/show/playlist", "/show/check"):
        assert post(world, place, cookies, do="drop", id=steps[5]["id"], role="board").status == 401
    world.evening.new_link()
    assert post(world, "/show/act", cookies, do="next").status == 401, "a new link ends the remote"


def test_the_desk_changes_the_playlist_and_gives_roles(world: World) -> None:
    cookies, csrf = organizer(world)
    assert get(world, "/show/desk", cookies).status == 200
    new = "f" * 32
    code = state_of(world, f"/display/state.json?id={new}")["code"]
    assert len(code) == 4
    assert post(world, "/show/role", cookies, csrf=csrf, code=code.lower(), role="table").status == 204
    assert post(world, "/show/role", cookies, csrf=csrf, code=code, role="king").status == 400
    assert post(world, "/show/role", cookies, code=code, role="table").status == 403, "without the value of the form"
    assert state_of(world, f"/display/state.json?id={new}")["role"] == "table"
    ids = [step.id for step in world.evening.steps()]
    for what, step, more in (
        ("drop", ids[3], {}),
        ("time", ids[4], {"minutes": "7,5"}),
        ("add", ids[1], {"text": "Pizza", "minutes": "2"}),
    ):
        assert post(world, "/show/playlist", cookies, csrf=csrf, do=what, id=step, **more).status == 204
    for wrong in ("-1", "", "a few", "601"):
        refused = post(world, "/show/playlist", cookies, csrf=csrf, do="time", id=ids[4], minutes=wrong)
        assert (refused.status, "such as 2.5" in refused.text) == (400, True)
    steps = world.evening.steps()
    assert ids[3] not in [step.id for step in steps]
    assert next(step for step in steps if step.id == ids[4]).minutes == 7.5
    assert (steps[2].kind, steps[2].text, steps[2].seconds(0.5)) == ("break", "Pizza", 120.0)
    assert world.evening.show.edits[-1].text == "Pizza"
    at = datetime.fromtimestamp(time.time() + 1200)
    assert post(world, "/show/playlist", cookies, csrf=csrf, do="finish", at="25:00").status == 400
    assert post(world, "/show/playlist", cookies, csrf=csrf, do="finish", at=f"{at:%H:%M}").status == 204
    assert f'value="{at:%H:%M}"' in get(world, "/show/desk", cookies).text
    world.go("intro:")
    assert world.evening.show.factor < 1.0, "by what everybody knows, more than twenty minutes are left"
    assert state_of(world)["ends"] == at.replace(second=0, microsecond=0).astimezone(UTC).isoformat()


def test_what_a_dropped_step_tells_the_next_one_tells(world: World) -> None:
    steps = [Step(name, "result", name, 1.0, releases=(name.upper(),)) for name in "abcd"]
    edits = [Edit(1, "drop", "b", 0.0, ""), Edit(2, "down", "a", 0.0, ""), Edit(3, "up", "d", 0.0, "")]
    kept, dropped = edited(steps, edits)
    assert [(step.id, step.releases) for step in kept] == [("a", ("B", "A")), ("d", ("D",)), ("c", ("C",))]
    assert [step.id for step in dropped] == ["b"]


def test_a_pairing_is_dropped_up_to_its_effect_and_taken_back(world: World) -> None:
    cookies, csrf = organizer(world)
    before = world.evening.steps()
    intro = next(step for step in before if step.kind == "intro")
    of_pairing = [step.id for step in before if step.encounter == intro.encounter]
    assert post(world, "/show/playlist", cookies, csrf=csrf, do="skip", id=intro.id).status == 204
    kept = world.evening.steps()
    assert [step.id for step in kept if step.encounter == intro.encounter] == of_pairing[-1:]
    released = {match_id for step in before if step.encounter == intro.encounter for match_id in step.releases}
    assert released <= set(next(step for step in kept if step.id == of_pairing[-1]).releases)
    assert post(world, "/show/playlist", cookies, csrf=csrf, do="keep", id=intro.id).status == 204
    assert world.evening.steps() == before


def test_the_lines_of_a_team_are_shown_when_they_are_checked_and_can_be_erased(world: World) -> None:
    cookies, csrf = organizer(world)
    key = world.contest.state.id_of("Red")
    world.pages.served.write({"do": "lines"}, about=key, text="We are Red.")
    world.go("intro:")
    assert world.evening.show.lines[key].text == "We are Red."
    assert state_of(world)["scene"]["players"][0]["lines"] == []
    number = str(world.evening.show.lines[key].number)
    assert post(world, "/show/check", cookies, csrf=csrf, team="Red", number=number, ok="yes").status == 204
    assert state_of(world)["scene"]["players"][0]["lines"] == ["We are Red."]
    texts = {key: value for _, key, value in world.contest.texts() if value == "We are Red."}
    assert [*texts] == [f"{key}.show"], "the texts of a team have its id, so that an erasure finds them"


def test_guesses_are_locked_and_scored_with_our_own_forecast(world: World) -> None:
    world.go("intro:")
    phone = dict([get(world, "/show").headers["set-cookie"].partition(";")[0].split("=", 1)])
    open_now = state_of(world, cookies=phone)["predictions"]
    assert (open_now["open"], open_now["own"], len(open_now["players"])) == (True, None, 2)
    match = open_now["match"]
    assert post(world, "/show/guess", phone, match=match, win="2").status == 400
    for invented in ({}, {"arena-phone": "other"}, {"arena-phone": phone["arena-phone"] + "0"}):
        assert post(world, "/show/guess", invented, match=match, win="0.9").status == 403
    version = world.evening.version
    assert post(world, "/show/guess", phone, match=match, win="0.9").status == 204
    assert world.evening.version == version, "no other document is made again"
    assert post(world, "/show/guess", phone, match=match, win="0.1").status == 409
    assert state_of(world, cookies=phone)["predictions"]["own"] == 0.9
    for _ in range(3):
        world.evening.go("next")
    sent = [post(world, "/show/guess", phone, match=match, win="0.5").status for _ in range(130)]
    assert (sent[0], sent[-1]) == (409, 429), "an address sends a limited number"
    scored = state_of(world, cookies=phone)["predictions"]
    assert (scored["brier"], scored["place"], scored["of"]) == (0.01, 1, 2)
    assert scored["forecaster"] == 0.25, "without ratings, it knows nothing"


def test_all_is_where_it_was_after_a_restart_a_restored_backup_and_a_rebuild(tmp_path: Path) -> None:
    folder = tmp_path / "first"
    folder.mkdir()

    def shown() -> dict[str, Any]:
        with world_in(folder, Points()) as world:
            documents = [state_of(world, f"/display/state.json?id={secret_of(role)}") for role in ROLES[:3]]
            return {
                "documents": documents,
                "matches": get(world, "/data/matches.csv").text,
                "step": world.evening.step(),
            }

    with world_in(folder, Points(), begin=True) as world:
        world.go("bracket:cup:1.2")
    before = shown()
    assert before["documents"][0]["scene"]["id"] == "bracket:cup:1.2"
    assert before["matches"].count("cup,") == 2
    assert verify(folder / "contest").problems == []
    back_up(folder / "contest.toml", tmp_path / "backup.tar")
    restore(tmp_path / "backup.tar", tmp_path / "restored")
    folder = tmp_path / "restored"
    assert shown() == before
    (folder / "contest" / "journal.db").write_bytes(b"damaged")
    with contextlib.suppress(FileNotFoundError):
        (folder / "contest" / "journal.db-wal").unlink()
    assert rebuild(folder / "contest", lambda _id: []).missing == []
    assert shown() == before
    archived, _ = archived_state(folder / "contest")
    assert len(archived.released) == len(before["matches"].split("cup,"))


def test_a_playhead_follows_the_minutes_the_moments_and_the_presenter(world: World) -> None:
    world.go("match:")
    step = world.evening.step()
    assert step is not None
    replay = world.evening.film(step).replay
    moments = [playhead.Moment(10, 0)]
    slow, quick = playhead.Playhead(replay, 1.0, moments), playhead.Playhead(replay, 0.5, moments)
    assert 0 < quick.seconds < slow.seconds < 60.1
    assert slow.time_of(10) - slow.time_of(9) > 2 * (slow.time_of(2) - slow.time_of(1)), "a moment is slow"
    paused = [Pace(5.0, "pause"), Pace(100.0, "resume")]
    assert slow.elapsed(0.0, paused[:1], 60.0) == 5.0
    assert slow.elapsed(0.0, paused, 101.0) == 6.0
    assert slow.elapsed(0.0, [Pace(2.0, "faster")], 4.0) == 5.0
    jumped = slow.elapsed(0.0, [Pace(4.0, "moment")], 4.0)
    assert slow.turn_at(jumped) == 7, "shortly before the moment"
    assert slow.elapsed(0.0, [Pace(jumped, "moment")], jumped) == jumped, "and never to the end"


def test_the_first_turns_do_not_tell_how_many_come() -> None:
    short, long = (cast("Any", SimpleNamespace(ends=[(turn, turn) for turn in range(turns + 1)])) for turns in (60, 90))
    heads = [playhead.Playhead(replay, 1.0, usual=70.0) for replay in (short, long)]
    heads.append(playhead.Playhead(long, 1.0, [playhead.Moment(80, 0)], 70.0))
    assert len({head.time_of(50) for head in heads}) == 1


def test_a_winner_moves_on_when_its_encounter_is_shown(world: World) -> None:
    place = f"/display/state.json?id={secret_of('bracket')}"
    assert state_of(world, place)["scene"]["kind"] == "waiting", "nothing is shown before the first step"
    world.go("bracket:cup:1.1")
    boxes = [box for section in state_of(world, place)["scene"]["drawing"]["sections"] for box in section["boxes"]]
    final = next(box for box in boxes if box["round"] == "Winners' final")
    winner = next(player["name"] for player in boxes[0]["players"] if player["won"])
    assert [player["name"] for player in final["players"]] == [winner]


def test_a_result_after_a_draw_says_so(world: World) -> None:
    world.go("result:")
    row = next(world.pages.served.public().recent())
    scenes = Scenes(world.evening, time.time(), "http://localhost")
    assert scenes._result(replace(row, decided="max turns, by coin flip"), (), "")["reason"] == (
        "after a draw, by coin flip"
    )
    assert " – " in state_of(world)["scene"]["title"]


def test_nobody_jumps_to_a_moment_that_does_not_come(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cookies, csrf = organizer(world)
    world.go("match:")
    for turn, status in ((5, 204), (0, 400)):
        monkeypatch.setattr(playhead.Playhead, "next_moment", lambda *_, turn=turn: turn)
        assert state_of(world, "/remote/state.json", cookies)["moment"] == (status == 204)
        assert post(world, "/show/act", cookies, csrf=csrf, do="moment").status == status
        world.evening.act("pause")


def test_a_match_goes_on_where_it_was_after_an_outage(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.go("match:")
    step = world.evening.step()
    assert step is not None
    film, began = world.evening.film(step), world.evening.show.since
    for seconds in (7.0, 9.0):  # somebody watches
        monkeypatch.setattr("arena.web.contests.extending.now", lambda at=began + seconds: timestamp(at))
        world.evening.note(film, began + seconds)
    monkeypatch.setattr("arena.web.contests.extending.now", lambda: timestamp(began + 67.0))
    Evening(world.pages.served).resume()
    assert world.evening.elapsed(film, began + 68.0) == pytest.approx(8.0, abs=0.01), "from the last note on"


def timestamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def test_a_step_that_comes_while_a_document_is_made_reaches_who_waits(world: World) -> None:
    def make() -> dict[str, Any]:
        document = {"steps": len(world.evening.show.places)}
        if not document["steps"]:
            world.evening.go("next")
        return document

    news = News(world.pages.served, lambda: world.evening.version, lambda _: None)
    before = hashlib.sha256(b'{"steps": 0}').hexdigest()[:16]
    request = Request({"type": "http", "query_string": f"after={before}".encode(), "app": world.pages.application()})
    request.app.state.stopping = lambda: False
    answer = run(asyncio.wait_for(news.answer(request, "test", make), 5.0))
    assert json.loads(bytes(answer.body))["steps"] == 1


def test_strangers_cannot_fill_the_list_of_displays(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    displays = Displays(world.pages.served, lambda key: bool(world.evening.show.roles.get(key)))
    displays.seen(secret_of("board"), "screen")
    for number in range(20):
        displays.seen(f"{number:032x}", "stranger")
    with pytest.raises(HTTPException):
        displays.seen("d" * 32, "stranger")
    displays.seen(secret_of("table"), "stranger")
    displays.seen("e" * 32, "other")
    assert len(displays.listed()) == 23
    later = time.monotonic() + 61.0
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert len(displays.listed()) == 2, "those with a role stay"


def test_what_bots_claim_is_known_when_its_turn_was_shown(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.go("match:")
    step = world.evening.step()
    assert step is not None
    lines = ["turn 3, log: thinking win=0.7 nodes=5", "turn 5, log: winning=1", "turn 9, log: win=1.0"]
    monkeypatch.setattr(type(world.pages.served.whole()), "logged", lambda *_: iter(lines))
    film = Evening(world.pages.served).film(step)
    assert film.claims[0] == [(3, 0.7), (9, 1.0)]


def test_a_logo_beside_the_file_is_shown(world: World) -> None:
    assert (get(world, "/show/logo").status, state_of(world)["logo"]) == (404, None)
    (world.contest.path.parent / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    answer = get(world, state_of(world)["logo"])
    assert (answer.status, answer.headers["content-type"]) == (200, "image/svg+xml")


def test_a_display_needs_no_sign_in_where_readers_do(tmp_path: Path) -> None:
    with world_in(tmp_path, Points(), ("public = true", "public = false"), begin=True) as world:
        world.go("intro:")
        assert get(world, "/show/state.json").status == get(world, "/show").status == 401
        stranger = state_of(world, f"/display/state.json?id={'e' * 32}")
        assert {*stranger} == {"revision", "contest", "scene", "role", "code"}, (
            "without a role, a display learns nothing"
        )
        place = f"/display/state.json?id={secret_of('board')}"
        assert state_of(world, place)["scene"]["kind"] == "intro"
        cookie = dict([get(world, place).headers["set-cookie"].partition(";")[0].split("=", 1)])
        for cookies, status in (({}, 401), ({"arena-display": "e" * 32}, 401), (cookie, 404)):
            assert get(world, f"/show/match/{'0' * 16}/watch", cookies).status == status


def test_a_director_shows_what_followed_and_then_the_best_of_the_last_matches(world: World) -> None:
    for _ in world.evening.steps():
        world.evening.go("next")
    public = world.pages.served.public()
    newest = next(public.recent())
    began = datetime.fromisoformat(newest.at).timestamp()
    cuts = {seconds: cut_at(public, began + seconds) for seconds in (1, 9, 19, 25, 66, 79)}
    assert [cut.kind for cut in cuts.values()] == ["result", "table", "next", "stretch", "table", "stretch"]
    best = [cuts[25].match, cuts[79].match]
    assert best[0] != best[1]
    assert all(row and worth(public, row) >= worth(public, newest) - 2 for row in best)
    assert cuts[25] == cut_at(public, began + 26), "one cut, until the next"
    row = cuts[25].match
    assert row is not None
    address = f"/show/stretch/{row.id}/{cuts[25].begun:.0f}"
    assert get(world, f"{address}/watch").status == 200
    part, whole = (Reader(get(world, place).body) for place in (f"{address}/replay", f"/replay/{row.id}"))
    assert 0 < len(part.turns) < len(whole.turns) or part.footer is None
