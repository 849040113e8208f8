// The editor of the pipeline: passes are switched on and off, moved, removed and added. Every action runs the pipeline
// once: one request to the server or the notebook, or a look-up of what a static page has precomputed.

const bench = DATA.workbench;
const mode = previous.mode || bench.mode;
const isStatic = mode === "static";
let pipelineRows = previous.rows || bench.steps.map(([text]) => ({ text, on: true }));
let shownSteps = bench.steps;
let shownRun = RUNS[0];
const initialRun = RUNS.find((run) => run.name === "initial pipeline") || RUNS[0];  // it is this one

const problem = make("pre", { class: "problem", role: "alert" });
const totals = make("p", { class: "totals", role: "status" });
const passRows = make("ol", { class: "passes" });
const pipelineText = make("input", { "aria-label": "pipeline as text", onchange: () => runText(pipelineText.value) });
const addBox = make("select", { "aria-label": "add a pass", onchange: () => addPass(addBox.value) },
  make("option", { value: "" }, "add a pass …"), ...bench.names.map((name) => make("option", { value: name }, name)));
const resetButton = button("reset", () => runText(bench.initial), "back to the initial pipeline");
const editor = make("section", { class: "editor", "aria-label": "pipeline" },
  make("div", { class: "row" }, make("h2", {}, "Pipeline"), resetButton), passRows, addBox, pipelineText, totals);
const stepsTitle = make("h2", {}, "Step by step");

// ---- rows ------------------------------------------------------------------------------------------

const textOf = (rows) => rows.filter(({ on }) => on).map(({ text }) => text).join(",");

function showEditor(said = "") {
  problem.textContent = said;
  const steps = said ? [] : shownSteps;
  const records = recordsOf(steps);
  let step = 0;
  passRows.replaceChildren(...pipelineRows.map((row, k) => passRow(row, k, row.on && !said ? records[step++] : null)));
  pipelineText.value = textOf(pipelineRows);
  addBox.hidden = pipelineText.hidden = isStatic;
  totals.textContent = said ? "The picture shows the last pipeline that ran." : totalText();
  editor.classList.toggle("failed", Boolean(said));
  editor.dataset.state = said ? "error" : "ready";
}

// The records of each step, which the steps count.
function recordsOf(steps) {
  let at = 0;
  return steps.map(([, size]) => shownRun.passes.slice(at, at += size));
}

