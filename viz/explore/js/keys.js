// Everything by keyboard; "?" lists it.

const KEYS = [
  ["←  →", "one step back, one step on"], ["shift + ←  →", "the pass before, the whole next pass"],
  ["Home  End", "the graph as captured, the graph at the end"], ["1  2  3", "changes, before, after"],
  ["Tab, ↑  ↓", "walk through the boxes: all of them, along the edges"], ["Enter", "open or close a frame"],
  ["o  c", "open all frames, close all"], ["+  −  0  f", "zoom, fit the width, fit everything"],
  ["/", "search"], ["h", "colour by unit, by cycles, by bytes"], ["v", "values and gradients in the boxes"],
  ["s  S", "two panes: eager and graph, or two runs; one pane more, up to four"], ["n", "another run in this pane"],
  ["t", "the next tab: source, node, rules, diff, text"], ["g  r", "the chart: open or close it; timeline or roofline"],
  ["[  ]", "the timeline closer, further away"], ["e", "export"], ["l", "order edges on and off"], ["d", "light or dark"],
  ["p", "play the steps"], ["?", "this list"], ["Esc", "leave search and this list, select nothing"],
];
const help = make("dialog", { class: "help", "aria-label": "keys" }, make("h2", {}, "Keys"),
  make("dl", {}, ...KEYS.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)])),
  make("button", { onclick: () => help.close() }, "close"));

const COLOURS = ["kind", "cycles", "bytes"];
const nextColour = () => setColour(COLOURS[(COLOURS.indexOf(active.colour) + 1) % COLOURS.length]);

const ACTS = {
  ArrowLeft: (event) => (event.shiftKey ? goPass(-1) : active.go(active.step - 1)),
  ArrowRight: (event) => (event.shiftKey ? goPass(1) : active.go(active.step + 1)),
  ArrowUp: () => walk(-1), ArrowDown: () => walk(1),
  Home: () => active.go(0), End: () => active.go(active.run.steps.length),
  1: () => setView("changes"), 2: () => setView("before"), 3: () => setView("after"),
  Enter: () => { if (active.selected !== null && active.selected < 0) active.toggle(-1 - active.selected); },
  o: () => active.openAll(true), c: () => active.openAll(false),
  "+": () => active.zoom(1.25), "=": () => active.zoom(1.25), "-": () => active.zoom(0.8),
  0: () => active.fit(), f: () => active.fit(true),
  "/": () => findBox.focus(), h: nextColour, v: () => active.set("showValues", !active.showValues),
  s: () => split(panes.length === 1), S: () => split(true), n: () => active.show(RUNS[(active.run.number + 1) % RUNS.length]),
  t: () => nextTab(1), g: () => { chartBox.open = !chartBox.open; }, r: otherChart, "[": () => zoomTime(0.5), "]": () => zoomTime(2),
  e: () => exportBox.focus(), d: toggleTheme, p: play, l: () => active.svg.classList.toggle("orderless"),
  "?": () => help.showModal(), Escape: () => active.select(null),
};

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || typing) return;
  const pressed = event.target.tagName === "BUTTON" && event.key === "Enter";
  if (event.key === "Tab" && event.target === active.svg) {
    if (next(event.shiftKey ? -1 : 1)) event.preventDefault();
  } else if (ACTS[event.key] && !pressed && !inList(event)) {
    ACTS[event.key](event);
    event.preventDefault();
  }
});

// Lists and text panes keep their own up and down.
const inList = (event) => /^Arrow(Up|Down)$/.test(event.key) && event.target.closest(".results, .code, .detail, .rules, [role=tablist]");

// The next visible box in reading order; at the end focus goes on.
function next(by) {
  const items = [...active.elements.keys()].sort((one, other) => {
    const [a, b] = [active.layout.spots.get(one), active.layout.spots.get(other)];
    return a.y - b.y || a.x - b.x;
  });
  const at = active.selected === null ? (by > 0 ? -1 : items.length) : items.indexOf(active.selected);
  const item = items[at + by];
  if (item === undefined) return false;
  choose(item);
  return true;
}

// Along an edge: up to the first operand, down to the first user.
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
