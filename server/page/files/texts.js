// What the page says, in the language of the profile or of an answer, and how days and numbers are written in it.

const TEXTS = JSON.parse(document.getElementById("texts").textContent);
let spoken = TEXTS;

/** Return a text of the page, with its fields filled in. */
export function say(key, fields = {}) {
  if (!(key in spoken)) throw new Error(`no text "${key}"`);
  return spoken[key].replace(/\{(\w+)\}/g, (_, name) => fields[name]);
}

/** Return what a function returns that says its texts in a language, or in that of the page if it has none in it. */
export function speaking(language, make) {
  const before = spoken;
  spoken = { ...TEXTS, ...TEXTS.others[language] };
  try {
    return make();
  } finally {
    spoken = before;
  }
}

/** Return a day (ISO 8601) as it is written. */
export function day(iso) {
  return new Intl.DateTimeFormat(spoken.language, { dateStyle: "long", timeZone: "UTC" }).format(new Date(`${iso}T00:00:00Z`));
}

/** Return a number as it is written, with so many decimals. */
export function number(value, decimals = 0) {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(spoken.language, digits).format(value);
}

/** Return the day of today where the reader is (ISO 8601). */
export function today() {
  const now = new Date();
  const two = (part) => String(part).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
