// Draws the graph of a pane as SVG: frames, edges, boxes. Positions come from layout.js, colours from CSS classes.

const GLYPHS = { added: "+ ", removed: "− ", rewired: "~ " };
const MAX_LABELLED_EDGES = 500;  // more drawn edges than this have no types
const MAX_LABELLED_FAN = 20;  // nor is there a label where more than this leave, or reach, one point

// The visible item of a row: the row itself, or the outermost collapsed frame that contains it.
const shownAs = (pane, row) => pane.shown[row];

// The visible items of all rows; they change only when frames are expanded or collapsed.
function shownItems({ run, expanded }) {
  const covers = new Int32Array(run.frames.length);  // the outermost collapsed frame around a frame's contents; 0: all are expanded
  run.frames.forEach(({ parent }, frame) => { covers[frame] = (parent >= 0 && covers[parent]) || (expanded.has(frame) ? 0 : -1 - frame); });
  const shown = new Int32Array(run.size);
  for (let row = 0; row < run.size; row++) {
    const own = run.own(row);
    const frame = own >= 0 ? run.frames[own].parent : run.parents[row];
    shown[row] = (frame >= 0 && covers[frame]) || run.itemOf(row);
  }
  return shown;
}

// Visible items with the statuses of their rows, and all edges between them.
function collectVisible(pane) {
  const { run } = pane;
  const [from, to] = pane.states();
  const visible = { items: new Map(), edges: new Map() };
  for (let row = 0; row < run.size; row++) {
    if (run.isBodyInput(row) || !(pane.view === "after" ? to.has(row) : from.has(row) || to.has(row))) continue;
    if (pane.view === "before" && !from.has(row)) continue;
    const item = shownAs(pane, row);
    const status = pane.view === "changes" ? statusOf(row, from, to) : "";
    const known = visible.items.get(item);
    const seen = known || { rows: 0, statuses: {} };
    seen.rows += 1;
    seen.statuses[status] = (seen.statuses[status] || 0) + 1;
    if (known) continue;
    visible.items.set(item, seen);
    for (let f = run.parent(row); f >= 0; f = run.frames[f].parent) {
      if (pane.expanded.has(f) && !visible.items.has(-1 - f)) visible.items.set(-1 - f, { rows: 0, statuses: {} });
    }
  }
  if (from === to) addEdges(pane, visible.edges, to, 3);
  else {
    if (pane.view !== "after") addEdges(pane, visible.edges, from, 1);
    if (pane.view !== "before") addEdges(pane, visible.edges, to, 2);
  }
  for (const edge of visible.edges.values()) {
    edge.status = pane.view !== "changes" || edge.bits === 3 || from === to ? "" : edge.bits === 2 ? "added" : "removed";
  }
  return visible;
}

function addEdges(pane, edges, state, bit) {
  const { run, shown } = pane;
  for (let row = 0; row < run.size; row++) {
    if (run.isBodyInput(row) || !state.has(row)) continue;
    const head = shown[row];
    const visible = head === run.itemOf(row);
    if (run.owner[row] >= 0 && !visible) continue;  // the collapsed node that owns the body has these edges
    if (!visible || !run.isFused(row) || !pane.expanded.has(run.own(row))) {
      for (const packed of state.packedIns(row)) {
        if (shown[row - packed] === head) continue;  // nearly always, if frames are collapsed
        const source = state.tail(refOf(row, packed));
        const tail = shown[source[0]];
        if (tail !== head) addEdge(edges, tail, head, "data", bit, () => run.type(...source));
      }
    }
    for (const [other, kind] of state.before(row)) {
      const tail = shownAs(pane, other);
      if (tail !== head) addEdge(edges, tail, head, kind, bit, () => kind);
    }
  }
}

function addEdge(edges, tail, head, kind, bit, write) {
  const key = kind === "data" ? tail * 2 ** 26 + head : `${tail} ${head} ${kind}`;
  const edge = edges.get(key);
  if (!edge) edges.set(key, { tail, head, kind, bits: bit, texts: [write()], last: bit, times: 1 });
  else {
    edge.bits |= bit;
    if (edge.last !== bit) { edge.last = bit; edge.times = 0; }
    edge.times += 1;
    if (edge.texts.length > 3) return;
    const text = write();
    if (!edge.texts.includes(text)) edge.texts.push(text);
  }
}

