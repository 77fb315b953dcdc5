"""Paragraphs that open provisions or divisions, tables of contents, and annexes.

``opening`` and ``division`` classify a paragraph; both return ``None`` for a mere mention.
``without_contents`` removes a table of contents. ``keep_annexes_whole`` keeps apparent provisions inside an
annex as its text. ``is_structured`` requires at least three articles with text, mostly in ascending order.
"""

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


LONGEST_TITLE = 200
"""Characters of a title that has a line of its own."""

MIN_ARTICLES = 3
"""Articles with a text that make a document structured."""

_LIST_MARK = re.compile(r"(?:\d|[a-zñ]\))")
_TO_LAST_LETTER = re.compile(r".*[^\W\d]", re.DOTALL)
_ASCENDING = 0.8
"""Share of the articles that must have no lower number than the one before."""

_LONGEST_PREAMBLE = 0.5
"""Share of a text that may stand before its first article, where that is not article 1."""

FRAME = "marco"
"""Key of an annex that frames articles; no citation has it."""

_MIN_RUN = 3
"""Headings of a run that may be a table of contents, at least."""

_EMPTY_IN_CONTENTS = 0.8
"""Share of the headings of a table of contents that have no text below them."""


@dataclass
class Block:
    """A paragraph, where it begins in the text, and what it opens."""

    offset: int
    text: str
    opens: Opening | None

    @property
    def opening(self) -> Opening:
        """What it opens, of a block that opens something."""
        assert self.opens is not None
        return self.opens


def without_contents(blocks: list[Block]) -> list[Block]:
    """Leave out the table of contents: lines with leaders, and a run of bare headings that are all there again.

    Of such a run, a heading whose title is another one below is text.
    """
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
    """Tell whether a heading is what a table of contents lists, but for the number of the page."""
    title = _TO_LAST_LETTER.match(fold(listed.rest))
    return listed.key == opens.key and fold(opens.rest).startswith(title[0] if title else "")


def _is_contents_line(paragraph: str) -> bool:
    if not is_listed(paragraph):
        return False
    bare = paragraph.rstrip(digits).rstrip(f"{whitespace}.…_-")
    return opening(bare) is not None or division(bare) is not None


def keep_annexes_whole(blocks: list[Block]) -> None:
    """Take what looks like provisions inside an annex for its text.

    An annex with more articles than stand before it is the frame of the text itself, as where a decree approves it:
    what it says of its own is kept as a provision that no citation names.
    """
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
    """Return how many articles stand between each annex, by its index, and the next one."""
    articles, annex = {0: 0}, 0
    for index, block in enumerate(blocks):
        if block.opens and block.opens.key.startswith("anexo:"):
            annex = index
            articles[annex] = 0
        elif block.opens and block.opens.key.startswith("art:"):
            articles[annex] += 1
    return articles


def begins_structure(blocks: Sequence[Block]) -> bool:
    """Tell whether provisions of an official norm begin paragraphs: from the first one on, or as in any document."""
    first = next((block.opens for block in blocks if block.opens and not block.opens.key.startswith("anexo:")), None)
    return first is not None and (first.number == 1 or is_structured(blocks))


def is_structured(blocks: Sequence[Block]) -> bool:
    """Tell whether three articles or more have text below them, mostly in ascending order, and begin early enough."""
    articles = [index for index, block in enumerate(blocks) if block.opens and block.opens.key.startswith("art:")]
    written = [index for index in articles if blocks[index].opening.rest or _has_text(blocks, index)]
    if len(written) < MIN_ARTICLES:
        return False
    numbers = [blocks[index].opening.number for index in written]
    steps = list(pairwise(numbers))
    if sum(before <= after for before, after in steps) < _ASCENDING * len(steps):
        return False
    end = blocks[-1].offset + len(blocks[-1].text)
    return numbers[0] == 1 or blocks[written[0]].offset <= _LONGEST_PREAMBLE * end


def _has_text(blocks: Sequence[Block], index: int) -> bool:
    return index + 1 < len(blocks) and blocks[index + 1].opens is None


def may_be_title(rest: str) -> bool:
    """Tell whether what stands beside a label may be a title: one short sentence, which announces no list."""
    is_short = len(rest) <= LONGEST_TITLE and rest[-1] not in ":;,"
    return is_short and _LIST_MARK.match(rest) is None and len(sentence_spans(rest)) == 1
