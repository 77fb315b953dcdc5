"""Look up the provisions cited by a brief, in their wording of its day."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.language.translation import translate
from articulado.legal.citations.items import Place
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.laws.mentions import mentions_in
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force, is_repealed, shortened
from articulado.legal.wordings import Certainty, certainty
from articulado.retrieval.question import is_tracked
from articulado.retrieval.references import Wording, wording_on, wordings_of
from articulado.values.chunks import Chunk, ProvisionRef
from articulado.values.findings import Finding
from articulado.values.protocols import ChunkStore, SearchFilter
from articulado.verification.briefs.claims import Cited, content_stems, finding_on, tells_facts
from articulado.verification.briefs.passages import (
    BriefCitation,
    BriefParagraph,
    CitationStatus,
    division_of,
)
from articulado.verification.citations import missing_part, part_name
from articulado.verification.reading import Sentence, without_names
from articulado.verification.sources import Source, make_finding, provisions_in

MAX_REFERRED = 8
_A_NAME = re.compile(
    r"[\s,(]{1,3}(?:de la |del |de los |de las |de )?"
    r"(?P<name>[A-ZÁÉÍÓÚÑ]{2,8}\b|Directiva|Código|Convenio|Reglamento|Tratado|Ley|Real Decreto|Decreto|Acuerdo|Carta)"
)

_LEAST_SHARED = 3
_OF_LAW = 0.85
_NEAR, _FAR = 0.9, 0.3
_NAMING = re.compile(r"(?: (?!(?:y|e|o|que|se|es|son|ha|no|en|para|por|con|al?)\b)[\w/]+){0,7}")
_REPEALS = re.compile(r"\bSe (?:deroga|suprime)")


@dataclass(frozen=True)
class LookedUp:
    """A provision in the index; ``wording`` is that of the day of the brief, if any, ``others`` are the rest."""

    status: CitationStatus
    certainty: Certainty
    wording: Wording | None
    others: tuple[Wording, ...] = ()
    law: str = ""


NOTHING = LookedUp("not_indexed", "unknown", None)


@dataclass
class Provisions:
    """The provisions of an index on a day, each looked up once; ``official`` are law ids with official text."""

    store: ChunkStore
    day: date
    today: date
    official: Collection[str]

    def __post_init__(self) -> None:
        self._seen: dict[ProvisionRef, LookedUp] = {}
        self._tracked: dict[str, frozenset[str]] = {}
        self._laws: dict[str, list[Chunk]] = {}

    async def look_up(self, citation: Citation) -> LookedUp:
        """Return the index's record of a cited provision."""
        if citation.law_id is None:
            return NOTHING
        return await self._look_up((citation.law_id, citation.provision_key))

    async def _look_up(self, ref: ProvisionRef) -> LookedUp:
        if ref not in self._seen:
            self._seen[ref] = await self._find(ref)
        return self._seen[ref]

    async def referred_text(self, text: str, ref: ProvisionRef) -> str:
        """Return the texts, on the day of the brief, of the provisions to which a text of ``ref`` refers."""
        texts = []
        for other in [each for each in provisions_in(text, ref[0]) if each != ref][:MAX_REFERRED]:
            wording = (await self._look_up(other)).wording
            texts += [wording.text] if wording else []
        return "\n".join(texts)

    async def law(self, law_id: str, collection: str) -> list[Chunk]:
        """Return the official chunks of a law on the day of the brief."""
        if law_id not in self._laws:
            where = SearchFilter(as_of=self.day, fields=(("law_id", (law_id,)),))
            chunks = await self.store.select((collection,), where)
            self._laws[law_id] = [chunk for chunk in chunks if chunk["source"] == "official"]
        return self._laws[law_id]

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
    """Return the wording of the day as a source; the provision must have one."""
    assert looked_up.wording is not None
    head = looked_up.wording.head
    heading = f"{head['law_name']}. {head['provision']}. {head['title']}"
    return Source(number, *ref[:1], head["law_name"], head["provision"], ref[1], looked_up.wording.text, heading)


