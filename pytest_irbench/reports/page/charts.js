// The plots of a gate. `column` holds a measure: { text, cutoff, isCount, held, value, baseline, worse, … }.

const clamp = (place, count) => Math.max(0, Math.min(count - 1, place));

function told(gate, query, column) {
  const now = number(column.now(query), column.isCount);
  const values = column.held
    ? `${number(column.before(query), column.isCount)} → ${now} (${signed(column.change(query), column.isCount)})`
    : now;
  const text = query.text.length > 120 ? `${query.text.slice(0, 119)}…` : query.text;
  return `${query.id}: ${values} · ${text}`;
}

// A bar for each query: its change against the baseline, or its value where there is none.
function bars(gate, column, open) {
  const height = column.held ? column.change : column.now;
  const shown = gate.queries.filter(
    (query) => height(query) !== null && (!column.held || !isSame(height(query), column.now(query))),
  );
  shown.sort((one, other) => height(one) - height(other));
  const title = column.held ? "Change by query" : "Value by query";
  const tally = `${whole(column.worse)} worse, ${whole(column.better)} better, ${whole(column.same)} the same`;
  const summary = column.held
    ? `${tally}${shown.length && column.same ? "; the same are left out" : ""}.`
    : `${queriesOf(shown.length)}, the lowest first.`;
  if (!shown.length)
    return make(
      "figure",
      { class: "card" },
      make("figcaption", {}, make("h3", {}, title), make("p", {}, summary)),
      make("p", { class: "empty" }, "No query changed."),
    );
  const low = Math.min(0, height(shown[0]));
  const high = Math.max(0, height(shown[shown.length - 1]));
  const key = column.held ? legend(["worse", "worse"], ["better", "better"]) : legend(["now", "this run"]);
  const step = (plot) => Math.min(44, (plot.width - LEFT - RIGHT) / shown.length);
  return figure(title, summary, key, {
    count: shown.length,
    paint: (width) => {
      const plot = frame(width, 200, low, high === low ? low + 1 : high, summary);
      const each = step(plot);
      const gap = each > 4 ? 1 : 0;
      const paths = { worse: "", better: "", now: "" };
      shown.forEach((query, place) => {
        const value = height(query);
        const x = LEFT + place * each;
        paths[column.held ? (value < 0 ? "worse" : "better") : "now"] +=
          `M${x.toFixed(2)} ${plot.down(0).toFixed(1)}V${plot.down(value).toFixed(1)}H${(x + each - gap).toFixed(2)}V${plot.down(0).toFixed(1)}Z`;
      });
      for (const [kind, d] of Object.entries(paths))
        if (d) plot.image.append(draw("path", { class: kind, d }));
      return plot;
    },
    placeAt: (plot, x) => clamp(Math.floor((x - LEFT) / step(plot)), shown.length),
    mark: (plot, place) => [LEFT + place * step(plot), Math.max(2, step(plot))],
    tell: (place) => told(gate, shown[place], column),
    open: (place) => open(shown[place]),
  });
}

const BINS = 20;

// How many queries have which value, on one scale for both sides.
function distribution(gate, column) {
  const sides = {
    now: gate.queries.map(column.now),
    before: column.held ? gate.queries.map(column.before) : [],
  };
  const known = [...sides.now, ...sides.before].filter((value) => value !== null);
  let low = 0;
  let high = 1;
  for (const value of known) [low, high] = [Math.min(low, value), Math.max(high, value)];
  const bins = column.isCount ? Math.min(BINS, high - low + 1) : BINS;
  const wide = column.isCount ? (high - low + 1) / bins : (high - low) / bins;
  const tally = (values) => {
    const counts = new Array(bins).fill(0);
    for (const value of values)
      if (value !== null) counts[clamp(Math.floor((value - low) / wide + 1e-9), bins)] += 1;
    return counts;
  };
  const now = tally(sides.now);
  const before = tally(sides.before);
  const middle = (values) => {
    const sorted = values.filter((value) => value !== null).sort((one, other) => one - other);
    return sorted.length ? number(sorted[Math.floor((sorted.length - 1) / 2)], column.isCount) : NONE;
  };
  const zeros = sides.now.filter((value) => value === 0).length;
  const summary = `Median ${column.held ? `${middle(sides.before)} → ` : ""}${middle(sides.now)}; ${queriesOf(zeros)} at 0.`;
  const key = column.held ? legend(["now", "this run"], ["before", "baseline"]) : legend(["now", "this run"]);
  const edge = (place) => Number((low + place * wide).toPrecision(4));
  return figure("Queries by value", summary, key, {
    count: bins,
    paint: (width) => {
      const plot = frame(width, 160, 0, Math.max(1, ...now, ...before), summary, 1);
      const x = (place) => plot.across(place / bins).toFixed(1);
      const zero = plot.down(0).toFixed(1);
      const full = now.map(
        (count, place) =>
          `M${x(place)} ${zero}V${plot.down(count).toFixed(1)}H${(plot.across((place + 1) / bins) - 1).toFixed(1)}V${zero}Z`,
      );
      plot.image.append(draw("path", { class: "now", d: full.join("") }));
      if (column.held) {
        const steps = before.map((count, place) => `V${plot.down(count).toFixed(1)}H${x(place + 1)}`);
        plot.image.append(draw("path", { class: "before", d: `M${x(0)} ${zero}${steps.join("")}V${zero}` }));
      }
      for (const part of [0, 0.5, 1])
        label(
          plot,
          plot.across(part),
          `${edge(part * bins)}`,
          part === 1 ? "end" : part ? "middle" : "start",
        );
      return plot;
    },
    placeAt: (plot, x) => clamp(Math.floor(((x - LEFT) / (plot.width - LEFT - RIGHT)) * bins), bins),
    mark: (plot, place) => [plot.across(place / bins), (plot.width - LEFT - RIGHT) / bins],
    tell: (place) =>
      `${edge(place)} to ${edge(place + 1)}: ${queriesOf(now[place])}${column.held ? `, baseline ${whole(before[place])}` : ""}`,
  });
}

