// Measures actions, and the CPU time before the first turn. The probes in all languages do the same.

import arena.Kit;
import arena.Saloon.*;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

class Main extends AI {
    private final List<Double> times = new ArrayList<>();
    private double cpu;

    @Override
    public void run_turn() {
        if (cpu == 0) cpu = ProcessHandle.current().info().totalCpuDuration().get().toNanos() / 1e6;
        if (turn < 2) player.young_gun().call_in("Brawler");
        for (Cowboy cowboy : game.cowboys()) {
            if (cowboy.owner() != index || cowboy.is_dead()) continue;
            for (Kit.Tile tile : cowboy.tile().neighbors()) {
                long begin = System.nanoTime();
                if (!cowboy.move(tile).accepted()) continue;
                times.add((System.nanoTime() - begin) / 1e3);
                break;
            }
        }
    }

    @Override
    public void end(Kit.Outcome outcome) {
        Collections.sort(times);
        System.out.println("{\"action\": " + times.get(times.size() / 2) + ", \"cpu\": " + cpu + "}");
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
