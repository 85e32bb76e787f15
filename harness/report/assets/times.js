// How long the bots thought, on a scale of powers of ten.

function timesTable(times, standings) {
  const most = Math.max(1, ...times.map((line) => line["longest ms"]));
  const least = Math.min(0.1, ...times.filter((line) => line.answers).map((line) => line["p50 ms"] || 0.01));
  const scale = (ms) => Math.log(Math.max(ms, least) / least) / Math.log((most * 1.2) / least);
  const order = new Map(standings.map((line, number) => [line.name, number]));
  const sorted = times.filter((line) => order.has(line.bot)).sort((one, other) => order.get(one.bot) - order.get(other.bot));
  const head = [
    columnHead("Bot"),
    columnHead("Answers", { class: "number" }),
    columnHead("Median", { class: "number" }),
    columnHead("99 of 100", { class: "number" }),
    columnHead("Longest", { class: "number" }),
    columnHead("log scale", { class: "wide" }),
  ];
  return tableOfCards("Time from question to answer", head, sorted.map((line) => timesRow(line, scale, colour(order.get(line.bot)))));
}

function timesRow(line, scale, paintedWith) {
  const [median, most, longest] = [line["p50 ms"], line["p99 ms"], line["longest ms"]];
  const marks = { mean: scale(median), low: scale(median), high: scale(most) };
  return h(
    "tr",
    {},
    rowHead(line.bot, paintedWith),
    cell(line.answers.toLocaleString("en"), { class: "number" }),
    [median, most, longest].map((ms) => cell(line.answers ? milliseconds(ms) : "–", { class: "number" })),
    cell(line.answers ? timeTrack(marks, scale(longest), paintedWith) : "", { class: "wide" }),
  );
}

function timeTrack({ mean, low, high }, longest, paintedWith) {
  const left = (share) => `${100 * share}%`;
  return h(
    "span",
    { class: "track plain", "aria-hidden": "true" },
    h("span", { class: "span", style: { left: left(low), width: left(high - low), background: paintedWith } }),
    h("span", { class: "mean", style: { left: left(mean), background: paintedWith } }),
    h("span", { class: "far", style: { left: left(longest), background: paintedWith } }),
  );
}