function passRow(row, k, records) {
  const name = make("label", {}, make("input", { type: "checkbox", checked: row.on, "data-key": `on ${k}`, onchange: () => changeRows(toggled(k), `on ${k}`) }), row.text.replace(/[,{]/g, "$&\u200b"));
  const buttons = [
    action("↑", `move ${row.text} up`, exchanged(k, k - 1), `up ${k - 1}`), action("↓", `move ${row.text} down`, exchanged(k, k + 1), `down ${k + 1}`),
    ...(isStatic ? [] : [action("×", `remove ${row.text}`, pipelineRows.filter((_, at) => at !== k), `on ${k}`)]),
  ];
  if (isStatic) name.firstChild.disabled = !bench.variants[textOf(toggled(k))];
  return make("li", { class: row.on ? "" : "off" }, make("div", { class: "row" }, name, make("span", { class: "moves" }, ...buttons)),
    make("small", {}, row.on ? recordText(records) : "off"));
}

const toggled = (k) => pipelineRows.map((row, at) => (at === k ? { ...row, on: !row.on } : row));

// The rows with two exchanged; null at the ends.
function exchanged(one, other) {
  if (!pipelineRows[other]) return null;
  const rows = [...pipelineRows];
  [rows[one], rows[other]] = [rows[other], rows[one]];
  return rows;
}

// A button that changes the rows; in a static page only to what was precomputed.
function action(sign, title, rows, key) {
  const disabled = !rows || (isStatic && !bench.variants[textOf(rows)]);
  const hint = rows && disabled ? `${title}: not precomputed; serve the workbench to run it` : title;
  return button(sign, () => changeRows(rows, key), hint, { "aria-label": title, "data-key": key, disabled });
}

function recordText(records) {
  if (!records) return "";
  if (!records.some((record) => record.changed)) return "no changes";
  const [first, last] = [records[0], records[records.length - 1]];
  const rewrites = records.flatMap((record) => record.rules).reduce((sum, rule) => sum + rule[5], 0);
  const merged = { ...last, nodes: [first.nodes[0], last.nodes[1]], cycles: first.cycles && [first.cycles[0], last.cycles[1]] };
  return sizesOf(merged) + (rewrites ? ` · ${plural(rewrites, "rewrite")}` : "");
}

// Nodes or cycles before and after a whole pipeline.
function endsOf(run, what) {
  const { passes } = run;
  const [first] = initialRun.passes;
  if (passes.length) return passes[0][what] && [passes[0][what][0], passes[passes.length - 1][what][1]];
  return first && first[what] && [first[what][0], first[what][0]];
}

function totalText() {
  const parts = ["nodes", "cycles"].map((what) => {
    const ends = endsOf(shownRun, what);
    const initial = endsOf(initialRun, what);
    if (!ends) return "";
    const compared = initial[1] === ends[1] ? "" : `, ${change(initial[1], ends[1])} against the initial pipeline`;
    return `${count(ends[0])} → ${count(ends[1])} ${what}${compared}`;
  });
  return [...parts.filter(Boolean), bench.chip].join("\n");
}

// ---- running ---------------------------------------------------------------------------------------

function changeRows(rows, key) {
  pipelineRows = rows;
  runPipeline(textOf(rows), rows, key);
}

function addPass(name) {
  if (name) changeRows([...pipelineRows, { text: name, on: true }], "");
}

// Runs a pipeline as text; the response determines its rows.
const runText = (text) => runPipeline(text, null, "");

async function runPipeline(text, rows, key) {
  if (isStatic) {
    showVariant(text, rows);
  } else {
    editor.dataset.state = "running";
    editor.querySelectorAll("button, input, select").forEach((one) => { one.disabled = true; });
    totals.textContent = "running …";
    const response = await REQUEST[mode](text).catch(() => ({ error: "The workbench does not answer; start it again." }));
    if (response.data) {
      restart(response.data, { mode, rows: rows || undefined, key, address: nextAddress() });
      return;
    }
    editor.querySelectorAll("button, input, select").forEach((one) => { one.disabled = false; });
    showEditor(response.error);
    pipelineText.value = text;
  }
  refocus(key);
}

const REQUEST = {  // by mode: sends a pipeline to Python, and gives the response
  served: async (pipeline) => {
    const response = await fetch("run", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ pipeline }) });
    return response.json();
  },
  widget: (pipeline) => new Promise((done) => {
    const id = `${Date.now()} ${Math.random()}`;
    const receive = ({ data }) => {
      if (!data || data.id !== id) return;
      removeEventListener("message", receive);
      done(data.response);
    };
    addEventListener("message", receive, { signal: life.signal });
    parent.postMessage({ pipeline, id }, "*");
  }),
};

function showVariant(text, rows) {
  const variant = bench.variants[text];
  pipelineRows = rows || bench.steps.map(([step]) => ({ text: step, on: true }));
  if (variant.error) {
    showEditor(variant.error);
    return;
  }
  [shownRun, shownSteps] = [RUNS[variant.run], variant.steps];
  const [pane] = panes;
  pane.show(shownRun);
  pane.view = "after";
  pane.go(shownRun.steps.length);
  activate(pane);
  showEditor();
}

// The final graphs in the same panes, with the same colours: the edited pipeline in the first, the initial one in others.
function nextAddress() {
  const shown = panes.map(({ view, colour, showValues }, k) => `p=${Math.min(k, 1)},${Number.MAX_SAFE_INTEGER},0,${view},${colour},${showValues ? 1 : 0},,`);
  return [...shown, `tab=${openTab}`, theme && `theme=${theme}`].filter(Boolean).join("&");
}

// Replaces the page by one of other data.
function restart(data, next) {
  const packed = document.getElementById("data");
  packed.textContent = JSON.stringify(data);
  life.abort();
  clearInterval(playing);
  document.body.replaceChildren(packed);
  start(next);
}

function refocus(key) {
  const control = key && editor.querySelector(`[data-key="${key}"]:enabled`);
  if (control) control.focus();
}

document.querySelector("main").classList.add("editing");
document.querySelector("aside.left").prepend(editor, stepsTitle);
document.querySelector(".middle").prepend(problem);
showEditor();
refocus(previous.key);
