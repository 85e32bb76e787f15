// Bali (Wrede): the display, the offering place with the stock, and everybody's table.

const GOODS = ["rice", "peanut", "banana", "pepper"];
const WREDE_CARDS = ["stonecutter", "priest", "altar", ...GOODS.map((good) => `farmer:${good}`), "oracle"];

function draw(view, match) {
  return [wredeDisplay(view), wredePlace(view, match), ...match.names.map((_, seat) => wredePlayer(view, match, seat))];
}

function wredeSign(name) {
  return name.startsWith("farmer:") ? name.slice(7) : name;
}

function wredeName(name) {
  return name.startsWith("farmer:") ? `${name.slice(7)} farmer` : name;
}

// ---- The display

function wredeDisplay(view) {
  const told = view.rows.map((row, number) => `row ${number}: ${row.map(wredeName).join(", ")}`).join("; ");
  return panel(
    `The display; ${plural(total(view.stack), "card")} in the stack`,
    236,
    `From top to bottom, ${told}.`,
    view.rows.map((row, number) => wredeRow(row, number, view)),
  );
}

function wredeRow(row, number, view) {
  const x = 10 + 88 * number;
  return [
    box(x - 4, 22, 84, 204, number === view.row ? "row last" : "row"),
    middle(x + 38, 16, number === view.demon ? `row ${number}: demon` : `row ${number}`, number === view.demon ? "demon" : "small"),
    row.map((name, at) => wredeCard(x - 2, 28 + 49 * at, name, at === row.length - 1)),
  ];
}

function wredeCard(x, y, name, isNext) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: isNext ? "card next" : "card" },
    s("title", {}, wredeName(name)),
    box(0, 0, 80, 45, "paper"),
    icon(wredeSign(name), 40, 17, 24),
    middle(40, 39, wredeName(name), "micro"),
  );
}

// ---- The place and the stock

function wredePlace(view, match) {
  const lying = lyingOnPlace(view);
  const shown = lying ?? view.laid;
  const order = lying ? "as it lies, from the bottom" : "all that was ever laid, oldest first";
  const height = 150 + 24 * Math.max(1, Math.ceil(shown.length / 15));
  return panel(
    `The place: ${plural(view.place, "card")}`,
    height,
    `On top of the place: ${topInWords(view.top)}. Stock: ${GOODS.map((good, kind) => `${good} ${view.stock[kind]}`).join(", ")}.`,
    label(8, 18, "on top", "small"),
    topCard(view),
    label(122, 18, "stock", "small"),
    GOODS.map((good, kind) => stockPile(122 + 60 * kind, good, view.stock[kind])),
    label(8, 126, shown.length ? order : "nothing lies there", "small"),
    shown.map((card, at) => laidCard(card, 8 + 23.2 * (at % 15), 134 + 24 * Math.floor(at / 15), match)),
  );
}

// What lies there, known to the last card: to whoever sees everything, and to all at the end.
function lyingOnPlace(view) {
  if (view.whole) return view.whole.place.map((position) => view.whole.laid[position]).map(([by, down, kind]) => [by, down ? "down" : "open", GOODS[kind]]);
  return view.revealed.place?.map((good) => [-1, "open", good]);
}

function topInWords(top) {
  return { "": "nothing", down: "a card face down" }[top] ?? `a ${top} card`;
}

function topCard(view) {
  if (!view.top) return box(14, 28, 64, 78, "gap");
  return s(
    "g",
    { transform: "translate(14 28)", class: view.top === "down" ? "card back" : "card next" },
    s("title", {}, topInWords(view.top)),
    view.place > 1 && box(4, 4, 64, 78, "paper"),
    box(0, 0, 64, 78, "paper"),
    view.top === "down" ? middle(32, 44, "face down", "back-text") : [icon(view.top, 32, 32, 38), middle(32, 68, view.top, "tiny")],
  );
}

function stockPile(x, good, number) {
  return s(
    "g",
    { transform: `translate(${x} 28)`, class: number ? "card" : "card empty" },
    s("title", {}, `${good}: ${number} in stock`),
    box(0, 0, 50, 78, "paper"),
    icon(good, 25, 26, 26),
    middle(25, 56, number, "value"),
    middle(25, 71, good, "tiny"),
  );
}

function laidCard([by, side, good], x, y, match) {
  const whose = by < 0 ? "from the stock" : `by ${match.names[by]}`;
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: side === "down" ? "card chip down" : "card chip" },
    s("title", {}, `${good || "unknown"}, ${side === "down" ? "face down" : "open"}, ${whose}`),
    box(0, 0, 20, 20, "paper", by < 0 ? {} : { style: { stroke: match.colours[by] } }),
    good ? icon(good, 10, 10, 14) : middle(10, 14.5, "?", "unknown"),
  );
}

// ---- The players

function wredePlayer(view, match, seat) {
  const table = counted(WREDE_CARDS, view.tables[seat]);
  const hand = counted(WREDE_CARDS, view.hands[seat]);
  const { cards, isSure } = heldBy(view, seat);
  return panel(
    "",
    172,
    `${match.names[seat]}: ${view.points[seat]} points, ${view.stone[seat]} stone. On the table ${inWords(table)}. In hand ${inWords(hand)}. Offerings ${view.total[seat]}.`,
    seatName(14, 18, match, seat, view),
    icon("stonecutter", 244, 13, 16),
    label(256, 18, view.stone[seat], "strong"),
    label(352, 18, plural(view.points[seat], "point"), "strong", { "text-anchor": "end" }),
    label(8, 54, table.length ? "table" : "table: none", "small"),
    table.map(([name, count], at) => card(54 + 38 * at, 34, wredeSign(name), wredeName(name), { count, width: 28 })),
    label(8, 100, hand.length ? "hand" : "hand: none", "small"),
    hand.map(([name, count], at) => card(54 + 38 * at, 80, wredeSign(name), wredeName(name), { count, width: 28 })),
    label(8, 140, "offerings", "small"),
    label(8, 155, isSure ? plural(view.total[seat], "card") : `${view.total[seat]}, openly`, "tiny"),
    GOODS.map((good, kind) => offering(good, cards[kind], 72 + 70 * kind, isSure)),
  );
}

// The offering cards of a seat: known to itself, to others only as far as they came and went openly.
function heldBy(view, seat) {
  if (view.whole) return { cards: view.whole.held[seat], isSure: true };
  if (seat === view.you) return { cards: view.held, isSure: true };
  if (view.revealed.held) return { cards: view.revealed.held[seat], isSure: true };
  return { cards: view.open[seat], isSure: view.down[seat] === 0 && view.picks[seat] === 0 };
}

function offering(good, number, x, isSure) {
  return s(
    "g",
    { class: number > 0 ? "card" : "card empty" },
    s("title", {}, isSure ? `${number} ${good}` : `${number} ${good} by open cards alone`),
    box(x, 130, 28, 30, "paper"),
    icon(good, x + 14, 145, 20),
    label(x + 33, 150, isSure ? number : `${number}?`, "strong"),
  );
}

// The cards of which there are any.
function counted(names, counts) {
  return names.map((name, at) => [name, counts[at] ?? 0]).filter(([, count]) => count > 0);
}

function inWords(cards) {
  return cards.map(([name, count]) => `${count} ${wredeName(name)}`).join(", ") || "nothing";
}
