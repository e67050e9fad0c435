"""A match on a worker: its bots come as archives, and its replay goes back."""

import pickle
import shutil
from contextlib import nullcontext
from dataclasses import replace

import pytest

from arena.bots.bot import load_bot
from arena.bots.builtin import module_source
from arena.bots.builtin_copy import builtin_bot
from arena.bots.folders.files import BUILT
from arena.contests.engines import Workload
from arena.contests.queue.copies import copy_bot, store_build
from arena.contests.queue.referee_match import folder_matches
from arena.errors import ExitCode
from arena.match.ending import REGULAR
from arena.match.lookup import find_game
from arena.match.settings import MatchSettings
from arena.match.spec import MatchSpec, Participant
from arena_cluster import playing
from arena_cluster.playing import ByReferee, answer, order, pack, unpacked
from arena_replays import Reader

pytestmark = pytest.mark.process

BUILD = """
command = ["python", "-m", "arena_player", "main.py"]
[build]
command = ["cp", "main.txt", "main.py"]
output = ["main.py"]
"""
GAME = find_game("saloon")


@pytest.mark.parametrize("entry", [".", BUILT, "rowdy.py"])
def test_a_match_is_played_with_packed_bots_and_its_replay_comes_back(tmp_path, monkeypatch, entry):
    monkeypatch.setattr(playing, "forwarded", lambda *_: nullcontext())  # there is no worker here
    source = builtin_bot(GAME, "rowdy")
    if entry != "rowdy.py":
        folder = tmp_path / "bot"
        folder.mkdir()
        (folder / "saloon.py").write_text(module_source(GAME))
        shutil.copy(source, folder / ("main.txt" if entry == BUILT else "main.py"))
        (folder / "bot.toml").write_text(BUILD if entry == BUILT else 'python = "main.py"')
        source = folder
    bot = load_bot(source)
    stored = store_build(load_bot(tmp_path / copy_bot(bot, tmp_path)), 0)
    path = stored.folder / stored.entry if entry == "rowdy.py" else stored.folder
    settings = MatchSettings(game="saloon", isolation="none")
    paths = {bot.content_hash: str(path), "2": "builtin:pianist"}
    workload = Workload(folder_matches(settings, GAME, tmp_path, paths), tmp_path)
    assert workload.bot("2") == (None, "builtin:pianist")
    copy, inside = workload.bot(bot.content_hash)
    assert inside == entry
    seats = (Participant("a", bot.content_hash), Participant("b", "2"))
    spec = MatchSpec("t", "s", 1, 0, 0, "saloon", "", (("max_turns", 6),), seats, 5)
    shutil.move(copy, tmp_path / "elsewhere")
    bots = {bot.content_hash: inside, "2": "builtin:pianist"}
    words = order(ByReferee(workload.settings), spec, bots, (bot.content_hash,))
    found = unpacked(answer(words, pack(tmp_path / "elsewhere")))
    replay = workload.replay_of(spec.match_id)
    replay.parent.mkdir(parents=True)
    replay.write_bytes(found.replay)
    result = workload.accept(spec, replace(found.played(), replay=str(replay)))
    assert {player.ending for player in result.players} <= REGULAR
    assert result.players[0].bot_hash == bot.content_hash
    assert Reader(replay).footer is not None


def test_why_a_match_cannot_be_played_comes_back(monkeypatch):
    monkeypatch.setattr(playing, "forwarded", lambda *_: nullcontext())
    spec = MatchSpec("t", "s", 1, 0, 0, "saloon", "", (), (Participant("a", "1"), Participant("b", "2")), 5)
    words = order(ByReferee(MatchSettings(game="salon")), spec, {"1": "builtin:rowdy", "2": "builtin:rowdy"}, ())
    found = unpacked(answer(words))
    assert (found.result, found.exit_code) == (None, 3)
    assert "There is no game salon" in found.message


def test_a_fault_of_a_worker_is_no_pickle(monkeypatch, caplog):
    monkeypatch.setattr(playing, "forwarded", lambda *_: nullcontext())
    spec = MatchSpec("t", "s", 1, 0, 0, "saloon", "", (), (Participant("a", "1"), Participant("b", "2")), 5)
    found = unpacked(answer(order(divmod, spec, {}, ())))
    assert found.exit_code == ExitCode.FAULT
    assert "A worker failed: TypeError" in found.message
    assert "Traceback" in caplog.text


@pytest.mark.parametrize("data", [b"", b"\xc0", b"\x80", pickle.dumps(1), 1, None])
def test_what_is_no_answer_is_refused(data):
    with pytest.raises(ValueError):  # noqa: PT011 - several
        unpacked(data)
