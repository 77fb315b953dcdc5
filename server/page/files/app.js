// The page: the composer, the conversation and its options, the calculator and case guides, and the panel beside them.

import { askPatiently, jumpToEnd, questionTools } from "./again.js";
import { json, onKeyNeeded, save, useKey } from "./api.js";
import { Calculator } from "./calculator.js";
import { CaseForm } from "./case.js";
import { grow, options, refusal, setOptions, unfold } from "./composer.js";
import * as conversations from "./conversations.js";
import { OwnDocument } from "./document.js";
import { el } from "./dom.js";
import { History } from "./history.js";
import { onPaper } from "./paper.js";
import { previews } from "./preview.js";
import { Panel } from "./provision.js";
import { searchBox } from "./search.js";
import { shareBox, SHARED, showShared } from "./share.js";
import { day, number, say } from "./texts.js";
import { enterMenu, leaveMenu, leaveViews, note } from "./trail.js";
import { Turn } from "./turn.js";

const CALCULATE = "calculate";
/** The part after "#" of the calculator; a calculation follows a stroke. */
const CASE = "case";
/** The part after "#" of a case guide; conversation, number of the turn, and topic follow strokes. */
const at = (id) => document.getElementById(id);
const field = at("question");
const narrow = matchMedia("(max-width: 60rem)");
const touch = matchMedia("(hover: none) and (pointer: coarse)");
const panel = new Panel(at("panel"), { changed: arrange });
const calculator = new Calculator(at("calculator"), {
  open: (provision, claim) => panel.open(provision, claim),
  go: (kind) => { location.hash = kind ? `${CALCULATE}/${kind}` : CALCULATE; },
  close: () => leaveViews(thread),
  announce,
});
const caseForm = new CaseForm(at("case"), {
  open: (provision, claim) => panel.open(provision, claim),
  close: () => leaveViews(thread),
  announce,
  again: (question) => {
    inPlace(null);
    location.hash = thread;
    send(question);
  },
});

const own = new OwnDocument({
  open: (provision, claim) => panel.open(provision, claim),
  send: (question) => send(question),
  announce,
  show: () => inPlace(null),
});

let thread = "";
let turns = [];
let running = null;
/** Turns that an answer will replace, {from, dropped}: they come back if there is none. */
let replacing = null;
let hasKeys = false;
const past = new History({ current: () => thread, open: choose, leave: () => begin(""), tell });

// Questions

async function send(question) {
  if (running || !question.trim() || refusal()) return;
  unfold(false);
  const isFirst = !turns.length;
  if (!thread) own.through(() => begin(conversations.newId()));
  const turn = add(question.trim());
  field.value = "";
  grow();
  running = new AbortController();
  busy(true);
  let answered = false;
  const [asked, keep] = [thread, replacing?.from];
  conversations.asking(asked, { question: turn.question, after: turns.length - 1, replaces: keep !== undefined });
  try {
    for await (const event of askPatiently(turn.question, { thread_id: asked, ...(keep !== undefined && { keep_turns: keep }), ...options(), ...own.asked() }, running.signal)) {
      turn.take(event);
      answered ||= event.event === "final";
    }
  } catch (error) {
    turn.fail(error.name === "AbortError" ? say("stopped") : error.message, { stopped: error.name === "AbortError" });
  } finally {
    running = null;
    if (turn.result) conversations.change(asked, { pending: undefined });
    else unanswered(turn);
    replacing = null;
    busy(false);
  }
  if (!answered) return;
  // An option that was taken away is not one of the conversation any more.
  const chosen = { as_of: undefined, territory: undefined, ...options() };
  conversations.keep(thread, isFirst ? { title: turn.question, ...chosen } : chosen);
  list();
}

/** Ask in the place of all turns from a number on. */
async function replace(from, question) {
  if (running) return;
  replacing = { from, dropped: turns.splice(from) };
  for (const { element } of replacing.dropped) element.remove();
  await send(question);
  if (!replacing) return;
  // It was not sent at all.
  turns.push(...replacing.dropped);
  at("turns").append(...replacing.dropped.map((one) => one.element));
  replacing = null;
}

/** Take a turn without an answer out of the count, and put back before it what it was to replace. */
function unanswered(turn) {
  const { from, dropped = [] } = replacing || {};
  turns = [...turns.filter((one) => one !== turn), ...dropped];
  turn.element.before(...dropped.map((one) => one.element));
  turn.shown.again = (question) => {
    if (running) return;
    turn.element.remove();
    if (from === undefined) send(question);
    else replace(from, question);
  };
}

