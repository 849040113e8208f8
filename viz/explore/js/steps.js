// Passes and their rewrites as a list and a slider, and the rules of a pass with the reasons for rejected matches.

const MAX_LISTED_REWRITES = 120;
const stepList = make("ol", { class: "steps", "aria-label": "passes and rewrites" });
const quietBox = make("input", { type: "checkbox", id: "quiet", onchange: () => showSteps(active) });
const quietLabel = make("label", { for: "quiet", class: "soft" });
const slider = make("input", { type: "range", min: 0, step: 1, "aria-label": "step", oninput: () => active.go(Number(slider.value)) });
const stepText = make("output", { class: "steptext" });
const ruleTable = make("div", { class: "rules", tabindex: 0 });

const stepWord = (run) => (run.what === "tape" ? "call" : "rewrite");

const sliderBar = make("div", { class: "slider" },
  make("button", { onclick: () => goPass(-1), title: "previous pass (shift + left)" }, "«"),
  make("button", { onclick: () => active.go(active.step - 1), title: "previous step (left)" }, "‹"),
  slider,
  make("button", { onclick: () => active.go(active.step + 1), title: "next step (right)" }, "›"),
  make("button", { onclick: () => goPass(1), title: "next pass (shift + right)" }, "»"),
  stepText);

function passAt(pane) {
  return pane.step ? pane.run.steps[pane.step - 1].pass : -1;
}

// Goes to the end of the next or previous pass that changed something.
function goPass(by) {
  const { run } = active;
  const ends = [0];
  run.passes.forEach((_, pass) => { const span = spanOfPass(run, pass); if (span) ends.push(span[1]); });
  ends.sort((one, other) => one - other);
  const next = by > 0 ? ends.find((end) => end > active.step) : ends.filter((end) => end < active.step).pop();
  if (next !== undefined) active.go(next, next > 0);
}

function showSteps(pane) {
  const { run } = pane;
  const quiet = run.passes.filter((pass) => !pass.changed).length;
  quietLabel.textContent = `show ${plural(quiet, "pass", "passes")} without changes`;
  quietLabel.hidden = quietBox.hidden = !quiet;
  const items = [stepItem(pane, 0, run.what === "tape" ? "before the first call" : "captured graph", "", !pane.step)];
  run.passes.forEach((pass, number) => {
    const span = spanOfPass(run, number);
    if (!span && !quietBox.checked) return;
    const current = passAt(pane) === number;
    items.push(span ? stepItem(pane, span[1], pass.name, sizesOf(pass), current && (pane.whole || pane.step === span[1]), true)
      : make("li", { class: "unchanged" }, make("span", {}, pass.name), make("small", {}, "no changes")));
    if (span && current) items.push(...rewriteItems(pane, span));
  });
  stepList.replaceChildren(...items);
  scrollToStep();
}

const scrollToStep = oncePerFrame(() => {
  const now = stepList.querySelector('[aria-current="true"]');
  if (now) now.scrollIntoView({ block: "nearest" });
});

function sizesOf(pass) {
  const [old, now] = pass.nodes;
  const cycles = pass.cycles && pass.cycles[0] !== pass.cycles[1] ? ` · ${change(...pass.cycles)}\u00a0cycles` : "";
  return pass.note || `${old === now ? count(now) : `${count(old)} → ${count(now)}`} nodes${cycles}`;
}

function change(old, now) {
  if (!old) return count(now);
  const percent = Math.abs((now - old) / old * 100);
  return `${now <= old ? "−" : "+"}${percent < 0.05 ? "<0.1" : percent.toFixed(1)}\u00a0%`;
}

function stepItem(pane, step, name, more, current, whole = false) {
  return make("li", {}, make("button", { onclick: () => pane.go(step, whole), "aria-current": String(current) },
    make("span", {}, name), make("small", {}, more)));
}

