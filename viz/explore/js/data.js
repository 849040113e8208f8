// Reads the embedded data: one `Run` per run, with nodes by row number. viz/explore/pack.py writes it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const textAt = (number) => DATA.texts[number];
const SOURCE_POSITIONS = DATA.positions.map(([file, line, start, end, func]) => ({ file: textAt(file), line, start, end, func: textAt(func) }));
const FRAME_KINDS = ["scope", "repeat", "chunk", "fused", "region"];
const baseName = (file) => DATA.names[file].replace(/^.*[/\\]/s, "");  // also of the other system's paths
const positionText = (position) => `${baseName(position.file)}:${position.line}`;

// Operands as [row, result]; the data has them as distances to the row.
const refOf = (row, packed) => (Array.isArray(packed) ? [row - packed[0], packed[1]] : [row - packed, 0]);
const refsOf = (row, packed) => packed.map((ref) => refOf(row, ref));

// A flat list as a list of pairs.
const pairsOf = (flat) => Array.from({ length: flat.length / 2 }, (_, k) => flat.slice(2 * k, 2 * k + 2));

// Run-length decoding into an array: pairs of first number and count; the numbers of a pair differ by `step`.
function decodeRuns(pairs, step, numbers) {
  for (let k = 0, at = 0; k < pairs.length; k += 2) {
    for (let n = 0; n < pairs[k + 1]; n++) numbers[at++] = pairs[k] + n * step;
  }
  return numbers;
}

// Where each group of a flat list starts; a group is preceded by its length, or is -1 - the number of another list.
function startsOf(groups) {
  const starts = [];
  for (let k = 0; k < groups.length; k += 1 + Math.max(0, groups[k])) starts.push(k);
  return starts;
}

// A flat list of groups by their keys: key, length, and so many numbers each.
function groupsOf(flat) {
  const groups = new Map();
  for (let k = 0; k < flat.length; k += 2 + flat[k + 1]) groups.set(flat[k], flat.slice(k + 2, k + 2 + flat[k + 1]));
  return groups;
}

class Run {
  constructor(raw, number) {
    Object.assign(this, { raw, number, name: raw.name, what: raw.kind, title: raw.title, size: raw.what.length });
    Object.assign(this, { chip: raw.chip, passes: raw.passes, annotations: raw.annotations, rows: raw.loc.length });
    this.id = decodeRuns(raw.id, 1, new Int32Array(this.size));
    this.frames = [];
    for (let k = 0; k < raw.frames.length; k += 4) {
      const [title, kind] = [textAt(raw.frames[k]), FRAME_KINDS[raw.frames[k + 1]]];
      this.frames.push({ title, kind, parent: raw.frames[k + 2], node: raw.frames[k + 3] });
    }
    this.ownFrames = new Int32Array(this.size).fill(-1);
    this.frames.forEach(({ node }, frame) => { if (node >= 0) this.ownFrames[node] = frame; });
    this.readBodies(raw);
    this.readParents(raw.parent);
    this.readLevels();
    this.inEdgesAt = startsOf(raw.in_edge_table);
    this.steps = [];
    for (let k = 0, end = 0; k < raw.steps.length; k += 5) {
      const first = end;
      end += raw.steps[k + 4];
      this.steps.push(new Step(raw, k, first, end));
    }
    this.inside = this.countInside(() => true);
  }

  // For rows in bodies: the row and body they belong to, and the outermost such row. Inputs of fused bodies are not drawn;
  // their positions are also listed.
  readBodies({ bodies, heads }) {
    this.owner = new Int32Array(this.size).fill(-1);
    this.region = new Int32Array(this.size);
    this.inputAt = new Int32Array(this.size).fill(-1);
    this.bodyAt = new Int32Array(this.size).fill(-1);
    for (let k = 0; k < bodies.length; k += 3) {  // row, head, first row of the body; those of one row follow each other
      const row = bodies[k];
      const isFirst = this.bodyAt[row] < 0;
      if (isFirst) this.bodyAt[row] = k;
      const head = heads[bodies[k + 1]];
      const [size, inputs] = [head[1], head[2]];
      const first = bodies[k + 2];
      for (let inner = first; inner < first + size; inner++) {
        this.owner[inner] = row;
        this.region[inner] = (k - this.bodyAt[row]) / 3;
      }
      if (isFirst && this.isFused(row)) for (let n = 0; n < inputs.length; n++) this.inputAt[first + inputs[n]] = n;
    }
    this.tops = new Int32Array(this.size);
    for (let row = 0; row < this.size; row++) this.tops[row] = this.owner[row] < 0 ? row : this.tops[this.owner[row]];
    this.unpackedBodies = new Map();
    this.captured = this.endOfCaptured();
  }

