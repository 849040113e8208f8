// Where items stand. Rows and the order within rows come with the data; opening a frame only makes room for it.

const SIZE = { letter: 6.7, beside: 22, box: 28, line: 14, gap: 22, rise: 40, bend: 10, side: 14, title: 30, bottom: 14 };

const wide = (texts, least) => Math.max(least, Math.max(...texts.map((text) => text.length)) * SIZE.letter + SIZE.beside);

// The lines of text in a box: its caption, and below its value and gradient; `all` counts gradients yet to arrive.
function linesOf(pane, item, all = false) {
  if (item < 0) {
    const frame = -1 - item;
    return [`${clip(pane.run.captionOf(item), 40)} (${count(pane.run.inside[frame])})`];
  }
  const more = pane.showValues ? [valueOf(pane.run, item), gradientOf(pane, item, all)] : [];
  return [pane.run.caption(item), ...more.filter(Boolean).map((text) => clip(text, 40))];
}

const valueOf = (run, row) => (run.told.values || {})[row];

// The gradient at a value, once it has arrived there.
function gradientOf(pane, row, all = false) {
  const { gradients = {}, arrived = {} } = pane.run.told;
  return gradients[row] !== undefined && (all || pane.step >= arrived[row]) ? `gradient ${gradients[row]}` : undefined;
}

// Everything that is visible with these frames open: boxes and frames by item, absolute, and rows' middles by level.
function placed(pane) {
  const whole = levelPlaced(pane, -1);
  const found = { spots: new Map(), bends: new Map(), middles: new Map(), width: whole.width, height: whole.height };
  const waiting = [[-1, whole, 0, 0]];
  for (const [frame, level, left, top] of waiting) {
    found.middles.set(frame, level.middles.map((y) => y + top));
    found.bends.set(frame, new Map([...level.bends].map(([key, xs]) => [key, xs.map((x) => x + left)])));
    for (const [item, spot] of level.spots) {
      const moved = { ...spot, x: spot.x + left, y: spot.y + top };
      found.spots.set(item, moved);
      if (spot.inner) waiting.push([-1 - item, spot.inner, moved.x + SIZE.side, moved.y + SIZE.title]);
    }
  }
  return found;
}

function levelPlaced(pane, frame) {
  const level = pane.run.levels[frame + 1];
  const sizes = level.items.map((item) => sizeOf(pane, item));
  const rows = rowsOf(level, sizes);
  const found = { spots: new Map(), bends: new Map(), middles: [], width: 0, height: 0 };
  let y = 0;
  for (const row of rows) {
    settle(row);
    const high = Math.max(0, ...row.map((one) => one.height));
    found.middles.push(y + high / 2);
    for (const one of row) one.y = y;
    y += high + SIZE.rise;
  }
  const left = Math.min(...rows.flat().map((one) => one.at - one.width / 2), Infinity);
  for (const one of rows.flat()) {
    const x = one.at - left;
    found.width = Math.max(found.width, x + one.width / 2);
    if (one.edge) bendsOf(found, one.edge)[one.k] = x;
    else found.spots.set(level.items[one.k], { ...sizes[one.k], x: x - one.width / 2, y: one.y });
  }
  found.height = Math.max(0, y - SIZE.rise);
  return found;
}

function bendsOf(found, edge) {
  if (!found.bends.has(edge)) found.bends.set(edge, []);
  return found.bends.get(edge);
}

function rowsOf(level, sizes) {
  const rows = [];
  const put = (row, one) => { while (rows.length <= row) rows.push([]); rows[row].push(one); };
  level.items.forEach((_, k) => put(level.row[k], { want: level.x[k], k, ...sizes[k] }));
  for (const [edge, { first, xs }] of level.bends) {
    xs.forEach((x, k) => put(first + k, { want: x, k, edge, width: SIZE.bend, height: 0 }));
  }
  for (const row of rows) row.sort((one, other) => one.want - other.want);
  return rows;
}

function sizeOf(pane, item) {
  if (item < 0 && pane.open.has(-1 - item)) {
    const inner = levelPlaced(pane, -1 - item);
    const width = Math.max(inner.width + 2 * SIZE.side, wide([pane.run.captionOf(item)], 60) + 24);
    return { width, height: inner.height + SIZE.title + SIZE.bottom, inner };
  }
  const lines = linesOf(pane, item, true);
  return { width: wide(lines, item < 0 ? 60 : 44), height: SIZE.box + (lines.length - 1) * SIZE.line, lines };
}

// One row as near as possible to where it wants to be, with gaps: the least-squares optimum, by pooling neighbours.
function settle(row) {
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
