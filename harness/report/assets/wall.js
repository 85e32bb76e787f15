// The matches that are being played: a wall of tables, any of which can be followed move by move.

const MOST_PICTURES = 12;

class WallOfTables {
  constructor(scoredBy, options, openFinished) {
    this.options = options;
    this.openFinished = openFinished;
    this.standings = [];
    this.tables = h("div", { class: "wall" });
    this.remark = h("p", { class: "hint" });
    this.title = h("strong", {});
    this.after = h("span", { class: "after" });
    this.viewer = new Viewer([this.title, this.after, h("button", { type: "button", on: { click: () => this.leave() } }, "Stop following")], scoredBy);
    this.viewer.root.hidden = true;
    fill("now", this.remark, this.tables, this.viewer.root);
  }

  show({ tables, places, delay, open_hands }) {
    this.remark.textContent = wallInWords(tables.length, places, delay, open_hands);
    this.latest = tables;
    keepingPlace(byId("now"), () => this.tables.replaceChildren(...tables.map((table, number) => this.card(table, number))));
  }

  card(table, number) {
    const match = { names: table.names, options: this.options, colours: seatColours(table.names, this.standings) };
    const picture = table.view && number < MOST_PICTURES ? drawn(table.view, match)[0] : null;
    return h(
      "article",
      { class: "at-table", "aria-label": `Table ${table.place + 1}` },
      h("h3", {}, `Table ${table.place + 1}`, h("span", { class: "hint" }, ` match ${table.block}.${table.rotation}, decision ${table.turn}`)),
      h("p", { class: "sitting" }, table.names.map((name, seat) => h("span", { class: seat === table.asked ? "asked" : null }, dot(match.colours[seat]), words(name)))),
      picture && h("div", { class: "small-picture", "aria-hidden": "true" }, picture),
      h("p", { class: "told" }, table.told.map((sentence) => [words(sentence), " "])),
      h("button", { type: "button", "aria-label": `Follow table ${table.place + 1}`, on: { click: () => this.follow(table) } }, "Follow"),
    );
  }

  // ---- Following

  follow({ block, rotation, place }) {
    this.leave();
    this.place = place;
    this.following = { block, rotation, place };
    this.source = new EventSource(`follow/${block}.${rotation}`);
    this.news = Promise.resolve();
    this.hear("match", (match) => this.begin(match));
    this.hear("steps", (steps) => this.take(steps));
    this.hear("over", (result) => this.finish(result));
    this.source.addEventListener("error", () => this.lost(block, rotation));
  }

  // One after the other, however long it takes to unpack; nothing of a match that was left meanwhile.
  hear(sort, take) {
    const { source } = this;
    source.addEventListener(sort, (event) => {
      this.news = this.news.then(async () => {
        const told = await unpacked(event.data);
        if (this.source === source) take(told);
      });
    });
  }

  begin(match) {
    this.match = { ...match, faults: [], options: this.options, colours: seatColours(match.names, this.standings) };
    this.coming = [];
    this.title.textContent = `Table ${this.place + 1}, match ${match.block}.${match.rotation}`;
    this.after.replaceChildren();
    this.viewer.root.hidden = false;
    this.viewer.follow(this.match, match.open_hands ? EVERYTHING : ONLOOKER);
    this.viewer.root.scrollIntoView({ block: "nearest" });
  }

  // What came at once is shown one by one, as quickly as it must be.
  take(steps) {
    if (!this.viewer.steps.length) return this.viewer.grow(steps);
    this.coming.push(...steps);
    this.pace = Math.max(40, Math.min(500, 900 / this.coming.length));
    if (!this.going) this.goOn();
  }

  goOn() {
    const step = this.coming.shift();
    if (step) this.viewer.grow([step]);
    this.going = this.coming.length ? setTimeout(() => this.goOn(), this.pace) : null;
  }

  finish({ ranks, scores }) {
    this.stop();
    clearTimeout(this.going);
    this.going = null;
    if (this.coming.length) this.viewer.grow(this.coming.splice(0));
    if (ranks) this.viewer.result.replaceChildren(resultTable({ ...this.match, ranks, scores }, this.viewer.scoredBy));
    this.offer(this.match);
  }

  // It went by before it could be followed.
  lost(block, rotation) {
    if (this.source?.readyState !== EventSource.CLOSED && this.match) return;
    this.stop();
    this.title.textContent = `Match ${block}.${rotation} was over before it could be followed`;
    this.viewer.root.hidden = false;
    this.offer({ block, rotation });
  }

  offer(match) {
    this.after.replaceChildren(
      h("button", { type: "button", on: { click: () => this.followNext() } }, "Follow the next at this table"),
      h("button", { type: "button", on: { click: () => this.openFinished(match) } }, "See all of it"),
    );
  }

  followNext() {
    const next = this.latest.find((table) => table.place === this.place);
    if (next) this.follow(next);
  }

  // Hidden, nothing is followed; shown again, from where it is then.
  rest() {
    this.source?.close();
  }

  wake() {
    if (this.following) this.follow(this.following);
  }

  stop() {
    this.source?.close();
    this.following = null;
  }

  leave() {
    this.stop();
    this.source = this.match = null;
    clearTimeout(this.going);
    this.going = null;
    this.coming = [];
    this.viewer.root.hidden = true;
  }
}

function wallInWords(number, places, delay, openHands) {
  const later = delay ? `, as they were ${plural(delay, "second")} ago` : "";
  const seen = openHands ? "All hands are shown." : "Shown is what every seat knows.";
  return `${plural(number, "match", "matches")} at ${plural(places, "table")}${later}. ${seen}`;
}
