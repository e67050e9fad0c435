"""Replaying traces: sound ones agree, altered ones are caught at their line and field, and rubbish is refused."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cellar_game as cellar
import gem_run_game as gem_run
import pytest
import sealed_orders_game as sealed_orders
from hypothesis import given
from hypothesis import strategies as st
from recorded import record, text

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, State, TraceFormat
from arena.study.checks import TraceReport, conform, conform_file, find_traces, first_difference, traces

Lines = list[dict[str, Any]]
CELLAR = record(cellar.GAME, turns=20)


def run(lines: Lines, game: GameSpec = cellar.GAME) -> TraceReport:
    return conform(game, text(lines))


def altered(change: Callable[[Lines], None]) -> TraceReport:
    lines = copy.deepcopy(CELLAR)
    change(lines)
    return run(lines)


def first_line(lines: Lines, wanted: Callable[[dict[str, Any]], Any]) -> int:
    return next(number for number, line in enumerate(lines) if number and wanted(line))


@pytest.mark.parametrize("game", [sealed_orders.GAME, cellar.GAME, gem_run.GAME], ids=lambda game: game.name)
@pytest.mark.parametrize("seed", range(5))
def test_recorded_games_agree(game: GameSpec, seed: int) -> None:
    lines = record(game, seed)
    report = run(lines, game)
    assert report.verdict == "ok", str(report)
    assert report.lines == len(lines)
    assert report.finished


def test_a_trace_that_stops_early_agrees_but_is_not_finished() -> None:
    report = run(CELLAR[:4])
    assert report.verdict == "ok"
    assert not report.finished
    assert "stop before the end" in str(report)


# -- differences: line, field, values -----------------------------------------------------------------


def test_a_number_in_the_state() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])
    had = CELLAR[number]["state"]["cards"][2]["rank"]

    def change(lines: Lines) -> None:
        lines[number]["state"]["cards"][2]["rank"] += 1

    found = altered(change).mismatch
    assert found is not None
    assert (found.line, found.field) == (number + 1, "state.cards[2].rank")
    assert (found.expected, found.found) == (str(had + 1), str(had))
    assert found.action == CELLAR[number]["action"]


def test_a_boolean_is_no_number() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])

    def change(lines: Lines) -> None:
        card = lines[number]["state"]["cards"][0]
        card["in_cellar"] = int(card["in_cellar"])

    found = altered(change).mismatch
    assert found is not None
    assert found.field == "state.cards[0].in_cellar"


def test_a_whole_number_may_be_written_as_a_real_one() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])

    def change(lines: Lines) -> None:
        lines[number]["state"]["turn"] = float(lines[number]["state"]["turn"])

    assert altered(change).verdict == "ok"


def test_an_object_too_few_and_a_key_too_many() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])
    count = len(CELLAR[number]["state"]["cards"])
    short = altered(lambda lines: lines[number]["state"]["cards"].pop()).mismatch
    assert short is not None
    assert (short.field, short.expected) == (f"state.cards[{count - 1}]", "nothing")
    extra = altered(lambda lines: lines[number]["state"].update(wind="west")).mismatch
    assert extra is not None
    assert (extra.field, extra.found) == ("state.wind", "nothing")


def test_a_missing_and_a_surplus_legal_action_are_both_named() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])
    gone = CELLAR[number]["legal_actions"][0]

    def change(lines: Lines) -> None:
        lines[number]["legal_actions"][0] = {"type": "sing"}

    found = altered(change).mismatch
    assert found is not None
    assert (found.line, found.field) == (number + 1, "legal_actions")
    assert '{"type": "sing"}' in found.found.partition("and have")[0]
    assert json.dumps(gone) in found.found.partition("and have")[2]


def test_the_order_of_legal_actions_has_no_meaning_but_their_number_has() -> None:
    number = first_line(CELLAR, lambda line: line["ok"])
    assert altered(lambda lines: lines[number]["legal_actions"].reverse()).verdict == "ok"
    twice = altered(lambda lines: lines[number]["legal_actions"].append(lines[number]["legal_actions"][0]))
    assert twice.mismatch is not None
    assert twice.mismatch.field == "legal_actions"


def test_a_refusal_code() -> None:
    number = first_line(CELLAR, lambda line: not line["ok"])
    found = altered(lambda lines: lines[number].update(error="not_your_turn")).mismatch
    assert found is not None
    assert (found.line, found.field) == (number + 1, "error")
    assert (found.expected, found.found) == ('"not_your_turn"', '"bad_argument"')


def test_only_lines_that_agree_are_counted() -> None:
    number = first_line(CELLAR, lambda line: not line["ok"])
    whole = run(CELLAR[: number + 1])
    assert (whole.lines, whole.refused) == (number + 1, 1)
    found = altered(lambda lines: lines[number].update(to_move=7))
    assert found.mismatch is not None
    assert (found.mismatch.line, found.mismatch.field) == (number + 1, "to_move")
    assert (found.lines, found.refused) == (number, 0)


def test_accepted_where_refused_and_refused_where_accepted() -> None:
    accepted = first_line(CELLAR, lambda line: line["ok"])
    refused = first_line(CELLAR, lambda line: not line["ok"])
    found = altered(lambda lines: lines[accepted].update(ok=False)).mismatch
    assert found is not None
    assert (found.line, found.field, found.found) == (accepted + 1, "ok", "the action is accepted")
    other = altered(lambda lines: lines[refused].update(ok=True)).mismatch
    assert other is not None
    assert (other.line, other.field) == (refused + 1, "ok")
    assert other.found.startswith("the refusal bad_argument")


def test_to_move_and_outcome() -> None:
    last = len(CELLAR) - 1
    whose = altered(lambda lines: lines[1].update(to_move=7)).mismatch
    assert whose is not None
    assert (whose.line, whose.field, whose.expected) == (2, "to_move", "7")
    won = altered(lambda lines: lines[last]["outcome"].update(reason="snow")).mismatch
    assert won is not None
    assert (won.line, won.field) == (last + 1, "outcome.reason")
    early = altered(lambda lines: lines[1].update(outcome={"winner": 0, "reason": "snow"})).mismatch
    assert early is not None
    assert (early.field, early.found) == ("outcome", "null")


def test_a_draw_too_few_and_one_too_many_and_an_impossible_one() -> None:
    number = first_line(CELLAR, lambda line: line["ok"] and line["action"]["type"] == "play")
    few = altered(lambda lines: lines[number]["draws"].pop()).mismatch
    many = altered(lambda lines: lines[number]["draws"].append(3)).mismatch
    odd = altered(lambda lines: lines[number].update(draws=[17, 1])).mismatch
    for found in (few, many, odd):
        assert found is not None
        assert found.line == number + 1
        assert found.field.startswith("draws")


@pytest.mark.parametrize("draws", [[1], [1] * 7, [1, 2, 3, 4, 5, 99]])
def test_the_draws_of_the_set_up(draws: list[int]) -> None:
    found = altered(lambda lines: lines[0].update(setup_draws=draws)).mismatch
    assert found is not None
    assert (found.line, found.field) == (1, "setup_draws")


def test_another_value_of_a_set_up_draw_shows_in_the_first_state() -> None:
    def change(lines: Lines) -> None:
        lines[0]["setup_draws"][4] = lines[0]["setup_draws"][4] % 9 + 1

    found = altered(change).mismatch
    assert found is not None
    assert (found.line, found.field) == (1, "initial.cards[4].rank")


def test_a_trace_may_start_from_a_state_instead() -> None:
    lines = copy.deepcopy(CELLAR)
    del lines[0]["setup_draws"]
    assert run(lines).verdict == "ok"
    lines[0]["initial"]["turn"] = "one"
    found = run(lines).mismatch
    assert found is not None
    assert found.line == 1


def test_options_that_the_game_refuses() -> None:
    found = altered(lambda lines: lines[0]["options"].update(turns=0)).mismatch
    assert found is not None
    assert (found.line, found.field) == (1, "options")
    assert "at least 1" in found.found or "from 1 to 1000" in found.found


def test_a_refusal_that_draws_is_a_difference() -> None:
    class Gambling(cellar.Cellar):
        def admit(self, player: int, action: Any) -> Any:
            if action["type"] == "dance":
                self.chance.draw(cellar.DIE, "luck")
            return super().admit(player, action)

    number = first_line(CELLAR, lambda line: not line["ok"])
    found = run(CELLAR, replace(cellar.GAME, state=Gambling)).mismatch
    assert found is not None
    assert (found.line, found.field) == (number + 1, "draws[0]")


def test_a_refusal_of_a_text_is_compared_though_a_referee_would_never_ask_the_rules() -> None:
    lines = [CELLAR[0], {"player": 0, "action": "dance", "ok": False, "error": "other"}]
    found = run(lines).mismatch
    assert found is not None
    assert (found.line, found.field, found.expected) == (2, "error", '"other"')
    del lines[1]["error"]
    assert run(lines).verdict == "ok"


def test_rules_that_crash_are_a_difference_and_no_traceback() -> None:
    class Crashing(cellar.Cellar):
        def pass_turn(self) -> None:
            raise ZeroDivisionError("turns")

    found = run(CELLAR, replace(cellar.GAME, state=Crashing)).mismatch
    assert found is not None
    assert found.field == "action"
    assert "ZeroDivisionError: turns" in found.found


class Counting(TraceFormat):
    """A format with a further key, and with a state that shows less than the game's own."""

    def extras(self, state: State) -> dict[str, Any]:
        return {"cards": len(state.to_document()["cards"])}


