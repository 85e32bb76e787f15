// The crosstable as a heat map: the row against the column.

function crosstable({ standings, crosstable: pairs }) {
  const names = standings.map((line) => line.name);
  const found = new Map(pairs.map((pair) => [JSON.stringify([pair.row, pair.column]), pair]));
  const head = [columnHead(""), ...names.map((name) => columnHead(words(shortened(name, 10)), { title: name }))];
  const rows = names.map((row) =>
    h("tr", {}, rowHead(row), names.map((column) => pairCell(row, column, found.get(JSON.stringify([row, column]))))),
  );
  return [
    table("How often the row came before the column", head, rows, "heat"),
    h("p", { class: "hint" }, "A tie counts half. A star marks what is no accident (5 %, corrected for the number of pairs)."),
  ];
}

function pairCell(row, column, pair) {
  if (row === column) return cell("", { class: "self" });
  if (!pair) return cell("–", { class: "none", title: "They have not met" });
  const strength = Math.round(Math.abs(pair.result - 0.5) * 160);
  return cell([percent(pair.result), pair.significant && "*"], {
    class: pair.result >= 0.5 ? "ahead" : "behind",
    style: { "--strength": `${strength}%` },
    title: `${row} against ${column}: ${percent(pair.result, 1)} in ${plural(pair.blocks, "block")}, chance if equal ${pair.chance.toPrecision(2)}`,
  });
}
