"""Check the provisions and the markers of an answer against its sources and the index."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from articulado.language.folding import fold
from articulado.language.translation import translate
from articulado.legal.citations.items import Place
from articulado.legal.citations.parser import Citation
from articulado.legal.labels import excerpt, provision_name
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force
from articulado.values.chunks import REPEALED, Chunk, ProvisionRef
from articulado.values.findings import Check, Finding, NamedStatus, NamedVerdict
from articulado.values.protocols import ChunkStore
from articulado.verification.misplaced_markers import (
    MisplacedMarker,
    end_with_law,
    is_referred_to,
    laws_of,
    misplaced_markers,
    ref_of,
)
from articulado.verification.reading import ReadAnswer, marks_in
from articulado.verification.sources import Source, make_finding

MOST_LOOKED_UP = 24

_SAYS_NONE = re.compile(
    r"\bno\s+(?:existe|consta|figura|hay|tiene|contiene|llega)|\binexistente|\bderogad|\bsin\s+vigencia|\bya\s+no\b"
    r"|\bsuprimid|\bentonces\s+vigente|\b(?:anterior|antigu[oa]|entonces)\s+(?:redaccion|articulo|ley)|\bhasta\s+20\d\d"
)


@dataclass(frozen=True)
class KnownProvisions:
    """The provisions named in an answer, as found in the index."""

    parts: Mapping[ProvisionRef, Sequence[Chunk]]  # chunks of each looked-up provision, none if the index lacks it
    laws: frozenset[str] = frozenset()  # ids of laws with official text: a provision missing from them does not exist
    repealed: frozenset[ProvisionRef] = frozenset()
    texts: Mapping[ProvisionRef, str] = field(default_factory=dict)  # official texts in force


NOTHING_KNOWN = KnownProvisions({})


async def look_up(answer: ReadAnswer, store: ChunkStore, as_of: date | None, today: date) -> KnownProvisions:
    """Look up in the index the provisions named in an answer."""
    named = [citation for sentence in answer.sentences for citation in sentence.named]
    possible = ((law_id, each.provision_key) for each in named for law_id in laws_of(answer, each))
    refs = [ref for ref in dict.fromkeys([*map(ref_of, named), *possible]) if ref[0]][:MOST_LOOKED_UP]
    laws = list(dict.fromkeys(law_id for law_id, _ in refs))
    chunks = await asyncio.gather(
        *(store.find(*ref) for ref in refs), *(store.find(law_id, "art:1") for law_id in laws)
    )
    parts, firsts = dict(zip(refs, chunks, strict=False)), chunks[len(refs) :]
    official = {chunk["law_id"] for some in chunks for chunk in some if chunk["source"] == "official"}
    current = {ref: [chunk for chunk in some if _holds(chunk, as_of, today)] for ref, some in parts.items()}
    with_first = {law_id for law_id, first in zip(laws, firsts, strict=True) if first}
    return KnownProvisions(
        parts,
        frozenset(official & with_first),
        frozenset(ref for ref, some in parts.items() if some and not current[ref]),
        {ref: text for ref, some in current.items() if (text := _official_text(some))},
    )


def _official_text(chunks: Sequence[Chunk]) -> str:
    official = sorted((chunk for chunk in chunks if chunk["source"] == "official"), key=lambda chunk: chunk["part"])
    return "\n".join(chunk["text"] for chunk in official)


def _holds(chunk: Chunk, as_of: date | None, today: date) -> bool:
    return chunk["status"] not in REPEALED and in_force(chunk, as_of, today)


def named_verdicts(answer: ReadAnswer, known: KnownProvisions, findings: Sequence[Finding]) -> list[NamedVerdict]:
    """Return the status of each provision named in an answer, in text order; ``findings`` supply its reason."""
    reasons = {finding["start"]: finding["kind"] for finding in findings if finding["check"] == "citation"}
    return [
        _verdict(answer, known, citation, reasons.get(citation.start, ""))
        for sentence in answer.sentences
        for citation in sentence.named
    ]


def citation_findings(answer: ReadAnswer, known: KnownProvisions) -> list[Finding]:
    """Return the certain errors in the provisions and the markers of an answer."""
    misplaced = {each.citation.start: each for each in misplaced_markers(answer, known.texts)}
    findings = marker_findings(answer)
    for sentence in answer.sentences:
        if _SAYS_NONE.search(fold(sentence.text)):
            continue
        for citation in sentence.named:
            if finding := _index_finding(answer, known, citation):
                findings.append(finding)
            elif marker := misplaced.get(citation.start):
                findings.append(_misplaced_finding(answer, marker))
    return findings


def missing_part(text: str, citation: Citation) -> Place | None:
    """Return the first cited part that the text of its provision lacks; without letter if the apartado is missing.

    ``None`` if no part is missing, or if the text does not number its parts.
    """
    missing = (_missing_place(text, place) for place in citation.places)
    return next(filter(None, missing), None)


def _missing_place(text: str, place: Place) -> Place | None:
    apartado, letter = place
    if apartado:
        if not apartado[0].isdigit() or not all(excerpt(text, number, "") for number in ("1", "2")):
            return None
        if not excerpt(text, apartado, ""):
            return Place(apartado)
    if letter and excerpt(text, apartado, "a") and excerpt(text, apartado, "b") and not excerpt(text, apartado, letter):
        return place
    return None


def part_name(part: Place) -> str:
    """Return the Spanish name of an apartado or letter."""
    apartado, letter = part
    if not letter:
        return translate("brief.apartado", apartado=apartado)
    return translate("brief.letter_of" if apartado else "brief.letter", apartado=apartado, letter=letter)


def marker_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the markers of an answer that point to no source."""
    message = translate("verification.dangling", count=len(answer.sources))
    return [
        _finding(answer, "dangling", start, end, message)
        for start, end, numbers in marks_in(answer.text)
        if any(not 1 <= number <= len(answer.sources) for number in numbers)
    ]


