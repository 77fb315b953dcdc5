// A provision beside the answer: the passage that is cited, its validity, its place in the law, what it refers to.

import { json } from "./api.js";
import { capital, el, link } from "./dom.js";
import { passagesOf } from "./passage.js";
import { day, say, today } from "./texts.js";
import { enter, here, leave } from "./trail.js";
import { kindOf, validity } from "./turn.js";

/** The panel; the reader goes from a provision to those that it names, and back. */
export class Panel {
  constructor(element, { changed }) {
    this.element = element;
    this.changed = changed;
    this.trail = [];
    this.returnTo = null;
  }

  /** Show a provision, {law_id, provision_key} and, of a citation, the wording that it is of, with what a claim says. */
  open(provision, claim) {
    if (!this.trail.length) this.returnTo = document.activeElement;
    enter({ provision, claim, date: provision.date ?? dayOf(provision) });
    return this.restore();
  }

  /** Show what the history has open, or nothing: also after Back, Forward and a reload. */
  restore() {
    const { provisions } = here();
    if (!provisions.length) return this.dismiss();
    if (provisions.length === this.trail.length) return undefined;
    this.trail = provisions;
    return this.#load();
  }

  /** Close the panel as Back does: the conversation is where it was. */
  close() {
    if (!this.element.hidden) leave(true);
  }

  /** Close the panel where the address has changed already. */
  dismiss() {
    if (this.element.hidden) return;
    this.trail = [];
    this.element.hidden = true;
    this.element.replaceChildren();
    this.changed(false);
    this.returnTo?.focus();
  }

