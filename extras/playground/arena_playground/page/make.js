/** Builds elements. Text is always shown as text. */

/** @param {string} tag @param {Record<string, any>} [attributes] @param {...any} children @returns {any} */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : String(value));
  node.append(...children.filter((one) => one !== false && one !== undefined && one !== null && one !== ""));
  return node;
}

/** @param {HTMLElement} node @param {...any} children */
export function fill(node, ...children) {
  node.replaceChildren(...children.filter((one) => one !== false && one !== undefined && one !== null && one !== ""));
}

/** @param {string} text @param {() => void} act @param {string} [style] */
export function button(text, act, style) {
  const node = make("button", { type: "button", class: style }, text);
  node.addEventListener("click", act);
  return node;
}
