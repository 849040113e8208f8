// Search over nodes, rules, passes and source lines.

const MAX_RESULTS = 40;
const findBox = make("input", { type: "search", placeholder: "search  /", "aria-label": "search nodes, rules, passes, lines", oninput: () => showResults() });
const findList = make("ul", { class: "results", hidden: true });
const finder = make("div", { class: "finder" }, findBox, findList);

function showResults() {
  const wanted = findBox.value.trim().toLowerCase();
  const results = wanted ? searchAll(wanted) : [];
  findList.hidden = !wanted;
  findList.replaceChildren(...results.slice(0, MAX_RESULTS).map(({ text, kind, act }) => make("li", {},
    make("button", { onclick: () => { act(); closeFind(); } }, make("span", {}, clip(text, 70)), make("small", {}, kind)))));
  if (wanted) findList.append(make("li", { class: "soft" }, results.length ? plural(results.length, "result") : "no results"));
}

function searchAll(wanted) {
  const { run } = active;
  const results = [];
  run.passes.forEach((pass, number) => {
    const span = spanOfPass(run, number);
    if (span && pass.name.toLowerCase().includes(wanted)) results.push({ text: pass.name, kind: "pass", act: () => active.go(span[1], true) });
  });
  run.steps.forEach(({ rule }, k) => {
    if (rule && titleOfStep(run, k).toLowerCase().includes(wanted)) results.push({ text: titleOfStep(run, k), kind: "rewrite", act: () => active.go(k + 1) });
  });
  for (let row = 0; row < run.size; row++) {
    if (run.inputOf.has(row)) continue;
    const text = `${run.caption(row)} ${run.types(row)}${run.attrs(row)}`;
    if (text.toLowerCase().includes(wanted)) results.push({ text, kind: "node", act: () => showRow(row) });
  }
  for (const { file, first, lines } of DATA.source) {
    lines.forEach((line, k) => {
      if (line.toLowerCase().includes(wanted)) {
        results.push({ text: line.trim(), kind: `${baseName(file)}:${first + k}`, act: () => { chooseTab("source"); scrollToLine(`${file}:${first + k}`); } });
      }
    });
  }
  return results;
}

// Selects a node. If this step does not have it, goes to the first step that does.
function showRow(row) {
  const { run } = active;
  const [from, to] = active.states();
  if (!to.has(row) && !from.has(row)) {
    let owner = row;
    while (run.owner[owner] >= 0) owner = run.owner[owner];
    const created = run.steps.findIndex(({ changes }) => changes.some(([changed, ins]) => changed === owner && ins));
    active.go(created < 0 ? 0 : created + 1);
    active.draw();
  }
  goTo(active, row);
}

function closeFind() {
  findBox.value = "";
  showResults();
  active.svg.focus();
}

findBox.addEventListener("keydown", (event) => {
  if (event.key === "Escape") closeFind();
  if (event.key === "Enter" && findList.querySelector("button")) findList.querySelector("button").click();
  if (event.key === "ArrowDown" && findList.querySelector("button")) { findList.querySelector("button").focus(); event.preventDefault(); }
});
findList.addEventListener("keydown", (event) => {
  const buttons = [...findList.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (event.key === "Escape") closeFind();
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    (buttons[at + (event.key === "ArrowDown" ? 1 : -1)] || findBox).focus();
    event.preventDefault();
  }
});
