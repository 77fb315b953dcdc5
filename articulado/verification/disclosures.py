"""Disclosures beside an answer: search certificate, freshness of laws, precedence notes and remissions."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import combinations

from articulado.language.languages import Language
from articulado.legal.labels import provision_name
from articulado.legal.laws.registry import known_laws
from articulado.legal.wordings import last_change_of
from articulado.prompting.notes import whole_note
from articulado.values.answers import Need
from articulado.values.chunks import (
    NO_DAYS,
    Candidate,
    Chunk,
    ProvisionRef,
    indexed_text,
    is_card,
    ordering_score,
    provision_of,
    relevance,
)
from articulado.values.findings import (
    Certificate,
    Finding,
    Freshness,
    LawFreshness,
    NamedVerdict,
    NearestProvision,
    Remission,
)
from articulado.verification.sources import provisions_in

MAX_BEST = 3
_READ_FOR_MISSING = 5


def certificate_of(
    question: str,
    candidates: Sequence[Candidate],
    *,
    searches: Sequence[str],
    collections: Sequence[str],
    store: str,
    as_of: date | None,
    territory: str | None,
    probability: float | None,
    language: Language,
) -> Certificate:
    """Document the search behind an abstention: queries, nearest provisions, words without a match."""
    provisions = [candidate for candidate in candidates if not is_card(candidate["chunk"])]
    ordered = sorted(provisions, key=lambda candidate: (-ordering_score(candidate), candidate["chunk"]["id"]))
    first: dict[tuple[str, str], Candidate] = {}
    for candidate in ordered:
        first.setdefault(provision_of(candidate["chunk"]), candidate)
    had = {
        stem for candidate in ordered[:_READ_FOR_MISSING] for stem in language.stems(indexed_text(candidate["chunk"]))
    }
    words = dict.fromkeys(language.content_words(question))
    return {
        "searches": list(searches),
        "collections": list(collections),
        "store": store,
        "as_of": as_of.isoformat() if as_of else None,
        "territory": territory,
        "candidates": len(provisions),
        "relevance": probability,
        "best": [_nearest(candidate) for candidate in list(first.values())[:MAX_BEST]],
        "missing": [word for word in words if not had.intersection(language.stems(word))],
    }


def _nearest(candidate: Candidate) -> NearestProvision:
    chunk = candidate["chunk"]
    return {
        "law": chunk["law_name"],
        "provision": chunk["provision"],
        "title": chunk["title"],
        "url": chunk["url"],
        "relevance": round(relevance(candidate), 3),
    }


def freshness_of(
    cited: Mapping[int, Candidate], index_day: date | None, last_changes: Mapping[str, str], today: date
) -> Freshness:
    """Return the last change of each cited law: by the index, else by its wording, never in the future."""
    laws: dict[str, LawFreshness] = {}
    for candidate in cited.values():
        chunk = candidate["chunk"]
        known = (last_changes.get(chunk["law_id"]), last_change_of(chunk))
        days = [day for day in known if day and day <= today.isoformat()]
        unchanged = LawFreshness(law_id=chunk["law_id"], law=chunk["law_name"], last_change=None, published=None)
        law = laws.setdefault(chunk["law_id"], unchanged)
        law["last_change"] = max([*days, law["last_change"] or ""]) or None
        law["published"] = chunk.get("law_days", NO_DAYS)["published"] or law["published"]
    notes = {f"[C{number}] {note}" for number, candidate in cited.items() if (note := whole_note(candidate["chunk"]))}
    day = index_day.isoformat() if index_day else None
    return Freshness(index_day=day, laws=list(laws.values()), notes=sorted(notes))


MAX_NEEDS = 2
MAX_WORDS = 8
_CHARACTERS_AROUND = 160


def calls_for_second_answer(finding: Finding) -> bool:
    """Return True for a wrong citation or quotation, which a second call may correct."""
    return finding["severity"] == "error" and finding["check"] in ("citation", "quotation")


def needs_of(
    findings: Sequence[Finding], provisions: Sequence[NamedVerdict], text: str, language: Language
) -> list[Need]:
    """Return the needs of the second call: named provisions that the model has not read, else keywords of the claim."""
    needs: list[Need] = []
    unread = {verdict["start"]: verdict for verdict in provisions if verdict["status"] == "in_index_not_in_context"}
    for finding in findings:
        if not calls_for_second_answer(finding):
            continue
        verdict = unread.get(finding["start"])
        if verdict:
            article, law = verdict["provision"], verdict["law"]
            needs.append(Need(kind="article", article=article, law=law, keywords="", by_check=True))
        elif words := _words(text, finding, language):
            needs.append(Need(kind="keywords", article="", law="", keywords=words, by_check=True))
    return list({str(need): need for need in needs}.values())[:MAX_NEEDS]


def _words(text: str, finding: Finding, language: Language) -> str:
    begin = max(text.rfind(stop, 0, finding["start"]) for stop in (". ", "\n")) + 1
    begin = max(begin, finding["start"] - _CHARACTERS_AROUND)
    end = min((place for stop in (". ", "\n") if (place := text.find(stop, finding["end"])) >= 0), default=len(text))
    around = f"{text[begin : finding['start']]} {text[finding['end'] : min(end, finding['end'] + _CHARACTERS_AROUND)]}"
    words = (word for word in language.content_words(around) if not any(character.isdigit() for character in word))
    return " ".join(list(dict.fromkeys(words))[:MAX_WORDS])


_STATUTES = 2


def precedence_notes(cited: Mapping[int, Candidate], language: Language) -> list[str]:
    """Return a note if a collective agreement is cited beside the law, on which it may only improve (art. 3.3 ET)."""
    for (one, first), (two, second) in combinations(cited.items(), 2):
        above, below = sorted(((first["chunk"], one), (second["chunk"], two)), key=lambda pair: pair[0]["rank"])
        if above[0]["rank"] <= _STATUTES and above[0]["rank"] < below[0]["rank"] and "agreement" in below[0]:
            return [language.translate("verify_agreement_and_law", above=_name(*above), below=_name(*below))]
    return []


def _name(chunk: Chunk, number: int) -> str:
    return f"{chunk['law_name']}, {chunk['provision'].lower()} [C{number}]"


def remissions_of(cited: Mapping[int, Candidate], context: Sequence[Candidate]) -> list[Remission]:
    """Return the provisions to which cited fragments refer, each once, except cited and unregistered ones."""
    read = {provision_of(candidate["chunk"]) for candidate in context}
    own = {provision_of(candidate["chunk"]) for candidate in cited.values()}
    remissions: dict[ProvisionRef, Remission] = {}
    for number, candidate in cited.items():
        chunk = candidate["chunk"]
        for ref in _known(chunk["text"], chunk["law_id"]):
            if ref in remissions or ref in own:
                continue
            law = known_laws().get(ref[0])
            remissions[ref] = {
                "mark": f"C{number}",
                "law_id": ref[0],
                "law": law.short if law else chunk["law_name"],
                "provision_key": ref[1],
                "provision": provision_name(ref[1]),
                "consulted": ref in read,
            }
    return list(remissions.values())


def _known(text: str, law_id: str) -> list[ProvisionRef]:
    return [ref for ref in provisions_in(text, law_id) if ref[0] in known_laws() or ref[0] == law_id]
