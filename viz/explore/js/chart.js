// Timeline (simulated time, a track per queue) and roofline of the optimised graph, linked to the nodes.

const TRACK = 18;
const chartPane = make("div", { class: "charts" });
const bars = [];  // elements of both charts: {run, row, element}
const range = { from: 0, to: 1 };  // visible part of the time axis

const chartRun = () => (active && active.run.raw.timeline ? active.run : RUNS.find((run) => run.raw.timeline));

function showChart(kind) {
  chartPane.dataset.kind = kind;
  const run = chartRun();
  bars.length = 0;
  if (!run) {
    chartPane.replaceChildren(make("p", { class: "soft" }, "This run was not simulated."));
    return;
  }
  chartPane.replaceChildren(make("p", { class: "soft" }, run.raw.timeline.note), kind === "time" ? timeChart(run) : roofChart(run));
  markBars();
}

// ---- the timeline ------------------------------------------------------------------------------------

function timeChart(run) {
  const { tracks, cycles, mhz } = run.raw.timeline;
  const width = Math.max(320, chartPane.clientWidth - 24);
  const height = tracks.length * (TRACK + 6) + 26;
  const picture = draw("svg", { class: "time", width, height, role: "img", "aria-label": "timeline of instruction queues" });
  const left = 84;
  const first = range.from * cycles;
  const pixels = (width - left - 12) / ((range.to - range.from) * cycles || 1);
  tracks.forEach(([core, queue], k) => picture.append(
    draw("rect", { class: "track", x: left, y: k * (TRACK + 6) + 2, width: width - left - 12, height: TRACK }),
    draw("text", { x: left - 8, y: k * (TRACK + 6) + 15, class: "trackname" }, `${core} ${queue}`)));
  for (const [track, start, end, row, text, wait] of run.raw.timeline.bars) {
    const x0 = Math.max((start - first) * pixels, 0);
    const x1 = Math.min((end - first) * pixels, width - left - 12);
    if (x1 <= 0 || x0 >= width - left - 12) continue;
    const queue = tracks[track][1];
    picture.append(bar(run, row, draw("rect", {
      class: wait ? "bar wait" : `bar q-${queue}`, x: left + x0, y: track * (TRACK + 6) + 2, width: Math.max(x1 - x0, 0.7), height: TRACK,
    }), `${text}: ${count(end - start)} cycles, ${count(start)} to ${count(end)}`));
  }
  for (let k = 0; k <= 4; k++) {
    const cycle = first + (k / 4) * (range.to - range.from) * cycles;
    const text = `${count(Math.round(cycle))}${k === 4 ? " cycles" : ""}${k === 2 ? ` = ${(cycle / mhz).toFixed(2)} us` : ""}`;
    picture.append(draw("text", { class: k < 4 ? "tick" : "tick end", x: left + (k / 4) * (width - left - 12) + (k < 4 ? 0 : 12), y: height - 8 }, text));
  }
  picture.addEventListener("wheel", (event) => {
    event.preventDefault();
    const share = clamp((event.clientX - picture.getBoundingClientRect().left - left) / (width - left - 12), 0, 1);
    zoomTime(event.deltaY < 0 ? 0.8 : 1.25, share);
  }, { passive: false });
  return picture;
}

function zoomTime(by, share = 0.5) {
  const span = clamp((range.to - range.from) * by, 0.002, 1);
  const middle = range.from + share * (range.to - range.from);
  range.from = clamp(middle - share * span, 0, 1 - span);
  range.to = range.from + span;
  showChart("time");
}

// Links an element of a chart with its node: hover highlights the node, a click selects it.
function bar(run, row, element, tip) {
  element.append(draw("title", {}, tip));
  if (row < 0) return element;
  bars.push({ run, row, element });
  element.addEventListener("pointerenter", () => setFocus(run, [row]));
  element.addEventListener("click", () => {
    const pane = panes.find((one) => one.run === run);
    if (pane) { activate(pane); showRow(row); }
  });
  return element;
}

// ---- the roofline ------------------------------------------------------------------------------------

const ROOF = { left: 64, top: 16, right: 150, bottom: 36, height: 300, text: 12 };

