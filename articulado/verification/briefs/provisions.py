"""Look up the provisions cited by a brief, in their wording of its day.

``Provisions`` looks up each provision once. ``citation_finding`` reports a provision that does not exist or
was not in force on the day. ``validity`` describes the days of a wording.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta

from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.legal.citations.parser import Citation
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force
from articulado.legal.wordings import Certainty, certainty
from articulado.retrieval.question import is_tracked
from articulado.retrieval.references import Wording, excerpt, wording_on, wordings_of
from articulado.values.chunks import ProvisionRef
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore
from articulado.verification.briefs.passages import BriefCitation, CitationStatus
from articulado.verification.citations import missing_part, part_name
from articulado.verification.sources import Source


@dataclass(frozen=True)
class LookedUp:
    """A provision as the index has it; ``wording`` is that of the day of the brief, ``None`` where that is not there.

    ``others`` are its other wordings.
    """

    status: CitationStatus
    certainty: Certainty
    wording: Wording | None
    others: tuple[Wording, ...] = ()
    law: str = ""


NOTHING = LookedUp("not_indexed", "unknown", None)


@dataclass
class Provisions:
    """The provisions of an index on a day; each is looked up once.

    ``official`` are the laws, names by id, of which the index has the official text.
    """

    store: ChunkStore
    day: date
    today: date
    official: Collection[str]

    def __post_init__(self) -> None:
        self._seen: dict[ProvisionRef, LookedUp] = {}
        self._tracked: dict[str, frozenset[str]] = {}

    async def look_up(self, citation: Citation) -> LookedUp:
        """Return what the index has of a provision that is cited."""
        if citation.law_id is None:
            return NOTHING
        ref = (citation.law_id, citation.provision_key)
        if ref not in self._seen:
            self._seen[ref] = await self._find(ref)
        return self._seen[ref]

    async def _find(self, ref: ProvisionRef) -> LookedUp:
        law_id, key = ref
        law = known_laws().get(law_id)
        name = law.names[0] if law else law_id
        chunks = await self.store.find(law_id, key)
        if not chunks:
            if law_id not in self.official:
                return LookedUp("not_indexed", "unknown", None, (), name)
            return LookedUp("unknown_provision", "sure", None, (), name)
        wordings = wordings_of([chunk for chunk in chunks if chunk["source"] == "official"])
        if not wordings:
            return LookedUp("not_indexed", "unknown", None, (), name)
        name = wordings[0].head["law_name"]
        if law and law.published > self.day:
            return LookedUp("not_yet", "sure", None, tuple(wordings), name)
        of_day = wording_on(wordings, self.day, self.today)
        if of_day is None:
            return self._without_wording(wordings, name)
        others = tuple(wording for wording in wordings if wording is not of_day)
        sure: Certainty = "sure"
        if self.day != self.today:
            sure = certainty(of_day.head, self.day, await self._tracked_law(law_id))
        stands = in_force(of_day.head, self.day, self.today)
        return LookedUp("in_force" if stands else "repealed", sure, of_day, others, name)

    async def _tracked_law(self, law_id: str) -> frozenset[str]:
        """Return the law if its source tells amendments, else nothing."""
        if law_id not in self._tracked:
            self._tracked[law_id] = frozenset((law_id,)) if await is_tracked(self.store, law_id) else frozenset()
        return self._tracked[law_id]

    def _without_wording(self, wordings: list[Wording], name: str) -> LookedUp:
        ended = all(
            wording.head["valid_to"] and wording.head["valid_to"] <= self.day.isoformat() for wording in wordings
        )
        if ended:
            return LookedUp("repealed", "sure", None, tuple(wordings), name)
        tracked = wordings[0].head["wording"].get("tracked", False)
        return LookedUp("not_yet" if tracked else "no_wording", "unknown", None, tuple(wordings), name)


def source_of(number: int, ref: ProvisionRef, looked_up: LookedUp) -> Source:
    """Return the wording of a day as the source of a passage."""
    assert looked_up.wording is not None
    head = looked_up.wording.head
    heading = f"{head['law_name']}. {head['provision']}. {head['title']}"
    return Source(number, *ref[:1], head["law_name"], head["provision"], ref[1], looked_up.wording.text, heading)


def described(where: str, citation: Citation, looked_up: LookedUp) -> BriefCitation:
    """Return what the report tells of a provision that is named."""
    wording = looked_up.wording or (looked_up.others[-1] if looked_up.others else None)
    head = wording.head if wording else None
    text = _asked(looked_up.wording, citation) if looked_up.wording else ""
    return {
        "where": where,
        "law_id": citation.law_id or "",
        "law": looked_up.law,
        "provision": head["provision"] if head else "",
        "status": looked_up.status,
        "wording": looked_up.certainty,
        "valid_from": head["valid_from"] if head else None,
        "valid_to": head["valid_to"] if head else None,
        "text": text,
        "url": head["url"] if head else "",
    }


def citation_finding(text: str, citation: Citation, looked_up: LookedUp, day: date, today: date) -> Finding | None:
    """Return what is wrong with a provision that is named in ``text``: it does not exist, or was no law on the day."""
    where = text[citation.start : citation.end]
    wording = looked_up.wording or (looked_up.others[-1] if looked_up.others else None)
    names: dict[str, str] = {"law": looked_up.law, "provision": wording.head["provision"] if wording else where}
    written = long_day(day.isoformat())
    match looked_up.status:
        case "unknown_provision":
            message = translate("brief.unknown_provision", **names)
        case "repealed":
            until = wording.head["valid_to"] if wording else None
            last = _day_before(until) if until else ""
            message = translate("brief.repealed", **names, day=written, until=last) if last else ""
            message = message or translate("brief.repealed_today", **names)
        case "not_yet":
            law = known_laws().get(citation.law_id or "")
            if law and law.published > day:
                message = translate(
                    "brief.law_too_young", law=names["law"], day=written, published=long_day(law.published.isoformat())
                )
            else:
                since = looked_up.others[0].head["valid_from"] or ""
                message = translate("brief.not_yet", **names, day=written, since=long_day(since))
        case _:
            message = _without_subdivision(citation, looked_up, names)
    if not message:
        return None
    kind = "unknown_subdivision" if looked_up.status == "in_force" else looked_up.status
    return {
        "check": "citation",
        "kind": kind,
        "severity": "error",
        "where": where,
        "start": citation.start,
        "end": citation.end,
        "message": message,
        "mark": "",
        "evidence": "",
    }


def _without_subdivision(citation: Citation, looked_up: LookedUp, names: dict[str, str]) -> str:
    """Say that a provision has no such apartado or letter; empty where it has, or does not count its parts."""
    if looked_up.wording is None or looked_up.certainty != "sure" or not (citation.apartado or citation.letter):
        return ""
    part = missing_part(looked_up.wording.text, citation)
    return translate("brief.unknown_subdivision", subdivision=part_name(part), **names) if part else ""


def validity(wording: Wording) -> str:
    """Say from when to when a wording was law."""
    since, until = wording.head["valid_from"], wording.head["valid_to"]
    if since and until:
        return translate("brief.ruled", since=long_day(since), until=_day_before(until))
    return (
        translate("brief.ruled_until", until=_day_before(until))
        if until
        else translate("brief.rules_since", since=long_day(since or ""))
    )


def _asked(wording: Wording, citation: Citation) -> str:
    return excerpt(wording.text, citation.apartado or "", citation.letter or "") or wording.text


def _day_before(day: str) -> str:
    return long_day((date.fromisoformat(day) - timedelta(days=1)).isoformat())
