// Which frames are open: at first as many as fit, without bodies and repeated blocks; later as the reader wants.

const MAX_VISIBLE_BOXES = 3000;  // opening more is refused, so that the page never freezes
const INITIAL_BOXES = 160;  // frames are open initially up to this number of boxes
const FOLDED_REPEATS = 3;  // so many repeated blocks are closed initially

function openAtFirst(run) {
  const pane = { run, open: new Set() };
  const isFolded = ({ kind }, number) => kind === "repeat" && run.levels[number + 1].items.length >= FOLDED_REPEATS;
  openMany(pane, INITIAL_BOXES, (frame, number) => frame.kind !== "fused" && frame.kind !== "region" && !isFolded(frame, number));
  return pane.open;
}

// Opens frames, outer ones first, as long as at most `limit` boxes are visible; returns whether one stayed closed.
function openMany(pane, limit, wanted = () => true) {
  const { run } = pane;
  let seen = run.levels[0].items.length;
  let refused = false;
  const waiting = [-1];
  for (const outer of waiting) {
    for (const item of run.levels[outer + 1].items) {
      const inner = -1 - item;
      if (item >= 0 || !wanted(run.frames[inner], inner)) continue;
      const more = run.levels[inner + 1].items.length;
      if (seen + more > limit) { refused = true; continue; }
      seen += more;
      pane.open.add(inner);
      waiting.push(inner);
    }
  }
  return refused;
}
