"""Check the provisions and the markers of an answer against its sources and the index.

``look_up`` fetches the named provisions that are not sources, at most 12. ``citation_findings`` reports
dangling markers, missing or repealed provisions, and claims that another source supports far better.
``named_verdicts`` gives the status of each named provision.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from articulado.language.folding import fold
from articulado.language.translation import translate
from articulado.legal.citations.parser import Citation
from articulado.legal.labels import provision_name
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force
from articulado.values.chunks import REPEALED, Chunk, ProvisionRef
from articulado.values.findings import Finding, NamedStatus, NamedVerdict
from articulado.values.protocols import ChunkStore
from articulado.verification.attribution import better_subdivision, features, fits, marks_in
from articulado.verification.quotations import stands_in
from articulado.verification.quoted_text import quotations_in
from articulado.verification.reading import LEAST_QUOTED, ReadAnswer, Sentence
from articulado.verification.sources import Source, provisions_in

MOST_LOOKED_UP = 12
"""Provisions, and laws, that are looked up for one answer."""

MARGIN = 0.20
MARGIN_MARKED = 0.12
"""How much better another source has to bear a claim than the provision named; one that the claim has the marker of."""

MARGIN_UNKNOWN = 0.4
"""How much of a claim a source has to bear that is attributed to a provision of which nothing is known."""

LEAST_FEATURES = 9
"""A claim of fewer words says too little to compare."""

_REFERS = re.compile(
    r"(?:\w(?:o|a|e|os|as|es|on|ion)\s+(?:del|de\s+l[oa]s?)|\bse\s+refieren?\s+(?:el|l[oa]s?)"
    r"|\w(?:ad|id|ist|iert|uest)[oa]s?\s+(?:en|por)\s+(?:el|l[oa]s?)|\bestablecen?\s+(?:el|l[oa]s?))\s+$"
)
"""What stands before a provision that is referred to, and that nothing is said to stand in."""
_ACCORDING = re.compile(r"\b(?:segun|conforme\s+a|de\s+acuerdo\s+con|como\s+dispone)\b")
"""What attributes a claim, however it goes on ("según lo previsto en el")."""
_LEADS_TO_LAW = re.compile(
    r"[\s,(\[]*(?:C\d+\]\s*)?(?:de\s+la|de\s+los|del?|la|el)?\s*(?:citad[oa]\s+)?", re.IGNORECASE
)
"""What stands between a citation and the name of its law."""
_NUMBERED_LAW = re.compile(
    r"\s*,?\s*(?:de\s+la|del?)\s+(?:Ley|Real\s+Decreto|RD|Decreto|Orden|Reglamento)[^.;()\d]{0,25}\d+/\d{4}",
    re.IGNORECASE,
)
_CHARACTERS_BEFORE = 40

_SAYS_NONE = re.compile(r"\bno\s+(?:existe|consta|figura|hay)|\binexistente|\bderogad|\bsin\s+vigencia|\bya\s+no\b")


@dataclass(frozen=True)
class KnownProvisions:
    """What the index has of the provisions that an answer names: their parts in force, else repealed; empty: none.

    ``laws`` are the ids of the laws of which the index has the official text: of those it can be said that a provision
    does not exist. ``repealed`` are the provisions of which no part is in force.
    """

    parts: Mapping[ProvisionRef, Sequence[Chunk]]
    laws: frozenset[str] = frozenset()
    repealed: frozenset[ProvisionRef] = frozenset()


NOTHING_KNOWN = KnownProvisions({})


async def look_up(answer: ReadAnswer, store: ChunkStore, as_of: date | None, today: date) -> KnownProvisions:
    """Look up in the index what the answer names and its sources are not."""
    have = {source.ref for source in answer.sources}
    named = (_ref(citation) for sentence in answer.sentences for citation in sentence.named)
    refs = [ref for ref in dict.fromkeys(named) if ref[0] and ref not in have][:MOST_LOOKED_UP]
    laws = list(dict.fromkeys(law_id for law_id, _ in refs))
    found = await asyncio.gather(*(store.find(*ref) for ref in refs), *(store.find(law_id, "art:1") for law_id in laws))
    parts, firsts = dict(zip(refs, found, strict=False)), found[len(refs) :]
    chunks = [*(chunk for some in found for chunk in some)]
    official = {chunk["law_id"] for chunk in chunks if chunk["source"] == "official"}
    repealed = {ref for ref, some in parts.items() if some and not any(_holds(chunk, as_of, today) for chunk in some)}
    with_first = {law_id for law_id, first in zip(laws, firsts, strict=True) if first}
    return KnownProvisions(parts, frozenset(official & with_first), frozenset(repealed))


def _holds(chunk: Chunk, as_of: date | None, today: date) -> bool:
    return chunk["status"] not in REPEALED and in_force(chunk, as_of, today)


def named_verdicts(answer: ReadAnswer, known: KnownProvisions, findings: Sequence[Finding]) -> list[NamedVerdict]:
    """Return what is known of each provision that an answer names, in the order of its text.

    ``findings`` are those of the answer: what is wrong with a provision is the reason of its verdict.
    """
    reasons = {finding["start"]: finding["kind"] for finding in findings if finding["check"] == "citation"}
    return [
        _verdict(answer, known, citation, reasons.get(citation.start, ""))
        for sentence in answer.sentences
        for citation in sentence.named
    ]


def citation_findings(answer: ReadAnswer, known: KnownProvisions) -> list[Finding]:
    """Return what is wrong with the provisions and markers of an answer."""
    return [*_dangling(answer), *_named_findings(answer, known)]


def _dangling(answer: ReadAnswer) -> list[Finding]:
    findings = []
    for start, end, numbers in marks_in(answer.text):
        missing = [number for number in numbers if not 1 <= number <= len(answer.sources)]
        if missing:
            which = ", ".join(f"C{number}" for number in missing)
            message = translate("verification.dangling", marks=which, count=len(answer.sources))
            findings.append(_finding(answer, "dangling", start, end, message))
    return findings


def _named_findings(answer: ReadAnswer, known: KnownProvisions) -> list[Finding]:
    have = {source.ref: source for source in answer.sources}
    findings = []
    for sentence in answer.sentences:
        if _SAYS_NONE.search(fold(sentence.text)):
            continue
        for citation in sentence.named:
            inside = _ref(citation) in have
            finding = (_misplaced if inside else _outside)(answer, known, sentence, citation)
            if finding:
                findings.append(finding)
    return findings


def _outside(answer: ReadAnswer, known: KnownProvisions, sentence: Sentence, citation: Citation) -> Finding | None:
    """Judge a provision that no source is."""
    ref = _ref(citation)
    if not ref[0]:
        return _of_unknown_law(answer, sentence, citation)
    if _is_referred_to(answer.sources, citation):
        return None
    parts, name = known.parts.get(ref, ()), _name(citation)
    if not parts and ref[0] in known.laws:
        return _told(answer, "no_such_provision", citation, translate("verification.no_such_provision", **name))
    if ref in known.repealed:
        return _told(answer, "repealed", citation, translate("verification.repealed", **name))
    text = "\n".join(chunk["text"] for chunk in parts)
    if parts:
        better = _quoted_of(answer, sentence, citation, text) or _better(answer, sentence, citation, text)
    else:
        # The index does not have it: all that can be told is that a source bears what it is named for.
        attributed = _attributes(answer, citation)
        better = _better(answer, sentence, citation, "", least=MARGIN_UNKNOWN) if attributed else None
    if better is None:
        return None
    kind = "swapped_law" if better.provision_key == citation.provision_key else "wrong_provision"
    return _compared(answer, kind, citation, better)


def _of_unknown_law(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> Finding | None:
    """Judge a provision of a law that is not known, where a source with its number bears the claim."""
    if not _NUMBERED_LAW.match(answer.text, citation.end) or not _attributes(answer, citation):
        return None
    better = _better(answer, sentence, citation, "", least=MARGIN_UNKNOWN)
    if better is None or better.provision_key != citation.provision_key:
        return None
    return _compared(answer, "swapped_law", citation, better)


def _misplaced(answer: ReadAnswer, known: KnownProvisions, sentence: Sentence, citation: Citation) -> Finding | None:
    """Judge a provision that is a source, where another source bears the claim far better."""
    if _is_reference(answer, sentence, citation):
        return None
    text = "\n".join(source.everything for source in answer.sources if source.ref == _ref(citation))
    better = _quoted_of(answer, sentence, citation, text) or _better(answer, sentence, citation, text)
    if better:
        return _compared(answer, "wrong_provision", citation, better)
    return _in_other_part(answer, sentence, citation)


def _in_other_part(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> Finding | None:
    """Judge the apartado, or the letter, in which an answer says that something stands."""
    claim = _claim_of_one(answer, sentence, citation)
    if not (citation.apartado or citation.letter) or len(features(claim)) < LEAST_FEATURES:
        return None
    source = max(
        (source for source in answer.sources if source.ref == _ref(citation)), key=lambda source: len(source.text)
    )
    better = better_subdivision(claim, citation, source.text)
    if better is None:
        return None
    say_where = "verification.letter" if better.is_letter else "verification.apartado"
    message = translate(say_where, **_name(citation), right=better.label)
    return _told(answer, "wrong_part", citation, message, source)


def _is_reference(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> bool:
    """Tell whether a provision is named as what its source refers to ("los supuestos del artículo 35.3")."""
    begin = max(sentence.start, citation.start - _CHARACTERS_BEFORE)
    if not _REFERS.search(fold(answer.text[begin : citation.start])):
        return False
    return _is_referred_to(
        [source for source in answer.of_sentence(sentence) if source.ref != _ref(citation)], citation
    )


def _quoted_of(answer: ReadAnswer, sentence: Sentence, citation: Citation, text: str) -> Source | None:
    """Return the source in which what a sentence quotes stands, where the only provision that it names has it not."""
    if len(sentence.named) > 1:
        return None
    for quotation in quotations_in(sentence.text):
        if quotation.length < LEAST_QUOTED or stands_in(quotation.pieces, [text]):
            continue
        for source in answer.sources:
            if source.ref != _ref(citation) and stands_in(quotation.pieces, [source.text]):
                return source
    return None


def _attributes(answer: ReadAnswer, citation: Citation) -> bool:
    """Tell whether a claim is attributed to a provision, which is not only named as what something refers to."""
    before = fold(answer.text[max(0, citation.start - _CHARACTERS_BEFORE) : citation.start])
    return not _REFERS.search(before) or bool(_ACCORDING.search(before))


def _better(
    answer: ReadAnswer, sentence: Sentence, citation: Citation, text: str, *, least: float = 0.0
) -> Source | None:
    """Return the source that bears the claim of a citation far better than the text of what it names.

    It bears ``least`` of the claim at least, a share in [0, 1].
    """
    claim = _claim_of_one(answer, sentence, citation)
    if not claim:
        return None
    refs = {_ref(other) for other in sentence.named}
    if len(features(claim)) < LEAST_FEATURES and _ref(citation) not in {source.ref for source in answer.sources}:
        # "Todo ello está en el artículo 46" speaks of what was said before.
        earlier = [other.text for other in answer.sentences if other.end <= sentence.start and not other.named]
        claim = "\n".join([*earlier[-3:], claim])
    others = [source for source in answer.sources if source.ref not in refs]
    if not others or len(features(claim)) < LEAST_FEATURES:
        return None
    own, *scores = fits(claim, [text, *(source.everything for source in others)])
    best = max(range(len(others)), key=scores.__getitem__)
    margin = MARGIN_MARKED if others[best].number in sentence.marks else MARGIN
    return others[best] if scores[best] - own >= max(margin, least) else None


def _in_brackets(answer: ReadAnswer, citation: Citation) -> bool:
    return "(" in answer.text[max(0, citation.start - 3) : citation.start]


def _claim_of_one(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> str:
    """Return the words that a citation goes with; empty where it cannot be told which words go with which citation."""
    if len(sentence.named) > 1 and not _in_brackets(answer, citation):
        return ""
    return _claim(answer, sentence, citation)


def _claim(answer: ReadAnswer, sentence: Sentence, citation: Citation) -> str:
    """Return the words that a citation goes with: those before its bracket, else the sentence; without citations."""
    start, end = sentence.start, sentence.end
    if _in_brackets(answer, citation):
        end = citation.start
        start = max([start, *(o.end for o in sentence.named if o.end < end and _in_brackets(answer, o))])
    spans = [*((other.start, other.end) for other in sentence.named), *_marks_and_laws(answer.text)]
    claim = answer.text[start:end]
    for first, last in sorted(spans, reverse=True):
        if start <= first and last <= end:
            claim = claim[: first - start] + claim[last - start :]
    return claim


@lru_cache(maxsize=16)
def _marks_and_laws(text: str) -> Sequence[tuple[int, int]]:
    """Return where the markers and the names of laws in an answer are, which is asked for each of its citations."""
    marks = ((start, end) for start, end, _ in marks_in(text))
    return (*marks, *((mention.start, mention.end) for mention in law_mentions(text)))


def _is_referred_to(sources: Sequence[Source], citation: Citation) -> bool:
    """Tell whether the text of a source names a provision."""
    return any(_ref(citation) in provisions_in(source.everything, source.law_id) for source in sources)


def _verdict(answer: ReadAnswer, known: KnownProvisions, citation: Citation, reason: str) -> NamedVerdict:
    ref = _ref(citation)
    source = next((source for source in answer.sources if source.ref == ref), None)
    law = known_laws().get(ref[0])
    in_index: NamedStatus = "in_index_not_in_context" if known.parts.get(ref) else "unknown"
    return NamedVerdict(
        where=answer.text[citation.start : citation.end],
        start=citation.start,
        end=citation.end,
        law_id=ref[0],
        law=source.law_name if source else law.short if law else "",
        provision_key=ref[1],
        provision=source.provision if source else provision_name(ref[1]),
        status="repealed" if ref in known.repealed else "verified" if source else in_index,
        mark=source.mark if source else "",
        reason=reason,
    )


def _compared(answer: ReadAnswer, kind: str, citation: Citation, better: Source) -> Finding:
    right = {"right": better.provision, "right_law": better.law_name}
    message = translate("verification.elsewhere", **_name(citation), **right)
    return _told(answer, kind, citation, message, better)


def _told(answer: ReadAnswer, kind: str, citation: Citation, message: str, source: Source | None = None) -> Finding:
    """Return what is wrong with a citation; it goes as far as the name of its law ("artículo 38 de la LGSS")."""
    end = citation.end
    laws = (citation.law_id, citation.current_id)
    for mention in law_mentions(answer.text):
        if mention.law_id in laws and mention.start >= end and _LEADS_TO_LAW.fullmatch(answer.text, end, mention.start):
            return _finding(answer, kind, citation.start, mention.end, message, source)
    return _finding(answer, kind, citation.start, end, message, source)


def _finding(
    answer: ReadAnswer, kind: str, start: int, end: int, message: str, source: Source | None = None
) -> Finding:
    return Finding(
        check="mark" if kind == "dangling" else "citation",
        kind=kind,
        severity="error" if kind in ("dangling", "no_such_provision", "repealed") else "warning",
        where=answer.text[start:end],
        start=start,
        end=end,
        message=message,
        mark=source.mark if source else "",
        evidence=source.text[:200] if source else "",
    )


def _name(citation: Citation) -> dict[str, str]:
    law = known_laws().get(citation.law_id or "")
    return {"provision": provision_name(citation.provision_key), "law": law.short if law else citation.law_id or ""}


def _ref(citation: Citation) -> ProvisionRef:
    return citation.law_id or "", citation.provision_key
