// Where in a provision stands what a claim says: its own words in quotation marks, or the paragraph that is most like it.

const QUOTED = /[«“"]([^«»“”"]{12,})[»”"]/g;
const ELLIPSIS = /\s*(?:\[…\]|\[\.\.\.\]|\(…\)|\(\.\.\.\)|…|\.\.\.)\s*/;
const PART = /(?:art[íi]culo|art\.)\s+\d[\w]*(?:\s(?:bis|ter|qu[aá]ter|quinquies))?\.(\d{1,2})\b|apartado\s+(\d{1,2})\b/gi;
const SHORTEST_QUOTE = 12;
const FEWEST_WORDS = 3;
const MINIMUM_SHARE = 0.2;

/**
 * Return the passages of a text that a claim rests on: {start, end, exact}, in order, none overlapping.
 * Exact ones are words that the claim quotes; else it is for each of its sentences the paragraph that shares most with it.
 */
export function passagesOf(text, claim) {
  const quoted = quotations(claim).flatMap((words) => find(text, words));
  if (quoted.length) return disjoint(quoted);
  const paragraphs = paragraphsOf(text);
  const sentences = claim.split(/(?<=[.;:?!])\s+|\n/).filter((sentence) => words(sentence).size >= FEWEST_WORDS);
  return disjoint(sentences.map((sentence) => nearest(paragraphs, sentence)).filter(Boolean));
}

function quotations(claim) {
  const all = [...claim.matchAll(QUOTED)].flatMap(([, words]) => words.split(ELLIPSIS));
  return all.map((words) => words.trim().replace(/[.,;:]$/, "")).filter((words) => words.length >= SHORTEST_QUOTE);
}

/** Find words wherever white space, case and accents make no difference. */
function find(text, words) {
  const { folded, origin } = foldedText(text);
  const sought = foldedText(words).folded.trim();
  const start = folded.indexOf(sought);
  return start < 0 ? [] : [{ start: origin[start], end: origin[start + sought.length - 1] + 1, exact: true }];
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

function fold(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function paragraphsOf(text) {
  const paragraphs = [...text.matchAll(/[^\n]+/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    words: words(match[0]),
    part: (match[0].match(/^(\d{1,2})[.)]\s/) || [])[1],
  }));
  // An apartado may have several paragraphs: those below its number are of it.
  let part;
  for (const paragraph of paragraphs) part = paragraph.part ??= part;
  return paragraphs;
}

/** Return the paragraph that has most of what a sentence says, rare words counting more; null where none has enough. */
function nearest(paragraphs, sentence) {
  const parts = new Set([...sentence.matchAll(PART)].map((match) => match[1] || match[2]));
  const sought = [...words(sentence.replace(PART, " "))];
  const holding = (word) => paragraphs.filter((one) => one.words.has(word)).length;
  // Words that stand nowhere in the provision count like those that stand everywhere: a sentence of them is not of it.
  const weight = new Map(sought.map((word) => [word, Math.log(1 + paragraphs.length / (holding(word) || paragraphs.length))]));
  const total = (list) => list.reduce((sum, word) => sum + weight.get(word), 0);
  let best = null;
  for (const paragraph of paragraphs) {
    const share = total(sought.filter((word) => paragraph.words.has(word))) / total(sought);
    const score = share + (parts.has(paragraph.part) ? 0.5 : 0);
    if (score > (best?.score ?? MINIMUM_SHARE)) best = { ...paragraph, score };
  }
  return best && { start: best.start, end: best.end, exact: false };
}

/** Return the words of a text that say something, by their beginnings: "despidos" is like "despido". */
function words(text) {
  const all = fold(text).match(/\p{L}{4,}|\d[\d.,]*\d|\d/gu) || [];
  return new Set(all.map((word) => (/\d/.test(word) ? word : word.slice(0, 6))));
}

function disjoint(passages) {
  const kept = [];
  for (const passage of passages.toSorted((one, other) => one.start - other.start)) {
    if (!kept.length || passage.start >= kept.at(-1).end) kept.push(passage);
  }
  return kept;
}
