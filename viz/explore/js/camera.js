// Camera movements of a pane.

const FLIGHT_MS = 200;

// Moves a pane's camera in a few frames; immediately if the system prefers reduced motion.
function flyTo(pane, scale, left, top) {
  const from = [Math.log(pane.scale), pane.left / pane.scale, pane.top / pane.scale];
  const to = [Math.log(scale), left / scale, top / scale];
  const flight = pane.flight = { svg: pane.svg, scale, left, top };  // the camera at its end
  const start = performance.now();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const move = (now) => {
    if (pane.flight !== flight) return;
    const part = still ? 1 : clamp((now - start) / FLIGHT_MS, 0, 1);
    const [size, x, y] = from.map((value, k) => value + (to[k] - value) * part * (2 - part));
    pane.scale = Math.exp(size);
    [pane.left, pane.top] = [x * pane.scale, y * pane.scale];
    pane.look();
    if (part < 1) requestAnimationFrame(move);
    else pane.flight = null;
  };
  move(start);
}
