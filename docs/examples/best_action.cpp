#include "saloon.hpp"

struct Bot : saloon::AI {
    void run_turn() override {
        const auto me = static_cast<std::size_t>(index);
        auto state = game->fork(turn);
        const auto actions = state.legal_actions(index);
        std::vector<arena::Value::List> requests;
        for (const auto& action : actions) {
            requests.push_back({"push", index, action});
            requests.push_back({"scores"});
            requests.push_back({"legal_actions"});
            requests.push_back({"pop", 0});
        }
        const auto results = state.batch(requests);
        std::size_t best = 0;
        double most = -1e9;
        for (std::size_t i = 0; i < actions.size(); ++i) {
            const auto& scores = results[4 * i + 1].as_list()[1].as_list();
            const auto& next = results[4 * i + 2].as_list()[1].as_list();
            const double value = 1000 * (scores[me].as_number() - scores[1 - me].as_number()) + static_cast<double>(next.size());
            if (value > most) most = value, best = i;
        }
        act(actions[best].as_map());
    }
};

int main() { return arena::run<Bot>(); }