function roofChart(run) {
  const { points, roofs } = run.raw.roofline;
  if (!points.length) return make("p", { class: "soft" }, "No node of this graph computes.");
  const width = Math.max(320, Math.min(860, chartPane.clientWidth - 24));
  const picture = draw("svg", { class: "roof", width, height: ROOF.height, role: "img", "aria-label": "roofline" });
  const slanted = roofs.filter(([, , unit]) => unit === "TB/s");
  const flat = roofs.filter(([, , unit]) => unit !== "TB/s");
  const highest = Math.max(...flat.map(([, value]) => value));
  const [x0, x1] = [Math.min(...points.map((point) => point[2]), 0.1) / 2, 4 * Math.max(...points.map((point) => point[2]), highest / slanted[0][1])];
  const [y0, y1] = [Math.min(...points.map((point) => point[3])) / 2, highest * 2];
  const scale = (value, low, high, from, to) => from + (to - from) * Math.log(value / low) / Math.log(high / low);
  const x = (value) => scale(value, x0, x1, ROOF.left, width - ROOF.right);
  const y = (value) => scale(value, y0, y1, ROOF.height - ROOF.bottom, ROOF.top);
  const widest = Math.max(...slanted.map(([, value]) => value));
  let above = ROOF.top - ROOF.text;
  for (const [name, value] of [...flat].sort((one, other) => other[1] - one[1])) {
    above = Math.max(above + ROOF.text, y(value));  // labels must not overlap; the highest roof comes first
    const start = x(Math.max(x0, value / widest));
    const end = width - ROOF.right;
    picture.append(draw("path", { class: "roofline", d: `M${start},${y(value)}H${end}L${end + 8},${above}` }),
      draw("text", { class: "tick start", x: end + 10, y: above + 3 }, `${name} ${short(value)}`));
  }
  for (const [name, value, unit] of slanted) {
    const start = Math.max(x0, y0 / value);
    picture.append(draw("path", { class: "roofline", d: `M${x(start)},${y(start * value)}L${x(highest / value)},${y(highest)}` }),
      draw("text", { class: "tick start", x: x(start) + 6, y: y(start * value) + (value === widest ? -8 : 14), transform: rotation(x(start), y(start * value), x(highest / value), y(highest)) }, `${name} ${short(value)} ${unit}`));
  }
  const memory = slanted[0][0];
  const ordered = [...points].sort((one, other) => (one[1] === memory) - (other[1] === memory));  // filled points on top
  for (const [row, curve, intensity, reached, queue, text] of ordered) {
    const hollow = curve === memory ? "" : " hollow";
    picture.append(bar(run, row, draw("circle", { class: `bar q-${queue}${hollow}`, cx: x(intensity), cy: y(reached), r: 5 }),
      `${text}, ${curve}: ${short(intensity)} op/byte, ${short(reached)} TOps/s`));
  }
  picture.append(draw("text", { class: "tick", x: (ROOF.left + width) / 2, y: ROOF.height - 8 }, "operations per byte (logarithmic); filled: device memory, hollow: L2"),
    draw("text", { class: "tick", transform: `translate(16,${ROOF.height / 2}) rotate(-90)` }, "TOps/s (logarithmic)"));
  return picture;
}

// Rotation about the start of a line, parallel to it.
const rotation = (x0, y0, x1, y1) => `rotate(${(Math.atan2(y1 - y0, x1 - x0) * 180 / Math.PI).toFixed(1)} ${x0.toFixed(1)} ${y0.toFixed(1)})`;

const short = (value) => (value >= 100 ? count(Math.round(value)) : value.toPrecision(3));

function markBars() {
  const selected = active && active.selected !== null ? rowsIn(active.run, active.selected) : [];
  for (const { run, row, element } of bars) {
    element.classList.toggle("hot", focus.rows[run.number].has(row));
    element.classList.toggle("selected", run === active.run && selected.includes(row));
  }
}

on("focus", markBars);
on("select", markBars);
on("active", () => { if (!chartPane.hidden && chartPane.dataset.kind) showChart(chartPane.dataset.kind); });
