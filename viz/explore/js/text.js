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
        const rows = (inside.get(row) || []).filter((one) => run.region[one] === region);
        later.push({ ...body, rows, depth: next.depth + 1 });
      });
    }
    later.push({ line: new Line(-1, () => `${pad}  return${next.outs.map((ref, k) => `${k ? "," : ""} ${refText(run, ref)}`).join("")}`) });
    stack.push(...later.reverse());
  }
  return lines;
}

const insideCache = new Map();
function insideOf(run) {
  if (!insideCache.has(run)) {
    const inside = new Map();
    for (let row = 0; row < run.size; row++) {
      const owner = run.owner[row];
      if (owner >= 0) inside.set(owner, [...(inside.get(owner) || []), row]);
    }
    insideCache.set(run, inside);
  }
  return insideCache.get(run);
}

// Topological order of rows, ties by id. Usually ascending ids are one; otherwise Kahn's algorithm.
function executionOrder(run, state, rows) {
  const id = (row) => run.id[row];
  const sorted = [...rows].sort((one, other) => id(one) - id(other));
  const needs = (row) => [...state.wiring[row].ins.map((ref) => ref[0]), ...state.before(row).map((pair) => pair[0])];
  const isAfter = (row) => state.wiring[row].ins.every((ref) => id(ref[0]) < id(row)) && state.before(row).every((pair) => id(pair[0]) < id(row));
  if (sorted.every(isAfter)) return sorted;
  const inside = new Set(sorted);
  const missing = new Map(sorted.map((row) => [row, new Set(needs(row).filter((other) => inside.has(other)))]));
  const done = [];
  const ready = sorted.filter((row) => !missing.get(row).size);
  const users = new Map();
  for (const [row, others] of missing) others.forEach((other) => users.set(other, [...(users.get(other) || []), row]));
  while (ready.length) {
    const row = ready.splice(ready.reduce((best, one, k) => (id(one) < id(ready[best]) ? k : best), 0), 1)[0];
    done.push(row);
    for (const user of users.get(row) || []) {
      missing.get(user).delete(row);
      if (!missing.get(user).size) ready.push(user);
    }
  }
  return done.length === sorted.length ? done : sorted;
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
