// Any move will do: change choose, and ask for what it reads: ["view", "news"].
import { run, type Request } from "./kit.js";

function choose(request: Request): number {
  return request.luck.below(request.moves.length);
}

await run("typescript", [], choose);