/** Show the question that was under way when the page was left, if the server has no answer to it. */
function interrupted({ question, after, replaces }) {
  const last = turns.at(-1)?.question;
  if (turns.length === after + 1 && last === question || !replaces && turns.length > after) {
    return conversations.change(thread, { pending: undefined });
  }
  const turn = add(question);
  turn.fail(say("interrupted"), { stopped: true });
  replacing = replaces ? { from: after } : null;
  unanswered(turn);
  replacing = null;
}

function add(question) {
  const number = turns.length;
  const look = (guide, button) => {
    caseForm.opener = button;
    location.hash = `${CASE}/${thread}/${number}/${guide.topic}`;
  };
  const turn = new Turn(question, { open: (citation, claim) => panel.open(own.served(citation), claim), announce, thread, again: send, correct: (worked) => calculator.fill(worked), look });
  turn.rating = conversations.find(thread)?.ratings?.[number];
  turn.onrated = (rating) => conversations.change(thread, { ratings: { ...conversations.find(thread)?.ratings, [number]: rating } });
  turn.element.querySelector(".asked").after(questionTools(turn, (text) => replace(number, text)));
  turns.push(turn);
  at("turns").append(turn.element);
  at("welcome").hidden = true;
  turn.element.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  return turn;
}

function busy(is) {
  at("send").hidden = is;
  at("stop").hidden = !is;
  at("turns").setAttribute("aria-busy", String(is));
  // On a phone the keyboard would cover the answer.
  if (narrow.matches || touch.matches) field.blur();
  else (is ? at("stop") : field).focus({ preventScroll: true });
}

function announce(text) {
  at("live").textContent = text;
}

// The calculator and case guides

/** Show what the address names: the calculator, a case guide, a conversation, or a new one. */
async function route() {
  const name = decodeURIComponent(location.hash.slice(1));
  const [first, ...rest] = name.split("/");
  note([CALCULATE, CASE].includes(first));
  if (first === CASE) return showGuide(name, ...rest);
  if (first === SHARED) return read(name, rest[0]);
  inPlace(first === CALCULATE ? calculator : null);
  if (first === CALCULATE) return calculator.show(rest.join("/"));
  if (name === thread) return;
  if (name) await resume(name);
  else begin("");
  list();
}

/** Show a guide of a turn; after a reload, its conversation is read first. */
async function showGuide(name, id, number, topic) {
  const { state } = history;
  if (id !== thread) {
    await resume(id);
    list();
  }
  const guide = turns[number]?.result?.guides?.find((one) => one.topic === topic);
  if (!guide || id !== thread) return;
  history.replaceState(state, "", `#${name}`);
  inPlace(caseForm);
  await caseForm.show(guide);
}

/** Make room for the calculator or a guide in the place of the conversation; with neither, show the conversation. */
function inPlace(shown) {
  at("talk").classList.toggle("calculating", Boolean(shown));
  at("calculate").setAttribute("aria-expanded", String(shown === calculator));
  for (const one of [calculator, caseForm]) if (one !== shown) one.hide();
  tell("");
  panel.dismiss();
}

/** Show what somebody shared; it is no conversation of this browser. */
async function read(name, token) {
  running?.abort();
  begin("");
  history.replaceState(null, "", `#${name}`);
  at("talk").classList.add("reading");
  at("welcome").hidden = true;
  try {
    await showShared(token, add);
    at("reading").hidden = false;
  } catch (error) {
    begin("");
    tell(error.message);
  }
  // A question that is asked from here begins a conversation of one's own.
  turns = [];
}

// Conversations

function begin(id) {
  at("talk").classList.remove("reading");
  at("reading").hidden = true;
  inPlace(null);
  thread = id;
  turns = [];
  at("turns").replaceChildren();
  own.forget();
  // The entry of a conversation that the address names already keeps the provisions that are open over it.
  if (decodeURIComponent(location.hash.slice(1)) !== id) history.replaceState(null, "", id ? `#${id}` : location.pathname + location.search);
  at("welcome").hidden = Boolean(id);
}

async function resume(id) {
  running?.abort();
  begin(id);
  setOptions(conversations.find(id));
  try {
    const kept = await json(`conversations/${encodeURIComponent(id)}`);
    if (thread !== id) return;
    for (const result of kept.turns) add(result.question).show(result);
    if (conversations.find(id)?.pending) interrupted(conversations.find(id).pending);
    announce("");
  } catch (error) {
    const pending = conversations.find(id)?.pending;
    if (error.status === 404 && pending && thread === id) return interrupted(pending);
    if (error.status === 404) conversations.forget(id);
    begin("");
    tell(error.message);
    list();
  }
}

function list() {
  past.show();
}

function choose(id) {
  resume(id).then(list);
}

