// What several charts share: colours, numbers, and bars with whiskers.

const COLOURS = 8;

function colour(number) {
  return `var(--c${number % COLOURS})`;
}

function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)} %`;
}

// A mean and its interval on a track from 0 to 1, with a line in the middle.
function whisker(estimate, paintedWith) {
  const left = (share) => `${100 * share}%`;
  return h(
    "span",
    { class: "track", role: "img", "aria-label": interval(estimate) },
    h("span", {
      class: "span",
      style: { left: left(estimate.low), width: left(estimate.high - estimate.low), background: paintedWith },
    }),
    h("span", { class: "mean", style: { left: left(estimate.mean), background: paintedWith } }),
  );
}

function interval(estimate, digits = 1) {
  return `${percent(estimate.mean, digits)}, 95 % interval ${percent(estimate.low, digits)} to ${percent(estimate.high, digits)}`;
}

function milliseconds(number) {
  if (number >= 1000) return `${(number / 1000).toFixed(2)} s`;
  return `${number.toFixed(number < 10 ? 2 : 1)} ms`;
}

function plural(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
