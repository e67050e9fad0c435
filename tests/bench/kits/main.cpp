// Measures actions, the CPU time before the first turn, and push and pop. The probes in all languages do the same.

#include <ctime>

#include "saloon.hpp"

struct Probe : saloon::AI {
    std::vector<double> times;
    double cpu = 0, push = 0;

    static double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
    static double median(std::vector<double>& values) {
        std::sort(values.begin(), values.end());
        return values.empty() ? 0 : values[values.size() / 2];
    }
    void run_turn() override {
        if (!cpu) cpu = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
        if (turn < 2) player->young_gun->call_in("Brawler");
        const auto cowboys = game->cowboys;
        for (const auto* cowboy : cowboys) {
            if (cowboy->owner != index || cowboy->is_dead) continue;
            const auto near = cowboy->tile->neighbors;
            for (const auto* tile : near) {
                const double begin = now();
                if (!cowboy->move(tile)) continue;
                times.push_back(now() - begin);
                break;
            }
        }
        if (turn > 100 && !push) measure_rules();
    }
    void measure_rules() {
        auto state = game->fork(1);
        const auto action = state.legal_actions(index)[0];
        std::vector<double> rounds;
        for (int round = 0; round < 20; ++round) {
            const double begin = now();
            std::vector<arena::Value::List> requests;
            for (int i = 0; i < 100; ++i) requests.push_back({"push", index, action}), requests.push_back({"pop", 0});
            state.batch(requests);
            rounds.push_back(now() - begin);
        }
        push = median(rounds) / 100;
    }
    void end(const arena::Outcome&) override {
        std::cout << "{\"action\": " << 1e6 * median(times) << ", \"cpu\": " << 1e3 * cpu << ", \"push\": " << 1e6 * push << "}" << std::endl;
    }
};

int main() { return arena::run<Probe>(); }
