// The classes of Shelf. `arena sdk shelf --language java` writes this file; do not change it.
package arena;

import java.util.List;
import java.util.Map;

import arena.Kit.GameObject;
import arena.Kit.PlacedObject;
import arena.Kit.Result;
import arena.Kit.Tile;

/** The classes of Shelf. */
public final class Shelf {
    /** The game that these classes belong to. */
    public static final String GAME = "shelf";
    /** The version of these classes. The referee refuses a bot whose classes are outdated. */
    public static final String SCHEMA_HASH = "fedcba9876543210";

    private Shelf() {}

    /**
     * A game with an array of each type.
     */
    public static final class Game extends GameObject {
        private short[] cells;
        private byte[] int8s;
        private byte[] uint8s;
        private short[] int16s;
        private short[] uint16s;
        private int[] int32s;
        private int[] uint32s;
        private long[] int64s;
        private long[] uint64s;
        private float[] float32s;
        private double[] float64s;

        /**
         * Some numbers. (int16, any)
         */
        public short[] cells() {
            return cells;
        }

        /**
         * Some numbers. (int8, any)
         */
        public byte[] int8s() {
            return int8s;
        }

        /**
         * Some numbers. (uint8, any)
         */
        public byte[] uint8s() {
            return uint8s;
        }

        /**
         * Some numbers. (int16, any)
         */
        public short[] int16s() {
            return int16s;
        }

        /**
         * Some numbers. (uint16, any)
         */
        public short[] uint16s() {
            return uint16s;
        }

        /**
         * Some numbers. (int32, any)
         */
        public int[] int32s() {
            return int32s;
        }

        /**
         * Some numbers. (uint32, any)
         */
        public int[] uint32s() {
            return uint32s;
        }

        /**
         * Some numbers. (int64, any)
         */
        public long[] int64s() {
            return int64s;
        }

        /**
         * Some numbers. (uint64, any)
         */
        public long[] uint64s() {
            return uint64s;
        }

        /**
         * Some numbers. (float32, any)
         */
        public float[] float32s() {
            return float32s;
        }

        /**
         * Some numbers. (float64, any)
         */
        public double[] float64s() {
            return float64s;
        }

        /** Return a state of the rules to search in, which agrees with what you see. Each call uses another seed. */
        public Kit.State<Game> fork() {
            return world.fork(null);
        }

        /** Return a state of the rules to search in. The seed decides the guess at hidden information, and the dice. */
        public Kit.State<Game> fork(long seed) {
            return world.fork(seed);
        }

        @Override
        void set(String field_, Object value_) {
            switch (field_) {
                case "cells" -> cells = (short[]) Kit.World.numbers(value_, short.class, 2);
                case "int8s" -> int8s = (byte[]) Kit.World.numbers(value_, byte.class, 1);
                case "uint8s" -> uint8s = (byte[]) Kit.World.numbers(value_, byte.class, 1);
                case "int16s" -> int16s = (short[]) Kit.World.numbers(value_, short.class, 2);
                case "uint16s" -> uint16s = (short[]) Kit.World.numbers(value_, short.class, 2);
                case "int32s" -> int32s = (int[]) Kit.World.numbers(value_, int.class, 4);
                case "uint32s" -> uint32s = (int[]) Kit.World.numbers(value_, int.class, 4);
                case "int64s" -> int64s = (long[]) Kit.World.numbers(value_, long.class, 8);
                case "uint64s" -> uint64s = (long[]) Kit.World.numbers(value_, long.class, 8);
                case "float32s" -> float32s = (float[]) Kit.World.numbers(value_, float.class, 4);
                case "float64s" -> float64s = (double[]) Kit.World.numbers(value_, double.class, 8);
                default -> throw new Kit.WireError("bad_value", "Game has no field " + field_);
            }
        }
    }

    /** A bot for Shelf. Write a subclass with a method run_turn. */
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
