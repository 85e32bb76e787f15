// Write a bot in TypeScript: give run a function that returns the number of a move, and say what that function reads.
// The rest is the protocol.
import { decodeMultiStream, encode } from "@msgpack/msgpack";

export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };
export type Fields = { [key: string]: Plain };
export type LegalMove = (string | number)[];
/** What a bot can want to be told. Without the rest, matches are quicker. */
export type Want = "view" | "news";

/** The messages that need an answer, as protocol/SPEC.md has them. */
export interface Start {
  type: "start";
  game: string;
  rules_version: number;
  seats: number;
  seat: number;
  options: Fields;
  seed: string;
  limits: { startup?: number; prepare?: number; move?: number; bank?: number; memory?: number };
}

export interface Decide {
  type: "decide";
  id: number;
  decision: string;
  /** What happened since you were last asked. */
  events?: Fields[];
  view?: Fields;
  moves: LegalMove[];
  clock?: { move: number; bank: number };
}

type Message = Start | Decide | { type: "end" } | { type: "bye" };

/** One decision to make, and the match it belongs to. */
export interface Request extends Omit<Start, "type">, Omit<Decide, "type"> {
  /** Empty unless you want the news, the view. */
  events: Fields[];
  view: Fields;
  luck: Luck;
  /** Whatever you want to remember until the match ends. */
  memory: { [key: string]: unknown };
  /** Set it to tell people what you think of your choice. */
  note?: string;
}

/** The generator of protocol/SPEC.md: use no other, and your bot is reproducible. */
export class Luck {
  private state = 14695981039346656037n; // FNV-1a

  constructor(seed: string) {
    for (const byte of new TextEncoder().encode(seed)) {
      this.state = whole64((this.state ^ BigInt(byte)) * 1099511628211n);
    }
  }

  /** splitmix64 */
  next(): bigint {
    this.state = whole64(this.state + 0x9e3779b97f4a7c15n);
    let z = this.state;
    z = whole64((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = whole64((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  /** A number from 0 to n - 1, each as likely as the others: what would favour the low ones is drawn again. */
  below(n: number): number {
    const uneven = 2n ** 64n % BigInt(n);
    let drawn = this.next();
    while (drawn < uneven) drawn = this.next();
    return Number(drawn % BigInt(n));
  }
}

const whole64 = (number: bigint): bigint => BigInt.asUintN(64, number);

/** Play until the referee says goodbye. */
export async function run(name: string, wants: Want[], choose: (request: Request) => number): Promise<void> {
  console.log = console.error; // stdout is for messages
  let match: (Start & { luck: Luck; memory: { [key: string]: unknown } }) | null = null;
  say({ type: "hello", protocol: 1, name, wants });
  for await (const heard of decodeMultiStream(process.stdin)) {
    const message = heard as Message;
    if (message.type === "start") {
      match = { ...message, luck: new Luck(message.seed), memory: {} };
      say({ type: "ready" });
    } else if (message.type === "decide" && match) {
      const request: Request = { ...match, view: {}, events: [], ...message };
      const move = choose(request);
      say({ type: "move", id: message.id, move, note: request.note });
    } else if (message.type === "bye") {
      return;
    }
  }
}

function say(message: { [key: string]: string | number | Want[] | undefined }): void {
  process.stdout.write(encode(message, { ignoreUndefined: true }));
}
