// The conversation on paper: when it was printed and from what, the open provision behind it, and what it is not.

import { el } from "./dom.js";
import { day, say, today } from "./texts.js";

/** Add the head and the foot that only paper shows; `named()` is the name of the conversation. */
export function onPaper(talk, desk, named) {
  const head = el("header", { class: "paper" });
  const foot = el("p", { class: "paper" }, say("notice"));
  talk.prepend(head);
  desk.append(foot);
  const write = () => head.replaceChildren(
    el("p", { class: "wordmark" }, "articulado"),
    el("p", {}, document.getElementById("holdings").textContent),
    named() ? el("p", {}, el("strong", {}, named())) : "",
    el("p", {}, say("printed", { day: day(today()) })));
  addEventListener("beforeprint", write);
  matchMedia("print").addEventListener("change", (event) => event.matches && write());
  write();
}
