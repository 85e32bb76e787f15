// The standings: who is better, and how sure that is.

function standingsTable({ standings, order }) {
  const rows = standings.map((line, number) => standingsRow(line, colour(number), standings));
  const head = [
    columnHead("Place", { class: "number" }),
    columnHead("Bot"),
    isRated(standings) && columnHead("Rating", { class: "number", title: "TrueSkill, mu − 3 sigma: what it has almost surely" }),
    columnHead("Beats", { class: "number", title: "The share of the others it beats" }),
    columnHead("95 % interval", { class: "wide" }),
    columnHead("Score", { class: "number" }),
    columnHead("Wins", { class: "number" }),
    columnHead("Matches", { class: "number" }),
    columnHead("Group", { title: "Bots that share a letter cannot be told apart" }),
  ];
  return [
    table("Standings", [...head, someFault(standings) && columnHead("Faults")], rows),
    h("p", { class: "hint" }, `Places by ${order}. Beats: the share of the others it beats. Bots that share a group letter cannot be told apart.`),
  ];
}

function standingsRow(line, paintedWith, all) {
  return h(
    "tr",
    { class: line.withdrawn ? "withdrawn" : null },
    cell(line.place, { class: "number" }),
    rowHead(line.name, paintedWith),
    isRated(all) && ratingCell(line),
    cell(line.blocks ? percent(line.beats.mean, 1) : "–", { class: "number" }),
    cell(line.blocks ? whisker(line.beats, paintedWith) : "", { class: "wide" }),
    cell(line.blocks ? line.score.mean.toFixed(1) : "–", { class: "number", title: scoreInterval(line.score) }),
    cell(line.blocks ? percent(line.wins, 1) : "–", { class: "number" }),
    cell(line.matches, { class: "number" }),
    cell(line.groups),
    someFault(all) && cell([faultCounts(line.faults), line.withdrawn && ` withdrawn: ${line.withdrawn}`], { class: "remark" }),
  );
}

function isRated(standings) {
  return standings.every((line) => line.rating !== null);
}

function ratingCell({ rating, mu, sigma }) {
  return cell(rating.toFixed(2), { class: "number", title: `mu ${mu.toFixed(2)}, sigma ${sigma.toFixed(2)}` });
}

function scoreInterval(score) {
  return `95 % interval ${score.low.toFixed(1)} to ${score.high.toFixed(1)}`;
}

function someFault(standings) {
  return standings.some((line) => line.withdrawn || Object.keys(line.faults).length);
}

function faultCounts(faults) {
  return Object.entries(faults)
    .map(([kind, number]) => `${number} ${kind}`)
    .join(", ");
}

function basis({ matches, blocks, units, gain }) {
  return h(
    "p",
    { class: "hint" },
    `${plural(matches, "match", "matches")} in ${plural(blocks, "complete block")}, ${plural(units, "independent deal or block", "independent deals or blocks")}. `,
    `A match of a duplicate deal was worth ${gain.toFixed(1)} independent ones.`,
  );
}
