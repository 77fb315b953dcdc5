// One question with its answer: the stages light up, the text streams in, the sources stand below it.

import { suggestions } from "./again.js";
import { json } from "./api.js";
import { capital, el, link } from "./dom.js";
import { render } from "./markdown.js";
import { previewed } from "./preview.js";
import { quotedFor } from "./passage.js";
import { ANSWERS, day, number, say, speaking, today } from "./texts.js";
import { emphasize, readable } from "./reading.js";
import { calendarButton, workedView } from "./worked.js";

/** What a person sees of the stages of the graph, in order. */
const PHASES = {
  understand: ["analyze_question", "decompose", "load_carryover"],
  search: ["search_document", "embed_queries", "encode_sparse", "hybrid_search", "merge_candidates", "lookup_records"],
  follow: ["expand_references", "choose_cards", "refetch"],
  order: ["rerank", "judge_relevance", "select_context"],
  write: ["answer", "repair_marks", "abstain"],
  check: ["verify", "check_claims", "finalize"],
};
const NAMES = Object.keys(PHASES);

/** A turn of the conversation, an element of the list of turns. */
export class Turn {
  /**
   * `open(citation, claim)` shows a provision beside the answer; `announce(text)` tells who cannot see;
   * `thread` names the conversation that a rating belongs to; `again(question)` asks a question; `correct(worked)`
   * takes the inputs of a calculation into the form; `look(guide, button)` opens a case guide.
   */
  constructor(question, { open, announce, thread, again, correct, look }) {
    this.question = question;
    this.result = null;
    this.text = "";
    this.shown = { open, announce, thread, again, correct, look };
    this.stages = el("ol", { class: "stages", "aria-hidden": "true" }, NAMES.map((name) => el("li", { "data-phase": name }, say(`phase_${name}`))));
    this.body = el("div", { class: "text" });
    this.answer = el("div", { class: "answer", "data-outcome": "streaming" }, this.body);
    this.element = el("li", { class: "turn" }, el("h2", { class: "asked" }, question), this.stages, this.answer);
  }

  /** Take one event of the stream. */
  take({ event, data }) {
    if (event === "stage") this.#light(data.stage);
    else if (event === "token") this.#append(data.text);
    else if (event === "retry") this.#supersede(data.reason);
    else if (event === "sources") this.citations = data.citations;
    else if (event === "final") this.show(data);
    else if (event === "error") this.fail(data.message, data);
  }

  /** Show a result whole: the end of a stream, or a turn that was kept. */
  show(result) {
    this.result = result;
    this.citations = result.citations;
    this.stages.remove();
    this.element.querySelector(".superseded")?.remove();
    this.answer.dataset.outcome = result.outcome;
    this.#write(withoutSteps(result.answer, result.calculations));
    const [event, ...others] = speaking(result.language, () => result.calculations.map(calendarButton).filter(Boolean));
    // Of several last days, each has its button below its steps.
    if (event && !others.length) this.body.firstElementChild?.after(el("p", { class: "to-calendar" }, event));
    this.answer.lang = result.language || ANSWERS;
    this.answer.replaceChildren(
      ...speaking(result.language, () => [
        result.outcome !== "answer" && el("p", { class: "verdict" }, say(`outcome_${result.outcome}`)),
        this.#choices() || this.body,
        ...this.#calculations(),
        this.#guides(),
        this.#findings(),
        this.#sources(result),
        this.#freshness(),
        this.#unread(),
        this.#remissions(),
        ...this.#notes(),
        this.#certificate(),
        this.#actions(),
        suggestions(result, (question) => this.shown.again(question)),
      ]).filter(Boolean),
    );
    this.shown.announce(say(`ready_${result.outcome}`));
  }

  /** Say that there is no answer, or that it ends in the middle; what was shown of it is no answer, what was found stays. */
  fail(message, { stopped = false, citations = [] } = {}) {
    this.stages.remove();
    this.answer.dataset.outcome = stopped ? "stopped" : "failed";
    this.element.querySelector(".failure")?.remove();
    const again = el("button", { type: "button", class: "plain", onclick: () => this.shown.again(this.question) }, say("again"));
    const told = [this.text && !stopped ? `${say("unfinished")} ${message}` : message];
    this.element.append(el("p", { class: "failure", role: stopped ? null : "alert" }, told, " ", again));
    this.element.querySelector(".sources")?.remove();
    const found = this.#sources({ citations, answer: "" });
    if (found) this.element.append(found);
  }

