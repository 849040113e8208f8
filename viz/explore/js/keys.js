// Keyboard control; "?" shows the list of keys.

const KEYS = [
  ["←  →", "previous step, next step"], ["shift + ←  →", "previous pass, next pass"],
  ["Home  End", "captured graph, final graph"], ["1  2  3", "changes, before, after"],
  ["Tab, ↑  ↓", "next box; first operand or user of the selected box"], ["Enter", "expand or collapse a frame"],
  ["o  c", "expand all frames, collapse all frames"], ["+  −  0  f", "zoom in, zoom out, fit the width, fit everything"],
  ["/", "search"], ["h", "colour by unit, cycles or bytes"], ["v", "show values and gradients in the boxes"],
  ["s  S", "two panes or one; add a pane (up to four)"], ["n", "next run in this pane"],
  ["t", "next tab: source, node, rules, diff, text"], ["g  r", "open or close the chart; timeline or roofline"],
  ["[  ]", "zoom the timeline in, out"], ["e", "export"], ["l", "show or hide order edges"], ["d", "light or dark theme"],
  ["p", "play the steps, or stop"], ["?", "show this list"], ["Esc", "close the search or this list; clear the selection"],
];
const help = make("dialog", { class: "help", "aria-label": "keys" }, make("h2", {}, "Keys"),
  make("dl", {}, ...KEYS.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)])),
  make("button", { onclick: () => help.close() }, "close"));

const COLOURS = ["kind", "cycles", "bytes"];
const nextColour = () => setColour(COLOURS[(COLOURS.indexOf(active.colour) + 1) % COLOURS.length]);

const ACTIONS = {
  ArrowLeft: (event) => (event.shiftKey ? goPass(-1) : active.go(active.step - 1)),
  ArrowRight: (event) => (event.shiftKey ? goPass(1) : active.go(active.step + 1)),
  ArrowUp: () => walk(-1), ArrowDown: () => walk(1),
  Home: () => active.go(0), End: () => active.go(active.run.steps.length),
  1: () => setView("changes"), 2: () => setView("before"), 3: () => setView("after"),
  Enter: () => { if (active.selected !== null && active.selected < 0) active.toggle(-1 - active.selected); },
  o: () => active.expandAll(true), c: () => active.expandAll(false),
  "+": () => active.zoom(1.25), "=": () => active.zoom(1.25), "-": () => active.zoom(0.8),
  0: () => active.fit(), f: () => active.fit(true),
  "/": () => findBox.focus(), h: nextColour, v: () => active.set("showValues", !active.showValues),
  s: () => split(panes.length === 1), S: () => split(true), n: () => active.show(RUNS[(active.run.number + 1) % RUNS.length]),
  t: () => nextTab(1), g: () => { chartBox.open = !chartBox.open; }, r: otherChart, "[": () => zoomTime(0.5), "]": () => zoomTime(2),
  e: () => exportBox.focus(), d: toggleTheme, p: play, l: () => active.svg.classList.toggle("orderless"),
  "?": () => help.showModal(), Escape: () => active.select(null),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || belongsTo(event.target, event.key)) return;
  const onButton = /^(BUTTON|SUMMARY)$/.test(event.target.tagName) && event.key === "Enter";
  if (event.key === "Tab" && event.target === active.svg) {
    if (next(event.shiftKey ? -1 : 1)) event.preventDefault();
  } else if (ACTIONS[event.key] && !onButton && !inList(event)) {
    ACTIONS[event.key](event);
    event.preventDefault();
  }
}, { signal: life.signal });

// After a choice by pointer the keys are those of the picture again.
let isChosenByPointer = false;
document.addEventListener("pointerdown", ({ target }) => { isChosenByPointer = Boolean(target.closest("select")); }, { signal: life.signal });
document.addEventListener("change", ({ target }) => {
  if (isChosenByPointer && target.tagName === "SELECT" && target.closest(".pane, .tools")) active.svg.focus({ preventScroll: true });
  isChosenByPointer = false;
}, { signal: life.signal });

// Whether a control uses a key itself: texts use all, sliders and lists of choices those that change their value.
function belongsTo(target, key) {
  const isSlider = target.tagName === "INPUT" && target.type === "range";
  if (isSlider || target.tagName === "SELECT") return /^(Arrow.*|Home|End|Page.*|Enter|Tab| )$/.test(key);
  return target.tagName === "TEXTAREA" || (target.tagName === "INPUT" && !/^(checkbox|radio|button)$/.test(target.type));
}

// In lists and text panes, up and down keep their usual meaning.
const inList = (event) => /^Arrow(Up|Down)$/.test(event.key) && event.target.closest(".results, .code, .detail, .rules, [role=tablist]");

// Selects the next visible box in reading order. After the last one, Tab moves the focus on.
function next(by) {
  const items = [...active.visible.items.keys()].sort((one, other) => {
    const [a, b] = [active.layout.spots.get(one), active.layout.spots.get(other)];
    return a.y - b.y || a.x - b.x;
  });
  const at = active.selected === null ? (by > 0 ? -1 : items.length) : items.indexOf(active.selected);
  const item = items[at + by];
  if (item === undefined) return false;
  choose(item);
  return true;
}

// Selects the first operand (up) or the first user (down).
function walk(by) {
  const near = active.edges.filter((edge) => (by > 0 ? edge.tail : edge.head) === active.selected)
    .map((edge) => (by > 0 ? edge.head : edge.tail))
    .sort((one, other) => active.layout.spots.get(one).x - active.layout.spots.get(other).x);
  if (active.selected === null) next(1);
  else if (near.length) choose(near[0]);
}

function choose(item) {
  active.select(item);
  setFocus(active.run, rowsIn(active.run, item));
  const spot = active.layout.spots.get(item);
  const [x, y] = [active.left + (spot.x + spot.width / 2) * active.scale, active.top + (spot.y + 14) * active.scale];
  if (x < 40 || y < 40 || x > active.svg.clientWidth - 40 || y > active.svg.clientHeight - 40) active.centre(item);
}

let playing = 0;
function play() {
  clearInterval(playing);
  playing = playing ? 0 : setInterval(() => {
    if (active.step >= active.run.steps.length) { clearInterval(playing); playing = 0; return; }
    active.go(active.step + 1);
  }, 900);
}
