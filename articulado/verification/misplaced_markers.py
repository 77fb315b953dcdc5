"""Find markers of another source than the provision named beside them.

"artículo 38 de la LGSS [C1]" is an error if C1 is article 38 ET. It is none if the text of C1 refers to the
named provision, or if one of the other provisions or markers of the same group agree.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from articulado.language.folding import fold
from articulado.legal.citations.parser import Citation
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import ProvisionRef
from articulado.verification.reading import ReadAnswer, Sentence, marks_in
from articulado.verification.sources import Source, provisions_in

_CHARACTERS_BEFORE = 40
_LEADS_TO_LAW = re.compile(
    r"[\s,(\[]*(?:C\d+\]\s*)?(?:de\s+la|de\s+los|del?|la|el)?\s*(?:citad[oa]\s+)?", re.IGNORECASE
)
"""Text between a citation and the name of its law."""
_NUMBERED_LAW = re.compile(
    r"(?:\s*,?\s*(?:de\s+la|del?)|\s*,)?\s+(?:Ley|Real\s+Decreto|RD|RDL|Decreto|Orden|Reglamento)[^.;()\[\]\d]{0,40}"
    r"(?P<number>\d+/\d{4})",
    re.IGNORECASE,
)
_TITLE = re.compile(r",\s*(?:reguladora?\s+de|sobre|de\s+(?:la\s+|los\s+)?(?=[A-ZÁÉÍÓÚ]))[^.,;:()\[\]]{1,80}")
"""The rest of the name of a law: ", reguladora de la jurisdicción social"."""
_NO_WORDS = re.compile(r"[\s,.;:()\"*_»”]*")
_REFERS = re.compile(
    r"(?:\w(?:o|a|e|os|as|es|on|ion)\s+(?:del|de\s+l[oa]s?)|\bse\s+refieren?\s+(?:el|l[oa]s?)"
    r"|\w(?:ad|id|ist|iert|uest)[oa]s?\s+(?:en|por)\s+(?:el|l[oa]s?)|\bestablecen?\s+(?:el|l[oa]s?))\s+$"
)
"""Text before a provision that is only referred to ("los supuestos del artículo 35.3")."""
_ACCORDING = re.compile(r"\b(?:segun|conforme\s+a|de\s+acuerdo\s+con|como\s+dispone)\b")


@dataclass(frozen=True)
class MisplacedMarker:
    """A provision that an answer names beside a marker of ``source``, another one; ``is_swapped``: of another law."""

    citation: Citation
    source: Source
    is_swapped: bool


def ref_of(citation: Citation) -> ProvisionRef:
    """Return the law and the provision of a citation; the law is empty if it is not known."""
    return citation.law_id or "", citation.provision_key


def is_referred_to(sources: Sequence[Source], citation: Citation) -> bool:
    """Return True if the text of a source names the provision; of any law, if the citation names none."""
    refs = {ref for source in sources for ref in provisions_in(source.everything, source.law_id)}
    if not citation.law_named:
        return citation.provision_key in {key for _, key in refs}
    return not refs.isdisjoint({ref_of(citation), (citation.current_id or "", citation.provision_key)})


def end_with_law(text: str, citation: Citation) -> int:
    """Return where a citation ends, including the name of its law behind it ("artículo 38 de la LGSS")."""
    for mention in law_mentions(text):
        if mention.start >= citation.end and _LEADS_TO_LAW.fullmatch(text, citation.end, mention.start):
            return mention.end
    numbered = _NUMBERED_LAW.match(text, citation.end)
    return numbered.end() if numbered else citation.end


def misplaced_markers(answer: ReadAnswer) -> Iterator[MisplacedMarker]:
    """Yield the provisions beside which an answer puts a marker of another source."""
    for sentence in answer.sentences:
        judged = False
        for named, numbers in _groups(answer, sentence):
            judged = True
            if found := _judge(answer, sentence, named, numbers):
                yield found
        if not judged and (found := _swapped_in_sentence(answer, sentence)):
            yield found


def _groups(answer: ReadAnswer, sentence: Sentence) -> Iterator[tuple[list[Citation], list[int]]]:
    """Yield the provisions named before a marker, the last one right beside it, and the numbers of that marker.

    Provisions count from the last marker on, and markers that follow each other count as one.
    """
    named: list[Citation] = []
    numbers: list[int] = []
    items: list[tuple[int, int, Citation | tuple[int, ...]]] = [(each.start, each.end, each) for each in sentence.named]
    items += [mark for mark in _marks(answer.text) if sentence.start <= mark[0] < sentence.end]
    beside = False
    for start, _, item in sorted(items, key=lambda each: (each[0], each[1])):
        if isinstance(item, Citation):
            if numbers:
                if beside:
                    yield named, numbers
                named, numbers = [], []
            named = [*named, item]
        else:
            if not numbers:
                beside = bool(named) and _is_beside(answer.text, named[-1], start)
            numbers = [*numbers, *item]
    if numbers and beside:
        yield named, numbers


@lru_cache(maxsize=16)
def _marks(text: str) -> Sequence[tuple[int, int, tuple[int, ...]]]:
    return tuple(marks_in(text))


def _is_beside(text: str, citation: Citation, mark: int) -> bool:
    """Return True if nothing but the name of the law stands between a citation and a marker."""
    begin = end_with_law(text, citation)
    title = _TITLE.match(text, begin)
    ends = (begin, title.end()) if title else (begin,)
    return any(end <= mark and _NO_WORDS.fullmatch(text, end, mark) for end in ends)


def _judge(
    answer: ReadAnswer, sentence: Sentence, named: Sequence[Citation], numbers: Sequence[int]
) -> MisplacedMarker | None:
    marked = _marked(answer, numbers)
    last = named[-1]
    if not marked or any(_agrees(answer, citation, source) for citation in named for source in marked):
        return None
    same_number = next((source for source in marked if source.provision_key == last.provision_key), None)
    if same_number and last.law_named:
        return MisplacedMarker(last, same_number, is_swapped=True)
    return MisplacedMarker(last, marked[0], is_swapped=False) if _attributes(answer, sentence, last) else None


def _swapped_in_sentence(answer: ReadAnswer, sentence: Sentence) -> MisplacedMarker | None:
    """Return the only provision of a sentence whose marked source has the same number in another law."""
    if len(sentence.named) != 1 or not sentence.marks:
        return None
    citation, marked = sentence.named[0], _marked(answer, sentence.marks)
    same_number = next((source for source in marked if source.provision_key == citation.provision_key), None)
    if same_number is None or not citation.law_named or any(_agrees(answer, citation, source) for source in marked):
        return None
    if any(source.ref == ref_of(citation) for source in answer.sources):
        return None
    return MisplacedMarker(citation, same_number, is_swapped=True)


def _marked(answer: ReadAnswer, numbers: Sequence[int]) -> list[Source]:
    """Return the sources of markers; none if one of them dangles or is no provision of a known law."""
    if not all(1 <= number <= len(answer.sources) for number in numbers):
        return []
    marked = [answer.source(number) for number in dict.fromkeys(numbers)]
    return marked if all(source.law_id in known_laws() and source.provision_key for source in marked) else []


def _agrees(answer: ReadAnswer, citation: Citation, source: Source) -> bool:
    """Return True unless it is certain that a source is not the provision named, and does not refer to it."""
    if source.provision_key == citation.provision_key and not (
        citation.law_named and _is_of_other_law(answer, citation, source)
    ):
        return True
    parts = [part for part in answer.sources if part.ref == source.ref]
    return is_referred_to(parts, citation)


def _is_of_other_law(answer: ReadAnswer, citation: Citation, source: Source) -> bool:
    if citation.law_id:
        return source.law_id not in (citation.law_id, citation.current_id)
    numbered = _NUMBERED_LAW.match(answer.text, citation.end)
    return bool(numbered and numbered["number"] not in f"{source.law_name} {source.besides}")


def _attributes(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> bool:
    """Return True if the claim is attributed to the provision: in brackets, or not only referred to."""
    before = answer.text[sentence.start : citation.start]
    if before.count("(") > before.count(")"):
        return True
    folded = fold(before[-_CHARACTERS_BEFORE:])
    return not _REFERS.search(folded) or bool(_ACCORDING.search(folded))
