"""Find markers of a source other than the provision named beside them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from articulado.language.folding import fold
from articulado.language.quantities import DATE, Quantity, quantities
from articulado.language.spanish import stem_word, stop_words
from articulado.legal.citations.parser import Citation
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import ProvisionRef
from articulado.verification.reading import ReadAnswer, Sentence
from articulado.verification.sources import Source, is_same, provisions_in

_CHARACTERS_BEFORE = 40
_LEADS_TO_LAW = re.compile(
    r"[\s,(\[]*(?:C\d+\]\s*)?(?:de\s+la|de\s+los|del?|la|el)?\s*(?:citad[oa]\s+)?", re.IGNORECASE
)
_NUMBERED_LAW = re.compile(
    r"(?:\s*,?\s*(?:de\s+la|del?)|\s*,)?\s+(?:Ley|Real\s+Decreto|RD|RDL|Decreto|Orden|Reglamento)[^.;()\[\]\d]{0,40}"
    r"(?P<number>\d+/\d{4})",
    re.IGNORECASE,
)
_TITLE = re.compile(r",\s*(?:reguladora?\s+de|sobre|de\s+(?:la\s+|los\s+)?(?=[A-ZÁÉÍÓÚ]))[^.,;:()\[\]]{1,80}")
_NO_WORDS = re.compile(r"[\s,.;:()\"*_»”]*")
_REFERS = re.compile(
    r"(?:\w(?:o|a|e|os|as|es|on|ion)\s+(?:del|de\s+l[oa]s?)|\bse\s+refieren?\s+(?:el|l[oa]s?)"
    r"|\w(?:ad|id|ist|iert|uest)[oa]s?\s+(?:en|por)\s+(?:el|l[oa]s?)|\bestablecen?\s+(?:el|l[oa]s?))\s+$"
)
"""Text before a provision that is only referred to ("los supuestos del artículo 35.3")."""
_ACCORDING = re.compile(r"\b(?:segun|conforme\s+a|de\s+acuerdo\s+con|como\s+dispone)\b")
_WORD = re.compile(r"[^\W\d_]{3,}")
_LEAST_WORDS = 8
_LEAD_OF_NUMBER, _LEAD = 0.25, 0.45


@dataclass(frozen=True)
class MisplacedMarker:
    """A provision named beside another ``source``; ``is_swapped``: the same article of another law."""

    citation: Citation
    source: Source
    is_swapped: bool
    is_marked: bool = True


def ref_of(citation: Citation) -> ProvisionRef:
    return citation.law_id or "", citation.provision_key


def laws_of(answer: ReadAnswer, citation: Citation) -> list[str]:
    """Return the laws that may own a provision: the named one, else all laws of the sources and of the answer."""
    if citation.law_named:
        return [citation.law_id] if citation.law_id else []
    named = [other.law_id for sentence in answer.sentences for other in sentence.named]
    return list(dict.fromkeys(filter(None, [citation.law_id, *(s.law_id for s in answer.sources), *named])))


def is_referred_to(sources: Sequence[Source], citation: Citation) -> bool:
    """Return True if a source refers to the provision; of any law if the citation names none."""
    refs = {ref for source in sources for ref in provisions_in(source.everything, source.law_id)}
    if not citation.law_named:
        return citation.provision_key in {key for _, key in refs}
    return not refs.isdisjoint({ref_of(citation), (citation.current_id or "", citation.provision_key)})


def end_with_law(text: str, citation: Citation) -> int:
    """Return the end of a citation including the name of its law ("artículo 38 de la LGSS")."""
    for mention in law_mentions(text):
        if mention.start >= citation.end and _LEADS_TO_LAW.fullmatch(text, citation.end, mention.start):
            return mention.end
    numbered = _NUMBERED_LAW.match(text, citation.end)
    return numbered.end() if numbered else citation.end


def misplaced_markers(answer: ReadAnswer, texts: Mapping[ProvisionRef, str]) -> Iterator[MisplacedMarker]:
    """Yield the provisions with a marker of another source, or whose claim is from another source."""
    for position, sentence in enumerate(answer.sentences):
        judged: set[int] = set()
        for named, numbers in _groups(answer, sentence):
            judged |= {citation.start for citation in named}
            if misplaced := _judge(answer, sentence, named, numbers):
                yield misplaced
        for citation in sentence.named:
            if citation.start not in judged and (misplaced := _of_other_text(answer, position, citation, texts)):
                yield misplaced


def _groups(answer: ReadAnswer, sentence: Sentence) -> Iterator[tuple[list[Citation], list[int]]]:
    """Yield the provisions before a marker, of which the last is right beside it, and the numbers of the marker."""
    named: list[Citation] = []
    numbers: list[int] = []
    items: list[tuple[int, int, Citation | tuple[int, ...]]] = [(each.start, each.end, each) for each in sentence.named]
    items += sentence.written_marks
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


def _is_beside(text: str, citation: Citation, mark: int) -> bool:
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


def _of_other_text(
    answer: ReadAnswer, position: int, citation: Citation, texts: Mapping[ProvisionRef, str]
) -> MisplacedMarker | None:
    """Return the source that contains the claim of a sentence, if the named provision does not."""
    sentence, key = answer.sentences[position], citation.provision_key
    of_laws = [text for law_id in laws_of(answer, citation) if (text := texts.get((law_id, key)))]
    marked = _marked(answer, sentence.marks)
    others = [s for s in answer.sources if s.law_id in known_laws() and s.provision_key and s.ref != ref_of(citation)]
    if not others or is_referred_to(others, citation):
        return None
    is_read = any(source.ref == ref_of(citation) for source in answer.sources)
    same = [s for s in others if citation.law_named and not is_read and s.provision_key == key]
    if not of_laws:
        same_marked = next((source for source in same if source in marked), None)
        is_only = len(sentence.named) == 1 and not any(_agrees(answer, citation, source) for source in marked)
        return MisplacedMarker(citation, same_marked, is_swapped=True) if same_marked and is_only else None
    claim = _claim(answer, position)
    least = max(_share_in(text, *claim) for text in of_laws)
    fits = {source: _share_in("\n".join(s.text for s in others if s.ref == source.ref), *claim) for source in others}
    best, of_number = max(others, key=fits.__getitem__), max(same, key=fits.__getitem__, default=None)
    if of_number and fits[of_number] - least >= _LEAD_OF_NUMBER:
        return MisplacedMarker(citation, of_number, is_swapped=True, is_marked=of_number in marked)
    if fits[best] - least >= _LEAD and len(sentence.named) == 1 and _attributes(answer, sentence, citation):
        return MisplacedMarker(citation, best, is_swapped=False, is_marked=best in marked)
    return None


def _claim(answer: ReadAnswer, position: int) -> tuple[frozenset[str], tuple[Quantity, ...]]:
    text, paragraph = "", answer.sentences[position].paragraph
    # An answer may begin with the name of the provision alone: then the sentences behind it say what it says.
    order = (*reversed(answer.sentences[: position + 1]), *answer.sentences[position + 1 :])
    for sentence in (each for each in order if each.paragraph == paragraph):
        own = answer.text[sentence.start : sentence.end]
        for citation in reversed(sentence.named):
            start, end = citation.start - sentence.start, end_with_law(answer.text, citation) - sentence.start
            own = f"{own[:start]} {own[end:]}"
        text = f"{own} {text}"
        if len(_stems_of(text)) >= _LEAST_WORDS:
            break
    return _stems_of(text), tuple(each for each in quantities(text) if each.unit != DATE)


def _share_in(text: str, words: frozenset[str], figures: Sequence[Quantity]) -> float:
    held = sum(any(is_same(figure, known) for known in quantities(text)) for figure in figures)
    return (len(words & _stems_of(text)) + 2 * held) / max(len(words) + 2 * len(figures), 1)


@lru_cache(maxsize=1024)
def _stems_of(text: str) -> frozenset[str]:
    stop = stop_words()
    return frozenset(stem for word in _WORD.findall(text.lower()) if word not in stop and (stem := stem_word(word)))


def _marked(answer: ReadAnswer, numbers: Sequence[int]) -> list[Source]:
    if not all(1 <= number <= len(answer.sources) for number in numbers):
        return []
    marked = [answer.source(number) for number in dict.fromkeys(numbers)]
    return marked if all(source.law_id in known_laws() and source.provision_key for source in marked) else []


def _agrees(answer: ReadAnswer, citation: Citation, source: Source) -> bool:
    """Return False only if a source is certainly neither the named provision nor refers to it."""
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
    before = answer.text[sentence.start : citation.start]
    if before.count("(") > before.count(")"):
        return True
    folded = fold(before[-_CHARACTERS_BEFORE:])
    return not _REFERS.search(folded) or bool(_ACCORDING.search(folded))
