// Write a bot in JavaScript: give run a function that returns the number of a move, and say what that function reads.
// The rest is the protocol.
import { createReadStream, writeSync } from "node:fs";
import { decodeMultiStream, encode } from "@msgpack/msgpack";

/** The generator of protocol/SPEC.md: use no other, and your bot is reproducible. */
export class Luck {
  #state = 14695981039346656037n; // FNV-1a

  constructor(seed) {
    for (const byte of new TextEncoder().encode(seed)) {
      this.#state = whole64((this.#state ^ BigInt(byte)) * 1099511628211n);
    }
  }

  /** splitmix64 */
  next() {
    this.#state = whole64(this.#state + 0x9e3779b97f4a7c15n);
    let z = this.#state;
    z = whole64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = whole64((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  /** A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again. */
  below(n) {
    const uneven = 2n ** 64n % BigInt(n);
    let drawn = this.next();
    while (drawn < uneven) drawn = this.next();
    return Number(drawn % BigInt(n));
  }
}

const whole64 = (number) => BigInt.asUintN(64, number);

/**
 * Play until the referee says goodbye.
 *
 * What the bot wants to be told is "view", "news", both or neither, as a list; without the rest, matches are quicker.
 * A request has the fields of the messages `start` and `decide` (game, seat, options, ..., moves, clock; view and
 * events are empty unless the bot wants the view, the news), luck, and memory: whatever you want to remember until
 * the match ends. Set note to tell people what you think of your choice.
 */
export async function run(name, wants, choose) {
  if (!DESCRIPTORS) console.log = console.error; // stdout is for messages
  let match = null;
  say({ type: "hello", protocol: 1, name, wants });
  for await (const message of decodeMultiStream(input())) {
    if (message.type === "start") {
      match = { ...message, luck: new Luck(message.seed), memory: {} };
      say({ type: "ready" });
    } else if (message.type === "decide" && match) {
      const request = { ...match, view: {}, events: [], ...message };
      const move = choose(request);
      say({ type: "move", id: message.id, move, note: request.note });
    } else if (message.type === "bye") {
      return;
    }
  }
}

/** Other descriptors than stdin and stdout, where they are named, because the bot is debugged. */
const DESCRIPTORS = process.env.DALANG_FDS?.split(",").map(Number);

const input = () => (DESCRIPTORS ? createReadStream("", { fd: DESCRIPTORS[0] }) : process.stdin);

function say(message) {
  const data = encode(message, { ignoreUndefined: true });
  if (DESCRIPTORS) writeSync(DESCRIPTORS[1], data);
  else process.stdout.write(data);
}
