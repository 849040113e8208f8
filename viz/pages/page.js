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
  if (natural < LEGIBLE * picture.clientWidth) picture.classList.add("fit");
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
