// The passes and their single rewrites: a list, a slider, and why rules did or did not apply.

const SHOWN_REWRITES = 120;
const stepList = make("ol", { class: "steps", "aria-label": "passes and rewrites" });
const quietBox = make("input", { type: "checkbox", id: "quiet", onchange: () => showSteps(active) });
const quietLabel = make("label", { for: "quiet", class: "soft" });
const slider = make("input", { type: "range", min: 0, step: 1, "aria-label": "step", oninput: () => active.go(Number(slider.value)) });
const stepText = make("output", { class: "steptext" });
const ruleTable = make("div", { class: "rules", tabindex: 0 });

const stepWord = (run) => (run.what === "tape" ? "call" : "rewrite");

const sliderBar = make("div", { class: "slider" },
  make("button", { onclick: () => goPass(-1), title: "the pass before (shift + left)" }, "«"),
  make("button", { onclick: () => active.go(active.step - 1), title: "one step back (left)" }, "‹"),
  slider,
  make("button", { onclick: () => active.go(active.step + 1), title: "one step on (right)" }, "›"),
  make("button", { onclick: () => goPass(1), title: "the whole next pass (shift + right)" }, "»"),
  stepText);

function passAt(pane) {
  return pane.step ? pane.run.steps[pane.step - 1].pass : -1;
}

// To the end of the next pass that changed something, or back to where the one before ended.
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
  quietLabel.textContent = `show ${quiet} that changed nothing`;
  quietLabel.hidden = quietBox.hidden = !quiet;
  const items = [stepItem(pane, 0, run.what === "tape" ? "before the first call" : "as captured", "", !pane.step)];
  run.passes.forEach((pass, number) => {
    const span = spanOfPass(run, number);
    if (!span && !quietBox.checked) return;
    const current = passAt(pane) === number;
    items.push(span ? stepItem(pane, span[1], pass.name, sizesOf(pass), current && (pane.whole || pane.step === span[1]), true)
      : make("li", { class: "unchanged" }, make("span", {}, pass.name), make("small", {}, "changed nothing")));
    if (span && current) items.push(...rewriteItems(pane, span));
  });
  stepList.replaceChildren(...items);
  const now = stepList.querySelector('[aria-current="true"]');
  if (now) now.scrollIntoView({ block: "nearest" });
}

function sizesOf(pass) {
  const [old, now] = pass.nodes;
  const cycles = pass.cycles && pass.cycles[0] !== pass.cycles[1] ? ` · ${change(...pass.cycles)} cycles` : "";
  return pass.note || `${old === now ? count(now) : `${count(old)} → ${count(now)}`} nodes${cycles}`;
}

const change = (old, now) => (old ? `${now <= old ? "−" : "+"}${Math.abs((now - old) / old * 100).toFixed(1)} %` : count(now));

function stepItem(pane, step, name, more, current, whole = false) {
  return make("li", {}, make("button", { onclick: () => pane.go(step, whole), "aria-current": String(current) },
    make("span", {}, name), make("small", {}, more)));
}

// The rewrites of the current pass, or of a long list those around the current one.
function rewriteItems(pane, [first, last]) {
  const from = clamp(pane.step - 1 - SHOWN_REWRITES / 2, first, Math.max(first, last - SHOWN_REWRITES));
  const until = Math.min(last, from + SHOWN_REWRITES);
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
    ruleTable.replaceChildren(make("p", { class: "soft" }, "Step on to a pass: here is then told which of its rules applied, and why others did not."));
    return;
  }
  const { name, rules, ms } = pane.run.passes[pass];
  const now = pane.run.steps[pane.step - 1];
  const cards = rules.map((rule) => ruleOf(rule)).sort((one, other) => rank(one) - rank(other));
  const idle = cards.filter((rule) => !rule.tries);
  ruleTable.replaceChildren(make("h3", {}, name), make("p", { class: "soft" }, `${ms} ms`),
    ...(rules.length ? cards.filter((rule) => rule.tries).map((rule) => ruleCard(pane, rule, now))
      : [make("p", {}, "This pass has no rules: it is one function.")]),
    ...(idle.length ? [make("details", {}, make("summary", {}, `${many(idle.length, "rule")} found no node to start at`),
      ...idle.map((rule) => ruleCard(pane, rule, now)))] : []));
}

// A rule as a record; those that applied come first, then those that nearly did.
function ruleOf([name, text, loc, doc, tries, rewrites, refused, ms, code]) {
  const body = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
  return { name, body, loc, doc: doc.trim().split("\n")[0], tries, rewrites, refused, ms, code: word(code) };
}

const rank = (rule) => (rule.rewrites ? 0 : rule.refused.length ? 1 : 2);

function ruleCard(pane, rule, now) {
  const told = rule.rewrites ? `applied ${many(rule.rewrites, "time")}` : rule.tries && !rule.refused.length ? "the pattern was nowhere" : "";
  const counts = rule.tries ? [told, many(rule.tries, "try").replace("trys", "tries"), `${rule.ms} ms`] : [];
  const current = now.rule === rule.name;
  return make("section", { class: rule.rewrites ? "rule fired" : "rule", "aria-current": String(current) },
    make("h4", {}, rule.name, make("small", {}, rule.loc)), rule.body && make("pre", {}, rule.body), rule.doc && make("p", {}, rule.doc),
    make("p", { class: "soft" }, counts.filter(Boolean).join(" · ")),
    ...rule.refused.map(([reason, times, rows]) => make("p", {}, `left alone ${many(times, "time")}: ${reason}`,
      ...rows.map((row) => rowButton(pane, row)))),
    rule.code && make("details", { open: current }, make("summary", {}, "source"), make("pre", { class: "code", tabindex: 0 }, rule.code)));
}

on("step", (pane) => {
  if (pane !== active) return;
  showSteps(pane);
  showSlider(pane);
  showRules(pane);
});