  async #load() {
    const shown = this.trail.at(-1);
    const { provision, date } = shown;
    this.element.hidden = false;
    this.changed(true);
    this.#fill(provision, [el("p", { class: "hint" }, say("loading"))]);
    this.element.focus();
    let content;
    try {
      content = this.#content(provision.served ?? (await json(pathOf(provision, date ? { date } : {}))), shown);
    } catch (error) {
      content = [el("p", { class: "failure", role: "alert" }, error.message), provision.text && lawText(provision.text, []), provision.url && el("p", {}, link(provision.url, say("at_source")))];
    }
    // Meanwhile the reader may have gone on.
    if (this.trail.at(-1) !== shown) return;
    this.#fill(provision, content.filter(Boolean));
    this.element.querySelector("mark")?.scrollIntoView({ block: "center" });
  }

  #fill(provision, content) {
    this.element.replaceChildren(
      el("div", { class: "panel-bar" },
        this.trail.length > 1 && el("button", { type: "button", class: "quiet", onclick: () => leave(false) }, say("back")),
        el("span", { class: "grow where", "aria-hidden": "true" }, capital(provision.provision)),
        el("button", { type: "button", class: "quiet", onclick: () => this.close() }, say("close"))),
      el("div", { class: "panel-body" },
        el("p", { class: "law" }, provision.law),
        el("h2", { id: "panel-title" }, capital(provision.provision)),
        ...content));
  }

  #content({ provision, in_force, certainty, as_of }, { provision: opened, claim, date }) {
    const kind = kindOf(provision);
    const passages = passagesOf(provision.text, claim, { label: provision.provision, quoted: opened.quoted });
    const place = provision.breadcrumb.split(" > ").filter((step) => step && step !== provision.law && step !== provision.provision);
    return [
      provision.title && provision.title !== provision.provision && el("p", { class: "title" }, provision.title),
      place.length > 0 && el("p", { class: "place", "aria-label": say("place") }, place.flatMap((step, at) => [at ? el("span", { "aria-hidden": "true" }, " › ") : null, step])),
      el("p", { class: "facts" },
        el("span", { class: `kind ${kind}` }, say(`kind_${kind}`, { document: provision.document })),
        kind !== "own" && el("span", { class: in_force ? "in-force" : "not-in-force" }, say(in_force ? "in_force" : "not_in_force", { day: day(as_of) })),
        kind !== "own" && validity(provision) && el("span", {}, validity(provision)),
        provision.page && el("span", {}, say("page", { page: provision.page })),
        link(provision.url, /\bboe\.es\//.test(provision.url) ? say("at_boe") : say("at_source"), { class: "outside" })),
      certainty !== "sure" && date && el("p", { class: "hint" }, say(`certainty_${certainty}`)),
      provision.status_note && el("p", { class: "hint" }, provision.status_note),
      kind !== "ours" && provision.summary && el("section", { class: "text-ours" }, el("h3", {}, say("kind_ours")), lawText(provision.summary, [])),
      el("section", { class: `text-${kind}` },
        el("h3", {}, say({ official: "official_text", own: "own_text", ours: "our_text" }[kind])),
        passages.length > 0 && el("p", { class: "hint" }, say(passages[0].exact ? "passage_exact" : "passage_near")),
        lawText(provision.text, passages)),
      provision.notes.length > 0 && el("details", { class: "more" }, el("summary", {}, say("notes", { number: provision.notes.length })), provision.notes.map((note) => el("p", {}, note))),
      kind !== "own" && this.#wordings(provision),
      this.#links(say("cites", { number: provision.cites.length }), provision.cites),
      this.#links(say("cited_by", { number: provision.cited_by.length }), provision.cited_by),
    ];
  }

  #wordings(provision) {
    const { wordings } = provision;
    // With one wording there is nothing to compare.
    if (wordings.length < 2) return null;
    const dated = wordings.filter((one) => one.valid_from);
    const items = dated.map((one) => el("li", {},
      el("button", { type: "button", class: "plain", "aria-current": one.valid_from === provision.valid_from ? "true" : null, onclick: () => this.#show(provision, one.valid_from) }, validity(one))));
    const outcome = el("div", { class: "comparison", "aria-live": "polite" });
    // What most want to see: what the last change has changed.
    const before = dated.length > 1 ? dated.at(-2).valid_from : provision.valid_from;
    const form = el("form", { class: "compare" },
      el("label", {}, say("compare_from"), " ", el("input", { type: "date", name: "from", required: true, value: before || "" })),
      el("label", {}, say("compare_to"), " ", el("input", { type: "date", name: "to", required: true, value: today() })),
      el("button", { type: "submit", class: "small" }, say("compare")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const diff = `${form.elements.from.value}..${form.elements.to.value}`;
      try {
        outcome.replaceChildren(...comparison(await json(pathOf(provision, { diff }))));
      } catch (error) {
        outcome.replaceChildren(el("p", { class: "failure", role: "alert" }, error.message));
      }
    });
    return el("details", { class: "more", id: "wordings" },
      el("summary", {}, dated.length > 1 ? say("wordings", { number: dated.length }) : say("compare_two_days")),
      dated.length > 1 && el("ul", {}, items),
      form,
      outcome);
  }

  #links(title, links) {
    if (!links.length) return null;
    const items = links.map((one) => el("li", {},
      el("button", { type: "button", class: "plain", onclick: () => this.open(one, "") }, `${capital(one.provision)}, ${one.law}`),
      one.title && one.title !== one.provision ? ` ${one.title}` : ""));
    return el("details", { class: "more" }, el("summary", {}, title), el("ul", {}, items));
  }

  #show(provision, date) {
    return this.open({ ...provision, date }, "");
  }
}

/** Return a day on which a wording was law, null of one that is law today: it is asked for without a day. */
export function dayOf({ valid_from: from, valid_to: to }) {
  return (to && to <= today()) || (from && from > today()) ? from : null;
}

/** Return the path of a provision on the server. */
export function pathOf({ law_id: law, provision_key: key }, query) {
  const asked = new URLSearchParams(query).toString();
  return `v1/provisions/${encodeURIComponent(law)}/${encodeURIComponent(key)}${asked && `?${asked}`}`;
}

/** Return a text of the law, paragraph by paragraph, its rows as tables, with passages {start, end, exact} marked. */
function lawText(text, passages) {
  const body = el("div", { class: "law-text" });
  let rows = null;
  for (const match of text.matchAll(/[^\n]+/g)) {
    const [line] = match;
    if (/^\s*\|.*\|\s*$/.test(line)) {
      if (!rows) {
        rows = el("tbody");
        body.append(el("div", { class: "scroll", tabindex: "0" }, el("table", {}, rows)));
      }
      const cells = line.trim().slice(1, -1).split("|");
      const marked = passages.some((one) => one.start < match.index + line.length && one.end > match.index);
      if (!cells.every((cell) => /^\s*:?-+:?\s*$/.test(cell))) {
        rows.append(el("tr", {}, cells.map((cell) => el("td", {}, marked ? el("mark", {}, cell.trim()) : cell.trim()))));
      }
      continue;
    }
    rows = null;
    const pieces = [];
    let last = 0;
    for (const { start, end, exact } of passages) {
      const [from, to] = [Math.max(0, start - match.index), Math.min(line.length, end - match.index)];
      if (from >= to) continue;
      pieces.push(line.slice(last, from), el("mark", { class: exact ? "exact" : "near" }, line.slice(from, to)));
      last = to;
    }
    body.append(el("p", {}, pieces, line.slice(last)));
  }
  return body;
}

function comparison({ summary, paragraphs, before, after }) {
  const tags = { same: "span", added: "ins", removed: "del" };
  const sides = [before, after].map((side) => el("li", {}, day(side.day), ": ", side.text ? validity(side) || say("wording_undated") : say("no_wording"), side.text && side.certainty !== "sure" ? ` · ${say(`certainty_${side.certainty}`)}` : ""));
  return [
    el("p", { class: "summary" }, summary),
    el("ul", { class: "sides" }, sides),
    el("div", { class: "law-text" }, paragraphs.map(({ kind, pieces }) =>
      el("p", { "data-kind": kind }, pieces.map((piece) => el(tags[piece.kind], {}, piece.text))))),
  ];
}
