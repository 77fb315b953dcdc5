"""Semantic splitting of running text at changes of subject, and splitting by length.

``semantic_spans`` compares the three sentences before and after each gap by the cosine distance of their
vectors. The highest peaks are breaks, at most as many as distances exceed the 90th percentile of the
document (Kamradt, "5 levels of text splitting", 2023, level 4; windows as in Hearst, "TextTiling", 1997). A
block that must stay together (heading and text, table) counts as one sentence, and a break beside a heading
goes before the heading. ``split_text`` cuts by length alone, at most 2,000 characters per part.
docs/ingestion.md has the figures of each choice.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
from numpy.typing import NDArray

from articulado.language.sentences import (
    CLAUSES,
    Cuts,
    Span,
    between_sentences,
    blanks_matching,
    clauses,
    cut,
    sentence_spans,
)
from articulado.language.table_text import head_of, is_row, with_heads
from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.labels import WRITTEN_SUFFIXES
from articulado.values.protocols import Vector

MAX_HEADING = 100
"""Characters of a heading at most."""

MAX_STACKED = 3
"""Headings one below the other that stay with the text (title, chapter, section): a longer run of them is a list."""

_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,6})(?:\.?[ºª]|[.)])?-?"
_NUMBERED = re.compile(rf"(?:(?:Artículo|Art\.|Cláusula|Apartado|Anexo) )?{_NUMBER}\s+\W?[A-ZÁÉÍÓÚÑ][^.;:,]*\.?")
_LIST_ITEM = re.compile(r"(?:[–—•·▪*-]|[a-zñ]\))\s")
_BEGINS_AS_TITLE = re.compile(r"[¿¡«\"(]?[A-ZÁÉÍÓÚÑ0-9]")
_STOPPED = re.compile(r"[.;,!…][»”\")\]]*$")


def blocks(text: str) -> list[Span]:
    r"""Return the spans of what stands together, in order; every character that is no blank is in exactly one.

    Most are a sentence, or a clause of a long one; a heading has the sentence below it, a table all its rows and the
    heading above.

    >>> text = "Así es.\n3. Vacaciones\nSon treinta días. Se eligen.\nTabla salarial\nGrupo | Euros\nA | 1.500"
    >>> [text[start:end].replace("\n", "/") for start, end in blocks(text)]
    ['Así es.', '3. Vacaciones/Son treinta días.', 'Se eligen.', 'Tabla salarial/Grupo | Euros/A | 1.500']
    """
    units = [
        (start + first, start + last) for start, end in sentence_spans(text) for first, last in clauses(text[start:end])
    ]
    begun: list[Span] = []
    for unit, joined in zip(units, [False, *_bonds(text, units)], strict=False):
        if joined:
            begun[-1] = (begun[-1][0], unit[1])
        else:
            begun.append(unit)
    return begun


def outside_bonds(cuts: Cuts) -> Cuts:
    """Return a function that finds the same blanks of a text as ``cuts``, but for those inside a block."""

    def between_blocks(text: str) -> list[Span]:
        free = {position for before, after in pairwise(blocks(text)) for position in range(before[1], after[0])}
        return [blank for blank in cuts(text) if blank[0] in free]

    return between_blocks


def _bonds(text: str, units: list[Span]) -> list[bool]:
    """Tell for each unit but the last whether it stands together with the next one."""
    announcing = [_announces(text, unit) for unit in units[:-1]]
    # For each unit, how many announcing ones there are from it on without a gap.
    runs = [*accumulate(reversed(announcing), lambda run, announces: (run + 1) * announces, initial=0)][:0:-1]
    in_row = _in_rows(text, units)
    rows = [
        in_row[number] and in_row[number + 1] and "\n\n" not in text[before[1] : after[0]]
        for number, (before, after) in enumerate(pairwise(units))
    ]
    return [row or 0 < run <= MAX_STACKED for row, run in zip(rows, runs, strict=True)]


def _announces(text: str, unit: Span) -> bool:
    """Tell whether a unit is a heading, or ends a line in a colon: what comes next belongs to it."""
    start, end = unit
    begins_line, ends_line = text[start - 1 : start] in ("", "\n"), text[end : end + 1] in ("", "\n")
    if text[end - 1] == ":":
        return ends_line
    return begins_line and _is_heading(text[start:end], alone=ends_line)


def _is_heading(unit: str, *, alone: bool) -> bool:
    """Tell whether a unit that begins a line is a heading; ``alone`` if nothing else stands in the line."""
    if len(unit) > MAX_HEADING or is_row(unit) or _LIST_ITEM.match(unit):
        return False
    if _NUMBERED.fullmatch(unit):
        return True
    return alone and (unit.isupper() or bool(_BEGINS_AS_TITLE.match(unit) and not _STOPPED.search(unit)))


def _in_rows(text: str, units: list[Span]) -> list[bool]:
    """Tell of each unit whether the line in which it stands is a row of a table; each line is looked at once."""
    inside: list[bool] = []
    line_end, in_row = -1, False
    for start, end in units:
        if end > line_end:
            line_end = text.find("\n", end)
            line_end = len(text) if line_end < 0 else line_end
            in_row = is_row(text[text.rfind("\n", 0, start) + 1 : line_end])
        inside.append(in_row)
    return inside


MAX_PART = 2_000
"""Characters of a part at most."""

CUTS: tuple[Cuts, ...] = (
    # Before an apartado: "2. …", "2 bis. …", "3.º …", or the next article that the text quotes.
    blanks_matching(rf"\n\n(?=«?(?:\d{{1,2}}(?: (?:{WRITTEN_SUFFIXES}))?(?:\.º|\.|\.ª) |Artículo \d))"),
    blanks_matching(r"\n\n"),
    blanks_matching(r"\n"),
    between_sentences,
    *CLAUSES,
)
"""Where a text is cut, from the best place to the worst."""


def split_text(text: str, limit: int = MAX_PART) -> list[str]:
    r"""Split a text into parts of at most ``limit`` characters, in order; a text that fits is one part.

    Cuts are made before apartados, else between paragraphs, rows or sentences. Only a single sentence or row that
    does not fit is cut at a clause or a blank (and a word longer than the limit, wherever it must be). A part that
    begins inside a table has its head before it.

    >>> split_text("1. Primer apartado.\n\n2. Segundo apartado.", limit=25)
    ['1. Primer apartado.', '2. Segundo apartado.']
    """
    text = text.strip()
    return list(with_heads(text, spans_of(text, limit)))


def spans_of(text: str, limit: int = MAX_PART) -> list[Span]:
    """Return where the parts of a text begin and end; with the head of a table before them, they fit too."""
    if len(text) > limit:
        limit -= max(len(f"{head}\n") if (head := head_of(table)) else 0 for table in text.split("\n\n"))
    return [(start, end) for start, end in cut(text, limit, CUTS) if end > start] if text else []


Embed = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]
"""Turns texts into vectors, in order."""

WINDOW = 3
"""Sentences on either side that are compared."""

PERCENTILE = 90.0
"""Percentile of the distances above which the subject changes (linear interpolation)."""

OVERLAP = 200
"""Characters that a part repeats of the one before it at most, where one subject is too long for a part."""

LSA_DIMENSIONS = 64
_CUTS = (*map(outside_bonds, CUTS), *CUTS)
"""Where a subject is cut: inside what stands together only where that alone is too long."""
_DECIMALS = 6
"""Decimals of a distance: equal ones stay equal, whatever the last bits of the vectors are."""


async def semantic_spans(text: str, embed: Embed) -> list[Span]:
    """Return where the parts of a text by subject begin and end, each of at most ``MAX_PART`` characters.

    Every character but the blanks between parts is in one; where one subject is cut because of its length, each piece
    begins with the end of the piece before it. The same text and vectors give the same parts.
    """
    return [piece for start, end in subjects(text, await gaps(text, embed)) for piece in _fitted(text, start, end)]


async def gaps(text: str, embed: Embed) -> NDArray[np.float64]:
    """Return how far apart what stands before and after each gap between the blocks of a text is, (blocks − 1,)."""
    # Of a long block (a table) the beginning says enough.
    sides = windows([text[start : min(end, start + MAX_PART)] for start, end in blocks(text)], WINDOW)
    texts = list(dict.fromkeys(window for pair in sides for window in pair))
    vectors = dict(zip(texts, await embed(texts), strict=True)) if texts else {}
    return distances([vectors[before] for before, _ in sides], [vectors[after] for _, after in sides])


def subjects(text: str, gaps: NDArray[np.float64]) -> list[Span]:
    """Return the spans of the subjects of a text, in order, by the distances at the gaps between its blocks."""
    units = blocks(text)
    headed = ["\n" in text[start:end] for start, end in units]
    bounds = [0, *before_headings(breaks(gaps), headed), len(units)] if units else []
    return [(units[first][0], units[last - 1][1]) for first, last in pairwise(bounds)]


def windows(texts: Sequence[str], width: int) -> list[tuple[str, str]]:
    """Return what stands before and after each gap between texts, up to ``width`` texts on either side.

    >>> windows(["Uno.", "Dos.", "Tres."], 2)
    [('Uno.', 'Dos. Tres.'), ('Uno. Dos.', 'Tres.')]
    """
    return [
        (" ".join(texts[max(0, gap - width) : gap]), " ".join(texts[gap : gap + width])) for gap in range(1, len(texts))
    ]


def distances(before: Sequence[Vector], after: Sequence[Vector]) -> NDArray[np.float64]:
    """Return 1 − cosine of each pair of vectors, (n,), in [0, 2]; 0 where one is zero: nothing is known of its text."""
    if not before:
        return np.zeros(0)
    one, other = np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    products = (one * other).sum(axis=1)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.ones_like(lengths), where=lengths > 0)
    return np.asarray(np.round(1 - cosines, _DECIMALS))


def breaks(gaps: NDArray[np.float64]) -> list[int]:
    """Return the indices of the sentences that begin a subject: the highest peaks of the distances, in order.

    There are at most as many as distances are strictly over the percentile, and all are over the median. Of equal
    neighbours the last is the peak, of equal peaks the first goes before.

    >>> breaks(np.array([0.1, 0.2, 0.9, 0.8, 0.1]))
    [3]
    """
    if gaps.size == 0:
        return []
    count = int(np.count_nonzero(gaps > np.percentile(gaps, PERCENTILE)))
    around = np.pad(gaps, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((gaps >= around[:-2]) & (gaps > around[2:]) & (gaps > np.median(gaps)))
    highest = peaks[np.argsort(-gaps[peaks], kind="stable")][:count]
    return sorted(int(peak) + 1 for peak in highest)


def before_headings(begins: Sequence[int], headed: Sequence[bool]) -> list[int]:
    """Return where subjects begin, moved to a block beside it that has a heading (the one before goes first), in order.

    A block that has a heading itself stays; the first block of a text begins a subject in any case.

    >>> before_headings([2, 5], [True, True, False, False, False, False])
    [1, 5]
    """
    moved = {
        next((other for other in (begin, begin - 1, begin + 1) if 0 < other < len(headed) and headed[other]), begin)
        for begin in begins
    }
    return sorted(moved)


async def offline_vectors(texts: Sequence[str], domain: Domain) -> list[Vector]:
    """Embed texts without a provider: by the encoder of the package, or in a domain that it does not know alone.

    The latter is latent semantic analysis of these texts, (64,) each; a text that shares no word with
    another one gets the zero vector. Neither depends on what else is indexed.
    """
    from articulado.encoders.dual import DualEncoder, TrainingPairs, packaged_encoder

    if domain is SPANISH_LAW:
        encoder = await asyncio.to_thread(packaged_encoder)
    else:
        # Without questions to learn from, its axes are the latent ones.
        encoder = await asyncio.to_thread(DualEncoder.fit, TrainingPairs(texts), LSA_DIMENSIONS, domain)
    return (await encoder.embed_documents(texts)).vectors


def _fitted(text: str, start: int, end: int) -> list[Span]:
    """Return a subject as pieces that fit, cut at paragraphs, sentences or blanks, with ``OVERLAP`` between them."""
    if end - start <= MAX_PART:
        return [(start, end)]
    pieces = [(start + first, start + last) for first, last in cut(text[start:end], MAX_PART - OVERLAP, _CUTS)]
    return [(_overlapping(text, start, first), last) for first, last in pieces if last > first]


def _overlapping(text: str, earliest: int, start: int) -> int:
    """Return where the overlap before a piece begins: at a sentence if one begins there, else at a word."""
    floor = max(earliest, start - OVERLAP)
    before = text[floor:start]
    inside = [floor + first for first, _ in sentence_spans(before)[1:]]
    if inside:
        return inside[0]
    blank = next((index for index, character in enumerate(before) if character.isspace()), None)
    return start if blank is None else start - len(before[blank:].lstrip())
