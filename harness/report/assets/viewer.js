// The match viewer: one match, one seat's eyes, one step.

let viewers = 0;

class Viewer {
  constructor(chooser, scoredBy) {
    this.chooser = chooser; // elements with which a match is chosen; whoever made them calls `open`
    this.scoredBy = scoredBy;
    this.match = null;
    this.steps = [];
    this.seat = EVERYTHING;
    this.at = 0;
    this.timer = null;
    this.group = `eyes-${viewers++}`;
    this.build();
  }

  // ---- Its parts

  build() {
    this.eyes = h("fieldset", { class: "eyes" });
    this.stage = h("div", { class: "stage" });
    this.happened = h("div", { class: "happened" });
    this.slider = h("input", { type: "range", min: 0, "aria-label": "Step", on: { input: () => this.goto(Number(this.slider.value)) } });
    this.log = h("ol", { class: "log", tabindex: 0, "aria-label": "The whole match in English" });
    this.raw = h("pre", { tabindex: 0 });
    this.details = h("details", { class: "raw", on: { toggle: () => this.showRaw() } }, h("summary", {}, "What was seen, as data"), this.raw);
    this.result = h("div", { class: "result" });
    this.root = h(
      "div",
      { class: "viewer", tabindex: 0, role: "group", "aria-label": "Match viewer. Arrow keys step, Home and End jump.", on: { keydown: (event) => this.onKey(event) } },
      h("div", { class: "chooser" }, this.chooser, this.eyes),
      h(
        "div",
        { class: "table-and-log" },
        h("div", { class: "board" }, this.happened, this.stage, this.transport()),
        h("div", { class: "telling" }, this.result, this.log, this.details),
      ),
    );
  }

  transport() {
    const button = (label, sign, act) => h("button", { type: "button", "aria-label": label, title: label, on: { click: act } }, buttonSign(sign));
    this.playButton = button("Play", "play", () => this.togglePlay());
    this.faultButton = button("Next fault", "fault", () => this.nextFault());
    this.counter = h("output", { class: "counter", "aria-live": "off" });
    return h(
      "div",
      { class: "transport" },
      button("First step", "first", () => this.goto(0)),
      button("Step back", "back", () => this.goto(this.at - 1)),
      this.playButton,
      button("Step forward", "forward", () => this.goto(this.at + 1)),
      button("Last step", "last", () => this.goto(Infinity)),
      this.faultButton,
      this.slider,
      this.counter,
    );
  }

  // ---- Choosing

  async open(match, seat = EVERYTHING, at = 0) {
    this.lay(match);
    const found = await unpacked(match.steps);
    if (this.match !== match) return;
    this.problem = found.problem;
    this.steps = found.steps ?? [];
    this.luck = found.luck ?? {};
    this.seat = seat in match.names ? seat : EVERYTHING;
    this.eyes.replaceChildren(h("legend", {}, "Seen by"), this.eye(EVERYTHING), ...match.names.map((_, number) => this.eye(number)));
    this.result.replaceChildren(resultTable(match, this.scoredBy));
    this.look(this.seat, at);
    this.isOpen = true;
  }

  // A match that is still being played, of which nothing is known yet.
  follow(match, seat) {
    this.lay(match);
    this.seat = seat;
    this.views = [];
    this.eyes.replaceChildren();
    this.result.replaceChildren(h("p", { class: "hint" }, seat === ONLOOKER ? "Seen is what every seat knows." : "Everything is seen."));
    this.log.replaceChildren();
    this.happened.replaceChildren();
    this.stage.replaceChildren();
  }

  // What has happened since; whoever looks at the last step goes on with it.
  grow(steps) {
    const wasLast = this.at >= this.steps.length - 1;
    const begin = this.steps.length;
    this.steps.push(...steps);
    this.views.push(...viewsOf(steps, this.seat, this.views.at(-1)));
    this.log.append(...steps.map((step, number) => this.logEntry(step, begin + number)));
    this.goto(wasLast ? Infinity : this.at, false);
  }

  // Everything ready for this match.
  lay(match) {
    this.stop();
    this.isOpen = false;
    this.match = match;
    this.problem = null;
    this.steps = [];
    this.luck = {};
    this.faults = [];
    this.faultButton.hidden = true;
    this.at = 0;
  }