async function exportAs(format) {
  at("export").open = false;
  if (!turns.some((turn) => turn.result)) return tell(say("nothing_to_export"));
  try {
    await save(`conversations/${encodeURIComponent(thread)}/export?format=${format}`, `articulado.${format === "docx" ? "docx" : "md"}`);
  } catch (error) {
    tell(error.message);
  }
}

// The frame

function tell(message) {
  at("banner").textContent = message;
  at("banner").hidden = !message;
}

function arrange(isOpen) {
  at("desk").classList.toggle("with-panel", isOpen);
  document.documentElement.classList.toggle("sheet-open", isOpen);
  // On a phone the provision covers the conversation, which then is out of reach.
  const covers = isOpen && narrow.matches;
  at("talk").inert = covers;
  document.querySelector(".bar").inert = covers;
}

const toolsAreOpen = () => at("menu").getAttribute("aria-expanded") === "true";

/** Open or close the menu of a phone, as Back does; on a wide screen its buttons stand in the bar. */
function openTools(isOpen) {
  if (isOpen === toolsAreOpen()) return;
  at("tools").classList.toggle("open", isOpen);
  at("menu").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) enterMenu();
  else leaveMenu();
}

/** Show what the history has open, after Back and Forward. */
function restore() {
  if (toolsAreOpen()) openTools(false);
  else leaveMenu();
  return panel.restore();
}

function theme(chosen) {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

function switchTheme() {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const chosen = isDark ? "light" : "dark";
  localStorage.setItem("articulado.theme", chosen);
  theme(chosen);
}

function askForKey(wasWrong) {
  const dialog = at("key-dialog");
  at("key-error").hidden = !wasWrong;
  at("key").value = "";
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      if (at("key").value.trim()) useKey(at("key").value.trim());
      resolve();
    }, { once: true });
    if (!dialog.open) dialog.showModal();
  });
}

async function holdings() {
  try {
    const about = await json("v1/about");
    hasKeys = about.keys;
    const laws = say(about.laws === 1 ? "holdings_one" : "holdings", { title: about.title, laws: number(about.laws) });
    at("holdings").textContent = about.index_day ? `${laws} · ${say("index_day", { day: day(about.index_day) })}` : laws;
    at("territories").replaceChildren(...about.territories.map((name) => el("option", { value: name })));
  } catch (error) {
    tell(error.message);
  }
}

at("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  send(field.value);
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    send(field.value);
  }
});
at("stop").addEventListener("click", () => running?.abort());
at("new").addEventListener("click", () => {
  running?.abort();
  begin("");
  setOptions();
  list();
  field.focus();
});
for (const example of document.querySelectorAll("[data-question]")) {
  example.addEventListener("click", () => send(example.textContent));
}
for (const button of document.querySelectorAll("[data-export]")) {
  button.addEventListener("click", () => exportAs(button.dataset.export));
}
at("print").addEventListener("click", () => {
  at("export").open = false;
  print();
});
at("theme").addEventListener("click", switchTheme);
document.addEventListener("keydown", (event) => {
  const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
  if (event.key === "Escape") {
    const menu = document.querySelector(".menu[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (toolsAreOpen()) {
      openTools(false);
      at("menu").focus();
    } else panel.close();
  } else if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    if (at("talk").classList.contains("calculating")) leaveViews(thread);
    inPlace(null);
    field.focus();
  }
});
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  // A button of the menu of a phone does its work, and the menu goes.
  if (event.target !== at("menu") && (!at("tools").contains(event.target) || event.target.closest("button"))) openTools(false);
});
at("menu").addEventListener("click", () => openTools(!toolsAreOpen()));
narrow.addEventListener("change", () => arrange(!at("panel").hidden));
addEventListener("hashchange", () => route().then(() => panel.restore()));
addEventListener("popstate", restore);
at("calculate").addEventListener("click", () => {
  if (at("calculator").hidden) location.hash = CALCULATE;
  else leaveViews(thread);
});

at("reading-own").addEventListener("click", () => at("new").click());
searchBox({ open: (provision) => panel.open(provision, ""), options });
shareBox({ thread: () => thread, turns: () => turns.filter((one) => one.result).length, tell, needsKey: () => hasKeys });
previews();
jumpToEnd(at("composer"));
onPaper(at("talk"), at("desk"), () => conversations.find(thread)?.title);

theme(localStorage.getItem("articulado.theme"));
onKeyNeeded(askForKey);
list();
if (!narrow.matches) field.focus();
// Nobody waits for what the index holds: a question may be asked meanwhile.
await Promise.all([holdings(), location.hash.length > 1 && route().then(() => panel.restore())]);
list();
