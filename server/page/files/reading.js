// How an answer is laid out to be read: what is said twice goes, labels stand out, words of the law stand apart.

/** Matches the label of a line: "Plazo:", "Si pide abogado de oficio:". */
const LABEL = /^(\s*)(\p{Lu}[^.:;?!«»“”"()[\]]{1,90}:)(?=\s)/u;

/**
 * Return the text of an answer without what stands on the page beside it: the question, where a paragraph begins with it,
 * and the names of guides that have a button. Another question that it answers becomes a paragraph of its own.
 */
export function readable(text, question, guides = []) {
  const lines = text.split("\n").filter((line) => !guides.some((one) => namesGuide(line, one.title)));
  return lines.flatMap((line, at) => {
    const opens = isQuestion(line) && !lines[at - 1]?.trim() && lines[at + 1]?.trim();
    if (!opens) return [line];
    return plain(line) === plain(question) ? [] : [line, ""];
  }).join("\n");
}

/** Mark in the blocks of an answer the question that it says to answer, labels, and quotations of the law. */
export function emphasize(body) {
  for (const block of body.querySelectorAll(":scope > p")) {
    block.classList.toggle("restated", isQuestion(block.textContent) && Boolean(block.nextElementSibling?.matches("p")));
  }
  for (const block of body.querySelectorAll("p:not(.restated), li")) {
    for (const node of [...block.childNodes]) {
      const opensLine = !node.previousSibling || node.previousSibling.nodeName === "BR";
      if (node.nodeType === Node.TEXT_NODE && opensLine) label(node);
    }
    const own = [...block.childNodes].filter((node) => !node.classList?.contains("mark") && !node.classList?.contains("literal"));
    const isQuotation = block.querySelector(":scope > .literal") && own.map((node) => node.textContent).join("").trim().endsWith(":");
    block.classList.toggle("quotation", Boolean(isQuotation));
  }
  for (const mark of body.querySelectorAll(".mark")) keepTogether(mark);
}

function label(node) {
  const match = node.data.match(LABEL);
  if (!match) return;
  const bold = document.createElement("strong");
  bold.textContent = match[2];
  node.data = node.data.slice(match[0].length);
  node.before(bold);
}

/** Keep a marker on the line of the word before it. */
function keepTogether(mark) {
  const before = mark.previousSibling;
  if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.replace(/\s+$/, "\u00a0");
}

function isQuestion(line) {
  return /\?\s*$/.test(line) && !/\[C\d+\]/.test(line);
}

function namesGuide(line, title) {
  return line.includes(title) && line.length < title.length + 60 && !/\[C\d+\]/.test(line);
}

function plain(text) {
  return text.normalize("NFD").replace(/[^\p{L}\p{N}]+/gu, " ").trim().toLowerCase();
}
