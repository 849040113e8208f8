// Search over nodes, scopes, rules, passes and source lines: words, `file:line`, a `/regular expression/`, or a pattern.

const MAX_RESULTS = 40;
const findBox = make("input", { type: "search", placeholder: "search  /", "aria-label": "search nodes, scopes, rules, passes, file:line, /regex/, or a pattern such as relu(x @ w + b)", oninput: () => showResults() });
const findList = make("ul", { class: "results", hidden: true });
const finder = make("div", { class: "finder" }, findBox, findList);

function showResults() {
  const wanted = findBox.value.trim();
  const matches = matcherOf(wanted);
  const { found, problem } = searchPattern(wanted);
  const results = wanted && matches ? [...found, ...searchAll(matches)] : [];
  findList.hidden = !wanted;
  findList.replaceChildren(...results.slice(0, MAX_RESULTS).map(({ text, kind, act }) => make("li", {},
    make("button", { onclick: () => { act(); closeFind(); } }, make("span", {}, clip(text, 70)), make("small", {}, kind)))));
  const counts = matches ? `${countsOf(results)}${!results.length && problem ? `: ${problem}` : ""}` : "this regular expression is not complete";
  if (wanted) findList.prepend(make("li", { class: "soft", role: "status" }, counts));
}

// The matches of a pattern at this step as results; `problem` says why there are none. Words are no pattern.
function searchPattern(wanted) {
  try {
    const term = /[(@*/+.|<>=-]/.test(wanted) && !wanted.startsWith("/") ? parsePattern(wanted) : null;
    if (!term) return { found: [] };
    const found = findPattern(active.run, active.states()[1], term).map((rows) => (
      { text: rows.map((row) => active.run.caption(row)).join(", "), kind: "match", act: () => showMatch(rows) }));
    const unknown = unknownOperators(term);
    return { found, problem: unknown.length ? `no operator '${unknown[0]}' in this graph` : "no match of this pattern at this step" };
  } catch (error) {
    return { found: [], problem: error.message };
  }
}

// Opens the frames around the nodes of a match, selects the first, and moves the camera to all of them.
function showMatch(rows) {
  active.reveal(...rows);
  active.select(shownAs(active, rows[0]), rows);
  active.showItems(rows.map((row) => shownAs(active, row)));
}

// "3 results: 2 nodes, 1 scope".
function countsOf(results) {
  const kinds = new Map();
  for (const { kind } of results) {
    const name = kind.includes(":") ? "line" : kind.split(" ")[0];
    kinds.set(name, (kinds.get(name) || 0) + 1);
  }
  const parts = [...kinds].map(([kind, number]) => plural(number, kind, kind === "pass" ? "passes" : kind === "match" ? "matches" : undefined));
  return results.length ? `${plural(results.length, "result")}: ${parts.join(", ")}` : "no results";
}

// The predicate of a text: it contains the words, or matches the expression between slashes; null for a wrong one.
function matcherOf(wanted) {
  const expression = /^\/(.+)\/$/.exec(wanted);
  if (!expression) {
    const words = wanted.toLowerCase();
    return (text) => text.toLowerCase().includes(words);
  }
  try {
    const pattern = new RegExp(expression[1], "i");
    return (text) => pattern.test(text);
  } catch {
    return null;
  }
}

function searchAll(matches) {
  const { run } = active;
  const results = [];
  run.passes.forEach((pass, number) => {
    const span = spanOfPass(run, number);
    if (span && matches(pass.name)) results.push({ text: pass.name, kind: "pass", act: () => active.go(span[1], true) });
  });
  run.frames.forEach(({ kind, node }, frame) => {
    if (node < 0 && kind !== "chunk" && matches(scopePath(run, frame))) {
      results.push({ text: scopePath(run, frame), kind: `scope ×${run.inside[frame]}`, act: () => showFrame(frame) });
    }
  });
  run.steps.forEach(({ rule }, k) => {
    if (rule && matches(titleOfStep(run, k))) results.push({ text: titleOfStep(run, k), kind: "rewrite", act: () => active.go(k + 1) });
  });
  for (let row = 0; row < run.size; row++) {
    if (run.isBodyInput(row)) continue;
    const text = `${run.caption(row)} ${run.types(row)}${run.attrs(row)}`;
    const positions = run.positions(row).map((position) => positionText(SOURCE_POSITIONS[position]));
    const position = positions.find(matches);
    if (position) results.push({ text: `${text}  ${position}`, kind: "node", act: () => showRow(row) });
    else if (matches(text)) results.push({ text, kind: "node", act: () => showRow(row) });
  }
  for (const { file, first, lines } of DATA.source) {
    lines.forEach((line, k) => {
      if (matches(line) || matches(`${baseName(file)}:${first + k}`)) {
        results.push({ text: line.trim(), kind: `${baseName(file)}:${first + k}`, act: () => { chooseTab("source"); scrollToLine(`${file}:${first + k}`); } });
      }
    });
  }
  return results;
}

// The path of a scope, such as "net/blocks/0".
function scopePath(run, frame) {
  const names = [];
  for (let at = frame; at >= 0; at = run.frames[at].parent) if (at === frame || run.frames[at].kind === "scope") names.unshift(run.frames[at].title);
  return names.join("/");
}

// Selects and centres a scope, with its outer scopes expanded.
function showFrame(frame) {
  active.revealFrame(frame);
  active.select(-1 - frame);
}

// Selects a node. If this step does not have it, goes to the first step that does.
function showRow(row) {
  const { run } = active;
  const [from, to] = active.states();
  if (!to.has(row) && !from.has(row)) {
    const owner = run.tops[row];
    const created = run.steps.findIndex(({ changes }) => pairsOf(changes).some(([changed, inEdges]) => changed === owner && inEdges >= 0));
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
