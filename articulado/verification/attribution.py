"""Markers by sentence, and provisions named by an answer.

``marks_by_sentence`` assigns each marker to a sentence. ``named_provisions`` assigns a law to citations
without one.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.prompting.citation_markers import marker_spans
from articulado.verification.sources import Source, provisions_in

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

    That is the only law of a source with this number, else the law of which the texts of the sources cite this number,
    else the last law named, else the one of most sources.
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
    key = citation.provision_key
    laws = dict.fromkeys(source.law_id for source in sources if source.provision_key == key)
    if not laws:
        # A text that is told again may lose the law that its sentence ends with ("los artículos 40 y 50 del …").
        cited = (ref for source in sources for ref in provisions_in(source.text, source.law_id) if ref[1] == key)
        laws = dict.fromkeys(law_id for law_id, _ in cited)
        return next(iter(laws)) if len(laws) == 1 else last
    return last if last in laws else next(iter(laws))

