// A first bot for $title. It takes any legal action. Make it better.

#include "$game.hpp"

/// A bot that plays at random.
struct Bot : $namespace::AI {
    Bot() { wants_legal_actions = true; }

    /// Send one action. The kit calls this on each of your turns.
    void run_turn() override { act(random_action()); }
};

int main() { return arena::run<Bot>(); }
