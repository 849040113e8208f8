// A pane shows one run at one step; it has its own expanded frames, view, colours, zoom and selection.

const SCALES = [0.04, 4];
const READABLE = 0.9;  // the scale at which the smallest text, of 10 px, has 9 px
const MARGIN = 24;  // pixels around the boxes that the camera moves to

class Pane {
  constructor(run, stage) {
    this.paper = draw("g", { class: "paper" });
    this.svg = draw("svg", { class: "picture", tabindex: 0, role: "application" }, this.paper);
    this.title = make("select", { "aria-label": "run of this pane", onchange: () => this.show(RUNS[this.title.value]) },
      ...RUNS.map((one) => make("option", { value: one.number }, one.name)));
    this.note = make("span", { class: "soft" });
    this.closer = make("button", { class: "closer", "aria-label": "close this pane", hidden: true, onclick: () => closePane(this) }, "×");
    this.element = make("section", { class: "pane" }, make("header", {}, this.title, this.note, this.closer), this.svg);
    Object.assign(this, { view: "changes", colour: "kind", showValues: false, whole: false });
    this.listen();
    stage.append(this.element);
    this.show(run);
  }

  // ---- run and step ---------------------------------------------------------------------------------

  show(run) {
    this.run = run;
    this.title.value = run.number;
    this.step = run.what === "tape" ? (spanOfPass(run, 0) || [0, 0])[1] : 0;  // a tape opens with its whole forward pass
    [this.selected, this.matched] = [null, []];
    this.hasStepped = false;
    this.expanded = initiallyExpanded(run);
    this.redraw = this.redraw || oncePerFrame(() => this.draw());
    this.repaint = this.repaint || oncePerFrame(() => { paint(this); this.mark(); });
    this.place();
    this.visible = null;
    this.fit();  // before the drawing, which contains only what the camera sees
    this.draw();
    emit("step", this);
  }

  // The two states to compare: this step, and the one before it or the start of its pass.
  states() {
    const to = stateAt(this.run, this.step);
    if (!this.step) return [to, to];
    const pass = this.run.steps[this.step - 1].pass;
    const from = this.whole ? spanOfPass(this.run, pass)[0] : this.step - 1;
    return [stateAt(this.run, from), to];
  }

  go(step, whole = false) {
    this.step = clamp(step, 0, this.run.steps.length);
    this.whole = whole;
    this.following = this.hasStepped = true;
    this.redraw();
    emit("step", this);
  }

  follow() {
    const { spots } = this.layout;
    const statusAt = (item, seen) => (spots.get(item).inner ? statusOfFrame(this, this.run.frames[-1 - item]) : statusOfItem(seen));
    const changed = [...this.visible.items].filter(([item, seen]) => (item === this.now() || statusAt(item, seen)));
    this.following = false;
    this.showItems(changed.map(([item]) => item));
  }

