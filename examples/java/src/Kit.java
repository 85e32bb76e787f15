import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageTypeCastException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * Write a bot in Java: give run a function that returns the number of a move, and say what that function reads.
 * The rest is the protocol.
 *
 * <p>What differs by game stays a msgpack value, and typed getters find things in it:
 *
 * <pre>
 * int loot = Kit.number(request.view, "loot");
 * int mine = Kit.numbers(request.view, "wealth").get(request.seat);
 * String verb = Kit.verb(request.moves.get(0));
 * </pre>
 *
 * <p>What is not there, or is something else, is an exception that says so.
 */
final class Kit {
    /** What a bot can want to be told. Without the rest, matches are quicker. */
    static final String VIEW = "view";

    static final String NEWS = "news";

    /** One decision to make, and the match it belongs to. */
    static final class Request {
        /** Both messages, as protocol/SPEC.md has them: options, limits, ..., clock, ... */
        final Value start;
        Value decide;

        final String game;
        final int seat;
        final int seats;
        final Luck luck;
        String decision;

        /** Nil unless the bot wants the VIEW, the NEWS. */
        Value view;

        Value events;
        List<Value> moves;

        /** Set it to tell people what you think of your choice. */
        String note;

        Request(Value start) {
            this.start = start;
            game = text(get(start, "game"));
            seat = get(start, "seat").asIntegerValue().toInt();
            seats = get(start, "seats").asIntegerValue().toInt();
            luck = new Luck(text(get(start, "seed")));
        }

        void take(Value decide) {
            this.decide = decide;
            decision = text(get(decide, "decision"));
            view = get(decide, "view");
            events = get(decide, "events");
            moves = get(decide, "moves").asArrayValue().list();
            note = "";
        }

        /** The number of the first move with this verb. */
        int named(String wanted) {
            for (int number = 0; number < moves.size(); number++) {
                if (verb(moves.get(number)).equals(wanted)) {
                    return number;
                }
            }
            throw new IllegalArgumentException("there is no move " + wanted);
        }
    }

    /** The generator of protocol/SPEC.md: use no other, and your bot is reproducible. */
    static final class Luck {
        private long state = 0xcbf29ce484222325L; // FNV-1a

        Luck(String seed) {
            for (byte each : seed.getBytes(StandardCharsets.UTF_8)) {
                state = (state ^ (each & 0xff)) * 1099511628211L;
            }
        }

        /** splitmix64; the number has no sign. */
        long next() {
            state += 0x9e3779b97f4a7c15L;
            long z = state;
            z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
            return z ^ (z >>> 31);
        }

        /** A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again. */
        int below(int n) {
            long uneven = Long.remainderUnsigned(-n, n); // 2^64 mod n
            long drawn = next();
            while (Long.compareUnsigned(drawn, uneven) < 0) {
                drawn = next();
            }
            return (int) Long.remainderUnsigned(drawn, n);
        }
    }

    /** Play until the referee says goodbye. */
    static void run(String name, List<String> wants, ToIntFunction<Request> choose) throws IOException {
        PrintStream out = output();
        MessageUnpacker in = MessagePack.newDefaultUnpacker(input());
        Request request = null;
        say(out, "type", "hello", "protocol", 1, "name", name, "wants", texts(wants));
        while (in.hasNext()) {
            Value message = in.unpackValue();
            String type = text(get(message, "type"));
            if (type.equals("start")) {
                request = new Request(message);
                say(out, "type", "ready");
            } else if (type.equals("decide") && request != null) {
                request.take(message);
                int move = choose.applyAsInt(request);
                Value id = get(message, "id");
                if (request.note.isEmpty()) {
                    say(out, "type", "move", "id", id, "move", move);
                } else {
                    say(out, "type", "move", "id", id, "move", move, "note", request.note);
                }
            } else if (type.equals("bye")) {
                return;
            }
        }
    }

    /** Other descriptors than stdin and stdout, where they are named, because the bot is debugged. */
    private static final String DESCRIPTORS = System.getenv("DALANG_FDS");

    private static InputStream input() throws IOException {
        return DESCRIPTORS == null ? System.in : new FileInputStream("/dev/fd/" + DESCRIPTORS.split(",")[0]);
    }

    private static PrintStream output() throws IOException {
        if (DESCRIPTORS != null) {
            return new PrintStream(new FileOutputStream("/dev/fd/" + DESCRIPTORS.split(",")[1]));
        }
        PrintStream out = System.out;
        System.setOut(System.err); // stdout is for messages
        return out;
    }

    /** A whole number. */
    static int number(Value map, String field) {
        return read(map, field, value -> value.asIntegerValue().toInt());
    }

    /** A number that may have a fraction. */
    static double real(Value map, String field) {
        return read(map, field, value -> value.asNumberValue().toDouble());
    }

    static String text(Value map, String field) {
        return read(map, field, value -> value.asStringValue().asString());
    }

    static List<Integer> numbers(Value map, String field) {
        return list(map, field).stream().map(each -> each.asIntegerValue().toInt()).collect(Collectors.toList());
    }

    static List<String> texts(Value map, String field) {
        return list(map, field).stream().map(each -> each.asStringValue().asString()).collect(Collectors.toList());
    }

    static List<Value> list(Value map, String field) {
        return read(map, field, value -> value.asArrayValue().list());
    }

    /** What a move is called; its arguments are its items from 1 on. */
    static String verb(Value move) {
        return move.asArrayValue().get(0).asStringValue().asString();
    }

    private static <T> T read(Value map, String field, Function<Value, T> reader) {
        Value value = map.isMapValue() ? get(map, field) : ValueFactory.newNil();
        try {
            return reader.apply(value);
        } catch (MessageTypeCastException error) {
            throw new IllegalArgumentException("the field " + field + " is " + value, error);
        }
    }

    /** The value of a field; nil if there is none. */
    static Value get(Value map, String field) {
        Map<Value, Value> fields = map.asMapValue().map();
        return fields.getOrDefault(ValueFactory.newString(field), ValueFactory.newNil());
    }

    static String text(Value value) {
        return value.isStringValue() ? value.asStringValue().asString() : "";
    }

    private static Value texts(List<String> words) {
        return ValueFactory.newArray(words.stream().map(ValueFactory::newString).toArray(Value[]::new));
    }

    private static void say(PrintStream out, Object... keysAndValues) throws IOException {
        try (MessageBufferPacker packer = MessagePack.newDefaultBufferPacker()) {
            packer.packMapHeader(keysAndValues.length / 2);
            for (Object each : keysAndValues) {
                if (each instanceof Value) {
                    packer.packValue((Value) each);
                } else if (each instanceof Integer) {
                    packer.packInt((Integer) each);
                } else {
                    packer.packString((String) each);
                }
            }
            out.write(packer.toByteArray());
            out.flush();
        }
    }

    private Kit() {}
}
