"""Paragraphs that open provisions or divisions, tables of contents, and annexes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress, pairwise
from string import digits, whitespace
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.language.numerals import read_words
from articulado.language.sentences import sentence_spans
from articulado.legal.labels import DIVISIONS, PART_HEADINGS, Heading, split_heading
from articulado.legal.laws.mentions import law_mentions

PREAMBLE = Heading("Preámbulo", "preambulo", "")  # heading of the text before the first provision
LONGEST_DIVISION = 160  # maximum characters of a chapter heading

_LEADERS = re.compile(r"(?:(?:\. ?){4,}|…[… ]+|_{4,}|-{4,})\s*\d{0,4}$")
_TAIL = 60  # characters searched for leaders at the end of a line, which may be very long
_DIVISION = re.compile(rf"({'|'.join(DIVISIONS)})\s+")
_DIVISION_NUMBER = re.compile(r"(?:[ivxlc]+|\d{1,2}(?:\.?[ºª])?|preliminar|unic[oa]|[a-z])(?!\w)")
_CAPITAL = re.compile(r"[«\"(¿¡]*[A-ZÁÉÍÓÚÑ]")
_ROMAN = re.compile(r"[IVXLC]+(?:\.\w+)?|[A-Z]")
_DASH = re.compile(r"\s*[-–—]+\s*")


class Opening(NamedTuple):
    """Paragraph that opens a provision: label, canonical key, and the rest of the paragraph."""

    label: str
    key: str
    rest: str

    @property
    def number(self) -> int:
        """Number in its key; 1 if it has none ("Artículo único")."""
        digits = re.search(r"\d+", self.key)
        return int(digits[0]) if digits else 1


class Division(NamedTuple):
    """Chapter or similar: level (0 is a book), heading, and if it has a name beside its number."""

    level: int
    text: str
    named: bool


def is_listed(paragraph: str) -> bool:
    """Tell if a paragraph is a line of a table of contents: leaders, and usually a page number, at its end."""
    return _LEADERS.search(paragraph, max(0, len(paragraph) - _TAIL)) is not None


def opening(paragraph: str) -> Opening | None:
    """Parse a paragraph that opens a provision, ``None`` for other paragraphs and mentions ("Artículo 24 CE").

    >>> opening("Artículo 5. Jornada.")
    Opening(label='Artículo 5', key='art:5', rest='Jornada.')
    >>> opening("Artículo 5 del ET dice")
    """
    line, _, more = paragraph.partition("\n")
    # split_heading would drop a bracket after the label.
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
    """Parse the heading of a chapter or similar, ``None`` for others and mentions ("Capítulo II del Estatuto…").

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
    """Tell if a paragraph only announces the next provisions: "DISPOSICIONES ADICIONALES"."""
    return fold(paragraph).strip(" .:") in {fold(part) for part in PART_HEADINGS.values()}


def cased(label: str) -> str:
    """Return a label in the case of laws: "ARTÍCULO PRIMERO" becomes "Artículo primero", "ANEXO II" "Anexo II"."""
    head, *more = label.split()
    if not head.isupper():
        return label
    return " ".join([head.capitalize(), *(word if _ROMAN.fullmatch(word) else word.lower() for word in more)])


LONGEST_TITLE = 200  # maximum characters of a title on its own line
MIN_ARTICLES = 3  # minimum articles with text of a structured document

_LIST_MARK = re.compile(r"(?:\d|[a-zñ]\))")
_TO_LAST_LETTER = re.compile(r".*[^\W\d]", re.DOTALL)
_ASCENDING = 0.8  # minimum share of articles in ascending order
_LONGEST_PREAMBLE = 0.5  # maximum share of text before a first article other than article 1

FRAME = "marco"  # key of an annex that frames articles; never cited

_MIN_RUN = 3  # minimum headings of a table of contents
_EMPTY_IN_CONTENTS = 0.8  # minimum share of headings without text in a table of contents


@dataclass
class Block:
    """Paragraph with its offset in the text, and the provision that it opens, if any."""

    offset: int
    text: str
    opens: Opening | None

    @property
    def opening(self) -> Opening:
        """The opening of a block known to have one."""
        assert self.opens is not None
        return self.opens


