// One position, as the drawing of its game has it.

const { view, names, options } = JSON.parse(byId("data").textContent);
const colours = names.map((name, seat) => colour(seat));
byId("position").append(...drawTable(view, { names, options, colours }));