def test_further_keys_that_the_format_knows_are_compared() -> None:
    game = replace(cellar.GAME, trace=Counting())
    lines = copy.deepcopy(CELLAR)
    lines[2]["cards"] = len(CELLAR[2].get("state", CELLAR[1].get("state"))["cards"])
    assert run(lines, game).verdict == "ok"
    lines[2]["cards"] += 1
    found = run(lines, game).mismatch
    assert found is not None
    assert (found.line, found.field) == (3, "cards")


def test_keys_that_nobody_knows_are_reported_as_not_compared() -> None:
    report = altered(lambda lines: lines[2].update(weather="fine"))
    assert report.verdict == "ok"
    assert report.unchecked == ("weather",)
    assert "not compared: weather" in str(report)


@pytest.mark.slow
@given(st.data())
def test_every_altered_leaf_of_a_state_is_found_where_it_is(data: st.DataObject) -> None:
    lines = copy.deepcopy(CELLAR)
    number = data.draw(st.sampled_from([n for n, line in enumerate(lines) if "state" in line]))
    card = data.draw(st.integers(0, len(lines[number]["state"]["cards"]) - 1))
    key = data.draw(st.sampled_from(["id", "owner", "rank", "in_cellar"]))
    value = data.draw(st.none() | st.integers(100, 200) | st.text() | st.lists(st.none(), max_size=2))
    lines[number]["state"]["cards"][card][key] = value
    found = run(lines).mismatch
    assert found is not None
    assert (found.line, found.field) == (number + 1, f"state.cards[{card}].{key}")