  // The end of the rows of the captured graph, which come first; a tape starts empty, and grows by all its rows.
  endOfCaptured() {
    if (this.what === "tape") return this.rows;
    let tops = 0;
    for (let row = 0; row < this.rows; row++) if (this.owner[row] < 0 && ++tops > this.raw.first) return row;
    return this.rows;
  }

  // The bodies of a row; few of a large graph are ever read.
  bodiesOf(row) {
    if (!this.unpackedBodies.has(row)) {
      const { bodies, heads } = this.raw;
      const unpacked = [];
      for (let k = this.bodyAt[row]; k >= 0 && bodies[k] === row; k += 3) {
        const [title, , inputs, outs, head] = heads[bodies[k + 1]];
        const first = bodies[k + 2];
        unpacked.push({ title: textAt(title), inputs: inputs.map((input) => first + input), outs: refsOf(first, outs), head });
      }
      this.unpackedBodies.set(row, unpacked);
    }
    return this.unpackedBodies.get(row);
  }

  hasBodies(row) { return this.bodyAt[row] >= 0; }
  hasManyBodies(row) { return this.hasBodies(row) && this.raw.bodies[this.bodyAt[row] + 3] === row; }

  // The frame that contains each row. If a node has several bodies, their frames follow that of the node.
  readParents(packed) {
    const tops = decodeRuns(packed, 0, new Int32Array(this.size));
    let next = 0;
    this.parents = new Int32Array(this.size);
    for (let row = 0; row < this.size; row++) {
      const owner = this.owner[row];
      if (owner < 0) this.parents[row] = tops[next++];
      else this.parents[row] = this.own(owner) + (this.hasManyBodies(owner) ? 1 + this.region[row] : 0);
    }
  }

  // The items of all levels, one level after the other: its frames in order, followed by its rows.
  readLevels() {
    const ends = this.ends = new Int32Array(this.frames.length + 2);  // of the items of each level
    const sorted = this.itemsOfLevels = new Int32Array(this.frames.length + this.size);
    for (let frame = 0; frame < this.frames.length; frame++) ends[this.frames[frame].parent + 2] += 1;
    for (let row = 0; row < this.size; row++) if (this.ownFrames[row] < 0) ends[this.parents[row] + 2] += 1;
    for (let k = 1; k < ends.length; k++) ends[k] += ends[k - 1];
    const next = ends.slice();
    for (let frame = 0; frame < this.frames.length; frame++) sorted[next[this.frames[frame].parent + 1]++] = -1 - frame;
    for (let row = 0; row < this.size; row++) if (this.ownFrames[row] < 0) sorted[next[this.parents[row] + 1]++] = row;
    this.unpackedLevels = [];
  }

  // The level in a frame (-1: the outermost); few of a large graph are ever read.
  level(frame) {
    const { levels, shapes } = this.raw;
    return this.unpackedLevels[frame + 1] ||= new Level([...this.itemsIn(frame)], shapes[levels[frame + 1]]);
  }

  itemsIn(frame) { return this.itemsOfLevels.subarray(this.ends[frame + 1], this.ends[frame + 2]); }

