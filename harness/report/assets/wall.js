// The matches that are being played: a wall of tables, any of which can be followed move by move.

const MOST_PICTURES = 12;

class WallOfTables {
  constructor(scoredBy, options, openFinished) {
    this.options = options;
    this.openFinished = openFinished;
    this.standings = [];
    this.finished = [];
    this.cards = new Map(); // by place
    this.tables = h("div", { class: "wall" });
    this.remark = h("p", { class: "hint" });
    this.viewer = new Viewer([], scoredBy);
    this.followed = h("div", { class: "followed", hidden: true }, this.whatIsFollowed(), this.viewer.root);
    fill("now", this.remark, this.tables, this.followed);
  }

  // Beside the viewer: there may be something to say of a match that cannot be shown.
  whatIsFollowed() {
    const button = (text, act) => h("button", { type: "button", on: { click: act } }, text);
    this.title = h("strong", {});
    this.allOfIt = button("See all of it", () => this.openFinished(this.ended));
    this.later = h("span", { class: "hint" }, "All of it later: its deal is still being played.");
    this.after = h("span", { class: "after" }, button("Follow the next at this table", () => this.followNext()), this.allOfIt, this.later);
    return h("div", { class: "chooser" }, this.title, this.after, button("Stop following", () => this.leave()));
  }

  show({ tables, places, delay, open_hands }) {
    this.remark.textContent = wallInWords(tables.length, places, delay, open_hands);
    this.latest = tables;
    const taken = new Set(tables.map((table) => table.place));
    for (const [place, card] of this.cards) if (!taken.has(place)) this.removeCard(place, card);
    tables.forEach((table, number) => this.showCard(table, number));
  }

  removeCard(place, card) {
    card.root.remove();
    this.cards.delete(place);
  }

  // What stays is not moved: that would take the focus from it.
  showCard(table, number) {
    if (!this.cards.has(table.place)) this.cards.set(table.place, new TableCard(table.place, (shown) => this.follow(shown)));
    const card = this.cards.get(table.place);
    card.show(table, seatColours(table.names, this.standings), this.options, number < MOST_PICTURES);
    if (this.tables.children[number] !== card.root) this.tables.insertBefore(card.root, this.tables.children[number]);
  }

  // What the file has of late, and who is who there.
  learn(standings, finished) {
    this.standings = standings;
    this.finished = finished;
    this.offer();
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
    this.viewer.root.hidden = this.followed.hidden = false;
    this.viewer.follow(this.match, match.open_hands ? EVERYTHING : ONLOOKER);
    this.followed.scrollIntoView({ block: "nearest" });
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
    this.end(this.match);
  }

  // It went by before it could be followed.
  lost(block, rotation) {
    if (this.source?.readyState !== EventSource.CLOSED && this.match) return;
    this.stop();
    this.title.textContent = `Match ${block}.${rotation} was over before it could be followed`;
    this.viewer.root.hidden = !this.match;
    this.followed.hidden = false;
    this.end({ block, rotation });
  }

  end(match) {
    this.ended = match;
    this.offer();
  }

  offer() {
    this.after.hidden = !this.ended;
    const known = this.ended && this.finished.find(({ block, rotation }) => block === this.ended.block && rotation === this.ended.rotation);
    this.allOfIt.hidden = known?.open === false;
    this.later.hidden = !this.allOfIt.hidden;
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
    this.end(null);
    clearTimeout(this.going);
    this.going = null;
    this.coming = [];
    this.followed.hidden = true;
  }
}

// One place of the wall: what is told there changes, the card and its button stay under whoever is about to press it.
class TableCard {
  constructor(place, follow) {
    this.name = `Table ${place + 1}`;
    this.told = h("div", { class: "at-table-told" });
    const button = h("button", { type: "button", "aria-label": `Follow table ${place + 1}`, on: { click: () => follow(this.table) } }, "Follow");
    this.root = h("article", { class: "at-table", "aria-label": this.name }, this.told, button);
  }

  show(table, colours, options, isDrawn) {
    this.table = table;
    const picture = table.view && isDrawn && drawn(table.view, { names: table.names, options, colours })[0];
    const parts = [
      h("h3", {}, this.name, h("span", { class: "hint" }, `match ${table.block}.${table.rotation}, decision ${table.turn}`)),
      h("p", { class: "sitting" }, table.names.map((name, seat) => h("span", { class: seat === table.asked ? "asked" : null }, dot(colours[seat]), words(name)))),
      picture && h("div", { class: "small-picture", "aria-hidden": "true" }, picture),
      h("p", { class: "told" }, table.told.map((sentence) => [words(sentence), " "])),
    ];
    this.told.replaceChildren(...parts.filter(Boolean));
  }
}

function wallInWords(number, places, delay, openHands) {
  const later = delay ? `, as they were ${plural(delay, "second")} ago` : "";
  const seen = openHands ? "All hands are shown." : "Shown is what every seat knows.";
  return `${plural(number, "match", "matches")} at ${plural(places, "table")}${later}. ${seen}`;
}