def _index_finding(answer: ReadAnswer, known: KnownProvisions, citation: Citation) -> Finding | None:
    ref = ref_of(citation)
    sources = [source for source in answer.sources if source.ref == ref]
    if not sources and is_referred_to(answer.sources, citation):
        return None
    name = _name(citation)
    if not sources and _is_missing(answer, known, citation):
        return _citation_finding(
            answer, "no_such_provision", citation, translate("verification.no_such_provision", **name)
        )
    if not citation.law_named:
        return None
    if not sources and ref in known.repealed:
        return _citation_finding(answer, "repealed", citation, translate("verification.repealed", **name))
    text = known.texts.get(ref, "")
    part = missing_part(text, citation)
    if part is None or any(excerpt(source.text, *part) for source in sources):
        return None
    message = translate("brief.unknown_subdivision", subdivision=part_name(part), **name)
    return _citation_finding(answer, "no_such_part", citation, message)


def _is_missing(answer: ReadAnswer, known: KnownProvisions, citation: Citation) -> bool:
    laws = laws_of(answer, citation)
    named = (other for sentence in answer.sentences for other in sentence.named)
    if not citation.law_named and any(other.law_named and not other.law_id for other in named):
        return False  # It may be of the law that is not known.
    refs = [(law_id, citation.provision_key) for law_id in laws]
    return bool(refs) and all(ref[0] in known.laws and ref in known.parts and not known.parts[ref] for ref in refs)


def _misplaced_finding(answer: ReadAnswer, each: MisplacedMarker) -> Finding:
    name, source = _name(each.citation), each.source
    key = "verification.other_source" if name["law"] else "verification.other_source_bare"
    if not each.is_marked:
        key = "verification.other_text"
    message = translate(key, mark=f"[{source.mark}]", right=source.provision, right_law=source.law_name, **name)
    return _citation_finding(
        answer, "swapped_law" if each.is_swapped else "other_source", each.citation, message, source
    )


def _verdict(answer: ReadAnswer, known: KnownProvisions, citation: Citation, reason: str) -> NamedVerdict:
    ref = ref_of(citation)
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


def _citation_finding(
    answer: ReadAnswer, kind: str, citation: Citation, message: str, source: Source | None = None
) -> Finding:
    return _finding(answer, kind, citation.start, end_with_law(answer.text, citation), message, source)


def _finding(
    answer: ReadAnswer, kind: str, start: int, end: int, message: str, source: Source | None = None
) -> Finding:
    check: Check = "mark" if kind == "dangling" else "citation"
    mark, evidence = (source.mark, source.text[:200]) if source else ("", "")
    return make_finding(check, kind, answer.text, (start, end), message, mark=mark, evidence=evidence)


def _name(citation: Citation) -> dict[str, str]:
    law = known_laws().get(citation.law_id or "")
    return {"provision": provision_name(citation.provision_key), "law": law.short if law else citation.law_id or ""}
