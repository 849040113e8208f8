// One focus for all views: the hovered or selected node is highlighted in the graph, the source, the text and the charts.

const panes = [];
let active = null;

const focus = { rows: RUNS.map(() => new Set()), lines: new Set() };

function rowsIn(run, item) {
  if (item === null) return [];
  if (item >= 0) return [item];
  const { node } = run.frames[-1 - item];
  return node >= 0 ? [node] : [];
}

function pointAt(pane, item) {
  const rows = rowsIn(pane.run, item);
  setFocus(pane.run, rows);
  pane.note.textContent = rows.length ? clip(lineText(pane.run, pane.states()[1], rows[0]), 160) : pane.summary;
}

// Highlights rows in all views, with their source lines and the nodes of other runs that come from the same lines.
function setFocus(run, rows) {
  const key = rows.length ? `${run.number}:${rows.join()}` : "";
  if (focus.key === key) return;
  focus.key = key;
  focus.lines = new Set(rows.flatMap((row) => run.positions(row).map((position) => lineKey(SOURCE_POSITIONS[position]))));
  focus.rows = RUNS.map((one) => new Set(one === run ? rows : []));
  for (const line of focus.lines) {
    rowsAt(line).forEach((rowsOfRun, number) => { if (number !== run.number) rowsOfRun.forEach((row) => focus.rows[number].add(row)); });
  }
  emit("focus");
}

function setFocusLine(line) {
  if (focus.key === line) return;
  focus.key = line;
  focus.lines = new Set(line ? [line] : []);
  focus.rows = RUNS.map((_, number) => new Set(line ? rowsAt(line)[number] : []));
  emit("focus");
}

on("focus", () => panes.forEach((pane) => pane.mark()));

// Keys of rows that are equal for the same node in runs of the same graph: captured nodes by id, created nodes by their
// label and what they were created from. Rows of bodies have none.
const keyCache = new Map();
function keysOf(run) {
  if (keyCache.has(run)) return keyCache.get(run);
  const { alive } = stateAt(run, 0);
  const keys = new Array(run.size).fill("");
  for (let row = 0; row < run.rows; row++) if (run.owner[row] < 0 && alive[row]) keys[row] = `%${run.id[row]}`;
  const ordered = [...run.id.keys()].filter((row) => run.hasData(row) && run.owner[row] < 0 && !alive[row]);
  for (const row of ordered.sort((one, other) => run.id[one] - run.id[other])) {  // sources have lower ids
    keys[row] = `${run.label(row)}(${run.sources(row).map((source) => keys[source]).sort()})`;
  }
  keyCache.set(run, keys);
  return keys;
}

// Returns the predicate whether an item is in this pane only, of several panes with the same graph.
function onlyHere(pane) {
  const others = panes.filter((one) => one !== pane && one.run.what === "graph" && one.run.title === pane.run.title);
  if (!others.length || pane.run.what !== "graph") return () => false;
  const mine = keysOf(pane.run);
  const theirs = others.map((other) => {
    const state = other.states()[1];
    return new Set(keysOf(other.run).filter((key, row) => key && state.has(row)));
  });
  return (item) => {
    const [row] = rowsIn(pane.run, item);
    return row !== undefined && Boolean(mine[row]) && theirs.every((keys) => !keys.has(mine[row]));
  };
}

on("drawn", (pane) => panes.forEach((one) => { if (one !== pane && one.elements) one.mark(); }));

// Makes a pane the one that keys and side panels refer to.
function activate(pane) {
  if (active === pane) return;
  active = pane;
  panes.forEach((one) => one.element.classList.toggle("active", one === pane));
  emit("active", pane);
  emit("step", pane);
}
