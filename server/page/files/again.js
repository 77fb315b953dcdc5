// A question asked once more: copied, in other words, for another answer, or as one of those that may come next.

import { ask, Failure } from "./api.js";
import { el } from "./dom.js";
import { say } from "./texts.js";
import { toClipboard } from "./turn.js";

const BUSY = "ConversationBusy";
const TRIES = 8;
const PAUSE = 750;

/** Yield the events of an answer; where the last question of the conversation is still being ended, wait for it. */
export async function* askPatiently(question, options, signal) {
  for (let tries = 1; ; tries += 1) {
    try {
      return yield* ask(question, options, signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== BUSY || tries === TRIES) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    signal.throwIfAborted();
  }
}

/** Return the buttons below a question; `replace(question)` asks another one, or the same, in its place. */
export function questionTools(turn, replace) {
  const told = el("span", { class: "done", role: "status" });
  const copy = async () => {
    told.textContent = say((await toClipboard(turn.question)) ? "question_copied" : "not_copied");
  };
  const tools = el("div", { class: "asked-tools" },
    el("button", { type: "button", class: "plain copy", "aria-label": say("question_copy"), onclick: copy }, say("copy_short")),
    el("button", { type: "button", class: "plain edit", "aria-label": say("question_edit"), onclick: () => edit(turn, tools, replace) }, say("edit_short")),
    el("button", { type: "button", class: "plain anew", onclick: () => replace(turn.question) }, say("answer_anew")),
    told);
  return tools;
}

/** Put a form in the place of a question; Enter sends it, Escape leaves the question as it was. */
function edit(turn, tools, replace) {
  const asked = turn.element.querySelector(".asked");
  const field = el("textarea", { rows: 3, maxlength: 4000, "aria-label": say("question_edit"), "aria-describedby": "edit-hint" });
  const form = el("form", { class: "edit-question" },
    field,
    el("p", { class: "hint", id: "edit-hint" }, say("edit_hint")),
    el("button", { type: "submit", class: "send" }, say("send")),
    el("button", { type: "button", class: "small", onclick: () => leave() }, say("cancel")));
  const leave = () => {
    form.replaceWith(asked);
    tools.hidden = false;
    tools.querySelector(".edit").focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const question = field.value.trim();
    leave();
    if (question) replace(question);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      leave();
    } else if (event.key === "Enter" && event.target === field && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  field.value = turn.question;
  asked.replaceWith(form);
  tools.hidden = true;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Return the questions that may come next, each of which another answer card answers. */
export function suggestions({ suggestions: next = [] }, again) {
  if (!next.length) return null;
  const items = next.map(({ question }) => el("li", {}, el("button", { type: "button", class: "suggestion", onclick: () => again(question) }, question)));
  return el("section", { class: "suggestions" }, el("h3", {}, say("next_questions")), el("ul", {}, items));
}

/** Add the button that goes to the end of a conversation; it is there while the end is more than a screen away. */
export function jumpToEnd(composer) {
  const root = document.documentElement;
  const go = () => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top: root.scrollHeight, behavior: calm ? "auto" : "smooth" });
  };
  const button = el("button", { type: "button", class: "to-end", hidden: true, "aria-label": say("to_end"), title: say("to_end"), onclick: go }, el("span", { "aria-hidden": "true" }, "↓"));
  const look = () => { button.hidden = root.scrollHeight - scrollY - innerHeight < innerHeight / 2; };
  addEventListener("scroll", look, { passive: true });
  addEventListener("resize", look);
  new ResizeObserver(look).observe(document.body);
  composer.append(button);
}
