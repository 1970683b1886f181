// One query in a dialog: its values, and the first documents of both sides with the moves between them.

const TOP_SHOWN = 10;
const HINT = "Lines join the documents of both sides, thick for grades above 0.";

function gradeOf(grade) {
  if (grade === null) return make("span", { class: "grade unjudged" }, "unjudged");
  return make("span", { class: `grade${grade > 0 ? " relevant" : ""}` }, `grade ${grade}`);
}

function moveOf(rank, elsewhere, isNow) {
  if (elsewhere === rank) return "same";
  if (elsewhere === null) return isNow ? "new" : "gone";
  return `${isNow ? "was" : "now"} ${elsewhere}`;
}

function rankingOf(title, documents, { isNow, held, cutoff }) {
  const items = documents.map(([docId, grade, elsewhere], place) => {
    const move = held ? make("span", { class: "move" }, moveOf(place + 1, elsewhere, isNow)) : null;
    const last = cutoff === place + 1 && cutoff < documents.length;
    return make(
      "li",
      { class: last ? "last" : null },
      make("span", { class: "rank" }, `${place + 1}`),
      make(
        "span",
        { class: "doc" },
        make("bdi", {}, docId),
        make("span", { class: "marks" }, gradeOf(grade), move),
      ),
    );
  });
  const list = items.length
    ? make("ol", {}, ...items)
    : make("p", { class: "empty" }, isNow ? "No results: it counts 0." : "No results.");
  return make("div", { class: "ranking" }, make("h4", {}, title), list);
}

// Lines between the documents that stand on both sides, from and to the middles of their rows.
function drawMoves(image, before, now, documents) {
  const [left, right] = [before, now].map((side) => [...side.querySelectorAll("li")]);
  const top = image.getBoundingClientRect().top;
  const middle = (row) => {
    const { top: y, height } = row.getBoundingClientRect();
    return (y + height / 2 - top).toFixed(1);
  };
  const width = image.clientWidth;
  const lines = documents.flatMap(([, grade, elsewhere], place) => {
    if (elsewhere === null || elsewhere > left.length) return [];
    const way = ["down", "level", "up"][Math.sign(elsewhere - place - 1) + 1];
    const kind = grade > 0 ? `${way} relevant` : way;
    const [from, to] = [middle(left[elsewhere - 1]), middle(right[place])];
    return [
      draw("path", { class: kind, d: `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}` }),
    ];
  });
  image.replaceChildren(...lines);
}

function documentsOf(gate, query, column) {
  if (!query.top) {
    return make(
      "p",
      { class: "empty" },
      "The documents of this query are left out to keep this page small. " +
        "A .json report of the session has them: --irbench-report=report.json",
    );
  }
  const seen = { held: gate.held, cutoff: column.cutoff };
  const now = rankingOf("This run", query.top, { ...seen, isNow: true });
  if (!gate.held) return make("div", { class: "sides alone" }, now);
  const before = rankingOf("Baseline", query.topBefore, { ...seen, isNow: false });
  const image = draw("svg", { class: "moves", "aria-hidden": "true" });
  const box = make("div", { class: "sides" }, before, image, now);
  new ResizeObserver(() => drawMoves(image, before, now, query.top)).observe(box);
  return box;
}

function valuesOf(gate, query) {
  const titles = gate.held ? ["measure", "baseline", "now", "change"] : ["measure", "value"];
  const rows = gate.columns.map((column) => {
    const numbers = [number(column.now(query), column.isCount)];
    if (gate.held) numbers.unshift(number(column.before(query), column.isCount));
    if (gate.held) numbers.push(changed(column.change(query), column.isCount));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, column.text),
      ...numbers.map((one) => make("td", { class: "number" }, one)),
    );
  });
  const head = titles.map((title, place) =>
    make("th", { scope: "col", class: place ? "number" : null }, title),
  );
  const table = make(
    "table",
    {},
    make("caption", { class: "unseen" }, "Values of this query"),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...rows),
  );
  return make(
    "div",
    { class: "wide", tabindex: 0, role: "region", "aria-label": "Values of this query" },
    table,
  );
}

// The turns that were asked before this one.
function earlier(gate, query) {
  const before = gate.queries.filter(
    (one) => one.conversation === query.conversation && one.turn < query.turn,
  );
  if (query.conversation === null || !before.length) return null;
  before.sort((one, other) => one.turn - other.turn);
  const items = before.map((one) => make("li", { value: one.turn }, one.text));
  return make(
    "details",
    {},
    make("summary", {}, `Judged turns before it: ${before.length}`),
    make("ol", {}, ...items),
  );
}

class QueryDialog {
  constructor(onclose) {
    this.inside = make("div", { class: "inside" });
    this.dialog = make("dialog", { id: "query", "aria-labelledby": "query-name", onclose });
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close();
    });
    this.dialog.append(this.inside);
    document.body.append(this.dialog);
  }

  // An address may be of another session, or be damaged on its way.
  miss(id, place) {
    const said = `Gate ${place} of this page has no such query. The address may be that of another session.`;
    this.inside.replaceChildren(this.titled(id), make("p", {}, said));
    this.reveal(".close");
  }

  titled(id, ...steps) {
    const close = button("Close", () => this.dialog.close(), { class: "close", autofocus: true });
    return make(
      "div",
      { class: "title" },
      make("h2", { id: "query-name" }, "Query ", make("bdi", {}, id)),
      make("div", { class: "steps" }, ...steps, close),
    );
  }

  reveal(focused) {
    if (!this.dialog.open) this.dialog.showModal();
    else (this.inside.querySelector(focused) ?? this.inside.querySelector(".close")).focus();
    this.dialog.scrollTop = 0;
  }

  show(gate, query, column, open) {
    const focused = this.dialog.open ? document.activeElement.getAttribute("aria-label") : null;
    const place = gate.shown.indexOf(query);
    const step = (text, name, other) =>
      button(text, () => open(other), { "aria-label": name, class: "step", disabled: !other });
    const where =
      query.conversation === null ? null : `conversation ${query.conversation}, turn ${query.turn}`;
    this.inside.replaceChildren(
      this.titled(
        query.id,
        step("‹", "Previous query", place > 0 ? gate.shown[place - 1] : null),
        step("›", "Next query", place >= 0 ? gate.shown[place + 1] : null),
      ),
      make("p", { class: "asked", dir: "auto" }, query.text),
      make("p", { class: "quiet" }, [gate.name, where].filter(Boolean).join(" · ")),
      ...[
        earlier(gate, query),
        valuesOf(gate, query),
        make("h3", {}, `First ${TOP_SHOWN} documents`),
        gate.held ? make("p", { class: "quiet" }, HINT) : null,
        documentsOf(gate, query, column),
      ].filter(Boolean),
    );
    this.reveal(`.step[aria-label="${focused}"]:enabled`);
  }
}
