// An answer as elements: the little Markdown that models write, words of a source in «», and the markers of its sources.
// Everything becomes text nodes; pictures and links of the answer's own are not followed: its sources are listed below it.

import { el } from "./dom.js";

const INLINE = new RegExp(
  [
    String.raw`\[C(?<mark>\d{1,3})\]`,
    "`(?<code>[^`\\n]+)`",
    String.raw`«(?<literal>[^«»\n]{1,4000})»`,
    String.raw`!?\[(?<label>[^\]\n]{0,300})\]\([^)\n]{0,2000}\)`,
    String.raw`\*\*(?=\S)(?<bold>[^\n]{1,1500}?)(?<=\S)\*\*`,
    String.raw`\*(?=[^\s*])(?<italic>[^*\n]{1,800}?)(?<=[^\s*])\*`,
    String.raw`(?<![\wÀ-ÿ])_(?=[^\s_])(?<under>[^_\n]{1,800}?)(?<=[^\s_])_(?![\wÀ-ÿ])`,
  ].join("|"),
  "g",
);
const HEADING = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^(\s*)([-*•+]|\d{1,3}[.)])\s+(.*)$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const ROW = /^\s*\|.*\|\s*$/;
const DIVIDER = /^\s*\|(\s*:?-+:?\s*\|)+\s*$/;

/** Return the elements of an answer; `marker(number)` returns what stands for a marker of that number. */
export function render(text, marker) {
  const lines = text.split("\n");
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at += 1;
    else if (/^\s*(```|~~~)/.test(line)) at = fence(lines, at, blocks);
    else if (HEADING.test(line)) {
      const [, signs, title] = line.match(HEADING);
      // The question is the second level of the page; those of its answer are below it.
      blocks.push(el(`h${Math.min(6, signs.length + 2)}`, {}, inline(title, marker)));
      at += 1;
    } else if (RULE.test(line)) {
      blocks.push(el("hr"));
      at += 1;
    } else if (ROW.test(line)) at = table(lines, at, blocks, marker);
    else if (ITEM.test(line)) at = list(lines, at, blocks, marker);
    else if (/^\s*>/.test(line)) at = quote(lines, at, blocks, marker);
    else at = paragraph(lines, at, blocks, marker);
  }
  return blocks;
}

/** Return the pieces of a line: text, emphasis, markers. */
export function inline(text, marker) {
  const pieces = [];
  let last = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > last) pieces.push(text.slice(last, match.index));
    last = match.index + match[0].length;
    const { mark, code, literal, label, bold, italic, under } = match.groups;
    if (mark) pieces.push(marker(Number(mark)));
    else if (code) pieces.push(el("code", {}, code));
    else if (literal) pieces.push(el("span", { class: "literal" }, "«", inline(literal, marker), "»"));
    else if (label !== undefined) pieces.push(...inline(label, marker));
    else if (bold) pieces.push(el("strong", {}, inline(bold, marker)));
    else pieces.push(el("em", {}, inline(italic || under, marker)));
  }
  pieces.push(text.slice(last));
  return pieces.filter((piece) => piece !== "");
}

function fence(lines, start, blocks) {
  const end = lines.findIndex((line, at) => at > start && /^\s*(```|~~~)/.test(line));
  const stop = end < 0 ? lines.length : end;
  blocks.push(el("pre", {}, lines.slice(start + 1, stop).join("\n")));
  return stop + 1;
}

function table(lines, start, blocks, marker) {
  let at = start;
  while (at < lines.length && ROW.test(lines[at])) at += 1;
  const rows = lines.slice(start, at);
  const hasHead = rows.length > 1 && DIVIDER.test(rows[1]);
  const body = el("tbody");
  const grid = el("table");
  for (const [index, row] of rows.entries()) {
    if (DIVIDER.test(row)) continue;
    const isHead = hasHead && index === 0;
    const cells = row.trim().slice(1, -1).split("|");
    const tr = el("tr", {}, cells.map((cell) => el(isHead ? "th" : "td", isHead ? { scope: "col" } : {}, inline(cell.trim(), marker))));
    if (isHead) grid.append(el("thead", {}, tr));
    else body.append(tr);
  }
  grid.append(body);
  blocks.push(el("div", { class: "scroll", tabindex: "0" }, grid));
  return at;
}

function list(lines, start, blocks, marker) {
  const [, indent, sign] = lines[start].match(ITEM);
  const ordered = /\d/.test(sign);
  const first = Number.parseInt(sign, 10);
  const items = el(ordered ? "ol" : "ul", { start: ordered && first !== 1 && first });
  let at = start;
  let item = null;
  while (at < lines.length) {
    const match = lines[at].match(ITEM);
    if (match && match[1].length <= indent.length) {
      if (/\d/.test(match[2]) !== ordered || match[1].length < indent.length) break;
      item = el("li", {}, inline(match[3], marker));
      items.append(item);
      at += 1;
    } else if (match) {
      const inner = [];
      at = list(lines, at, inner, marker);
      item.append(...inner);
    } else if (lines[at].trim() && /^\s/.test(lines[at])) {
      item.append(el("br"), ...inline(lines[at].trim(), marker));
      at += 1;
    } else if (!lines[at].trim() && ITEM.test(lines[at + 1] || "")) at += 1;
    else break;
  }
  blocks.push(items);
  return at;
}

function quote(lines, start, blocks, marker) {
  let at = start;
  while (at < lines.length && /^\s*>/.test(lines[at])) at += 1;
  const inner = lines.slice(start, at).map((line) => line.replace(/^\s*> ?/, ""));
  blocks.push(el("blockquote", {}, render(inner.join("\n"), marker)));
  return at;
}

function paragraph(lines, start, blocks, marker) {
  let at = start;
  const pieces = [];
  const begins = (line) => HEADING.test(line) || ITEM.test(line) || ROW.test(line) || /^\s*(>|```|~~~)/.test(line);
  while (at < lines.length && lines[at].trim() && (at === start || !begins(lines[at]))) {
    if (pieces.length) pieces.push(el("br"));
    pieces.push(...inline(lines[at].trim(), marker));
    at += 1;
  }
  blocks.push(el("p", {}, pieces));
  return at;
}
