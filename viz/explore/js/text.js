// The graph as text at any step, in the IR syntax of minigraph/ir/text.py, and the diff of two steps.

const MAX_LINES = 1000;  // shown; exports have all
const textPane = make("div", { class: "ir code", tabindex: 0 });
const diffPane = make("div", { class: "ir code", tabindex: 0 });
const OMITTED = { row: -1, write: () => "⋯" };
const UNCHANGED = { row: -1, write: () => "no changes at this step" };
const NAME = /^[A-Za-z_][\p{L}\p{N}_.]*$/u;
const nameText = (name) => (NAME.test(name) ? name : JSON.stringify(name));

// A line; its text is written when it is needed, because few of the lines of a large graph are shown. `row`: of a node,
// else -1; `owner`: the row of the node whose body contains the line, else -1.
class Line {
  constructor(row, owner, write) { Object.assign(this, { row, owner, write }); }
}

// The lines of a state. Those of bodies are the same in all states.
const linesCache = new WeakMap();
function textLines(run, state) {
  if (!linesCache.has(state)) {
    const outs = run.raw.outputs.flatMap((row) => state.ins(row));
    const tops = [];
    for (let row = 0; row < run.rows; row++) if (run.owner[row] < 0 && state.alive[row]) tops.push(row);
    const lines = [];
    for (const line of graphLines(run, state, { title: run.title, inputs: run.raw.inputs, head: run.raw.head, rows: tops, outs }, -1, 0)) {
      lines.push(line);
      if (run.hasBodies(line.row)) for (const inner of bodyLines(run, state, line.row)) lines.push(inner);
    }
    linesCache.set(state, lines);
  }
  return linesCache.get(state);
}

// The lines of one graph, without those of its bodies.
function graphLines(run, state, graph, owner, depth) {
  const pad = "    ".repeat(depth);
  const write = (now, row) => `${pad}  ${lineText(run, now, row)}`;
  return [
    new Line(-1, owner, () => `${pad}graph ${nameText(graph.title)}(${graph.inputs.map((row) => refText(run, [row, 0])).join(", ")})${graph.head}`),
    ...executionOrder(run, state, graph.rows).map((row) => new Line(row, owner, write)),
    new Line(-1, owner, () => `${pad}  return${graph.outs.map((ref, k) => `${k ? "," : ""} ${refText(run, ref)}`).join("")}`)];
}

// The lines of the bodies of a node. They are nested; an explicit stack replaces recursion.
function bodyLines(run, state, top) {
  run.bodyLines = run.bodyLines || new Map();
  if (!run.bodyLines.has(top)) {
    const inside = insideOf(run);
    const lines = [];
    const linesIn = (row, depth) => run.bodiesOf(row).flatMap((body, region) => (
      graphLines(run, state, { ...body, rows: (inside.get(row) || [])[region] || [] }, row, depth).map((line) => ({ line, depth }))));
    const stack = linesIn(top, 1).reverse();
    while (stack.length) {
      const { line, depth } = stack.pop();
      lines.push(line);
      if (run.hasBodies(line.row)) stack.push(...linesIn(line.row, depth + 1).reverse());
    }
    run.bodyLines.set(top, lines);
  }
  return run.bodyLines.get(top);
}

const insideCache = new Map();
function insideOf(run) {
  if (!insideCache.has(run)) {
    const inside = new Map();
    for (let row = 0; row < run.size; row++) {
      const owner = run.owner[row];
      if (owner < 0) continue;
      if (!inside.has(owner)) inside.set(owner, run.bodiesOf(owner).map(() => []));
      inside.get(owner)[run.region[row]].push(row);
    }
    insideCache.set(run, inside);
  }
  return insideCache.get(run);
}

