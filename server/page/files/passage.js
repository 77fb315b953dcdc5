// Where in a provision stands what a claim says: words that are quoted, the letter that is named, or the nearest sentence.

import { fold } from "./texts.js";

const QUOTED = /[«“"]([^«»“”"]{12,})[»”"]/g;
const ELLIPSIS = /\s*(?:\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\)|…|\.\.\.)\s*/;
const SHORTEST_QUOTE = 12;
/** The words that a sentence shares with a claim at least, and each further sentence with a part of it. */
const [FEWEST, FEWEST_OF_MORE] = [2, 3];
/** The share of a claim's words, rare ones counting more, that its nearest sentence has; and each further sentence. */
const [LEAST, LEAST_OF_MORE] = [0.2, 0.45];
/** What it is worth that the answer quotes a sentence elsewhere, for the same source. */
const QUOTED_ELSEWHERE = 0.12;
/** Words of a sentence that take a third of its score: a long one has some words of any claim. */
const LONG = 150;

const SUFFIX = String.raw`bis|ter|qu[aá]ter|quinquies|sexies|septies`;
const LETTER = String.raw`[a-zñ](?:\s(?:${SUFFIX}))?`;
const ARTICLE = String.raw`(?<article>\d{1,4}(?:\s(?:${SUFFIX}))?)`;
const APARTADO = String.raw`(?<part>\d{1,2}(?:\s(?:${SUFFIX}))?)`;
/** How a claim names a part: "art. 37.3.b", "artículo 37.3 b)", "37.3.b)"; "apartado 3, letra b)", "letra b". */
const NAMED = [
  String.raw`\b(?:art[íi]culo|art\.?|article)\s?${ARTICLE}[.,]\s?(?:apartado\s)?${APARTADO}(?:[.,]?\s?(?<letter>${LETTER})\)|[.,]\s?(?:letra\s)?(?<bare>${LETTER})(?![\p{L}\d]))?`,
  String.raw`\b(?:art[íi]culo|art\.?|article)\s?${ARTICLE}[.,]?\s?(?:letra\s)?(?:(?<letter>${LETTER})\)|(?<=letra\s)(?<bare>${LETTER})(?![\p{L}\d]))`,
  String.raw`(?<![\p{L}\d./])${ARTICLE}\.${APARTADO}(?:[.,]?\s?(?<letter>${LETTER})\)|\.(?<bare>${LETTER})(?![\p{L}\d]))?(?![\d%])`,
  String.raw`\b(?:apartado|paragraph)\s${APARTADO}(?:[.,]?\s(?:letra\s)?(?<letter>${LETTER})\))?`,
  String.raw`\b(?:letra|letter)\s(?<letter>${LETTER})(?![\p{L}\d])`,
].map((pattern) => new RegExp(pattern, "giu"));
/** How a paragraph of the law begins a part: "3.", "3 bis.", "b)", "b bis)". */
const BEGINS_PART = new RegExp(String.raw`^(\d{1,2}(?:\s(?:${SUFFIX}))?)[.)]\s`, "iu");
const BEGINS_LETTER = new RegExp(String.raw`^(${LETTER})\)\s`, "iu");
/** The end of a sentence: no point of an abbreviation or of a number, and a capital letter after it. */
const END_OF_SENTENCE = /(?<=[\p{L}\d)»”"]{2}[.?!;])\s+(?=[«“"¿(]?\p{Lu})/gu;
const NUMBERS = ["", "un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce", "trece", "catorce", "quince", "dieciseis",
  "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiun", "veintidos", "veintitres", "veinticuatro", "veinticinco", "veintiseis", "veintisiete", "veintiocho"];
const EMPTY = new Set(["para", "como", "pero", "sino", "este", "esta", "esto", "entre", "desde", "hasta", "sobre", "cuando", "donde"]);
const TENS = { treinta: "30", cuarenta: "40", cuarentaycinco: "45", cincuenta: "50", sesenta: "60", setenta: "70", ochenta: "80", noventa: "90", cien: "100" };

/**
 * Return the passages of a text that a claim rests on: {start, end, exact}, in order, none overlapping.
 * `label` names the provision ("Artículo 37"); `quoted` are words that the answer quotes from it, for this claim or another.
 * Exact ones are quoted words or a letter that the claim names; else they are the sentences that share most with it.
 */
export function passagesOf(text, claim, { label = "", quoted = [] } = {}) {
  const own = quotations(claim).flatMap((words) => find(text, words));
  if (own.length) return disjoint(own);
  const sentences = sentencesOf(text);
  const named = namedIn(claim, label).map((asked) => sentences.filter((one) => isOf(one, asked))).filter((within) => within.length);
  const letters = named.filter(([first]) => first.letter).map((within) => ({ start: within[0].start, end: within.at(-1).end, exact: true }));
  if (letters.length) return disjoint(letters);
  const elsewhere = disjoint(quoted.flatMap((words) => find(text, words)));
  const found = named.length
    ? named.map((within) => nearest(within, [claim], elsewhere)[0] ?? within[0])
    : nearest(sentences, [claim, ...claim.split(/(?<=[.;:?!])\s+|\n/)], elsewhere);
  // Where nothing is near, the quotation of the source stands for the claim, and for its own sentence.
  if (!found.length) return elsewhere;
  const passages = found.flatMap((one) => {
    const within = elsewhere.filter((quote) => overlap(one, quote));
    return within.length ? within : [{ start: one.start, end: one.end, exact: false }];
  });
  return disjoint(passages);
}

