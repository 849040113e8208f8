"use strict";

const button = (text, act) => {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.addEventListener("click", act);
  return element;
};

// Every picture has zoom buttons and Ctrl + wheel zoom; "fit" scales it to the width of the page. Initially the smallest
// text has 9 pixels, where the natural size has them.
const READABLE = 9;
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
  const sizes = [...drawn.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize));
  const least = READABLE / Math.min(...sizes) * drawn.viewBox.baseVal.width;
  if (Math.min(least, natural) <= picture.clientWidth) picture.classList.add("fit");
  else zoom(Math.min(least / natural, 1));
  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.1 : 0.9);
  }, { passive: false });
}

// What-if sliders: the text next to each shows the result for its value.
for (const slider of document.querySelectorAll("input[data-results]")) {
  const results = slider.dataset.results.split("|");
  slider.addEventListener("input", () => { slider.nextElementSibling.textContent = results[slider.value]; });
}
