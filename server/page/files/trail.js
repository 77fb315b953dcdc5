// The way back: what is opened over the conversation is an entry of the browser's history, and its Back closes it.

/** What an entry of the history holds: how many views lie below it, and the provisions that are open in it. */
const NOTHING = { depth: 0, provisions: [] };

/** Return what the entry that is shown holds: {depth, provisions}. */
export function here() {
  return { ...NOTHING, ...history.state };
}

/** Enter one more provision over those that are open. */
export function enter(provision) {
  const { depth, provisions } = here();
  history.pushState({ depth, provisions: [...provisions, provision] }, "");
}

/** Go back one provision, or as many as are open. */
export function leave(all) {
  const { length } = here().provisions;
  if (length) history.go(all ? -length : -1);
}

/** Enter the menu of a phone, an entry of its own over what is open. */
export function enterMenu() {
  history.pushState({ ...here(), menu: true }, "");
}

/** Go back from the entry of the menu, if it is the one that is shown: what was chosen in it may lie over it. */
export function leaveMenu() {
  if (history.state?.menu) history.back();
}

/** Go back from a view (the calculator, a guide) to the conversation below it; where none lies below, to its address. */
export function leaveViews(address) {
  const { depth, provisions } = here();
  if (depth) history.go(-depth - provisions.length);
  else location.hash = address;
}

let last = here().depth;

/** Note of an entry how many views lie below it; to be called whenever the address has changed. */
export function note(isView) {
  const known = typeof history.state?.depth === "number";
  last = known ? history.state.depth : isView ? last + 1 : 0;
  if (!known) history.replaceState({ ...NOTHING, depth: last }, "");
}