  eye(seat) {
    const name = seat === EVERYTHING ? "the dalang: everything" : words(this.match.names[seat]);
    const radio = h("input", { type: "radio", name: this.group, value: seat, checked: seat === this.seat, on: { change: () => this.look(seat, this.at) } });
    return h("label", {}, radio, h("span", {}, seat !== EVERYTHING && dot(this.match.colours[seat]), name));
  }

  look(seat, at) {
    this.seat = seat;
    this.views = viewsOf(this.steps, seat);
    this.faults = this.match.faults.filter((fault) => isPrivy(fault, seat));
    this.faultButton.hidden = !this.faults.length;
    this.log.replaceChildren(...this.steps.map((step, number) => this.logEntry(step, number)));
    this.goto(at);
  }

  logEntry(step, number) {
    const told = sentences(step, this.seat);
    const faults = this.faults.filter((fault) => fault.turn + 1 === number);
    return h(
      "li",
      { value: number, class: faults.length ? "fault" : null, on: { click: () => this.goto(number) } },
      faults.map((fault) => h("p", { class: "broke" }, words(this.match.names[fault.seat]), ` broke the contract: ${fault.kind}. A stand-in plays on.`)),
      told.length ? told.map((sentence) => h("p", {}, words(sentence))) : h("p", { class: "quiet" }, silence(number)),
      step.note && isPrivy(step, this.seat) && h("p", { class: "note" }, "“", words(step.note), "”"),
    );
  }

  // ---- Stepping

  // Read aloud is what somebody has asked for, and not what goes on by itself, which would never stop.
  goto(at, isAsked = true) {
    this.happened.setAttribute("aria-live", isAsked ? "polite" : "off");
    if (this.problem) {
      this.happened.replaceChildren(h("p", {}, `This match cannot be shown: ${this.problem}`));
      this.stage.replaceChildren();
      return;
    }
    if (!this.steps.length) return; // it is still being unpacked, or nothing of it was told yet
    this.at = Math.max(0, Math.min(Math.trunc(at) || 0, this.steps.length - 1));
    this.slider.max = Math.max(0, this.steps.length - 1);
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `step ${this.at} of ${this.steps.length - 1}`);
    this.counter.value = `${this.at} / ${this.steps.length - 1}`;
    this.showStep();
    this.markLog();
    this.showRaw();
    if (this.isOpen) this.writeAddress();
    if (this.at === this.steps.length - 1) this.stop();
  }

  showStep() {
    const step = this.steps[this.at];
    const told = sentences(step, this.seat);
    this.happened.replaceChildren(
      this.deciding(step),
      h("p", { class: "told" }, told.length ? told.map((sentence) => [words(sentence), " "]) : silence(this.at)),
      ...(step.note && isPrivy(step, this.seat) ? [h("blockquote", { class: "note" }, words(step.note))] : []),
      ...(this.seat === EVERYTHING && this.luck[this.at] ? [luckBars(this.match, this.luck[this.at])] : []),
      this.following(this.views[this.at]),
    );
    this.stage.replaceChildren(...drawn(this.views[this.at], this.match));
  }

  deciding(step) {
    if (step.seat === undefined) return h("p", { class: "who" }, "Before the first decision");
    const facts = [`decides “${step.decision.replaceAll("_", " ")}”`];
    if (isPrivy(step, this.seat)) facts.push(...decisionFacts(step));
    return h("p", { class: "who" }, dot(this.match.colours[step.seat]), h("strong", {}, words(this.match.names[step.seat])), ` ${facts.join(", ")}`);
  }

  following({ asked, decision }) {
    const next = asked < 0 ? "The game is over." : ["Next: ", words(this.match.names[asked]), `, “${decision.replaceAll("_", " ")}”`];
    return h("p", { class: "who" }, next);
  }

  markLog() {
    this.log.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const entry = this.log.children[this.at];
    entry.setAttribute("aria-current", "step");
    cancelAnimationFrame(this.scrolling);
    this.scrolling = requestAnimationFrame(() => {
      this.log.scrollTop = entry.offsetTop - this.log.clientHeight / 2 + entry.offsetHeight / 2;
    });
  }

  showRaw() {
    if (this.details.open && !this.problem) this.raw.textContent = JSON.stringify(this.views[this.at], null, 1);
  }

  // So that a moment can be shared; merely to have opened a match is no moment, and browsers dislike haste.
  writeAddress() {
    clearTimeout(this.writing);
    const address = `#match=${this.match.block}.${this.match.rotation}&seat=${this.seat}&step=${this.at}`;
    this.writing = setTimeout(() => history.replaceState(null, "", address), 200);
  }

  nextFault() {
    const turns = this.faults.map((fault) => fault.turn + 1).sort((one, other) => one - other);
    this.goto(turns.find((turn) => turn > this.at) ?? turns[0]);
  }

  // ---- Time and keys

  togglePlay() {
    if (this.timer) return this.stop();
    if (this.at === this.steps.length - 1) this.goto(0);
    this.timer = setInterval(() => this.goto(this.at + 1, false), 700);
    this.dressPlayButton("Pause", "pause");
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.dressPlayButton("Play", "play");
  }

  dressPlayButton(label, sign) {
    this.playButton.replaceChildren(buttonSign(sign));
    this.playButton.setAttribute("aria-label", label);
    this.playButton.title = label;
  }

  onKey(event) {
    const target = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: Infinity }[event.key];
    const busy = event.target.matches("select, input[type=radio], pre") || event.ctrlKey || event.altKey || event.metaKey;
    if (target === undefined || busy) return;
    event.preventDefault();
    this.goto(target);
  }
}