  // Moves the camera so that all of these boxes are visible, if one is not: it zooms out as far as that needs, and back to
  // the reader's own scale as soon as that suffices.
  showItems(items) {
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight];
    const spots = items.map((item) => this.layout.spots.get(item));
    const left = Math.min(...spots.map((spot) => spot.x));
    const top = Math.min(...spots.map((spot) => spot.y));
    const right = Math.max(...spots.map((spot) => spot.x + spot.width));
    const bottom = Math.max(...spots.map((spot) => spot.y + spot.height));
    const isSeen = this.left + left * this.scale >= 0 && this.top + top * this.scale >= 0
      && this.left + right * this.scale <= width && this.top + bottom * this.scale <= height;
    if (!items.length || !width) return;
    if (!this.scale) this.fit();  // a frame of a notebook had no size before
    const fitting = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));
    const scale = clamp(Math.min(this.ownScale, fitting), ...SCALES);
    if (isSeen && scale < 1.05 * this.scale) return;
    flyTo(this, scale, width / 2 - (left + right) / 2 * scale, height / 2 - (top + bottom) / 2 * scale);
  }

  set(name, value) {
    this[name] = value;
    if (name === "showValues") this.place();
    this.redraw();
    emit("look", this);
  }

  place() {
    this.shown = shownItems(this);
    this.layout = layOut(this);
  }

  draw() {
    computeHeats(this);
    this.visible = collectVisible(this);
    for (const item of this.visible.items.keys()) if (!this.layout.spots.has(item)) this.visible.items.delete(item);
    if (this.following) this.follow();
    paint(this);
    this.svg.classList.toggle("heated", this.colour !== "kind");
    this.svg.setAttribute("aria-label", `${this.run.name}: ${count(this.visible.items.size)} boxes, step ${this.step}`);
    this.mark();
    emit("drawn", this);
  }

  // ---- expand and collapse ------------------------------------------------------------------------------

  toggle(frame) {
    const spot = this.layout.spots.get(-1 - frame);
    if (this.expanded.has(frame)) this.expanded.delete(frame);
    else {
      this.expanded.add(frame);
      if (this.countVisible() > MAX_VISIBLE_BOXES) {
        this.expanded.delete(frame);
        emit("say", `more than ${count(MAX_VISIBLE_BOXES)} boxes would be visible; collapse some frames first`);
        return;
      }
    }
    this.place();
    const now = this.layout.spots.get(-1 - frame);
    if (spot && now) {  // the clicked frame stays in place
      this.left += (spot.x + spot.width / 2 - now.x - now.width / 2) * this.scale;
      this.top += (spot.y - now.y) * this.scale;
    }
    this.look();
    this.draw();
  }

  countVisible() {
    let sum = 0;
    const waiting = [-1];
    for (const frame of waiting) {
      for (const item of this.run.itemsIn(frame)) {
        sum += 1;
        if (item < 0 && this.expanded.has(-1 - item)) waiting.push(-1 - item);
      }
    }
    return sum;
  }

  expandAll(yes) {
    this.expanded = new Set();
    if (yes && expandMany(this, MAX_VISIBLE_BOXES)) emit("say", `some frames stay collapsed: more than ${count(MAX_VISIBLE_BOXES)} boxes would be visible`);
    this.place();
    this.fit();
    this.draw();
  }

  // Opens all frames that contain the rows, and centres the first row.
  reveal(...rows) {
    for (const row of rows) {
      for (let frame = this.run.parent(row); frame >= 0; frame = this.run.frames[frame].parent) this.expanded.add(frame);
    }
    this.place();
    this.draw();
    this.centre(shownAs(this, rows[0]));
  }

  // Opens all frames around a frame, and centres it.
  revealFrame(frame) {
    for (let outer = this.run.frames[frame].parent; outer >= 0; outer = this.run.frames[outer].parent) this.expanded.add(outer);
    this.place();
    this.draw();
    this.centre(-1 - frame);
  }

  // ---- pan and zoom --------------------------------------------------------------------------------

  look() {
    this.paper.setAttribute("transform", `translate(${this.left.toFixed(1)},${this.top.toFixed(1)}) scale(${this.scale.toFixed(4)})`);
    this.svg.classList.toggle("far", this.scale < READABLE);
    if (this.visible && !isPainted(this)) this.repaint();
  }

  fit(everything = false) {
    this.flight = null;
    const { clientWidth: width, clientHeight: height } = this.svg;
    if (!width) return;
    const whole = Math.min((width - 32) / this.layout.width, (height - 32) / this.layout.height, 1.1);
    this.scale = clamp(everything ? whole : Math.max(whole, READABLE), ...SCALES);
    this.ownScale = this.scale;
    this.left = (width - this.layout.width * this.scale) / 2;
    this.top = Math.max(16, (height - this.layout.height * this.scale) / 2);
    if (!everything && this.layout.width * this.scale > width) this.showTop(width);
    this.look();
  }

  // For another size of the pane: what the step changed stays in view.
  refit() {
    this.fit();
    if (this.hasStepped) this.follow();
  }

  // If the drawing is wider than the pane, centres its first row, but moves it if that shows the titles of cut frames.
  showTop(width) {
    const spots = [...this.layout.spots.values()];
    const first = spots.filter((spot) => spot.y < 4);
    const middle = first.reduce((sum, spot) => sum + spot.x + spot.width / 2, 0) / first.length;
    this.left = clamp(width / 2 - middle * this.scale, width - this.layout.width * this.scale - 16, 16);
    const room = width - 16 - this.left - this.scale * Math.max(...first.map((spot) => spot.x + spot.width));
    const isSeen = ({ y }) => y * this.scale + this.top < this.svg.clientHeight;
    const cut = spots.filter((spot) => spot.inner && isSeen(spot)).map((spot) => 16 - this.left - spot.x * this.scale);
    this.left += Math.max(0, ...cut.filter((by) => by <= room));
  }

  zoom(by, x = this.svg.clientWidth / 2, y = this.svg.clientHeight / 2) {
    const scale = clamp(this.scale * by, ...SCALES);
    this.left = x - (x - this.left) * scale / this.scale;
    this.top = y - (y - this.top) * scale / this.scale;
    this.scale = this.ownScale = scale;
    this.flight = null;
    this.look();
  }

  move(x, y) { this.flight = null; this.left += x; this.top += y; this.look(); }

  centre(item) {
    this.flight = null;
    const spot = this.layout.spots.get(item);
    if (!spot) return;
    this.scale = this.ownScale = Math.max(this.scale, READABLE);
    this.left = this.svg.clientWidth / 2 - (spot.x + spot.width / 2) * this.scale;
    this.top = this.svg.clientHeight / 2 - (spot.y + Math.min(spot.height, 200) / 2) * this.scale;
    this.look();
  }

  // ---- selection and links -------------------------------------------------------------------------

  // The box whose gradient a step without changes accumulates; null at other steps.
  now() {
    const step = this.step ? this.run.steps[this.step - 1] : null;
    return step && !step.changes.length ? shownAs(this, step.row) : null;
  }

  mark() {
    const hot = new Set([...(focus.rows[this.run.number] || [])].map((row) => shownAs(this, row)));
    const now = this.now();
    const only = onlyHere(this);
    for (const [item, element] of this.elements) {
      element.classList.toggle("now", item === now);
      element.classList.toggle("only", only(item));
      element.classList.toggle("hot", hot.has(item));
      element.classList.toggle("selected", item === this.selected);
      element.classList.toggle("matched", this.matched.includes(item));
    }
    for (const edge of this.edges) {
      if (edge.element) edge.element.classList.toggle("near", edge.tail === this.selected || edge.head === this.selected);
    }
  }

  // `match`: further rows that are marked together with the selected item.
  select(item, match = []) {
    this.selected = item;
    this.matched = match.map((row) => shownAs(this, row));
    announce(item === null ? "nothing selected" : this.describe(item));
    activate(this);
    this.mark();
    emit("select", this);
  }

  // What a screen reader says of a box.
  describe(item) {
    const { run } = this;
    if (item < 0) return `${run.captionOf(item)}, ${plural(insideAt(this)[-1 - item], "node")}, ${this.expanded.has(-1 - item) ? "expanded" : "collapsed"}`;
    const line = run.positions(item).length ? `, ${positionText(SOURCE_POSITIONS[run.positions(item)[0]])}` : "";
    return `${run.caption(item)}, ${run.types(item)}${line}`;
  }

  listen() {
    const itemAt = (event) => {
      const element = event.target.closest("[data-item]");
      return element ? Number(element.dataset.item) : null;
    };
    let drag = null;
    this.svg.addEventListener("pointerdown", (event) => { drag = { x: event.clientX, y: event.clientY, moved: 0 }; activate(this); });
    this.svg.addEventListener("pointermove", (event) => {
      if (!drag) { pointAt(this, itemAt(event)); return; }
      const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
      drag = { x: event.clientX, y: event.clientY, moved: drag.moved + Math.abs(x) + Math.abs(y) };
      this.move(x, y);
    });
    this.svg.addEventListener("pointerleave", () => { drag = null; pointAt(this, null); });
    this.svg.addEventListener("pointerup", (event) => {
      const clicked = drag && drag.moved < 5;
      drag = null;
      if (!clicked) return;
      const item = itemAt(event);
      this.select(item);
      if (item !== null && item < 0) this.toggle(-1 - item);
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.svg.getBoundingClientRect();
      this.zoom(event.deltaY < 0 ? 1.12 : 1 / 1.12, event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
    this.svg.addEventListener("focus", () => activate(this));
  }
}
