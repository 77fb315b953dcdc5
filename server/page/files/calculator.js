// The calculator: a list of calculations, a form made from the schema of each, and the result below it.

import { capital, el } from "./dom.js";
import { say } from "./texts.js";
import { calculations, workedView, workOut } from "./worked.js";

/** The calculator; what it shows is chosen by `show`. */
export class Calculator {
  /** `open(provision, claim)` shows a provision, `go(kind)` shows a calculation, or the list without one. */
  constructor(element, { open, go, close, announce }) {
    this.element = element;
    this.shown = { open, go, close, announce };
    this.list = null;
    this.given = null;
  }

  /** Show a calculation, or the list; a form starts with the inputs that `fill` has been given. */
  async show(kind) {
    this.element.hidden = false;
    this.kind = kind;
    try {
      this.list ??= await calculations();
    } catch (error) {
      this.element.replaceChildren(this.#bar(), el("p", { class: "failure", role: "alert" }, error.message));
      return;
    }
    if (this.kind !== kind || this.element.hidden) return; // Meanwhile the reader may have gone on.
    const chosen = this.list.find((one) => one.calculation === kind);
    const given = this.given?.calculation === kind ? this.given : null;
    this.given = null;
    this.element.replaceChildren(...(chosen ? this.#form(chosen, given) : this.#choice()));
    this.element.querySelector("h1").focus();
    scrollTo(0, 0);
  }

  hide() {
    this.element.hidden = true;
  }

  /** Start the form of the next calculation with the inputs of a worked one, and its outcome below it. */
  fill(worked) {
    this.given = worked;
    this.shown.go(worked.calculation);
  }

  #bar(back) {
    return el("p", { class: "calculator-bar" },
      back && el("button", { type: "button", class: "quiet", onclick: () => this.shown.go("") }, say("calculator_back")),
      el("button", { type: "button", class: "quiet", onclick: () => this.shown.close() }, say("calculator_close")));
  }

  // The list

  #choice() {
    const groups = Map.groupBy(this.list, (one) => one.group);
    const sections = [...groups].map(([title, members]) => el("section", {},
      el("h2", {}, title),
      el("ul", {}, members.map((one) => el("li", { "data-words": fold(`${one.title} ${one.provision} ${title}`) },
        el("button", { type: "button", class: "plain", onclick: () => this.shown.go(one.calculation) }, one.title),
        " ", el("span", { class: "hint" }, capital(one.provision)))))));
    const none = el("p", { class: "hint", hidden: true }, say("calculator_none"));
    const search = el("input", { type: "search", autocomplete: "off", maxlength: "100" });
    search.addEventListener("input", () => {
      const words = fold(search.value).split(/\s+/).filter(Boolean);
      for (const section of sections) {
        for (const item of section.querySelectorAll("li")) item.hidden = !words.every((word) => item.dataset.words.includes(word));
        section.hidden = !section.querySelector("li:not([hidden])");
      }
      none.hidden = sections.some((section) => !section.hidden);
    });
    return [
      this.#bar(false),
      el("h1", { tabindex: "-1" }, say("calculate")),
      el("p", { class: "intro" }, say("calculator_how")),
      this.#reader(),
      el("p", { class: "search" }, el("label", {}, say("calculator_search"), " ", search)),
      none,
      el("div", { class: "groups" }, sections),
    ];
  }

  /** A question in words: what is read off it fills in the form. */
  #reader() {
    const field = el("textarea", { name: "question", rows: "2", maxlength: "4000", id: "calculator-question" });
    const told = el("p", { class: "error", role: "alert", hidden: true });
    const form = el("form", { class: "reader" },
      el("label", { for: "calculator-question" }, say("calculator_ask")), field, told,
      el("button", { type: "submit", class: "small" }, say("calculator_read")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!field.value.trim()) return field.focus();
      told.hidden = true;
      try {
        const worked = await workOut({ question: field.value });
        if (worked.calculation) return this.fill(worked);
        told.textContent = worked.reason;
      } catch (error) {
        told.textContent = error.message;
      }
      told.hidden = false;
    });
    return form;
  }

  // The form of one calculation

  #form(chosen, given) {
    const names = Object.keys(chosen.inputs).filter((name) => !isTable(chosen.inputs[name]));
    const fields = new Map(names.map((name) => [name, new InputField(name, chosen.inputs[name], given?.inputs[name])]));
    const first = names.filter((name) => chosen.first.includes(name) || given?.inputs[name] !== undefined);
    const shown = first.length ? first : names.slice(0, 4);
    const rest = names.filter((name) => !shown.includes(name));
    const outcome = el("div", { class: "outcome" });
    const elements = (some) => some.map((name) => fields.get(name).element);
    const form = el("form", { class: "inputs", novalidate: true },
      elements(shown),
      rest.length > 0 && el("details", { class: "more" }, el("summary", {}, say("calculator_more")), elements(rest)),
      el("button", { type: "submit", class: "send" }, say("calculate")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#workOut(chosen, fields, outcome);
    });
    if (given) this.#tell(given, fields, outcome);
    return [
      this.#bar(true),
      el("h1", { tabindex: "-1" }, chosen.title),
      el("p", { class: "hint" }, capital(chosen.provision)),
      form,
      outcome,
    ];
  }

  async #workOut(chosen, fields, outcome) {
    for (const field of fields.values()) field.tell("");
    const wrong = [...fields.values()].find((field) => field.isUnfinished());
    if (wrong) return wrong.tell(say("not_a_day"), { focus: true });
    const inputs = {};
    for (const [name, field] of fields) if (field.value !== undefined) inputs[name] = field.value;
    let worked;
    try {
      worked = await workOut({ calculation: chosen.calculation, inputs });
    } catch (error) {
      outcome.replaceChildren(el("p", { class: "failure", role: "alert" }, error.message));
      return;
    }
    const wanted = this.#tell(worked, fields, outcome);
    if (wanted) wanted.focus();
    else outcome.querySelector(".worked").focus();
    this.shown.announce(worked.text || worked.reason);
  }

  /** Show an outcome, and beside its field what is missing or cannot be read; return the first such field. */
  #tell(worked, fields, outcome) {
    const { open } = this.shown;
    const told = [];
    const beside = (name, message) => {
      fields.get(name)?.tell(message);
      if (fields.has(name)) told.push(fields.get(name));
    };
    if (worked.field) beside(worked.field, worked.reason);
    for (const one of worked.missing) beside(one.field, say("input_needed", { why: one.why }));
    const isBeside = worked.field && told.length;
    outcome.replaceChildren(...(isBeside ? [] : [workedView(worked, { open, canPrint: true })]));
    return told[0];
  }
}

