// The live page: told what is new, or where nobody can tell it, looking again and again. Hidden, it does neither.

const LOOK_AGAIN = 5000;
const TRY_AGAIN = [2000, 5000];
const FAULTS_AGAIN = 30000;
const LOST = "The connection is lost; trying again.";
const GONE = "The page has ended with the run.";
const source = document.body.dataset.source;

class LivePage {
  constructor() {
    this.seen = {};
    this.said = {};
    this.saying = [];
    this.faultsDue = 0;
    this.news = {};
    themeButton(byId("theme"));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.rest() : this.wake()));
    addEventListener("hashchange", () => this.openAsked());
    if (!document.hidden) this.listen();
  }

  // ---- News

  listen() {
    if (source === "files") return this.lookAgain();
    this.feed?.close();
    clearTimeout(this.waiting);
    this.feed = new EventSource("feed");
    this.feed.addEventListener("open", () => this.connected());
    this.hear("overview", (overview) => this.overview(overview));
    this.hear("wall", (wall) => this.showWall(wall));
    this.feed.addEventListener("ended", () => this.ended());
    this.feed.addEventListener("error", () => this.cutOff());
  }

  // The latest of each sort, though what came before may take longer to unpack.
  hear(sort, take) {
    this.feed.addEventListener(sort, async (event) => {
      this.news[sort] = event;
      const told = await unpacked(event.data);
      if (this.news[sort] === event) take(told);
    });
  }

  // To this run or to one that goes on where another ended; if it has ended too that is told once more.
  connected() {
    this.hasEnded = false;
    this.status("");
  }

  // A feed that was refused, as by a host that is full, is closed for good: only then the page must try again. Not all
  // pages do it at the same moment.
  cutOff() {
    this.status(this.hasEnded ? GONE : LOST);
    if (this.feed.readyState !== EventSource.CLOSED || document.hidden) return;
    const [soonest, latest] = TRY_AGAIN;
    this.waiting = setTimeout(() => this.listen(), soonest + Math.random() * (latest - soonest));
  }

  wake() {
    this.listen();
    this.wall?.wake();
  }

  rest() {
    this.feed?.close();
    this.wall?.rest();
    clearTimeout(this.waiting);
  }

  async lookAgain() {
    const found = await overviewFile();
    clearTimeout(this.waiting); // somebody may have hidden and shown it meanwhile
    if (document.hidden) return;
    this.status(found ? "" : LOST);
    if (found) this.overview(found);
    if (this.data?.goes_on !== false) this.waiting = setTimeout(() => this.lookAgain(), LOOK_AGAIN);
  }

  status(text) {
    this.lost = text;
    this.showProgress();
  }

  ended() {
    this.hasEnded = true;
    this.showProgress();
    this.say("end", "The run has ended.");
  }

  // ---- What the file tells

  overview(data) {
    this.data = data;
    const lines = data.standings?.standings ?? [];
    heading(data, data.tournament, lines.length);
    this.showProgress();
    this.finder ??= new Finder(data.scored_by);
    if (!this.wasAsked) this.openAsked(); // which need not wait until all of a long file is read
    this.wasAsked = true;
    if (!data.standings) return this.notYet();
    this.showSections(data);
    this.finder.show(data, lines);
    this.wall?.learn(lines, data.latest);
    this.announce(data);
  }

  notYet() {
    for (const id of ["standings", "ratings", "crosstable", "seats", "times", "faults"]) fill(id, h("p", { class: "hint" }, "The file is being read…"));
  }

  // Only what has changed is drawn anew; rows and intervals move to where they belong now.
  showSections(data) {
    const { latest, progress, ...rest } = data;
    const text = JSON.stringify(rest);
    if (text === this.seen.rest) return;
    this.seen.rest = text;
    gliding(byId("standings"), () => fillSections(data, () => true, (fault) => this.finder.open(fault, EVERYTHING, fault.turn + 1)));
  }

  openAsked() {
    const asked = askedFor();
    if (asked) this.finder?.open(asked, asked.seat, asked.step);
  }

  showProgress() {
    const { progress, comparison, problem } = this.data ?? {};
    const element = byId("progress");
    element.hidden = false;
    element.replaceChildren(...(progress ? progressBar(progress) : []), h("span", {}, progress ? this.inWords(progress, comparison?.sprt) : ""), h("span", { class: this.hasEnded ? "hint" : "problem" }, this.lost), h("span", { class: "problem" }, problem));
  }

  // A test that may be decided any time takes at most so long.
  inWords({ matches, matches_in_all, blocks, total, is_over, rate, seconds_left }, mayEnd) {
    const isPart = !total && matches_in_all && !is_over;
    const played = [isPart ? `${matches.toLocaleString("en")} of ${plural(matches_in_all, "match", "matches")}` : plural(matches, "match", "matches"), blocks !== null && (total ? `block ${blocks.toLocaleString("en")} of ${total.toLocaleString("en")}` : plural(blocks, "block"))];
    if (is_over) return [...played, "finished"].filter(Boolean).join(" · ");
    const ended = this.hasEnded && "the run has ended";
    const pace = !ended && rate > 0 && `${rate < 10 ? rounded(rate, 1) : Math.round(rate)} per second`;
    const left = !ended && seconds_left !== null && seconds_left !== undefined && `${mayEnd ? "at most" : "about"} ${inTime(seconds_left)} left`;
    const quiet = !ended && rate === 0 && "nothing new lately";
    return [...played, pace, left, quiet, ended].filter(Boolean).join(" · ");
  }

  // ---- What is being played

  showWall(wall) {
    if (!this.data) return;
    this.wall ??= this.newWall();
    this.wall.show(wall);
  }

  newWall() {
    const wall = new WallOfTables(this.data.scored_by, this.data.options, (match) => this.finder.open(match));
    wall.learn(this.data.standings?.standings ?? [], this.data.latest);
    return wall;
  }

  // ---- For those who listen

  announce({ standings, progress, uncounted }) {
    const [leader] = standings.standings;
    if (leader?.blocks) this.say("leader", `${leader.name} leads.`);
    const faults = standings.standings.reduce((sum, line) => sum + Object.values(line.faults).reduce((all, each) => all + each, 0), uncounted.faults);
    if (faults && (progress.is_over || performance.now() >= this.faultsDue)) this.sayFaults(`${plural(faults, "fault")} so far.`);
    if (progress.is_over) this.say("end", "The tournament is finished.");
    this.hasListened = true;
  }

  // Now and then: a bot that crashes does so in every match.
  sayFaults(text) {
    if (text !== this.said.faults) this.faultsDue = performance.now() + FAULTS_AGAIN;
    this.say("faults", text);
  }

  // Once for each new thing, and not what was so when the page was opened; what comes together is said together.
  say(about, text) {
    if (this.said[about] === text) return;
    this.said[about] = text;
    if (!this.hasListened) return;
    if (!this.saying.length) queueMicrotask(() => (byId("announcer").textContent = this.saying.splice(0).join(" ")));
    this.saying.push(text);
  }
}

