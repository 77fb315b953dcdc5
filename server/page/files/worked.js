// A worked calculation: its sentence, a table of its steps with their provisions, and what goes with it.

import { json, save } from "./api.js";
import { el } from "./dom.js";
import { say } from "./texts.js";

const PATH = "v1/calculations";
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const FILES = {
  calendar: { accept: "text/calendar", name: "plazo.ics" },
  word: { accept: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", name: "calculo.docx" },
};

/** Return the list of calculations. */
export function calculations() {
  return json(PATH);
}

/** Work out a calculation of `{calculation, inputs}`, or what a `{question}` asks for. */
export function workOut(asked) {
  return json(PATH, { method: "POST", body: asked });
}

/**
 * Return a calculation as an element.
 * `open(provision, claim)` shows a provision; `correct(worked)`, if given, takes its inputs back into the form;
 * `canPrint`: the page shows nothing else, and may be printed.
 */
export function workedView(worked, { open, correct, canPrint = false }) {
  const cited = new Map(worked.provisions.map((one) => [one.provision, one]));
  const provision = (name, claim) => {
    const found = cited.get(name);
    if (!found) return null;
    const asked = { ...found, provision_key: found.label, provision: found.label };
    return el("button", { type: "button", class: "plain", onclick: () => open(asked, claim) }, found.cited);
  };
  const lead = worked.text || worked.reason;
  return el("section", { class: "worked", "data-status": worked.status, tabindex: "-1", "aria-label": worked.title || say("calculate") },
    worked.title && el("h3", {}, worked.title),
    el("p", { class: "lead" }, worked.provision ? [lead.replace(/\.$/, ""), " (", provision(worked.provision, lead), ")."] : lead),
    worked.understood && el("p", { class: "hint" }, worked.understood),
    worked.steps.length > 0 && steps(worked, provision),
    worked.missing.length > 0 && [
      el("p", {}, say("missing_data")),
      el("ul", {}, worked.missing.map((one) => el("li", {}, `${one.question} `, el("span", { class: "hint" }, one.why))))],
    worked.notes.length > 0 && el("ul", { class: "notes" }, worked.notes.map((note) => el("li", {}, note))),
    actions(worked, correct, canPrint));
}

function steps(worked, provision) {
  const [step, formula, rule] = [say("table_step"), say("table_formula"), say("table_provision")];
  const rows = worked.steps.map((one) => el("tr", {},
    el("td", { "data-head": step }, one.text),
    el("td", { "data-head": formula }, one.formula),
    el("td", { "data-head": rule }, provision(one.provision, one.text))));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("steps_of", { title: worked.title }) },
    el("table", {},
      el("thead", {}, el("tr", {}, [step, formula, rule].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, rows)));
}

/** Return the button that puts the last day of a result into the calendar; null of one that is no day. */
export function calendarButton(worked) {
  const hasDay = worked.values.some((one) => one.unit === "date" && DAY.test(one.value));
  return worked.status === "result" && hasDay ? fileButton(worked, say("to_calendar"), FILES.calendar, "small") : null;
}

/** Return a button that saves a result as a file, with what has failed told beside it. */
function fileButton({ calculation, inputs }, text, { accept, name }, kind) {
  const told = el("span", { class: "failure", role: "alert", hidden: true });
  const get = async () => {
    told.hidden = true;
    try {
      await save(PATH, name, { method: "POST", body: { calculation, inputs }, accept });
    } catch (error) {
      told.textContent = error.message;
      told.hidden = false;
    }
  };
  return [el("button", { type: "button", class: kind, onclick: get }, text), told];
}

function actions(worked, correct, canPrint) {
  const button = (text, onclick) => el("button", { type: "button", class: "plain", onclick }, text);
  const isResult = worked.status === "result";
  return el("div", { class: "worked-actions" },
    calendarButton(worked),
    isResult && fileButton(worked, say("export_docx"), FILES.word, "plain"),
    isResult && canPrint && button(say("print"), () => print()),
    correct && worked.calculation && button(say("correct_inputs"), () => correct(worked)));
}
