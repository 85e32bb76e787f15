// A league: a table for each division, who is not placed yet, and who was withdrawn and what was refused why.

function leagueTables({ lines, refused, rounds }) {
  const divisions = [...new Set(lines.map((line) => line.division))].filter(Boolean).sort((one, other) => one - other);
  const waiting = lines.filter((line) => !line.division && !line.withdrawn);
  const out = lines.filter((line) => line.withdrawn);
  return [
    h("p", { class: "hint" }, `${plural(rounds, "round")} so far. Ratings are above those of the anchors, which stay the same from season to season.`),
    divisions.map((division) => leagueTable(divisions.length > 1 ? `Division ${division}` : "The league", lines.filter((line) => line.division === division))),
    waiting.length > 0 && leagueTable("Not placed yet", waiting),
    reasons("Withdrawn", out.map(({ bot, withdrawn }) => [bot, withdrawn])),
    reasons("Refused", refused.map(({ name, headline }) => [name, headline])),
  ];
}

function leagueTable(title, lines) {
  const head = ["Place", "Bot", "Rating", "Strength", "Blocks", "Remark"].map((text) => columnHead(text));
  return [h("h3", {}, title), tableOfCards(title, head, lines.map(leagueRow))];
}

function leagueRow({ place, bot, rating, strength, blocks, is_anchor }) {
  const cells = [rating === null ? "–" : signed(rating), strength, blocks, is_anchor ? "anchor" : ""];
  return h("tr", {}, h("td", {}, place ?? "–"), rowHead(bot), cells.map((cell) => h("td", {}, cell)));
}

function signed(number) {
  return `${number < 0 ? "−" : "+"}${rounded(Math.abs(number), 2)}`;
}

function reasons(title, named) {
  return named.length > 0 && [h("h3", {}, title), h("dl", {}, named.map(([name, reason]) => [h("dt", {}, words(name)), h("dd", {}, words(reason))]))];
}