def described(where: str, citation: Citation, looked_up: LookedUp) -> BriefCitation:
    """Return the entry of the report for a named provision."""
    wording = looked_up.wording or (looked_up.others[-1] if looked_up.others else None)
    head = wording.head if wording else None
    text = ""
    if looked_up.wording:
        division = division_of(looked_up.wording.text)
        text = division.own(*division.place_of(citation)) or looked_up.wording.text
    return {
        "where": where,
        "outcome": "confirmed",
        "basis": "",
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


def citation_finding(text: str, citation: Citation, looked_up: LookedUp, day: date) -> Finding | None:
    """Return the finding of a provision that does not exist or was not in force on the day."""
    where = text[citation.start : citation.end]
    wording = looked_up.wording or (looked_up.others[-1] if looked_up.others else None)
    names: dict[str, str] = {"law": looked_up.law, "provision": wording.head["provision"] if wording else where}
    written, kind = long_day(day.isoformat()), str(looked_up.status)
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
            message = _repealed_part(citation, looked_up, names)
            kind = "repealed" if message else "unknown_subdivision"
            message = message or _without_subdivision(citation, looked_up, names)
    if not message:
        return None
    return make_finding("citation", kind, text, (citation.start, citation.end), message)


def _repealed_part(citation: Citation, looked_up: LookedUp, names: dict[str, str]) -> str:
    if looked_up.wording is None or not (citation.apartado or citation.letter):
        return ""
    division = division_of(looked_up.wording.text)
    place = division.place_of(citation)
    if place == ("", "") or not is_repealed(division.own(*place).splitlines()):
        return ""
    head = looked_up.wording.head
    label = (
        rf"\bletras? (?:[^.]{{0,20}}\b)?{place[1]}\)" if place[1] else rf"\bapartados? (?:[^.]{{0,20}}\b)?{place[0]}\b"
    )
    notes = [shortened(note) for note in head["notes"] if _REPEALS.search(note) and re.search(label, note)]
    message = translate("brief.part_repealed", subdivision=part_name(Place(*place)), **names)
    message += translate("brief.part_repealed_by", notes=" ".join(notes)) if notes else ""
    return message + _since(citation, looked_up)


def _since(citation: Citation, looked_up: LookedUp) -> str:
    assert looked_up.wording is not None
    day = looked_up.wording.head["valid_from"] or ""
    before = [other for other in looked_up.others if (other.head["valid_from"] or "") < day]
    for other in sorted(before, key=lambda each: each.head["valid_from"] or "", reverse=True):
        division = division_of(other.text)
        if not is_repealed(division.own(*division.place_of(citation)).splitlines()):
            return translate("brief.part_repealed_on", day=long_day(day))
        day = other.head["valid_from"] or day
    return translate("brief.part_repealed_since", since=long_day(day)) if day else ""


def _without_subdivision(citation: Citation, looked_up: LookedUp, names: dict[str, str]) -> str:
    if looked_up.wording is None or looked_up.certainty != "sure" or not (citation.apartado or citation.letter):
        return ""
    part = missing_part(looked_up.wording.text, citation)
    return translate("brief.unknown_subdivision", subdivision=part_name(part), **names) if part else ""


def validity(wording: Wording) -> str:
    """Describe the days on which a wording was in force."""
    since, until = wording.head["valid_from"], wording.head["valid_to"]
    if since and until:
        return translate("brief.ruled", since=long_day(since), until=_day_before(until))
    if until:
        return translate("brief.ruled_until", until=_day_before(until))
    return translate("brief.rules_since", since=long_day(since or ""))


def _day_before(day: str) -> str:
    return long_day((date.fromisoformat(day) - timedelta(days=1)).isoformat())


def citations_of(text: str, day: date | None = None) -> list[Citation]:
    """Return the provisions named in a text of a day; the law is ``None`` if it is not registered.

    >>> [citation.law_id for citation in citations_of("el art. 56 ET y el art. 12 de la Directiva 2003/88/CE")]
    ['BOE-A-2015-11430', None]
    """
    mentions = mentions_in(text, fold(text), day, literal=True)
    citations = []
    for citation in parse_citations(text, CitationContext(day=day)):
        named = _A_NAME.match(text, citation.end)
        is_known = named and any(mention.start <= named.start("name") < mention.end for mention in mentions)
        citations.append(replace(citation, law_id=None) if named and not is_known else citation)
    return [_widened(citation) for citation in citations]


def _widened(citation: Citation) -> Citation:
    apartados = {place.apartado for place in citation.places}
    if len(citation.places) < 2:
        return citation
    is_one = len(apartados) == 1 and "" not in apartados
    return replace(citation, places=tuple(map(Place, apartados)) if is_one else ())


def cited_laws(paragraphs: Sequence[BriefParagraph]) -> frozenset[str]:
    """Return the ids of the registered laws that a brief cites."""
    named = (citation for paragraph in paragraphs for citation in citations_of(paragraph.text))
    return frozenset(citation.law_id for citation in named if citation.law_id)


def around(text: str, citation: Citation) -> str:
    """Return the words of a citation, and those behind it that may name its law ("art. 5 del convenio")."""
    behind = _NAMING.match(text, citation.end)
    return " ".join((text[citation.start : citation.end] + (behind[0] if behind else "")).split()).rstrip(" ,")


@dataclass(frozen=True)
class _Apartado:
    key: str
    label: str
    words: frozenset[str]
    text: str


async def other_provision(sentence: Sentence, cited: Cited, provisions: Provisions) -> Finding | None:
    """Return the finding that the words of a sentence are those of another provision of the cited law."""
    if tells_facts(sentence.text):
        return None
    said = content_stems(without_names(sentence))
    law_id, key = cited.source.ref
    if len(said & content_stems(cited.source.everything)) > len(said) / 2:
        return None
    apartados = await _apartados(cited.source.ref, cited.collection, provisions)
    provisions_with = Counter(stem for each in apartados for stem in each.words)
    weight = {stem: math.log(len(apartados) / provisions_with[stem]) for stem in said if stem in provisions_with}
    total = sum(weight.values())
    if len(weight) < max(_LEAST_SHARED, _OF_LAW * len(said)) or not total:
        return None

    def share(words: frozenset[str]) -> float:
        return sum(weight[stem] for stem in weight.keys() & words) / total

    if max((share(each.words) for each in apartados if each.key == key), default=0) > _FAR:
        return None
    others = [each for each in apartados if each.key != key and share(each.words) >= _NEAR]
    if not others or {key for _, key in provisions_in(cited.scope, law_id)} & {each.key for each in others}:
        return None
    best = max(others, key=lambda each: share(each.words))
    message = translate("brief.other_provision", provision=cited.name, place=best.label)
    return finding_on(sentence, cited, "other_provision", message, best.text)


async def _apartados(ref: ProvisionRef, collection: str, provisions: Provisions) -> list[_Apartado]:
    by_key = defaultdict(list)
    for chunk in await provisions.law(ref[0], collection):
        by_key[chunk["provision_key"]].append(chunk)
    apartados = []
    for key, chunks in by_key.items():
        wording = wording_on(wordings_of(chunks), provisions.day, provisions.today)
        if wording is None:
            continue
        division = division_of(wording.text)
        title = content_stems(wording.head["title"])
        for apartado in dict.fromkeys(part.apartado for part in division.parts):
            text = division.own(apartado, "") if apartado else wording.text
            label = wording.head["provision"].lower() + f".{apartado}" * bool(apartado)
            apartados.append(_Apartado(key, label, title | content_stems(text), text))
    return apartados
