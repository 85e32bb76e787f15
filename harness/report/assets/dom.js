// Elements, made of attributes and text nodes only: names, notes and stderr come from strangers.

const SVG = "http://www.w3.org/2000/svg";

function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") listen(element, value);
    else if (name === "style") paint(element, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function listen(element, handlers) {
  for (const [event, handler] of Object.entries(handlers)) element.addEventListener(event, handler);
}

function paint(element, properties) {
  for (const [property, value] of Object.entries(properties)) element.style.setProperty(property, value);
}

// A stranger's words, which must not turn the direction of ours.
function words(text) {
  return h("bdi", {}, text);
}

function byId(id) {
  return document.getElementById(id);
}

// A table that is announced by its caption.
function table(caption, head, rows, kind = "") {
  return scrolling(
    caption,
    h(
      "table",
      { class: kind },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, head)),
      h("tbody", {}, rows),
    ),
  );
}

// What may be wider than the page: there it scrolls within itself and says so.
function scrolling(name, content) {
  const frame = h("div", { class: "scroll", role: "region", "aria-label": name, tabindex: 0 }, content);
  new ResizeObserver(() => frame.classList.toggle("cut", frame.scrollWidth > frame.clientWidth)).observe(frame);
  return frame;
}

// A table whose rows become cards where the page is narrow; then every cell says which column it is of.
function tableOfCards(caption, head, rows) {
  const columns = head.filter(Boolean).map((column) => column.textContent);
  for (const row of rows) [...row.cells].forEach((cell, at) => cell.setAttribute("data-column", columns[at]));
  return table(caption, head, rows, "cards");
}

function columnHead(text, attributes = {}) {
  return h("th", { scope: "col", ...attributes }, text);
}

function rowHead(name, colour) {
  return h("th", { scope: "row" }, colour && dot(colour), words(name));
}

function dot(colour) {
  return h("span", { class: "dot", "aria-hidden": "true", style: { background: colour } });
}

function cell(content, attributes = {}) {
  return h("td", attributes, content);
}
