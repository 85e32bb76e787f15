// Die Augen der Kali: the path to the temple, the deck's odds, and everybody's wealth.

const KALI_CARDS = { step1: "1 footprint", step2: "2 footprints", step3: "3 footprints", step4: "4 footprints", noise: "noise", fright: "fright" };
const FIELDS_IN_A_ROW = 6;

function draw(view, match) {
  return [kaliPath(view, match), h("div", { class: "beside" }, kaliDeck(view), kaliPlayers(view, match))];
}

// ---- The path

function kaliPath(view, match) {
  const { fields } = match.options;
  const where = view.field > fields.length ? "at Kali's feet" : `on field ${view.field}`;
  return panel(
    "The path",
    300,
    `The slave is ${where} with loot of ${view.loot}; ${view.temple} in gems are in the temple; Kali has ${plural(view.frights, "open eye")}.`,
    temple(view),
    s("polyline", { class: "path", points: [...fields.keys(), fields.length].map((at) => fieldPlace(at, fields.length).join(",")).join(" ") }),
    fields.map((value, at) => field(at, value, view, fields.length)),
    slave(view, fields.length),
  );
}

// The fields wind upwards in rows; the one after the last is the temple's gate.
function fieldPlace(at, fields) {
  if (at >= fields) return [290, 92];
  const row = Math.floor(at / FIELDS_IN_A_ROW);
  const step = at % FIELDS_IN_A_ROW;
  const column = row % 2 ? FIELDS_IN_A_ROW - 1 - step : step;
  return [35 + 58 * column, 266 - 62 * row];
}

function field(at, value, view, fields) {
  const [x, y] = fieldPlace(at, fields);
  const kind = at + 1 === view.field ? "stone here" : at + 1 < view.field ? "stone passed" : "stone";
  return [
    s("ellipse", { cx: x, cy: y, rx: 23, ry: 20, class: kind }),
    middle(x, y + 3, value * (view.frights ? 2 : 1), "value"),
    middle(x, y + 15, at + 1, "micro"),
  ];
}

function temple(view) {
  return [
    s("path", { class: "temple", d: "M60 92L84 58H112L122 34H150L160 12H200L210 34H238L248 58H276L300 92Z" }),
    eye(158, view.frights > 0),
    eye(202, view.frights > 1),
    label(8, 20, "temple", "small"),
    label(8, 40, view.temple, "figure"),
    label(352, 20, view.price ? `price ${view.price}` : "loot", "small", { "text-anchor": "end" }),
    label(352, 40, view.loot, "figure loot", { "text-anchor": "end" }),
  ];
}

function eye(x, isOpen) {
  return s(
    "g",
    { class: isOpen ? "eye open" : "eye" },
    isOpen
      ? [s("path", { d: `M${x - 17} 52Q${x} 34 ${x + 17} 52Q${x} 68 ${x - 17} 52Z` }), s("circle", { cx: x, cy: 51, r: 6 })]
      : s("path", { d: `M${x - 17} 50Q${x} 64 ${x + 17} 50` }),
  );
}

function slave(view, fields) {
  const [x, y] = fieldPlace(view.field - 1, fields);
  return s(
    "g",
    { class: "slave", transform: `translate(${x + 15} ${y - 21})` },
    s("path", { d: "M0 -13A5 5 0 1 1 -0.01 -13ZM-7 12Q-6 -3 0 -3Q6 -3 7 12Z" }),
    view.loot > 0 && s("circle", { cx: 11, cy: -3, r: 9, class: "sack" }),
    view.loot > 0 && middle(11, 1, view.loot, "sack-text"),
  );
}

// ---- The deck

function kaliDeck(view) {
  const left = Object.keys(KALI_CARDS).map((name) => [name, view.deck[name] ?? 0]);
  const all = total(left.map(([, number]) => number));
  const risk = (view.deck.noise ?? 0) + (view.deck.fright ?? 0);
  const odds = left.map(([name, number]) => `${KALI_CARDS[name]} ${number}`).join(", ");
  return panel(
    `The deck: ${plural(all, "card")}`,
    262,
    `Left in the deck: ${odds}.`,
    left.map(([name, number], row) => odd(row, name, number, all)),
    label(8, 208, `The next card is bad with ${percent(all ? risk / all : 0)}`, "strong"),
    label(8, 242, view.turned.length ? "turned last" : "turned last: none", "small"),
    view.turned.slice(-12).map((name, at) => turnedCard(name, 76 + 23.5 * at)),
  );
}

function odd(row, name, number, all) {
  const y = 20 + 30 * row;
  const width = all ? (150 * number) / Math.max(1, Math.min(all, 20)) : 0;
  return [
    icon(name.replace(/\d/, ""), 16, y - 4, 18),
    label(32, y, KALI_CARDS[name], "text"),
    box(124, y - 13, Math.min(150, width), 16, `bar ${name.replace(/\d/, "")}`),
    label(128 + Math.min(150, width), y, `${number}`, "strong"),
    label(352, y, percent(all ? number / all : 0), "small", { "text-anchor": "end" }),
  ];
}

function turnedCard(name, x) {
  const steps = name.match(/\d/)?.[0];
  return s(
    "g",
    { transform: `translate(${x} 222)`, class: "card" },
    s("title", {}, KALI_CARDS[name]),
    box(0, 0, 20, 28, "paper"),
    steps ? middle(10, 19, steps, "value") : icon(name, 10, 14, 15),
  );
}

// ---- The players

function kaliPlayers(view, match) {
  const most = Math.max(60, ...view.wealth);
  const told = view.wealth.map((gems, seat) => `${match.names[seat]} ${gems}`).join(", ");
  return panel(
    "Wealth",
    14 + 40 * view.wealth.length,
    `Wealth: ${told}.`,
    view.wealth.map((gems, seat) =>
      group(
        0,
        10 + 40 * seat,
        seatName(14, 12, match, seat, view),
        role(view, seat) && label(352, 12, role(view, seat), "small", { "text-anchor": "end" }),
        box(10, 18, (290 * gems) / most, 12, "bar", { style: { fill: match.colours[seat] } }),
        label(16 + (290 * gems) / most, 29, gems, "strong"),
      ),
    ),
  );
}

function role(view, seat) {
  if (view.ending) return "";
  if (seat === view.acting) return seat === view.owner ? "turns cards" : "has taken over";
  return seat === view.owner ? "owns the turn" : "";
}
