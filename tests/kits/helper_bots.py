"""Bots for tests of helpers, in each language: they play at random, call every helper, and log the results as JSON.

They are made from the schema and the helpers of a game. A bot of any language calls the same helpers with the same
arguments in the same turns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from string import Template
from typing import Any, ClassVar, NamedTuple

from arena.game import GameSpec
from arena.sdk.languages import LANGUAGES, camel_case
from arena_player import sdk
from arena_player.schema import Schema, parse_schema
from arena_player.sdk.helpers import Helper, Helpers, Kind

TARGETS = 3
"""How many objects or tiles a helper is called on."""


class Call(NamedTuple):
    """A call of a helper on some object or tile, with arguments that each language writes in its own way."""

    owner: str
    helper: Helper
    arguments: list[tuple[Kind, Any]]
    target: int


class Plan(NamedTuple):
    """All calls of the bots of one game."""

    game: GameSpec
    schema: Schema
    helpers: Helpers
    turns: range
    calls: list[Call]


def plan(game: GameSpec, turns: range, texts: Mapping[str, Any]) -> Plan:
    """Return all calls of the bots of a game.

    Args:
        game: The game.
        turns: The turns of the bot, from 0, in each of which it calls some of the helpers.
        texts: The arguments of helpers that are texts, by the names of the parameters.
    """
    schema = parse_schema(game.schema())
    helpers = sdk.helpers(game.schema(), sdk.read_extras(game.kit))
    number = count()

    def sample(kind: Kind, name: str) -> Any:
        if kind.name == "list":
            return [(part, sample(part, name)) for part in kind.parts * 2]
        if kind.name == "thing":
            part = kind.parts[next(number) % len(kind.parts)]
            return part, sample(part, name)
        return texts[name] if kind.name == "str" else next(number)

    calls = []
    for owner, listed in helpers.classes.items():
        for helper in (helper for helper in listed if helper.type.name != "result"):
            for target in range(1 if owner in ("AI", schema.root) else TARGETS):
                full = [(item.type, sample(item.type, item.name)) for item in helper.parameters]
                short = [one for one, item in zip(full, helper.parameters, strict=True) if not item.has_default]
                for arguments in [full] if len(full) == len(short) else [full, short]:
                    calls.append(Call(owner, helper, arguments, target))
    return Plan(game, schema, helpers, turns, calls)


def source(planned: Plan, language: str) -> str:
    """Return the program of a bot."""
    return _LANGUAGES[language](planned).program()


class _Writer:
    """Writes a program in one language."""

    PROGRAM: ClassVar[str]
    TURN: ClassVar[str]
    NOTE: ClassVar[str]
    ROOT: ClassVar[str]
    MANY: ClassVar[str]
    ONE: ClassVar[str]
    language: ClassVar[str]
    me: ClassVar[str] = "this"
    dot: ClassVar[str] = "."

    def __init__(self, planned: Plan) -> None:
        self.planned = planned
        self.schema = planned.schema
        self.values = planned.helpers.values

    def program(self) -> str:
        turns = [""] * len(self.planned.turns)
        for number, call in enumerate(self.planned.calls):
            label = f"{number} {call.owner}.{call.helper.name}"
            turns[number % len(turns)] += self.NOTE.format(label=label, call=self.call(call))
        placed = [name for name, entry in self.schema.classes.items() if entry.placed]
        words = {
            "game": self.schema.game,
            "Game": camel_case(self.schema.game),
            "lists": self.lists(),
            "turns": "".join(
                self.TURN.format(turn=turn, lines=lines) for turn, lines in zip(self.planned.turns, turns, strict=True)
            ),
            "placed": self.joined(placed),
        }
        return Template(self.PROGRAM).substitute(words)

    def lists(self) -> str:
        """Return a function for each class that returns its objects. Those of other classes lead to them."""
        known = [self.schema.root]
        found = self.ROOT.format(name=self.schema.root, kind=self.kind(self.schema.root))
        for owner in known:
            for field in self.schema.classes[owner].fields:
                if field.type.name in self.schema.classes and field.type.name not in known:
                    known.append(field.type.name)
                    way = self.MANY if field.type.many else self.ONE
                    found += way.format(
                        name=field.type.name,
                        kind=self.kind(field.type.name),
                        owner=owner,
                        owners=self.kind(owner),
                        field=field.name,
                    )
        return found

    def joined(self, names: list[str]) -> str:
        raise NotImplementedError

    def call(self, call: Call) -> str:
        arguments = [self.argument(kind, value) for kind, value in call.arguments]
        if call.arguments and call.helper.parameters[-1].many:
            arguments = self.spread(call.arguments[-1])
        if call.owner == "Tile":
            return self.of_tile(call, self.spot(call.target), arguments)
        target = self.me if call.owner == "AI" else self.item(call.owner, call.target)
        return self.of_object(call, target, arguments)

    def kind(self, name: str) -> str:
        """Return the name of a class. In Java, a class cannot have the name of its game."""
        return f"{name}_" if self.language == "java" and name == camel_case(self.schema.game) else name

    def name(self, name: str) -> str:
        """Return the name of a helper or an attribute in this language."""
        return f"{name}_" if name in LANGUAGES[self.language].reserved.split() else name

    def of_tile(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"{self.name(call.helper.name)}({', '.join([target, *arguments])})"

    def of_object(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"{target}{self.dot}{self.name(call.helper.name)}({', '.join(arguments)})"

    def argument(self, kind: Kind, value: Any) -> str:
        if kind.name == "list":
            return self.listed([self.argument(*one) for one in value], kind)
        if kind.name == "thing":
            return self.argument(*value)
        if kind.name == "tile":
            return self.spot(value)
        if kind.name in self.schema.classes:
            return self.item(kind.name, value)
        if kind.name == "bool":
            return self.boolean(value % 2 == 1)
        return (
            self.number(value % 5) if kind.name == "int" else json.dumps(value + 0.5 if kind.name == "float" else value)
        )

    def spread(self, argument: tuple[Kind, Any]) -> list[str]:
        return [self.argument(*one) for one in argument[1]]

    def spot(self, number: int) -> str:
        return f"spot({number})"

    def item(self, owner: str, number: int) -> str:
        return f"item(all_{owner}(), {number})"

    def listed(self, items: list[str], kind: Kind) -> str:
        return f"[{', '.join(items)}]"

    def boolean(self, value: bool) -> str:
        return json.dumps(value)

    def number(self, value: int) -> str:
        return str(value)


class _Python(_Writer):
    language = "python"
    me = "self"
    ROOT = "    def all_{name}(self):\n        return [self.game]\n\n"
    MANY = "    def all_{name}(self):\n        return [two for one in self.all_{owner}() for two in one.{field}]\n\n"
    ONE = "    def all_{name}(self):\n        return [one.{field} for one in self.all_{owner}() if one.{field}]\n\n"
    TURN = "        if self.done == {turn}:\n            pass\n{lines}"
    NOTE = "            self.note({label!r}, lambda: {call})\n"
    PROGRAM = """