  hasData(row) { return row < this.rows; }
  isFused(row) { const own = this.own(row); return own >= 0 && this.frames[own].kind === "fused"; }
  op(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][0]; }
  isCommutative(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][2] === 1; }
  kind(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][1]; }
  label(row) { return textAt(DATA.descriptions[this.raw.what[row]][1]); }
  attrs(row) { return textAt(DATA.descriptions[this.raw.what[row]][2]); }
  types(row) { return textAt(DATA.descriptions[this.raw.what[row]][3]); }
  by(row) { return textAt(DATA.descriptions[this.raw.what[row]][4]); }
  sources(row) { return this.sourcesByRow.get(row) || []; }
  get sourcesByRow() { return this.unpackedSources ||= groupsOf(this.raw.sources); }
  positions(row) { return this.hasData(row) ? DATA.locs[this.raw.loc[row]] : []; }
  parent(row) { return this.parents[row]; }
  own(row) { return this.ownFrames[row]; }
  itemOf(row) { return this.own(row) < 0 ? row : -1 - this.own(row); }
  isBodyInput(row) { return this.inputAt[row] >= 0; }

  // The scopes of a row, outermost first.
  scope(row) {
    const names = [];
    for (let frame = this.parent(row); frame >= 0; frame = this.frames[frame].parent) {
      if (this.frames[frame].kind === "scope") names.unshift(this.frames[frame].title);
    }
    return names.join("/");
  }

  // The type of one result.
  type(row, result) {
    const all = this.types(row);
    return result || all.includes("], ") ? all.split(/,\s(?![^[]*\])/)[result] || all : all;
  }

  idText(row) { return this.hasData(row) && this.owner[row] < 0 ? `%${this.id[row]}` : ""; }
  caption(row) { return `${this.idText(row)} ${this.label(row)}`.trim(); }
  captionOf(item) {
    if (item >= 0) return this.caption(item);
    const frame = this.frames[-1 - item];
    return frame.title || this.caption(frame.node);
  }

  // The number of counted nodes in each frame, including its inner frames; a node with a body counts once outside of it.
  countInside(isCounted) {
    const inside = new Int32Array(this.frames.length);
    for (let row = 0; row < this.size; row++) {
      if (this.inputAt[row] < 0 && this.parents[row] >= 0 && isCounted(row)) inside[this.parents[row]] += 1;
    }
    for (let frame = this.frames.length - 1; frame >= 0; frame--) {
      const { parent, node } = this.frames[frame];
      if (parent >= 0 && node < 0) inside[parent] += inside[frame];
    }
    return inside;
  }
}

// A step: its pass, rule, location of the rule, matched row, and changes: row and number of its incoming edges (-1: removed) each.
class Step {
  constructor(raw, at, first, end) {
    [this.raw, this.at, this.first, this.end] = [raw, at, first, end];
    [this.pass, this.row] = [raw.steps[at], raw.steps[at + 3]];
  }

  get rule() { return textAt(this.raw.steps[this.at + 1]); }
  get loc() { return textAt(this.raw.steps[this.at + 2]); }
  get changes() { return this.raw.changes.slice(this.first, this.end); }
}

// The items of a level with their positions; these and the bends of edges are decoded when the level is expanded.
class Level {
  constructor(items, [x, row, packed]) { Object.assign(this, { items, x, row, packed }); }

  get place() {
    this.places = this.places || new Map(this.items.map((item, k) => [item, k]));
    return this.places;
  }

  get bends() {
    this.unpacked = this.unpacked || new Map(this.packed.map(([tail, head, first, ...xs]) => [`${tail},${head}`, { first, xs }]));
    return this.unpacked;
  }
}

const RUNS = DATA.runs.map((raw, number) => new Run(raw, number));

// The source lines ("file:line") of each location.
const lineKey = (position) => `${position.file}:${position.line}`;
const LINES_OF_LOC = DATA.locs.map((positions) => [...new Set(positions.map((position) => lineKey(SOURCE_POSITIONS[position])))]);

// The rows of a source line by run; those of all lines are collected when they are first needed.
let rowsOfLines = null;
function rowsAt(line) {
  if (!rowsOfLines) {
    rowsOfLines = new Map(LINES_OF_LOC.flat().map((key) => [key, RUNS.map(() => [])]));
    const lists = LINES_OF_LOC.map((keys) => keys.map((key) => rowsOfLines.get(key)));
    for (const { number, rows, raw } of RUNS) {
      for (let row = 0; row < rows; row++) for (const list of lists[raw.loc[row]]) list[number].push(row);
    }
  }
  return rowsOfLines.get(line) || RUNS.map(() => []);
}

// The number of nodes of each source line: of the captured graph or the tape, in the run that has most.
function countNodesByLine() {
  const most = new Map();
  for (const run of RUNS) {
    const counts = new Int32Array(DATA.locs.length);
    for (let row = 0; row < run.captured; row++) counts[run.raw.loc[row]] += 1;
    const sums = new Map();
    counts.forEach((nodes, loc) => LINES_OF_LOC[loc].forEach((line) => sums.set(line, (sums.get(line) || 0) + nodes)));
    for (const [line, nodes] of sums) most.set(line, Math.max(nodes, most.get(line) || 0));
  }
  return most;
}