# -- comparison of values -----------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_a_value_equals_its_own_copy(value: Any) -> None:
    assert first_difference(value, json.loads(json.dumps(value))) is None


@given(JSON, JSON)
def test_two_values_differ_if_their_texts_do(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (first_difference(one, other) is None) is same
    assert (first_difference(other, one) is None) is same


# -- what is no trace ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([], 0, "empty"),
        (["\n", "  \n"], 0, "empty"),
        (["hello\n"], 1, "not JSON"),
        (["[1]\n"], 1, "not a JSON object"),
        (["{}\n"], 1, "not the first line"),
        ([b"\xff\xfe\n"], 1, "not JSON"),
        (["[" * 100_000 + "\n"], 1, "not JSON"),
        (['{"kind": "trace", "version": 1, "game": "chess"}\n'], 1, "of the game chess, not of cellar"),
        (['{"kind": "trace", "version": 2, "game": "cellar"}\n'], 1, "version 2"),
        (['{"kind": "trace", "version": true, "game": "cellar"}\n'], 1, "version True"),
        (['{"kind": "trace", "version": 1, "game": "cellar", "options": 3}\n'], 1, "options"),
        (['{"kind": "trace", "version": 1, "game": "cellar"}\n'], 1, "neither a state nor set-up draws"),
        ([*text(CELLAR[:2]), '{"player": 0}\n'], 3, "no action"),
        ([*text(CELLAR[:2]), '{"player": 2, "action": {}, "ok": true}\n'], 3, "players 0 to 1"),
        ([*text(CELLAR[:2]), '{"player": true, "action": {}, "ok": true}\n'], 3, "players 0 to 1"),
        ([*text(CELLAR[:2]), '{"player": 0, "action": {}, "ok": 1}\n'], 3, "no action"),
        ([*text(CELLAR[:2]), '{"player": 0, "action": {}, "ok": true, "draws": 4}\n'], 3, "draws"),
        ([*text(CELLAR[:2]), '{"player": 0, "action": NaN, "ok": true}\n'], 3, "not JSON"),
        ([*text(CELLAR[:2]), text(CELLAR)[2][:40]], 3, "cut off"),
    ],
)
def test_unusable_traces(lines: list[str | bytes], line: int, words: str) -> None:
    report = conform(cellar.GAME, lines)
    assert report.verdict == "unusable"
    assert report.line == line
    assert words in report.problem