// The rewrites of the current pass; of a long list, only those close to the current one.
function rewriteItems(pane, [first, last]) {
  const from = clamp(pane.step - 1 - MAX_LISTED_REWRITES / 2, first, Math.max(first, last - MAX_LISTED_REWRITES));
  const until = Math.min(last, from + MAX_LISTED_REWRITES);
  const items = [];
  for (let k = from; k < until; k++) {
    const item = stepItem(pane, k + 1, titleOfStep(pane.run, k), "", !pane.whole && pane.step === k + 1);
    item.classList.add("rewrite");
    items.push(item);
  }
  if (until - from < last - first) items.push(make("li", { class: "unchanged" }, `${count(last - first)} ${stepWord(pane.run)}s`));
  return items;
}

function titleOfStep(run, k) {
  const { rule, row } = run.steps[k];
  const where = row >= 0 ? ` ${run.caption(row)}` : "";
  return rule ? `${rule}${where && ` at${where}`}` : where.trim() || run.passes[run.steps[k].pass].name;
}

function showSlider(pane) {
  const { run } = pane;
  slider.max = run.steps.length;
  slider.value = pane.step;
  const pass = passAt(pane);
  const what = pane.step === 0 ? "start" : pane.whole ? `pass ${run.passes[pass].name}` : titleOfStep(run, pane.step - 1);
  stepText.textContent = `${pane.step} / ${run.steps.length} · ${what}`;
  slider.setAttribute("aria-valuetext", stepText.textContent);
}

// ---- rules -----------------------------------------------------------------------------------------

function showRules(pane) {
  const pass = passAt(pane);
  if (pass < 0) {
    ruleTable.replaceChildren(make("p", { class: "soft" }, "Go to a step of a pass to see which of its rules applied, and why others did not."));
    return;
  }
  const { name, rules, ms } = pane.run.passes[pass];
  const now = pane.run.steps[pane.step - 1];
  const cards = rules.map((rule) => ruleRecord(rule)).sort((one, other) => rank(one) - rank(other));
  const idle = cards.filter((rule) => !rule.tries);
  ruleTable.replaceChildren(make("h3", {}, name), make("p", { class: "soft" }, `${ms} ms`),
    ...(rules.length ? cards.filter((rule) => rule.tries).map((rule) => ruleCard(pane, rule, now))
      : [make("p", {}, "This pass is a function; it has no rules.")]),
    ...(idle.length ? [make("details", {}, make("summary", {}, `${plural(idle.length, "rule")} without candidate nodes`),
      ...idle.map((rule) => ruleCard(pane, rule, now)))] : []));
}

// The record of a rule.
function ruleRecord([name, text, loc, doc, tries, rewrites, rejected, ms, code]) {
  const body = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
  return { name, body, loc, doc: doc.trim().split("\n")[0], tries, rewrites, rejected, ms, code: textAt(code) };
}

// Rules that applied come first, then those with rejected matches.
const rank = (rule) => (rule.rewrites ? 0 : rule.rejected.length ? 1 : 2);

function ruleCard(pane, rule, now) {
  const outcome = rule.rewrites ? `applied ${plural(rule.rewrites, "time")}` : rule.tries && !rule.rejected.length ? "no match" : "";
  const counts = rule.tries ? [outcome, `tried at ${plural(rule.tries, "node")}`, `${rule.ms} ms`] : [];
  const current = now.rule === rule.name;
  return make("section", { class: rule.rewrites ? "rule fired" : "rule", "aria-current": String(current) },
    make("h4", {}, rule.name, make("small", {}, rule.loc)), rule.body && make("pre", {}, rule.body), rule.doc && make("p", {}, rule.doc),
    make("p", { class: "soft" }, counts.filter(Boolean).join(" · ")),
    ...rule.rejected.map(([reason, times, rows]) => make("p", {}, `${plural(times, "match", "matches")} rejected: ${reason}`,
      ...rows.map((row) => rowButton(pane, row)))),
    rule.code && make("details", { open: current }, make("summary", {}, "source"), make("pre", { class: "code", tabindex: 0 }, rule.code)));
}

on("step", (pane) => {
  if (pane !== active) return;
  showSteps(pane);
  showSlider(pane);
  showRules(pane);
});
