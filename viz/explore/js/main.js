// The page: its parts, tabs, theme, panes, and the address that restores the current view.

// Announces the selection to screen readers.
const announcer = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
const announce = (text) => { announcer.textContent = text; };
const statusLine = make("p", { class: "say", role: "status" });
const stage = make("div", { class: "stage" });
let sayUntil = 0;

on("say", (text) => {
  statusLine.textContent = text;
  clearTimeout(sayUntil);
  sayUntil = setTimeout(() => { statusLine.textContent = ""; }, 5000);
});

const button = (text, act, title, more = {}) => make("button", { type: "button", onclick: act, title, ...more }, text);

// ---- choices of the active pane ----------------------------------------------------------------------

const views = ["changes", "before", "after"].map((view, k) => button(view, () => setView(view), `key ${k + 1}`, { "data-view": view }));
const setView = (view) => active.set("view", view);
const colourBox = make("select", { "aria-label": "colour", title: "key h", onchange: () => setColour(colourBox.value) },
  make("option", { value: "kind" }, "colour: unit"), make("option", { value: "cycles" }, "colour: cycles"), make("option", { value: "bytes" }, "colour: bytes"));
function setColour(colour) { active.set("colour", colour); }
const valueButton = button("values", () => active.set("showValues", !active.showValues), "show values and gradients in the boxes (v)");

function showChoices(pane) {
  views.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === pane.view)));
  colourBox.value = pane.colour;
  valueButton.setAttribute("aria-pressed", String(pane.showValues));
  showLegend(pane);
}

const exportBox = make("select", { "aria-label": "export", onchange: () => { EXPORTS[exportBox.value](); exportBox.value = ""; } },
  make("option", { value: "" }, "export …"), ...["SVG", "PNG", "DOT", "text", "chart SVG", "chart PNG"].map((kind) => make("option", { value: kind }, kind)));
const EXPORTS = {
  "": () => {}, SVG: exportSvg, PNG: exportPng, DOT: exportDot, text: exportText,
  "chart SVG": () => exportChart(exportSvg, THEMES), "chart PNG": () => exportChart(exportPng, [document.documentElement.dataset.theme]),
};

// Exports the open chart, or the timeline.
function exportChart(save, themes) {
  chartBox.open = true;
  showChart(chartPane.dataset.kind || "time");
  const picture = chartPane.querySelector("svg");
  if (picture) save(chartText(picture, themes), chartPane.dataset.kind);
}

// ---- tabs --------------------------------------------------------------------------------------------

const TABS = [["source", "Source", sourcePane], ["node", "Node", detailPane], ["rules", "Rules", ruleTable],
  ["diff", "Text diff", diffPane], ["text", "Text", textPane]];
const tabList = make("div", { role: "tablist", "aria-label": "details of the graph" });
const tabs = new Map(TABS.map(([name, title, pane]) => {
  pane.id = `tab-${name}`;
  pane.hidden = true;
  pane.setAttribute("role", "tabpanel");
  const tab = button(title, () => chooseTab(name), "", { role: "tab", "aria-controls": pane.id });
  tabList.append(tab);
  return [name, { tab, pane }];
}));
let openTab = "source";

function chooseTab(name) {
  openTab = tabs.has(name) ? name : "source";
  for (const [one, { tab, pane }] of tabs) {
    pane.hidden = one !== openTab;
    tab.setAttribute("aria-selected", String(one === openTab));
    tab.tabIndex = one === openTab ? 0 : -1;
  }
  emit("tab");
  saveAddress();
}

function nextTab(by) {
  const names = [...tabs.keys()];
  chooseTab(names[(names.indexOf(openTab) + by + names.length) % names.length]);
}

tabList.addEventListener("keydown", (event) => {
  if (!/^Arrow(Left|Right)$/.test(event.key)) return;
  nextTab(event.key === "ArrowRight" ? 1 : -1);
  tabs.get(openTab).tab.focus();
  event.stopPropagation();
  event.preventDefault();
});

const chartBox = make("details", { class: "chartbox" }, make("summary", {}, "Simulated time"),
  make("div", { class: "chartbar" }, button("timeline", () => showChart("time"), "timeline of the instruction queues"), button("roofline", () => showChart("roof"), "roofline of the nodes"),
    button("+", () => zoomTime(0.5), "zoom in"), button("−", () => zoomTime(2), "zoom out")), chartPane);
