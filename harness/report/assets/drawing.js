// What the drawings of the games share. A table is a few panels, each a picture of its own, so that they lie beside
// each other on a wide screen and below each other on a phone, at the size they were drawn for.

const PANEL = 360;

function panel(title, height, label, ...children) {
  return h(
    "figure",
    { class: "panel" },
    h("figcaption", {}, title),
    s("svg", { viewBox: `0 0 ${PANEL} ${height}`, role: "img", "aria-label": label }, children),
  );
}

function label(x, y, text, kind = "", attributes = {}) {
  return s("text", { x, y, class: kind, ...attributes }, text);
}

function middle(x, y, text, kind = "") {
  return label(x, y, text, kind, { "text-anchor": "middle" });
}

function box(x, y, width, height, kind, attributes = {}) {
  return s("rect", { x, y, width, height, rx: 4, class: kind, ...attributes });
}

function group(x, y, ...children) {
  return s("g", { transform: `translate(${x} ${y})` }, children);
}

// A sign in a field of 16 by 16, drawn with its middle at x, y.
function icon(name, x, y, size = 16) {
  const scale = size / 16;
  return s(
    "g",
    { class: `icon ${name}`, transform: `translate(${x - size / 2} ${y - size / 2}) scale(${scale})` },
    SIGNS[name].map((d) => s("path", { d })),
  );
}

// A card with its sign, and its number where there are several.
function card(x, y, sign, name, { width = 24, height = 30, count = 1, kind = "", initials = "" } = {}) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: `card ${kind}` },
    s("title", {}, count > 1 ? `${count} × ${name}` : name),
    count > 1 && box(2.5, 2.5, width, height, "paper"),
    box(0, 0, width, height, "paper"),
    sign
      ? icon(sign, width / 2, height / 2 - (initials ? 4 : 0), Math.min(width, height) - (initials ? 10 : 6))
      : middle(width / 2, height / 2 + 4, "?", "unknown"),
    initials && middle(width / 2, height - 3, initials, "micro"),
    count > 1 && s("circle", { cx: width, cy: 3, r: 7, class: "badge" }),
    count > 1 && middle(width, 6.5, count, "badge-text"),
  );
}

function cardBack(x, y, width, height, count) {
  return s(
    "g",
    { transform: `translate(${x} ${y})`, class: "card back" },
    s("title", {}, plural(count, "hidden card")),
    box(0, 0, width, height, "paper"),
    middle(width / 2, height / 2 + 4, count, "back-text"),
  );
}

// Whose row it is: a dot, the name, and a mark if this seat is asked now.
function seatName(x, y, match, seat, view, letters = 18) {
  const asked = view.asked === seat;
  return [
    asked && box(x - 9, y - 14, 8 + 7.4 * letters, 19, "asked"),
    s("circle", { cx: x, cy: y - 4.5, r: 4.5, style: { fill: match.colours[seat] } }),
    label(x + 10, y, shortened(match.names[seat], letters - 2), seat === view.you ? "name you" : "name"),
    asked && s("title", {}, `${match.names[seat]} decides now`),
  ];
}

function namesOf(match, seats) {
  return seats.map((seat) => match.names[seat]).join(", ");
}

