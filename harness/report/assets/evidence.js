// A comparison: the difference as far as it is known, and what speaks for either effect between the bounds.

const VERDICTS = {
  good: "It is decided: the candidate is good.",
  worse: "It is decided: the candidate is worse.",
  "not better": "It is decided: the candidate is not better.",
  faulty: "The candidate broke the contract too often.",
  undecided: "It ended undecided.",
};

function evidence(comparison) {
  const { candidate, baseline, blocks, most, verdict, difference, sprt } = comparison;
  return [
    h("p", {}, h("strong", {}, words(candidate)), " against ", h("strong", {}, words(baseline)), `: ${plural(blocks, "block")} of at most ${most.toLocaleString("en")}. `, VERDICTS[verdict] ?? "Not decided yet."),
    difference && differenceTrack(comparison),
    sprt && evidenceChart(sprt, comparison),
  ];
}

// The mean difference and its interval, with 0 in the middle.
function differenceTrack({ difference, span, by, margin, luck }) {
  const share = (value) => (value - span[0]) / (span[1] - span[0] || 1);
  const { mean, low, high } = difference;
  const told = `difference in ${by}${luck ? ", luck removed" : ""}: ${rounded(mean, 3)}, 95 % interval ${rounded(low, 3)} to ${rounded(high, 3)}`;
  return h(
    "div",
    { class: "difference" },
    h("span", { "aria-hidden": "true" }, whisker({ mean: share(mean), low: share(low), high: share(high) }, "var(--accent)")),
    h("p", { class: "hint" }, `${capitalised(told)}.${margin ? ` Down to ${-margin} is still good.` : ""}`),
  );
}

function evidenceChart(sprt, { blocks, is_over }) {
  const frame = h("div", { class: "chart" });
  const redraw = () => frame.replaceChildren(evidencePicture(sprt, Math.max(280, frame.clientWidth), 240));
  new ResizeObserver(redraw).observe(frame);
  const [, forHigh, forLow] = sprt.path.at(-1);
  return [
    frame,
    h(
      "p",
      { class: "hint" },
      `After ${plural(blocks, "block")} the evidence for ${sprt.high} is ${rounded(forHigh, 2)} of ${rounded(sprt.upper, 2)}, that for ${sprt.low} is ${rounded(forLow, 2)} of ${rounded(-sprt.lower, 2)}`,
      is_over ? "." : ": the first to reach its bound decides.",
    ),
  ];
}

function evidencePicture({ low, high, lower, upper, path }, width, height) {
  const last = path.at(-1)[0];
  const forHigh = path.map(([block, evidence]) => [block, Math.max(0, evidence)]); // what speaks for neither is not drawn
  const forLow = path.map(([block, , evidence]) => [block, Math.min(0, -evidence)]);
  const most = Math.max(upper, ...forHigh.map((point) => point[1])) * 1.1;
  const least = Math.min(lower, ...forLow.map((point) => point[1])) * 1.1;
  const x = (block) => MARGIN.left + ((width - MARGIN.left - MARGIN.right) * block) / Math.max(1, last);
  const y = (value) => MARGIN.top + ((height - MARGIN.top - MARGIN.bottom) * (most - value)) / (most - least);
  const line = (kind, values) => s("polyline", { class: `line ${kind}`, points: values.map(([block, value]) => `${x(block).toFixed(1)},${y(value).toFixed(1)}`).join(" ") });
  return s(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Evidence after ${plural(last, "block")}, between the bounds for ${low} and for ${high}` },
    s("rect", { class: "between", x: x(0), width: x(last) - x(0), y: y(upper), height: y(lower) - y(upper) }),
    gridLine(y(0), width, 0),
    [upper, lower].map((bound) => s("line", { class: "bound", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(bound), y2: y(bound) })),
    s("text", { class: "end", x: width - MARGIN.right + 6, y: y(upper) + 4 }, `accept ${high}`),
    s("text", { class: "end", x: width - MARGIN.right + 6, y: y(lower) + 4 }, `accept ${low}`),
    ticks(0, last, width < 420 ? 3 : 6).map((block) => axisText(x(block), height - 10, block)),
    line("for-high", forHigh),
    line("for-low", forLow),
  );
}
