// The conversations of this browser: the server keeps what was said, the browser the names.

const PLACE = "articulado.conversations";
const MAX_KEPT = 50;

/** Return the conversations, the last one first: {id, title, as_of, territory, ratings}. */
export function all() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE));
    return Array.isArray(kept) ? kept.filter((one) => typeof one?.id === "string") : [];
  } catch {
    return [];
  }
}

/** Return one conversation by its id, if this browser knows it. */
export function find(id) {
  return all().find((one) => one.id === id);
}

/** Keep a conversation, first of all; what is given replaces what was kept of it. */
export function keep(id, changes) {
  const others = all().filter((one) => one.id !== id);
  localStorage.setItem(PLACE, JSON.stringify([{ title: "", ...find(id), ...changes, id }, ...others].slice(0, MAX_KEPT)));
}

/** Forget a conversation. */
export function forget(id) {
  localStorage.setItem(PLACE, JSON.stringify(all().filter((one) => one.id !== id)));
}

/** Return the name of a new conversation, which nobody guesses. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
