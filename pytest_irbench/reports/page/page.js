// The page comes alive: gates are drawn when they come into view, addresses open queries.

const gates = new Map();

function columnOf([text, cutoff, isCount, value, baseline, worse, better, same, byTurn], place) {
  const now = (query) => query.values[place];
  const before = (query) => query.baseline[place];
  const change = (query) =>
    now(query) === null || before(query) === null ? null : now(query) - before(query);
  const kind = (query) => (isSame(change(query), now(query)) ? 0 : Math.sign(change(query)));
  return {
    text,
    cutoff,
    isCount,
    value,
    baseline,
    worse,
    better,
    same,
    byTurn,
    now,
    before,
    change,
    kind,
    held: baseline !== null,
  };
}

function queryOf([id, text, conversation, turn, values, baseline, returned, unjudged, top, topBefore]) {
  const words = `${id}\n${text}`.toLowerCase();
  return { id, text, conversation, turn, values, baseline, returned, unjudged, top, topBefore, words };
}

function read(place) {
  const data = document.getElementById(`gate-${place}-data`);
  if (!data) return null;
  const plain = JSON.parse(data.textContent);
  const queries = (plain.queries ?? []).map(queryOf);
  return { ...plain, place, queries, columns: (plain.measures ?? []).map(columnOf), shown: queries };
}

const addressOf = (gate, id) => `#gate-${gate.place}/query=${encodeURIComponent(id)}`;

const SENTENCES = [/^(would pass without )(.*)()$/s, /^( query )(.+?)((?:, document |: ).*)$/s];

// The ids of queries in sentences become links, where they are all known. Without a script they are text.
function link(gate, node) {
  for (const sentence of SENTENCES) {
    const [, before, list, after] = node.data.match(sentence) ?? [];
    const ids = list?.split(", ") ?? [];
    if (!ids.length || !ids.every((id) => gate.queries.some((query) => query.id === id))) continue;
    const links = ids.flatMap((id, place) => [
      place ? ", " : "",
      make("a", { href: addressOf(gate, id), "aria-haspopup": "dialog" }, id),
    ]);
    node.replaceWith(before, ...links, after);
    return;
  }
}

function linkAll(gate) {
  const lines = document.querySelectorAll(`#gate-${gate.place} .red :is(h3, .without)`);
  for (const line of lines) link(gate, line.lastChild);
}

function explore(gate) {
  const drawn = make("div");
  const open = (query) => {
    location.hash = addressOf(gate, query.id);
  };
  const choose = (place) => {
    gate.column = gate.columns[place];
    const first = (gate.column.held ? changes : values)(gate, gate.column, open);
    const plots = [first, distribution(gate, gate.column), turns(gate.column)].filter(Boolean);
    drawn.replaceChildren(
      make("div", { class: `plots has-${plots.length}` }, ...plots),
      queryTable(gate, gate.column, open),
    );
  };
  const parts = [];
  if (gate.columns.length && gate.queries.length) {
    const names = gate.columns.map((column, place) => [place, column.text]);
    const measures = select("Measure", names, 0, choose);
    parts.push(make("div", { class: "title" }, make("h3", {}, "Queries"), measures), drawn);
    choose(0);
  }
  if (gate.trend) parts.push(...trends(gate.trend));
  return parts;
}

function trends({ sessions, left, subjects, unshown }) {
  const drawn = subjects
    .filter(([, , values]) => values.some((value) => value !== null))
    .map((one) => trend(sessions, one));
  const said = [
    left ? `the last ${sessions.length} sessions` : counted(sessions.length, "session"),
    unshown ? `${unshown} more thresholds are not shown` : "",
  ];
  return [
    make("h3", {}, "Trend"),
    make("p", { class: "quiet" }, `${said.filter(Boolean).join("; ")}. The last is this one.`),
    make("div", { class: "plots trends" }, ...drawn),
  ];
}

function gateAt(place) {
  if (!gates.has(place)) {
    const gate = read(place);
    gates.set(place, gate);
    const box = document.querySelector(`.explorer[data-gate="${place}"]`);
    if (gate && box) box.replaceChildren(...explore(gate));
    if (gate?.column) linkAll(gate);
    box?.classList.add("drawn");
  }
  return gates.get(place);
}

let returnTo = null;
const dialog = new QueryDialog(() => {
  if (location.hash.includes("/query=")) history.replaceState(null, "", location.hash.split("/")[0]);
  returnTo?.isConnected && returnTo.focus({ preventScroll: true });
  returnTo = null;
});

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // a damaged address names no query
  }
}

// Where a closed dialog leads back to: what had the focus, or the section of the gate.
function remember(section) {
  const focused = document.activeElement;
  returnTo = focused === document.body ? section : focused;
  if (!section || returnTo !== section) return;
  section.tabIndex = -1;
  section.scrollIntoView();
}

// An address such as #gate-1/query=31_1 opens a query, any other closes it.
function route() {
  const [, place, name] = location.hash.match(/^#gate-(\d+)\/query=(.*)$/) ?? [];
  if (!place) {
    dialog.dialog.close();
    return;
  }
  const gate = gateAt(Number(place));
  const id = decoded(name);
  const query = gate?.column && gate.queries.find((one) => one.id === id);
  if (!dialog.dialog.open) remember(document.getElementById(`gate-${place}`));
  if (query) dialog.show(gate, query, gate.column, (other) => location.replace(addressOf(gate, other.id)));
  else dialog.miss(id, place);
}

function themes() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");
  const kept = (theme) => {
    try {
      if (theme) localStorage.setItem("irbench-theme", theme);
      return localStorage.getItem("irbench-theme");
    } catch {
      return theme ?? null; // a page from a file may not be allowed to keep anything
    }
  };
  const show = (theme) => {
    if (theme === "dark" || theme === "light") root.dataset.theme = theme;
    const other = (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    toggle.textContent = `Switch to ${other}`;
    return other;
  };
  toggle.addEventListener("click", () => {
    const other = show();
    kept(other);
    show(other);
  });
  dark.addEventListener("change", () => show());
  show(kept());
  toggle.hidden = false;
}

function copying(line) {
  const copy = button(
    "Copy",
    async () => {
      const text = line.querySelector("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
        copy.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(line.querySelector("code"));
        copy.textContent = "Selected";
      }
    },
    { class: "small" },
  );
  line.append(" ", copy);
}

themes();
document.querySelectorAll(".command").forEach(copying);
const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      gateAt(Number(entry.target.closest(".gate").id.slice("gate-".length)));
    }
  },
  { rootMargin: "400px" },
);
document.querySelectorAll(".explorer, .gate .red").forEach((box) => watcher.observe(box));
addEventListener("hashchange", route);
addEventListener("beforeprint", () =>
  document.querySelectorAll("main details").forEach((one) => {
    one.open = true;
  }),
);
route();
