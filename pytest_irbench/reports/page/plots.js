// What all plots have in common: a frame with an axis, and one place that is chosen by pointer or keys.

const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;

// A frame as wide as its box, from a tick below all values to one above them. `across` turns 0..1 into
// pixels, `down` a value.
function frame(width, height, lowest, highest, summary, unit = 0) {
  const labelled = ticks(lowest, highest, Math.round(height / 32));
  const [low, high] = [labelled[0], labelled[labelled.length - 1]];
  const image = draw("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": summary,
  });
  const across = (part) => LEFT + part * (width - LEFT - RIGHT);
  const down = (value) => TOP + ((high - value) / (high - low)) * (height - TOP - BOTTOM);
  for (const tick of labelled.filter((one) => !unit || one % unit === 0)) {
    const y = down(tick).toFixed(1);
    const kind = tick === 0 ? "axis" : "grid";
    image.append(draw("line", { class: kind, x1: LEFT, x2: width - RIGHT, y1: y, y2: y }));
    image.append(
      draw("text", { class: "tick", x: LEFT - 6, y, dy: "0.32em", "text-anchor": "end" }, `${tick}`),
    );
  }
  return { image, across, down, width, height };
}

function label(plot, x, text, anchor = "middle") {
  plot.image.append(draw("text", { class: "tick", x, y: plot.height - 5, "text-anchor": anchor }, text));
}

const DOTTED = 60;
const placed = (plot, place, count) => plot.across(count === 1 ? 0.5 : place / (count - 1));

function nearest(plot, x, count) {
  const place = Math.round(((x - LEFT) / (plot.width - LEFT - RIGHT)) * (count - 1));
  return Math.max(0, Math.min(count - 1, place));
}

// A line through the values that are known, broken where one is not.
function line(plot, found, kind) {
  let path = "";
  found.forEach((value, place) => {
    if (value === null) return;
    const isOn = place && found[place - 1] !== null;
    path += `${isOn ? "L" : "M"}${placed(plot, place, found.length).toFixed(1)} ${plot.down(value).toFixed(1)}`;
  });
  plot.image.append(draw("path", { class: `${kind} line`, d: path }));
  if (found.length <= DOTTED) dots(plot, found, kind);
}

function dots(plot, found, kind) {
  found.forEach((value, place) => {
    if (value === null) return;
    const middle = { cx: placed(plot, place, found.length), cy: plot.down(value) };
    plot.image.append(draw("circle", { class: `${kind} dot`, r: 3, ...middle }));
  });
}

function legend(...entries) {
  const items = entries.map(([kind, text]) => make("li", {}, make("i", { class: kind }), text));
  return make("ul", { class: "legend" }, ...items);
}

function caption(title, summary, key) {
  return make("figcaption", {}, make("h3", {}, title), make("p", {}, summary), key);
}

const SLIDER = { class: "plot", tabindex: 0, role: "slider", "aria-valuemin": 1, "aria-valuenow": 1 };
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: -10, PageDown: 10 };
const ENDS = { Home: -Infinity, End: Infinity };

/* A plot with one place that is chosen by pointer or keys, and told below it.
 *
 * spec.paint(width) -> plot, spec.count places, spec.placeAt(plot, x) -> place,
 * spec.mark(plot, place) -> [x, width], spec.tell(place) -> text, spec.open(place) or none.
 */
class Figure {
  constructor(title, summary, key, spec) {
    this.spec = spec;
    this.plot = null;
    this.chosen = -1;
    const names = { "aria-label": `${title}. ${summary}`, "aria-valuetext": "nothing chosen" };
    this.box = make("div", { ...SLIDER, ...names, "aria-valuemax": spec.count, ...this.handlers() });
    const hint = `Point, tap or use the arrow keys to see ${spec.open ? "a query" : "values"}.`;
    this.said = make("p", { class: "said" }, make("span", { class: "quiet" }, hint));
    this.element = make("figure", { class: "card" }, caption(title, summary, key), this.box, this.said);
    new ResizeObserver(() => this.paint()).observe(this.box);
  }

  handlers() {
    const at = (event) => this.spec.placeAt(this.plot, event.offsetX);
    return {
      onpointermove: (event) => this.choose(at(event)),
      onpointerdown: (event) => this.choose(at(event)),
      onclick: (event) => event.pointerType === "touch" || this.spec.open?.(at(event)),
      onkeydown: (event) => {
        if (event.key in ENDS) this.choose(this.chosen + ENDS[event.key]);
        else if (event.key in STEPS) this.choose(this.chosen < 0 ? 0 : this.chosen + STEPS[event.key]);
        else if ((event.key === "Enter" || event.key === " ") && this.chosen >= 0)
          this.spec.open?.(this.chosen);
        else return;
        event.preventDefault();
      },
    };
  }

  paint() {
    const width = Math.floor(this.box.clientWidth);
    if (!width || this.plot?.width === width) return;
    this.plot = this.spec.paint(width);
    const height = this.plot.height - TOP - BOTTOM;
    this.cursor = draw("rect", { class: "cursor", y: TOP, height, width: 0 });
    this.plot.image.prepend(this.cursor);
    this.box.replaceChildren(this.plot.image);
    if (this.chosen >= 0) this.choose(this.chosen);
  }

  choose(place) {
    if (!this.plot) return;
    const { count, mark, tell, open } = this.spec;
    this.chosen = Math.max(0, Math.min(count - 1, place));
    const [x, width] = mark(this.plot, this.chosen);
    fill(this.cursor, { x, width }, []);
    fill(this.box, { "aria-valuenow": this.chosen + 1, "aria-valuetext": tell(this.chosen) }, []);
    this.said.replaceChildren(make("span", {}, tell(this.chosen)));
    if (!open) return;
    const names = { class: "small", "aria-label": "Open this query" };
    this.said.append(
      " ",
      button("Open", () => open(this.chosen), names),
    );
  }
}

const figure = (title, summary, key, spec) => new Figure(title, summary, key, spec).element;
