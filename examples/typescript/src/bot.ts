// Kali by a rule of thumb, the other games at random: change choose, and ask for what it reads, ["view", "news"].
import { named, number, run, type Request } from "./kit.js";

/** Gems worth keeping. */
const ENOUGH = 3;

function choose(request: Request): number {
  if (request.game === "kali" && request.decision === "go_on") {
    const loot = number(request.view, "loot");
    request.note = `${loot} gems at stake`;
    return named(request, loot >= ENOUGH ? "stop" : "draw");
  }
  return request.luck.below(request.moves.length);
}

await run("typescript", ["view"], choose);
