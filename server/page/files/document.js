// A document of the reader: what became of its file, the check of its citations, and questions with it.

import { json } from "./api.js";
import { capital, el } from "./dom.js";
import { day, number, say } from "./texts.js";

/** The formats that the server reads, by extension. */
const FORMATS = ["pdf", "docx", "odt", "xlsx", "html", "htm", "md", "txt"];
const PICTURES = ["jpg", "jpeg", "png", "heic", "webp", "gif", "tif", "tiff", "bmp"];
/** The largest file in bytes: in base64, which is a third longer, it is as much as the server takes. */
const LARGEST = 4_400_000;
const at = (id) => document.getElementById(id);

/** The document of the conversation; the server keeps nothing of it, and this tab only as long as it is shown. */
export class OwnDocument {
  /**
   * `open(provision, claim)` shows a provision, `send(question)` asks, `announce(text)` tells who cannot see,
   * `show()` makes the conversation visible.
   */
  constructor({ open, send, announce, show }) {
    this.shown = { open, send, announce, show };
    this.card = null;
    this.reading = null;
    this.isAsked = false;
    this.holding = false;
    this.chip = el("p", { class: "attached", hidden: true });
    at("composer").prepend(this.chip);
    this.input = el("input", { type: "file", id: "document-file", class: "visually-hidden", tabindex: "-1", "aria-label": say("document_choose"), accept: FORMATS.map((one) => `.${one}`).join(",") });
    this.input.addEventListener("change", () => {
      this.#bring([...this.input.files]);
      this.input.value = "";
    });
    at("talk").append(this.input);
    for (const button of document.querySelectorAll("[data-document]")) button.addEventListener("click", () => this.input.click());
    this.#listen();
  }

  /** What a question is sent with: the text of the document, if it is asked about. */
  asked() {
    return this.isAsked ? { document: this.reading.document } : {};
  }

  /** Return what is cited with its text, if it is a passage of a document: the server cannot show it. */
  served(citation) {
    const [kind, ...name] = (citation.law_id || "").split(":");
    if (kind !== "own_text") return citation;
    const own = this.reading?.document;
    const passage = own?.name === name.join(":") ? own.passages[Number(citation.provision_key.split(":")[1]) - 1] : null;
    const provision = { ...citation, text: passage?.text ?? say("document_gone"), breadcrumb: "", status_note: "", notes: [], wordings: [], cites: [], cited_by: [], summary: "" };
    return { ...citation, served: { provision, in_force: true, certainty: "sure", as_of: "" } };
  }

  /** Do what begins a conversation, in which the document stays: it is the one that it was brought for. */
  through(begin) {
    this.holding = true;
    begin();
    this.holding = false;
    if (this.card) this.#place();
  }

  /** Forget the document. */
  forget() {
    if (this.holding) return;
    this.card?.remove();
    this.card = this.reading = this.file = null;
    this.#attach(false);
  }

