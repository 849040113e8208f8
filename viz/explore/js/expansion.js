// Which frames are expanded: at first as many as fit, without bodies and repeated blocks; later as the reader wants.

const MAX_VISIBLE_BOXES = 3000;  // expanding more is refused, so that the page never freezes
const INITIAL_BOXES = 160;  // frames are expanded initially up to this number of boxes
const COLLAPSED_REPEATS = 3;  // so many repeated blocks are collapsed initially

function initiallyExpanded(run) {
  const pane = { run, expanded: new Set() };
  const isCollapsed = ({ kind }, number) => kind === "repeat" && run.itemsIn(number).length >= COLLAPSED_REPEATS;
  expandMany(pane, INITIAL_BOXES, (frame, number) => frame.kind !== "fused" && frame.kind !== "region" && !isCollapsed(frame, number));
  return pane.expanded;
}

// Expands frames, outer ones first, as long as at most `limit` boxes are visible; returns whether one stayed collapsed.
function expandMany(pane, limit, wanted = () => true) {
  const { run } = pane;
  let seen = run.itemsIn(-1).length;
  let refused = false;
  const waiting = [-1];
  for (const outer of waiting) {
    for (const item of run.itemsIn(outer)) {
      const inner = -1 - item;
      if (item >= 0 || !wanted(run.frames[inner], inner)) continue;
      const more = run.itemsIn(inner).length;
      if (seen + more > limit) { refused = true; continue; }
      seen += more;
      pane.expanded.add(inner);
      waiting.push(inner);
    }
  }
  return refused;
}
