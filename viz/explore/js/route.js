// The path of an edge: straight past the boxes of each row that it passes, and bent between rows.

const CLEARANCE = 8;  // px between an edge and a box that it passes, at least; less than half of the gap between boxes

// Points [x, y], those at the end of a passed row [x, y, true]; null if one item contains the other.
function pathOf(pane, { tail, head }) {
  const { layout, run } = pane;
  const [one, other] = [layout.spots.get(tail), layout.spots.get(head)];
  const [frame, a, b] = one && other ? commonLevel(run, tail, head) : [null];
  if (frame === null) return null;
  const down = layout.spots.get(a).y <= layout.spots.get(b).y;
  const end = [other.x + other.width / 2, down ? other.y : other.y + other.height];
  const points = [[one.x + one.width / 2, down ? one.y + one.height : one.y]];
  const pass = (rows, wanted) => rows.forEach((row, k) => goPast(points, row, wanted(k), down));
  const stay = () => points[points.length - 1][0];
  const rowsIn = (item, level) => [layout.spots.get(item), layout.rows.get(level)];
  for (const [item, level] of chainTo(run, tail, frame)) {
    const [spot, rows] = rowsIn(item, level);
    if (down) pass([below(spot, rows)], stay);
    if (level !== frame) pass(rowsBetween(rows, spot.row, down ? rows.length : -1), stay);
  }
  const middle = rowsBetween(layout.rows.get(frame), layout.spots.get(a).row, layout.spots.get(b).row);
  const [from, bends] = [stay(), bendsBetween(pane, frame, a, b, down)];
  pass(middle, (k) => (bends ? bends[k] : from + (end[0] - from) * (k + 1) / (middle.length + 1)));
  for (const [item, level] of chainTo(run, head, frame).reverse()) {
    const [spot, rows] = rowsIn(item, level);
    if (level !== frame) pass(rowsBetween(rows, down ? -1 : rows.length, spot.row), () => end[0]);
    if (!down) pass([below(spot, rows)], () => end[0]);
  }
  return [...points, end];
}

// The positions that the data has for an edge between two items of a level, if any.
function bendsBetween(pane, frame, a, b, down) {
  const { place } = pane.run.level(frame);
  const bends = pane.layout.bends.get(frame).get(`${place.get(a)},${place.get(b)}`);
  return bends && (down ? bends : [...bends].reverse());
}

// The rest of its row below an item, which is empty.
const below = (spot, rows) => ({ top: spot.y + spot.height, bottom: rows[spot.row].bottom, blocks: [] });

// The rows between two, in that direction.
const rowsBetween = (rows, from, to) => (from < to ? rows.slice(from + 1, to) : rows.slice(to + 1, from).reverse());

function goPast(points, row, wanted, down) {
  if (row.top === row.bottom) return;
  const block = row.blocks.find(([left, right]) => left - CLEARANCE < wanted && wanted < right + CLEARANCE);
  const x = !block ? wanted : wanted - block[0] < block[1] - wanted ? block[0] - SIZE.gap / 2 : block[1] + SIZE.gap / 2;
  const [near, far] = down ? [row.top, row.bottom] : [row.bottom, row.top];
  const last = points[points.length - 1];
  if (last[2] && last[0] === x) last[1] = far;
  else {
    if (last[0] !== x || last[1] !== near) points.push([x, near]);
    points.push([x, far, true]);
  }
}

// An item and the frames around it, as [item, frame that contains it].
function chainOf(run, item) {
  const ancestors = [[item, item < 0 ? run.frames[-1 - item].parent : run.parent(item)]];
  while (ancestors[ancestors.length - 1][1] >= 0) {
    const frame = ancestors[ancestors.length - 1][1];
    ancestors.push([-1 - frame, run.frames[frame].parent]);
  }
  return ancestors;
}

// The part of it up to a level.
function chainTo(run, item, frame) {
  const chain = chainOf(run, item);
  return chain.slice(0, 1 + chain.findIndex(([, level]) => level === frame));
}

// The innermost level that contains both items, and its items that contain them; [null] if one contains the other.
function commonLevel(run, one, other) {
  const others = new Map(chainOf(run, other).map(([item, frame]) => [frame, item]));
  for (const [item, frame] of chainOf(run, one)) {
    if (others.has(frame)) return item === others.get(frame) ? [null] : [frame, item, others.get(frame)];
  }
  return [null];
}
