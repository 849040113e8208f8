// Positions of items. Rows and the order within rows come with the data; an expanded frame only takes more space.

const SIZE = { letter: 6.7, small: 6, padding: 22, box: 28, line: 14, gap: 22, rise: 40, bend: 10, side: 14, title: 30, bottom: 14 };

const textWidth = (texts, least) => Math.max(least, Math.max(...texts.map((text) => text.length)) * SIZE.letter + SIZE.padding);

// The lines of text in a box: caption, value, gradient. With `all`, those of the step that needs most space: all nodes and
// gradients of later steps are included.
function linesOf(pane, item, all = false) {
  if (item < 0) {
    return [`${clip(pane.run.captionOf(item), 40)} (${count((all ? pane.run.inside : insideAt(pane))[-1 - item])})`];
  }
  const more = pane.showValues ? [valueOf(pane.run, item), gradientOf(pane, item, all)] : [];
  return [pane.run.caption(item), ...more.filter(Boolean).map((text) => clip(text, 40))];
}

// The number of nodes in each frame at the step of a pane.
function insideAt(pane) {
  const [from, to] = pane.states();
  const state = pane.view === "before" ? from : to;
  state.inside = state.inside || pane.run.countInside((row) => state.has(row));
  return state.inside;
}

const valueOf = (run, row) => (run.annotations.values || {})[row];

// The gradient of a value; before the step that computes it, only with `all`.
function gradientOf(pane, row, all = false) {
  const { gradients = {}, gradient_steps = {} } = pane.run.annotations;
  return gradients[row] !== undefined && (all || pane.step >= gradient_steps[row]) ? `gradient ${gradients[row]}` : undefined;
}

// The layout of everything visible: absolute positions of boxes and frames by item, rows and bends by level.
function layOut(pane) {
  const whole = layOutLevel(pane, -1);
  const layout = { spots: new Map(), bends: new Map(), rows: new Map(), width: whole.width, height: whole.height };
  const waiting = [[-1, whole, 0, 0]];
  for (const [frame, level, left, top] of waiting) {
    layout.rows.set(frame, level.rows.map((row) => (
      { top: row.top + top, bottom: row.bottom + top, blocks: row.blocks.map((block) => block.map((x) => x + left)) })));
    layout.bends.set(frame, new Map([...level.bends].map(([key, xs]) => [key, xs.map((x) => x + left)])));
    for (const [item, spot] of level.spots) {
      const moved = { ...spot, x: spot.x + left, y: spot.y + top };
      layout.spots.set(item, moved);
      if (spot.inner) waiting.push([-1 - item, spot.inner, moved.x + SIZE.side, moved.y + SIZE.title]);
    }
  }
  return layout;
}

function layOutLevel(pane, frame) {
  const level = pane.run.level(frame);
  const sizes = level.items.map((item) => sizeOf(pane, item));
  const rows = rowsOf(level, sizes);
  const layout = { spots: new Map(), bends: new Map(), rows: [], width: 0, height: 0 };
  let y = 0;
  rows.forEach((row, number) => {
    placeRow(row);
    const height = Math.max(0, ...row.map((one) => one.height));
    layout.rows.push({ top: y, bottom: y + height, blocks: [] });
    for (const one of row) Object.assign(one, { y, row: number });
    y += height + SIZE.rise;
  });
  const left = Math.min(...rows.flat().map((one) => one.at - one.width / 2), Infinity);
  for (const one of rows.flat()) {
    const x = one.at - left;
    layout.width = Math.max(layout.width, x + one.width / 2);
    if (one.edge) bendsOf(layout, one.edge)[one.k] = x;
    else {
      layout.spots.set(level.items[one.k], { ...sizes[one.k], x: x - one.width / 2, y: one.y, row: one.row });
      layout.rows[one.row].blocks.push([x - one.width / 2, x + one.width / 2]);
    }
  }
  layout.height = Math.max(0, y - SIZE.rise);
  return layout;
}

function bendsOf(layout, edge) {
  if (!layout.bends.has(edge)) layout.bends.set(edge, []);
  return layout.bends.get(edge);
}

function rowsOf(level, sizes) {
  const rows = [];
  const add = (row, one) => { while (rows.length <= row) rows.push([]); rows[row].push(one); };
  level.items.forEach((_, k) => add(level.row[k], { want: level.x[k], k, ...sizes[k] }));
  for (const [edge, { first, xs }] of level.bends) {
    xs.forEach((x, k) => add(first + k, { want: x, k, edge, width: SIZE.bend, height: 0 }));
  }
  for (const row of rows) row.sort((one, other) => one.want - other.want);
  return rows;
}

function sizeOf(pane, item) {
  if (item < 0 && pane.expanded.has(-1 - item)) {
    const inner = layOutLevel(pane, -1 - item);
    const width = Math.max(inner.width + 2 * SIZE.side, textWidth([pane.run.captionOf(item)], 60) + 24);
    return { width, height: inner.height + SIZE.title + SIZE.bottom, inner };
  }
  const lines = linesOf(pane, item, true);
  const name = `~ ${item < 0 ? "▸ " : ""}${lines[0]}`;  // with its marks
  return { width: textWidth([name, ...lines.slice(1)], item < 0 ? 60 : 44), height: SIZE.box + (lines.length - 1) * SIZE.line, lines };
}

// Places a row with gaps, as close to the preferred positions as possible: the least-squares optimum, computed by the
// pool-adjacent-violators algorithm (isotonic regression).
function placeRow(row) {
  const blocks = [];
  let offset = 0;
  row.forEach((one, k) => {
    offset += k ? (row[k - 1].width + one.width) / 2 + SIZE.gap : 0;
    one.offset = offset;
    let block = { place: one.want - offset, size: 1 };
    while (blocks.length && blocks[blocks.length - 1].place >= block.place) {
      const other = blocks.pop();
      const size = other.size + block.size;
      block = { place: (other.place * other.size + block.place * block.size) / size, size };
    }
    blocks.push(block);
  });
  let k = 0;
  for (const block of blocks) {
    for (let n = 0; n < block.size; n++, k++) row[k].at = block.place + row[k].offset;
  }
}
