// What report and live page share: the sections that one look at a tournament fills.

// Puts this into a section, in the place of what was there but for its title, and shows it.
function fill(id, ...content) {
  const section = byId(id);
  keepingPlace(section, () => section.replaceChildren(section.querySelector("h2"), ...content.flat(Infinity).filter(Boolean)));
  section.hidden = false;
  document.querySelector(`nav a[href="#${id}"]`).hidden = false;
}

// Whoever reads a section that is filled anew stays where he is: the focus, what is unfolded, how far it is scrolled.
function keepingPlace(section, change) {
  const focused = section.contains(document.activeElement) ? document.activeElement : null;
  const unfolded = new Set([...section.querySelectorAll("details[open]")].map((each) => each.dataset.key));
  const scrolled = [...section.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
  change();
  for (const each of section.querySelectorAll("details")) each.open = unfolded.has(each.dataset.key);
  section.querySelectorAll(".scroll").forEach((each, number) => (each.scrollLeft = scrolled[number] ?? 0));
  if (focused && !focused.isConnected) successor(focused, section)?.focus({ preventScroll: true });
}

// What is there now for an element that is gone: the same by its name, or else its table; never another one in its place.
function successor(gone, section) {
  const all = [...section.querySelectorAll("a, button, input, summary, [tabindex]")];
  const same = (element) => element && all.find((each) => called(each) === called(element));
  return same(gone) ?? same(gone.closest(".scroll"));
}

function called(element) {
  return JSON.stringify([element.tagName, element.getAttribute("aria-label"), element.closest("[data-key]")?.dataset.key, element.id]);
}

function heading({ title, special }, { name, format, seats, isolate }, bots) {
  const isolation = isolate ? [`isolation: ${isolate}`] : []; // files of earlier versions do not say
  byId("name").replaceChildren(words(name));
  byId("about").replaceChildren(
    [title, format, `${seats} at a table`, ...(bots ? [plural(bots, "bot")] : []), ...optionsInWords(special), ...isolation].join(" · "),
  );
}

function optionsInWords(options) {
  return Object.entries(options).map(([key, value]) => (value === true ? key : `${key} ${value}`));
}

// All but the matches; `canShow` tells whether a fault can be looked at in its match, `show` does it.
function fillSections(data, canShow, show) {
  const { standings } = data;
  fill("standings", standingsTable(standings), basis(standings), uncountedMatches(data));
  fill("ratings", ratingsChart(data.history, standings.standings));
  fill("crosstable", crosstable(standings));
  fill("seats", seatTable(standings));
  fill("times", timesTable(data.times, standings.standings));
  fill("faults", uncountedFaults(data.uncounted), faultList(data, canShow, show));
  if (data.machines.length) fill("machines", machinesTable(data.machines));
  if (data.comparison) fill("comparison", evidence(data.comparison));
  if (data.league) fill("league", leagueTables(data.league));
  if (hasRounds(standings)) fill("rounds", rounds(standings));
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

// A seat has the colour of its bot, or before there are standings one of its own.
function seatColours(names, standings) {
  const order = standings.map((line) => line.name);
  return names.map((name, seat) => colour(order.includes(name) ? order.indexOf(name) : seat));
}

// What the address asks for, so that a moment of a match can be shared.
function askedFor() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const [block, rotation] = (asked.get("match") ?? "").split(".").map(Number);
  if (!Number.isInteger(block) || !Number.isInteger(rotation)) return null;
  return { block, rotation, seat: Number(asked.get("seat") ?? EVERYTHING), step: Number(asked.get("step") ?? 0) };
}