import json
from collections.abc import Mapping

from $game import AI


def plain(value):
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "present"):
        return value.id
    if hasattr(value, "neighbors"):
        return [value.x, value.y]
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, set):
        value = sorted(map(plain, value), key=repr)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if not isinstance(value, Mapping):
        value = {name: item for name, item in vars(value).items() if not name.startswith("_")}
    return [[plain(key), plain(item)] for key, item in value.items()]


class Bot(AI):
    wants_legal_actions = True
    done = 0

    def note(self, label, call):
        try:
            text = json.dumps(plain(call()))
        except Exception:
            text = '"error"'
        self.log(f"{label}\t{text}")

    def spot(self, number):
        things = [thing for thing in $placed if thing.present and thing.tile]
        tiles = self.game.tiles
        return things[number % len(things)].tile if number % 2 and things else tiles[(37 * number + 11) % len(tiles)]

    def item(self, items, number):
        return items[number % len(items)]

$lists
    def run_turn(self):
$turns
        self.done += 1
        self.act(self.random_action())
"""

    def joined(self, names: list[str]) -> str:
        return " + ".join(f"self.all_{name}()" for name in names) or "[]"

    def spot(self, number: int) -> str:
        return f"self.spot({number})"

    def item(self, owner: str, number: int) -> str:
        return f"self.item(self.all_{owner}(), {number})"

    def boolean(self, value: bool) -> str:
        return str(value)

    def of_tile(self, call: Call, target: str, arguments: list[str]) -> str:
        return self.of_object(call, target, arguments)

    def of_object(self, call: Call, target: str, arguments: list[str]) -> str:
        if call.helper.is_property:
            return f"{target}.{call.helper.name}"
        named = [item for item in call.helper.parameters if not item.many]
        words = [f"{item.name}={text}" for item, text in zip(named, arguments, strict=False)] or arguments
        return f"{target}.{call.helper.name}({', '.join(words)})"


class _JavaScript(_Writer):
    language = "javascript"
    ROOT = "  all_{name}() {{\n    return [this.game];\n  }}\n"
    MANY = "  all_{name}() {{\n    return this.all_{owner}().flatMap((one) => one.{field});\n  }}\n"
    ONE = "  all_{name}() {{\n    return this.all_{owner}().flatMap((one) => one.{field} ?? []);\n  }}\n"
    TURN = "    if (this.done === {turn}) {{\n{lines}    }}\n"
    NOTE = '      this.note("{label}", () => {call});\n'
    PROGRAM = """
