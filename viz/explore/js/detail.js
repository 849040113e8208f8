// The selected node: type, value, cost, source lines, operands and users, and its history in the passes.

const detailPane = make("div", { class: "detail", tabindex: 0 });

function showDetail(pane) {
  const { selected, run } = pane;
  if (selected === null) {
    detailPane.replaceChildren(make("p", { class: "soft" }, "No node selected. Click a node, search with /, or use Tab and the arrow keys."));
    return;
  }
  const rows = rowsIn(run, selected);
  detailPane.replaceChildren(make("h3", {}, run.captionOf(selected)),
    ...(rows.length ? nodeDetail(pane, rows[0]) : frameDetail(pane, -1 - selected)));
}

function frameDetail(pane, frame) {
  const { kind } = pane.run.frames[frame];
  const kinds = { scope: "operators of a Cell", repeat: "repeated blocks", chunk: "part of a long sequence" };
  return [facts([["kind", kinds[kind] || kind], ["nodes inside", count(insideAt(pane)[frame])]])];
}

function nodeDetail(pane, row) {
  const { run } = pane;
  const state = pane.states()[1];
  const cost = (run.annotations.costs || {})[row];
  const pairs = [
    ["operator", run.op(row)], ["type", run.types(row)], ["attributes", run.attrs(row).trim()],
    ["value", valueOf(run, row)], ["gradient", (gradientOf(pane, row) || "").replace("gradient ", "")],
    ["cycles", cost && `${count(cost.cycles)} (${cost.bound})`], ["busiest queue", cost && cost.queue],
    ["bytes moved", cost && count(cost.bytes)], ["cores", cost && cost.cores],
    ["created by", run.by(row)], ["scope", run.scope(row)],
  ];
  const positions = run.positions(row).map((position) => positionButton(SOURCE_POSITIONS[position]));
  return [facts(pairs),
    cost ? make("p", { class: "soft" }, run.raw.timeline.note) : null, // it says what the verdicts mean
    section("rewrites in its bodies", bodyRuns(run, row).map((one) => runButton(pane, one))),
    section("source lines", positions),
    section("operands", state.ins(row).map((ref) => rowButton(pane, state.tail(ref)[0]))),
    section("ordered after", state.before(row).map(([other, kind]) => rowButton(pane, other, ` (${kind})`))),
    section("used by", usersOf(run, state, row).map((user) => rowButton(pane, user))),
    section("created from", run.sources(row).map((source) => rowButton(pane, source))),
    section("history", history(pane, row))].filter(Boolean);
}

function facts(pairs) {
  const shown = pairs.filter(([, value]) => value !== undefined && value !== "" && value !== null);
  return make("dl", {}, ...shown.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));
}

const section = (title, parts) => (parts.length ? make("section", {}, make("h4", {}, title), ...parts) : null);

function rowButton(pane, row, more = "") {
  return make("button", {
    class: "link", onclick: () => goTo(pane, row), onpointerenter: () => setFocus(pane.run, [row]),
  }, pane.run.caption(row) + more);
}

// The runs of the bodies of a branch or loop. This run shows the bodies after all rewrites.
const bodyRuns = (run, row) => ((run.annotations.bodies || {})[row] || []).map((name) => RUNS.find((one) => one.name === name)).filter(Boolean);

function runButton(pane, run) {
  return make("button", { class: "link", onclick: () => pane.show(run) }, `${run.name} (${plural(run.steps.length, "rewrite")})`);
}

function positionButton(position) {
  return make("button", { class: "link", onclick: () => { chooseTab("source"); scrollToLine(lineKey(position)); } }, positionText(position));
}

function scrollToLine(key) {
  setFocusLine(key);
  const line = sourceLines.get(key);
  if (line) line.scrollIntoView({ block: "center" });
}

function usersOf(run, state, row) {
  const users = [];
  for (let user = 0; user < run.size && users.length < 40; user++) {
    if (state.has(user) && !run.isBodyInput(user) && state.ins(user).some((ref) => state.tail(ref)[0] === row)) users.push(user);
  }
  return users;
}

// The steps that created, rewired or removed a row.
function history(pane, row) {
  const { run } = pane;
  const buttons = [];
  let isAlive = new State(run).alive[row];
  run.steps.forEach(({ changes }, k) => {
    const mine = pairsOf(changes).find(([changed]) => changed === row);
    if (!mine || buttons.length > 30) return;
    const what = mine[1] < 0 ? "removed" : isAlive ? "rewired" : "created";
    isAlive = mine[1] >= 0;
    buttons.push(make("button", { class: "link", onclick: () => pane.go(k + 1) }, `${k + 1} ${what}: ${titleOfStep(run, k)}`));
  });
  return buttons;
}

on("select", (pane) => {
  if (pane === active) showDetail(pane);
});
on("step", (pane) => { if (pane === active) showDetail(pane); });
