// Draws what the camera sees. Small drawings are drawn as a whole; of large ones only what is close to the camera, and
// without text if that is still much and so too small to read. So no frame takes long, however many boxes are visible.

const MAX_WHOLE_DRAWING = 100;  // boxes and frames
const MAX_TEXTS = 400;  // boxes and frames drawn with text at a time
const MAX_REGION_GROWTH = 1.5;  // of the drawn area, for a movement of the camera

function paint(pane, everything = false) {
  const { items, edges } = pane.visible;
  const region = everything ? null : regionOf(pane);
  const drawn = [...pane.layout.spots].filter(([item, spot]) => items.has(item) && isInside(region, spot, spot));
  pane.plain = !everything && drawn.length > MAX_TEXTS;
  pane.region = region;
  pane.elements = new Map();
  const [frames, lines, boxes] = ["frames", "edges", "boxes"].map((name) => draw("g", { class: name }));
  for (const [item, spot] of drawn) {
    const seen = items.get(item);
    const element = spot.inner ? frameOf(pane, item, spot, seen) : boxOf(pane, item, spot, seen);
    element.dataset.item = item;
    pane.elements.set(item, element);
    (spot.inner ? frames : boxes).append(element);
  }
  pane.edges = [...edges.values()].filter(({ tail, head }) => pane.layout.spots.has(tail) && pane.layout.spots.has(head));
  const near = pane.edges.filter(({ tail, head }) => isInside(region, pane.layout.spots.get(tail), pane.layout.spots.get(head)));
  lines.append(...(pane.plain ? plainEdges(pane, near) : singleEdges(pane, near)));
  pane.paper.replaceChildren(frames, lines, boxes);
}

// The rectangle to draw: what the camera sees, and half as much on each side; null for everything. If the camera moves to
// a place close by or zooms out, also what it sees then, which would otherwise be drawn while it moves.
function regionOf(pane) {
  if (pane.layout.spots.size <= MAX_WHOLE_DRAWING || !pane.scale) return null;
  const now = around(viewOf(pane));
  if (!pane.flight) return now;
  const then = around(viewOf(pane.flight));
  const both = {
    left: Math.min(now.left, then.left), top: Math.min(now.top, then.top),
    right: Math.max(now.right, then.right), bottom: Math.max(now.bottom, then.bottom),
  };
  return areaOf(both) <= MAX_REGION_GROWTH * Math.max(areaOf(now), areaOf(then)) ? both : now;
}

const around = ({ left, top, width, height }) => (
  { left: left - width / 2, top: top - height / 2, right: left + 1.5 * width, bottom: top + 1.5 * height });
const areaOf = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

// What the camera sees, in units of the layout.
function viewOf({ svg, left, top, scale }) {
  return { left: -left / scale, top: -top / scale, width: svg.clientWidth / scale, height: svg.clientHeight / scale };
}

// Whether the box around two spots is in a region. Edges that are longer than the region may pass it anywhere.
function isInside(region, one, other) {
  if (!region) return true;
  const [top, bottom] = [Math.min(one.y, other.y), Math.max(one.y + one.height, other.y + other.height)];
  if (bottom < region.top || top > region.bottom) return false;
  const [left, right] = [Math.min(one.x, other.x), Math.max(one.x + one.width, other.x + other.width)];
  return (right >= region.left && left <= region.right) || (one !== other && bottom - top > region.bottom - region.top);
}

// The part of a path that is in a region, with the points before and after it; null: none. Paths run up or down.
function partInside(region, points) {
  if (!region) return points;
  const isOutside = (k, axis, low, high) => {
    const [one, other] = [points[k - 1][axis], points[k][axis]];
    return Math.max(one, other) < low || Math.min(one, other) > high;
  };
  let [first, last, isSeen] = [0, 0, false];
  for (let k = 1; k < points.length; k++) {
    if (isOutside(k, 1, region.top, region.bottom)) continue;
    first = first || k;
    last = k;
    isSeen = isSeen || !isOutside(k, 0, region.left, region.right);
  }
  return isSeen ? points.slice(first - 1, last + 1) : null;
}

// Whether the camera still sees only what is drawn; when it stops, also at a similar scale.
function isPainted(pane) {
  if (!pane.region) return pane.layout.spots.size <= MAX_WHOLE_DRAWING || !pane.scale;
  const { left, top, width, height } = viewOf(pane);
  const { region } = pane;
  return left >= region.left && top >= region.top && left + width <= region.right && top + height <= region.bottom
    && (pane.flight !== null || width > (region.right - region.left) / 4);
}

function singleEdges(pane, edges) {
  const [labels, fans] = [edges.length <= MAX_LABELLED_EDGES ? new Map() : null, new Map()];
  const paths = edges.map((edge) => pathOf(pane, edge));
  for (const [x, y] of labels ? paths.flatMap((path) => path || []) : []) fans.set(`${x} ${y}`, (fans.get(`${x} ${y}`) || 0) + 1);
  return edges.map((edge, k) => { edge.element = edgeOf(pane, edge, paths[k], labels, fans); return edge.element; }).filter(Boolean);
}

// Edges without arrow heads, one path per status and kind.
function plainEdges(pane, edges) {
  const paths = new Map();
  for (const edge of edges) {
    const path = pathOf(pane, edge);
    const points = path && partInside(pane.region, path);
    const look = `edge ${edge.kind === "data" ? "" : "order"} ${edge.status && `m-${edge.status} ${edge.status}`}`;
    if (points) paths.set(look, `${paths.get(look) || ""}${curve(points)}`);
  }
  return [...paths].map(([look, path]) => draw("g", { class: look }, draw("path", { d: path })));
}

// The result of `act` while the whole drawing exists, as exports need it.
function withWholeDrawing(pane, act) {
  if (!pane.region && !pane.plain) return act();
  paint(pane, true);
  const result = act();
  paint(pane);
  pane.mark();
  return result;
}
