import arena.Kit;
import arena.Kit.Result;
import arena.Saloon.*;

class Main extends AI {
    @Override
    public void run_turn() {
        for (Cowboy cowboy : game.cowboys())
            if (cowboy.owner() == index) return;  // one is enough for now
        Result<Cowboy> called = player.young_gun().call_in("Brawler");
        if (!called.accepted()) log("refused:", called.code(), called.message());
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
