import java.io.IOException;
import java.util.List;

/** Any move will do: change choose, and ask for what it reads: List.of(Kit.VIEW, Kit.NEWS). */
final class Bot {
    static int choose(Kit.Request request) {
        return request.luck.below(request.moves.size());
    }

    public static void main(String[] arguments) throws IOException {
        Kit.run("java", List.of(), Bot::choose);
    }
}
