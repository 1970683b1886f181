// What all plots have in common: a frame with an axis, and one place that is chosen by pointer or keys.

const LEFT = 46;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;

// A frame as wide as its box. `across` turns 0..1 into pixels, `down` a value.
function frame(width, height, low, high, summary, unit = 0) {
  const image = draw("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": summary,
  });
  const across = (part) => LEFT + part * (width - LEFT - RIGHT);
  const down = (value) => TOP + ((high - value) / (high - low || 1)) * (height - TOP - BOTTOM);
  for (const tick of ticks(low, high).filter((one) => !unit || one % unit === 0)) {
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

// A line through the points that are known, broken where one is not.
function line(plot, points, kind) {
  let path = "";
  points.forEach((point, place) => {
    if (point)
      path += `${place && points[place - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`;
  });
  plot.image.append(draw("path", { class: `${kind} line`, d: path }));
  if (points.length > 60) return;
  const dots = points
    .filter(Boolean)
    .map(([cx, cy]) => draw("circle", { class: `${kind} dot`, cx, cy, r: 3 }));
  plot.image.append(...dots);
}

/* A figure whose plot is drawn anew when its box changes.
 *
 * spec.paint(width) -> plot, spec.count places, spec.placeAt(plot, x) -> place, spec.mark(plot, place) -> [x, width],
 * spec.tell(place) -> text, spec.open(place) or none.
 */
function figure(title, summary, legend, spec) {
  const box = make("div", {
    class: "plot",
    tabindex: 0,
    role: "slider",
    "aria-label": `${title}. ${summary}`,
    "aria-valuemin": 1,
    "aria-valuemax": spec.count,
    "aria-valuenow": 1,
    "aria-valuetext": "nothing chosen",
  });
  const said = make("p", { class: "said" });
  const idle = spec.open
    ? "Point, tap or use the arrow keys to see a query."
    : "Point, tap or use the arrow keys to see values.";
  let plot = null;
  let chosen = -1;

  function choose(place) {
    chosen = Math.max(0, Math.min(spec.count - 1, place));
    const [x, width] = spec.mark(plot, chosen);
    plot.cursor.setAttribute("x", x);
    plot.cursor.setAttribute("width", width);
    box.setAttribute("aria-valuenow", chosen + 1);
    box.setAttribute("aria-valuetext", spec.tell(chosen));
    said.replaceChildren(make("span", {}, spec.tell(chosen)));
    if (spec.open)
      said.append(
        " ",
        button("Open", () => spec.open(chosen), { class: "small", "aria-label": "Open this query" }),
      );
  }

  function paint() {
    const width = Math.floor(box.clientWidth);
    if (!width || (plot && plot.width === width)) return;
    plot = spec.paint(width);
    plot.cursor = draw("rect", { class: "cursor", y: TOP, height: plot.height - TOP - BOTTOM, width: 0 });
    plot.image.prepend(plot.cursor);
    box.replaceChildren(plot.image);
    if (chosen >= 0) choose(chosen);
  }

  const steps = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: 10,
    PageUp: -10,
    Home: -Infinity,
    End: Infinity,
  };
  fill(
    box,
    {
      onpointermove: (event) => choose(spec.placeAt(plot, event.offsetX)),
      onpointerdown: (event) => choose(spec.placeAt(plot, event.offsetX)),
      onclick: (event) => {
        if (spec.open && event.pointerType !== "touch") spec.open(spec.placeAt(plot, event.offsetX));
      },
      onkeydown: (event) => {
        if (event.key in steps)
          choose(chosen < 0 && Math.abs(steps[event.key]) === 1 ? 0 : chosen + steps[event.key]);
        else if (spec.open && chosen >= 0 && (event.key === "Enter" || event.key === " ")) spec.open(chosen);
        else return;
        event.preventDefault();
      },
    },
    [],
  );
  said.append(make("span", { class: "quiet" }, idle));
  new ResizeObserver(paint).observe(box);
  return make(
    "figure",
    { class: "card" },
    make("figcaption", {}, make("h3", {}, title), make("p", {}, summary), legend),
    box,
    said,
  );
}

function legend(...entries) {
  return make(
    "ul",
    { class: "legend" },
    ...entries.map(([kind, text]) => make("li", {}, make("i", { class: kind }), text)),
  );
}

const nearest = (plot, x, count) => Math.round(((x - LEFT) / (plot.width - LEFT - RIGHT)) * (count - 1));
