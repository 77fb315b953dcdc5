// The composer: the question, and its options: the day whose law is asked for, as people write days, and the territory.

import { day, number, readDay, say, today } from "./texts.js";

/** The most characters of a question that the server takes. */
const LONGEST = 4000;
/** The first day that is taken; no norm of the index was law before it. */
const FIRST = "1900-01-01";
/** Years from today up to which a day is taken: of later ones, nobody knows the law. */
const YEARS_AHEAD = 1;

const at = (id) => document.getElementById(id);
const [question, asOf, territory] = ["question", "as-of", "territory"].map(at);

/** Return the options that are set, {as_of, territory}; a day that is refused is none. */
export function options() {
  const place = territory.value.trim();
  return { ...(asOf.dataset.day && { as_of: asOf.dataset.day }), ...(place && { territory: place }) };
}

/** Set the options, as `options` has returned them; without any, they are those of a new conversation. */
export function setOptions(given = {}) {
  asOf.value = given.as_of ?? "";
  territory.value = given.territory ?? "";
  refusal();
}

/** Say why the question and its options cannot be sent, and return it; "" if they can. Nothing of them is lost. */
export function refusal() {
  const typed = asOf.value.trim();
  const read = typed && readDay(typed);
  const ofDay = typed && refusalOf(read);
  asOf.dataset.day = typed && !ofDay ? read : "";
  if (asOf.dataset.day) asOf.value = day(read);
  const over = question.value.trim().length - LONGEST;
  const ofLength = over > 0 ? say("too_long", { length: number(over + LONGEST), most: number(LONGEST), over: number(over) }) : "";
  for (const [field, reason] of [[asOf, ofDay], [question, ofLength]]) {
    if (reason) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  const reason = [ofDay, ofLength].filter(Boolean).join(" ");
  if (at("refused").textContent !== reason) at("refused").textContent = reason;
  at("refused").hidden = !reason;
  showOptions();
  return reason;
}

/** Make the field of the question as high as what it holds, up to a limit that the style sets. */
export function grow() {
  question.style.height = "auto";
  question.style.height = `${question.scrollHeight + 2}px`;
  // A message about its length goes as soon as it fits.
  if (question.value.length > LONGEST || question.ariaInvalid) refusal();
}

/** Fold the options away, or unfold them; on a wide screen they are always open. */
export function unfold(isOpen) {
  at("composer").classList.toggle("open", isOpen);
  at("unfold").setAttribute("aria-expanded", String(isOpen));
}

function refusalOf(read) {
  if (!read) return say("as_of_unread");
  const [year, rest] = [Number(today().slice(0, 4)), today().slice(4)];
  const last = `${year + YEARS_AHEAD}${rest}`.replace("-02-29", "-02-28");
  if (read > last) return say("as_of_late", { day: day(read), last: day(last) });
  return read < FIRST ? say("as_of_early", { day: day(read), first: day(FIRST) }) : "";
}

/** Show above the question what is set: on a phone the fields themselves are folded away. */
function showOptions() {
  const chosen = options();
  at("chosen").textContent = [chosen.as_of && say("as_of_chosen", { day: day(chosen.as_of) }), chosen.territory].filter(Boolean).join(" · ");
  at("chosen").hidden = !at("chosen").textContent;
  at("calendar").value = chosen.as_of ?? "";
}

for (const field of [asOf, territory]) field.addEventListener("change", refusal);
question.addEventListener("input", grow);
at("calendar").addEventListener("change", () => {
  asOf.value = at("calendar").value;
  refusal();
});
at("pick").addEventListener("click", () => at("calendar").showPicker());
at("unfold").addEventListener("click", () => unfold(at("unfold").getAttribute("aria-expanded") !== "true"));
at("chosen").addEventListener("click", () => {
  unfold(true);
  asOf.focus();
});
at("today").textContent = say("today", { day: day(today()) });
