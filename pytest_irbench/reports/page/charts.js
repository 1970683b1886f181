// The plots of a gate. `column` holds a measure: { text, cutoff, isCount, held, value, baseline, worse, … }.

const sidesOf = (held) => legend(["now", "this run"], ...(held ? [["before", "baseline"]] : []));
const clamp = (place, count) => Math.max(0, Math.min(count - 1, place));

function told(query, column) {
  const now = number(column.now(query), column.isCount);
  const values = column.held
    ? `${number(column.before(query), column.isCount)} → ${now} (${signed(column.change(query), column.isCount)})`
    : now;
  const text = query.text.length > 120 ? `${query.text.slice(0, 119)}…` : query.text;
  return `${query.id}: ${values} · ${text}`;
}

// One path for the bars of a kind: thousands of elements would be slow.
function drawBars(plot, heights, each, kindOf) {
  const zero = plot.down(0).toFixed(1);
  const gap = each > 4 ? 1 : 0;
  const paths = new Map();
  heights.forEach((height, place) => {
    const x = LEFT + place * each;
    const bar = `M${x.toFixed(2)} ${zero}V${plot.down(height).toFixed(1)}H${(x + each - gap).toFixed(2)}V${zero}Z`;
    paths.set(kindOf(height), (paths.get(kindOf(height)) ?? "") + bar);
  });
  for (const [kind, d] of paths) plot.image.append(draw("path", { class: kind, d }));
}

// A bar for each query, sorted: its change against the baseline, or its value where there is none.
function bars(column, queries, heightOf, title, summary, open) {
  const heights = queries.map(heightOf);
  const low = Math.min(0, heights[0]);
  const high = Math.max(0, heights[heights.length - 1]);
  const step = (plot) => Math.min(44, (plot.width - LEFT - RIGHT) / queries.length);
  const kindOf = column.held ? (height) => (height < 0 ? "worse" : "better") : () => "now";
  const key = column.held ? legend(["worse", "worse"], ["better", "better"]) : legend(["now", "this run"]);
  return figure(title, summary, key, {
    count: queries.length,
    paint: (width) => {
      const plot = frame(width, 200, low, high === low ? low + 1 : high, summary);
      drawBars(plot, heights, step(plot), kindOf);
      return plot;
    },
    placeAt: (plot, x) => clamp(Math.floor((x - LEFT) / step(plot)), queries.length),
    mark: (plot, place) => [LEFT + place * step(plot), Math.max(2, step(plot))],
    tell: (place) => told(queries[place], column),
    open: (place) => open(queries[place]),
  });
}

function changes(gate, column, open) {
  const title = "Change by query";
  const changed = gate.queries.filter((query) => column.change(query) !== null && column.kind(query) !== 0);
  changed.sort((one, other) => column.change(one) - column.change(other));
  const tally = `${whole(column.worse)} worse, ${whole(column.better)} better, ${whole(column.same)} the same`;
  if (changed.length) {
    const summary = `${tally}${column.same ? "; the same are left out" : ""}.`;
    return bars(column, changed, column.change, title, summary, open);
  }
  const nothing = make("p", { class: "empty" }, "No query changed.");
  return make("figure", { class: "card" }, caption(title, `${tally}.`, null), nothing);
}

function values(gate, column, open) {
  const known = gate.queries.filter((query) => column.now(query) !== null);
  known.sort((one, other) => column.now(one) - column.now(other));
  const summary = `${queriesOf(known.length)}, the lowest first.`;
  return bars(column, known, column.now, "Value by query", summary, open);
}

const BINS = 20;

// The bins of both sides: from 0 to 1, or as far as values go, and a count has a bin of its own.
function scaleOf(known, isCount) {
  let low = 0;
  let high = 1;
  for (const value of known) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (isCount) high += 1;
  const bins = isCount ? Math.min(BINS, high - low) : BINS;
  const width = (high - low) / bins;
  const edge = (place) => `${Number((low + place * width).toPrecision(4))}`;
  const name = (place) => (isCount && width === 1 ? edge(place) : `${edge(place)} to ${edge(place + 1)}`);
  const binOf = (value) => clamp(Math.floor((value - low) / width + 1e-9), bins);
  return { bins, edge, name, binOf };
}

function tallied(known, scale) {
  const counts = new Array(scale.bins).fill(0);
  for (const value of known) counts[scale.binOf(value)] += 1;
  return counts;
}

function median(known, isCount) {
  if (!known.length) return NONE;
  const sorted = Float64Array.from(known).sort();
  const half = sorted.length / 2;
  return number((sorted[Math.ceil(half) - 1] + sorted[Math.floor(half)]) / 2, isCount);
}

function drawBins(plot, now, before, scale) {
  const x = (place) => plot.across(place / scale.bins);
  const zero = plot.down(0).toFixed(1);
  const bar = (count, place) =>
    `M${x(place).toFixed(1)} ${zero}V${plot.down(count).toFixed(1)}H${(x(place + 1) - 1).toFixed(1)}V${zero}Z`;
  const step = (count, place) => `V${plot.down(count).toFixed(1)}H${x(place + 1).toFixed(1)}`;
  plot.image.append(draw("path", { class: "now", d: now.map(bar).join("") }));
  if (before) {
    const outline = `M${x(0).toFixed(1)} ${zero}${before.map(step).join("")}V${zero}`;
    plot.image.append(draw("path", { class: "before", d: outline }));
  }
  label(plot, x(0), scale.edge(0), "start");
  label(plot, x(scale.bins / 2), scale.edge(scale.bins / 2));
  label(plot, x(scale.bins), scale.edge(scale.bins), "end");
}

