"""Reading of a question, and look-up of the provisions and decisions that it names."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from articulado.language.folding import fold
from articulado.language.spanish import content_words
from articulado.language.spelling import Speller
from articulado.language.translation import translate
from articulado.legal.citations.parser import ProvisionRequest, requests_of
from articulado.legal.dates.finder import speaks_of_force_alone
from articulado.legal.domain.base import Domain
from articulado.legal.domain.spanish_law import SPANISH_LAW, without_protocol
from articulado.legal.ids import COURTS
from articulado.legal.labels import is_unit
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.legal.laws.registry import known_laws
from articulado.legal.reading import LegalReading, read
from articulado.legal.validity import in_force
from articulado.legal.vocabulary.synonyms import find_acronyms
from articulado.legal.wordings import annotate_validity, tracked_laws
from articulado.retrieval.agreements import Applicable, without_agreement_names
from articulado.retrieval.fusion import candidate, merged
from articulado.retrieval.references import excerpt_of, remarks_on, unknown_law, wordings_of
from articulado.store.layout import IndexedAgreement, order_parts
from articulado.values.answers import Message, NamedDecision, NamedProvision, TurnQuestion, question_of, searched_topic
from articulado.values.chunks import NAMED_SCORE, Candidate, Chunk
from articulado.values.protocols import ChunkStore, SearchFilter

MAX_LOOKUP_WORDS = 2


def as_citation(text: str, today: date) -> str:
    """Turn a text that consists of an article number into a citation; return any other text unchanged."""
    alone = read(text, today).alone
    return f"arts. {text[alone[0].start :]}" if alone else text


def provisions_asked(
    reading: LegalReading,
    conversation: Sequence[Message],
    default_law: str,
    as_of: date | None = None,
    indexed: IndexedLaws = NO_LAWS,
) -> list[ProvisionRequest]:
    """Return the provisions that a question names, with their parts.

    An article without a law belongs to the law whose id is in the question, else to the last one of the conversation,
    else to ``default_law``. A law's name means the law in force on ``as_of``.
    """
    citations = reading.cited_on(as_of)
    lacks_law = any(citation.law_id is None for citation in citations)
    earlier = reversed(conversation) if lacks_law else ()
    spoken_of = next((law for message in earlier if (law := read(message["content"], reading.today).law)), "")
    requests = requests_of(citations, reading.text, spoken_of or default_law, indexed, written_id=reading.identifier)
    # "El apartado 2 del acuerdo" is of no norm that anybody could look up.
    known = [request for request in requests if request.law_id or not is_unit(request.provision_key)]
    return [replace(request, assumed=request.assumed and not spoken_of) for request in known]


def read_question(
    reading: LegalReading,
    requests: Sequence[ProvisionRequest] = (),
    territory: str | None = None,
    indexed: IndexedLaws = NO_LAWS,
) -> TurnQuestion:
    """Return the question with its provisions, decisions, place (else ``territory``) and acronyms."""
    named = dict.fromkeys((request.law_id, request.provision_key) for request in requests)
    decisions = decisions_named(reading)
    asks_for_force = not named and not decisions and (law_asked := law_whose_force_is_asked(reading, indexed))
    if asks_for_force:
        named[law_asked, "art:1"] = None
    return {
        **question_of(reading.text),
        "provisions": [NamedProvision(law_id=law_id, provision_key=key) for law_id, key in named],
        "decisions": decisions,
        "is_lookup": bool(named or decisions) and (bool(asks_for_force) or asks_for_provisions_alone(reading)),
        "acronyms": find_acronyms(reading.text),
        "territory": reading.place.name if reading.place else territory,
    }


def law_whose_force_is_asked(reading: LegalReading, indexed: IndexedLaws) -> str:
    """Return the law of a question that only asks if it is in force, else an empty string."""
    if len(reading.laws) != 1:
        return ""
    (mention,) = reading.laws
    beside = f"{reading.text[: mention.start]} {reading.text[mention.end :]}"
    if not speaks_of_force_alone(map(fold, content_words(beside))):
        return ""
    return mention.law_id or indexed.law_cited(reading.text, mention.start) or ""


def asks_for_provisions_alone(reading: LegalReading) -> bool:
    """Return True if a question has at most ``MAX_LOOKUP_WORDS`` content words beside its citations and days."""
    return len(content_words(reading.topic)) <= MAX_LOOKUP_WORDS


def with_agreements(question: TurnQuestion, applying: Applicable, today: date) -> TurnQuestion:
    """Add the agreements that apply; a provision "of the agreement" belongs to the named ones."""
    provisions = [
        NamedProvision(law_id=law_id, provision_key=provision["provision_key"])
        for provision in question["provisions"]
        for law_id in ([provision["law_id"]] if provision["law_id"] else applying.named or [""])
    ]
    completed: TurnQuestion = {
        **question,
        "provisions": provisions,
        "agreements": list(applying.named),
        "agreement_names": list(applying.names),
        "excluded_laws": list(applying.excluded),
    }
    if applying.named and provisions != question["provisions"]:
        asked = without_agreement_names(question["text"], applying.names)
        completed["is_lookup"] = asks_for_provisions_alone(read(asked, today))
    return completed


def up_to_date(question: TurnQuestion, domain: Domain, today: date) -> TurnQuestion:
    """Read a question again if its text or subject was edited, as in a fork."""
    is_read = question["read_from"] == [question["text"], question["subject"]]
    return question if is_read else described(question, domain, today)


def described(question: TurnQuestion, domain: Domain, today: date) -> TurnQuestion:
    """Add the topic and stems of a question and, for Spanish law, the citations, days and values of its text."""
    names, without_measure = question["agreement_names"], domain.language.query_patterns.without_measure
    topic, subject_topic = (
        without_measure(domain.question_topic(without_protocol(without_agreement_names(question[part], names))))
        for part in ("text", "subject")
    )
    read_from = [question["text"], question["subject"]]
    completed: TurnQuestion = {**question, "topic": topic, "subject_topic": subject_topic, "read_from": read_from}
    completed["stems"] = domain.stems(searched_topic(completed))
    if domain is not SPANISH_LAW:
        return completed
    reading = read(question["text"], today)
    return {
        **completed,
        "citations": [
            {"start": item.start, "end": item.end, "law_id": item.law_id or "", "provision_key": item.provision_key}
            for item in reading.citations
        ],
        "laws": [{"start": item.start, "end": item.end, "law_id": item.law_id or ""} for item in reading.laws],
        "places": [{"start": item.start, "end": item.end, "name": item.place.name} for item in reading.places],
        "days": [{"start": item.start, "end": item.end, "day": item.day.isoformat()} for item in reading.days],
        "values": [item.as_value() for item in reading.values],
    }


MAX_DECISIONS = 8
COLLECTIONS = ("sentencias", "criterios_inss")


def decisions_named(reading: LegalReading) -> list[NamedDecision]:
    text, decisions = reading.text, reading.decisions
    return [
        NamedDecision(key=decision.key, ecli=decision.ecli, name=text[decision.start : decision.end])
        for decision in decisions
    ]


async def look_up_decisions(decisions: Sequence[NamedDecision], store: ChunkStore) -> list[Candidate]:
    """Return all parts of the named decisions: packaged records by key, users' documents by ECLI or number."""
    wanted = decisions[:MAX_DECISIONS]
    chunks = await _having(store, "provision_key", [decision["key"] for decision in wanted])
    chunks += await _having(store, "law_id", [decision["ecli"] for decision in wanted])
    missing = _missing(wanted, chunks)
    chunks += await _having(store, "provision", [_as_written(decision) for decision in missing])
    named = {chunk["id"]: chunk for decision in wanted for chunk in chunks if _is_of(decision, chunk)}
    return [candidate(chunk, NAMED_SCORE, "direct", chunk["provision"]) for chunk in named.values()]