function total(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

function range(number) {
  return [...Array(number).keys()];
}

// Signs as paths; the style sheet paints them by class.
const SIGNS = {
  warrior: ["M12.5 2L6 9L8 11L14 3.5Z", "M4.5 8.5L8.5 12.5", "M6 10.5L2.5 14"],
  scholar: ["M2 4Q5 2.5 8 4.5Q11 2.5 14 4V13Q11 11.5 8 13.5Q5 11.5 2 13Z", "M8 4.5V13.5"],
  artist: ["M8 2.5C12 2.5 14.5 5 14.5 8C14.5 10 13 10.5 11.5 10.5C9.5 10.5 10.5 13.5 8 13.5C4.5 13.5 1.5 11.5 1.5 8C1.5 5 4 2.5 8 2.5Z", "M5 6.5h.1M8.5 5h.1M11.5 7h.1M5 10h.1"],
  priest: ["M8 1.5C11 5 12.5 7.5 12.5 10A4.5 4.5 0 0 1 3.5 10C3.5 7.5 5 5 8 1.5Z", "M8 7C9.5 9 10 10 10 11A2 2 0 0 1 6 11C6 10 6.5 9 8 7Z"],
  prince: ["M2 5L5 8.5L8 3L11 8.5L14 5L12.5 12.5H3.5Z", "M3.5 14.5H12.5"],
  dalang: ["M8 1C9 4 13 6.5 13.5 10C13.5 12.5 11.5 13 10 13H6C4.5 13 2.5 12.5 2.5 10C3 6.5 7 4 8 1Z", "M8 4.5V15M8 8L5.5 10M8 8L10.5 10"],
  stonecutter: ["M2 6L8 3L14 6V11L8 14L2 11Z", "M2 6L8 9L14 6M8 9V14"],
  altar: ["M3 14H13V11H3ZM4.5 11H11.5V8H4.5ZM6 8H10V5H6Z", "M3.5 5H12.5L8 1.5Z"],
  oracle: ["M1.5 8Q8 1.5 14.5 8Q8 14.5 1.5 8Z", "M8 5.7A2.3 2.3 0 1 1 7.99 5.7Z"],
  rice: ["M8 15V6", "M8 6C6 5 6 3 8 1C10 3 10 5 8 6ZM7.5 9.5C5 9.5 4 8 4 5.5C6.5 6 7.5 7.5 7.5 9.5ZM8.5 9.5C11 9.5 12 8 12 5.5C9.5 6 8.5 7.5 8.5 9.5ZM7.5 13C5 13 4 11.5 4 9.5C6.5 10 7.5 11 7.5 13ZM8.5 13C11 13 12 11.5 12 9.5C9.5 10 8.5 11 8.5 13Z"],
  peanut: ["M5 2.5C8 1.5 9.5 4 9 6C8.8 7.2 9.5 7.8 10.5 8.3C13 9.5 13 13 10.5 14C7.5 15 5.8 12.5 6.3 10.5C6.6 9.3 6 8.6 5 8C2.5 6.8 2.5 3.5 5 2.5Z", "M6 5h.1M8.5 11h.1"],
  banana: ["M3 2.5C3.5 8 7 11.5 13.5 11.5L14 13C8 15.5 1 11.5 1.5 3Z"],
  pepper: ["M4.5 5C7 4 10 4.5 10.5 6.5C11.5 10.5 8 14.5 3 14C6 12.5 6.5 10 4.5 7.5Z", "M9 5C9 3 10 1.5 12 1.5"],
  step: ["M6.5 2C8.5 2 9 4 8.7 6C8.5 7.5 8 8.5 6.5 8.5S4.5 7.5 4.3 6C4 4 4.5 2 6.5 2Z", "M6.5 9.8C8 9.8 8.5 11 8.3 12.2S7.5 14 6.5 14S4.9 13.4 4.7 12.2S5 9.8 6.5 9.8Z"],
  noise: ["M2 6H5L9 2.5V13.5L5 10H2Z", "M11 5.5Q12.5 8 11 10.5M13 3.5Q15.5 8 13 12.5"],
  fright: ["M1.5 8Q8 0.5 14.5 8Q8 15.5 1.5 8Z", "M8 4.8A3.2 3.2 0 1 1 7.99 4.8Z"],
  mask: ["M3 3Q8 0.5 13 3V8.5C13 12 10 14.5 8 15C6 14.5 3 12 3 8.5Z", "M5 6.5Q6.2 5.3 7.2 6.5M8.8 6.5Q9.8 5.3 11 6.5M5.5 10.5Q8 12.5 10.5 10.5"],
  seal: ["M8 1L10 5.5L15 6L11.3 9.3L12.4 14.2L8 11.6L3.6 14.2L4.7 9.3L1 6L6 5.5Z"],
};
