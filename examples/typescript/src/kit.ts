// Write a bot in TypeScript: give run a function that returns the number of a move, and say what that function reads.
// The rest is the protocol.
import { createReadStream, writeSync } from "node:fs";
import { decodeMultiStream, encode } from "@msgpack/msgpack";

export type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain };
export type Fields = { [key: string]: Plain };
export type LegalMove = (string | number)[];
/** What a bot can want to be told. Without the rest, matches are quicker. */
export type Want = "view" | "news";

// ---- Typed getters for what differs by game: what is not there, or is something else, is an error that says so.

/** A number: number(request.view, "loot"). */
export const number = (fields: Fields, key: string): number => numeric(fields[key], key);
export const text = (fields: Fields, key: string): string => textual(fields[key], key);
/** A list of numbers: numbers(request.view, "wealth")[request.seat]. */
export const numbers = (fields: Fields, key: string): number[] => list(fields, key).map((each) => numeric(each, key));
export const texts = (fields: Fields, key: string): string[] => list(fields, key).map((each) => textual(each, key));

export function list(fields: Fields, key: string): Plain[] {
  const value = fields[key];
  return Array.isArray(value) ? value : refuse(value, key, "a list");
}

/** A map in the map: number(fields(request.view, "deck"), "noise"). */
export function fields(fields: Fields, key: string): Fields {
  const value = fields[key];
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  return isMap ? value : refuse(value, key, "a map");
}

/** What a move is called; its arguments are its items from 1 on. */
export const verb = (move: LegalMove): string => textual(move[0], "the verb");

const numeric = (value: Plain | undefined, key: string): number =>
  typeof value === "number" ? value : refuse(value, key, "a number");
const textual = (value: Plain | undefined, key: string): string =>
  typeof value === "string" ? value : refuse(value, key, "text");

function refuse(value: Plain | undefined, key: string, wanted: string): never {
  throw new TypeError(`${key} is ${JSON.stringify(value)}, not ${wanted}`);
}

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

/** The number of the first move with this verb. */
export function named(request: Request, wanted: string): number {
  const number = request.moves.findIndex((move) => verb(move) === wanted);
  if (number < 0) throw new RangeError(`there is no move ${wanted}`);
  return number;
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
  if (!DESCRIPTORS) console.log = console.error; // stdout is for messages
  let match: (Start & { luck: Luck; memory: { [key: string]: unknown } }) | null = null;
  say({ type: "hello", protocol: 1, name, wants });
  for await (const heard of decodeMultiStream(input())) {
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

/** Other descriptors than stdin and stdout, where they are named, because the bot is debugged. */
const DESCRIPTORS = process.env.DALANG_FDS?.split(",").map(Number);

const input = () => (DESCRIPTORS ? createReadStream("", { fd: DESCRIPTORS[0] }) : process.stdin);

function say(message: { [key: string]: string | number | Want[] | undefined }): void {
  const data = encode(message, { ignoreUndefined: true });
  if (DESCRIPTORS) writeSync(DESCRIPTORS[1]!, data);
  else process.stdout.write(data);
}
