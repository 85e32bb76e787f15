// Bali (Rosenberg): four islands with chips and stacks, the hands, the masks.

const ISLANDS = ["kukusch", "panschar", "tschakkalag", "wontong"];
const ROSENBERG_CARDS = [
  "warrior", "scholar", "artist", "priest", "prince",
  ...ISLANDS.flatMap((one, at) => ISLANDS.slice(at + 1).map((other) => `dalang:${one}+${other}`)),
];
const SEAL_POINTS = 3;
const MOST_TILES = 7;

function draw(view, match) {
  return [...ISLANDS.map((name, island) => islandPanel(view, match, name, island)), handsPanel(view, match), tablePanel(view, match)];
}

function rosenbergSign(name) {
  return name.startsWith("dalang:") ? "dalang" : name;
}

function rosenbergName(name) {
  return name.startsWith("dalang:") ? `Dalang ${name.slice(7).split("+").map(capital).join("/")}` : name;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

// ---- The islands

function islandPanel(view, match, name, island) {
  const seats = match.names.length;
  const isHere = view.island === name;
  return panel(
    capital(name),
    74 + 27 * seats,
    `${capital(name)}${isHere ? ", where the Dalang stands" : ""}. ${chipInWords("priest", view, match, island)}, ${chipInWords("prince", view, match, island)}, ${ownerInWords("seal", view.seals[island], match)}.`,
    s("path", { class: isHere ? "island here" : "island", d: `M8 ${40 + 27 * seats}C-8 30 40 4 120 10C200 -4 330 6 350 30C372 70 350 ${70 + 27 * seats} 240 ${66 + 27 * seats}C150 ${76 + 27 * seats} 30 ${74 + 27 * seats} 8 ${40 + 27 * seats}Z` }),
    isHere && dalangFigure(318, 38),
    chip("priest", 40, 36, view.chips.priest[island], match),
    chip("prince", 92, 36, view.chips.prince[island], match),
    sealSign(144, 36, view.seals[island], match),
    range(seats).map((seat) => stackLine(view, match, seat, name, island, 76 + 27 * seat)),
  );
}

function chipInWords(kind, view, match, island) {
  return ownerInWords(`${kind} chip`, view.chips[kind][island], match);
}

function ownerInWords(what, owner, match) {
  return `${what} ${owner < 0 ? "with nobody" : `with ${match.names[owner]}`}`;
}

function dalangFigure(x, y) {
  return s("g", { class: "dalang-figure" }, s("title", {}, "The Dalang stands here"), s("circle", { cx: x, cy: y, r: 25, class: "glow" }), icon("dalang", x, y, 42));
}

function chip(kind, x, y, owner, match) {
  return s(
    "g",
    { class: owner < 0 ? "owned nobody" : "owned" },
    s("title", {}, ownerInWords(`${kind} chip`, owner, match)),
    s("circle", { cx: x, cy: y, r: 17, style: owner < 0 ? {} : { fill: match.colours[owner] } }),
    icon(kind, x, y, 20),
  );
}

function sealSign(x, y, owner, match) {
  return s(
    "g",
    { class: owner < 0 ? "owned nobody" : "owned", style: owner < 0 ? {} : { color: match.colours[owner] } },
    s("title", {}, ownerInWords("seal", owner, match)),
    icon("seal", x, y, 32),
  );
}

// A seat's stack: from bottom to top as far as it is known, otherwise how many cards.
function stackLine(view, match, seat, name, island, y) {
  const known = stackOf(view, seat, name, island);
  const size = view.stacks[seat][island];
  return [
    s("circle", { cx: 32, cy: y - 4, r: 4.5, style: { fill: match.colours[seat] } }),
    label(42, y, shortened(match.names[seat], 11), seat === view.you ? "name you" : "name"),
    known === null ? size > 0 && cardBack(136, y - 16, 30, 22, size) : tiles(known, 136, y - 16, 24),
    size === 0 && label(136, y, name === view.home ? "in hand" : "empty", "tiny"),
  ];
}

function stackOf(view, seat, name, island) {
  if (view.whole) return view.whole.stacks[seat][island].map((number) => ROSENBERG_CARDS[number]);
  return seat === view.you ? view.own[name] : null;
}

function tiles(names, x, y, width) {
  const shown = names.slice(-MOST_TILES);
  const hidden = names.length - shown.length;
  return [
    shown.map((name, at) => card(x + (width + 1) * at, y, name === "?" ? "" : rosenbergSign(name), name === "?" ? "a card nobody has seen" : rosenbergName(name), { width, height: 22, kind: "tile" })),
    hidden > 0 && label(x + (width + 1) * MOST_TILES + 3, y + 15, `+${hidden}`, "tiny", {}),
  ];
}

// ---- The hands

function handsPanel(view, match) {
  const seats = range(match.names.length);
  return panel(
    "Hands",
    12 + 66 * seats.length,
    `Cards in hand: ${seats.map((seat) => `${match.names[seat]} ${view.hands[seat]}`).join(", ")}.`,
    seats.map((seat) => group(0, 8 + 66 * seat, handLine(view, match, seat))),
  );
}

function handLine(view, match, seat) {
  const cards = handOf(view, seat);
  const fled = view.fled.includes(seat);
  const remarks = [seat === view.active && "active", fled && "fled", plural(view.hands[seat], "card")].filter(Boolean).join(", ");
  return [
    seatName(14, 14, match, seat, view),
    label(352, 14, remarks, "small", { "text-anchor": "end" }),
    cards === null
      ? view.hands[seat] > 0 && cardBack(10, 22, 30, 34, view.hands[seat])
      : cards.map(([name, count], at) => handCard(name, count, 10 + Math.min(44, 340 / cards.length) * at)),
    cards === null && surely(view, seat),
  ];
}

function handOf(view, seat) {
  if (view.whole) return ROSENBERG_CARDS.map((name, at) => [name, view.whole.hands[seat][at]]).filter(([, count]) => count > 0);
  if (seat !== view.you) return null;
  return ROSENBERG_CARDS.filter((name) => view.hand[name]).map((name) => [name, view.hand[name]]);
}

function handCard(name, count, x) {
  const initials = name.startsWith("dalang:") ? name.slice(7).split("+").map((word) => capital(word)[0]).join("") : "";
  return card(x, 22, rosenbergSign(name), rosenbergName(name), { count, width: 30, height: 34, initials });
}

// What all know to be in a hidden hand, because it was shown.
function surely(view, seat) {
  const known = view.sure.filter(([whose, where]) => whose === seat && where === view.home);
  return known.map(([, , name, number], at) => [
    card(60 + 44 * at, 22, rosenbergSign(name), `at least ${number} ${name}`, { width: 30, height: 34, count: number, kind: "faint" }),
  ]);
}

// ---- Masks, piles, and what is being played

function tablePanel(view, match) {
  const points = pointsOf(view, match.names.length);
  const discards = ROSENBERG_CARDS.map((name) => [name, view.discards[name] ?? 0]).filter(([, count]) => count > 0);
  return panel(
    `Turn ${view.turn}: masks and piles`,
    168 + 30 * match.names.length,
    `Points: ${points.map((number, seat) => `${match.names[seat]} ${number}`).join(", ")}. ${playInWords(view, match)}`,
    match.names.map((_, seat) => scoreLine(view, match, seat, points[seat], 20 + 30 * seat)),
    group(
      0,
      20 + 30 * match.names.length,
      label(8, 10, `masks left: ${view.masks.length}`, "small"),
      view.masks.map((value, at) => maskSign(18 + 21 * at, 30, value)),
      label(8, 70, playInWords(view, match), "strong"),
      label(8, 100, `draw pile: ${plural(view.pile, "card")}; discards:${discards.length ? "" : " none"}`, "small"),
      discards.map(([name, count], at) => card(10 + 31 * at, 112, rosenbergSign(name), rosenbergName(name), { count, width: 24 })),
    ),
  );
}

function pointsOf(view, seats) {
  return range(seats).map((seat) => total(view.taken[seat]) + SEAL_POINTS * view.seals.filter((owner) => owner === seat).length);
}

function scoreLine(view, match, seat, points, y) {
  return [
    seatName(14, y, match, seat, view, 16),
    view.taken[seat].slice(-8).map((value, at) => maskSign(150 + 21 * at, y - 4, value)),
    label(352, y, plural(points, "point"), "strong", { "text-anchor": "end" }),
  ];
}

function maskSign(x, y, value) {
  return s("g", { class: "mask-value" }, s("title", {}, `a mask worth ${value}`), s("circle", { cx: x, cy: y, r: 9.5 }), middle(x, y + 4, value, "mask-text"));
}

function playInWords(view, match) {
  const { card: name, spared, target, best, leader } = view.play;
  if (!name) return "No card is being resolved.";
  const more = [
    spared >= 0 && `spares ${match.names[spared]}`,
    target && `to ${capital(target)}`,
    best && `${match.names[leader]} shows ${best}`,
  ].filter(Boolean);
  return `In play: ${[rosenbergName(name), ...more].join(", ")}`;
}
