// Links to a read-only copy of a conversation: made on purpose, listed, withdrawn; and the view of such a copy.

import { json, request } from "./api.js";
import { el } from "./dom.js";
import { day, say } from "./texts.js";
import { toClipboard } from "./turn.js";

/** The part of the address before the token of a link. */
export const SHARED = "shared";
const at = (id) => document.getElementById(id);

/** Set up the dialog; `thread()` is the conversation that is shown, `turns()` the number of its answers. */
export function shareBox({ thread, turns, tell, needsKey }) {
  const dialog = at("share");
  const path = () => `conversations/${encodeURIComponent(thread())}/shares`;
  const told = (text) => { at("share-told").textContent = text; };

  async function attempt(does) {
    try {
      await does();
    } catch (error) {
      told(error.message);
    }
  }

  async function list() {
    const { shares } = await json(path());
    at("share-list").replaceChildren(...shares.map(entry));
  }

  function entry({ token, turns: number, shared }) {
    const address = `${location.origin}${location.pathname}#${SHARED}/${token}`;
    const copy = async () => told(say((await toClipboard(address)) ? "link_copied" : "not_copied"));
    const withdraw = () => attempt(async () => {
      await request(`${path()}/${token}`, { method: "DELETE" });
      told(say("link_withdrawn"));
      await list();
    });
    const label = number === 1 ? say("link_one", { day: day(shared.slice(0, 10)) }) : say("link_of", { number, day: day(shared.slice(0, 10)) });
    return el("li", {},
      el("label", {}, label, el("input", { type: "text", readonly: true, value: address, onfocus: (event) => event.target.select() })),
      el("span", { class: "share-actions" },
        el("button", { type: "button", class: "small", onclick: copy }, say("link_copy")),
        el("button", { type: "button", class: "small withdraw", onclick: withdraw }, say("link_withdraw"))));
  }

  const make = (query) => attempt(async () => {
    const { token } = await json(`${path()}${query}`, { method: "POST" });
    await list();
    const made = [...at("share-list").querySelectorAll("input")].find((one) => one.value.endsWith(token));
    told(say((await toClipboard(made.value)) ? "link_made_copied" : "link_made"));
  });

  at("share-open").addEventListener("click", () => {
    at("export").open = false;
    if (!turns()) return tell(say("nothing_to_share"));
    told("");
    at("share-key").hidden = !needsKey();
    at("share-last").hidden = turns() < 2;
    dialog.showModal();
    attempt(list);
  });
  at("share-all").addEventListener("click", () => make(""));
  at("share-last").addEventListener("click", () => make(`?turn=${turns()}`));
  at("share-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
}

/** Read what somebody shared, and show it by `add(question).show(result)`, under a line that says what it is. */
export async function showShared(token, add) {
  const { content, shared } = await json(`shared/${encodeURIComponent(token)}`);
  for (const result of content) add(result.question).show(result);
  at("reading-text").textContent = say("reading", { day: day(shared.slice(0, 10)) });
}
