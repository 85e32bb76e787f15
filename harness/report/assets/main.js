// The page: data in, sections out.

function start(data) {
  const { standings } = data;
  heading(data);
  themeButton(byId("theme"));
  byId("standings").append(...standingsTable(standings), basis(standings), ...uncountedMatches(data));
  byId("faults").append(...uncountedFaults(data.uncounted));
  byId("ratings").append(...ratingsChart(data.history, standings.standings));
  byId("crosstable").append(...crosstable(standings));
  byId("seats").append(...[seatTable(standings)].flat());
  byId("times").append(timesTable(data.times, standings.standings));
  const viewer = matchViewer(data);
  const find = ({ block, rotation }) => data.matches.find((match) => match.block === block && match.rotation === rotation);
  const show = (fault) => {
    viewer.open(find(fault), EVERYTHING, fault.turn + 1);
    byId("matches").scrollIntoView();
  };
  byId("faults").append(...faultList(data, (fault) => Boolean(find(fault)), show));
}

function heading({ title, special, standings: { tournament, standings } }) {
  const { name, format, seats, isolate } = tournament;
  const isolation = isolate ? [`isolation: ${isolate}`] : []; // files of earlier versions do not say
  byId("name").append(words(name));
  byId("about").append(
    [title, format, `${seats} at a table`, plural(standings.length, "bot"), ...optionsInWords(special), ...isolation].join(" · "),
  );
}

function optionsInWords(options) {
  return Object.entries(options).map(([key, value]) => (value === true ? key : `${key} ${value}`));
}

function matchViewer({ standings, matches, stored, scored_by }) {
  const section = byId("matches");
  if (!matches.length) {
    section.append(h("p", { class: "hint" }, `None of the ${stored} matches is part of this file; dalang report --matches N puts some in.`));
    return null;
  }
  const names = standings.standings.map((line) => line.name);
  // A seat has the colour of its bot.
  for (const match of matches) match.colours = match.names.map((name) => colour(names.indexOf(name)));
  const viewer = new Viewer(matches, stored, scored_by);
  section.append(viewer.remark(), ...viewer.luckiest(), viewer.root);
  openLinked(viewer);
  return viewer;
}

// What the address asks for, so that a moment of a match can be shared.
function openLinked(viewer) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const match = viewer.matches.find(({ block, rotation }) => asked.get("match") === `${block}.${rotation}`);
  if (!match) return viewer.open(viewer.matches[0]);
  viewer.open(match, Number(asked.get("seat") ?? EVERYTHING), Number(asked.get("step") ?? 0));
  byId("matches").scrollIntoView();
}

function themeButton(button) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const current = () => document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  const label = () => button.replaceChildren(current() === "dark" ? "☀ Light" : "☾ Dark");
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = current() === "dark" ? "light" : "dark";
    label();
  });
  dark.addEventListener("change", label);
  label();
}

start(JSON.parse(byId("data").textContent));
