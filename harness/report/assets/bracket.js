// Rounds: the bracket of a knockout, or who met whom in a Swiss, with points and tie-breaks.

function hasRounds({ bracket, standings }) {
  return Boolean(bracket?.length || standings.some((line) => line.meetings?.length));
}

function rounds({ bracket, standings }) {
  return bracket ? bracketRounds(bracket, standings) : swissRounds(standings);
}

// ---- A knockout

function bracketRounds(bracket, standings) {
  const painted = new Map(standings.map((line, number) => [line.name, colour(number)]));
  return [
    scrolling("Bracket", h("div", { class: "bracket" }, besideEachOther(bracket).map((round) => bracketRound(round, painted)))),
    h("p", { class: "hint" }, "A table is decided by points, then matches won, then the sum of scores, then by lot."),
  ];
}

// Ties whose winners met lie beside each other, whatever order they were seated in.
function besideEachOther(bracket) {
  return bracket.reduceRight((later, round) => [{ ...round, ties: later.length ? byNextTie(round.ties, later[0].ties) : round.ties }, ...later], []);
}

function byNextTie(ties, next) {
  const goingOn = ({ lines }) => lines.filter((line) => line.goes_on).map((line) => line.name);
  const places = new Map(next.flatMap(({ lines }, at) => lines.map(({ name }) => [name, at])));
  const place = (tie) => Math.min(next.length, ...goingOn(tie).map((name) => places.get(name) ?? next.length));
  return [...ties].sort((one, other) => place(one) - place(other));
}

function bracketRound({ name, ties, byes, returned, is_over }, painted) {
  return h(
    "div",
    { class: "round" },
    h("h3", {}, capitalised(name), !is_over && h("span", { class: "hint" }, " in play")),
    h("div", { class: "ties" }, ties.map((tie) => tieCard(tie, painted))),
    byes.length > 0 && h("p", { class: "hint" }, "bye: ", byes.map((bot, at) => [at ? ", " : "", words(bot)])),
    returned.length > 0 && h("p", { class: "hint" }, "came back: ", returned.map((bot, at) => [at ? ", " : "", words(bot)])),
  );
}

function tieCard({ lines, decided_by }, painted) {
  const rows = lines.map((line) =>
    h(
      "li",
      { class: line.goes_on ? "through" : null, title: `${plural(line.won, "match", "matches")} won, scores ${line.score}` },
      dot(painted.get(line.name) ?? "var(--muted)"),
      h("span", { class: "whose" }, words(line.name)),
      h("span", { class: "points" }, rounded(line.points, 2)),
      line.goes_on && h("span", { class: "unseen" }, " goes on"),
    ),
  );
  const by = decided_by && decided_by !== "points" ? h("p", { class: "hint" }, `by ${decided_by}`) : null;
  return h("div", { class: "tie" }, h("ol", {}, rows), by);
}

// ---- A Swiss

const SHOWN_ROUNDS = 12;

function swissRounds(standings) {
  const played = Math.max(...standings.map((line) => line.meetings.length));
  const first = Math.max(0, played - SHOWN_ROUNDS);
  const shown = range(played - first).map((at) => first + at);
  const head = [
    columnHead("Bot"),
    columnHead("Points", { class: "number" }),
    columnHead("Buchholz", { class: "number", title: "The mean points of the opponents" }),
    ...shown.map((round) => columnHead(`Round ${round + 1}`)),
  ];
  const rows = standings.map((line, number) =>
    h(
      "tr",
      {},
      rowHead(line.name, colour(number)),
      cell(rounded(line.points, 2), { class: "number" }),
      cell(rounded(line.buchholz, 2), { class: "number" }),
      shown.map((round) => meetingCell(line.meetings[round])),
    ),
  );
  const left = first ? ` The last ${SHOWN_ROUNDS} of ${played} rounds are shown.` : "";
  return [
    table("Points and meetings, round by round", head, rows),
    h("p", { class: "hint" }, `Points, then Buchholz (the mean points of the opponents), then the lot. A round without a table is worth a half.${left}`),
  ];
}

function meetingCell(meeting) {
  if (!meeting) return cell("");
  const others = meeting.others.length ? meeting.others.map((name, at) => [at ? ", " : "", words(shortened(name, 14))]) : "bye";
  return cell([h("strong", {}, rounded(meeting.points, 2)), " ", h("span", { class: "hint", title: meeting.others.join(", ") }, others)]);
}