async def _having(store: ChunkStore, field: str, values: Sequence[str]) -> list[Chunk]:
    there_are = tuple(filter(None, values))
    return await store.select(COLLECTIONS, SearchFilter(fields=((field, there_are),))) if there_are else []


def _as_written(decision: NamedDecision) -> str:
    court, _, number = decision["key"].partition("-")
    return f"{court.upper()} {number.replace('-', '/')}" if court in COURTS else ""


def _is_of(decision: NamedDecision, chunk: Chunk) -> bool:
    names = {decision["key"], decision["ecli"], _as_written(decision)} - {""}
    return not names.isdisjoint((chunk["provision_key"], chunk["law_id"], chunk["provision"]))


def _missing(decisions: Sequence[NamedDecision], chunks: Sequence[Chunk]) -> list[NamedDecision]:
    return [decision for decision in decisions if not any(_is_of(decision, chunk) for chunk in chunks)]


def decisions_missing(decisions: Sequence[NamedDecision], candidates: Sequence[Candidate]) -> list[str]:
    missing = _missing(decisions, [item["chunk"] for item in candidates])
    names = dict.fromkeys(item["name"] for item in missing)
    return [translate("named.no_decision", name=name) for name in names]


MAX_DIRECT_PROVISIONS = 8


async def look_up(
    provisions: Sequence[NamedProvision], store: ChunkStore, as_of: date | None, today: date
) -> list[Candidate]:
    """Return all parts of named provisions, in the wording of the day or else the nearest one."""
    looked_up = provisions[:MAX_DIRECT_PROVISIONS]
    indexed = await asyncio.gather(*(store.find(named["law_id"], named["provision_key"]) for named in looked_up))
    return merged(
        annotate_validity(named_candidate, as_of) if as_of else named_candidate
        for named, chunks in zip(looked_up, indexed, strict=True)
        for chunk in ([chunk for chunk in chunks if in_force(chunk, as_of, today)] or _nearest(chunks, as_of or today))
        for named_candidate in [candidate(chunk, NAMED_SCORE, "direct", f"{named['law_id']}#{chunk['provision']}")]
    )


