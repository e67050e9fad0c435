// Answers each line of standard input with one line, for tests with the protocol's vectors.
//
//   decode HEX   the message, packed again; or "error CODE"
//   fold HEX     all objects after the delta in this message; or "error CODE"
//   array HEX    all arrays after the delta in this message; or "error CODE"
//   random SEED  some random numbers

#include "shelf.hpp"
#include "stroll.hpp"

using namespace arena;

static Value objects(const World& world) {
    Value::Map all{{"type", "objects"}};
    for (const Object* thing : world.objects()) {
        if (!thing->present()) continue;
        Value::Map fields;
        if (const auto* game = dynamic_cast<const stroll::Game*>(thing))
            fields = {{"width", game->width}, {"height", game->height}, {"walkers", wire(game->walkers)}};
        if (const auto* walker = dynamic_cast<const stroll::Walker*>(thing))
            fields = {{"x", wire(walker->x)}, {"y", wire(walker->y)}, {"owner", walker->owner}, {"mood", walker->mood}};
        all.emplace_back(thing->id(), Value::Map{{"class", std::string(thing->class_name())}, {"fields", fields}});
    }
    return all;
}

static Value decode(const std::string& hex) {
    std::string bytes;
    for (std::size_t at = 0; at < hex.size(); at += 2) bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
    return Unpacker::message(bytes);
}

static void print(const Value& value) {
    std::string bytes;
    pack(value, bytes);
    for (const char byte : bytes) std::cout << "0123456789abcdef"[byte >> 4 & 15] << "0123456789abcdef"[byte & 15];
}

template <class T> static Value numbers(const std::vector<T>& items) {
    Value::List list;
    for (const T item : items) list.emplace_back(item);
    return list;
}
template <> Value numbers(const std::vector<float>& items) { return numbers(std::vector<double>(items.begin(), items.end())); }

static Value arrays(const World& world) {
    const auto& game = dynamic_cast<const shelf::Game&>(*world.object("game"));
    return Value::Map{{"type", "arrays"}, {"cells", numbers(game.cells)}, {"int8s", numbers(game.int8s)},
                      {"uint8s", numbers(game.uint8s)}, {"int16s", numbers(game.int16s)}, {"uint16s", numbers(game.uint16s)},
                      {"int32s", numbers(game.int32s)}, {"uint32s", numbers(game.uint32s)}, {"int64s", numbers(game.int64s)},
                      {"uint64s", numbers(game.uint64s)}, {"float32s", numbers(game.float32s)}, {"float64s", numbers(game.float64s)}};
}

template <class Game> struct Maker : Game {
    void run_turn() override {}
    using Game::make;
};

int main() {
    const Value grid = Value::Map{{"width", "width"}, {"height", "height"}};
    World world(Value::Map{{"schema", Value::Map{{"grid", grid}}}}, [](std::string_view name) { return Maker<stroll::AI>().make(name); }, [](Value::Map) { return nullptr; });
    World shelf(Value::Map{{"schema", Value::Map{}}}, [](std::string_view name) { return Maker<shelf::AI>().make(name); },
                [](Value::Map) { return nullptr; });
    std::string command, argument;
    for (std::string line; std::getline(std::cin, line); std::cout << std::endl) {
        std::istringstream(line + " ") >> command >> std::ws, argument = line.substr(std::min(line.size(), command.size() + 1));
        try {
            if (command == "decode") print(decode(argument));
            if (command == "fold") world.apply(decode(argument)["delta"]), print(objects(world));
            if (command == "array") shelf.apply(decode(argument)["delta"]), print(arrays(shelf));
            if (command == "random") {
                Random random(argument);
                std::vector<int> order(10);
                std::iota(order.begin(), order.end(), 0);
                random.shuffle(order);
                for (const int one : order) std::cout << one << ' ';
                const std::uint64_t bits = std::bit_cast<std::uint64_t>(random.random());
                std::cout << std::hex << bits << std::dec << ' ' << random.below(1) << ' ';
                std::cout << random.below(4294967295);
            }
        } catch (const WireError& error) {
            std::cout << "error " << error.code;
        }
    }
}
