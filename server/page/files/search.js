// The search for provisions and rulings: by what they are called, or by words; a result opens beside the conversation.

import { json } from "./api.js";
import { capital, el } from "./dom.js";
import { say } from "./texts.js";
import { kindOf, validity } from "./turn.js";

const MOST = 20;
/** Share of the best score below which a result is folded away. */
const LEAST = 0.2;
const at = (id) => document.getElementById(id);

/** Set up the dialog; `open(provision)` shows one, `options()` are the day and the territory of the composer. */
export function searchBox({ open, options }) {
  const [dialog, field, told, list] = ["find", "find-words", "find-told", "find-list"].map(at);
  let asked = 0;

  async function search() {
    const words = field.value.trim();
    if (!words) return field.focus();
    const turn = ++asked;
    told.textContent = say("searching");
    list.replaceChildren();
    const { as_of: date, territory } = options();
    const query = new URLSearchParams({ q: words, limit: MOST, ...(date && { date }), ...(territory && { territory }) });
    let found;
    try {
      found = await json(`v1/search?${query}`);
    } catch (error) {
      if (turn === asked) told.textContent = error.message;
      return;
    }
    if (turn !== asked) return;
    const hits = [...new Map(found.hits.toReversed().map((hit) => [`${hit.law_id} ${hit.provision_key}`, hit])).values()].toReversed();
    const near = hits.filter((hit) => hit.score >= LEAST * hits[0].score);
    const rest = hits.slice(near.length);
    const number = near.length === 1 ? say("found_one") : say(near.length ? "found" : "nothing_found", { number: near.length });
    told.textContent = [...found.warnings, number].join(" ");
    const items = (some) => some.map((hit) => el("li", {}, entry(hit)));
    list.replaceChildren(...items(near));
    if (rest.length) list.append(el("li", {}, el("details", {}, el("summary", {}, say("found_less", { number: rest.length })), el("ul", {}, items(rest)))));
  }

  function entry(hit) {
    const kind = kindOf(hit);
    const title = hit.title && hit.title !== hit.provision ? `. ${hit.title}` : "";
    const show = () => {
      dialog.close();
      open(hit);
    };
    return [
      el("button", { type: "button", class: "plain", onclick: show }, `${capital(hit.provision)}${title}`),
      el("p", { class: "facts" },
        el("span", {}, hit.law),
        el("span", { class: `kind ${kind}` }, say(`kind_${kind}`, { document: hit.document })),
        kind !== "own" && validity(hit) && el("span", {}, validity(hit))),
      el("p", { class: "excerpt" }, hit.excerpt),
    ];
  }

  at("search").addEventListener("click", () => {
    dialog.showModal();
    field.select();
  });
  at("find-close").addEventListener("click", () => dialog.close());
  // The dark around a dialog is of the dialog itself.
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  at("find-form").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
}