import * as classes from "./$game.js";

function plain(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.present !== undefined) return value.id;
  if (value.neighbors !== undefined) return [value.x, value.y];
  if (Array.isArray(value)) return value.map(plain);
  return [...(value instanceof Map ? value : Object.entries(value))].map(([key, item]) => [plain(key), plain(item)]);
}

class Bot extends classes.AI {
  wants_legal_actions = true;
  done = 0;

  note(label, call) {
    let text = '"error"';
    try {
      text = JSON.stringify(plain(call()));
    } catch (error) {
      if (!(error instanceof classes.RulesError || error instanceof TypeError)) throw error;
    }
    this.log(`$${label}\t$${text}`);
  }
  spot(number) {
    const things = [$placed].filter((thing) => thing.present && thing.tile);
    const tiles = this.tiles;
    return number % 2 && things.length ? things[number % things.length].tile : tiles[(37 * number + 11) % tiles.length];
  }
  item(items, number) {
    return items[number % items.length];
  }
$lists
  run_turn() {
$turns
    this.done++;
    this.act(this.random_action());
  }
}

classes.run(Bot);
"""

    def joined(self, names: list[str]) -> str:
        return ", ".join(f"...this.all_{name}()" for name in names)

    def spot(self, number: int) -> str:
        return f"this.spot({number})"

    def item(self, owner: str, number: int) -> str:
        return f"this.item(this.all_{owner}(), {number})"

    def of_tile(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"classes.{super().of_tile(call, target, arguments)}"

    def of_object(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"{target}.{call.helper.name}" + ("" if call.helper.is_property else f"({', '.join(arguments)})")


class _Java(_Writer):
    language = "java"
    ROOT = "    List<{kind}> all_{name}() {{\n        return List.of(game);\n    }}\n"
    MANY = (
        "    List<{kind}> all_{name}() {{\n        List<{kind}> found = new ArrayList<>();\n"
        "        for ({owners} one : all_{owner}()) found.addAll(one.{field}());\n        return found;\n    }}\n"
    )
    ONE = (
        "    List<{kind}> all_{name}() {{\n        List<{kind}> found = new ArrayList<>();\n"
        "        for ({owners} one : all_{owner}()) if (one.{field}() != null) found.add(one.{field}());\n"
        "        return found;\n    }}\n"
    )
    TURN = "        if (done == {turn}) {{\n{lines}        }}\n"
    NOTE = '            note("{label}", () -> {call});\n'
    PROGRAM = """
