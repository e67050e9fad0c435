import arena.Kit;
import arena.Saloon.*;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class Main extends AI {
    @Override
    public void run_turn() {
        Kit.State<Game> state = game.fork(turn);
        List<Map<String, Object>> actions = state.legal_actions(index);
        List<List<Object>> requests = new ArrayList<>();
        for (Map<String, Object> action : actions) {
            requests.add(List.of("push", index, action));
            requests.add(List.of("scores"));
            requests.add(List.of("legal_actions"));
            requests.add(List.of("pop", 0));
        }
        List<List<Object>> results = state.batch(requests);
        int best = 0;
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < actions.size(); i++) {
            List<?> scores = (List<?>) results.get(4 * i + 1).get(1);
            double mine = (Double) scores.get(index), other = (Double) scores.get(1 - index);
            double value = 1000 * (mine - other) + ((List<?>) results.get(4 * i + 2).get(1)).size();
            if (value > most) {
                most = value;
                best = i;
            }
        }
        state.free();
        act(actions.get(best));
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
