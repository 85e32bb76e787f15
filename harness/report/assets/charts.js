// What several charts share: colours, numbers, and bars with whiskers.

const COLOURS = 8;

function colour(number) {
  return `var(--c${number % COLOURS})`;
}

// A number as the command line writes it: toFixed takes an exact half away from 0, Python to the even digit.
function rounded(number, digits) {
  const isHalf = Math.abs((number * 2 ** (digits + 1)) % 2) === 1;
  const text = number.toFixed(digits);
  return isHalf ? text.replace(/\d$/, (digit) => digit - (digit % 2)) : text;
}

function percent(share, digits = 0) {
  return `${rounded(100 * share, digits)} %`;
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
  if (number >= 1000) return `${rounded(number / 1000, 2)} s`;
  return `${rounded(number, number < 10 ? 2 : 1)} ms`;
}

function plural(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