// The table as the game's own script draws it; a step that it cannot draw does not take the others along.
function drawn(view, match) {
  try {
    return drawTable(view, match);
  } catch (error) {
    return [h("p", { class: "hint" }, `The drawing of this game has a fault here: ${error.message}`)];
  }
}

function capitalised(word) {
  return word[0].toUpperCase() + word.slice(1);
}

// What the draws of a step were worth, against all that might have been drawn.
function luckBars(match, luck) {
  const bars = luck.map((places, seat) =>
    h("li", {}, dot(match.colours[seat]), words(match.names[seat]), h("meter", { min: 0, max: match.names.length - 1, value: Math.abs(places), class: places < 0 ? "unlucky" : "lucky" }), signedPlaces(places)),
  );
  return h("ul", { class: "luck", "aria-label": "What luck did" }, bars);
}

function signedPlaces(places) {
  return `${places < 0 ? "−" : "+"}${Math.abs(places).toFixed(2)} places`;
}

function decisionFacts({ moves, ms, stand_in }) {
  return [
    stand_in && "by its stand-in",
    moves > 1 ? `one of ${moves} moves` : "the only move",
    ms !== undefined && `in ${milliseconds(ms)}`,
  ].filter(Boolean);
}

// What there is to say where no event was seen.
function silence(number) {
  return number ? "Nothing that could be seen." : "The table is laid.";
}

const BUTTON_SIGNS = {
  first: "M3 3V13M13 3L6 8L13 13Z",
  back: "M11 3L4 8L11 13Z",
  play: "M4 2.5L13 8L4 13.5Z",
  pause: "M5 3V13M11 3V13",
  forward: "M5 3L12 8L5 13Z",
  last: "M13 3V13M3 3L10 8L3 13Z",
  fault: "M8 2L14.5 13.5H1.5ZM8 6V9.5M8 11.5V11.6",
};

function buttonSign(name) {
  return s("svg", { viewBox: "0 0 16 16", class: `sign ${name}`, "aria-hidden": "true" }, s("path", { d: BUTTON_SIGNS[name] }));
}

function resultTable(match, scoredBy) {
  const seats = match.names.map((name, seat) => ({ name, seat })).sort((one, other) => match.ranks[one.seat] - match.ranks[other.seat]);
  const kinds = new Map(match.faults.map((fault) => [fault.seat, fault.kind]));
  const head = [columnHead("Place", { class: "number" }), columnHead("Bot"), columnHead("Seat", { class: "number" }), columnHead(capitalised(scoredBy), { class: "number" })];
  if (match.luck) head.push(columnHead("Luck", { class: "number", title: "Places that the draws were worth, against all that might have been drawn" }));
  const rows = seats.map(({ name, seat }) =>
    h(
      "tr",
      {},
      cell(match.ranks[seat], { class: "number" }),
      rowHead(name, match.colours[seat]),
      cell(seat, { class: "number" }),
      cell([match.scores[seat], kinds.has(seat) && h("span", { class: "kind" }, kinds.get(seat))], { class: "number" }),
      match.luck && cell(signedPlaces(match.luck[seat]), { class: "number" }),
    ),
  );
  return table("How it ended", head, rows);
}
