"""Splitting of Spanish and English text into sentences, clauses, or pieces of limited length."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise

from articulado.language.folding import fold, read_list
from articulado.language.numerals import read_words

# Each run of marks is looked at once: from its beginning, and without going back in it.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[»”\")\]]*+\s++(?=[«“\"(\[¿¡]*[A-ZÁÉÍÓÚÑÜ\d])")
_LIST_MARK = re.compile(r"\s*[«“\"(\[]*(?:\d{1,3}(?:\.\d{1,2})*|[a-zñ]|[ivxlc]+)(?:\.?[ºª])?[.)\]]*\s*", re.IGNORECASE)
_LONGEST_NUMERAL = 100

_LONGEST_WORD = 40

_LAST_WORD = re.compile(r"(?:^|[\s(«“\"\[])(\w+(?:\.\w+)*)$")


Span = tuple[int, int]  # Start and end offset of a piece

Cuts = Callable[[str], Iterable[Span]]  # Function that finds the blanks at which a text may be cut


def blanks_matching(pattern: str) -> Cuts:
    """Return the function that finds the matches of a pattern in a text, as places to cut it."""
    blanks = re.compile(pattern)
    return lambda text: (match.span() for match in blanks.finditer(text))


CLAUSES: tuple[Cuts, ...] = (blanks_matching(r"(?<=[;:]) +"), blanks_matching(r"(?<=,) +"), blanks_matching(r"\s+"))
"""Cuts of a sentence from the best to the worst."""
MAX_CLAUSE = 300  # Characters; longer sentences are cut into clauses


def cut(text: str, limit: int, levels: Sequence[Cuts]) -> list[Span]:
    """Return the spans of the pieces of a text, without the blanks between them.

    ``levels`` go from the best cuts to the worst, which only serve inside pieces longer than ``limit``. Pieces are as
    long as possible; after the last level words are cut.
    """
    if len(text) <= limit:
        return [(0, len(text))]
    if not levels:
        return [(start, min(start + limit, len(text))) for start in range(0, len(text), limit)]
    cuts = list(levels[0](text))
    bounds = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(text)]
    packed: list[Span] = []
    start = end = 0
    for begin, stop in zip(bounds, ends, strict=True):
        if stop - start <= limit:
            end = stop
            continue
        if end > start:
            packed.append((start, end))
        start, end = begin, stop
        if stop - begin > limit:
            *whole, last = cut(text[begin:stop], limit, levels[1:])
            packed += [(begin + first, begin + after) for first, after in whole]
            # What is left of a piece that had to be cut may share a part with what follows it.
            start, end = begin + last[0], stop
    packed.append((start, end))
    return packed


def sentences(text: str) -> list[str]:
    """Split prose into sentences and lines, but not after abbreviations, initials and list marks ("1. ", "b) ")."""
    pieces = []
    for line in text.splitlines():
        start = 0
        for ending in _SENTENCE_END.finditer(line):
            short = start == 0 and ending.end() <= _LONGEST_NUMERAL
            written_mark = short and _is_numeral(line[: ending.end()].strip())
            if not written_mark and _ends(line, start, ending):
                pieces.append(line[start : ending.end()].strip())
                start = ending.end()
        if rest := line[start:].strip():
            pieces.append(rest)
    return pieces


def first_sentences(sentences: Sequence[str], most_words: int) -> list[str]:
    """Return the first sentences with at most ``most_words`` together, or a single longer one."""
    texts = list(sentences[:1])
    for sentence in sentences[1:]:
        if len(" ".join([*texts, sentence]).split()) > most_words:
            break
        texts.append(sentence)
    return texts


def _is_numeral(sentence: str) -> bool:
    folded = fold(sentence)
    numeral = read_words(folded)
    return numeral is not None and not folded[numeral[1] :].strip(" .")


def _ends(line: str, start: int, ending: re.Match[str]) -> bool:
    """Tell if a stop ends the sentence from ``start``, rather than an abbreviation or a list mark."""
    if _LIST_MARK.fullmatch(line, start, ending.end()):
        return False
    # The blank before the sentence bounds its first word.
    last = _LAST_WORD.search(line, max(0, start - 1, ending.start() - _LONGEST_WORD), ending.start())
    if last is None or ending[0].strip() != ".":
        return True
    word = last[1].lower()
    return word not in _abbreviations() and not (word[-1].isalpha() and len(word.split(".")[-1]) == 1)


def sentence_spans(text: str) -> list[Span]:
    """Return the spans of the ``sentences`` of a text; only blanks are outside."""
    spans = []
    end = 0
    for sentence in sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        spans.append((start, end))
    return spans


def clauses(text: str, limit: int = MAX_CLAUSE) -> list[Span]:
    """Return the spans of a sentence's pieces: whole if it fits, else cut after ; and :, commas, or at blanks."""
    first = len(text) - len(text.lstrip())
    pieces = cut(text.strip(), limit, CLAUSES) if text.strip() else []
    return [(first + start, first + end) for start, end in pieces if end > start]


def between_sentences(text: str) -> Iterable[Span]:
    """Return the spans of the blanks between the sentences of a text."""
    spans = sentence_spans(text)
    return [(before[1], after[0]) for before, after in pairwise(spans)]


@cache
def _abbreviations() -> frozenset[str]:
    lists = (read_list(f"abbreviations_{code}.txt") for code in ("es", "en"))
    return frozenset(word for lines in lists for line in lines for word in line.split())
