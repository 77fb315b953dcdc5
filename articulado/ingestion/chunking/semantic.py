"""Semantic splitting of running text at changes of subject, and splitting by length.

Compare the three sentences before and after each gap by the cosine distance of their vectors. The highest peaks are
breaks, at most as many as distances exceed the 90th percentile of the document (Kamradt, "5 levels of text
splitting", 2023, level 4; windows as in Hearst, "TextTiling", 1997). Figures: docs/decisions.
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

MAX_HEADING = 100  # maximum characters of a heading
MAX_STACKED = 3  # consecutive headings that stay with the text (title, chapter, section): a longer run is a list

_NUMBER = r"(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,6})(?:\.?[ºª]|[.)])?-?"
_NUMBERED = re.compile(rf"(?:(?:Artículo|Art\.|Cláusula|Apartado|Anexo) )?{_NUMBER}\s+\W?[A-ZÁÉÍÓÚÑ][^.;:,]*\.?")
_LIST_ITEM = re.compile(r"(?:[–—•·▪*-]|[a-zñ]\))\s")
_BEGINS_AS_TITLE = re.compile(r"[¿¡«\"(]?[A-ZÁÉÍÓÚÑ0-9]")
_STOPPED = re.compile(r"[.;,!…][»”\")\]]*$")


def blocks(text: str) -> list[Span]:
    r"""Return the spans of text that must stay together, in order; they cover every non-blank character once.

    A block is a sentence, a clause of a long one, a heading with the sentence below it, or a table with its heading.

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
    """Restrict ``cuts`` to blanks between blocks."""

    def between_blocks(text: str) -> list[Span]:
        free = {position for before, after in pairwise(blocks(text)) for position in range(before[1], after[0])}
        return [blank for blank in cuts(text) if blank[0] in free]

    return between_blocks


def _bonds(text: str, units: list[Span]) -> list[bool]:
    announcing = [_announces(text, unit) for unit in units[:-1]]
    # Length of the run of announcing units that begins at each unit.
    runs = [*accumulate(reversed(announcing), lambda run, announces: (run + 1) * announces, initial=0)][:0:-1]
    in_row = _in_rows(text, units)
    rows = [
        in_row[number] and in_row[number + 1] and "\n\n" not in text[before[1] : after[0]]
        for number, (before, after) in enumerate(pairwise(units))
    ]
    return [row or 0 < run <= MAX_STACKED for row, run in zip(rows, runs, strict=True)]


def _announces(text: str, unit: Span) -> bool:
    start, end = unit
    begins_line, ends_line = text[start - 1 : start] in ("", "\n"), text[end : end + 1] in ("", "\n")
    if text[end - 1] == ":":
        return ends_line
    return begins_line and _is_heading(text[start:end], alone=ends_line)


def _is_heading(unit: str, *, alone: bool) -> bool:
    if len(unit) > MAX_HEADING or is_row(unit) or _LIST_ITEM.match(unit):
        return False
    if _NUMBERED.fullmatch(unit):
        return True
    return alone and (unit.isupper() or bool(_BEGINS_AS_TITLE.match(unit) and not _STOPPED.search(unit)))


def _in_rows(text: str, units: list[Span]) -> list[bool]:
    inside: list[bool] = []
    line_end, in_row = -1, False
    for start, end in units:
        if end > line_end:
            line_end = text.find("\n", end)
            line_end = len(text) if line_end < 0 else line_end
            in_row = is_row(text[text.rfind("\n", 0, start) + 1 : line_end])
        inside.append(in_row)
    return inside


MAX_PART = 2_000  # maximum characters of a part

CUTS: tuple[Cuts, ...] = (
    # Before an apartado: "2. …", "2 bis. …", "3.º …", or the next article that the text quotes.
    blanks_matching(rf"\n\n(?=«?(?:\d{{1,2}}(?: (?:{WRITTEN_SUFFIXES}))?(?:\.º|\.|\.ª) |Artículo \d))"),
    blanks_matching(r"\n\n"),
    blanks_matching(r"\n"),
    between_sentences,
    *CLAUSES,
)
"""Places to cut a text, best first."""


def split_text(text: str, limit: int = MAX_PART) -> list[str]:
    r"""Split a text into parts of at most ``limit`` characters: before apartados, else paragraphs, rows or sentences.

    A part that begins inside a table repeats its head.
    """
    text = text.strip()
    return list(with_heads(text, spans_of(text, limit)))


def spans_of(text: str, limit: int = MAX_PART) -> list[Span]:
    """Return the spans of the parts of a text; each fits together with its table head."""
    if len(text) > limit:
        limit -= max(len(f"{head}\n") if (head := head_of(table)) else 0 for table in text.split("\n\n"))
    return [(start, end) for start, end in cut(text, limit, CUTS) if end > start] if text else []


Embed = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]

