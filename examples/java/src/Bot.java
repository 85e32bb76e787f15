import java.io.IOException;
import java.util.List;

/**
 * Kali by a rule of thumb, the other games at random: change choose, and ask for what it reads, List.of(Kit.VIEW, Kit.NEWS).
 */
final class Bot {
    /** Gems worth keeping. */
    private static final int ENOUGH = 3;

    static int choose(Kit.Request request) {
        if (request.game.equals("kali") && request.decision.equals("go_on")) {
            int loot = Kit.number(request.view, "loot");
            request.note = loot + " gems at stake";
            return request.named(loot >= ENOUGH ? "stop" : "draw");
        }
        return request.luck.below(request.moves.size());
    }

    public static void main(String[] arguments) throws IOException {
        Kit.run("java", List.of(Kit.VIEW), Bot::choose);
    }
}
