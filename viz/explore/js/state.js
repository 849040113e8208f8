// The graph of a run at any step, reconstructed by replaying the changes, and the status of a row between two steps.

class State {
  constructor(run) {
    this.run = run;
    this.at = 0;
    this.alive = new Uint8Array(run.size);
    this.inEdges = Int32Array.from(run.raw.in_edges);  // numbers; rows with the same number have the same distances
    for (let row = 0, left = run.raw.first; left > 0; row++) if (run.owner[row] < 0) { this.alive[row] = 1; left -= 1; }
    for (const row of run.raw.outputs) this.alive[row] = this.ins(row).length ? 1 : 0;
  }

  forward() {
    for (const [row, inEdges] of pairsOf(this.run.steps[this.at].changes)) {
      this.alive[row] = inEdges < 0 ? 0 : 1;
      if (inEdges >= 0) this.inEdges[row] = inEdges;
    }
    this.at += 1;
    return this;
  }

  // A node of a body exists if the node that owns the body does.
  has(row) {
    return this.alive[this.run.tops[row]] === 1;
  }

  // The operands of a row, as [row, result].
  ins(row) {
    return refsOf(row, this.packedIns(row));
  }

  // The operands as the data has them: distances to the row, with the number of the result if that is not the first.
  packedIns(row) {
    const { in_edge_table: table, special } = this.run.raw;
    const start = this.run.inEdgesAt[this.inEdges[row]];
    return table[start] < 0 ? special[-1 - table[start]][0] : table.slice(start + 1, start + 1 + table[start]);
  }

  // The order edges as the data has them.
  packedBefore(row) {
    const { in_edge_table: table, special } = this.run.raw;
    const start = this.run.inEdgesAt[this.inEdges[row]];
    return table[start] < 0 ? special[-1 - table[start]][1] : [];
  }

  hasOrder(row) { return this.packedBefore(row).length > 0; }

  // The order edges of a row, as [row, kind]; edges to removed rows are omitted.
  before(row) {
    const all = this.packedBefore(row).map(([distance, kind]) => [row - distance, kind]);
    return all.filter(([other]) => this.has(other));
  }

  // The producer of a value. References are followed out of fused bodies, and through their inputs.
  tail([row, result]) {
    for (let turn = 0; turn < 64; turn++) {
      if (this.run.isFused(row)) {
        [row, result] = this.run.bodiesOf(row)[0].outs[result];
      } else if (this.run.isBodyInput(row)) {
        const operand = this.ins(this.run.owner[row])[this.run.inputAt[row]];
        if (!operand) return [row, result];
        [row, result] = operand;
      } else {
        return [row, result];
      }
    }
    return [row, result];
  }
}

// A cache of the most recently created states, so that one step forward replays only one change.
const MAX_CACHED_STATES = 6;
const stateCache = new Map();
function stateAt(run, at) {
  const key = `${run.number}:${at}`;
  let state = stateCache.get(key);
  if (!state) {
    const before = stateCache.get(`${run.number}:${at - 1}`);
    state = new State(run);
    if (before) {
      Object.assign(state, { at: at - 1, alive: before.alive.slice(), inEdges: before.inEdges.slice() });
    }
    while (state.at < at) state.forward();
    stateCache.set(key, state);
    if (stateCache.size > MAX_CACHED_STATES) stateCache.delete(stateCache.keys().next().value);
  }
  return state;
}

// The status of a row from one state to another: "added", "removed", "rewired" (operands changed) or "".
function statusOf(row, from, to) {
  const was = from.has(row);
  const is = to.has(row);
  if (was !== is) return is ? "added" : "removed";
  return is && from.inEdges[row] !== to.inEdges[row] ? "rewired" : "";
}

// The steps of a pass: [first, last + 1]. A pass without steps has none (null).
function spanOfPass(run, pass) {
  const first = run.steps.findIndex((step) => step.pass === pass);
  if (first < 0) return null;
  let last = first;
  while (last < run.steps.length && run.steps[last].pass === pass) last += 1;
  return [first, last];
}