/** A field of a form, made from its schema. `value` is undefined where nothing is given; `form` begins its id. */
export class InputField {
  constructor(name, schema, given, form = "input") {
    this.schema = schema;
    this.id = `${form}-${name}`;
    this.error = el("p", { class: "error", id: `${this.id}-error`, hidden: true });
    const hint = el("p", { class: "hint", id: `${this.id}-hint` }, schema.description);
    const described = { "aria-describedby": `${this.id}-hint ${this.id}-error` };
    const kind = kindOf(schema);
    const isGroup = kind === "boolean" || kind === "days";
    this.read = this[`_${kind}`](described, given);
    const title = schema["x-unit"] === "EUR" ? `${schema.title} (€)` : schema.title;
    this.element = isGroup
      ? el("fieldset", { class: "input", ...described }, el("legend", {}, title), hint, this.control, this.error)
      : el("div", { class: "input" }, el("label", { for: this.id }, title), hint, this.control, this.error);
  }

  get value() {
    return this.read();
  }

  /** Whether a day was begun and is none. */
  isUnfinished() {
    return [...this.element.querySelectorAll("input[type=date]")].some((input) => input.validity.badInput);
  }

  /** Write an error beside the field, or take it away. */
  tell(message, { focus = false } = {}) {
    this.error.textContent = message;
    this.error.hidden = !message;
    for (const control of this.element.querySelectorAll("input:not([type=radio]), select")) {
      if (message) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
    const folded = this.element.closest("details");
    if (message && folded) folded.open = true;
    if (focus) this.focus();
  }

  focus() {
    this.element.querySelector("input, select").focus();
  }

  _text(described, given) {
    this.control = el("input", { type: "text", inputmode: this.schema.inputmode, id: this.id, value: given ?? "", maxlength: "200", autocomplete: "off", ...described });
    return () => this.control.value.trim() || undefined;
  }

  _number(described, given) {
    const mode = this.schema.type === "integer" ? "numeric" : "decimal";
    const shown = String(given ?? "").replace(/^(-?\d+)\.(\d+)$/, "$1,$2");
    this.control = el("input", { type: "text", inputmode: mode, id: this.id, value: shown, maxlength: "40", autocomplete: "off", ...described });
    return () => (this.control.value.trim() ? plainNumber(this.control.value) : undefined);
  }

  _date(described, given) {
    this.control = el("input", { type: "date", id: this.id, value: given ?? "", min: "1900-01-01", max: "2100-12-31", ...described });
    return () => this.control.value || undefined;
  }

  _choice(described, given) {
    const option = (value, text) => el("option", { value, selected: value === (given ?? "") }, text);
    const options = this.schema.oneOf.map((one) => option(one.const, capital(one.title)));
    this.control = el("select", { id: this.id, ...described }, option("", say("calculator_unknown")), options);
    return () => this.control.value || undefined;
  }

  _boolean(described, given) {
    const known = given === undefined ? "" : String(given);
    const radio = (value, text) => el("label", {}, el("input", { type: "radio", name: this.id, value, checked: value === known }), " ", text);
    this.control = el("span", { class: "radios" }, radio("true", say("yes")), radio("false", say("no")), radio("", say("calculator_unknown")));
    return () => ({ true: true, false: false })[this.control.querySelector(":checked")?.value];
  }

  _days(described, given) {
    const input = (value) => el("input", { type: "date", value, min: "1900-01-01", max: "2100-12-31", "aria-label": this.schema.title });
    const days = el("span", { class: "days" }, [given ?? []].flat().map(input), input(""));
    const add = el("button", { type: "button", class: "small" }, say("add_day"));
    add.addEventListener("click", () => {
      days.append(input(""));
      days.lastChild.focus();
    });
    this.control = el("div", {}, days, " ", add);
    return () => {
      const values = [...days.children].map((one) => one.value).filter(Boolean);
      return values.length ? values : undefined;
    };
  }
}

function isTable(schema) {
  return schema.type === "array" && schema.items.type === "object";
}

function kindOf(schema) {
  if (schema.type === "array") return "days";
  if (schema.oneOf) return "choice";
  if (schema.format === "date") return "date";
  if (schema.type === "boolean") return "boolean";
  return schema.type === "string" ? "text" : "number";
}

/** Return a number as JSON has it: of "36.500,50 €" the point parts thousands, and the comma is that of the decimals. */
export function plainNumber(text) {
  const digits = text.replace(/[\s€%]/g, "");
  if (/^[1-9]\d{0,2}(\.\d{3})+(,\d+)?$/.test(digits)) return digits.replaceAll(".", "").replace(",", ".");
  return /^\d+,\d+$/.test(digits) ? digits.replace(",", ".") : text.trim();
}

function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
}
