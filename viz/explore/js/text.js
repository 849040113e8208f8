// The graph as text at any step, in the IR syntax of minigraph/ir/text.py, and the diff of two steps.

const MAX_LINES = 1000;  // shown; exports have all
const textPane = make("div", { class: "ir code", tabindex: 0 });
const diffPane = make("div", { class: "ir code", tabindex: 0 });
const NAME = /^[A-Za-z_][\p{L}\p{N}_.]*$/u;
const nameText = (name) => (NAME.test(name) ? name : JSON.stringify(name));

// A line; its text is written when it is needed, because few of the lines of a large graph are shown.
class Line {
  constructor(row, write) { Object.assign(this, { row, write }); }

  get text() { return this.write(this.row); }
}

// The lines of a state; row -1: no node.
const linesCache = new WeakMap();
function textLines(run, state) {
  if (!linesCache.has(state)) linesCache.set(state, linesOfState(run, state));
  return linesCache.get(state);
}

function linesOfState(run, state) {
  const tops = [];
  for (let row = 0; row < run.rows; row++) if (run.owner[row] < 0 && state.alive[row]) tops.push(row);
  const outs = run.raw.outputs.filter((row) => state.wiring[row].ins.length).flatMap((row) => state.wiring[row].ins);
  const inside = insideOf(run);
  const lines = [];
  // Bodies are nested; an explicit stack of graphs and lines replaces recursion.
  const stack = [{ title: run.title, inputs: run.raw.inputs, head: run.raw.head, rows: tops, outs, depth: 0 }];
  while (stack.length) {
    const next = stack.pop();
    const pad = "    ".repeat(next.depth);
    if (next.line) { lines.push(next.line); continue; }
    lines.push(new Line(-1, () => `${pad}graph ${nameText(next.title)}(${next.inputs.map((row) => refText(run, [row, 0])).join(", ")})${next.head}`));
    const later = [];
    const write = (row) => `${pad}  ${lineText(run, state, row)}`;
    for (const row of executionOrder(run, state, next.rows)) {
      later.push({ line: new Line(row, write) });
      (run.bodies[row] || []).forEach((body, region) => {
        later.push({ ...body, rows: (inside.get(row) || [])[region] || [], depth: next.depth + 1 });
      });
    }
    later.push({ line: new Line(-1, () => `${pad}  return${next.outs.map((ref, k) => `${k ? "," : ""} ${refText(run, ref)}`).join("")}`) });
    while (later.length) stack.push(later.pop());
  }
  return lines;
}

const insideCache = new Map();
function insideOf(run) {
  if (!insideCache.has(run)) {
    const inside = new Map();
    for (let row = 0; row < run.size; row++) {
      const owner = run.owner[row];
      if (owner < 0) continue;
      if (!inside.has(owner)) inside.set(owner, run.bodies[owner].map(() => []));
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
  if (sorted.every((row) => neededRows(state, row).every((other) => id[other] < id[row]))) return sorted;
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

// The rows that must precede a row: producers of its operands, and those of its order edges.
function neededRows(state, row) {
  const rows = state.wiring[row].ins.map((ref) => ref[0]);
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

const refText = (run, [row, result]) => `%${run.id[row]}${result ? `.${result}` : ""}`;

function lineText(run, state, row) {
  const { ins } = state.wiring[row];
  const sorted = [...state.before(row)].sort((one, other) => run.id[one[0]] - run.id[other[0]]);
  const after = sorted.map(([other, kind]) => `%${run.id[other]}(${kind})`).join(", ");
  const lines = [...new Set(run.places(row).map((place) => locText(PLACES[place])))].join(", ");
  return `%${run.id[row]} = ${nameText(run.op(row))}(${ins.map((ref) => refText(run, ref)).join(", ")})${run.attrs(row)} : ` +
    `${run.types(row)}${after && ` after ${after}`}${lines && `  # ${lines}`}`;
}

function locText(place) {
  const name = baseName(place.file);
  return `${/^[^\s",#]+$/.test(name) ? name : JSON.stringify(name)}:${place.line}`;
}

// ---- the diff --------------------------------------------------------------------------------------

// The lines of two states, in order, each with "+" (new only), "−" (old only) or " " (both).
function diffLines(from, to) {
  const [old, now] = [textLines(from.run, from), textLines(to.run, to)];
  const headings = (lines) => new Set(lines.filter((line) => line.row < 0).map((line) => line.text));
  const [oldHeadings, newHeadings] = [headings(old), headings(now)];
  const isBoth = (line) => (line.row < 0 ? oldHeadings.has(line.text) && newHeadings.has(line.text) : isSameLine(from, to, line.row));
  const diff = [];
  let i = 0;
  for (const line of now) {
    while (i < old.length && !isBoth(old[i])) diff.push({ line: old[i++], sign: "−" });
    if (!isBoth(line)) diff.push({ line, sign: "+" });
    else {
      diff.push({ line, sign: " " });
      if (i < old.length) i += 1;
    }
  }
  for (; i < old.length; i++) if (!isBoth(old[i])) diff.push({ line: old[i], sign: "−" });
  return diff;
}

// Whether two states have the same line of a row. Order edges also vanish with the node that they come from.
function isSameLine(from, to, row) {
  if (statusOf(row, from, to)) return false;
  return !from.wiring[row].before.length || lineText(from.run, from, row) === lineText(to.run, to, row);
}

// Only lines close to a change; "⋯" marks omitted lines.
function nearChanges(lines, around = 2) {
  const near = new Set();
  lines.forEach((line, k) => { if (line.sign !== " ") for (let n = k - around; n <= k + around; n++) near.add(n); });
  const kept = [];
  lines.forEach((line, k) => {
    if (near.has(k)) kept.push({ row: line.line.row, text: line.line.text, sign: line.sign });
    else if (near.has(k - 1)) kept.push({ row: -1, text: "⋯", sign: " " });
  });
  return kept;
}

// ---- display ---------------------------------------------------------------------------------------

function lineElement(pane, line) {
  const kind = { "+": "ins", "−": "del" }[line.sign] || "div";
  const element = make(kind, { class: "line", "data-row": line.row }, line.sign ? `${line.sign} ${line.text}` : line.text);
  if (line.row >= 0) {
    element.addEventListener("pointerenter", () => setFocus(pane.run, [line.row]));
    element.addEventListener("click", () => goTo(pane, line.row));
  }
  return element;
}

function goTo(pane, row) {
  pane.reveal(row);
  pane.select(shownAs(pane, row));
}

function fillLines(box, pane, lines) {
  const shown = lines.slice(0, MAX_LINES).map((line) => lineElement(pane, line));
  if (lines.length > MAX_LINES) shown.push(make("p", { class: "soft" }, `and ${count(lines.length - MAX_LINES)} more lines`));
  box.replaceChildren(...shown);
}

function showText(pane) {
  if (!textPane.isConnected || textPane.hidden) return;
  fillLines(textPane, pane, textLines(pane.run, pane.states()[1]));
  markLines();
}

function showDiff(pane) {
  if (!diffPane.isConnected || diffPane.hidden) return;
  const [from, to] = pane.states();
  const lines = from === to ? [] : nearChanges(diffLines(from, to));
  fillLines(diffPane, pane, lines.length ? lines : [{ row: -1, text: "no changes at this step" }]);
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
