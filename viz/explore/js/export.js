// Export to files: the active pane as SVG, PNG, DOT or text, the chart as SVG or PNG.

const EXPORTED_STYLES = ["stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "visibility", "display", "opacity", "paint-order"];

function download(name, type, content) {
  const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const fileName = (pane, suffix, what = "") => `${`${pane.run.title}_${pane.run.name}_${what || pane.step}`.replace(/[^\w.-]+/g, "_").slice(0, 80)}.${suffix}`;

const THEMES = ["light", "dark"];  // of an exported SVG, which follows the reader's

// The whole drawing as standalone SVG.
function svgText(pane, themes = THEMES) {
  return withWholeDrawing(pane, () => standaloneSvg(pane.layout.width, pane.layout.height, pane.svg, pane.paper.children, themes));
}

const chartText = (picture, themes = THEMES) => (
  standaloneSvg(picture.clientWidth, picture.clientHeight, chartBox, picture.children, themes));

function standaloneSvg(width, height, paper, parts, themes) {
  const copy = draw("svg", { xmlns: SVG, width: Math.ceil(width + 32), height: Math.ceil(height + 32), viewBox: `-16 -16 ${Math.ceil(width + 32)} ${Math.ceil(height + 32)}` });
  const rules = new Map();
  const style = draw("style", {});
  const ground = draw("rect", { x: -16, y: -16, width: width + 32, height: height + 32 });
  setColours([paper], [ground], themes, rules, ({ backgroundColor }) => [backgroundColor, "none"]);
  const clones = [...parts].map((part) => part.cloneNode(true));
  inlineStyles([...parts], clones, themes, rules);
  copy.append(style, ground, ...clones);
  style.textContent = styleSheet(rules);
  return new XMLSerializer().serializeToString(copy);
}

// All parts at once: each change of the theme styles the whole page anew.
function inlineStyles(parts, clones, themes, rules) {
  const withContents = (roots) => roots.flatMap((root) => [root, ...root.querySelectorAll("*")]);
  const copies = withContents(clones);
  const pairs = withContents(parts).map((old, k) => [old, copies[k]]);
  for (const [, copy] of pairs) copy.removeAttribute("class");
  const leaves = pairs.filter(([old]) => old.tagName !== "g");
  for (const [old, copy] of leaves) {
    const style = getComputedStyle(old);
    for (const name of EXPORTED_STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  }
  setColours(leaves.map(([old]) => old), leaves.map(([, copy]) => copy), themes, rules, ({ fill, stroke }) => [fill, stroke]);
}

// Gives the copies classes with the colours that the elements have in each theme; `rules` has the classes by colours.
function setColours(elements, copies, themes, rules, coloursOf) {
  const shown = document.documentElement.dataset.theme;
  const colours = themes.map((theme) => {
    document.documentElement.dataset.theme = theme;
    return elements.map((element) => coloursOf(getComputedStyle(element)));
  });
  document.documentElement.dataset.theme = shown;
  copies.forEach((copy, k) => {
    const key = JSON.stringify(colours.map((all) => all[k]));
    if (!rules.has(key)) rules.set(key, `c${rules.size}`);
    copy.setAttribute("class", rules.get(key));
  });
}

function styleSheet(rules) {
  const [first, other] = [0, 1].map((theme) => [...rules].map(([key, name]) => {
    const pair = JSON.parse(key)[theme];
    return pair ? `.${name}{fill:${pair[0]};stroke:${pair[1]}}` : "";
  }).join(""));
  return other ? `${first}@media (prefers-color-scheme: dark){${other}}` : first;
}

const exportSvg = (text = svgText(active), what = "") => download(fileName(active, "svg", what), "image/svg+xml", text);

// The text of an SVG in the theme of the page as pixels.
function exportPng(text = svgText(active, [document.documentElement.dataset.theme]), what = "") {
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
