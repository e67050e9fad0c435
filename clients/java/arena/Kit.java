// Write a bot for an Arena game in Java 17. This file is the whole kit: it needs no libraries.
//
// A bot uses the classes of its game, which `arena sdk GAME --language java` writes beside this file:
//
//     import arena.Kit;
//     import arena.Saloon.*;
//     class Main extends AI {
//         @Override public void run_turn() { player.young_gun().call_in("Brawler"); }
//         public static void main(String[] arguments) { Kit.run(new Main()); }
//     }
//
// The kit follows docs/protocol.md of the framework. Fields and actions have the names of the game's rules in every
// language, not names in the style of Java.
package arena;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Array;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kit for bots in Java. All classes of the kit are inside this class. */
public final class Kit {
    /** Exit codes of a bot's process, the same in every language. */
    public static final int FINISHED = 0, BOT_RAISED = 1, BOT_UNUSABLE = 2, CONNECTION_LOST = 3, REFUSED = 4;

    private Kit() {}

    /** A mistake of the bot or of its environment. */
    @SuppressWarnings("serial")
    public static class PlayerError extends RuntimeException {
        final int exitCode;

        PlayerError(String message, int exitCode) {
            super(message);
            this.exitCode = exitCode;
        }
    }

    /** Data that breaks the protocol. {@code code} is one of the codes in the protocol document. */
    @SuppressWarnings("serial")
    public static final class WireError extends PlayerError {
        final String code;

        WireError(String code, String message) {
            super("The referee sent an invalid message: " + message + ".", CONNECTION_LOST);
            this.code = code;
        }
    }

    /** Leaves run_turn when the match ends during the turn. Do not catch it. */
    @SuppressWarnings("serial")
    private static final class MatchOver extends Error {}

