// A first bot for $title. It takes any legal action. Make it better.

import arena.Kit;
import arena.$outer.AI;

/** A bot that plays at random. */
class Main extends AI {
    Main() {
        wants_legal_actions = true;
    }

    /** Send one action. The kit calls this on each of your turns. */
    @Override
    public void run_turn() {
        act(random_action());
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
