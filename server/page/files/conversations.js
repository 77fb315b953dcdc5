// The conversations of this browser: the server keeps what was said, the browser the names.

const PLACE = "articulado.conversations";
const MAX_KEPT = 500;
const MAX_ASKED = 30;

/**
 * Return the conversations, the last one first: {id, title, used, asked, as_of, territory, ratings, pending, deleted}.
 * `used` is the moment of the last question (ms), `asked` are its questions, `pending` is one without an answer.
 */
function kept() {
  try {
    const all = JSON.parse(localStorage.getItem(PLACE));
    return Array.isArray(all) ? all.filter((one) => typeof one?.id === "string") : [];
  } catch {
    return [];
  }
}

function store(list) {
  localStorage.setItem(PLACE, JSON.stringify(list.slice(0, MAX_KEPT)));
}

/** Return the conversations that are not deleted, the last one first. */
export function all() {
  return kept().filter((one) => !one.deleted);
}

/** Return the ids of those that are deleted here and perhaps still on the server: until then they can come back. */
export function deleted() {
  return kept().filter((one) => one.deleted).map((one) => one.id);
}

/** Return one conversation by its id, if this browser knows it. */
export function find(id) {
  return kept().find((one) => one.id === id);
}

/** Keep a conversation, first of all; what is given replaces what was kept of it. */
export function keep(id, changes) {
  store([{ title: "", ...find(id), ...changes, id, used: Date.now() }, ...kept().filter((one) => one.id !== id)]);
}

/** Change what is kept of a conversation, which stays in its place. */
export function change(id, changes) {
  store(kept().map((one) => (one.id === id ? { ...one, ...changes } : one)));
}

/** Keep a question that has no answer yet: {question, after, replaces}, after so many turns, in place of the others. */
export function asking(id, pending) {
  const { title, asked = [] } = find(id) || {};
  keep(id, { title: title || pending.question, asked: [...asked, pending.question].slice(-MAX_ASKED), pending });
}

/** Forget a conversation. */
export function forget(id) {
  store(kept().filter((one) => one.id !== id));
}

/** Return the name of a new conversation, which nobody guesses. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