# -- files --------------------------------------------------------------------------------------------


def write(path: Path, lines: Lines) -> Path:
    body = "".join(text(lines)).encode()
    path.write_bytes(gzip.compress(body) if path.suffix == ".gz" else body)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "no suffix at all"])
def test_files_packed_or_not(tmp_path: Path, name: str) -> None:
    assert conform_file(cellar.GAME, write(tmp_path / name, CELLAR)).verdict == "ok"


@pytest.mark.parametrize("keep", [3, 30, 400])
def test_a_gzip_file_that_is_cut_off(tmp_path: Path, keep: int) -> None:
    path = write(tmp_path / "a.jsonl.gz", CELLAR)
    path.write_bytes(path.read_bytes()[:keep])
    report = conform_file(cellar.GAME, path)
    assert report.verdict == "unusable"
    assert "gzip" in report.problem


def test_a_small_file_that_expands_to_very_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(bytes(20 << 20)))
    assert conform_file(cellar.GAME, path).problem == "the line is longer than 4 MiB"
    path.write_bytes(gzip.compress(b"\n" * 2_000))
    monkeypatch.setattr(traces, "LARGEST_TRACE", 1_000)
    assert "the trace is larger than" in conform_file(cellar.GAME, path).problem


def test_a_gzip_file_that_is_damaged(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", CELLAR)
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 0xFF
    path.write_bytes(body)
    assert conform_file(cellar.GAME, path).verdict == "unusable"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    report = conform_file(cellar.GAME, tmp_path)
    assert report.verdict == "unusable"
    assert "cannot be read" in report.problem


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    one, two, three = (write(tmp_path / name, CELLAR) for name in ("1.jsonl", "2.jsonl.gz", "inner/3.jsonl"))
    (tmp_path / "readme.txt").write_text("no trace")
    assert find_traces([str(tmp_path)]) == [one, two, three]
    assert find_traces([str(tmp_path / "*.jsonl*"), str(one)]) == [one, two]
    assert find_traces([str(tmp_path / "**" / "3.*")]) == [three]


@pytest.mark.parametrize("reference", ["nothing.jsonl", "no*thing", "."])
def test_nothing_found_is_said(tmp_path: Path, reference: str) -> None:
    with pytest.raises(ArenaError, match="there is no trace at") as caught:
        find_traces([str(tmp_path / reference)])
    assert caught.value.exit_code == ExitCode.BAD_TRACE
