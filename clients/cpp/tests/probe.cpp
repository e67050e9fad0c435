// A bot for tests of the kit. It uses every part of the kit and logs what it sees. The probes of all kits do the same.

#include "stroll.hpp"

using namespace stroll;

struct Probe : AI {
    const Walker *mine = nullptr, *other = nullptr;
    int updates = 0;

    void start() override {
        mine = game->walkers.at(0);
        other = game->walkers.at(1);
        std::cout << "start " << index << ' ' << settings["mood"] << ' ' << options["width"].as_int() << ' ' << tiles().size() << std::endl;
    }
    void game_updated() override { ++updates; }
    void refused(const arena::Value& action, const Result<>& result) override {
        std::cout << "refused " << action["type"].as_string() << ' ' << result.code() << std::endl;
    }
    void end(const arena::Outcome& outcome) override {
        std::cout << "end " << outcome.ending << ' ' << outcome.won << ' ' << outcome.document["winner"].as_int() << ' ' << updates << std::endl;
    }
    void run_turn() override {
        if (turn == 0) {
            const auto walked = mine->walk(mine->tile->east);
            log(walked.accepted(), walked.value()->id(), mine->mood, mine->tile->x, mine->tile->find<Walker>() == mine);
        } else if (turn == 1) {
            log(other->present(), other->tile == nullptr, game->walkers.size());
            const auto results = batch([&] {
                mine->walk(tile(2, 0));
                mine->walk(tile(0, 1));
                game->end_turn();
            });
            for (const auto& result : results) log(result.accepted(), result.code());
        } else if (turn == 2) {
            log(game->walkers.at(1) == other, other->present(), other->mood, events.size());
            const std::int64_t first = random.below(1000), second = random.below(7);
            log(first, second, *time_left() > 0, "line\nbreak \xFF.");
            draw.line(mine, arena::Place(1.5, 0.5), "red");
            draw.rectangle(mine, other);
            draw.text(other, "h\033i");
            const auto late = act({{"type", "walk"}, {"walker", "w1"}, {"x", 3}, {"y", 0}});
            log(late.code(), mine->walk(tile(0, 0)).code());
        } else if (turn == 3) {
            const auto results = batch([&] {
                for (int i = 0; i < 1006; ++i) mine->walk(tile(3, 1));
            }, true);
            log(results.size(), results[0].code(), results[1].value() == mine, results[2].value() == mine,
                results[999].code(), results.back().accepted());
        } else if (turn == 4) {
            mine->walk(tile(0, 0));
            std::cout << "not reached" << std::endl;
        } else if (turn == 5) {
            log(options["width"].as_string());  // a mistake: it is an integer
        } else if (turn == 6) {
            const std::string walker(400, 'w');  // long, so that one message cannot carry all
            const auto results = batch([&] {
                for (int i = 0; i < 1000; ++i) act({{"type", "walk"}, {"walker", walker}, {"x", i}, {"y", 0}});
            });
            log(results.size(), std::all_of(results.begin(), results.end(), [](const auto& one) { return one.accepted(); }));
        }
    }
};

int main() { return arena::run<Probe>(); }
