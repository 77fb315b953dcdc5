// A case guide: a form made from the data that it needs, and its answer below the form.

import { json } from "./api.js";
import { InputField } from "./calculator.js";
import { capital, el } from "./dom.js";
import { say } from "./texts.js";

const MAX_INQUIRY = 4000;
/** Room for all parts of a guide and of its answer: on a page nothing has to be left out. */
const MAX_TOKENS = 6000;
/** Matches the name of a datum ("fecha_despido") in a message of the server, with its quotation marks. */
const NAME = /[«“]?(\p{L}[\p{L}\d]*(?:_[\p{L}\d]+)+)[»”]?/gu;

/** The guide that is shown in the place of the conversation. */
export class CaseForm {
  /** `open(provision, claim)` shows a provision, `close()` the conversation again, `again(question)` asks in it. */
  constructor(element, { open, close, announce, again }) {
    this.element = element;
    this.shown = { open, close, announce, again };
    this.guide = null;
    this.opener = null;
  }

  /** Show a guide, {title, topic, inquiry, collected_data}; the one that was shown last has still what was filled in. */
  async show(guide) {
    this.element.hidden = false;
    scrollTo(0, 0);
    if (guide === this.guide) return this.element.querySelector("h1").focus();
    this.guide = guide;
    const content = el("div", {}, el("p", { class: "hint" }, say("loading")));
    const title = el("h1", { tabindex: "-1" }, guide.title);
    this.element.replaceChildren(
      el("p", { class: "calculator-bar" }, el("button", { type: "button", class: "quiet", onclick: () => this.shown.close() }, say("calculator_close"))),
      title,
      content);
    title.focus();
    let form;
    try {
      form = this.#form(guide, await ask("required-data", guide));
    } catch (error) {
      form = [el("p", { class: "failure", role: "alert" }, error.message)];
      if (this.guide === guide) this.guide = null; // Opened again, it is asked for again.
    }
    content.replaceChildren(...form);
  }

  hide() {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.opener?.focus();
  }

