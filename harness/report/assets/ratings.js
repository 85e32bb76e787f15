// The ratings as lines over the blocks that count.

const MARGIN = { top: 14, right: 96, bottom: 30, left: 34 };
const NAMED_LINES = 8;
const LABEL = 15;

function ratingsChart(history, standings) {
  if (!history) return [h("p", { class: "hint" }, "Not rated: a bot sits at a table more than once.")];
  const { blocks, ratings } = history;
  const all = standings.map(({ name, withdrawn }, number) => ({ name, number, withdrawn, line: ratings[name] }));
  const inPlay = all.filter(({ withdrawn }) => !withdrawn);
  const lines = inPlay.length ? inPlay : all;
  const frame = h("div", { class: "chart" });
  const redraw = () => frame.replaceChildren(ratingsPicture(blocks, lines, Math.max(280, frame.clientWidth), 280));
  new ResizeObserver(redraw).observe(frame);
  const leftOut = lines.length < all.length ? " Withdrawn bots are left out." : "";
  return [frame, h("p", { class: "hint" }, `TrueSkill, mu. On the way a single pass over the matches in schedule order, moved to the mean of the end, for only distances count; the end is from all matches together, as in the standings.${leftOut}`)];
}

function ratingsPicture(blocks, lines, width, height) {
  const last = blocks.at(-1);
  const [low, high] = spanOf(lines.map(({ line }) => line));
  const x = (block) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * block) / Math.max(1, last);
  const y = (rating) => MARGIN.top + ((height - MARGIN.top - MARGIN.bottom) * (high - rating)) / (high - low);
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": ratingsInWords(lines, last) },
    ticks(low, high, 5).map((value) => gridLine(y(value), width, value)),
    ticks(0, last, width < 420 ? 3 : 6).map((block) => axisText(x(block), height - 10, block)),
    s("text", { class: "axis", x: width - MARGIN.right, y: height - 10, dx: 18 }, "blocks"),
    s("clipPath", { id: "plot" }, s("rect", { x: 0, y: 0, width, height: height - MARGIN.bottom })),
    s(
      "g",
      { "clip-path": "url(#plot)" },
      lines.map(({ name, number, line }) => ratingLine(name, number, line.map((value, at) => [x(blocks[at]), y(value)]))).reverse(),
    ),
    endLabels(lines, y, height - MARGIN.bottom).map((label) => endLabel(label, x(last))),
  );
}

// What the chart must hold: not the first swings, beside which all else would look alike.
function spanOf(lines) {
  const late = lines.flatMap((line) => line.slice(Math.floor(line.length / 3)));
  const [low, high] = [Math.min(...late), Math.max(...late)];
  const rim = Math.max(0.5, (high - low) / 20);
  return [low - rim, high + rim];
}

function ratingsInWords(lines, last) {
  const ends = lines.map(({ name, line }) => `${name} ${line.at(-1)}`).join(", ");
  return `Ratings after ${plural(last, "block")}: ${ends}`;
}

function ratingLine(name, number, points) {
  return s(
    "polyline",
    { class: "line", points: points.map((point) => point.map((value) => value.toFixed(1)).join(",")).join(" "), style: { stroke: colour(number) } },
    s("title", {}, name),
  );
}

function gridLine(at, width, value) {
  return [
    s("line", { class: "grid", x1: MARGIN.left, x2: width - MARGIN.right, y1: at, y2: at }),
    s("text", { class: "axis", x: MARGIN.left - 6, y: at + 4, "text-anchor": "end" }, value),
  ];
}

function axisText(x, y, value) {
  return s("text", { class: "axis", x, y, "text-anchor": "middle" }, value);
}

function endLabel({ name, number, end, at }, x) {
  return [
    s("circle", { cx: x, cy: end, r: 3.5, style: { fill: colour(number) } }),
    s("line", { class: "lead", x1: x + 3, y1: end, x2: x + 10, y2: at, style: { stroke: colour(number) } }),
    s("text", { class: "end", x: x + 13, y: at + 4 }, shortened(name, 11), s("title", {}, name)),
  ];
}

// The first names beside the ends of their lines, moved apart where they would lie on each other, none below the foot.
function endLabels(lines, y, foot) {
  const labels = lines.slice(0, NAMED_LINES).map(({ name, number, line }) => ({ name, number, end: y(line.at(-1)), at: y(line.at(-1)) }));
  labels.sort((one, other) => one.at - other.at);
  for (let at = 1; at < labels.length; at++) labels[at].at = Math.max(labels[at].at, labels[at - 1].at + LABEL);
  for (let at = labels.length - 1, most = foot; at >= 0; at--, most -= LABEL) labels[at].at = Math.min(labels[at].at, most);
  return labels;
}

// Round numbers between two ends.
function ticks(low, high, wanted) {
  const rough = Math.max(1, (high - low) / wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return found;
}

function shortened(text, length) {
  const letters = [...text];
  return letters.length > length ? `${letters.slice(0, length - 1).join("")}…` : text;
}