  #listen() {
    const cover = el("p", { class: "drop", hidden: true }, el("span", {}, say("document_drop"), el("br"), el("small", {}, this.#limits())));
    document.body.append(cover);
    const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
    addEventListener("dragover", (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      cover.hidden = false;
    });
    addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) cover.hidden = true;
    });
    addEventListener("drop", (event) => {
      cover.hidden = true;
      if (!hasFile(event)) return;
      event.preventDefault();
      this.#bring([...event.dataTransfer.files]);
    });
    addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (!files.length || event.clipboardData.types.includes("text/plain")) return;
      event.preventDefault();
      this.#bring(files);
    });
  }

  #limits() {
    return say("document_limits", { formats: FORMATS.filter((one) => one !== "htm").map((one) => one.toUpperCase()).join(", "), size: number(LARGEST / 1e6, 1) });
  }

  async #bring([file, ...others]) {
    if (!file) return;
    this.forget();
    this.shown.show();
    this.file = file;
    const card = el("li", { class: "own-document", tabindex: "-1" }, el("h2", {}, file.name), el("p", { class: "hint" }, say("document_reading")));
    this.card = card;
    at("welcome").hidden = true;
    this.#place();
    card.scrollIntoView({ block: "start" });
    this.shown.announce(say("document_reading"));
    let content;
    try {
      const refusal = this.#refusal(file);
      if (refusal) throw new Error(refusal);
      this.reading = await json("v1/documents", { method: "POST", body: { name: file.name.slice(-200), content: await base64(file) } });
      if (this.card !== card) return;
      content = [...this.#report(this.reading), ...this.#actions(this.reading)];
      // Who brings a document asks about it, unless they say otherwise.
      this.#attach(this.reading.document.passages.length > 0);
    } catch (error) {
      content = [el("p", { class: "failure", role: "alert" }, error.message), el("p", { class: "hint" }, this.#limits()), this.#removal()];
    }
    if (this.card !== card) return;
    if (others.length) content.unshift(el("p", { class: "hint" }, say("document_one", { number: others.length })));
    card.replaceChildren(el("h2", {}, file.name), ...content);
    card.focus({ preventScroll: true });
    this.shown.announce(card.querySelector("p").textContent);
  }

  /** Say why a file is not sent; "" for one that is. */
  #refusal(file) {
    const ending = file.name.includes(".") ? file.name.split(".").at(-1).toLowerCase() : "";
    if (PICTURES.includes(ending)) return say("document_picture");
    if (!FORMATS.includes(ending)) return say("document_unknown", { ending: ending ? `.${ending}` : file.name });
    if (!file.size) return say("document_empty");
    return file.size > LARGEST ? say("document_large", { size: number(file.size / 1e6, 1), largest: number(LARGEST / 1e6, 1) }) : "";
  }

  #report({ kind, pages, words, citations, gaps, recognised, warnings }) {
    const counted = (key, many) => many > 0 && say(`document_count_${many === 1 ? `${key}_one` : key}`, { number: number(many) });
    const read = [counted("pages", pages), counted("words", words), counted("citations", citations)].filter(Boolean).join(" · ");
    const unread = [...warnings, counted("gaps", gaps), counted("recognised", recognised)].filter(Boolean);
    return [
      el("p", { class: "lead" }, kind ? say(`document_kind_${kind}`) : say("document_kind"), " ", read, "."),
      unread.length ? el("ul", { class: "warnings" }, unread.map((one) => el("li", {}, one))) : el("p", { class: "hint" }, say("document_whole")),
      el("p", { class: "hint" }, say("document_not_kept")),
    ];
  }

  #actions({ kind, can_check: canCheck, document: own }) {
    const outcome = el("div", { class: "outcome", "aria-live": "polite" });
    const check = el("button", { type: "button", class: "small" }, say("document_check"));
    check.addEventListener("click", () => this.#check(check, outcome));
    const ask = el("button", { type: "button", class: "small", onclick: () => this.#attach(true, { focus: true }) }, say("document_ask"));
    const questions = kind ? say(`document_suggest_${kind}`).split("|") : [];
    const suggested = questions.map((question) => el("li", {}, el("button", { type: "button", class: "plain", onclick: () => this.#ask(question) }, question)));
    return [
      el("p", { class: "document-actions" }, own.passages.length > 0 && ask, canCheck && check, this.#removal()),
      suggested.length > 0 && el("ul", { class: "suggested" }, suggested),
      outcome,
    ].filter(Boolean);
  }

  #removal() {
    return el("button", { type: "button", class: "plain", onclick: () => {
      this.forget();
      at("welcome").hidden = at("turns").children.length > 0;
      at("question").focus();
    } }, say("document_remove"));
  }

  #ask(question) {
    this.#attach(true);
    this.shown.send(question);
  }

  /** Ask with the document from now on, or no more. */
  #attach(isAsked, { focus = false } = {}) {
    this.isAsked = isAsked;
    this.chip.hidden = !isAsked;
    if (!isAsked) return;
    this.chip.replaceChildren(
      say("document_attached", { name: this.file.name }), " ",
      el("button", { type: "button", class: "plain", onclick: () => this.#attach(false) }, say("document_detach")));
    if (focus) at("question").focus();
  }

  // The check of its citations

  async #check(button, outcome) {
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true";
    outcome.replaceChildren(el("p", { class: "hint" }, say("document_checking")));
    try {
      const report = await json("v1/check", { method: "POST", body: { name: this.file.name, content: await base64(this.file) } });
      outcome.replaceChildren(...this.#checked(report));
    } catch (error) {
      outcome.replaceChildren(el("p", { class: error.status === 422 ? "hint" : "failure" }, error.message));
    }
    button.ariaDisabled = "false";
  }

  #checked({ day: asOf, day_origin: origin, counts, paragraphs, rulings, incomplete, without_wording: early, unchecked, warnings }) {
    const findings = paragraphs.flatMap((one) => one.findings.map((finding) => ({ ...finding, paragraph: one })));
    const citations = paragraphs.flatMap((one) => one.citations);
    const of = (outcome) => citations.filter((one) => one.outcome === outcome);
    const place = ({ page, number: at }) => say(page ? "check_page" : "check_paragraph", { page, number: at });
    const unsure = [
      ...incomplete.map((one) => `${place({ ...one, number: one.paragraph })}: ${one.marks.join(", ")}`),
      ...early.map((one) => say("check_early", { provision: one })), ...unchecked, ...warnings];
    return [
      el("h3", {}, say("check_title")),
      el("p", { class: "lead" }, say("check_counts", Object.fromEntries(Object.entries(counts).map(([key, many]) => [key, number(many)])))),
      el("p", { class: "hint" }, say(`check_day_${origin}`, { day: day(asOf) })),
      findings.length > 0 && el("section", { class: "findings" },
        el("h4", {}, say("check_wrong", { number: findings.length })),
        el("ul", {}, findings.map((one) => el("li", { "data-severity": one.severity },
          el("q", {}, one.where), ` (${place(one.paragraph)}). ${one.message}`,
          one.evidence && el("p", { class: "hint" }, say("check_law_says"), " ", el("q", {}, one.evidence)))))),
      !findings.length && counts.confirmed > 0 && el("p", {}, say("check_nothing_wrong")),
      this.#list(say("check_confirmed", { number: of("confirmed").length }), of("confirmed").map((one) => this.#citation(one))),
      this.#list(say("check_rulings", { number: rulings.length }), rulings.map((one) => [one.name || one.where, `: ${say(`check_ruling_${one.status}`)} ${one.message}`])),
      this.#list(say("check_unsure", { number: unsure.length }), unsure),
    ].filter(Boolean);
  }

  #citation(one) {
    const basis = one.basis || "existence";
    const open = () => this.shown.open({ ...one, provision_key: one.provision }, one.basis === "text" ? one.text : "");
    return [el("button", { type: "button", class: "plain", onclick: open }, `${capital(one.provision)}, ${one.law}`), " ", el("span", { class: "hint" }, say(`check_basis_${basis}`))];
  }

  #list(title, items) {
    if (!items.length) return null;
    return el("details", { class: "more" }, el("summary", {}, title), el("ul", {}, items.map((one) => el("li", {}, one))));
  }

  /** Put the card at the end of the conversation. */
  #place() {
    at("turns").append(this.card);
  }
}

/** Return the content of a file in base64. */
function base64(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result.slice(reader.result.indexOf(",") + 1)));
    reader.addEventListener("error", () => reject(new Error(say("document_unreadable"))));
    reader.readAsDataURL(file);
  });
}
