// The classes of Stroll. `arena sdk stroll --language java` writes this file; do not change it.
package arena;

import java.util.List;
import java.util.Map;

import arena.Kit.GameObject;
import arena.Kit.PlacedObject;
import arena.Kit.Result;
import arena.Kit.Tile;

/** The classes of Stroll. */
public final class Stroll {
    /** The game that these classes belong to. */
    public static final String GAME = "stroll";
    /** The version of these classes. The referee refuses a bot whose classes are outdated. */
    public static final String SCHEMA_HASH = "0123456789abcdef";

    private Stroll() {}

    /**
     * A race to the east side.
     */
    public static final class Game extends GameObject {
        private long width;
        private long height;
        private List<Walker> walkers = List.of();

        /**
         * Columns.
         */
        public long width() {
            return width;
        }

        /**
         * Rows.
         */
        public long height() {
            return height;
        }

        /**
         * All walkers.
         */
        public List<Walker> walkers() {
            return walkers;
        }

        /** Return a state of the rules to search in, which agrees with what you see. Each call uses another seed. */
        public Kit.State<Game> fork() {
            return world.fork(null);
        }

        /** Return a state of the rules to search in. The seed decides the guess at hidden information, and the dice. */
        public Kit.State<Game> fork(long seed) {
            return world.fork(seed);
        }

        /**
         * Ends the turn.
         */
        public Result<Void> end_turn() {
            return send_action("type", "end_turn");
        }

        @Override
        void set(String field_, Object value_) {
            switch (field_) {
                case "width" -> width = Kit.World.whole(value_);
                case "height" -> height = Kit.World.whole(value_);
                case "walkers" -> walkers = world.all(value_, "object");
                default -> throw new Kit.WireError("bad_value", "Game has no field " + field_);
            }
        }
    }

    /**
     * Strolls about.
     */
    public static final class Walker extends PlacedObject {
        private long owner;
        private String mood;

        /**
         * The owner of the walker.
         */
        public long owner() {
            return owner;
        }

        /**
         * The walker's mood. One of "calm", "cross".
         */
        public String mood() {
            return mood;
        }

        /**
         * Goes to a neighbouring tile.
         *
         * @param tile Where to.
         *
         * @return A result whose value is the Walker.
         */
        public Result<Walker> walk(Tile tile) {
            return send_action("type", "walk", "walker", id,
                "x", tile.x,
                "y", tile.y);
        }

        @Override
        void set(String field_, Object value_) {
            switch (field_) {
                case "owner" -> owner = Kit.World.whole(value_);
                case "mood" -> mood = (String) value_;
                default -> throw new Kit.WireError("bad_value", "Walker has no field " + field_);
            }
        }
    }

    /**
     * Return whether a path can cross this tile. By default, a path can cross an empty tile.
     */
    public static boolean is_passable(Tile tile_) {
        return tile_.world.<Boolean>help(tile_, "is_passable", false);
    }

    /**
     * Return a shortest path to another tile, without this tile; empty if there is no way.
     *
     * @param goal The last tile. It can be occupied.
     */
    public static List<Tile> path_to(Tile tile_, Tile goal) {
        return tile_.world.<List<Tile>>help(tile_, "path_to", false, "goal", goal);
    }

    /**
     * Return the tiles that can be reached from here, with the number of steps to each. The nearest come first.
     *
     * @param limit The largest number of steps.
     */
    public static Map<Tile, Long> reachable(Tile tile_, Long limit) {
        return tile_.world.<Map<Tile, Long>>help(tile_, "reachable", false, "?limit", limit);
    }

    /**
     * Return the tiles that can be reached from here, with the number of steps to each. The nearest come first. The other arguments have their default values.
     */
    public static Map<Tile, Long> reachable(Tile tile_) {
        return reachable(tile_, null);
    }

    /** A bot for Stroll. Write a subclass with a method run_turn. */
    public abstract static class AI extends Kit.AI {
        /** The game, always current. */
        public Game game;
        /** Your number, from 0. */
        public int player;

        @Override
        String schemaHash() {
            return SCHEMA_HASH;
        }

        @Override
        GameObject make(String className) {
            return switch (className) {
                case "Game" -> new Game();
                case "Walker" -> new Walker();
                default -> null;
            };
        }

        @Override
        Object value(String className, Map<Object, Object> attributes) {
            return switch (className) {
                default -> null;
            };
        }

        @Override
        void bind(Map<String, GameObject> objects) {
            game = (Game) objects.get("game");
            player = index;
        }
    }
}
