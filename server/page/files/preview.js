// The sentence behind a marker, its law and its validity, while a mouse rests on it or the keyboard is at it.
// A finger opens the provision at once: it has no place to rest, and Back closes what it has opened.

import { json } from "./api.js";
import { capital, el } from "./dom.js";
import { passagesOf } from "./passage.js";
import { dayOf, pathOf } from "./provision.js";
import { say, speaking } from "./texts.js";
import { kindOf, validity } from "./turn.js";

const REST = 250;
const LONGEST = 420;
const sources = new WeakMap();
const texts = new Map();
const box = el("div", { class: "preview", id: "preview", role: "tooltip", hidden: true });
let timer = null;
let shown = null;

/** Return a marker that shows a preview of its citation; `claim()` is what it stands behind. */
export function previewed(marker, citation, claim) {
  sources.set(marker, { citation, claim });
  return marker;
}

/** Listen for a mouse and the keyboard on markers. */
export function previews() {
  document.body.append(box);
  document.addEventListener("pointerover", ({ pointerType, target }) => {
    if (pointerType !== "mouse") return;
    const marker = target.closest?.("button.mark");
    if (marker === shown || box.contains(target)) return clearTimeout(timer);
    later(() => (sources.has(marker) ? show(marker) : hide()));
  });
  document.addEventListener("focusin", ({ target }) => {
    if (sources.has(target) && target.matches(":focus-visible")) later(() => show(target));
    else if (shown && target !== shown) hide();
  });
  document.addEventListener("click", hide);
  addEventListener("scroll", hide, { passive: true });
  // Before the page itself is told, which would close the panel.
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !shown) return;
    event.stopPropagation();
    hide();
  }, { capture: true });
}

function later(does) {
  clearTimeout(timer);
  timer = setTimeout(does, REST);
}

function hide() {
  clearTimeout(timer);
  shown?.removeAttribute("aria-describedby");
  shown = null;
  box.hidden = true;
}

async function show(marker) {
  const { citation, claim } = sources.get(marker);
  hide();
  shown = marker;
  const said = claim();
  const text = await textOf(citation);
  // Meanwhile the mouse may have gone on.
  if (shown !== marker || !marker.isConnected) return;
  const language = marker.closest("[lang]")?.lang;
  box.replaceChildren(...speaking(language, () => content(citation, text, said)));
  box.hidden = false;
  marker.setAttribute("aria-describedby", box.id);
  place(marker.getBoundingClientRect());
}

function content(citation, text, claim) {
  const kind = kindOf(citation);
  const title = citation.title && citation.title !== citation.provision ? `. ${citation.title}` : "";
  const passages = passagesOf(text, claim).map(({ start, end }) => text.slice(start, end));
  const quoted = passages.join(" […] ") || text;
  return [
    el("p", { class: "law" }, citation.law),
    el("p", { class: "name" }, `${capital(citation.provision)}${title}`),
    quoted && el("blockquote", {}, quoted.length > LONGEST ? `${quoted.slice(0, LONGEST)} …` : quoted),
    el("p", { class: "facts" },
      el("span", { class: `kind ${kind}` }, say(`kind_${kind}`, { document: citation.document })),
      kind !== "own" && validity(citation) && el("span", {}, validity(citation))),
    citation.wording && el("p", { class: "hint" }, citation.wording),
  ].filter(Boolean);
}

/** Return the text of a cited wording, "" where it cannot be read: then the preview names it alone. */
function textOf(citation) {
  if (!citation.law_id) return "";
  const date = dayOf(citation);
  const path = pathOf(citation, date ? { date } : {});
  if (!texts.has(path)) texts.set(path, json(path).then(({ provision }) => provision.text, () => ""));
  return texts.get(path);
}

/** Put the box below a marker, or above where there is no room, within the screen. */
function place({ left, top, bottom }) {
  const gap = 6;
  const { width, height } = box.getBoundingClientRect();
  const below = bottom + gap + height <= innerHeight || top < height + gap;
  box.style.left = `${Math.max(gap, Math.min(left, innerWidth - width - gap))}px`;
  box.style.top = `${below ? bottom + gap : top - gap - height}px`;
}
