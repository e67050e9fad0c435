// A bot for tests of the kit. It uses every part of the kit and logs what it sees. The probes of all kits do the same.
package arena;

import arena.Kit.Outcome;
import arena.Kit.Place;
import arena.Kit.Result;
import arena.Stroll.AI;
import arena.Stroll.Walker;
import java.util.List;
import java.util.Map;

final class Probe extends AI {
    private Walker mine, other;
    private int updates;

    @Override
    public void start() {
        mine = game.walkers().get(0);
        other = game.walkers().get(1);
        print("start", index, settings.get("mood"), options.get("width"), tiles().size());
    }

    @Override
    public void game_updated() {
        updates++;
    }

    @Override
    public void refused(Map<String, Object> action, Result<?> result) {
        print("refused", action.get("type"), result.code());
    }

    @Override
    public void end(Outcome outcome) {
        print("end", outcome.ending(), outcome.won(), outcome.document().get("winner"), updates);
    }

    private static String line(Object... values) {
        String[] texts = new String[values.length];
        for (int i = 0; i < texts.length; i++) texts[i] = values[i] instanceof Boolean yes ? yes ? "1" : "0" : "" + values[i];
        return String.join(" ", texts);
    }

    private static void print(Object... values) {
        System.out.println(line(values));
    }

    @Override
    public void run_turn() {
        if (turn == 0) {
            Result<Walker> walked = mine.walk(mine.tile().east());
            log(line(walked.accepted(), walked.value(), mine.mood(), mine.x(), mine.tile().find(Walker.class) == mine));
        } else if (turn == 1) {
            log(line(other.present(), other.tile() == null, game.walkers().size()));
            for (Result<?> result : batch(() -> {
                mine.walk(tile(2, 0));
                mine.walk(tile(0, 1));
                game.end_turn();
            })) log(line(result.accepted(), result.code()));
        } else if (turn == 2) {
            log(line(game.walkers().get(1) == other, other.present(), other.mood(), events.size()));
            log(line(random.below(1000), random.below(7), time_left() > 0, "line\nbreak ?."));
            draw.line(mine, Place.at(1.5, 0.5), "red");
            draw.rectangle(mine, other);
            draw.text(other, "h\033i");
            Result<?> late = act(Kit.document("type", "walk", "walker", "w1", "x", 3, "y", 0));
            log(late.code(), mine.walk(tile(0, 0)).code());
        } else if (turn == 3) {
            List<Result<?>> results = batch(() -> {
                for (int i = 0; i < 1006; i++) mine.walk(tile(3, 1));
            }, true);
            log(line(results.size(), results.get(0).code(), results.get(1).value() == mine, results.get(2).value() == mine,
                results.get(999).code(), results.get(1005).accepted()));
        } else if (turn == 4) {
            mine.walk(tile(0, 0));
            print("not reached");
        } else if (turn == 5) {
            log((String) options.get("width")); // a mistake: it is an integer
        } else if (turn == 6) {
            String walker = "w".repeat(400); // long, so that one message cannot carry all
            List<Result<?>> results = batch(() -> {
                for (int i = 0; i < 1000; i++) act(Kit.document("type", "walk", "walker", walker, "x", i, "y", 0));
            });
            log(line(results.size(), results.stream().allMatch(Result::accepted)));
        }
    }

    public static void main(String[] arguments) {
        Kit.run(new Probe());
    }
}
