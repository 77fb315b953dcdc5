// What the page says, in the language of the profile, and how days and numbers are written in it.

const TEXTS = JSON.parse(document.getElementById("texts").textContent);

/** Return a text of the page, with its fields filled in. */
export function say(key, fields = {}) {
  if (!(key in TEXTS)) throw new Error(`no text "${key}"`);
  return TEXTS[key].replace(/\{(\w+)\}/g, (_, name) => fields[name]);
}

export const LANGUAGE = TEXTS.language;
const DAYS = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: "long", timeZone: "UTC" });

/** Return a day (ISO 8601) as it is written. */
export function day(iso) {
  return DAYS.format(new Date(`${iso}T00:00:00Z`));
}

/** Return a number as it is written, with so many decimals. */
export function number(value, decimals = 0) {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(LANGUAGE, digits).format(value);
}

/** Return the day of today where the reader is (ISO 8601). */
export function today() {
  const now = new Date();
  const two = (part) => String(part).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
