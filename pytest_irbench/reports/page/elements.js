// Elements of the page. Texts become text nodes, so nothing in a query or an id is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

function select(label, options, chosen, onchange) {
  const choice = make("select", { onchange: () => onchange(choice.value) });
  choice.append(
    ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)),
  );
  return make("label", { class: "field" }, make("span", {}, label), choice);
}