// The status of a box. A collapsed frame in which only some rows changed is "rewired".
function statusOfItem(seen) {
  const kinds = Object.keys(seen.statuses).filter(Boolean);
  if (!kinds.length) return "";
  return kinds.length === 1 && !seen.statuses[""] ? kinds[0] : seen.rows > 1 ? "rewired" : kinds[0];
}

// ---- boxes -----------------------------------------------------------------------------------------

// The status of an expanded frame: that of the node whose body it shows.
function statusOfFrame(pane, frame) {
  return frame.node >= 0 && pane.view === "changes" ? statusOf(frame.node, ...pane.states()) : "";
}

function boxOf(pane, item, spot, seen) {
  const { run } = pane;
  const frame = item < 0 ? run.frames[-1 - item] : null;
  const kind = frame ? (frame.node >= 0 ? run.kind(frame.node) : "scope") : run.kind(item);
  const status = statusOfItem(seen);
  const group = draw("g", { class: `box ${classesOf(pane, item, kind, status)}`, transform: at(spot) });
  if (frame) group.append(draw("rect", { x: 4, y: 4, width: spot.width, height: spot.height, rx: 7, class: "behind" }));
  group.append(outline(DATA.looks[kind] || "rounded", spot.width, spot.height));
  if (!pane.plain) linesOf(pane, item).forEach((line, k) => group.append(draw("text", {
    x: spot.width / 2, y: 18.5 + k * SIZE.line, class: k ? "value" : "name" },
  (k ? "" : GLYPHS[status] || "") + (k || !frame ? line : `▸ ${line}`))));
  return group;
}

const at = (spot) => `translate(${spot.x.toFixed(1)},${spot.y.toFixed(1)})`;

function classesOf(pane, item, kind, status) {
  const heat = pane.colour === "kind" ? "" : heatClass(pane, item);
  return [heat || `k-${kind}`, status && `m-${status} ${status}`, item < 0 && "collapsed"].filter(Boolean).join(" ");
}

function outline(shape, width, height) {
  if (shape === "ellipse") return draw("ellipse", { cx: width / 2, cy: height / 2, rx: width / 2, ry: height / 2 });
  if (shape === "cylinder") {
    const [w, h, r] = [width, height, 4];
    return draw("path", { d: `M0,${r}A${w / 2},${r} 0 0 1 ${w},${r}V${h - r}A${w / 2},${r} 0 0 1 0,${h - r}Z` +
      `M0,${r}A${w / 2},${r} 0 0 0 ${w},${r}` });
  }
  return draw("rect", { width, height, rx: shape === "rounded" ? 8 : 2 });
}

function frameOf(pane, item, spot, seen) {
  const { run } = pane;
  const frame = run.frames[-1 - item];
  const status = statusOfFrame(pane, frame);
  const kind = frame.node >= 0 ? run.kind(frame.node) : "scope";
  const text = pane.plain ? null : draw("text", { x: 12, y: 20 }, `▾ ${GLYPHS[status] || ""}${clip(run.captionOf(item), 60)}`);
  return draw("g", { class: `frame k-${kind} ${status && `m-${status} ${status}`} n${seen.rows}`, transform: at(spot) },
    draw("rect", { width: spot.width, height: spot.height, rx: 9 }), text);
}

// ---- edges -----------------------------------------------------------------------------------------

// `labels` are the rectangles of the labels drawn so far, and `fans` the edges at each point; null: edges have no labels.
function edgeOf(pane, edge, path, labels, fans) {
  const points = path && partInside(pane.region, path);
  if (!points) return null;
  const order = edge.kind === "data" ? "" : "order";
  const text = edge.kind === "data" && edge.texts.length > 1 ? plural(edge.times, "value")
    : edge.texts[0] + (edge.times > 1 ? ` ×${edge.times}` : "");
  const group = draw("g", { class: `edge ${order} ${edge.status && `m-${edge.status} ${edge.status}`}` },
    draw("path", { d: curve(points) }), points.at(-1) === path.at(-1) ? arrowHead(points) : null);
  if (labels && text) {
    const place = labelPlace(points, clip(text, 26).length * SIZE.small, labels, fans);
    group.append(place ? draw("text", { x: place[0].toFixed(1), y: place[1].toFixed(1) }, clip(text, 26)) : draw("title", {}, text));
  }
  return group;
}

