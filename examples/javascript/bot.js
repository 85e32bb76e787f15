// Any move will do: change choose, and ask for what it reads: ["view", "news"].
import { run } from "./kit.js";

function choose(request) {
  return request.luck.below(request.moves.length);
}

await run("javascript", [], choose);