def _nearest(chunks: Sequence[Chunk], day: date) -> list[Chunk]:
    in_order = order_parts(chunks, day)
    return [chunk for chunk in in_order if chunk["valid_from"] == in_order[0]["valid_from"]]


def not_indexed(asked: ProvisionRequest) -> str:
    """Return the message that a requested provision is not in the index."""
    if not asked.law_id:
        return unknown_law(asked)
    law = known_laws().get(asked.law_id)
    where = translate("named.of_law", law=law.short) if law else translate("named.of_index")
    kind, _, number = asked.provision_key.partition(":")
    label = translate("named.article" if kind == "art" else "named.provision", number=number)
    return translate("named.not_indexed", label=label, where=where)


def remarks(asked: ProvisionRequest, chunks: Sequence[Chunk]) -> list[str]:
    """Return messages about a shown provision whose law was not named, or that lacks a requested part."""
    if not chunks:
        return []
    head, wording = chunks[0], wordings_of(chunks)[-1]
    missing = [part["missing"] for part in (excerpt_of(wording, place) for place in asked.subdivisions)]
    return [*remarks_on(asked, head), *filter(None, missing)]


def not_in_force(chunk: Chunk, as_of: date | None, today: date) -> str:
    """Return the warning for a named provision shown in another wording than that of the day."""
    day = as_of or today
    begins, ends = (date.fromisoformat(chunk[bound] or "9999-12-31") for bound in ("valid_from", "valid_to"))
    if chunk["valid_from"] and begins > day:
        instead = translate("named.rules_since", day=begins)
    elif ends <= day:
        instead = translate("named.ruled_until", day=ends - timedelta(days=1))
    else:
        instead = translate("named.latest")
    when = translate("named.when", day=as_of) if as_of else translate("named.today")
    names = {"provision": chunk["provision"], "law": chunk["law_name"]}
    return translate("named.not_in_force", **names, when=when, instead=instead)


PROBED = 40


async def is_tracked(store: ChunkStore, law_id: str) -> bool:
    """Return True if one of the first articles of a law records amendments."""
    for number in range(1, PROBED + 1):
        if tracked_laws(await store.find(law_id, f"art:{number}")):
            return True
    return False


@dataclass(frozen=True)
class IndexContents:
    """The chunks, collective agreements, laws and spelling words of an index."""

    store: ChunkStore
    agreements: Sequence[IndexedAgreement] = ()
    laws: IndexedLaws = NO_LAWS
    speller: Speller | None = None
