import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;

/**
 * Write a bot in Java: give run a function that returns the number of a move, and say what that function reads.
 * The rest is the protocol.
 *
 * <p>What differs by game stays a msgpack value:
 *
 * <pre>
 * int mine = Kit.get(request.view, "wealth").asArrayValue().get(request.seat).asIntegerValue().toInt();
 * </pre>
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
        PrintStream out = System.out;
        System.setOut(System.err); // stdout is for messages
        MessageUnpacker in = MessagePack.newDefaultUnpacker(System.in);
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
