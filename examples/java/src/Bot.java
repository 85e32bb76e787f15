import java.io.IOException;

/** Any move will do: change choose. */
final class Bot {
    static int choose(Kit.Request request) {
        return request.luck.below(request.moves.size());
    }

    public static void main(String[] arguments) throws IOException {
        Kit.run("java", Bot::choose);
    }
}
