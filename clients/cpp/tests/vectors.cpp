// Answers each line of standard input with one line, for tests with the protocol's vectors.
//
//   decode HEX   the message, packed again; or "error CODE"
//   fold HEX     all objects after the delta in this message; or "error CODE"
//   random SEED  some random numbers

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

struct Maker : stroll::AI {
    void run_turn() override {}
    using stroll::AI::make;
};

int main() {
    const Value schema = Value::Map{{"grid", Value::Map{{"width", "width"}, {"height", "height"}}}};
    World world(schema, [](std::string_view name) { return Maker().make(name); }, [](Value::Map) { return nullptr; });
    std::string command, argument;
    for (std::string line; std::getline(std::cin, line); std::cout << std::endl) {
        std::istringstream(line + " ") >> command >> std::ws, argument = line.substr(std::min(line.size(), command.size() + 1));
        try {
            if (command == "decode") print(decode(argument));
            if (command == "fold") world.apply(decode(argument)["delta"]), print(objects(world));
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