chartBox.addEventListener("toggle", () => { if (chartBox.open) showChart(chartPane.dataset.kind || "time"); panes.forEach((pane) => pane.refit()); });

function otherChart() {
  const now = chartPane.dataset.kind || "time";
  const kind = chartBox.open ? { time: "roof", roof: "time" }[now] : now;
  chartBox.open = true;
  showChart(kind);
}

// ---- theme -------------------------------------------------------------------------------------------

const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = "";
function applyTheme() {
  document.documentElement.dataset.theme = theme || (dark.matches ? "dark" : "light");
}
function toggleTheme() {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  applyTheme();
  saveAddress();
}
dark.addEventListener("change", applyTheme, { signal: life.signal });

// ---- panes -------------------------------------------------------------------------------------------

function addPane(run) {
  const pane = new Pane(run, stage);
  panes.push(pane);
  return pane;
}

const MAX_PANES = 4;

// Adds a pane, with a run that is not shown yet, or closes all panes but the first.
function split(add) {
  if (add && panes.length < MAX_PANES) {
    addPane(RUNS.find((run) => panes.every((pane) => pane.run !== run)) || RUNS[0]);
  } else if (!add && panes.length > 1) {
    for (const pane of panes.splice(1)) pane.element.remove();
    activate(panes[0]);
  }
  updatePanes();
}

function closePane(pane) {
  panes.splice(panes.indexOf(pane), 1);
  pane.element.remove();
  if (active === pane) activate(panes[0]);
  updatePanes();
}

function updatePanes() {
  showSplit();
  panes.forEach((pane) => pane.mark());
  showLegend(active);
  requestAnimationFrame(() => panes.forEach((pane) => pane.refit()));
  saveAddress();
}

const moreButton = button("+ pane", () => split(true), "add a pane with another run (S)");

function showSplit() {
  stage.classList.toggle("split", panes.length > 1);
  moreButton.hidden = panes.length < 2 || panes.length >= MAX_PANES;
  panes.forEach((pane) => { pane.closer.hidden = panes.length < 2; });
  showRuns();
}

// Compares the runs of several panes.
const runTable = make("table", { class: "runs" }, make("caption", { class: "soft" }, "Comparison of the runs: captured → final graph"));
function showRuns() {
  const shown = [...new Set(panes.map((pane) => pane.run))].filter((run) => run.what === "graph");
  runTable.hidden = shown.length < 2;
  const rows = shown.map((run) => {
    const { cycles, mhz } = run.raw.timeline || {};
    return [run.name, run.chip, firstToLast(run, "nodes", run.raw.first), count(run.steps.length), firstToLast(run, "cycles", cycles), cycles ? `${(cycles / mhz).toFixed(2)} us` : ""];
  });
  runTable.replaceChildren(runTable.firstChild, make("tr", {}, ...["run", "chip", "nodes", "rewrites", "cycles", "time"].map((name) => make("th", { scope: "col" }, name))),
    ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell)))));
}

function firstToLast(run, what, alone) {
  const pairs = run.passes.map((pass) => pass[what]).filter(Boolean);
  return pairs.length ? `${count(pairs[0][0])} → ${count(pairs[pairs.length - 1][1])}` : alone ? count(alone) : "";
}

// ---- legend ------------------------------------------------------------------------------------------

const legend = make("footer", { class: "legend" });
function showLegend(pane) {
  const mark = (status, text) => make("span", { class: `key m-${status} ${status}` }, `${GLYPHS[status]}${text}`);
  const kinds = [["cube", "cube unit"], ["vector", "vector unit"], ["move", "data movement"], ["view", "no cost"], ["effect", "side effect"]];
  const heats = heatTexts(pane).map(([level, text]) => make("span", { class: `key heat heat-${level}` }, text));
  legend.replaceChildren(
    ...(pane.colour === "kind" ? kinds.map(([kind, text]) => make("span", { class: `key k-${kind}` }, text)) : heats),
    ...(pane.view === "changes" ? [mark("added", "added"), mark("removed", "removed"), mark("rewired", "operands changed")] : []),
    make("span", { class: "key order" }, "order edge"),
    ...(panes.length > 1 ? [make("span", { class: "key onlykey" }, "only in this pane")] : []));
}

// ---- the address -------------------------------------------------------------------------------------

