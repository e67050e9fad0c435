"""Lists of records in each kit: the classes have the types, and the game accepts what bots send."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from languages import NEEDED
from shortened import shortened

from arena.cli import cli
from arena.sdk import languages as kits
from arena.testing import play_match
from arena_replays import Reader

pytestmark = [pytest.mark.process, pytest.mark.slow]

OPTIONS = {"units": 3, "size": 20, "turns": 12}
PROGRAMS = {
    "cpp": """
#include "frontier.hpp"
struct Bot : frontier::AI {
    void run_turn() override {
        std::vector<frontier::Order> orders;
        for (const auto* unit : game->units)
            if (unit->owner == index) orders.push_back({unit, "south"});
        orders.push_back(orders.front());
        const auto wrong = game->march(orders);
        if (wrong || wrong.code() != "twice") throw std::runtime_error("no refusal");
        if (wrong.message().rfind("item 3: ", 0) != 0) throw std::runtime_error(wrong.message());
        orders.pop_back();
        if (random_action().front().second != arena::Value("march")) throw std::runtime_error("no action of the rules");
        if (!game->march(orders)) throw std::runtime_error("refused");
    }
};
int main() { return arena::run<Bot>(); }
""",
    "java": """
import arena.Frontier;
import arena.Frontier.AI;
import arena.Frontier.Order;
import arena.Kit;
import java.util.ArrayList;
import java.util.List;

class Main extends AI {
    @Override
    public void run_turn() {
        List<Order> orders = new ArrayList<>();
        for (Frontier.Unit unit : game.units()) if (unit.owner() == index) orders.add(new Order(unit, "south"));
        orders.add(orders.get(0));
        var wrong = game.march(orders);
        if (wrong.accepted() || !wrong.code().equals("twice") || !wrong.message().startsWith("item 3: "))
            throw new RuntimeException("wrong");
        orders.remove(3);
        if (!random_action().get("type").equals("march")) throw new RuntimeException("no action of the rules");
        if (!game.march(orders).accepted()) throw new RuntimeException("refused");
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
""",
    "javascript": """
import { AI, run } from "./frontier.js";

class Bot extends AI {
  run_turn() {
    const orders = this.game.units
      .filter((unit) => unit.owner === this.index)
      .map((unit) => ({ unit, step: /** @type {"south"} */ ("south") }));
    const wrong = this.game.march([...orders, orders[0]]);
    if (wrong.accepted || wrong.code !== "twice" || !wrong.message.startsWith("item 3: ")) throw new Error("wrong");
    if (this.random_action().type !== "march") throw new Error("no action of the rules");
    if (!this.game.march(orders).accepted) throw new Error("refused");
  }
}

run(Bot);
""",
}


@pytest.fixture(params=shortened(sorted(kits.LANGUAGES, key=lambda name: name in ("cpp", "java"))))
def language(request: pytest.FixtureRequest, need_program: Callable[[str], str]) -> str:
    chosen: str = request.param
    for program in NEEDED[chosen]:
        need_program(program)
    return chosen


@pytest.fixture(autouse=True)
def _frontier(install_frontier: Callable[..., None]) -> None:
    install_frontier()


def make(folder: Path, language: str) -> Path:
    done = CliRunner().invoke(cli, ["new", "frontier", str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    return folder


def test_a_typed_list_is_accepted_and_a_refusal_names_the_item(language: str, tmp_path: Path) -> None:
    bot = make(tmp_path / "bot", language)
    (bot / kits.LANGUAGES[language].program).write_text(PROGRAMS[language])
    other = make(tmp_path / "other", "python")
    result = play_match("frontier", [bot, other], seed=1, options=OPTIONS | {"turns": 2})
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0].stderr
    assert result.players[0].refusals == {"twice": 1}


def test_new_bots_choose_from_a_form_as_the_python_bot_does(language: str, tmp_path: Path) -> None:
    played: list[Any] = []
    python = make(tmp_path / "python", "python")
    for bot in (python, make(tmp_path / "bot", language)):
        replay = tmp_path / f"{bot.name}.arena"
        result = play_match("frontier", [bot, python], seed=5, options=OPTIONS, replay=replay)
        assert [player.refusals for player in result.players] == [{}, {}], result.players[0].stderr
        assert result.turns == OPTIONS["turns"]
        played.append([entry for entry in Reader(replay).truth if entry[0] == "do"])
    assert played[0] == played[1]
