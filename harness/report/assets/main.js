// The report: data in, sections out.

function start(data) {
  const { standings } = data;
  heading(data, standings.tournament, standings.standings.length);
  themeButton(byId("theme"));
  const stored = new StoredMatches(data);
  const find = ({ block, rotation }) => data.matches.find((match) => match.block === block && match.rotation === rotation);
  fillSections(data, (fault) => Boolean(find(fault)), (fault) => {
    stored.open(find(fault), EVERYTHING, fault.turn + 1);
    byId("matches").scrollIntoView();
  });
  if (data.matches.length) stored.openAsked();
}

// The matches that are part of the file.
class StoredMatches {
  constructor({ standings, matches, stored, scored_by }) {
    this.matches = matches;
    if (!matches.length) {
      fill("matches", h("p", { class: "hint" }, `None of the ${stored} matches is part of this file; dalang report --matches N puts some in.`));
      return;
    }
    for (const match of matches) match.colours = seatColours(match.names, standings.standings);
    this.choice = h("select", { id: "match", on: { change: () => this.open(matches[this.choice.value]) } }, matches.map(matchOption));
    this.viewer = new Viewer([h("label", { for: "match" }, "Match"), this.choice], scored_by);
    fill("matches", this.remark(stored), this.luckiest(), this.viewer.root);
  }

  open(match, seat, at) {
    this.choice.value = this.matches.indexOf(match);
    return this.viewer.open(match, seat, at);
  }

  openAsked() {
    const asked = askedFor();
    const match = asked && this.matches.find(({ block, rotation }) => block === asked.block && rotation === asked.rotation);
    if (!match) return this.open(this.matches[0]);
    this.open(match, asked.seat, asked.step);
    byId("matches").scrollIntoView();
  }

  luckiest() {
    const seats = this.matches.flatMap((match) => (match.luck ?? []).map((luck, seat) => ({ match, seat, luck })));
    if (!seats.length) return [];
    seats.sort((one, other) => other.luck - one.luck);
    const shown = [["Luckiest", seats[0]], ["unluckiest", seats[seats.length - 1]]];
    const told = shown.map(([word, { match, seat, luck }], number) => [
      number ? "; " : "",
      `${word}: `,
      words(match.names[seat]),
      " in ",
      h("button", { type: "button", class: "moment", on: { click: () => this.open(match) } }, `${match.block}.${match.rotation}`),
      `, ${signedPlaces(luck)}`,
    ]);
    return [h("p", { class: "hint" }, told, ", against all that might have been drawn.")];
  }

  remark(stored) {
    const part = this.matches.length < stored ? `${this.matches.length} of ${stored}` : `All ${stored}`;
    const more = this.matches.length < stored ? "; dalang report --matches N shows more" : "";
    return h("p", { class: "hint" }, `${part} stored matches can be stepped through${more}. Arrow keys step, Home and End jump.`);
  }
}

function matchOption(match, number) {
  const fault = match.faults.length ? " ⚠" : "";
  return h("option", { value: number }, `Block ${match.block}, rotation ${match.rotation}: ${match.names.join(", ")}${fault}`);
}

start(JSON.parse(byId("data").textContent));