// The first free place for a label next to an edge, which is then taken; null if all are taken.
function labelPlace(points, width, labels, fans) {
  const isFan = ([x, y]) => fans.get(`${x} ${y}`) > MAX_LABELLED_FAN;
  for (let k = 1; k < points.length; k++) {
    if (points[k][2] || isFan(points[k - 1]) || isFan(points[k])) continue;  // next to boxes, or on a bundle
    for (const share of [0.5, 0.36, 0.64, 0.22, 0.78]) {
      const [left, base] = labelStart(points[k - 1], points[k], share);
      const band = Math.floor(base / SIZE.line);
      const near = [band - 1, band, band + 1].flatMap((one) => labels.get(one) || []);
      if (near.some(([x, y, size]) => Math.abs(y - base) < SIZE.line - 3 && x < left + width && left < x + size)) continue;
      labels.set(band, [...labels.get(band) || [], [left, base, width]]);
      return [left, base];
    }
  }
  return null;
}

// Where the label of a curve between two points begins, at a share of its parameter.
function labelStart([x0, y0], [x1, y1], share) {
  const rest = 1 - share;
  const bend = 3 * share * rest * (y0 + y1) / 2;
  return [x0 * rest * rest * (1 + 2 * share) + x1 * share * share * (3 - 2 * share) + 5, y0 * rest ** 3 + bend + y1 * share ** 3 + 3];
}

function curve(points) {
  const short = (value) => value.toFixed(1);
  let path = `M${points[0].slice(0, 2).map(short)}`;
  for (let k = 1; k < points.length; k++) {
    const [[x0, y0], [x1, y1]] = [points[k - 1], points[k]];
    const middle = short((y0 + y1) / 2);
    path += `C${short(x0)},${middle} ${short(x1)},${middle} ${short(x1)},${short(y1)}`;
  }
  return path;
}

function arrowHead(points) {
  const [[, before], [x, y]] = points.slice(-2);
  const back = y >= before ? y - 6 : y + 6;
  return draw("polygon", { points: `${x - 3.5},${back} ${x},${y} ${x + 3.5},${back}` });
}

// ---- heat ------------------------------------------------------------------------------------------

const HEAT_LEVELS = 6;

// Simulated cycles (or bytes) of an item; for a frame, of all rows in it at this step.
function heatOf(pane, item) {
  return pane.heats.get(item) || 0;
}

function heatClass(pane, item) {
  const heat = heatOf(pane, item);
  if (!heat || !pane.hottest) return "heat heat-0";
  return `heat heat-${1 + Math.min(HEAT_LEVELS - 1, Math.floor(HEAT_LEVELS * Math.sqrt(heat / pane.hottest) * 0.9999))}`;
}

// The levels with their numbers for the legend, such as [1, "1 – 120"], with the unit after the last; without levels that
// lie between two numbers.
function heatTexts(pane) {
  const bound = (k) => (k === HEAT_LEVELS ? Math.round(pane.hottest) : Math.floor(pane.hottest * (k / HEAT_LEVELS) ** 2));
  const texts = [[0, "0"]];
  for (let level = 1; level <= HEAT_LEVELS; level++) {
    const [first, last] = [bound(level - 1) + 1, bound(level)];
    if (first <= last) texts.push([level, first === last ? count(first) : `${count(first)} – ${count(last)}`]);
  }
  texts[texts.length - 1][1] += ` ${pane.colour}`;
  return texts;
}

function computeHeats(pane) {
  const { run } = pane;
  const state = pane.states()[1];
  pane.heats = new Map();
  pane.hottest = 0;
  for (const [row, cost] of Object.entries(run.annotations.costs || {})) {
    const heat = pane.colour === "bytes" ? cost.bytes : cost.cycles;
    if (!heat || !state.has(Number(row))) continue;
    const item = shownAs(pane, Number(row));
    pane.heats.set(item, (pane.heats.get(item) || 0) + heat);
  }
  for (const heat of pane.heats.values()) pane.hottest = Math.max(pane.hottest, heat);
}