function paneAddress(pane) {
  const initial = initiallyExpanded(pane.run);
  const differ = pane.run.frames.map((_, frame) => frame).filter((frame) => initial.has(frame) !== pane.expanded.has(frame));
  return [pane.run.number, pane.step, pane.whole ? 1 : 0, pane.view, pane.colour, pane.showValues ? 1 : 0,
    pane.selected === null ? "" : pane.selected, differ.length > 200 ? "" : differ.join(".")].join(",");
}

const saveAddress = oncePerFrame(() => {
  const parts = [...panes.map((pane) => `p=${paneAddress(pane)}`), `tab=${openTab}`, theme && `theme=${theme}`];
  try {
    window.history.replaceState(null, "", `#${parts.filter(Boolean).join("&")}`);
  } catch { /* a sandboxed frame cannot change its address */ }
});

function restoreAddress() {
  const address = new URLSearchParams(previous.address ?? (location.hash.slice(1) || DATA.address));
  theme = ["light", "dark"].includes(address.get("theme")) ? address.get("theme") : "";
  applyTheme();
  const wanted = address.getAll("p").slice(0, MAX_PANES).map((text) => text.split(","));
  for (const [number, step, whole, view, colour, values, selected, differ] of wanted) {
    const run = RUNS[Number(number)];
    if (!run) continue;
    const pane = addPane(run);
    for (const frame of (differ || "").split(".").filter((text) => /^\d+$/.test(text)).map(Number)) {
      if (pane.expanded.has(frame)) pane.expanded.delete(frame);
      else if (frame < run.frames.length) pane.expanded.add(frame);
    }
    pane.view = ["before", "after"].includes(view) ? view : "changes";
    pane.colour = COLOURS.includes(colour) ? colour : "kind";
    pane.showValues = values === "1";
    pane.step = clamp(Math.trunc(Number(step)) || 0, 0, run.steps.length);
    pane.whole = whole === "1";
    pane.place();
    pane.selected = /^-?\d+$/.test(selected) && pane.layout.spots.has(Number(selected)) ? Number(selected) : null;
    pane.draw();
  }
  if (!panes.length) addPane(RUNS.find((run) => run.what === "graph") || RUNS[0]);
  showSplit();
  activate(panes[0]);
  openPass(address.get("pass"));
  chooseTab(address.get("tab") || "source");
  if (panes[0].selected !== null) emit("select", panes[0]);
}

// Short addresses in other pages: "pass=3" opens the fourth pass as a whole.
function openPass(number) {
  const span = /^\d+$/.test(number || "") ? spanOfPass(active.run, Number(number)) : null;
  if (span) active.go(span[1], true);
}

for (const event of ["step", "look", "select", "drawn", "active"]) on(event, saveAddress);
on("look", (pane) => { if (pane === active) showChoices(pane); });
on("step", showRuns);
on("active", showChoices);
on("drawn", (pane) => {
  pane.summary = `${count(pane.visible.items.size)} boxes`;
  pane.note.textContent = pane.summary;
  if (pane === active) showLegend(pane);  // the numbers of the heat map belong to the step
});

// ---- the page ----------------------------------------------------------------------------------------

document.body.append(
  make("header", { class: "top" }, make("h1", {}, clip(DATA.title, 60)), make("p", { class: "soft" }, DATA.subtitle || ""), finder,
    make("div", { class: "tools" }, ...views, colourBox, valueButton,
      button("split", () => split(panes.length === 1), "two panes (s)"), moreButton, exportBox,
      button("◐", toggleTheme, "light or dark theme (d)", { "aria-label": "light or dark theme" }), button("?", () => help.showModal(), "keys", { "aria-label": "keys" }))),
  make("main", {},
    make("aside", { class: "left", "aria-label": "steps" }, stepList, make("div", { class: "quiet" }, quietBox, quietLabel)),
    make("div", { class: "middle" }, stage, sliderBar, legend, runTable, chartBox),
    make("aside", { class: "right", "aria-label": "source, node, rules, text" }, tabList, ...TABS.map(([, , pane]) => pane))),
  statusLine, announcer, help);
fillSource();
restoreAddress();
addEventListener("resize", oncePerFrame(() => panes.forEach((pane) => pane.refit())), { signal: life.signal });
requestAnimationFrame(() => requestAnimationFrame(() => {  // the first drawing is visible
  performance.mark("picture");
  document.documentElement.dataset.ready = "yes";
}));
