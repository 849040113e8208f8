// Everything about the selected node: type, value, cost, where it comes from, and what the passes did to it.

const detailPane = make("div", { class: "detail", tabindex: 0 });

function showDetail(pane) {
  const { selected, run } = pane;
  if (selected === null) {
    detailPane.replaceChildren(make("p", { class: "soft" }, "Select a node: click it, search with /, or walk with the arrow keys and Tab."));
    return;
  }
  const rows = rowsIn(run, selected);
  detailPane.replaceChildren(make("h3", {}, run.captionOf(selected)),
    ...(rows.length ? nodeDetail(pane, rows[0]) : frameDetail(pane, -1 - selected)));
}

function frameDetail(pane, frame) {
  const { kind } = pane.run.frames[frame];
  const words = { scope: "a Cell's operators", repeat: "blocks that look the same", stretch: "a stretch of a long level" };
  return [facts([["what", words[kind] || kind], ["nodes inside", count(pane.run.inside[frame])]])];
}

function nodeDetail(pane, row) {
  const { run } = pane;
  const state = pane.states()[1];
  const cost = (run.told.costs || {})[row];
  const pairs = [
    ["operator", run.op(row)], ["type", run.types(row)], ["attributes", run.attrs(row).trim()],
    ["value", valueOf(run, row)], ["gradient", (gradientOf(pane, row) || "").replace("gradient ", "")],
    ["cycles", cost && `${count(cost.cycles)} (${cost.bound})`], ["busiest queue", cost && cost.queue],
    ["bytes moved", cost && count(cost.bytes)], ["cores", cost && cost.cores],
    ["made by", run.by(row)], ["inside", run.scope(row)],
  ];
  const places = run.places(row).map((place) => placeButton(PLACES[place]));
  return [facts(pairs),
    section("rewrites inside", insideRuns(run, row).map((one) => runButton(pane, one))),
    section("from your lines", places),
    section("operands", state.wiring[row].ins.map((ref) => rowButton(pane, state.tail(ref)[0]))),
    section("runs after", state.before(row).map(([other, kind]) => rowButton(pane, other, ` (${kind})`))),
    section("used by", usersOf(run, state, row).map((user) => rowButton(pane, user))),
    section("made of", run.sources(row).map((source) => rowButton(pane, source))),
    section("what happened to it", history(pane, row))].filter(Boolean);
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

// The runs about the bodies of a branch or loop; this picture shows those as they end.
const insideRuns = (run, row) => ((run.told.bodies || {})[row] || []).map((name) => RUNS.find((one) => one.name === name)).filter(Boolean);

function runButton(pane, run) {
  return make("button", { class: "link", onclick: () => pane.show(run) }, `${run.name} (${many(run.steps.length, "rewrite")})`);
}

function placeButton(place) {
  return make("button", { class: "link", onclick: () => { chooseTab("source"); scrollToLine(lineKey(place)); } }, placeText(place));
}

function scrollToLine(key) {
  setFocusLine(key);
  const line = sourceLines.get(key);
  if (line) line.scrollIntoView({ block: "center" });
}

function usersOf(run, state, row) {
  const users = [];
  for (let user = 0; user < run.size && users.length < 40; user++) {
    if (state.has(user) && !run.inputOf.has(user) && state.wiring[user].ins.some((ref) => state.tail(ref)[0] === row)) users.push(user);
  }
  return users;
}

// The steps that made, rewired or removed a row.
function history(pane, row) {
  const { run } = pane;
  const found = [];
  run.steps.forEach(({ changes }, k) => {
    const mine = changes.find(([changed]) => changed === row);
    if (!mine || found.length > 30) return;
    const what = !mine[1] ? "removed" : stateAt(run, k).alive[row] ? "rewired" : "made";
    found.push(make("button", { class: "link", onclick: () => pane.go(k + 1) }, `${k + 1} ${what}: ${titleOfStep(run, k)}`));
  });
  return found;
}

on("select", (pane) => {
  if (pane === active) showDetail(pane);
});
on("step", (pane) => { if (pane === active) showDetail(pane); });
