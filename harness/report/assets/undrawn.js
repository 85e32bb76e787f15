// A game that brings no drawing.

function draw() {
  return [h("p", { class: "hint" }, "There is no picture of this game; what was seen is below, as data.")];
}
