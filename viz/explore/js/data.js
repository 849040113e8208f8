// The embedded data read back: one `Run` per run, with rows (nodes) by number. The Python side is viz/explore/pack.py.

const DATA = JSON.parse(document.getElementById("data").textContent);
const word = (number) => DATA.texts[number];
const PLACES = DATA.places.map(([file, line, start, end, func, scope]) => (
  { file: word(file), line, start, end, func: word(func), scope: word(scope) }));
const baseName = (file) => file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1);
const placeText = (place) => `${baseName(place.file)}:${place.line}`;

// Operands are kept as [row, result].
const refsOf = (row, packed) => packed.map((ref) => (Array.isArray(ref) ? [row - ref[0], ref[1]] : [row - ref, 0]));

class Run {
  constructor(raw, number) {
    Object.assign(this, { raw, number, name: raw.name, what: raw.kind, title: raw.title, size: raw.id.length });
    this.wiring = raw.ins.map((ins, row) => ({ ins: refsOf(row, ins), before: raw.before[row] || [] }));
    this.frames = raw.frames.map(([title, kind, parent, node]) => ({ title: word(title), kind, parent, node }));
    this.levels = raw.levels.map(readLevel);
    this.owner = new Int32Array(this.size).fill(-1);
    this.region = new Int32Array(this.size);
    for (const [row, [owner, region]] of Object.entries(raw.owner)) {
      this.owner[row] = owner;
      this.region[row] = region;
    }
    this.bodies = {};
    for (const [row, bodies] of Object.entries(raw.bodies)) {
      this.bodies[row] = bodies.map(([title, inputs, outs, head]) => ({ title: word(title), inputs, outs: refsOf(0, outs), head }));
    }
    this.inputOf = new Map();  // rows of inputs of fused bodies, with their position: they are not drawn
    for (const [row, bodies] of Object.entries(this.bodies)) {
      if (this.isFused(Number(row))) bodies[0].inputs.forEach((input, k) => this.inputOf.set(input, k));
    }
    this.passes = raw.passes;
    this.steps = raw.steps.map(([pass, rule, loc, row, changes]) => (
      { pass, rule: word(rule), loc: word(loc), row, changes }));
    this.byNode = new Map(raw.id.map((id, row) => [id, row]).filter(([, row]) => this.owner[row] < 0 && this.hasData(row)));
    this.told = raw.told;
    this.inside = this.counted();
  }

  hasData(row) { return row < this.raw.types.length; }
  isFused(row) { const own = this.raw.own[row]; return own !== undefined && this.frames[own].kind === "fused"; }
  op(row) { return DATA.ops[this.raw.op[row]][0]; }
  kind(row) { return DATA.ops[this.raw.op[row]][1]; }
  label(row) { return word(this.raw.label[row]); }
  types(row) { return this.hasData(row) ? word(this.raw.types[row]) : ""; }
  attrs(row) { return this.hasData(row) ? word(this.raw.attrs[row]) : ""; }
  by(row) { return this.hasData(row) ? word(this.raw.by[row]) : ""; }
  sources(row) { return this.raw.sources[row] || []; }
  places(row) { return this.hasData(row) ? DATA.locs[this.raw.loc[row]] : []; }
  parent(row) { return this.raw.parent[row]; }
  own(row) { const own = this.raw.own[row]; return own === undefined ? -1 : own; }

  // The type of one result: of several the one asked for.
  type(row, result) {
    const all = this.types(row);
    return result || all.includes("], ") ? all.split(/,\s(?![^[]*\])/)[result] || all : all;
  }

  idText(row) { return this.hasData(row) && this.owner[row] < 0 ? `%${this.raw.id[row]}` : ""; }
  caption(row) { return `${this.idText(row)} ${this.label(row)}`.trim(); }
  captionOf(item) {
    if (item >= 0) return this.caption(item);
    const frame = this.frames[-1 - item];
    return frame.title || this.caption(frame.node);
  }

  // How many nodes there are in every frame, in those inside of it as well.
  counted() {
    const inside = new Int32Array(this.frames.length);
    for (let row = 0; row < this.size; row++) {
      if (!this.inputOf.has(row) && this.parent(row) >= 0) inside[this.parent(row)] += 1;
    }
    for (let frame = this.frames.length - 1; frame >= 0; frame--) {
      const { parent } = this.frames[frame];
      if (parent >= 0) inside[parent] += inside[frame];
    }
    return inside;
  }
}

function readLevel([items, x, row, bends]) {
  const level = { items, x, row, bends: new Map(), place: new Map(items.map((item, k) => [item, k])) };
  for (const [tail, head, first, ...xs] of bends) level.bends.set(`${tail},${head}`, { first, xs });
  return level;
}

const RUNS = DATA.runs.map((raw, number) => new Run(raw, number));

// The rows of every run by place in the source, as "file:line", and the rows of one place.
const lineKey = (place) => `${place.file}:${place.line}`;
const ROWS_AT = new Map();
for (const run of RUNS) {
  for (let row = 0; row < run.raw.types.length; row++) {
    for (const key of new Set(run.places(row).map((place) => lineKey(PLACES[place])))) {
      if (!ROWS_AT.has(key)) ROWS_AT.set(key, RUNS.map(() => []));
      ROWS_AT.get(key)[run.number].push(row);
    }
  }
}