import arena.Kit;
import arena.Kit.*;
import arena.$Game;
import arena.$Game.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

class Main extends $Game.AI {
    Main() {
        wants_legal_actions = true;
    }

    static String text(Object value) {
        if (value instanceof GameObject thing) return text(thing.id());
        if (value instanceof Tile tile) return text(List.of(tile.x, tile.y));
        if (value instanceof String words)
            return '"' + words.replace("\\\\", "\\\\\\\\").replace("\\"", "\\\\\\"") + '"';
        List<String> parts = new ArrayList<>();
        if (value instanceof Record) {
            for (var part : value.getClass().getRecordComponents()) {
                try {
                    var read = part.getAccessor();
                    read.setAccessible(true);
                    parts.add("[" + text(part.getName().replaceAll("_$$", "")) + "," + text(read.invoke(value)) + "]");
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            }
        } else if (value instanceof Map<?, ?> map)
            map.forEach((key, item) -> parts.add("[" + text(key) + "," + text(item) + "]"));
        else if (value instanceof List<?> items) for (Object item : items) parts.add(text(item));
        else return String.valueOf(value);
        return "[" + String.join(",", parts) + "]";
    }

    void note(String label, Supplier<Object> call) {
        String result = "\\"error\\"";
        try {
            result = text(call.get());
        } catch (RulesError | ArithmeticException error) {
        }
        log(label + "\\t" + result);
    }

    Tile spot(int number) {
        List<PlacedObject> things = new ArrayList<>();
        $placed
        things.removeIf(thing -> !thing.present() || thing.tile() == null);
        List<Tile> tiles = tiles();
        if (number % 2 == 1 && !things.isEmpty()) return things.get(number % things.size()).tile();
        return tiles.get((37 * number + 11) % tiles.size());
    }

    <T> T item(List<T> items, int number) {
        return items.get(number % items.size());
    }

$lists
    int done;

    @Override
    public void run_turn() {
$turns
        done++;
        act(random_action());
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
"""

    def joined(self, names: list[str]) -> str:
        return " ".join(f"things.addAll(all_{name}());" for name in names)

    def of_tile(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"{camel_case(self.schema.game)}.{super().of_tile(call, target, arguments)}"

    def listed(self, items: list[str], kind: Kind) -> str:
        return f"List.of({', '.join(items)})"

    def spread(self, argument: tuple[Kind, Any]) -> list[str]:
        return [self.argument(*argument)]

    def number(self, value: int) -> str:
        return f"{value}L"


class _Cpp(_Writer):
    language = "cpp"
    me = "this"
    dot = "->"
    ROOT = "    std::vector<const {name}*> all_{name}() const {{ return {{game}}; }}\n"
    MANY = (
        "    std::vector<const {name}*> all_{name}() const {{\n        std::vector<const {name}*> found;\n"
        "        for (const auto* one : all_{owner}()) for (const auto* two : one->{field}) found.push_back(two);\n"
        "        return found;\n    }}\n"
    )
    ONE = (
        "    std::vector<const {name}*> all_{name}() const {{\n        std::vector<const {name}*> found;\n"
        "        for (const auto* one : all_{owner}()) if (one->{field}) found.push_back(one->{field});\n"
        "        return found;\n    }}\n"
    )
    TURN = "        if (done == {turn}) {{\n{lines}        }}\n"
    NOTE = '            note("{label}", [&] {{ return {call}; }});\n'
    PROGRAM = """
#include "$game.hpp"

using namespace $game;

inline std::string text(const arena::Value& value);
inline std::string text(const std::string& words) {
    std::string found = "\\"";
    for (const char one : words) found += one == '"' || one == '\\\\' ? std::string{'\\\\', one} : std::string{one};
    return found + "\\"";
}
inline std::string text(bool value) { return value ? "true" : "false"; }
inline std::string text(std::int64_t value) { return std::to_string(value); }
inline std::string text(double value) {
    std::ostringstream out;
    out.precision(17);
    out << value;
    return out.str();
}
inline std::string text(const arena::Object* thing) { return thing ? text(thing->id()) : "null"; }
inline std::string text(const Tile* tile) { return tile ? "[" + text(tile->x) + "," + text(tile->y) + "]" : "null"; }
@values@
template <class K, class V> std::string text(const std::pair<K, V>& pair);
template <class T> std::string text(const std::vector<T>& items);
template <class T> std::string text(const std::optional<T>& value) { return value ? text(*value) : "null"; }
template <class K, class V> std::string text(const std::pair<K, V>& pair) {
    return "[" + text(pair.first) + "," + text(pair.second) + "]";
}
template <class T> std::string text(const std::vector<T>& items) {
    std::string found;
    for (const auto& item : items) found += (found.empty() ? "" : ",") + text(item);
    return "[" + found + "]";
}
inline std::string text(const arena::Value& value) {
    if (value.is_null()) return "null";
    if (value.is<bool>()) return text(value.as_bool());
    if (value.is<std::int64_t>()) return text(value.as_int());
    if (value.is<double>()) return text(value.as_number());
    if (value.is<std::string>()) return text(value.as_string());
    return value.is_map() ? text(value.as_map()) : text(value.as_list());
}
@written@

struct Bot : AI {
    int done = 0;
    Bot() { wants_legal_actions = true; }

    template <class Call> void note(const char* label, Call call) {
        std::string result = "\\"error\\"";
        try {
            result = text(call());
        } catch (const arena::RulesError&) {
        } catch (const std::out_of_range&) {
        }
        log(label + std::string("\\t") + result);
    }
    const Tile* spot(std::size_t number) const {
        std::vector<const arena::PlacedObject*> things;
        $placed
        std::erase_if(things, [](const auto* thing) { return !thing->present() || !thing->tile; });
        if (number % 2 && !things.empty()) return things[number % things.size()]->tile;
        return tiles()[(37 * number + 11) % tiles().size()];
    }
    template <class T> static T item(const std::vector<T>& items, std::size_t number) {
        return items.at(items.empty() ? 0 : number % items.size());
    }
$lists
    void run_turn() override {
$turns
        ++done;
        act(random_action());
    }
};

int main() { return arena::run<Bot>(); }
"""

    def program(self) -> str:
        declared, written = "", ""
        for value in self.values.values():
            parts = ' + "," + '.join(f'"[\\"{name}\\"," + text(value.{self.name(name)}) + "]"' for name in value.fields)
            declared += f"inline std::string text(const {value.name}& value);\n"
            written += (
                f'inline std::string text(const {value.name}& value) {{ return std::string("[") + {parts} + "]"; }}\n'
            )
        return super().program().replace("@values@", declared).replace("@written@", written)

    def joined(self, names: list[str]) -> str:
        return "\n        ".join(f"for (const auto* one : all_{name}()) things.push_back(one);" for name in names)

    def of_tile(self, call: Call, target: str, arguments: list[str]) -> str:
        return f"{self.schema.game}::{super().of_tile(call, target, arguments)}"

    def listed(self, items: list[str], kind: Kind) -> str:
        return f"{{{', '.join(items)}}}"

    def spread(self, argument: tuple[Kind, Any]) -> list[str]:
        return [self.argument(*argument)]


_LANGUAGES = {"python": _Python, "cpp": _Cpp, "java": _Java, "javascript": _JavaScript}
