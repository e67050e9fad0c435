// A bot that was written for the MegaMinerAI client Joueur, with the names of Arena.

import arena.Kit;
import arena.Kit.Outcome;
import arena.Kit.Tile;
import arena.Saloon.*;
import java.util.List;

class Main extends AI {
    private int plays;

    @Override
    public void run_turn() {
        YoungGun gun = player.young_gun();
        if (gun.can_call_in() && player.count("Brawler") < (Long) options.get("max_cowboys_per_job")) gun.call_in("Brawler");
        for (Cowboy cowboy : game.cowboys()) {
            if (cowboy.owner() != player.index() || cowboy.is_dead() || cowboy.is_drunk()) continue;
            Furnishing piano = nearestPiano(cowboy);
            if (piano == null) continue;
            List<Tile> path = Kit.find_path(cowboy.tile(), piano.tile());
            if (path.size() > 1 && cowboy.can_move() && !cowboy.move(path.get(0)).accepted()) log("could not move", cowboy.id());
            if (cowboy.tile() == null || cowboy.turns_busy() != 0) continue;
            if (cowboy.tile().neighbors().contains(piano.tile()) && !piano.is_playing() && cowboy.play(piano).accepted()) plays++;
        }
    }

    private Furnishing nearestPiano(Cowboy cowboy) {
        Furnishing best = null;
        int shortest = 0;
        for (Furnishing piano : game.furnishings()) {
            if (cowboy.tile() == null || piano.tile() == null || !piano.is_piano()) continue;
            int length = Kit.find_path(cowboy.tile(), piano.tile()).size();
            if (length == 0 || best != null && length >= shortest) continue;
            best = piano;
            shortest = length;
        }
        return best;
    }

    @Override
    public void end(Outcome outcome) {
        System.out.println((outcome.won() ? "won" : "not won") + " plays: " + plays);
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
