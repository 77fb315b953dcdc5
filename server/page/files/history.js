// The conversations that this browser knows: by day, searched, renamed, deleted, and brought back.

import { request } from "./api.js";
import * as conversations from "./conversations.js";
import { el } from "./dom.js";
import { say } from "./texts.js";

const UNDO = 12_000;
const DAY = 86_400_000;
const at = (id) => document.getElementById(id);

/** The list of conversations in the menu, and the line that takes a deletion back. */
export class History {
  /** `current()` is the id of the conversation that is shown; `open(id)` shows one, `leave()` none; `tell(text)` says what failed. */
  constructor({ current, open, leave, tell }) {
    Object.assign(this, { current, open, leave, tell });
    this.search = at("kept-search");
    this.list = at("kept-list");
    this.search.addEventListener("input", () => this.show());
    at("kept-clear").addEventListener("click", () => this.#remove(conversations.all()));
    at("undo-button").addEventListener("click", () => this.#restore());
    at("undo-close").addEventListener("click", () => this.#purge());
    at("kept").addEventListener("keydown", (event) => this.#step(event));
    // What is done in the list, and what brings it back, leaves it open.
    for (const one of [at("kept").querySelector(".sheet"), at("undo")]) one.addEventListener("click", (event) => event.stopPropagation());
    at("kept").addEventListener("toggle", () => {
      if (!at("kept").open) return;
      this.search.value = "";
      this.show();
    });
    // What was deleted when the page was left can be brought back as well.
    this.#offer();
  }

  /** Show the conversations that the search finds. */
  show() {
    const known = conversations.all();
    const sought = fold(this.search.value).split(/\s+/).filter(Boolean);
    const found = known.filter(({ title, asked = [] }) => sought.every((word) => fold([title, ...asked].join("\n")).includes(word)));
    at("kept-none").textContent = say(known.length ? "nothing_found" : "no_conversations");
    at("kept-none").hidden = found.length > 0;
    this.search.hidden = known.length < 2;
    at("kept-clear").hidden = !known.length;
    const groups = grouped(found);
    this.list.replaceChildren(...[...groups].map(([group, items]) => el("section", {},
      el("h3", {}, say(`group_${group}`)),
      el("ul", {}, items.map((one) => this.#item(one))))));
  }

  #item({ id, title }) {
    const name = title || id;
    return el("li", {},
      el("button", { type: "button", class: "plain open", "aria-current": id === this.current() ? "true" : null, onclick: () => this.#choose(id) }, name),
      el("button", { type: "button", class: "plain rename", "aria-label": say("rename", { title: name }), onclick: (event) => this.#rename(event.target.parentElement, id, name) }, say("rename_short")),
      el("button", { type: "button", class: "plain remove", "aria-label": say("remove", { title: name }), onclick: () => this.#remove([{ id }]) }, say("remove_short")));
  }

  #choose(id) {
    this.open(id);
    // A click outside closes the menu, and on a phone the one that it stands in: after its entry has become the conversation.
    document.body.click();
  }

  #rename(item, id, title) {
    const field = el("input", { type: "text", maxlength: 200, "aria-label": say("new_name") });
    const done = () => {
      this.show();
      this.list.querySelector(`[aria-label="${CSS.escape(say("rename", { title: conversations.find(id)?.title || id }))}"]`)?.focus();
    };
    const form = el("form", { class: "renaming" }, field,
      el("button", { type: "submit", class: "small" }, say("save")),
      el("button", { type: "button", class: "small", onclick: done }, say("cancel")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (field.value.trim()) conversations.change(id, { title: field.value.trim() });
      done();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      done();
    });
    field.value = title;
    item.replaceChildren(form);
    field.select();
  }

  /** Hide conversations; the server deletes them when they can no longer be brought back. */
  #remove(list) {
    for (const { id } of list) conversations.change(id, { deleted: Date.now() });
    this.shownBefore = list.some(({ id }) => id === this.current()) ? this.current() : this.shownBefore;
    if (this.shownBefore && this.shownBefore === this.current()) this.leave();
    this.show();
    this.#offer();
    if (at("kept").open) (this.search.hidden ? at("kept").querySelector("summary") : this.search).focus();
  }

  #offer() {
    const gone = conversations.deleted();
    clearTimeout(this.timer);
    at("undo").hidden = !gone.length;
    if (!gone.length) return;
    at("undo-text").textContent = gone.length === 1 ? say("removed_one") : say("removed", { number: gone.length });
    this.timer = setTimeout(() => (at("undo").matches(":hover, :focus-within") ? this.#offer() : this.#purge()), UNDO);
  }

  #restore() {
    for (const id of conversations.deleted()) conversations.change(id, { deleted: undefined });
    this.#offer();
    this.show();
    if (this.shownBefore && !this.current()) this.open(this.shownBefore);
    this.shownBefore = null;
    at("kept").querySelector("summary").focus();
  }

  /** Delete on the server; what it does not delete now is offered and tried again with the next visit. */
  async #purge() {
    clearTimeout(this.timer);
    at("undo").hidden = true;
    for (const id of conversations.deleted()) {
      try {
        await request(`conversations/${encodeURIComponent(id)}`, { method: "DELETE" });
      } catch (error) {
        if (error.status !== 404) return this.tell(say("not_removed", { reason: error.message }));
      }
      conversations.forget(id);
    }
    this.show();
  }

  #step(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...this.list.querySelectorAll(".open")];
    const place = items.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    if (event.target.closest(".renaming") || !items.length) return;
    event.preventDefault();
    (place < 0 ? this.search : items[Math.min(place, items.length - 1)]).focus();
  }
}

function groupOf({ used = 0 }) {
  const days = Math.round((midnight(Date.now()) - midnight(used)) / DAY);
  return days <= 0 ? "today" : days === 1 ? "yesterday" : days < 7 ? "week" : days < 30 ? "month" : "older";
}

function grouped(list) {
  const groups = new Map();
  for (const one of list) groups.set(groupOf(one), [...(groups.get(groupOf(one)) || []), one]);
  return groups;
}

function midnight(moment) {
  return new Date(moment).setHours(0, 0, 0, 0);
}

function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
