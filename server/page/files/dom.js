// Elements are made of text alone: nothing that a model, a document or a server wrote is ever parsed as HTML.

/**
 * Return an element with attributes and children (elements, strings, or nothing).
 * An attribute that is false, null or undefined is left out; "on…" takes a listener.
 */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Return a link to a page of the web; of an address of another kind, which a file of the operator's has, nothing. */
export function link(url, text, attributes = {}) {
  if (!/^https?:\/\/[^\s<>"]+$/i.test(url || "")) return null;
  return el("a", { ...attributes, href: url, target: "_blank", rel: "noopener noreferrer" }, text);
}

/** Return a text that begins with a capital letter. */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
