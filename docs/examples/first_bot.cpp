#include "saloon.hpp"

struct Bot : saloon::AI {
    void run_turn() override {
        for (const auto* cowboy : game->cowboys)
            if (cowboy->owner == index) return;  // one is enough for now
        const auto called = player->young_gun->call_in("Brawler");
        if (!called) log("refused:", called.code(), called.message());
    }
};

int main() { return arena::run<Bot>(); }