// How many queries have which value, on one scale for both sides.
function distribution(gate, column) {
  const [now, before] = [column.now, column.before].map((of) =>
    gate.queries.map(of).filter((one) => one !== null),
  );
  const scale = scaleOf([...now, ...before], column.isCount);
  const counts = tallied(now, scale);
  const old = column.held ? tallied(before, scale) : null;
  const was = column.held ? `${median(before, column.isCount)} → ` : "";
  const zeros = queriesOf(now.filter((value) => value === 0).length);
  const summary = `Median ${was}${median(now, column.isCount)}; ${zeros} at 0.`;
  return figure("Queries by value", summary, sidesOf(column.held), {
    count: scale.bins,
    paint: (width) => {
      const plot = frame(width, 160, 0, Math.max(1, ...counts, ...(old ?? [])), summary, 1);
      drawBins(plot, counts, old, scale);
      return plot;
    },
    placeAt: (plot, x) =>
      clamp(Math.floor(((x - LEFT) / (plot.width - LEFT - RIGHT)) * scale.bins), scale.bins),
    mark: (plot, place) => [plot.across(place / scale.bins), (plot.width - LEFT - RIGHT) / scale.bins],
    tell: (place) => {
      const held = old ? `, baseline ${whole(old[place])}` : "";
      return `${scale.name(place)}: ${queriesOf(counts[place])}${held}`;
    },
  });
}

// The values by turn of conversations.
function turns(column) {
  const points = column.byTurn;
  if (!points.length) return null;
  const of = (value) => number(value, column.isCount);
  const [first, last] = [points[0], points[points.length - 1]];
  const summary = `From ${of(first[2])} at turn ${first[0]} to ${of(last[2])} at turn ${last[0]}.`;
  const known = points.flatMap((point) => [point[2], point[3]]).filter((value) => value !== null);
  return figure("Values by turn", summary, sidesOf(column.held), {
    count: points.length,
    paint: (width) => {
      const plot = frame(width, 160, Math.min(0, ...known), Math.max(...known) || 1, summary);
      for (const [side, kind] of [
        [3, "before"],
        [2, "now"],
      ])
        line(
          plot,
          points.map((point) => point[side]),
          kind,
        );
      const every = Math.ceil(points.length / (width / 40));
      points.forEach(
        ([turn], place) => place % every || label(plot, placed(plot, place, points.length), `${turn}`),
      );
      return plot;
    },
    placeAt: (plot, x) => nearest(plot, x, points.length),
    mark: (plot, place) => [placed(plot, place, points.length) - 1, 2],
    tell: (place) => {
      const [turn, many, value, baseline] = points[place];
      const before = baseline === null ? "" : `, baseline ${of(baseline)}`;
      return `turn ${turn}: ${of(value)}${before} (${queriesOf(many)})`;
    },
  });
}

// The ends of the axis of sessions: their dates, and the times too where all are of one day.
function spanOf(sessions) {
  const ends = [sessions[0][0], sessions[sessions.length - 1][0]];
  const [first, last] = ends.map((time) => time.slice(0, 10));
  return first === last ? ends.map((time) => time.slice(0, 16).replace("T", " ")) : [first, last];
}

// The values of one threshold over the sessions. What a session says of its gate is no verdict on this value.
function trend(sessions, [subject, isPlain, found]) {
  const known = found.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const of = (value) =>
    isPlain ? `${Number(value.toPrecision(6))}` : number(value, false);
  const last = sessions.length - 1;
  const same = known.length > 1 ? `always ${of(low)}` : of(low);
  const range = low === high ? same : `lowest ${of(low)}, highest ${of(high)}`;
  const missing = found[last] === null ? "; this session has no value" : "";
  const summary = `${counted(known.length, "session")}: ${range}${missing}.`;
  const room = low === high ? Math.abs(low) / 10 || 1 : 0;
  const span = spanOf(sessions);
  return figure(subject, summary, null, {
    count: sessions.length,
    paint: (width) => {
      const plot = frame(width, 130, low - room, high + room, summary);
      line(plot, found, "now");
      label(plot, LEFT, span[0], "start");
      label(plot, width - RIGHT, span[1], "end");
      return plot;
    },
    placeAt: (plot, x) => nearest(plot, x, sessions.length),
    mark: (plot, place) => [placed(plot, place, sessions.length) - 1, 2],
    tell: (place) => {
      const [time, commit, outcome] = sessions[place];
      const where = [place === last ? "this session" : null, moment(time), commit?.slice(0, 12)];
      const value = found[place] === null ? "no value" : of(found[place]);
      return `${where.filter(Boolean).join(", ")}: ${value} (gate ${outcome})`;
    },
  });
}
