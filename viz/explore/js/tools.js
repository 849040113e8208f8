// Elements, events, and what every module needs. User text goes in as text only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// What happens, by name; whoever shows it listens.
const listeners = new Map();
const on = (name, act) => listeners.set(name, [...(listeners.get(name) || []), act]);
const tell = (name, ...what) => (listeners.get(name) || []).forEach((act) => act(...what));

const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const count = (number) => Number(number).toLocaleString("en");
const many = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// One redraw per frame, however often it is asked for.
function once(act) {
  let waiting = 0;
  return () => {
    if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; act(); });
  };
}
