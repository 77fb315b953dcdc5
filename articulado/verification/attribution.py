"""Markers by sentence, provisions named by an answer, and lexical support of a claim by a text.

``named_provisions`` assigns a law to citations without one. ``fits`` returns for each text the share of a
claim that it contains, in [0, 1]. ``better_subdivision`` returns another apartado or letter that supports a
claim far better than the named one.
"""

import itertools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum

from articulado.language.folding import fold
from articulado.language.numerals import CARDINALS
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.prompting.citation_markers import marker_spans
from articulado.retrieval.references import excerpt
from articulado.verification.sources import Source

Mark = tuple[int, int, tuple[int, ...]]
"""Start, end and numbers of a marker."""

_NAMED_SOURCE = re.compile(r"[\[(【［]\s*(?:fuente|source|documento)\s+(\d{1,2})\s*[\])】］]", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"[\[【［]\^?(\d{1,2})(?:†[^\]】］]*)?[\]】］](?![(:])")
_ENDS = re.compile(r"[.!?…»”\"]\s*$")
_GOES_ON = re.compile(r"\s*[,;:]?\s*[a-záéíóúñ]")


def marks_in(text: str) -> list[Mark]:
    """Return the markers of an answer in order; bare numbers in brackets count where it has no others.

    >>> marks_in("Son 30 días [C2].")
    [(12, 16, (2,))]
    >>> marks_in("Son 30 días [2].")
    [(12, 15, (2,))]
    """
    own = [*marker_spans(text), *((m.start(), m.end(), (int(m[1]),)) for m in _NAMED_SOURCE.finditer(text))]
    return sorted(own) or [(m.start(), m.end(), (int(m[1]),)) for m in _BARE_NUMBER.finditer(text)]


def marks_by_sentence(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Return the numbers of the markers of each sentence; one behind a full stop is of the sentence before it."""
    marks: list[list[int]] = [[] for _ in spans]
    for start, end, numbers in marks_in(text):
        position = next((n for n, (first, last) in enumerate(spans) if first <= start < last), None)
        if position is not None:
            marks[position - _is_behind(text, spans, position, start, end)] += numbers
    return [tuple(dict.fromkeys(numbers)) for numbers in marks]


def _is_behind(text: str, spans: Sequence[tuple[int, int]], position: int, start: int, end: int) -> bool:
    if not position:
        return False
    between = _without_marks(text[spans[position - 1][0] : start])
    leads = not _without_marks(text[spans[position][0] : start]).strip()
    gap = text[spans[position - 1][1] : start]
    return leads and "\n" not in gap and bool(_ENDS.search(between)) and not _GOES_ON.match(text, end)


def _without_marks(text: str) -> str:
    for start, end, _ in reversed(marks_in(text)):
        text = text[:start] + text[end:]
    return text


def named_provisions(text: str, sources: Sequence[Source]) -> list[Citation]:
    """Return the provisions that an answer names; one without a law is of the law that the context makes likely.

    That is the only law of a source with this number, else the last law named, else the one of most sources.
    """
    majority = Counter(source.law_id for source in sources if source.law_id).most_common(1)
    last = majority[0][0] if majority else None
    refs, resolved = {source.ref for source in sources}, []
    for citation in parse_citations(text, CitationContext(several=True)):
        as_named = (citation.law_id, citation.provision_key) in refs
        law_id = citation.law_id if as_named else citation.current_id or citation.law_id
        if law_id is None and not citation.law_named:
            law_id = _law_by_number(citation, sources, last)
        elif law_id:
            last = law_id
        resolved.append(replace(citation, law_id=law_id))
    return resolved


def _law_by_number(citation: Citation, sources: Sequence[Source], last: str | None) -> str | None:
    laws = dict.fromkeys(source.law_id for source in sources if source.provision_key == citation.provision_key)
    return last if last in laws or not laws else next(iter(laws))


_WORD = re.compile(r"[a-zñ]{4,}|\d+(?:[.,]\d+)*")
_VALUES = {word: str(value) for value, word in enumerate(CARDINALS, start=1) if value > 1}
_STEM = 6
_SHARED_WEIGHT = 0.3


@lru_cache(maxsize=4096)
def features(text: str) -> frozenset[str]:
    """Return the stems, pairs of stems and figures of a text.

    >>> sorted(features("quince días"))
    ['15', '15 dias', 'dias']
    """
    words = [_VALUES.get(word, word)[:_STEM] for word in _WORD.findall(fold(text))]
    return frozenset(words) | {f"{first} {second}" for first, second in itertools.pairwise(words)}


def fits(claim: str, texts: Sequence[str]) -> list[float]:
    """Return for each text the share of the claim that stands in it, in [0, 1].

    What stands in every text tells them apart no more, and weighs less.
    """
    wanted, have = features(claim), [features(text) for text in texts]
    in_all = frozenset[str].intersection(*have) if len(have) > 1 else frozenset[str]()
    weights = {feature: _SHARED_WEIGHT if feature in in_all else 1.0 for feature in wanted}
    # Added without rounding: a set has no order, and a finding must not depend on one.
    anywhere = fsum(weight for feature, weight in weights.items() if any(feature in text for text in have))
    if not anywhere:
        return [0.0] * len(texts)
    return [fsum(weights[feature] for feature in wanted & text) / anywhere for text in have]


MARGIN = 0.25
"""How much better another apartado has to bear a claim than the one that is named."""
MOST_BORNE = 0.5
"""How much of a claim the apartado that is named may bear at most; what it bears better is its own."""
_APARTADOS = tuple(map(str, range(1, 21)))
_LETTERS = tuple("abcdefghijklmnñopqrstuvwxyz")


@dataclass(frozen=True)
class Subdivision:
    """An apartado or, where ``is_letter``, a letter, as the law labels it."""

    label: str
    is_letter: bool


def better_subdivision(claim: str, citation: Citation, text: str) -> Subdivision | None:
    """Return the apartado, or the letter beside the one that is named, that bears a claim far better than that.

    ``None`` where the text does not have what is named: a context may leave parts of a provision out.
    """
    apartado, letter = citation.apartado or "", citation.letter or ""
    parts = subdivisions(text, apartado if letter else None)
    own = parts.get(letter or apartado)
    others = [label for label in parts if label != (letter or apartado)]
    if own is None or not others:
        return None
    borne, *scores = fits(claim, [own, *(parts[label] for label in others)])
    best = max(range(len(others)), key=scores.__getitem__)
    is_better = borne <= MOST_BORNE and scores[best] - borne >= MARGIN
    return Subdivision(others[best], bool(letter)) if is_better else None


@lru_cache(maxsize=1024)
def subdivisions(text: str, of_apartado: str | None = None) -> Mapping[str, str]:
    """Return the apartados of a text by their labels, or the letters of one of them (of the whole text where empty)."""
    if of_apartado is None:
        found = {label: excerpt(text, label, "") for label in _APARTADOS}
    else:
        found = {label: excerpt(text, of_apartado, label) for label in _LETTERS}
    return {label: part for label, part in found.items() if part}
