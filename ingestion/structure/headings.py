"""Tell the headings of articles, dispositions, annexes and chapters from other paragraphs."""

import re
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.language.numerals import read_words
from articulado.legal.labels import DIVISIONS, PART_HEADINGS, Heading, split_heading
from articulado.legal.laws.mentions import law_mentions

PREAMBLE = Heading("Preámbulo", "preambulo", "")
"""What stands before the first provision."""

LONGEST_DIVISION = 160
"""Characters of the heading of a chapter at most."""

_LEADERS = re.compile(r"(?:(?:\. ?){4,}|…[… ]+|_{4,}|-{4,})\s*\d{0,4}$")
_TAIL = 60
"""Characters at the end of a line in which leaders are looked for, however long it is."""
_DIVISION = re.compile(rf"({'|'.join(DIVISIONS)})\s+")
_DIVISION_NUMBER = re.compile(r"(?:[ivxlc]+|\d{1,2}(?:\.?[ºª])?|preliminar|unic[oa]|[a-z])(?!\w)")
_CAPITAL = re.compile(r"[«\"(¿¡]*[A-ZÁÉÍÓÚÑ]")
_ROMAN = re.compile(r"[IVXLC]+(?:\.\w+)?|[A-Z]")
_DASH = re.compile(r"\s*[-–—]+\s*")


class Opening(NamedTuple):
    """A paragraph that opens a provision: its label and canonical key, and what the paragraph says after them."""

    label: str
    key: str
    rest: str

    @property
    def number(self) -> int:
        """The number in its key; 1 of what has none ("Artículo único")."""
        digits = re.search(r"\d+", self.key)
        return int(digits[0]) if digits else 1


class Division(NamedTuple):
    """A chapter or the like: its level (0 is a book), its heading, and whether that has a name beside the number."""

    level: int
    text: str
    named: bool


def is_listed(paragraph: str) -> bool:
    """Tell whether a paragraph is a line of a table of contents: leaders, and mostly a page number, at its end."""
    return _LEADERS.search(paragraph, max(0, len(paragraph) - _TAIL)) is not None


def opening(paragraph: str) -> Opening | None:
    """Return what a paragraph opens, ``None`` if it does not begin as a provision does.

    After the label there is nothing, a stop, a dash or a capital: "Artículo 5 del ET dice", "Artículo 5.1",
    "Artículo 5, apartado 2" and "Artículo 24 CE" only mention one.

    >>> opening("Artículo 5. Jornada.")
    Opening(label='Artículo 5', key='art:5', rest='Jornada.')
    >>> opening("Artículo 5 del ET dice")
    """
    line, _, more = paragraph.partition("\n")
    # A bracket is no part of the label, and would be dropped.
    head, bracket, tail = line.partition("[")
    heading = split_heading(head) if head[:1].isupper() and not is_listed(line) else None
    if heading is None:
        return None
    written = head.rstrip().removesuffix(".")
    before = written[: len(written) - len(heading.title)]
    separator = before[len(before.rstrip(" .:")) :] or head[len(written) :]
    after = head[len(before) :] + bracket + tail
    dash = _DASH.match(after)
    follows = heading.title[:1]
    if "." in separator or ":" in separator or dash:
        tight = separator == "." and not dash
        opens = not (tight and (follows.isdigit() or re.match(r"[a-zñ]\)", heading.title)))
    else:
        named_law = any(mention.start == 0 for mention in law_mentions(heading.title[:80]))
        opens = not follows or (_CAPITAL.match(heading.title) is not None and not named_law)
    if not opens:
        return None
    rest = _DASH.sub("", after, count=1) if dash else after
    return Opening(heading.label, heading.key, f"{rest.strip().removeprefix('.').strip()}\n{more}".strip())


def division(paragraph: str) -> Division | None:
    """Return the chapter or the like that a paragraph is the heading of; "Capítulo II del Estatuto…" is of none.

    >>> division("CAPÍTULO II. Jornada")
    Division(level=2, text='CAPÍTULO II. Jornada', named=True)
    """
    if len(paragraph) > LONGEST_DIVISION:
        return None
    folded = fold(paragraph)
    head = _DIVISION.match(folded)
    if head is None or not paragraph[:1].isupper() or is_listed(paragraph):
        return None
    words, number = read_words(folded, head.end()), _DIVISION_NUMBER.match(folded, head.end())
    end = words[1] if words else number.end() if number else None
    if end is None:
        return None
    name = paragraph[end:].strip(" .:,-–—\n")
    separated = paragraph[end : end + 1] in ".:,-–—\n" or _DASH.match(paragraph[end:]) or _CAPITAL.match(name)
    return Division(DIVISIONS.index(head[1]), " ".join(paragraph.split()), bool(name)) if separated else None


def names_part(paragraph: str) -> bool:
    """Tell whether a paragraph only says which provisions follow: "DISPOSICIONES ADICIONALES"."""
    return fold(paragraph).strip(" .:") in {fold(part) for part in PART_HEADINGS.values()}


def cased(label: str) -> str:
    """Return a label as laws write it: "ARTÍCULO PRIMERO" becomes "Artículo primero", "ANEXO II" "Anexo II"."""
    head, *more = label.split()
    if not head.isupper():
        return label
    return " ".join([head.capitalize(), *(word if _ROMAN.fullmatch(word) else word.lower() for word in more)])