  #form(guide, { required_fields: needed, message }) {
    const fields = [...needed.participant_data, ...needed.plan_data].map((one) => ({ ...one, input: new InputField(one.field, schemaOf(one), guide.collected_data?.[one.field], "case") }));
    if (!fields.length) return [el("p", { class: "failure", role: "alert" }, named(message, fields))];
    const [first, more] = [true, false].map((required) => fields.filter((one) => one.required === required).map((one) => one.input.element));
    const outcome = el("div", { class: "outcome" });
    const form = el("form", { class: "inputs", novalidate: true },
      first,
      more.length > 0 && el("details", { class: "more", open: !first.length }, el("summary", {}, say("calculator_more")), more),
      el("button", { type: "submit", class: "send" }, say("case_send")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (form.ariaBusy === "true") return;
      form.ariaBusy = "true";
      await this.#answer(guide, fields, outcome);
      form.ariaBusy = "false";
    });
    this.shown.announce(say("case_ready", { number: first.length }));
    return [el("p", { class: "intro" }, say("case_how")), message && el("p", { class: "hint" }, named(message, fields)), form, outcome].filter(Boolean);
  }

  async #answer(guide, fields, outcome) {
    for (const { input } of fields) input.tell("");
    const unfinished = fields.find(({ input }) => input.isUnfinished());
    if (unfinished) return unfinished.input.tell(say("not_a_day"), { focus: true });
    const data = fields.map(({ field, input }) => [field, input.value]).filter(([, value]) => value !== undefined);
    this.shown.announce(say("case_working"));
    let answer;
    try {
      answer = await ask("respond", guide, { collected_data: Object.fromEntries(data), max_tokens: MAX_TOKENS });
    } catch (error) {
      outcome.replaceChildren(el("p", { class: "failure", role: "alert" }, error.message));
      return;
    }
    const wrong = tell(answer.metadata, fields);
    outcome.replaceChildren(this.#view(answer, fields));
    if (wrong) wrong.input.focus();
    else outcome.firstChild.focus();
    this.shown.announce([say(`decision_${answer.decision}`), named(answer.message, fields)].filter(Boolean).join(". "));
  }

  #view({ decision, message, response, warnings, sources, metadata }, fields) {
    const list = (notes) => notes.length > 0 && el("ul", { class: "warnings" }, notes.map((note) => el("li", {}, named(note, fields))));
    return el("section", { class: "worked case-answer", "data-status": decision, tabindex: "-1", "aria-label": say("case_answer") },
      el("p", { class: "lead" }, say(`decision_${decision}`)),
      message && el("p", {}, named(message, fields)),
      response.sections.map((one) => el("section", {},
        el("h2", {}, one.topic),
        one.answer_components.map((text) => el("p", {}, text)),
        one.steps.length > 0 && el("ol", {}, one.steps.map((step) => el("li", {}, step))),
        list(one.warnings))),
      list(warnings),
      this.#sources(sources),
      el("div", { class: "worked-actions" },
        el("button", { type: "button", class: "plain", onclick: () => this.shown.again(metadata.question.slice(0, MAX_INQUIRY)) }, say("case_ask")),
        el("button", { type: "button", class: "plain", onclick: () => print() }, say("print"))));
  }

  /** The provisions that the guide rests on, each once, by law. */
  #sources(sources) {
    const cited = new Map(sources.flatMap((one) => one.cited).map((one) => [`${one.law_id}#${one.provision}`, one]));
    if (!cited.size) return null;
    const button = (one) => el("button", { type: "button", class: "plain", onclick: () => this.shown.open({ ...one, provision_key: one.provision }, "") }, one.provision);
    const laws = [...Map.groupBy(cited.values(), (one) => one.law)];
    return el("section", {},
      el("h2", {}, say("sources")),
      el("ul", {}, laws.map(([law, provisions]) => el("li", {}, `${law}: `, provisions.flatMap((one, at) => [at ? ", " : null, button(one)])))));
  }
}

function ask(path, { inquiry, topic }, more = {}) {
  return json(`v1/case/${path}`, { method: "POST", body: { inquiry: inquiry.slice(0, MAX_INQUIRY), fields: { topic }, ...more } });
}

/** Write beside its field what is missing or cannot be read; return the first such field. */
function tell({ missing_data: missing, rejected_data: rejected, conflicting_data: conflicting }, fields) {
  const problems = new Map([
    ...conflicting.map((name) => [name, () => say("case_conflict")]),
    ...missing.map((name) => [name, ({ why_needed: why }) => say("input_needed", { why })]),
    ...rejected.map((one) => [one.field, () => say("case_rejected", one)]),
  ]);
  const wrong = fields.filter((one) => problems.has(one.field));
  for (const one of wrong) one.input.tell(problems.get(one.field)(one));
  return wrong[0];
}

/** Return a message in which data have their descriptions in place of their names. */
function named(message, fields) {
  const titles = new Map(fields.map((one) => [one.field, `«${one.description}»`]));
  return message.replace(NAME, (written, name) => titles.get(name) ?? written);
}

/** Return the schema of a datum, as the calculator has it; numbers are sent as written, and read by the server. */
function schemaOf({ description, why_needed: why, data_type: type, values, accepts }) {
  const hint = [why, accepts && say("case_accepts", { accepts })].filter(Boolean).join(". ");
  const schema = { title: description, description: hint, type: "string" };
  if (type === "boolean") return { ...schema, type };
  if (values) return { ...schema, oneOf: values.map((value) => ({ const: value, title: capital(value) })) };
  // A day that may also be given in other words ("five years ago") has no use for a calendar.
  if (type === "date" && !accepts) return { ...schema, format: "date" };
  return { ...schema, inputmode: type === "number" || type === "currency" ? "decimal" : null };
}