  #light(stage) {
    const at = NAMES.findIndex((name) => PHASES[name].includes(stage));
    if (at < 0) return;
    // Searches run beside one another: a stage that begins late does not put out those after it, but a new round does.
    const newRound = stage === "refetch" || at >= this.reached || this.reached === undefined;
    if (!newRound) return;
    this.reached = at;
    for (const [index, item] of [...this.stages.children].entries()) {
      item.dataset.state = index < at ? "done" : index === at ? "active" : "";
    }
    this.shown.announce(say(`phase_${NAMES[at]}`));
  }

  #append(text) {
    this.text += text;
    if (this.drawing) return;
    // Many tokens come between two pictures of the screen.
    this.drawing = requestAnimationFrame(() => {
      this.drawing = null;
      if (!this.result) this.#write(this.text);
    });
  }

  #write(text) {
    this.body.replaceChildren(...render(readable(text, this.question, this.result?.guides), (mark) => this.#marker(mark)));
    emphasize(this.body);
    // What the offline writer announces as our words is told from the law at a glance, with the list that it opens.
    for (const block of this.body.children) {
      const own = block.textContent.startsWith(say("own_words"));
      block.classList.toggle("own-words", own || (block.matches("ul") && block.previousElementSibling?.matches(".own-words.opens")));
      block.classList.toggle("opens", own && block.textContent.endsWith(":"));
    }
  }

  #supersede(reason) {
    this.text = "";
    this.body.replaceChildren();
    this.element.querySelector(".superseded")?.remove();
    this.answer.before(el("p", { class: "superseded" }, reason || say("written_anew")));
  }

  #marker(mark) {
    const citation = this.citations?.find((one) => one.mark === `C${mark}`);
    if (!citation) return el("span", { class: "mark pending" }, `C${mark}`);
    const kind = kindOf(citation);
    const name = `${citation.law}, ${citation.provision}`;
    const opens = (event) => this.#open(citation, claimOf(event.currentTarget));
    const label = `${say("open_source", { name })} ${say(`is_${kind}`, { document: citation.document })}`;
    const button = el("button", { type: "button", class: `mark ${kind}`, "aria-label": label, onclick: opens }, `C${mark}`);
    return previewed(button, citation, () => claimOf(button));
  }

  /** Return the needs to choose from, in place of the text that numbers them; a choice is asked as the next question. */
  #choices() {
    const { choices } = this.result;
    if (!choices.length) return null;
    const items = choices.map((choice) => {
      const ask = () => this.shown.again(choice.question);
      return el("li", {},
        el("button", { type: "button", class: "choice", onclick: ask }, choice.need),
        el("p", {}, choice.answer, " ", this.#marker(choice.number)),
        el("p", { class: "facts" }, `${choice.law}, ${choice.provision}`));
    });
    return el("section", { class: "choices", "aria-label": say("choices") },
      el("p", {}, say("choices")), el("ol", {}, items), el("p", { class: "hint" }, say("choose")));
  }

  #calculations() {
    const { open, correct } = this.shown;
    const worked = this.result.calculations.filter((one) => one.status !== "none");
    return worked.map((one) => workedView(one, { open, correct }));
  }

  /** Return a button for each case guide, which goes on with the reader's own data. */
  #guides() {
    const { guides = [] } = this.result;
    if (!guides.length) return null;
    const name = (guide) => (guides.length > 1 ? `${say("case_look")}: ${guide.title}` : say("case_look"));
    return el("p", { class: "guides" }, guides.map((guide) =>
      el("button", { type: "button", class: "small", onclick: (event) => this.shown.look(guide, event.currentTarget) }, name(guide))));
  }

  /** Open the provision of a citation; a calculation is of no law, and stands in the answer. */
  #open(citation, claim) {
    const tables = [...this.answer.querySelectorAll(".worked")];
    const own = !citation.law_id && tables.find((one) => one.getAttribute("aria-label") === citation.provision);
    const quoted = quotedFor(this.result?.answer ?? this.text, citation.mark);
    if (!own) return this.shown.open({ ...citation, quoted }, claim);
    own.focus({ preventScroll: true });
    own.scrollIntoView({ block: "center" });
  }

  #findings() {
    const { findings } = this.result;
    if (!findings.length) return null;
    const items = findings.map((one) => el("li", { "data-severity": one.severity }, one.check === "claim" ? this.#beside(one) : [one.where && el("q", {}, one.where), " ", one.message]));
    return el("section", { class: "findings" }, el("h3", {}, say("check_before")), el("ul", {}, items));
  }

  /** The sentence of the answer beside that of the source; the marker opens the source. */
  #beside({ message, where, evidence, mark }) {
    const said = where.replace(/\s*\[C\d+\]/g, "").replace(/^[\s*•-]+/, "");
    const source = mark ? [say("source_says"), " ", this.#marker(mark.slice(1))] : say("source_says");
    return [
      message,
      el("dl", { class: "beside" },
        el("div", {}, el("dt", {}, say("answer_says")), el("dd", {}, el("q", {}, said))),
        evidence && el("div", {}, el("dt", {}, source), el("dd", {}, el("q", {}, evidence)))),
    ];
  }

  #sources({ citations, answer }) {
    if (!citations.length) return null;
    const claims = ({ mark }) => answer.split("\n").filter((line) => line.includes(`[${mark}]`));
    // A provision is one source, however many of its fragments have a mark.
    const sources = [...Map.groupBy(citations, sourceOf).values()];
    const items = sources.map((members) => el("li", {}, this.#source(members, [...new Set(members.flatMap(claims))].join("\n"))));
    return el("section", { class: "sources" }, el("h3", {}, say("sources")), el("ul", {}, items));
  }

  #source(members, claim) {
    const [citation] = members;
    const kind = kindOf(citation);
    const title = citation.title && citation.title !== citation.provision ? `. ${citation.title}` : "";
    const open = () => this.#open(citation, claim);
    const notes = [...new Set(members.flatMap((one) => [one.wording, one.note]))].filter(Boolean);
    const marks = members.filter((one) => one.mark).map((one) => el("span", { class: `mark ${kind}`, "aria-hidden": "true" }, one.mark));
    return [
      marks.length > 0 && el("span", { class: "marks" }, marks),
      el("div", {},
        el("button", { type: "button", class: "plain", onclick: open }, `${citation.law}, ${citation.provision}${title}`),
        el("p", { class: "facts" },
          el("span", { class: `kind ${kind}` }, say(`kind_${kind}`, { document: citation.document })),
          kind !== "own" && validity(citation) && el("span", {}, validity(citation)),
          citation.page && el("span", {}, say("page", { page: citation.page })),
          link(citation.url, /\bboe\.es\//.test(citation.url) ? say("at_boe") : say("at_source"), { class: "outside" })),
        notes.length > 0 && el("details", { class: "note" }, el("summary", {}, say("source_notes")), notes.map((note) => el("p", { class: "hint" }, note)))),
    ];
  }

  #freshness() {
    const { freshness, citations } = this.result;
    if (!freshness || !citations.length) return null;
    const laws = freshness.laws.filter((one) => one.last_change || one.published).map((one) =>
      one.last_change ? say("last_change", { law: one.law, day: day(one.last_change) }) : say("published", { law: one.law, day: day(one.published) }));
    const lines = [...laws, freshness.index_day && say("index_day", { day: day(freshness.index_day) })].filter(Boolean);
    if (!lines.length) return null;
    return el("details", { class: "more freshness" }, el("summary", {}, say("law_days")), el("ul", {}, lines.map((line) => el("li", {}, line))));
  }

  #unread() {
    const { unread } = this.result;
    if (!unread.length) return null;
    const items = [...Map.groupBy(unread, sourceOf).values()].map((members) => el("li", {}, this.#source(members, "")));
    return el("section", { class: "sources unread" }, el("h3", {}, say("unread")), el("ul", {}, items));
  }

  #remissions() {
    const left = [...new Map(this.result.remissions.filter((one) => !one.consulted).map((one) => [sourceOf(one), one])).values()];
    if (!left.length) return null;
    const items = left.slice(0, 8).map((one) =>
      el("li", {}, el("button", { type: "button", class: "plain", onclick: () => this.shown.open(one, "") }, `${capital(one.provision)}, ${one.law}`)));
    return el("details", { class: "more" }, el("summary", {}, say("remissions", { number: left.length })), el("ul", {}, items));
  }

  #notes() {
    const { warnings, precedence } = this.result;
    const notes = [...new Set([...precedence, ...warnings])];
    return [notes.length && el("ul", { class: "warnings" }, notes.map((note) => el("li", {}, note)))];
  }

  #certificate() {
    const { certificate } = this.result;
    if (!certificate || !certificate.candidates) return null;
    const best = certificate.best.map((one) =>
      el("li", {}, link(one.url, `${one.law}, ${one.provision}`) || `${one.law}, ${one.provision}`, one.title && one.title !== one.provision ? `. ${one.title}` : ""));
    return el("details", { class: "more" },
      el("summary", {}, say("certificate")),
      el("p", {}, say("certificate_searched", { number: number(certificate.candidates), searches: certificate.searches.map((one) => `«${one}»`).join(", ") })),
      certificate.missing.length > 0 && el("p", {}, say("certificate_missing", { words: certificate.missing.join(", ") })),
      best.length > 0 && [el("p", {}, say("certificate_best")), el("ul", {}, best)]);
  }

  #actions() {
    const copied = el("span", { class: "done", role: "status" });
    const copy = async () => {
      copied.textContent = say((await toClipboard(this.#asText())) ? "copied" : "not_copied");
    };
    const buttons = [el("button", { type: "button", class: "plain", onclick: copy }, say("copy")), copied];
    if (this.result.outcome !== "ask") buttons.push(...this.#ratings());
    return el("div", { class: "actions" }, buttons);
  }

  #ratings() {
    const told = el("span", { class: "done", role: "status" });
    const comment = el("form", { class: "comment", hidden: true },
      el("label", {}, say("what_was_wrong"), " ", el("input", { name: "comment", maxlength: "2000", autocomplete: "off" })),
      el("button", { type: "submit", class: "plain" }, say("send_comment")));
    const buttons = ["up", "down"].map((rating) =>
      el("button", { type: "button", class: "plain rate", "data-rating": rating, "aria-pressed": String(this.rating === rating), onclick: () => give(rating) }, say(`rate_${rating}`)));
    const give = async (rating, text = "") => {
      const body = { question: this.question, answer: this.result.answer.slice(0, 20_000), rating, comment: text };
      try {
        await json("v1/feedback", { method: "POST", body: this.shown.thread ? { ...body, thread_id: this.shown.thread } : body });
      } catch (error) {
        told.textContent = error.message;
        return;
      }
      this.rating = rating;
      this.onrated?.(rating);
      for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.rating === rating));
      comment.hidden = rating !== "down" || Boolean(text);
      told.textContent = say("thanks");
    };
    comment.addEventListener("submit", (event) => {
      event.preventDefault();
      give("down", comment.elements.comment.value.trim());
    });
    return [buttons, told, comment];
  }

  #asText() {
    const { answer, citations } = this.result;
    const sources = [...Map.groupBy(citations, sourceOf).values()].map((members) => {
      const [one] = members;
      const kind = kindOf(one);
      const label = kind === "ours" ? say("kind_ours").toLowerCase() : say(`kind_${kind}`, { document: one.document });
      const notes = [kind === "official" ? "" : `(${label})`, kind !== "own" && validity(one) && `(${validity(one)})`, one.url];
      return [`${members.map(({ mark }) => `[${mark}]`).join("")} ${one.law}, ${one.provision}`, ...notes].filter(Boolean).join(" ");
    });
    const parts = [this.question, answer, sources.length && `${say("sources")}\n${sources.join("\n")}`, say("notice")];
    return parts.filter(Boolean).join("\n\n");
  }
}

