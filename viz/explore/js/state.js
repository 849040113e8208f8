// The graph of a run at any step, replayed from its changes; and what differs between two of them.

class State {
  constructor(run) {
    this.run = run;
    this.at = 0;
    this.alive = new Uint8Array(run.size);
    this.wiring = [...run.wiring];
    for (let row = 0, left = run.raw.first; left > 0; row++) if (run.owner[row] < 0) { this.alive[row] = 1; left -= 1; }
    for (const row of run.raw.outputs) this.alive[row] = run.wiring[row].ins.length ? 1 : 0;
  }

  forward() {
    for (const [row, ins, before] of this.run.steps[this.at].changes) {
      this.alive[row] = ins ? 1 : 0;
      if (ins) this.wiring[row] = { ins: refsOf(row, ins), before: before || [] };
    }
    this.at += 1;
    return this;
  }

  // A node of a body is there when the node around it is.
  has(row) {
    while (this.run.owner[row] >= 0) row = this.run.owner[row];
    return this.alive[row] === 1;
  }

  // The rows an order edge puts before one, each with its kind; those of rows that are gone went with them.
  before(row) { return this.wiring[row].before.filter(([other]) => this.has(other)); }

  // Where a value really comes from: out of a fused body, or in through its inputs.
  tail([row, result]) {
    for (let turn = 0; turn < 64; turn++) {
      if (this.run.isFused(row)) {
        [row, result] = this.run.bodies[row][0].outs[result];
      } else if (this.run.inputOf.has(row)) {
        const given = this.wiring[this.run.owner[row]].ins[this.run.inputOf.get(row)];
        if (!given) return [row, result];
        [row, result] = given;
      } else {
        return [row, result];
      }
    }
    return [row, result];
  }
}

// States are kept by step, the last few asked for: stepping back and forth is one change.
const KEPT_STATES = 6;
const keptStates = new Map();
function stateAt(run, at) {
  const key = `${run.number}:${at}`;
  let state = keptStates.get(key);
  if (!state) {
    const before = keptStates.get(`${run.number}:${at - 1}`);
    state = new State(run);
    if (before) {
      Object.assign(state, { at: at - 1, alive: before.alive.slice(), wiring: [...before.wiring] });
    }
    while (state.at < at) state.forward();
    keptStates.set(key, state);
    if (keptStates.size > KEPT_STATES) keptStates.delete(keptStates.keys().next().value);
  }
  return state;
}

const sameWiring = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other);

// "added", "removed", "rewired" or "" for a row, from one state to another.
function statusOf(row, from, to) {
  const was = from.has(row);
  const is = to.has(row);
  if (was !== is) return is ? "added" : "removed";
  return is && !sameWiring(from.wiring[row], to.wiring[row]) ? "rewired" : "";
}

// Where a pass begins and ends among the steps of its run: [first, last + 1].
function spanOfPass(run, pass) {
  const first = run.steps.findIndex((step) => step.pass === pass);
  if (first < 0) return null;
  let last = first;
  while (last < run.steps.length && run.steps[last].pass === pass) last += 1;
  return [first, last];
}
