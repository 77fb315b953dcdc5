// What the page says, in the language of the profile or of an answer, and how days and numbers are written in it.

const TEXTS = JSON.parse(document.getElementById("texts").textContent);
let spoken = TEXTS;

/** The language of answers that name none: that of the profile, also where the page is in the language of the browser. */
export const ANSWERS = TEXTS.answers;

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

/** Return the day (ISO 8601) that a text names in figures ("3/3/2020", "2020-03-03") or words ("3 de marzo de 2020"), or "". */
export function readDay(text) {
  const parts = fold(text).match(/\p{L}+|\d+/gu) || [];
  const named = parts.map((part) => MONTHS.findIndex((names) => names.some((name) => part === name || (part.length > 2 && name.startsWith(part)))));
  const numbers = parts.filter((part) => /^\d+$/.test(part)).map(Number);
  const month = named.find((one) => one >= 0);
  if (month !== undefined && numbers.length === 2) return iso(numbers[1], month + 1, numbers[0]);
  if (month !== undefined || numbers.length !== 3 || parts.length !== 3) return "";
  const [first, second, third] = numbers;
  if (first > 31) return iso(first, second, third);
  return TEXTS.language === "en" && second > 12 ? iso(third, first, second) : iso(third, second, first);
}

const MONTHS = Array.from({ length: 12 }, (_, month) => ["es", "ca", "gl", "en"].map((language) =>
  fold(new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(new Date(Date.UTC(2020, month, 1)))).replace(/^de |^d'/, "")));

/** Return a day of the calendar (ISO 8601); a year of two digits is of this century, and a day that there is not is "". */
function iso(year, month, dayOfMonth) {
  const whole = year < 100 ? 2000 + year : year;
  const date = new Date(Date.UTC(whole, month - 1, dayOfMonth));
  return whole < 10_000 && date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth ? date.toISOString().slice(0, 10) : "";
}

/** Return a text in small letters without accents. */
export function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
