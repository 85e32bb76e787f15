// Liar's Dice: the bid, and everybody's dice, as far as the reader may see them.

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

function draw(view, match) {
  return [bidPanel(view, match), cupsPanel(view, match)];
}

function bidPanel(view, match) {
  const [count, face] = view.bid;
  const told = count ? `${match.names[view.bidder]} bids ${count} × ${face}` : "No bid yet";
  return panel(
    "The bid",
    70,
    `${told}; ${total(view.held)} dice are on the table.`,
    label(10, 30, count ? `${count} ×` : "none yet", "figure"),
    count && die(70, 8, face),
    label(10, 60, `${plural(total(view.held), "die", "dice")} on the table`, "small"),
    count && label(352, 30, shortened(match.names[view.bidder], 20), "small", { "text-anchor": "end" }),
  );
}

function cupsPanel(view, match) {
  const told = view.held.map((held, seat) => `${match.names[seat]} ${held}`).join(", ");
  return panel(
    "The cups",
    20 + 64 * view.held.length,
    `Dice: ${told}.`,
    view.held.map((held, seat) => group(0, 10 + 64 * seat, seatName(14, 14, match, seat, view), diceOf(view, seat))),
  );
}

// Open for the dalang and for their owner; the cups of the others.
function diceOf(view, seat) {
  const hidden = range(view.held[seat]).map(() => 0);
  const dice = view.whole ? view.whole.dice[seat] : seat === view.you ? view.dice : hidden;
  return dice.map((face, at) => die(10 + 36 * at, 24, face));
}

function die(x, y, face) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: "card" },
    s("title", {}, face ? `a ${face}` : "a hidden die"),
    box(0, 0, 30, 30, "paper"),
    face
      ? PIPS[face].map((at) => s("circle", { cx: 7 + 8 * (at % 3), cy: 7 + 8 * Math.floor(at / 3), r: 3, style: { fill: "currentColor" } }))
      : middle(15, 20, "?", "unknown"),
  );
}
