// Helpers of all files: elements, events, numbers as text. The user's text is inserted as text only, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// Ends the listeners of this page's parts that outlive them, when another page takes their place.
const life = new AbortController();

const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Events by name, and their listeners.
const listeners = new Map();
const on = (name, act) => listeners.set(name, [...(listeners.get(name) || []), act]);
const emit = (name, ...values) => (listeners.get(name) || []).forEach((act) => act(...values));

const clip = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 1)}…` : text);
const count = (number) => String(Math.round(number * 1e3) / 1e3).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ",");
const plural = (number, singular, several = `${singular}s`) => `${count(number)} ${number === 1 ? singular : several}`;
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// Calls `act` at most once per animation frame, however many requests there are.
function oncePerFrame(act) {
  let request = 0;
  return () => {
    if (!request) request = requestAnimationFrame(() => { request = 0; act(); });
  };
}
