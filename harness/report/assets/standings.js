// The standings: who is better, and how sure that is.

const AT_ONE_LOOK = "Intervals and groups are for one look at a finished tournament.";
const AT_EVERY_LOOK = "Not finished, or longer than agreed on at first: intervals and groups hold at every look, and are wider for it.";
const DEALS_FOR_SCORES = 20;

function standingsTable({ standings, order, live, cycle, outlook }) {
  const rows = standings.map((line, number) => standingsRow(line, colour(number), standings));
  const head = [
    columnHead("Place", { class: "number" }),
    columnHead("Bot"),
    isRated(standings) && columnHead("Skill", { class: "number", title: "TrueSkill, mu: what is believed of its skill" }),
    columnHead("Strength", { class: "number", title: "The share of the others it would beat if it met all equally often" }),
    columnHead("95 % interval", { class: "wide" }),
    columnHead("Beats", { class: "number", title: "The share of the others it beat" }),
    columnHead("Score", { class: "number" }),
    columnHead("Wins", { class: "number" }),
    columnHead("Matches", { class: "number" }),
    columnHead("Group", { title: "Bots that share a letter cannot be told apart" }),
  ];
  return [
    tableOfCards("Standings", [...head, someFault(standings) && columnHead("Faults")], rows),
    h("p", { class: "hint" }, `Places by ${order}. Strength: the share of the others it would beat if it met all equally often. Bots that share a group letter cannot be told apart.`),
    h("p", { class: "hint" }, live ? AT_EVERY_LOOK : AT_ONE_LOOK),
    ...(outlook ? [h("p", { class: "hint" }, outlook.words)] : []),
    ...(cycle.length ? [h("p", { class: "hint" }, `Not transitive, and no accident: ${cycle.map(beating).join(", ")}.`)] : []),
  ];
}

function standingsRow(line, paintedWith, all) {
  return h(
    "tr",
    { class: line.withdrawn ? "withdrawn" : null },
    cell(line.place, { class: "number" }),
    rowHead(line.name, paintedWith),
    isRated(all) && ratingCell(line),
    cell(line.blocks ? percent(line.strength.mean, 1) : "–", { class: "number" }),
    cell(line.blocks ? whisker(line.strength, paintedWith) : "", { class: "wide" }),
    cell(line.blocks ? percent(line.beats.mean, 1) : "–", { class: "number" }),
    cell(line.blocks ? rounded(line.score.mean, 1) : "–", { class: "number", title: scoreInterval(line) }),
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
  return cell(rounded(mu, 2), { class: "number", title: `sigma ${rounded(sigma, 2)}, rating (mu − 3 sigma) ${rounded(rating, 2)}` });
}

function beating({ row, column, result }) {
  return `${row} beats ${column} (${percent(result, 0)})`;
}

function scoreInterval({ score }) {
  if (score.low === null) return `no interval below ${DEALS_FOR_SCORES} deals or before the end`;
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
    `A match of a duplicate deal was worth ${rounded(gain.mean, 1)} independent ones (95 % from ${rounded(gain.low, 1)} to ${rounded(gain.high, 1)}).`,
  );
}
