// Reads the embedded data: one `Run` per run, with nodes by row number. viz/explore/pack.py writes it.

const DATA = JSON.parse(document.getElementById("data").textContent);
const textAt = (number) => DATA.texts[number];
const PLACES = DATA.places.map(([file, line, start, end, func]) => ({ file: textAt(file), line, start, end, func: textAt(func) }));
const FRAME_KINDS = ["scope", "repeat", "chunk", "fused", "region"];
const baseName = (file) => DATA.names[file].replace(/^.*[/\\]/s, "");  // also of the other system's paths
const placeText = (place) => `${baseName(place.file)}:${place.line}`;

// Operands as [row, result]; the data has them as distances to the row.
const refOf = (row, packed) => (Array.isArray(packed) ? [row - packed[0], packed[1]] : [row - packed, 0]);
const refsOf = (row, packed) => packed.map((ref) => refOf(row, ref));

// A flat list as a list of pairs.
const pairsOf = (flat) => Array.from({ length: flat.length / 2 }, (_, k) => flat.slice(2 * k, 2 * k + 2));

// Run-length decoding: pairs of first number and count; the numbers of a pair differ by `step`.
function decodeRuns(pairs, step) {
  const numbers = [];
  for (let k = 0; k < pairs.length; k += 2) for (let n = 0; n < pairs[k + 1]; n++) numbers.push(pairs[k] + n * step);
  return numbers;
}

class Run {
  constructor(raw, number) {
    Object.assign(this, { raw, number, name: raw.name, what: raw.kind, title: raw.title, size: raw.what.length });
    Object.assign(this, { chip: raw.chip, passes: raw.passes, annotations: raw.annotations, rows: raw.loc.length, id: decodeRuns(raw.id, 1) });
    this.frames = raw.frames.map(([title, kind, parent, node]) => ({ title: textAt(title), kind: FRAME_KINDS[kind], parent, node }));
    this.ownFrames = new Int32Array(this.size).fill(-1);
    this.frames.forEach(({ node }, frame) => { if (node >= 0) this.ownFrames[node] = frame; });
    this.readBodies(raw);
    this.readParents(raw.parent);
    this.levels = this.readLevels(raw);
    this.steps = raw.steps.map(([pass, rule, loc, row, changes]) => (
      { pass, rule: textAt(rule), loc: textAt(loc), row, changes }));
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
      const [, size, inputs] = heads[bodies[k + 1]];
      const first = bodies[k + 2];
      this.owner.fill(row, first, first + size);
      this.region.fill((k - this.bodyAt[row]) / 3, first, first + size);
      if (isFirst && this.isFused(row)) for (let n = 0; n < inputs.length; n++) this.inputAt[first + inputs[n]] = n;
    }
    this.tops = Int32Array.from(this.owner.keys());
    for (let row = 0; row < this.size; row++) if (this.owner[row] >= 0) this.tops[row] = this.tops[this.owner[row]];
    this.unpackedBodies = new Map();
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
    const tops = decodeRuns(packed, 0);
    let next = 0;
    this.parents = new Int32Array(this.size);
    for (let row = 0; row < this.size; row++) {
      const owner = this.owner[row];
      if (owner < 0) this.parents[row] = tops[next++];
      else this.parents[row] = this.own(owner) + (this.hasManyBodies(owner) ? 1 + this.region[row] : 0);
    }
  }

  // The items of a level: its frames in order, followed by its rows.
  readLevels({ levels, shapes }) {
    const items = levels.map(() => []);
    this.frames.forEach(({ parent }, frame) => items[parent + 1].push(-1 - frame));
    for (let row = 0; row < this.size; row++) if (this.own(row) < 0) items[this.parents[row] + 1].push(row);
    return levels.map((shape, k) => new Level(items[k], shapes[shape]));
  }

  hasData(row) { return row < this.rows; }
  isFused(row) { const own = this.own(row); return own >= 0 && this.frames[own].kind === "fused"; }
  op(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][0]; }
  isCommutative(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][2] === 1; }
  kind(row) { return DATA.ops[DATA.descriptions[this.raw.what[row]][0]][1]; }
  label(row) { return textAt(DATA.descriptions[this.raw.what[row]][1]); }
  attrs(row) { return textAt(DATA.descriptions[this.raw.what[row]][2]); }
  types(row) { return textAt(DATA.descriptions[this.raw.what[row]][3]); }
  by(row) { return textAt(DATA.descriptions[this.raw.what[row]][4]); }
  sources(row) { return this.raw.sources[row] || []; }
  places(row) { return this.hasData(row) ? DATA.locs[this.raw.loc[row]] : []; }
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

// The items of a level with their positions; these and the bends of edges are decoded when the level is opened.
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

// Rows by source line ("file:line") and run.
const lineKey = (place) => `${place.file}:${place.line}`;
const ROWS_AT = new Map();
const LISTS_OF_LOC = DATA.locs.map((places) => [...new Set(places.map((place) => lineKey(PLACES[place])))].map((key) => {
  if (!ROWS_AT.has(key)) ROWS_AT.set(key, RUNS.map(() => []));
  return ROWS_AT.get(key);
}));
for (const { number, rows, raw } of RUNS) {
  for (let row = 0; row < rows; row++) for (const lists of LISTS_OF_LOC[raw.loc[row]]) lists[number].push(row);
}