async function overviewFile() {
  try {
    const answer = await fetch("overview.json", { cache: "no-cache" });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // the host cannot be reached
  }
}

function progressBar({ matches, matches_in_all, is_over }) {
  if (!matches_in_all) return [];
  return [h("progress", { max: matches_in_all, value: is_over ? matches_in_all : matches, "aria-label": "Matches played" })];
}

function inTime(seconds) {
  if (seconds < 90) return plural(seconds, "second");
  if (seconds < 5400) return plural(Math.round(seconds / 60), "minute");
  return plural(Math.round(seconds / 3600), "hour");
}

// Rows that have changed places, and intervals that have changed, go there.
function gliding(section, change) {
  const rows = () => new Map([...section.querySelectorAll("tbody tr")].map((row) => [row.querySelector("th").textContent, row]));
  const before = new Map([...rows()].map(([name, row]) => [name, placeOf(row)]));
  change();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const [name, row] of rows()) if (before.has(name)) glide(row, before.get(name), placeOf(row));
}

function placeOf(row) {
  const marks = [...row.querySelectorAll(".track > *")].map(({ style }) => ({ left: style.left, width: style.width }));
  return { top: row.offsetTop, marks };
}

function glide(row, from, to) {
  const slowly = { duration: 700, easing: "ease-in-out" };
  if (from.top !== to.top) row.animate([{ transform: `translateY(${from.top - to.top}px)` }, { transform: "none" }], slowly);
  [...row.querySelectorAll(".track > *")].forEach((mark, number) => {
    if (from.marks[number]) mark.animate([from.marks[number], to.marks[number]].map(({ left, width }) => (width ? { left, width } : { left })), slowly);
  });
}

new LivePage();