// The values by turn of conversations.
function turns(column) {
  const points = column.byTurn;
  if (!points.length) return null;
  const tell = (place) => {
    const [turn, many, value, baseline] = points[place];
    const before = baseline === null ? "" : `, baseline ${number(baseline, column.isCount)}`;
    return `turn ${turn}: ${number(value, column.isCount)}${before} (${queriesOf(many)})`;
  };
  const [first, last] = [points[0], points[points.length - 1]];
  const summary = `From ${number(first[2], column.isCount)} at turn ${first[0]} to ${number(last[2], column.isCount)} at turn ${last[0]}.`;
  const held = points.some((point) => point[3] !== null);
  const values = points.flatMap((point) => [point[2], point[3]]).filter((value) => value !== null);
  const x = (plot, place) => plot.across(points.length === 1 ? 0.5 : place / (points.length - 1));
  return figure(
    "Values by turn",
    summary,
    held ? legend(["now", "this run"], ["before", "baseline"]) : legend(["now", "this run"]),
    {
      count: points.length,
      paint: (width) => {
        const plot = frame(width, 160, Math.min(0, ...values), Math.max(...values) || 1, summary);
        const at = (side) =>
          points.map((point, place) =>
            point[side] === null ? null : [x(plot, place), plot.down(point[side])],
          );
        if (held) line(plot, at(3), "before");
        line(plot, at(2), "now");
        const every = Math.ceil(points.length / (width / 40));
        points.forEach((point, place) => place % every || label(plot, x(plot, place), `${point[0]}`));
        return plot;
      },
      placeAt: (plot, at) => clamp(nearest(plot, at, points.length), points.length),
      mark: (plot, place) => [x(plot, place) - 1, 2],
      tell,
    },
  );
}

// The values of one threshold over the sessions.
function trend(sessions, [subject, isPlain, values]) {
  const known = values.filter((value) => value !== null);
  const told = (value) =>
    isPlain && value !== null ? `${Number(value.toPrecision(6))}` : number(value, false);
  const tell = (place) => {
    const [time, commit, outcome] = sessions[place];
    const which = place === sessions.length - 1 ? "this session, " : "";
    return `${which}${moment(time)}${commit ? `, ${commit.slice(0, 12)}` : ""}: ${told(values[place])} (gate ${outcome})`;
  };
  const summary = known.length
    ? `${counted(known.length, "session")}, from ${told(Math.min(...known))} to ${told(Math.max(...known))}.`
    : "No values.";
  const isRed = sessions.some((session, place) => session[2] !== "passed" && values[place] !== null);
  const room = (Math.max(...known) - Math.min(...known)) * 0.1 || (isPlain ? 1 : 0.01);
  const x = (plot, place) => plot.across(sessions.length === 1 ? 0.5 : place / (sessions.length - 1));
  return figure(subject, summary, isRed ? legend(["red", "gate red"]) : null, {
    count: sessions.length,
    paint: (width) => {
      const plot = frame(width, 130, Math.min(...known) - room, Math.max(...known) + room, summary);
      const points = values.map((value, place) =>
        value === null ? null : [x(plot, place), plot.down(value)],
      );
      line(plot, points, "now");
      points.forEach((point, place) => {
        if (point && sessions[place][2] !== "passed")
          plot.image.append(draw("circle", { class: "red dot", cx: point[0], cy: point[1], r: 4 }));
      });
      label(plot, LEFT, sessions[0][0].slice(0, 10), "start");
      label(plot, width - RIGHT, sessions[sessions.length - 1][0].slice(0, 10), "end");
      return plot;
    },
    placeAt: (plot, at) => clamp(nearest(plot, at, sessions.length), sessions.length),
    mark: (plot, place) => [x(plot, place) - 1, 2],
    tell,
  });
}
