// A stored match: unpacked when it is first looked at, and told as one seat saw it, or as it was.

const EVERYTHING = -1;
const ONLOOKER = -2; // who sees what every seat knows

async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// The views of one seat, step by step, from a view on; for everything, seat 0's view with the whole table beside it.
function viewsOf(steps, seat, before = {}) {
  const views = [];
  let { whole = {}, ...view } = before;
  for (const step of steps) {
    view = { ...view, ...step.all, ...step.own[Math.max(seat, 0)] };
    whole = { ...whole, ...step.table };
    views.push(seat === EVERYTHING ? { ...view, you: EVERYTHING, whole } : view);
  }
  return views;
}

// What was told of a step, in English.
function sentences(step, seat) {
  return step.events
    .map((event) => (Array.isArray(event) ? event[seat + 1] : event))
    .filter((sentence) => sentence !== null);
}

// Whether this seat may know how a decision came about, or failed to: notes, times, faults and the number of moves are
// not for the others.
function isPrivy(stepOrFault, seat) {
  return seat === EVERYTHING || seat === stepOrFault.seat;
}