    /** Make a map for a message from keys and values: {@code document("type", "move", "x", 3)}. */
    public static Map<String, Object> document(Object... entries) {
        Map<String, Object> made = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) made.put((String) entries[i], entries[i + 1]);
        return made;
    }

    // --- MessagePack -------------------------------------------------------------------------------------------------

    /** Writes values in MessagePack. */
    static final class Packer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        static byte[] pack(Object value) {
            Packer packer = new Packer();
            packer.add(value);
            return packer.out.toByteArray();
        }

        private void put(int head, long number, int size) {
            out.write(head);
            for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) out.write((int) (number >>> shift));
        }

        private void length(int count, int fix, int most, int head) {
            if (count <= most) put(fix | count, 0, 0);
            else if (count <= 0xFFFF) put(head, count, 2);
            else put(head + 1, count, 4);
        }

        private void add(Object value) {
            if (value == null) put(0xC0, 0, 0);
            else if (value instanceof Boolean yes) put(yes ? 0xC3 : 0xC2, 0, 0);
            else if (value instanceof Long || value instanceof Integer) {
                long number = ((Number) value).longValue();
                if (number >= -32 && number <= 127) put((int) number & 0xFF, 0, 0);
                else put(0xD3, number, 8);
            } else if (value instanceof Number number) {
                if (!Double.isFinite(number.doubleValue())) throw new IllegalArgumentException("Numbers must be finite.");
                put(0xCB, Double.doubleToRawLongBits(number.doubleValue()), 8);
            } else if (value instanceof String text) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                length(bytes.length, 0xA0, 31, 0xDA);
                out.writeBytes(bytes);
            } else if (value instanceof byte[] bytes) {
                put(0xC6, bytes.length, 4);
                out.writeBytes(bytes);
            } else if (value instanceof List<?> items) {
                length(items.size(), 0x90, 15, 0xDC);
                for (Object item : items) add(item);
            } else if (value instanceof Map<?, ?> map) {
                length(map.size(), 0x80, 15, 0xDE);
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    add(entry.getKey());
                    add(entry.getValue());
                }
            } else throw new IllegalArgumentException("A " + value.getClass().getSimpleName() + " cannot be sent.");
        }
    }

    /** Reads values in MessagePack: null, Boolean, Long, Double, String, byte[], List or Map. */
    static final class Unpacker {
        private byte[] data;
        private int at;
        private final InputStream stream;

        private Unpacker(byte[] data, InputStream stream) {
            this.data = data;
            this.stream = stream;
        }

        /** Return the message in some bytes: a map with a type, and nothing after the map. */
        static Map<String, Object> message(byte[] data) {
            Unpacker reader = new Unpacker(data, null);
            Object value = reader.read(0);
            if (reader.at < data.length) throw new WireError("garbled", "bytes follow the message");
            if (!(value instanceof Map<?, ?> map) || !(map.get("type") instanceof String))
                throw new WireError("not_a_message", "it is not a map with a type");
            return map(value);
        }

        private int take(long count) {
            while (count > data.length - at || count < 0) more();
            at += (int) count;
            return at - (int) count;
        }

        private void more() {
            if (stream == null) throw new WireError("garbled", "the message is cut short");
            byte[] larger = Arrays.copyOf(Arrays.copyOfRange(data, at, data.length), data.length - at + 65536);
            try {
                int got = stream.read(larger, data.length - at, 65536);
                if (got <= 0) throw Rules.stopped();
                data = Arrays.copyOf(larger, data.length - at + got);
                at = 0;
            } catch (IOException error) {
                throw Rules.stopped();
            }
        }

        private long number(int size) {
            long value = 0;
            for (int start = take(size), i = start; i < at; i++) value = value << 8 | data[i] & 0xFF;
            return value;
        }

        private long whole(int size) { // with sign
            int shift = 64 - 8 * size;
            return number(size) << shift >> shift;
        }

        private Object finite(double number) {
            if (Double.isFinite(number)) return number;
            throw new WireError("bad_value", "a number is not finite");
        }

        private String text(long size) {
            int start = take(size);
            int plain = start;
            while (plain < at && data[plain] >= 0) plain++;
            if (plain == at) return new String(data, start, at - start, StandardCharsets.ISO_8859_1);
            try {
                return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data, start, at - start)).toString();
            } catch (CharacterCodingException error) {
                throw new WireError("garbled", "a text is not UTF-8");
            }
        }

        private Object read(int depth) {
            int head = (int) number(1);
            if (head < 0x80) return (long) head;
            if (head >= 0xE0) return (long) head - 256;
            if (head < 0x90) return entries(head & 15, depth);
            if (head < 0xA0) return items(head & 15, depth);
            if (head < 0xC0) return text(head & 31);
            switch (head) {
                case 0xC0: return null;
                case 0xC2: return false;
                case 0xC3: return true;
                case 0xC4: case 0xC5: case 0xC6:
                    int from = take(number(1 << head - 0xC4));
                    return Arrays.copyOfRange(data, from, at);
                case 0xCA: return finite(Float.intBitsToFloat((int) number(4)));
                case 0xCB: return finite(Double.longBitsToDouble(number(8)));
                case 0xCC: case 0xCD: case 0xCE: return number(1 << head - 0xCC);
                case 0xCF:
                    long large = number(8);
                    if (large < 0) throw new WireError("bad_value", "an integer is too large");
                    return large;
                case 0xD0: case 0xD1: case 0xD2: case 0xD3: return whole(1 << head - 0xD0);
                case 0xD9: case 0xDA: case 0xDB: return text(number(1 << head - 0xD9));
                case 0xDC: case 0xDD: return items(number(head == 0xDC ? 2 : 4), depth);
                case 0xDE: case 0xDF: return entries(number(head == 0xDE ? 2 : 4), depth);
                default: throw new WireError("garbled", "it has extension values");
            }
        }

        private void enter(long count, int depth) {
            if (depth >= 16) throw new WireError("too_deep", "it is nested too deeply");
            if (stream == null && count > data.length - at) throw new WireError("garbled", "the message is cut short");
        }

        private List<Object> items(long count, int depth) {
            enter(count, depth);
            List<Object> found = new ArrayList<>((int) count);
            while (count-- > 0) found.add(read(depth + 1));
            return Collections.unmodifiableList(found);
        }

        private Map<String, Object> entries(long count, int depth) {
            enter(count, depth);
            Map<String, Object> found = new LinkedHashMap<>();
            while (count-- > 0) {
                if (!(read(depth + 1) instanceof String key)) throw new WireError("garbled", "a key is not a text");
                if (found.containsKey(key)) throw new WireError("duplicate_key", "a map has the same key twice");
                found.put(key, read(depth + 1));
            }
            return Collections.unmodifiableMap(found);
        }
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static List<Map<String, Object>> maps(Object value) {
        return (List) value;
    }

    // --- the connection ----------------------------------------------------------------------------------------------

    /** The client's end of a ZeroMQ PAIR connection (ZMTP 3.0). */
    private static final class Link {
        static final int MOST_BYTES = 262144;  // in a message of the bot
        private static final int MOST = 16 << 20;
        private final SocketChannel channel;
        private ByteBuffer in = ByteBuffer.allocate(1 << 16).flip();
        private boolean ready;

        /** Connect to ipc://PATH or tcp://HOST:PORT. */
        Link(String endpoint) {
            channel = connect(endpoint);
            byte[] hello = "\u00FF\0\0\0\0\0\0\0\0\u007F\3\0NULL".getBytes(StandardCharsets.ISO_8859_1);
            send(Arrays.copyOf(hello, 64));
            String command = "\4\u0027\5READY\u000BSocket-Type\0\0\0\4PAIR\u0008Identity\0\0\0\0";
            send(command.getBytes(StandardCharsets.ISO_8859_1));
            need(64);
            byte[] greeting = new byte[64];
            in.get(greeting);
            if (greeting[0] != -1 || greeting[9] != 0x7F || greeting[10] < 3) throw new WireError("garbled", "it is not ZeroMQ");
            while (!ready) frame();
        }

        private static SocketChannel connect(String endpoint) {
            int colon = endpoint.lastIndexOf(':');
            boolean tcp = endpoint.startsWith("tcp://") && colon > 5;
            if (!tcp && !endpoint.startsWith("ipc://"))
                throw new PlayerError("ARENA_ENDPOINT is not ipc://PATH or tcp://HOST:PORT: " + endpoint, CONNECTION_LOST);
            SocketAddress address = tcp
                ? new InetSocketAddress(endpoint.substring(6, colon), Integer.parseInt(endpoint.substring(colon + 1)))
                : UnixDomainSocketAddress.of(endpoint.substring(6));
            for (long end = System.nanoTime() + 10_000_000_000L; System.nanoTime() < end; pause()) {
                try {
                    SocketChannel channel = SocketChannel.open(address);
                    if (tcp) channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                    return channel;
                } catch (IOException error) {
                    continue;
                }
            }
            throw new PlayerError("No referee answered within 10 s.", CONNECTION_LOST);
        }

        private static void pause() {
            try {
                Thread.sleep(2);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        }

        private static PlayerError lost() {
            return new PlayerError("The connection to the referee is lost.", CONNECTION_LOST);
        }

        void send(byte[]... parts) {
            int size = 0;
            for (byte[] part : parts) size += part.length;
            ByteBuffer out = ByteBuffer.allocate(size);
            for (byte[] part : parts) out.put(part);
            out.flip();
            try {
                while (out.hasRemaining()) channel.write(out);
            } catch (IOException error) {
                throw lost();
            }
        }

        /** Send several messages with one write. */
        void send(List<Map<String, Object>> messages) {
            byte[][] parts = new byte[2 * messages.size()][];
            for (int i = 0; i < messages.size(); i++) {
                byte[] body = Packer.pack(messages.get(i));
                if (body.length > MOST_BYTES) throw new IllegalArgumentException("A message of the bot is longer than 262,144 bytes.");
                parts[2 * i] = body.length < 256
                    ? new byte[] {0, (byte) body.length}
                    : ByteBuffer.allocate(9).put((byte) 2).putLong(body.length).array();
                parts[2 * i + 1] = body;
            }
            send(parts);
        }

        /** Wait for the next message. */
        Map<String, Object> receive() {
            byte[] data;
            do data = frame();
            while (data == null);
            return Unpacker.message(data);
        }

        private void need(int count) {
            if (in.remaining() >= count) return;
            if (in.capacity() < count) in = ByteBuffer.allocate(2 * count).put(in);
            else in.compact();
            try {
                while (in.position() < count) if (channel.read(in) < 0) throw lost();
            } catch (IOException error) {
                throw lost();
            }
            in.flip();
        }

        /** Read one frame; return a message's bytes, or null if it was a command of ZeroMQ. */
        private byte[] frame() {
            need(2);
            int flags = in.get(in.position());
            boolean isLong = (flags & 2) != 0;
            need(isLong ? 9 : 2);
            in.get();
            long size = isLong ? in.getLong() : in.get() & 0xFF;
            if ((flags & ~6) != 0 || size < 0 || size > MOST) throw new WireError("garbled", "it sent an unexpected frame");
            need((int) size);
            byte[] body = new byte[(int) size];
            in.get(body);
            if ((flags & 4) == 0) return body;
            String command = new String(body, StandardCharsets.ISO_8859_1);
            if (command.startsWith("\5READY")) ready = true;
            if (command.startsWith("\4PING")) {
                byte[] pong = ("\4PONG" + command.substring(Math.min(7, command.length()))).getBytes(StandardCharsets.ISO_8859_1);
                send(new byte[] {4, (byte) pong.length}, pong);
            }
            return null;
        }
    }

    // --- results -----------------------------------------------------------------------------------------------------

    /**
     * The result of an action. If the action was not carried out, it has not changed the game. Before the end of a
     * batch, reading a result of this batch throws IllegalStateException.
     */
    public static final class Result<T> {
        private boolean settled;
        private String code = "", message = "";
        private T value;

        /** True if the action was carried out. */
        public boolean accepted() {
            return code().isEmpty();
        }

        /**
         * Empty if accepted, else the game's code for the reason. Two codes come from the kit: "not_tried" (an earlier
         * action of the batch was refused or ended the turn) and "not_your_turn" (your turn was over, so the action was
         * not sent).
         */
        public String code() {
            if (!settled) throw new IllegalStateException("A batch is sent at its end. Use its results after it.");
            return code;
        }

        /** Empty if accepted, else the reason. */
        public String message() {
            code();
            return message;
        }

        /** The object that the action returned, such as a new object; or null. */
        public T value() {
            code();
            return value;
        }

        @SuppressWarnings("unchecked")
        private void settle(String code, String message, GameObject value) {
            settled = true;
            this.code = code;
            this.message = message;
            this.value = (T) value;
        }
    }

    // --- looking ahead -----------------------------------------------------------------------------------------------

    /** The rules refused an action or a request. */
    @SuppressWarnings("serial")
    public static final class RulesError extends RuntimeException {
        /** The game's code, or "bad_request". */
        public final String code;

        RulesError(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** The process that runs the game's rules: see "The rules as a service" in the documentation of the framework. */
    private static final class Rules {
        private final OutputStream input;
        private final Unpacker answers;
        private long states;

        Rules() {
            String python = System.getenv("ARENA_PYTHON");
            if (python == null || python.isEmpty())
                throw new PlayerError(
                    "fork(), helpers and random_action() need the rules of the game. Write `rules = true` into bot.toml.",
                    BOT_UNUSABLE);
            try {
                Process process = new ProcessBuilder(python, "-B", "-P", "-s", "-S", "-m", "arena_player.rules")
                    .redirectError(ProcessBuilder.Redirect.INHERIT).start();
                input = process.getOutputStream();
                answers = new Unpacker(new byte[0], process.getInputStream());
            } catch (IOException error) {
                throw new PlayerError("The rules of the game cannot be started: " + error.getMessage(), BOT_UNUSABLE);
            }
        }

        static PlayerError stopped() {
            return new PlayerError("The rules of the game have stopped. Their message is above.", BOT_UNUSABLE);
        }

        /** Send requests in one message, and return a result for each. */
        List<List<Object>> ask(List<?> requests) {
            try {
                input.write(Packer.pack(requests));
                input.flush();
            } catch (IOException error) {
                throw stopped();
            }
            return lists(answers.read(0));
        }
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static List<List<Object>> lists(Object value) {
        return (List) value;
    }

    /** A state of the rules to search in. It is not connected to the match. */
    public static final class State<G extends GameObject> {
        private final World world;
        private final Rules rules;
        private final long number;

        private State(World world, Rules rules, Object... request) { // the first null is the place of the number
            this.world = world;
            this.rules = rules;
            number = rules.states++;
            request[Arrays.asList(request).indexOf(null)] = number;
            value(Arrays.asList(request));
        }

        /** Carry out an action, and return the mark for pop. Throw RulesError if the rules refuse the action. */
        public long push(long player, Map<String, Object> action) {
            return (Long) ask("push", player, action) - 1;
        }

        /** Undo the push that returned {@code mark}, and all pushes after it. The mark 0 undoes all pushes. */
        public void pop(long mark) {
            ask("pop", mark);
        }

        /**
         * Return the game in this state: {@code state.game().turn()}. What you cannot see is a guess. It stays as it is
         * after later pushes. The whole state is sent for it: call this where you judge a position, not for each action.
         */
        @SuppressWarnings("unchecked") // the game of a match has one class
        public G game() {
            return (G) world.gameOf(ask("view"));
        }

        /** Return all legal actions of the first player to move. */
        public List<Map<String, Object>> legal_actions() {
            return maps(ask("legal_actions"));
        }

        /** Return all legal actions of a player. */
        public List<Map<String, Object>> legal_actions(long player) {
            return maps(ask("legal_actions", player));
        }

        /** Return the players who are allowed to act; none if the game is over. */
        public List<Object> to_move() {
            return list(ask("to_move"));
        }

        /** Return the outcome as in Outcome.document, or null while the game goes on. */
        public Map<String, Object> outcome() {
            return map(ask("outcome"));
        }

        /** Return each player's score. */
        public double[] scores() {
            return list(ask("scores")).stream().mapToDouble(one -> ((Number) one).doubleValue()).toArray();
        }

        /** Return a copy. The copy cannot undo the pushes made before. The seed is for the copy's dice. */
        public State<G> clone(long seed) {
            return new State<>(world, rules, "clone", number, null, seed);
        }

        /** Return a state with a new guess at what a player does not see. The seed decides the guess, and the dice. */
        public State<G> determinize(long player, long seed) {
            return new State<>(world, rules, "determinize", number, null, player, seed);
        }

        /** Remove this state from the rules service, to save memory. It cannot be used afterwards. */
        public void free() {
            ask("free");
        }

        /**
         * Carry out many requests in one message, which is faster. A request is an operation and its arguments, without
         * the number of the state: {@code List.of("push", 0, action)}. The documentation of the rules service lists the
         * operations. Return for each request a list: true and the value, or false, a code and a message.
         */
        public List<List<Object>> batch(List<List<Object>> requests) {
            List<Object> numbered = new ArrayList<>();
            for (List<Object> one : requests) numbered.add(request(one.get(0), one.subList(1, one.size())));
            return rules.ask(numbered);
        }

        private List<Object> request(Object name, List<Object> arguments) {
            List<Object> made = new ArrayList<>(List.of(name, number));
            made.addAll(arguments);
            return made;
        }

        private Object ask(String name, Object... arguments) {
            return value(request(name, Arrays.asList(arguments)));
        }

        private Object value(List<Object> request) {
            List<Object> result = rules.ask(List.of(request)).get(0);
            if (result.get(0).equals(true)) return result.get(1);
            throw new RulesError((String) result.get(1), (String) result.get(2));
        }
    }

    // --- the game ----------------------------------------------------------------------------------------------------

    /** One object of the game. The kit keeps it current; it is the same object for the whole match. */
    public abstract static class GameObject {
        final Map<String, Object> known = new LinkedHashMap<>(); // the object's fields as on the wire
        String id, className;
        World world;
        boolean present;

        /** The object's name on the wire and in replays. */
        public final String id() {
            return id;
        }

        /** False if the object has been removed from the game or is out of your sight. */
        public final boolean present() {
            return present;
        }

        /** Set a field to a value from the referee. */
        abstract void set(String field, Object value);

        final <T> Result<T> send_action(Object... entries) {
            if (world.session == null)
                throw new IllegalStateException("This is the game of a state. Carry out its actions with state.push.");
            return world.session.act(document(entries));
        }

        /** See World.help. */
        final <T> T call_helper(String name, boolean floats, Object... entries) {
            return world.help(this, name, floats, entries);
        }

        @Override
        public final String toString() {
            return id;
        }
    }

    /** An object that stands on a tile. */
    public abstract static class PlacedObject extends GameObject {
        Long x, y;
        Tile tile;

        /** Column, or null if the object is not on the board. */
        public final Long x() {
            return x;
        }

        /** Row, or null if the object is not on the board. */
        public final Long y() {
            return y;
        }

        /** The tile that the object stands on, or null if the object is not on the board. */
        public final Tile tile() {
            return tile;
        }
    }

    /** One square of the board. x grows to the right, y grows downwards, (0, 0) is top left. */
    public static final class Tile {
        public final long x, y;
        private final List<Tile> around = new ArrayList<>();
        private Tile north, south, east, west;
        private List<PlacedObject> things = List.of();

        final World world;

        private Tile(long x, long y, World world) {
            this.x = x;
            this.y = y;
            this.world = world;
        }

        /** The tile above, or null at the edge. */
        public Tile north() {
            return north;
        }

        /** The tile below, or null at the edge. */
        public Tile south() {
            return south;
        }

        /** The tile to the right, or null at the edge. */
        public Tile east() {
            return east;
        }

        /** The tile to the left, or null at the edge. */
        public Tile west() {
            return west;
        }

        /** The tiles to the north, south, east and west that exist, in this order. */
        public List<Tile> neighbors() {
            return Collections.unmodifiableList(around);
        }

        /** All objects on this tile. */
        public List<PlacedObject> things() {
            return things;
        }

        /**
         * Return the object of a class on this tile, the last one if there are several, or null:
         * {@code tile.find(Cowboy.class)}.
         */
        public <T extends PlacedObject> T find(Class<T> kind) {
            T found = null;
            for (PlacedObject thing : things) if (kind.isInstance(thing)) found = kind.cast(thing);
            return found;
        }

        private void replace(PlacedObject gone, PlacedObject come) {
            List<PlacedObject> changed = new ArrayList<>(things);
            if (gone != null) changed.remove(gone);
            if (come != null) changed.add(come);
            things = Collections.unmodifiableList(changed);
        }
    }

    /** The distance to something that is not on the board. */
    public static final long FAR_AWAY = Long.MAX_VALUE;

    /** Count the steps between two tiles, ignoring obstacles; FAR_AWAY if one is null. */
    public static long distance(Tile first, Tile second) {
        return first == null || second == null ? FAR_AWAY : Math.abs(first.x - second.x) + Math.abs(first.y - second.y);
    }

    /** Returns whether a path can cross a tile. */
    public interface Passable {
        boolean test(Tile tile);
    }

    /**
     * Return a shortest path that goes from tile to neighbouring tile, without start and with goal. The path is empty
     * if there is no way, or if start is goal. The goal can be occupied. Neither tile can be null.
     */
    public static List<Tile> find_path(Tile start, Tile goal, Passable passable) {
        Map<Tile, Tile> from = new HashMap<>();
        Map<Tile, Integer> reached = new HashMap<>(Map.of(start, 0));
        // The tiles by the estimated length of a path through them. Of equally good tiles, the one added last is tried
        // first, as in the other kits.
        List<List<Tile>> queue = new ArrayList<>();
        push(queue, (int) distance(start, goal), start);
        for (int length = 0; length < queue.size(); length++) {
            List<Tile> tiles = queue.get(length);
            while (!tiles.isEmpty()) {
                Tile tile = tiles.remove(tiles.size() - 1);
                if (tile == goal) {
                    List<Tile> path = new ArrayList<>();
                    for (; tile != start; tile = from.get(tile)) path.add(0, tile);
                    return path;
                }
                int steps = reached.get(tile) + 1;
                for (Tile near : tile.around) {
                    if (steps >= reached.getOrDefault(near, Integer.MAX_VALUE) || near != goal && !passable.test(near)) continue;
                    reached.put(near, steps);
                    from.put(near, tile);
                    push(queue, steps + (int) distance(near, goal), near);
                }
            }
        }
        return List.of();
    }

    /**
     * Return the same path, if a path can cross the tiles that the helper is_passable of the game allows. It asks the
     * rules service.
     */
    public static List<Tile> find_path(Tile start, Tile goal) {
        return start.world.help(start, "path_to", false, "goal", goal);
    }

    private static void push(List<List<Tile>> queue, int length, Tile tile) {
        while (queue.size() <= length) queue.add(new ArrayList<>());
        queue.get(length).add(tile);
    }

    /** All objects of a match as one player sees them, kept current by the referee's deltas. */
    static final class World {
        final Map<String, GameObject> objects = new LinkedHashMap<>();
        private final AI ai;
        private final Session session;
        private final Map<String, Object> welcome, schema, grid;
        private List<Tile> tiles = List.of();
        private long width, height, forks;
        private Rules rules;
        /** The longest list of changes that is kept: 3,000. The whole view of most games is shorter. */
        private static final int MOST_NEWS = 9000;
        /** Whether the rules service has a view, whether something has changed since, and what. */
        private boolean watched, changed;
        private final List<Object> news = new ArrayList<>();

        World(Map<String, Object> welcome, AI ai, Session session) {
            this.welcome = welcome;
            this.schema = map(welcome.get("schema"));
            this.grid = map(schema.get("grid"));
            this.ai = ai;
            this.session = session;
        }

        Tile tile(long x, long y) {
            return x >= 0 && y >= 0 && x < width && y < height ? tiles.get((int) (y * width + x)) : null;
        }

        /** Return a state of the rules that agrees with what the player sees. If the seed is null, choose one. */
        <G extends GameObject> State<G> fork(Long seed) {
            if (rules == null) rules = new Rules();
            return new State<>(this, rules, "fork", null, schema.get("game"), schema.get("version"), welcome.get("options"),
                view(false), welcome.get("player"), seed == null ? forks++ : seed);
        }

        /** Return the legal actions of a player, as the rules list them. */
        List<Map<String, Object>> legalActions(long player) {
            State<?> state = fork(null);
            List<Map<String, Object>> actions = state.legal_actions(player);
            state.free();
            return actions;
        }

        /** Return what the player sees as flat triples; if `all`, also the objects that are not present any more. */
        private List<Object> view(boolean all) {
            List<Object> view = new ArrayList<>();
            for (GameObject thing : objects.values()) {
                if (!all && !thing.present) continue;
                view.addAll(List.of(thing.id, "+", thing.className));
                thing.known.forEach((field, value) -> view.addAll(Arrays.asList(thing.id, field, value)));
                if (!thing.present) view.addAll(Arrays.asList(thing.id, "-", null));
            }
            return view;
        }

        /**
         * Return the result of a helper of the game. The rules service computes it from what the player sees, which is
         * sent before if it has changed. The target is an object, a tile, or null for the bot. Arguments come as names
         * and values. The name of one that can be left out begins with a question mark; if it is null, it is left out.
         * If `floats`, all numbers of the result are floats.
         */
        @SuppressWarnings("unchecked")
        <T> T help(Object target, String name, boolean floats, Object... entries) {
            if (session == null) throw new IllegalStateException("This is the game of a state. Helpers are for the game as it is now.");
            if (rules == null) rules = new Rules();
            Map<String, Object> arguments = new LinkedHashMap<>();
            for (int i = 0; i < entries.length; i += 2) {
                String key = (String) entries[i];
                if (!key.startsWith("?")) arguments.put(key, mark(entries[i + 1]));
                else if (entries[i + 1] != null) arguments.put(key.substring(1), mark(entries[i + 1]));
            }
            List<Object> requests = new ArrayList<>();
            if (!watched)
                requests.add(List.of("watch", schema.get("game"), schema.get("version"), welcome.get("options"),
                    welcome.get("player"), view(true), ai.legal_actions));
            else if (changed) requests.add(List.of("update", new ArrayList<>(news), ai.legal_actions));
            requests.add(Arrays.asList("help", mark(target), name, arguments));
            List<List<Object>> results = rules.ask(requests);
            watched = results.size() == 1 || results.get(0).get(0).equals(true);
            changed = false;
            news.clear();
            for (List<Object> result : results)
                if (!result.get(0).equals(true)) throw new RulesError((String) result.get(1), (String) result.get(2));
            return (T) answer(results.get(results.size() - 1).get(1), floats);
        }

        /** Return an argument of a helper as on the wire: objects and tiles are marked. */
        private static Object mark(Object value) {
            if (value instanceof GameObject thing) return Map.of("id", thing.id);
            if (value instanceof Tile tile) return Map.of("tile", List.of(tile.x, tile.y));
            if (!(value instanceof List<?> items)) return value;
            List<Object> made = new ArrayList<>();
            for (Object item : items) made.add(mark(item));
            return made;
        }

        /** Convert a result of a helper, in which maps stand for objects, tiles and maps. */
        private Object answer(Object value, boolean floats) {
            if (value instanceof Long number && floats) return number.doubleValue();
            if (value instanceof List<?> items) {
                List<Object> made = new ArrayList<>();
                for (Object item : items) made.add(answer(item, floats));
                return Collections.unmodifiableList(made);
            }
            if (!(value instanceof Map<?, ?>)) return value;
            Map<String, Object> marked = map(value);
            if (marked.containsKey("id")) return objects.get(marked.get("id"));
            if (marked.containsKey("tile")) return tileOf(marked.get("tile"));
            if (marked.containsKey("acts")) return carryOut(maps(marked.get("acts")));
            Map<Object, Object> made = new LinkedHashMap<>();
            if (marked.containsKey("map"))
                for (List<Object> pair : lists(marked.get("map"))) made.put(answer(pair.get(0), floats), answer(pair.get(1), floats));
            else map(marked.get("fields")).forEach((key, item) -> made.put(key, answer(item, floats)));
            Object known = marked.containsKey("class") ? ai.value((String) marked.get("class"), made) : null;
            return known != null ? known : Collections.unmodifiableMap(made);
        }

        /** Carry out the actions of a helper up to the first refused one, and return the last result. */
        private Result<?> carryOut(List<Map<String, Object>> acts) {
            Result<?> result = new Result<>();
            result.settle("", "", null);
            for (Map<String, Object> action : acts) {
                result = session.act(action);
                if (!result.code.isEmpty()) break;
            }
            return result;
        }

        /** Return the game of a state, with objects of its own that nothing keeps current. */
        GameObject gameOf(Object view) {
            World world = new World(welcome, ai, null);
            world.rules = rules;
            world.apply(view);
            return world.objects.get("game");
        }

        private static Object patched(Object old, Object value) {
            if (!(old instanceof byte[] before && value instanceof List<?> spans)) return value;
            byte[] bytes = before.clone();
            for (int i = 0; i < spans.size(); i += 2) {
                byte[] part = (byte[]) spans.get(i + 1);
                System.arraycopy(part, 0, bytes, Math.toIntExact((Long) spans.get(i)), part.length);
            }
            return bytes;
        }

        /** Apply a delta: first new and removed objects, then all fields. */
        void apply(Object changes) {
            try {
                fold(list(changes));
                changed = true;
                if (watched) news.addAll(list(changes));
                if (news.size() > MOST_NEWS) {
                    watched = false;
                    news.clear();
                }
            } catch (ClassCastException | IndexOutOfBoundsException | NullPointerException | ArithmeticException error) {
                throw new WireError("bad_value", "a delta does not fit the schema (" + error.getMessage() + ")");
            }
        }

        private void fold(List<Object> delta) {
            for (int i = 0; i < delta.size(); i += 3) comeOrGo((String) delta.get(i), delta.get(i + 1), delta.get(i + 2));
            if (tiles.isEmpty() && grid != null) layOut(delta);
            List<PlacedObject> moved = new ArrayList<>();
            for (int i = 0; i < delta.size(); i += 3) {
                String field = (String) delta.get(i + 1);
                if (field.equals("+") || field.equals("-")) continue;
                GameObject thing = known((String) delta.get(i));
                Object value = patched(thing.known.get(field), delta.get(i + 2));
                thing.known.put(field, value);
                if (thing instanceof PlacedObject placed && (field.equals("x") || field.equals("y"))) {
                    if (field.equals("x")) placed.x = (Long) value;
                    else placed.y = (Long) value;
                    moved.add(placed);
                } else thing.set(field, value);
            }
            for (PlacedObject thing : moved) takeOff(thing);
            for (PlacedObject thing : moved) {
                Tile tile = thing.present && thing.x != null && thing.y != null ? tile(thing.x, thing.y) : null;
                if (tile != null && thing.tile != tile) tile.replace(null, thing);
                thing.tile = tile;
            }
        }

        private GameObject known(String id) {
            GameObject thing = objects.get(id);
            if (thing == null) throw new WireError("bad_value", "a delta names the unknown object " + id);
            return thing;
        }

        private void comeOrGo(String id, Object field, Object value) {
            if (field.equals("-")) {
                known(id).present = false;
                if (known(id) instanceof PlacedObject placed) takeOff(placed);
            }
            if (!field.equals("+")) return;
            GameObject thing = objects.get(id);
            if (thing == null) {
                thing = ai.make((String) value);
                if (thing == null) throw new WireError("bad_value", "the schema has no class " + value);
                thing.id = id;
                thing.className = (String) value;
                thing.world = this;
                objects.put(id, thing);
            }
            thing.present = true;
        }

        private static void takeOff(PlacedObject thing) {
            if (thing.tile != null) thing.tile.replace(thing, null);
            thing.tile = null;
        }

        private void layOut(List<Object> delta) {
            for (int i = 0; i < delta.size(); i += 3) {
                if (!delta.get(i).equals("game")) continue;
                if (delta.get(i + 1).equals(grid.get("width"))) width = (Long) delta.get(i + 2);
                if (delta.get(i + 1).equals(grid.get("height"))) height = (Long) delta.get(i + 2);
            }
            List<Tile> made = new ArrayList<>();
            for (long i = 0; i < width * height; i++) made.add(new Tile(i % width, i / width, this));
            tiles = Collections.unmodifiableList(made);
            for (Tile tile : tiles) {
                tile.north = tile(tile.x, tile.y - 1);
                tile.south = tile(tile.x, tile.y + 1);
                tile.east = tile(tile.x + 1, tile.y);
                tile.west = tile(tile.x - 1, tile.y);
                for (Tile near : new Tile[] {tile.north, tile.south, tile.east, tile.west}) if (near != null) tile.around.add(near);
            }
        }

        // For generated classes: a value of the wire as the value of a field, and back.

        static long whole(Object value) {
            return value == null ? 0 : (Long) value;
        }

        static double number(Object value) {
            return value == null ? 0 : ((Number) value).doubleValue();
        }

        /**
         * Return the numbers of an array, as an array of this type; null for null. Java has no unsigned types: an
         * unsigned number that is too large for the type appears as a negative number.
         */
        static Object numbers(Object value, Class<?> kind, int size) {
            if (value == null) return null;
            ByteBuffer bytes = ByteBuffer.wrap((byte[]) value).order(ByteOrder.LITTLE_ENDIAN);
            if (bytes.capacity() % size > 0) throw new IndexOutOfBoundsException("an array is cut short");
            Object made = Array.newInstance(kind, bytes.capacity() / size);
            if (made instanceof byte[] numbers) bytes.get(numbers);
            if (made instanceof short[] numbers) bytes.asShortBuffer().get(numbers);
            if (made instanceof int[] numbers) bytes.asIntBuffer().get(numbers);
            if (made instanceof long[] numbers) bytes.asLongBuffer().get(numbers);
            if (made instanceof float[] numbers) bytes.asFloatBuffer().get(numbers);
            if (made instanceof double[] numbers) bytes.asDoubleBuffer().get(numbers);
            return made;
        }

        Tile tileOf(Object pair) {
            return pair == null ? null : tile((Long) list(pair).get(0), (Long) list(pair).get(1));
        }

        /** Convert a list of the wire to values of the type T. The kind is "tile", "object" or "plain". */
        @SuppressWarnings("unchecked")
        <T> List<T> all(Object values, String kind) {
            if (values == null) return List.of();
            List<Object> found = new ArrayList<>();
            for (Object value : list(values)) {
                found.add(kind.equals("tile") ? tileOf(value) : kind.equals("object") ? objects.get(value) : value);
            }
            return (List<T>) Collections.unmodifiableList(found);
        }

        static Object wire(Object value) {
            if (value instanceof GameObject thing) return thing.id;
            if (value instanceof Tile tile) return List.of(tile.x, tile.y);
            if (!(value instanceof List<?> items)) return value;
            List<Object> made = new ArrayList<>();
            for (Object item : items) made.add(wire(item));
            return made;
        }
    }

    // --- random numbers ----------------------------------------------------------------------------------------------

    /** Random numbers from a seed. From the same seed, self.random in the Python kit gives the same numbers. */
    public static final class Random {
        private final int[] state = new int[624];
        private int at = 624, mixed = 1;

        /** Start from a seed: a whole number in hexadecimal digits. */
        public Random(String seed) {
            String digits = seed.replaceFirst("^0+(?=.)", "");
            int[] key = new int[(digits.length() + 7) / 8];
            for (int i = 0, end = digits.length(); i < key.length; i++, end -= 8)
                key[i] = Integer.parseUnsignedInt(digits.substring(Math.max(0, end - 8), end), 16);
            state[0] = 19650218;
            for (int i = 1; i < 624; i++) state[i] = 1812433253 * (state[i - 1] ^ state[i - 1] >>> 30) + i;
            for (int i = 0; i < 624; i++) mix(1664525, key[i % key.length] + i % key.length);
            for (int i = 0; i < 623; i++) mix(1566083941, -mixed);
            state[0] = 0x80000000;
        }

        private void mix(int factor, int added) {
            int before = state[mixed - 1];
            state[mixed] = (state[mixed] ^ (before ^ before >>> 30) * factor) + added;
            if (++mixed < 624) return;
            state[0] = state[623];
            mixed = 1;
        }

        /** Return a number from 0 (included) to 1 (excluded). */
        public double random() {
            long high = next() >>> 5;
            return (high * 67108864.0 + (next() >>> 6)) / 9007199254740992.0;
        }

        /** Return an integer from 0 to count - 1. The count is from 1 to 4,294,967,295. */
        public long below(long count) {
            if (count < 1 || count > 0xFFFFFFFFL) throw new IllegalArgumentException("below() takes 1 to 4294967295.");
            int shift = Long.numberOfLeadingZeros(count) - 32;
            while (true) {
                long value = (next() & 0xFFFFFFFFL) >>> shift;
                if (value < count) return value;
            }
        }

        /** Return one of the items. */
        public <T> T choice(List<T> items) {
            return items.get((int) below(items.size()));
        }

        /** Put the items into a random order. */
        public <T> void shuffle(List<T> items) {
            for (int i = items.size() - 1; i > 0; i--) Collections.swap(items, i, (int) below(i + 1));
        }

        private int next() { // the Mersenne Twister
            if (at == 624) {
                for (int i = 0; i < 624; i++) {
                    int both = state[i] & 0x80000000 | state[(i + 1) % 624] & 0x7FFFFFFF;
                    state[i] = state[(i + 397) % 624] ^ both >>> 1 ^ ((both & 1) != 0 ? 0x9908B0DF : 0);
                }
                at = 0;
            }
            int y = state[at++];
            y ^= y >>> 11;
            y ^= y << 7 & 0x9D2C5680;
            y ^= y << 15 & 0xEFC60000;
            return y ^ y >>> 18;
        }
    }

    // --- logs and drawings -------------------------------------------------------------------------------------------

    /** Return the first `limit` characters of a text. Characters that control a terminal become question marks. */
    private static String clean(String text, int limit) {
        StringBuilder made = new StringBuilder();
        int[] letters = text.codePoints().limit(limit).toArray();
        for (int one : letters) {
            boolean control = one < 32 || one >= 127 && one < 160 || one >= 0x200B && one <= 0x200F || one == 0xFEFF
                || one >= 0x2028 && one <= 0x202E || one >= 0x2060 && one <= 0x2069 || one >= 0xD800 && one <= 0xDFFF;
            made.appendCodePoint(control ? '?' : one);
        }
        return made.toString();
    }

    /** A place on the board: a tile, an object on a tile, or a pair measured in tiles. */
    public static final class Place {
        private final double x, y, margin;

        private Place(double x, double y, double margin) {
            if (!Double.isFinite(x) || !Double.isFinite(y)) throw new IllegalArgumentException("Coordinates must be finite.");
            this.x = x;
            this.y = y;
            this.margin = margin;
        }

        /** Return the place (x, y). */
        public static Place at(double x, double y) {
            return new Place(x, y, 0);
        }

        /** Return the place of a tile or an object. Throw IllegalArgumentException if it is not on the board. */
        public static Place of(Object thing) {
            if (thing instanceof Place place) return place;
            Tile tile = thing instanceof PlacedObject placed ? placed.tile : (Tile) thing;
            if (tile == null) throw new IllegalArgumentException("Nothing can be drawn off the board.");
            return new Place(tile.x + 0.5, tile.y + 0.5, 0.5);
        }
    }

    /**
     * Draws on the board of the replay, for debugging. Other bots never get your drawings. A place is a Tile, an object
     * on a tile, or a Place. A colour is a name or #rrggbb.
     */
    public static final class Draw {
        private List<Map<String, Object>> shapes = new ArrayList<>();

        /** Draw a dot. */
        public void point(Object at) {
            point(at, "");
        }

        /** Draw a dot in a colour. */
        public void point(Object at, String color) {
            Place place = Place.of(at);
            add(document("kind", "point", "x", place.x, "y", place.y), color);
        }

        /** Draw a line. */
        public void line(Object start, Object end) {
            line(start, end, "");
        }

        /** Draw a line in a colour. */
        public void line(Object start, Object end, String color) {
            Place a = Place.of(start), b = Place.of(end);
            add(document("kind", "line", "x", a.x, "y", a.y, "x2", b.x, "y2", b.y), color);
        }

        /** Draw a frame around the tiles from first to second. Pairs are corners. */
        public void rectangle(Object first, Object second) {
            rectangle(first, second, "");
        }

        /** Draw a frame in a colour. */
        public void rectangle(Object first, Object second, String color) {
            Place a = Place.of(first), b = Place.of(second);
            add(document("kind", "rectangle", "x", Math.min(a.x - a.margin, b.x - b.margin),
                "y", Math.min(a.y - a.margin, b.y - b.margin), "x2", Math.max(a.x + a.margin, b.x + b.margin),
                "y2", Math.max(a.y + a.margin, b.y + b.margin)), color);
        }

        /** Write a short text, at most 200 characters. */
        public void text(Object at, String text) {
            text(at, text, "");
        }

        /** Write a short text in a colour. */
        public void text(Object at, String text, String color) {
            Place place = Place.of(at);
            add(document("kind", "text", "x", place.x, "y", place.y, "text", clean(text, 200)), color);
        }

        private void add(Map<String, Object> shape, String color) {
            if (!color.isEmpty()) shape.put("color", clean(color, 32));
            if (shapes.size() < 800) shapes.add(shape); // the limit of the kits for one move
        }
    }

    // --- the bot -----------------------------------------------------------------------------------------------------

    /**
     * The result of a match.
     *
     * @param won True if this bot won.
     * @param ending For this bot: "won", "lost", "drawn", "timed_out" and so on.
     * @param endings The same for all players, in order.
     * @param document The outcome in the game's own terms.
     */
    public record Outcome(boolean won, String ending, List<String> endings, Map<String, Object> document) {}

    /** A bot. Bots extend the AI of their game's class, which extends this class. */
    public abstract static class AI {
        /** Set to true in your constructor to get legal_actions. This makes each move slower. */
        public boolean wants_legal_actions;
        /** Your number, from 0. */
        public int index;
        /** The number of the turn being played. */
        public long turn;
        /** The values given with --bot-option NAME=VALUE. */
        public Map<String, String> settings = new HashMap<>();
        /** The options of this match. */
        public Map<String, Object> options = Map.of();
        /** What happened since the last update, as maps with a kind. */
        public List<Map<String, Object>> events = List.of();
        /** All your legal actions while it is your move, if wants_legal_actions is set. Else empty. */
        public List<Map<String, Object>> legal_actions = List.of();
        /** The players who are out of the match: eliminated, or failed. As of the beginning of your turn. */
        public List<Object> out = List.of();
        /** Random numbers: the same numbers if the match is played again with its seed. */
        public Random random = new Random("0");
        /** Draws on the board in the replay. */
        public final Draw draw = new Draw();

        private final StringBuilder log = new StringBuilder();
        private Session session;

        /**
         * Return one of your legal actions at random, while it is your move. If the action is a form, in which a
         * list has choices, this method also chooses at most one item of each group (exactly one if all is true).
         * Without wants_legal_actions, the rules list the actions, as in game.fork(), which is slow.
         */
        public final Map<String, Object> random_action() {
            List<Map<String, Object>> actions = wants_legal_actions ? legal_actions : session.world.legalActions(index);
            if (actions.isEmpty())
                throw new IllegalStateException("random_action() has no action, because it is not your move.");
            Map<String, Object> action = new LinkedHashMap<>(random.choice(actions));
            action.replaceAll((key, value) -> {
                if (!(value instanceof Map<?, ?> form) || !(form.get("choices") instanceof List<?> groups)) return value;
                int skip = Boolean.TRUE.equals(form.get("all")) ? 0 : 1; // one more choice: no item of the group
                List<Object> chosen = new ArrayList<>();
                for (Object one : groups) {
                    List<?> group = (List<?>) one;
                    int number = (int) random.below(group.size() + skip);
                    if (number < group.size()) chosen.add(group.get(number));
                }
                return chosen;
            });
            return action;
        }

        /** Prepare for the match. Called once before the first turn, when the game is complete. */
        public void start() {}

        /**
         * Play your turn: call actions, and return when you are done. If it is still your move when this method
         * returns, and the game has the action end_turn, the kit sends end_turn. If it is still your move after that,
         * the kit calls this method again. But if this method has sent no action, the bot ends with an error.
         */
        public abstract void run_turn();

        /** React to a change of the game, in your turn or in another player's turn. You cannot act here. */
        public void game_updated() {}

        /** React to a refused action. */
        public void refused(Map<String, Object> action, Result<?> result) {}

        /** React to the end of the match. Called once, if the match has begun. */
        public void end(Outcome outcome) {}

        /** Return all tiles, row by row. */
        public final List<Tile> tiles() {
            return session.world.tiles;
        }

        /** Return the tile at (x, y), or null if it is off the board. */
        public final Tile tile(long x, long y) {
            return session.world.tile(x, y);
        }

        /** Return the seconds left for this turn; null if there is no time limit. */
        public final Double time_left() {
            return session.timeLeft();
        }

        /** Write a line into the replay. Other bots never get it. The kit sends the line with your next action. */
        public final void log(Object... values) {
            if (log.length() >= 32000) return;
            for (int i = 0; i < values.length; i++) log.append(i > 0 ? " " : log.length() > 0 ? "\n" : "").append(values[i]);
        }

        /** Send an action in the form of the game's specification: {@code act(document("type", ...))}. */
        public final Result<?> act(Map<String, Object> action) {
            return session.act(action);
        }

        /**
         * Send all actions that {@code actions} calls at once, which is faster than one by one. The referee carries out
         * the actions in order and stops at the first refused one. Return a result for each action.
         */
        public final List<Result<?>> batch(Runnable actions) {
            return batch(actions, false);
        }

        /**
         * Send all actions that {@code actions} calls at once. If {@code keepGoing} is true, the referee carries out
         * the actions after a refused one as well. Return a result for each action.
         */
        public final List<Result<?>> batch(Runnable actions, boolean keepGoing) {
            return session.batch(actions, keepGoing);
        }

        abstract String schemaHash();

        abstract GameObject make(String className);

        /** Return a value that a helper returned, made of its attributes; null for an unknown class. */
        abstract Object value(String className, Map<Object, Object> attributes);

        /** See World.help. */
        final <T> T call_helper(String name, boolean floats, Object... entries) {
            return session.world.help(null, name, floats, entries);
        }

        abstract void bind(Map<String, GameObject> objects);
    }

    private record Pending(Map<String, Object> document, Result<?> result) {}

    /** Plays one match with one bot: which messages are sent and received, and in which order. */
    static final class Session {
        private final AI ai;
        private final Link link;
        private World world;
        private long seq, sent, readAt;
        private boolean yourMove, inTurn, endsTurns;
        private Double left;
        private List<Pending> queue;
        private Map<String, Object> over;

        Session(AI ai, Link link) {
            this.ai = ai;
            this.link = link;
            ai.session = this;
        }

        /** Play from hello to over. */
        void play() {
            if (!enter()) return;
            while (true) {
                Map<String, Object> message = receive();
                try {
                    if (is(message, "turn")) {
                        takeTurn(message);
                        continue;
                    }
                    if (is(message, "start")) {
                        seq = (Long) message.get("seq");
                        world.apply(message.get("view"));
                        ai.bind(world.objects);
                        ai.start();
                        link.send(List.of(document("type", "ready", "seq", seq)));
                        continue;
                    }
                } catch (MatchOver error) {
                    message = over;
                }
                if (!is(message, "over")) throw unexpected(message);
                finish(message);
                return;
            }
        }

        private static boolean is(Map<String, Object> message, String type) {
            return message.get("type").equals(type);
        }

        private static PlayerError unexpected(Map<String, Object> message) {
            return new PlayerError("The referee sent an unexpected message: " + message.get("type") + ".", CONNECTION_LOST);
        }

        private Map<String, Object> receive() {
            Map<String, Object> message = link.receive();
            if (!is(message, "refused")) return message;
            throw new PlayerError("The referee refused the bot: " + message.get("message"), REFUSED);
        }

        private boolean enter() {
            link.send(List.of(document("type", "hello", "protocol", 1, "client", "arena-player java",
                "schema", ai.schemaHash(), "legal_actions", ai.wants_legal_actions)));
            Map<String, Object> welcome = receive();
            if (is(welcome, "over")) return false; // another bot did not start
            if (!is(welcome, "welcome")) throw unexpected(welcome);
            Map<String, Object> schema = map(welcome.get("schema"));
            Map<String, Object> end = map(map(map(map(schema.get("classes")).get(schema.get("root"))).get("actions")).get("end_turn"));
            endsTurns = end != null && list(end.get("parameters")).isEmpty();
            world = new World(welcome, ai, this);
            ai.index = ((Long) welcome.get("player")).intValue();
            ai.options = map(welcome.get("options"));
            for (Map.Entry<String, Object> one : map(welcome.get("settings")).entrySet())
                ai.settings.put(one.getKey(), (String) one.getValue());
            if (welcome.get("seed") != null) ai.random = new Random((String) welcome.get("seed"));
            return true;
        }

        private void takeTurn(Map<String, Object> message) {
            seq = (Long) message.get("seq");
            ai.turn = (Long) message.get("turn");
            yourMove = true;
            takeIn(message);
            while (yourMove) {
                sent = 0;
                inTurn = true;
                try {
                    ai.run_turn();
                } catch (RuntimeException error) {
                    if (yourMove && !(error instanceof PlayerError)) link.send(notes()); // what the bot logged before it failed
                    throw error;
                }
                inTurn = false;
                if (!yourMove) return;
                String why = "";
                if (endsTurns) {
                    Result<?> ended = new Result<>();
                    exchange(List.of(new Pending(document("type", "end_turn"), ended)), false);
                    if (!ended.accepted()) why = " and end_turn was refused: " + ended.message();
                }
                if (yourMove && sent == 0)
                    throw new PlayerError("run_turn returned without an action although it is your move" + why + ".", BOT_RAISED);
            }
        }

        private void finish(Map<String, Object> message) {
            yourMove = inTurn = false;
            takeIn(message);
            List<String> endings = new ArrayList<>();
            for (Map<String, Object> player : maps(message.get("players"))) endings.add((String) player.get("ending"));
            String ending = ai.index < endings.size() ? endings.get(ai.index) : "";
            ai.end(new Outcome(ending.equals("won"), ending, endings, map(message.get("outcome"))));
        }

        private void takeIn(Map<String, Object> message) {
            world.apply(message.get("delta"));
            ai.events = maps(message.get("events"));
            Object legal = message.get("legal_actions");
            ai.legal_actions = legal == null ? List.of() : maps(legal);
            if ("turn".equals(message.get("type")))
                ai.out = message.get("out") instanceof List<?> out ? new ArrayList<>(out) : List.of();
            left = null;
            if (message.get("clock") != null)
                for (Object limit : map(message.get("clock")).values())
                    if (limit instanceof Number one && (left == null || one.doubleValue() < left)) left = one.doubleValue();
            readAt = System.nanoTime();
            boolean before = inTurn;
            inTurn = false;
            ai.game_updated();
            inTurn = before;
        }

        Double timeLeft() {
            if (left == null) return null;
            return Math.max(0, left - (yourMove ? (System.nanoTime() - readAt) / 1e9 : 0));
        }

        private List<Map<String, Object>> notes() {
            List<Map<String, Object>> notes = new ArrayList<>();
            int[] text = ai.log.codePoints().toArray();
            for (int i = 0; i < text.length; i += 2000)
                notes.add(document("type", "log", "seq", seq, "text", new String(text, i, Math.min(2000, text.length - i))));
            List<Map<String, Object>> shapes = ai.draw.shapes;
            for (int i = 0; i < shapes.size(); i += 50)
                notes.add(document("type", "draw", "seq", seq, "shapes", shapes.subList(i, Math.min(i + 50, shapes.size()))));
            ai.log.setLength(0);
            ai.draw.shapes = new ArrayList<>();
            return notes;
        }

        <T> Result<T> act(Map<String, Object> document) {
            Result<T> result = new Result<>();
            Pending one = new Pending(document, result);
            if (queue != null) queue.add(one);
            else send(List.of(one), false);
            return result;
        }

        List<Result<?>> batch(Runnable actions, boolean keepGoing) {
            if (queue != null) throw new IllegalStateException("A batch cannot be opened inside another batch.");
            List<Pending> queued = queue = new ArrayList<>();
            try {
                actions.run();
            } finally {
                queue = null;
            }
            send(queued, keepGoing);
            List<Result<?>> results = new ArrayList<>();
            for (Pending one : queued) results.add(one.result);
            return results;
        }

        private static final int MOST_ACTIONS = 1000;  // in one message
        private static final int AROUND_ACTIONS = 64;  // bytes of an act without its actions, rounded up

        /** Return how many of the first actions one act can carry, at least 1. */
        private static int fitting(List<Pending> actions) {
            int most = Math.min(actions.size(), MOST_ACTIONS), left = Link.MOST_BYTES - AROUND_ACTIONS;
            for (int count = 0; most > 1 && count < most; count++) {
                left -= Packer.pack(actions.get(count).document).length;
                if (left < 0) return Math.max(count, 1);
            }
            return most;
        }

        private void send(List<Pending> actions, boolean keepGoing) {
            if (!inTurn) throw new IllegalStateException("Actions can only be called from run_turn.");
            boolean refused = false;
            for (int done = 0; done < actions.size(); ) {
                List<Pending> part = actions.subList(done, done + fitting(actions.subList(done, actions.size())));
                done += part.size();
                if (yourMove && !refused) {
                    sent += part.size();
                    exchange(part, keepGoing);
                    refused = !keepGoing && !part.get(part.size() - 1).result.accepted();
                    continue;
                }
                String why = yourMove ? "an earlier action of the batch was refused" : "your turn is over";
                for (Pending one : part) one.result.settle(yourMove ? "not_tried" : "not_your_turn", why, null);
            }
        }

        /** Send one act and handle its result. */
        private void exchange(List<Pending> actions, boolean keepGoing) {
            List<Map<String, Object>> messages = notes(), documents = new ArrayList<>();
            for (Pending one : actions) documents.add(one.document);
            Map<String, Object> act = document("type", "act", "seq", seq, "actions", documents);
            if (keepGoing) act.put("keep_going", true);
            messages.add(act);
            link.send(messages);
            Map<String, Object> message = receive();
            if (is(message, "over")) {
                over = message;
                throw new MatchOver();
            }
            if (!is(message, "result")) throw unexpected(message);
            seq = (Long) message.get("seq");
            yourMove = (Boolean) message.get("your_move");
            takeIn(message);
            List<?> results = (List<?>) message.get("results");
            boolean refused = results.get(results.size() - 1) instanceof Map;
            String why = refused ? "an earlier action of the batch was refused" : "an earlier action ended the turn";
            for (int at = 0; at < actions.size(); at++) {
                Result<?> result = actions.get(at).result;
                if (at >= results.size()) result.settle("not_tried", why, null);
                else if (results.get(at) instanceof Map<?, ?> error)
                    result.settle((String) error.get("code"), (String) error.get("message"), null);
                else result.settle("", "", world.objects.get(results.get(at)));
            }
            for (int at = 0; at < Math.min(actions.size(), results.size()); at++)
                if (results.get(at) instanceof Map) ai.refused(actions.get(at).document, actions.get(at).result);
        }
    }

    /** Connect a bot to its referee, play one match, and end the process with the bot's exit code. */
    public static void run(AI bot) {
        int code = FINISHED;
        try {
            String endpoint = System.getenv("ARENA_ENDPOINT");
            if (endpoint == null || endpoint.isEmpty())
                throw new PlayerError("ARENA_ENDPOINT is not set: the referee starts the bots.\n"
                    + "Play with: arena play GAME YOUR_BOT OTHER_BOT", CONNECTION_LOST);
            new Session(bot, new Link(endpoint)).play();
        } catch (PlayerError error) {
            System.err.println(error.getMessage());
            code = error.exitCode;
        } catch (Throwable error) {
            error.printStackTrace();
            code = BOT_RAISED;
        }
        System.out.flush();
        Runtime.getRuntime().halt(code);
    }
}