// Topological order of rows, ties by id. Usually ascending ids are one; otherwise Kahn's algorithm with a heap.
function executionOrder(run, state, rows) {
  const { id } = run;
  const isSorted = rows.every((row, k) => !k || id[rows[k - 1]] < id[row]);
  const sorted = isSorted ? rows : [...rows].sort((one, other) => id[one] - id[other]);
  if (sorted.every((row) => isAfterNeeded(run, state, row))) return sorted;
  const place = new Map(sorted.map((row, k) => [row, k]));
  const missing = new Int32Array(sorted.length);
  const users = sorted.map(() => []);
  sorted.forEach((row, k) => {
    for (const other of neededRows(state, row)) {
      if (place.has(other)) { users[place.get(other)].push(k); missing[k] += 1; }
    }
  });
  const done = [];
  const ready = [];
  sorted.forEach((_, k) => { if (!missing[k]) pushHeap(ready, k); });
  while (ready.length) {
    const k = popHeap(ready);
    done.push(sorted[k]);
    for (const user of users[k]) {
      missing[user] -= 1;
      if (!missing[user]) pushHeap(ready, user);
    }
  }
  return done.length === sorted.length ? done : sorted;
}

function isAfterNeeded({ id }, state, row) {
  for (const [other] of state.ins(row)) if (id[other] >= id[row]) return false;
  for (const [other] of state.before(row)) if (id[other] >= id[row]) return false;
  return true;
}

// The rows that must precede a row: producers of its operands, and those of its order edges.
function neededRows(state, row) {
  const rows = state.ins(row).map((ref) => ref[0]);
  for (const [other] of state.before(row)) rows.push(other);
  return rows;
}

// A binary heap of numbers, the least one first.
function pushHeap(heap, number) {
  let k = heap.length;
  for (let up = (k - 1) >> 1; k && heap[up] > number; up = (k - 1) >> 1) { heap[k] = heap[up]; k = up; }
  heap[k] = number;
}

function popHeap(heap) {
  const [least, last] = [heap[0], heap.pop()];
  const { length } = heap;
  if (!length) return least;
  let k = 0;
  for (let down = 1; down < length; down = 2 * k + 1) {
    if (down + 1 < length && heap[down + 1] < heap[down]) down += 1;
    if (heap[down] >= last) break;
    heap[k] = heap[down];
    k = down;
  }
  heap[k] = last;
  return least;
}

const refText = (run, [row, result]) => `%${bodyPath(run, row)}${run.id[row]}${result ? `.${result}` : ""}`;

// The prefix of the names of values in a body: "8/" in the body of %8, "8.1/" in its second body.
function bodyPath({ owner, region, id }, row) {
  let path = "";
  for (let at = row; owner[at] >= 0; at = owner[at]) path = `${id[owner[at]]}${region[at] ? `.${region[at]}` : ""}/${path}`;
  return path;
}

function lineText(run, state, row) {
  const ins = state.ins(row);
  const sorted = [...state.before(row)].sort((one, other) => run.id[one[0]] - run.id[other[0]]);
  const after = sorted.map(([other, kind]) => `${refText(run, [other, 0])}(${kind})`).join(", ");
  const lines = [...new Set(run.positions(row).map((position) => locText(SOURCE_POSITIONS[position])))].join(", ");
  return `${refText(run, [row, 0])} = ${nameText(run.op(row))}(${ins.map((ref) => refText(run, ref)).join(", ")})${run.attrs(row)} : ` +
    `${run.types(row)}${after && ` after ${after}`}${lines && `  # ${lines}`}`;
}

function locText(position) {
  const name = baseName(position.file);
  return `${/^[^\s",#]+$/.test(name) ? name : JSON.stringify(name)}:${position.line}`;
}

// ---- the diff --------------------------------------------------------------------------------------

