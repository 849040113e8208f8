"use strict";

const button = (text, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
};

// Every picture: buttons and Ctrl + wheel zoom it; "fit" is as wide as the page.
const LEGIBLE = 4;  // a picture this many times wider than the page is a thread when it is made to fit
for (const picture of document.querySelectorAll(".picture")) {
  const drawn = picture.querySelector("svg");
  if (!drawn) continue;
  const natural = drawn.getBoundingClientRect().width || 1;
  const zoom = (by) => {
    const now = drawn.getBoundingClientRect().width;
    picture.classList.remove("fit");
    drawn.setAttribute("width", Math.min(Math.max(by ? now * by : natural, 80), 40000));
    drawn.removeAttribute("height");
  };
  const tools = document.createElement("div");
  tools.className = "tools";
  tools.append(button("−", () => zoom(0.8)), button("+", () => zoom(1.25)), button("1:1", () => zoom(0)),
    button("fit", () => picture.classList.add("fit")));
  picture.before(tools);
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.1 : 0.9);
  }, { passive: false });
}

// What-if sliders: the answer beside each follows it.
for (const slider of document.querySelectorAll("input[data-told]")) {
  const told = slider.dataset.told.split("|");
  slider.addEventListener("input", () => { slider.nextElementSibling.textContent = told[slider.value]; });
}

// Stepping through passes: buttons, arrow keys (passes), 1-5 (views).
for (const steps of document.querySelectorAll("[data-steps]")) {
  const items = [...steps.querySelectorAll("[data-step]")];
  const panels = [...steps.querySelectorAll("[data-panel]")];
  const quiet = steps.querySelector("[data-quiet]");
  const views = ["changes", "before", "after", "diff", "text"];
  let step = 0;
  let view = "changes";

  const reachable = () => items.map((_, i) => i)
    .filter((i) => steps.classList.contains("all") || !items[i].parentElement.classList.contains("unchanged"));

  const show = () => {
    items.forEach((item, i) => item.setAttribute("aria-current", String(i === step)));
    panels.forEach((panel, i) => panel.classList.toggle("shown", i === step));
    for (const tab of steps.querySelectorAll("[data-view]")) {
      tab.setAttribute("aria-selected", String(tab.dataset.view === view));
    }
    for (const part of steps.querySelectorAll("[data-shows]")) {
      part.classList.toggle("shown", part.dataset.shows.split(" ").includes(view));
    }
    for (const picture of steps.querySelectorAll(".picture")) {
      picture.classList.toggle("before", view === "before");
      picture.classList.toggle("after", view === "after");
    }
  };

  const walk = (by) => {
    const open = reachable();
    if (!open.length) return;
    const at = open.indexOf(step);
    step = at < 0 ? open[0] : open[Math.min(Math.max(at + by, 0), open.length - 1)];
    show();
  };

  const bar = document.createElement("div");
  bar.className = "walk";
  bar.append(button("← previous", () => walk(-1)), button("next →", () => walk(1)),
    "keys: ← → passes, 1–5 views; Ctrl + wheel zooms a picture");
  steps.querySelector(".panels").prepend(bar);

  items.forEach((item, i) => item.addEventListener("click", () => { step = i; show(); }));
  for (const tab of steps.querySelectorAll("[data-view]")) {
    tab.addEventListener("click", () => { view = tab.dataset.view; show(); });
  }
  if (quiet) quiet.addEventListener("change", () => steps.classList.toggle("all", quiet.checked));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(input|textarea|select)$/i.test(event.target.tagName)) return;
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      walk(event.key === "ArrowRight" ? 1 : -1);
      event.preventDefault();
    } else if (views[event.key - 1]) {
      view = views[event.key - 1];
      show();
    }
  });

  if (!reachable().length) steps.classList.add("all");
  step = reachable()[0] || 0;
  for (const picture of steps.querySelectorAll(".picture")) {
    if (picture.scrollWidth < LEGIBLE * document.body.clientWidth) picture.classList.add("fit");
  }
  steps.classList.add("live");  // hides all but one panel, so the widths are read before
  show();
}
