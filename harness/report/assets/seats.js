// What each seat is worth: luck of the seat that blocks cancel.

function seatTable({ seats }) {
  if (!seats.length) return h("p", { class: "hint" }, "No block is complete yet.");
  const head = [
    columnHead("Players", { class: "number" }),
    columnHead("Seat", { class: "number" }),
    columnHead("Beats", { class: "number" }),
    columnHead("95 % interval", { class: "wide" }),
  ];
  const rows = seats.map((line) =>
    h(
      "tr",
      {},
      cell(line.players, { class: "number" }),
      h("th", { scope: "row", class: "number" }, line.seat),
      cell(percent(line.place.mean, 1), { class: "number" }),
      cell(whisker(line.place, "var(--gold)"), { class: "wide" }),
    ),
  );
  return [
    table("What each seat is worth", head, rows),
    h("p", { class: "hint" }, "Seat 0 moves first. Every block is played from every seat, so this advantage cancels."),
  ];
}
