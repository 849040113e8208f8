// Export to files: the active pane as SVG, PNG, DOT or text, the chart as SVG or PNG.

const EXPORTED_STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "visibility", "display", "opacity", "paint-order"];

function download(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const fileName = (pane, suffix, what = "") => `${`${pane.run.title}_${pane.run.name}_${what || pane.step}`.replace(/[^\w.-]+/g, "_").slice(0, 80)}.${suffix}`;

// The whole drawing as standalone SVG, with computed styles inline.
function svgText(pane) {
  return withWholeDrawing(pane, () => (
    standaloneSvg(pane.layout.width, pane.layout.height, getComputedStyle(pane.svg).backgroundColor, pane.paper.children)));
}

const chartText = (picture) => (
  standaloneSvg(picture.clientWidth, picture.clientHeight, getComputedStyle(chartBox).backgroundColor, picture.children));

function standaloneSvg(width, height, paper, parts) {
  const copy = draw("svg", { xmlns: SVG, width: Math.ceil(width + 32), height: Math.ceil(height + 32), viewBox: `-16 -16 ${Math.ceil(width + 32)} ${Math.ceil(height + 32)}` });
  copy.append(draw("rect", { x: -16, y: -16, width: width + 32, height: height + 32, fill: paper }));
  for (const part of parts) {
    const clone = part.cloneNode(true);
    inlineStyles(part, clone);
    copy.append(clone);
  }
  return new XMLSerializer().serializeToString(copy);
}

function inlineStyles(from, to) {
  const olds = [from, ...from.querySelectorAll("*")];
  const news = [to, ...to.querySelectorAll("*")];
  olds.forEach((old, k) => {
    news[k].removeAttribute("class");
    if (old.tagName === "g") return;
    const style = getComputedStyle(old);
    for (const name of EXPORTED_STYLES) news[k].setAttribute(name, style.getPropertyValue(name));
  });
}

const exportSvg = (text = svgText(active), what = "") => download(fileName(active, "svg", what), "image/svg+xml", text);

function exportPng(text = svgText(active), what = "") {
  const image = new Image();
  image.onload = () => {
    const scale = Math.min(2, 8000 / Math.max(image.width, image.height));
    const canvas = make("canvas", { width: Math.ceil(image.width * scale), height: Math.ceil(image.height * scale) });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => download(fileName(active, "png", what), "image/png", blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
}

// Graphviz source of the visible boxes and edges. All text is quoted and escaped.
function dotText(pane) {
  const { items, edges } = pane.visible;
  const quote = (text) => `"${[...text].map((c) => (/[\p{C}]/u.test(c) ? " " : c)).join("").replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/&/g, "&amp;")}"`;
  const key = (item) => (item < 0 ? `f${-1 - item}` : `n${item}`);
  const lines = ["digraph {", `  label=${quote(`${pane.run.title}, step ${pane.step}`)} labelloc=t`, "  node [shape=box style=filled]"];
  for (const [item, seen] of items) {
    const spot = pane.layout.spots.get(item);
    if (!spot || spot.inner) continue;
    const look = getComputedStyle(pane.elements.get(item).querySelector(":not(.behind)"));
    const label = (GLYPHS[statusOfItem(seen)] || "") + linesOf(pane, item)[0];
    lines.push(`  ${key(item)} [label=${quote(label)} fillcolor="${hex(look.fill)}" color="${hex(look.stroke)}"]`);
  }
  for (const edge of edges.values()) {
    const dash = edge.kind === "data" ? "" : " style=dashed";
    const open = [edge.tail, edge.head].some((item) => pane.layout.spots.get(item).inner);
    if (!open) lines.push(`  ${key(edge.tail)} -> ${key(edge.head)} [label=${quote(edge.texts.join(", "))}${dash}]`);
  }
  return `${[...lines, "}"].join("\n")}\n`;
}

function hex(colour) {
  const parts = (colour.match(/[\d.]+/g) || [255, 255, 255]).slice(0, 3);
  return `#${parts.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

const exportDot = () => download(fileName(active, "dot"), "text/vnd.graphviz", withWholeDrawing(active, () => dotText(active)));
function exportText() {
  const state = active.states()[1];
  download(fileName(active, "ir"), "text/plain", `${textLines(active.run, state).map((line) => line.write(state, line.row)).join("\n")}\n`);
}