def without_contents(blocks: list[Block]) -> list[Block]:
    """Remove the table of contents: lines with leaders, and a run of bare headings that are all repeated."""
    blocks = [block for block in blocks if not _is_contents_line(block.text)]
    heads = [index for index, block in enumerate(blocks) if block.opens]
    opened = [block.opens for block in blocks if block.opens]
    keys = [opens.key for opens in opened]
    again = keys.index(keys[0], 1) if keys[:1] and keys[0] in keys[1:] else 0
    bare = [
        index for index in heads[: max(0, again - 1)] if blocks[index + 1].opens or division(blocks[index + 1].text)
    ]
    is_bare = len(bare) >= _EMPTY_IN_CONTENTS * (again - 1)
    if again < _MIN_RUN or not is_bare or not set(keys[:again]) <= set(keys[again:]):
        return blocks
    repeated = [any(_repeats(listed, opens) for opens in opened[again:]) for listed in opened[:again]]
    left_out = set(compress(heads, repeated))
    for index in heads[:again]:
        blocks[index].opens = None
    return [block for index, block in enumerate(blocks) if index not in left_out]


def _repeats(listed: Opening, opens: Opening) -> bool:
    title = _TO_LAST_LETTER.match(fold(listed.rest))
    return listed.key == opens.key and fold(opens.rest).startswith(title[0] if title else "")


def _is_contents_line(paragraph: str) -> bool:
    if not is_listed(paragraph):
        return False
    bare = paragraph.rstrip(digits).rstrip(f"{whitespace}.…_-")
    return opening(bare) is not None or division(bare) is not None


def keep_annexes_whole(blocks: list[Block]) -> None:
    """Treat apparent provisions inside an annex as its text, unless the annex frames an approved text."""
    before, inside = 0, False
    articles = _articles_of_annexes(blocks)
    for index, block in enumerate(blocks):
        if block.opens is None:
            continue
        if block.opens.key.startswith("anexo:"):
            inside = articles[index] <= before
            if not inside:
                block.opens = block.opens._replace(key=FRAME)
        elif inside:
            block.opens = None
        else:
            before += block.opens.key.startswith("art:")


def _articles_of_annexes(blocks: Sequence[Block]) -> dict[int, int]:
    articles, annex = {0: 0}, 0
    for index, block in enumerate(blocks):
        if block.opens and block.opens.key.startswith("anexo:"):
            annex = index
            articles[annex] = 0
        elif block.opens and block.opens.key.startswith("art:"):
            articles[annex] += 1
    return articles


def begins_structure(blocks: Sequence[Block]) -> bool:
    """Tell if the paragraphs of an official norm open provisions: number 1 first, or as ``is_structured``."""
    first = next((block.opens for block in blocks if block.opens and not block.opens.key.startswith("anexo:")), None)
    return first is not None and (first.number == 1 or is_structured(blocks))


def is_structured(blocks: Sequence[Block]) -> bool:
    """Tell if at least three articles have text, mostly ascend, and begin with number 1 or near the top."""
    articles = [index for index, block in enumerate(blocks) if block.opens and block.opens.key.startswith("art:")]
    written = [
        index
        for index in articles
        if blocks[index].opening.rest or (index + 1 < len(blocks) and blocks[index + 1].opens is None)
    ]
    if len(written) < MIN_ARTICLES:
        return False
    numbers = [blocks[index].opening.number for index in written]
    steps = list(pairwise(numbers))
    if sum(before <= after for before, after in steps) < _ASCENDING * len(steps):
        return False
    end = blocks[-1].offset + len(blocks[-1].text)
    return numbers[0] == 1 or blocks[written[0]].offset <= _LONGEST_PREAMBLE * end


def may_be_title(rest: str) -> bool:
    """Tell if the text beside a label may be a title: one short sentence that announces no list."""
    is_short = len(rest) <= LONGEST_TITLE and rest[-1] not in ":;,"
    return is_short and _LIST_MARK.match(rest) is None and len(sentence_spans(rest)) == 1
