// Answers each line of standard input with one line, for tests with the protocol's vectors.
//
//   decode HEX   the message, packed again; or "error CODE"
//   fold HEX     all objects after the delta in this message; or "error CODE"
//   array HEX    all arrays after the delta in this message; or "error CODE"
//   random SEED  some random numbers
package arena;

import arena.Kit.GameObject;
import arena.Kit.Packer;
import arena.Kit.Random;
import arena.Kit.Unpacker;
import arena.Kit.World;
import arena.Stroll.Game;
import arena.Stroll.Walker;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

final class Vectors {
    private static Map<String, Object> objects(World world) {
        Map<String, Object> all = Kit.document("type", "objects");
        for (GameObject thing : world.objects.values()) {
            if (!thing.present()) continue;
            Map<String, Object> fields = null;
            if (thing instanceof Game game)
                fields = Kit.document("width", game.width(), "height", game.height(), "walkers", World.wire(game.walkers()));
            if (thing instanceof Walker one)
                fields = Kit.document("x", one.x(), "y", one.y(), "owner", one.owner(), "mood", one.mood());
            all.put(thing.id(), Kit.document("class", thing.getClass().getSimpleName(), "fields", fields));
        }
        return all;
    }

    private static List<Object> numbers(Object array) {
        List<Object> made = new ArrayList<>();
        for (int i = 0; array != null && i < Array.getLength(array); i++) {
            Object one = Array.get(array, i);
            made.add(one instanceof Number number && !(one instanceof Float || one instanceof Double) ? number.longValue() : one);
        }
        return made;
    }

    private static Map<String, Object> arrays(World world) {
        Shelf.Game game = (Shelf.Game) world.objects.get("game");
        return Kit.document("type", "arrays", "cells", numbers(game.cells()), "int8s", numbers(game.int8s()),
            "uint8s", numbers(game.uint8s()), "int16s", numbers(game.int16s()), "uint16s", numbers(game.uint16s()),
            "int32s", numbers(game.int32s()), "uint32s", numbers(game.uint32s()), "int64s", numbers(game.int64s()),
            "uint64s", numbers(game.uint64s()), "float32s", numbers(game.float32s()), "float64s", numbers(game.float64s()));
    }

    /** Makes the objects of the game with arrays. */
    private static final class ShelfBot extends Shelf.AI {
        @Override
        public void run_turn() {}
    }

    private static final World SHELVES = new World(Kit.document("schema", Map.of()), new ShelfBot(), null);

    private static String answer(World world, String command, String argument) {
        if (command.equals("random")) {
            Random random = new Random(argument);
            List<Object> order = new ArrayList<>(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
            random.shuffle(order);
            StringBuilder line = new StringBuilder();
            for (Object one : order) line.append(one).append(' ');
            line.append(HexFormat.of().toHexDigits(Double.doubleToRawLongBits(random.random()))).append(' ');
            return line.append(random.below(1)).append(' ').append(random.below(4294967295L)).toString();
        }
        Map<String, Object> message = Unpacker.message(HexFormat.of().parseHex(argument));
        if (command.equals("fold")) {
            world.apply(message.get("delta"));
            message = objects(world);
        }
        if (command.equals("array")) {
            SHELVES.apply(message.get("delta"));
            message = arrays(SHELVES);
        }
        return HexFormat.of().formatHex(Packer.pack(message));
    }

    public static void main(String[] arguments) {
        World world = new World(Kit.document("schema",
            Kit.document("grid", Kit.document("width", "width", "height", "height"))), new Probe(), null);
        for (Scanner lines = new Scanner(System.in); lines.hasNextLine(); ) {
            String[] words = (lines.nextLine() + " ").split(" ");
            try {
                System.out.println(answer(world, words[0], words.length > 1 ? words[1] : ""));
            } catch (Kit.WireError error) {
                System.out.println("error " + error.code);
            }
        }
    }
}