// The lines of two states, in order, each with "+" (new only), "−" (old only) or " " (both).
function diffLines(from, to) {
  const [old, now] = [textLines(from.run, from), textLines(to.run, to)];
  const headings = (lines) => new Set(lines.filter((line) => line.row < 0 && line.owner < 0).map((line) => line.write()));
  const [oldHeadings, newHeadings] = [headings(old), headings(now)];
  const isBoth = (line) => {
    if (line.owner >= 0) return from.has(line.owner) && to.has(line.owner);
    return line.row < 0 ? oldHeadings.has(line.write()) && newHeadings.has(line.write()) : isSameLine(from, to, line.row);
  };
  const diff = [];
  let i = 0;
  for (const line of now) {
    while (i < old.length && !isBoth(old[i])) diff.push({ line: old[i++], state: from, sign: "−" });
    if (!isBoth(line)) diff.push({ line, state: to, sign: "+" });
    else {
      diff.push({ line, state: to, sign: " " });
      if (i < old.length) i += 1;
    }
  }
  for (; i < old.length; i++) if (!isBoth(old[i])) diff.push({ line: old[i], state: from, sign: "−" });
  return diff;
}

// Whether two states have the same line of a row. Order edges also vanish with the node that they come from.
function isSameLine(from, to, row) {
  if (statusOf(row, from, to)) return false;
  return !from.hasOrder(row) || lineText(from.run, from, row) === lineText(to.run, to, row);
}

// Only lines close to a change; "⋯" marks omitted lines.
function nearChanges(lines, around = 2) {
  const near = new Uint8Array(lines.length + 1);
  lines.forEach((line, k) => { if (line.sign !== " ") near.fill(1, Math.max(0, k - around), k + around + 1); });
  return lines.map((line, k) => (near[k] ? line : near[k - 1] ? { line: OMITTED, sign: " " } : null)).filter(Boolean);
}

// ---- display ---------------------------------------------------------------------------------------

function lineElement({ line, state, sign }) {
  const text = line.write(state, line.row);
  return make({ "+": "ins", "−": "del" }[sign] || "div", { class: "line", "data-row": line.row }, sign ? `${sign} ${text}` : text);
}

// The row of the line of an event; -1: none.
const rowOfLine = (event) => Number((event.target.closest(".line") || { dataset: { row: -1 } }).dataset.row);
for (const box of [textPane, diffPane]) {
  box.addEventListener("pointerover", (event) => { if (rowOfLine(event) >= 0) setFocus(active.run, [rowOfLine(event)]); });
  box.addEventListener("click", (event) => { if (rowOfLine(event) >= 0) goTo(active, rowOfLine(event)); });
}

function goTo(pane, row) {
  pane.reveal(row);
  pane.select(shownAs(pane, row));
}

function fillLines(box, lines, state) {
  const shown = lines.slice(0, MAX_LINES).map((line) => lineElement(state ? { line, state } : line));
  if (lines.length > MAX_LINES) shown.push(make("p", { class: "soft" }, `and ${count(lines.length - MAX_LINES)} more lines`));
  box.replaceChildren(...shown);
}

function showText(pane) {
  if (!textPane.isConnected || textPane.hidden) return;
  const state = pane.states()[1];
  fillLines(textPane, textLines(pane.run, state), state);
  markLines();
}

function showDiff(pane) {
  if (!diffPane.isConnected || diffPane.hidden) return;
  const [from, to] = pane.states();
  const lines = from === to ? [] : nearChanges(diffLines(from, to));
  fillLines(diffPane, lines.length ? lines : [{ line: UNCHANGED }]);
  markLines();
}

function markLines() {
  if (!active) return;
  const rows = focus.rows[active.run.number];
  const selected = new Set(active.selected === null ? [] : rowsIn(active.run, active.selected));
  for (const line of document.querySelectorAll(".ir .line")) {
    const row = Number(line.dataset.row);
    line.classList.toggle("hot", rows.has(row));
    line.classList.toggle("selected", selected.has(row));
  }
}

on("step", (pane) => { if (pane === active) { showText(pane); showDiff(pane); } });
on("tab", () => { showText(active); showDiff(active); });
on("focus", markLines);
on("select", () => {
  markLines();
  const line = document.querySelector(".ir:not([hidden]) .line.selected");
  if (line) line.scrollIntoView({ block: "nearest" });
});