/** Return an answer without the lines of steps and notes that stand in a table below it. */
function withoutSteps(answer, calculations) {
  const shown = new Set();
  for (const { understood, steps, notes, provisions } of calculations) {
    const cited = new Map(provisions.map((one) => [one.provision, one.cited]));
    const lines = steps.map((one, at) => `${at + 1}. ${one.text.replace(/\.+$/, "")} (${cited.get(one.provision)}).`);
    for (const line of [understood, ...lines, ...notes]) shown.add(line);
  }
  shown.delete("");
  return answer.split("\n").filter((line) => !shown.has(line.replace(/\s*\[C\d+\]/g, "").trim())).join("\n");
}

/** Return what two citations share that are of one source: the provision in one wording, or the page of a document. */
function sourceOf({ law_id: law, provision_key: key, provision, valid_from: from, page }) {
  return [law, key ?? provision, from, page].join("#");
}

/** Return whose text a source is: "official" of a norm, "own" of a document of the user, else "ours". */
export function kindOf({ official, document }) {
  return document ? "own" : official ? "official" : "ours";
}

/** Return from when to when a wording is law, as far as that is known; `valid_to` is the first day on which it is not. */
export function validity({ valid_from: from, valid_to: to }) {
  if (to && to <= today()) return from ? say("was_valid", { from: day(from), to: day(before(to)) }) : say("was_valid_until", { to: day(before(to)) });
  if (from && from > today()) return say("valid_from_future", { from: day(from) });
  return from ? say("valid_since", { from: day(from) }) : "";
}

function before(iso) {
  return new Date(Date.parse(`${iso}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

/** Return what a marker stands behind: its sentence, or all of its line where that is one sentence. */
function claimOf(marker) {
  const block = marker.closest("p, li, td, h3, h4, blockquote") || marker.parentElement;
  let text = "";
  const walk = (node) => {
    if (node === marker) return true;
    if (node.nodeType === Node.TEXT_NODE) text += node.data;
    else if (node.classList?.contains("mark")) text += "\u0000";
    else if (node.nodeName === "BR") text += "\n";
    else for (const child of node.childNodes) if (walk(child)) return true;
    return false;
  };
  walk(block);
  // From the last marker or line on, which is where another claim ended; several markers may follow the same claim.
  const claims = text.split(/[\u0000\n]/).map((one) => one.trim()).filter((one) => /\p{L}{3}/u.test(one));
  return claims.at(-1) || "";
}

/** Copy a text; tells whether that worked. */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Outside of a secure context there is no clipboard, but what is selected can be copied.
    const area = el("textarea", { class: "visually-hidden", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