/** Return the words that a text quotes, without those that it leaves out. */
export function quotations(text) {
  const all = [...text.matchAll(QUOTED)].flatMap(([, words]) => words.split(ELLIPSIS));
  return all.map((words) => words.trim().replace(/[.,;:]$/, "")).filter((words) => words.length >= SHORTEST_QUOTE);
}

/** Return the words that an answer quotes for a mark ("C1"). */
export function quotedFor(answer, mark) {
  const claims = answer.matchAll(/([^\n]*?)((?:\s*\[C\d+\])+)/g);
  return [...claims].filter(([, , marks]) => marks.includes(`[${mark}]`)).flatMap(([, claim]) => quotations(claim));
}

/** Find words wherever white space, case and accents make no difference. */
function find(text, words) {
  const { folded, origin } = foldedText(text);
  const sought = foldedText(words).folded.trim();
  const start = folded.indexOf(sought);
  if (start < 0) return [];
  const end = origin[start + sought.length - 1] + 1;
  return [{ start: origin[start], end: text[end] === "." ? end + 1 : end, exact: true }];
}

function foldedText(text) {
  let folded = "";
  const origin = [];
  for (let at = 0; at < text.length; at += 1) {
    const letter = fold(text[at]);
    const blank = !letter.trim();
    if (blank && (!folded || folded.endsWith(" "))) continue;
    // One letter may become two ("½") or none: each knows where it came from.
    for (const one of blank ? " " : letter) {
      folded += one;
      origin.push(at);
    }
  }
  return { folded, origin };
}

/** Return the parts that a claim names, {part, letter}, of the provision with this label alone. */
function namedIn(claim, label) {
  const number = fold(label).match(/\d+(?:\s(?:bis|ter|quater|quinquies|sexies|septies))?/)?.[0];
  let rest = claim;
  const parts = [];
  for (const pattern of NAMED) {
    // What one pattern has read, the next ones, which are shorter, do not read again.
    rest = rest.replace(pattern, (...match) => {
      const { article, part, letter, bare } = match.at(-1);
      const isOther = article && number && fold(article) !== number;
      if (!isOther) parts.push({ part: part && fold(part), letter: (letter ?? bare) && fold(letter ?? bare) });
      return " ";
    });
  }
  return parts;
}

function isOf(sentence, { part, letter }) {
  return (!part || sentence.part === part) && (!letter || sentence.letter === letter) && Boolean(part || letter);
}

/** Return the sentences of a text, each with the apartado and the letter that it is of. */
function sentencesOf(text) {
  const sentences = [];
  let part;
  let letter;
  for (const { 0: paragraph, index } of text.matchAll(/[^\n]+/g)) {
    const begun = { part: paragraph.match(BEGINS_PART)?.[1], letter: paragraph.match(BEGINS_LETTER)?.[1] };
    if (begun.part) [part, letter] = [fold(begun.part), undefined];
    if (begun.letter) letter = fold(begun.letter);
    let start = 0;
    for (const end of [...[...paragraph.matchAll(END_OF_SENTENCE)].map((match) => match.index), paragraph.length]) {
      const sentence = paragraph.slice(start, end).trim();
      const from = index + paragraph.indexOf(sentence, start);
      if (sentence) sentences.push({ start: from, end: from + sentence.length, words: words(sentence.replace(BEGINS_PART, "")), part, letter });
      start = end;
    }
  }
  return sentences;
}

/** Return the sentences that have most of what claims say, rare words counting more: one of the first, and near ones of the others. */
function nearest(sentences, claims, quoted) {
  return claims.flatMap((claim, at) => {
    const sought = [...words(claim)];
    const holding = (word) => sentences.filter((one) => one.words.has(word)).length;
    // Words that stand nowhere in the provision count like those that stand everywhere: a sentence of them is not of it.
    const weight = new Map(sought.map((word) => [word, Math.log(1 + sentences.length / (holding(word) || sentences.length))]));
    const total = (list) => list.reduce((sum, word) => sum + weight.get(word), 0);
    let best = { score: at ? LEAST_OF_MORE : LEAST };
    for (const sentence of sentences) {
      const shared = sought.filter((word) => sentence.words.has(word));
      if (shared.length < (at ? FEWEST_OF_MORE : FEWEST)) continue;
      const share = (total(shared) / total(sought)) * (1 - Math.min(1, sentence.words.size / LONG) / 3);
      const score = share + (quoted.some((one) => overlap(one, sentence)) ? QUOTED_ELSEWHERE : 0);
      if (score > best.score) best = { ...sentence, score };
    }
    return best.words ? [best] : [];
  });
}

/** Return the words of a text that say something, by their beginnings ("despidos" is like "despido"), numbers in figures. */
function words(text) {
  const all = fold(text).replace(/cuarenta y cinco/g, "cuarentaycinco").match(/\p{L}{3,}|\d[\d.,]*\d|\d/gu) || [];
  return new Set(all.flatMap((word) => {
    const number = NUMBERS.indexOf(word);
    if (number > 0) return [String(number)];
    if (word in TENS) return [TENS[word]];
    return /\d/.test(word) ? [word] : word.length > 3 && !EMPTY.has(word) ? [word.slice(0, 6)] : [];
  }));
}

function overlap(one, other) {
  return one.start < other.end && other.start < one.end;
}

function disjoint(passages) {
  const kept = [];
  for (const passage of passages.toSorted((one, other) => one.start - other.start)) {
    if (!kept.length || passage.start >= kept.at(-1).end) kept.push(passage);
  }
  return kept;
}