WINDOW = 3  # sentences compared on either side of a gap
PERCENTILE = 90.0  # percentile of the distances above which the subject changes (linear interpolation)
OVERLAP = 200  # maximum characters that a part repeats of the previous one, if a subject is too long for one part
LSA_DIMENSIONS = 64
_CUTS = (*map(outside_bonds, CUTS), *CUTS)
"""Places to cut a subject: inside a block only if the block alone is too long."""
_DECIMALS = 6  # decimals of a distance: rounding keeps equal distances equal despite float noise


async def semantic_spans(text: str, embed: Embed) -> list[Span]:
    """Return the spans of the parts by subject, each of at most ``MAX_PART`` characters; cut subjects overlap."""
    return [piece for start, end in subjects(text, await gaps(text, embed)) for piece in _fitted(text, start, end)]


async def gaps(text: str, embed: Embed) -> NDArray[np.float64]:
    """Return the distances at the gaps between the blocks of a text, (blocks − 1,)."""
    # The beginning represents a long block (a table).
    sides = windows([text[start : min(end, start + MAX_PART)] for start, end in blocks(text)], WINDOW)
    texts = list(dict.fromkeys(window for pair in sides for window in pair))
    vectors = dict(zip(texts, await embed(texts), strict=True)) if texts else {}
    return distances([vectors[before] for before, _ in sides], [vectors[after] for _, after in sides])


def subjects(text: str, gaps: NDArray[np.float64]) -> list[Span]:
    """Return the spans of the subjects of a text, by the distances at the gaps between its blocks."""
    units = blocks(text)
    headed = ["\n" in text[start:end] for start, end in units]
    bounds = [0, *before_headings(breaks(gaps), headed), len(units)] if units else []
    return [(units[first][0], units[last - 1][1]) for first, last in pairwise(bounds)]


def windows(texts: Sequence[str], width: int) -> list[tuple[str, str]]:
    """Return the texts before and after each gap, up to ``width`` on either side."""
    return [
        (" ".join(texts[max(0, gap - width) : gap]), " ".join(texts[gap : gap + width])) for gap in range(1, len(texts))
    ]


def distances(before: Sequence[Vector], after: Sequence[Vector]) -> NDArray[np.float64]:
    """Return 1 − cosine of each pair of vectors, (n,), in [0, 2]; 0 if a vector is zero."""
    if not before:
        return np.zeros(0)
    one, other = np.array(before, dtype=np.float64), np.array(after, dtype=np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    products = (one * other).sum(axis=1)
    cosines: NDArray[np.float64] = np.divide(products, lengths, out=np.ones_like(lengths), where=lengths > 0)
    return np.asarray(np.round(1 - cosines, _DECIMALS))


def breaks(gaps: NDArray[np.float64]) -> list[int]:
    """Return the indices of the sentences that begin a subject: the highest peaks of the distances, in order.

    At most as many as distances strictly above the percentile, and all above the median. Of equal neighbours the last
    is the peak; of equal peaks the first wins.
    """
    if gaps.size == 0:
        return []
    count = int(np.count_nonzero(gaps > np.percentile(gaps, PERCENTILE)))
    around = np.pad(gaps, 1, constant_values=-np.inf)
    peaks = np.flatnonzero((gaps >= around[:-2]) & (gaps > around[2:]) & (gaps > np.median(gaps)))
    highest = peaks[np.argsort(-gaps[peaks], kind="stable")][:count]
    return sorted(int(peak) + 1 for peak in highest)


def before_headings(begins: Sequence[int], headed: Sequence[bool]) -> list[int]:
    """Move the beginnings of subjects to an adjacent block with a heading, preferably the previous one."""
    moved = {
        next((other for other in (begin, begin - 1, begin + 1) if 0 < other < len(headed) and headed[other]), begin)
        for begin in begins
    }
    return sorted(moved)


async def offline_vectors(texts: Sequence[str], domain: Domain) -> list[Vector]:
    """Embed texts by the packaged encoder, or by latent semantic analysis of these texts in other domains."""
    from articulado.encoders.dual import DualEncoder, TrainingPairs, packaged_encoder

    if domain is SPANISH_LAW:
        encoder = await asyncio.to_thread(packaged_encoder)
    else:
        # Without training questions, its axes are the latent ones.
        encoder = await asyncio.to_thread(DualEncoder.fit, TrainingPairs(texts), LSA_DIMENSIONS, domain)
    return (await encoder.embed_documents(texts)).vectors


def _fitted(text: str, start: int, end: int) -> list[Span]:
    """Split a subject into pieces that fit, with ``OVERLAP`` between them."""
    if end - start <= MAX_PART:
        return [(start, end)]
    pieces = [(start + first, start + last) for first, last in cut(text[start:end], MAX_PART - OVERLAP, _CUTS)]
    return [(_overlapping(text, start, first), last) for first, last in pieces if last > first]


def _overlapping(text: str, earliest: int, start: int) -> int:
    floor = max(earliest, start - OVERLAP)
    before = text[floor:start]
    inside = [floor + first for first, _ in sentence_spans(before)[1:]]
    if inside:
        return inside[0]
    blank = next((index for index, character in enumerate(before) if character.isspace()), None)
    return start if blank is None else start - len(before[blank:].lstrip())
