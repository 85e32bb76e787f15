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
    tableOfCards("Standings", [...head, someFault(standings) && columnHead("Faults")], rows),
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
    cell(line.blocks ? rounded(line.score.mean, 1) : "–", { class: "number", title: scoreInterval(line.score) }),
    cell(line.blocks ? percent(line.wins, 1) : "–", { class: "number" }),
    cell(line.matches, { class: "number" }),
    cell(line.groups),
    someFault(all) && cell(faultsAndEnd(line), { class: "remark" }),
  );
}

function isRated(standings) {
  return standings.every((line) => line.rating !== null);
}

function ratingCell({ rating, mu, sigma }) {
  return cell(rounded(rating, 2), { class: "number", title: `mu ${rounded(mu, 2)}, sigma ${rounded(sigma, 2)}` });
}

function scoreInterval(score) {
  return `95 % interval ${rounded(score.low, 1)} to ${rounded(score.high, 1)}`;
}

function someFault(standings) {
  return standings.some((line) => line.withdrawn || Object.keys(line.faults).length);
}

function faultsAndEnd({ faults, withdrawn }) {
  const counts = Object.entries(faults).map(([kind, number]) => `${number} ${kind}`);
  return [counts.join(", "), withdrawn && `withdrawn: ${withdrawn}`].filter(Boolean).join("; ");
}

// What is stored and yet no part of the figures.
function uncountedMatches({ uncounted: { withdrawn, unfinished }, stored }) {
  const reasons = [
    withdrawn && `${withdrawn} because somebody in the block had been withdrawn before`,
    unfinished && `${unfinished} because the block is not complete`,
  ].filter(Boolean);
  return reasons.length ? [h("p", { class: "hint" }, `Of ${stored} stored matches ${withdrawn + unfinished} do not count: ${reasons.join(", ")}.`)] : [];
}

function uncountedFaults({ faults }) {
  return faults ? [h("p", { class: "hint" }, `This is about all stored matches; ${plural(faults, "fault")} happened in matches that do not count, and the standings leave them out.`)] : [];
}

function basis({ matches, blocks, units, gain }) {
  return h(
    "p",
    { class: "hint" },
    `${plural(matches, "match", "matches")} in ${plural(blocks, "complete block")}, ${plural(units, "independent deal")}. `,
    `A match of a duplicate deal was worth ${gain < 100 ? rounded(gain, 1) : "100 or more"} independent ones.`,
  );
}
