// Memory over the length of a text: the state, and what keys and values of every token would take.

const SVG = "http://www.w3.org/2000/svg";
const WIDEST = 640;
const NARROWEST = 260;
const HEIGHT = 226;
const LEFT = 64;
const RIGHT = 16;
const TOP = 46;
const BOTTOM = 36;

export function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

function add(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

export function sizeAt(size, tokens, source) {
  return size.constant_bytes + size.bytes_per_target_token * tokens + size.bytes_per_source_token * source;
}

// Draws into a figure, in place of what it has.
export function drawMemory(figure, model, tokens, source) {
  // Drawn as wide as it is shown, so that its text has the size of the page's.
  const WIDTH = Math.min(WIDEST, Math.max(NARROWEST, figure.clientWidth || WIDEST));
  const longest = Math.max(16, tokens);
  const state = (n) => sizeAt(model.state, n, source);
  const cache = (n) => sizeAt(model.key_value_cache, n, source);
  const highest = Math.max(state(longest), cache(longest), 1);
  const x = (n) => LEFT + (n / longest) * (WIDTH - LEFT - RIGHT);
  const y = (bytes) => HEIGHT - BOTTOM - (bytes / highest) * (HEIGHT - TOP - BOTTOM);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label",
    `After ${tokens} tokens the state takes ${bytesText(state(tokens))}; ` +
    `a key-value cache would take ${bytesText(cache(tokens))}.`);
  for (const part of [0, 0.5, 1]) {
    const at = y(highest * part);
    add(svg, "line", { class: part === 0 ? "axis" : "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at });
    add(svg, "text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, bytesText(highest * part));
  }
  for (const part of [0, 0.5, 1]) {
    add(svg, "text", { x: x(longest * part), y: HEIGHT - 18, "text-anchor": part === 1 ? "end" : "middle" },
      String(Math.round(longest * part)));
  }
  add(svg, "text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 2, "text-anchor": "middle" }, "tokens");
  const series = (name, size) => {
    add(svg, "path", { class: name, d: `M${x(0)},${y(size(0))} L${x(tokens)},${y(size(tokens))}` });
    add(svg, "circle", { class: `${name}-end`, cx: x(tokens), cy: y(size(tokens)), r: 4 });
  };
  series("cache", cache);
  series("state", state);
  add(svg, "line", { class: "state", x1: LEFT, x2: LEFT + 22, y1: 11, y2: 11 });
  add(svg, "text", { x: LEFT + 28, y: 15 }, "this model's state");
  add(svg, "line", { class: "cache", x1: LEFT, x2: LEFT + 22, y1: 27, y2: 27 });
  add(svg, "text", { x: LEFT + 28, y: 31 }, "a key-value cache instead");
  const caption = document.createElement("figcaption");
  caption.textContent = "Memory of this text while it is generated";
  figure.replaceChildren(svg, caption);
}
