// Source excerpts: each line that created nodes is linked with them.

const sourcePane = make("div", { class: "source code", tabindex: 0 });
const sourceLines = new Map();

function fillSource() {
  const nodes = countNodesByLine();
  DATA.source.forEach(({ file, first, lines }, k) => {
    const sameFile = k && DATA.source[k - 1].file === file;
    const margin = Math.min(...lines.filter((text) => text.trim()).map((text) => text.search(/\S/)));
    const rows = lines.map((text, at) => sourceLine(file, first + at, text.slice(margin), nodes));
    sourcePane.append(sameFile ? make("p", { class: "soft", "aria-hidden": "true" }, "⋯") : make("h3", {}, baseName(file)),
      make("div", { class: "file" }, ...rows));
  });
  if (!DATA.source.length) sourcePane.append(make("p", { class: "soft" }, "The source code is not available."));
}

function sourceLine(file, number, text, nodesByLine) {
  const key = `${file}:${number}`;
  const nodes = nodesByLine.get(key) || 0;
  const element = make("div", { class: nodes ? "line linked" : "line" },
    make("span", { class: "number" }, String(number)), make("span", { class: "soft" }, nodes ? `${nodes}` : ""),
    make("code", {}, text || " "));
  if (nodes) {
    element.addEventListener("pointerenter", () => setFocusLine(key));
    element.addEventListener("pointerleave", () => setFocusLine(""));
    element.addEventListener("click", () => showLine(key));
    element.title = `${plural(nodes, "node")} from this line`;
  }
  sourceLines.set(key, element);
  return element;
}

// Selects the first node of a line that exists at this step.
function showLine(key) {
  const state = active.states()[1];
  const rows = rowsAt(key)[active.run.number].filter((row) => state.has(row) && !active.run.isBodyInput(row));
  if (rows.length) goTo(active, rows[0]);
  setFocusLine(key);
}

on("focus", () => {
  for (const [key, element] of sourceLines) element.classList.toggle("hot", focus.lines.has(key));
});
on("select", (pane) => {
  const rows = pane.selected === null ? [] : rowsIn(pane.run, pane.selected);
  const keys = new Set(rows.flatMap((row) => pane.run.positions(row).map((position) => lineKey(SOURCE_POSITIONS[position]))));
  for (const [key, element] of sourceLines) element.classList.toggle("selected", keys.has(key));
  const first = sourcePane.querySelector(".selected");
  if (first && !sourcePane.hidden) first.scrollIntoView({ block: "nearest" });
});
