// A bot that was written for the MegaMinerAI client Joueur, with the names of Arena.

#include "saloon.hpp"

using namespace saloon;

struct Bot : AI {
    int plays = 0;

    void run_turn() override {
        const YoungGun* gun = player->young_gun;
        if (gun->can_call_in && player->count("Brawler") < options["max_cowboys_per_job"].as_int()) gun->call_in("Brawler");
        const auto cowboys = game->cowboys;
        for (const Cowboy* cowboy : cowboys) {
            if (cowboy->owner != player->index || cowboy->is_dead || cowboy->is_drunk) continue;
            const Furnishing* piano = nearest_piano(cowboy);
            if (!piano) continue;
            const auto path = arena::find_path(cowboy->tile, piano->tile);
            if (path.size() > 1 && cowboy->can_move && !cowboy->move(path[0])) log("could not move", cowboy->id());
            if (!cowboy->tile || cowboy->turns_busy) continue;
            for (const Tile* tile : cowboy->tile->neighbors)
                if (tile == piano->tile && !piano->is_playing && cowboy->play(piano)) ++plays;
        }
    }

    const Furnishing* nearest_piano(const Cowboy* cowboy) {
        const Furnishing* best = nullptr;
        std::size_t shortest = 0;
        for (const Furnishing* piano : game->furnishings) {
            if (!cowboy->tile || !piano->tile || !piano->is_piano) continue;
            const std::size_t length = arena::find_path(cowboy->tile, piano->tile).size();
            if (length && (!best || length < shortest)) best = piano, shortest = length;
        }
        return best;
    }

    void end(const arena::Outcome& outcome) override {
        std::cout << (outcome.won ? "won" : "not won") << " plays: " << plays << std::endl;
    }
};

int main() { return arena::run<Bot>(); }
