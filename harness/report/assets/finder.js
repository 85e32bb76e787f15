// Finished matches of a live page: the latest as a list, and any of them by its number; each is loaded when it is opened.

class Finder {
  constructor(scoredBy) {
    this.standings = [];
    this.number = h("input", { id: "which", type: "text", inputmode: "decimal", pattern: "\\d+\\.\\d+", placeholder: "12.0", size: 9, "aria-describedby": "which-hint" });
    this.form = h(
      "form",
      { class: "finder", on: { submit: (event) => this.submit(event) } },
      h("label", { for: "which" }, "Match"),
      this.number,
      h("button", { type: "submit" }, "Open"),
      h("span", { class: "hint", id: "which-hint" }, "block and rotation, as in 12.0"),
    );
    this.problem = h("p", { class: "problem", role: "alert" });
    this.list = h("div", { class: "latest" });
    this.viewer = new Viewer([], scoredBy);
    this.viewer.root.hidden = true;
    this.room = h("p", { class: "hint" }); // where matches are files, not all of them need be there
    fill("matches", this.form, this.room, this.problem, this.viewer.root, this.list);
  }

  show({ latest, written, stored }, standings) {
    this.standings = standings;
    this.room.textContent = written < stored ? `${written.toLocaleString("en")} of ${plural(stored, "match", "matches")} can be opened here.` : "";
    const head = [columnHead("Match"), columnHead("Bots, best first"), columnHead("")];
    const rows = latest.map((match) => this.row(match));
    keepingPlace(byId("matches"), () => this.list.replaceChildren(rows.length ? table("The latest matches", head, rows) : h("p", { class: "hint" }, "No match is finished yet.")));
  }

  row(match) {
    const seats = match.names.map((name, seat) => ({ name, seat })).sort((one, other) => match.ranks[one.seat] - match.ranks[other.seat]);
    const colours = seatColours(match.names, this.standings);
    const told = seats.map(({ name, seat }) => h("span", { class: "sat" }, dot(colours[seat]), words(name), ` ${match.scores[seat]} `, match.faults[seat] && h("span", { class: "kind" }, match.faults[seat])));
    const open = match.open
      ? h("button", { type: "button", "aria-label": `Open match ${match.block}.${match.rotation}`, on: { click: () => this.open(match) } }, "Open")
      : h("span", { class: "hint", title: "Its deal is still being played" }, "later");
    return h("tr", {}, h("th", { scope: "row" }, `${match.block}.${match.rotation}`), cell(told, { class: "remark" }), cell(open));
  }

  submit(event) {
    event.preventDefault();
    const [block, rotation] = this.number.value.trim().split(".").map(Number);
    this.open({ block, rotation: rotation ?? 0 });
  }

  async open({ block, rotation }, seat, at) {
    const { match, problem } = await loaded(block, rotation);
    this.problem.textContent = problem ? `Match ${block}.${rotation} cannot be opened: ${problem}.` : "";
    if (!match) return this.problem.scrollIntoView({ block: "center" });
    this.number.value = `${block}.${rotation}`;
    match.colours = seatColours(match.names, this.standings);
    this.viewer.root.hidden = false;
    await this.viewer.open(match, seat, at);
    byId("matches").scrollIntoView();
  }
}

// The match, or the problem with it.
async function loaded(block, rotation) {
  const refused = { problem: "it is not there, not finished, damaged, or its deal is still being played" };
  if (!Number.isInteger(block) || !Number.isInteger(rotation)) return refused;
  try {
    const answer = await fetch(`match/${block}.${rotation}.json`);
    return answer.ok ? { match: await answer.json() } : refused;
  } catch {
    return { problem: "the host cannot be reached; try again later" };
  }
}
