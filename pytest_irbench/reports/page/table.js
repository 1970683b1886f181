// The table of a gate's queries: sorted, filtered, fifty rows at a time.

const ROWS = 50;

function filtersOf(gate, column) {
  const deep = Math.min(column.cutoff ?? TOP_SHOWN, TOP_SHOWN);
  const compared = [
    ["worse", "worse", (query) => column.kind(query) < 0],
    ["better", "better", (query) => column.kind(query) > 0],
    ["same", "the same", (query) => column.kind(query) === 0],
  ];
  return [
    ["all", "all", () => true],
    ...(column.held ? compared : []),
    ["empty", "without results", (query) => query.returned === 0],
    ["unjudged", `unjudged in the top ${deep}`, (query) => (query.unjudged & ((1 << deep) - 1)) !== 0],
  ];
}

function columnsOf(gate, column) {
  const values = [["now", column.held ? "now" : "value", column.now]];
  if (column.held) values.unshift(["before", "baseline", column.before]);
  if (column.held) values.push(["change", "change", column.change]);
  return [
    ["id", "query", (query) => query.id],
    ...(gate.queries.some((query) => query.turn !== null) ? [["turn", "turn", (query) => query.turn]] : []),
    ...values,
    ["text", "text", (query) => query.text],
  ];
}

const order = new Intl.Collator("en", { numeric: true }).compare;

// Unknown values come last, whichever way it is sorted.
function sorted(queries, key, down) {
  const sign = down ? -1 : 1;
  return queries
    .map((query) => [key(query), query])
    .sort(([one], [other]) => {
      if (one === null || other === null) return (one === null) - (other === null);
      return sign * (typeof one === "string" ? order(one, other) : one - other);
    })
    .map(([, query]) => query);
}

function rowOf(query, columns, column, open) {
  const cells = columns.map(([name, , key]) => {
    if (name === "id")
      return make(
        "th",
        { scope: "row" },
        button(query.id, () => open(query), { class: "link", "aria-haspopup": "dialog" }),
      );
    if (name === "text") return make("td", { class: "text", dir: "auto" }, query.text);
    if (name === "turn") return make("td", { class: "number" }, query.turn === null ? NONE : `${query.turn}`);
    if (name === "change") return make("td", { class: "number" }, changed(key(query), column.isCount));
    return make("td", { class: "number" }, number(key(query), column.isCount));
  });
  return make("tr", {}, ...cells);
}

// What is looked for stays when another measure is chosen, as far as its table has it.
function stateOf(gate, columns, filters) {
  const state = { sort: "change", down: false, text: "", filter: "all", ...gate.state, rows: ROWS };
  if (!columns.some(([name]) => name === state.sort)) state.sort = "now";
  if (!filters.some(([name]) => name === state.filter)) state.filter = "all";
  gate.state = state;
  return state;
}

function queryTable(gate, column, open) {
  const columns = columnsOf(gate, column);
  const filters = filtersOf(gate, column);
  const state = stateOf(gate, columns, filters);
  const body = make("tbody");
  const count = make("output", { class: "count" });
  const more = button(
    "",
    () => {
      const first = state.rows;
      state.rows += ROWS;
      show();
      body.rows[first].querySelector("button").focus();
    },
    { class: "more" },
  );
  const heads = columns.map(([name, title]) => {
    const right = name !== "id" && name !== "text";
    const sort = button(title, () => {
      state.down = state.sort === name && !state.down;
      state.sort = name;
      update();
    });
    return make("th", { scope: "col", class: right ? "number" : null, "data-name": name }, sort);
  });

  function show() {
    const shown = gate.shown.slice(0, state.rows);
    body.replaceChildren(...shown.map((query) => rowOf(query, columns, column, open)));
    count.textContent = `${whole(gate.shown.length)} of ${queriesOf(gate.queries.length)}`;
    const left = gate.shown.length - shown.length;
    more.hidden = left === 0;
    more.textContent = `Show ${Math.min(left, ROWS)} more of ${whole(left)}`;
    none.hidden = shown.length > 0;
  }

  function update() {
    const holds = filters.find(([name]) => name === state.filter)[2];
    const wanted = state.text.toLowerCase();
    const found = gate.queries.filter((query) => query.words.includes(wanted) && holds(query));
    gate.shown = sorted(found, columns.find(([name]) => name === state.sort)[2], state.down);
    state.rows = ROWS;
    for (const head of heads) {
      head.setAttribute(
        "aria-sort",
        head.dataset.name !== state.sort ? "none" : state.down ? "descending" : "ascending",
      );
    }
    show();
  }

  const search = make("input", {
    type: "search",
    value: state.text,
    oninput: () => {
      state.text = search.value;
      update();
    },
  });
  const choice = select("Show", filters, state.filter, (value) => {
    state.filter = value;
    update();
  });
  const controls = make(
    "div",
    { class: "controls" },
    make("label", { class: "field" }, make("span", {}, "Find"), search),
    choice,
    count,
  );
  const none = make("p", { class: "empty" }, "No query fits.");
  const caption = `Queries of ${gate.name}, ${column.text}`;
  const table = make(
    "table",
    { class: `queries of-${columns.length}` },
    make("caption", { class: "unseen" }, caption),
    make("thead", {}, make("tr", {}, ...heads)),
    body,
  );
  update();
  return make(
    "div",
    { class: "browse" },
    controls,
    make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, table),
    none,
    more,
  );
}
