"""Look up the provisions and decisions that a question names, and warn about missing ones.

``look_up`` returns all parts of named provisions in the wording of the day, else in the nearest wording.
``look_up_decisions`` finds rulings and criteria by key, ECLI or number. A question names at most 8
provisions and 8 decisions.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from articulado.language.translation import translate
from articulado.legal.ids import COURTS, decisions_in
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.legal.laws.registry import known_laws
from articulado.legal.validity import in_force
from articulado.legal.wordings import annotate_validity, tracked_laws
from articulado.retrieval.fusion import candidate, merged
from articulado.store.layout import IndexedAgreement, order_parts
from articulado.values.answers import NamedDecision, NamedProvision
from articulado.values.chunks import NAMED_SCORE, Candidate, Chunk
from articulado.values.protocols import ChunkStore, SearchFilter

MAX_DECISIONS = 8
COLLECTIONS = ("sentencias", "criterios_inss")
"""Where decisions are."""


def decisions_named(text: str) -> list[NamedDecision]:
    """Return the decisions that a text names, in its order."""
    return [NamedDecision(key=one.key, ecli=one.ecli, name=text[one.start : one.end]) for one in decisions_in(text)]


async def look_up_decisions(decisions: Sequence[NamedDecision], store: ChunkStore) -> list[Candidate]:
    """Return all parts of the decisions named: those of the records of the package, and documents of one's own.

    The first go by their key, the others by their ECLI, or by their number as it is written ("STS 1/2024"), which is
    looked for where the others have not been found, in all texts of ``COLLECTIONS``.
    """
    wanted = decisions[:MAX_DECISIONS]
    found = await _having(store, "provision_key", [one["key"] for one in wanted])
    found += await _having(store, "law_id", [one["ecli"] for one in wanted])
    missing = _missing(wanted, found)
    found += await _having(store, "provision", [_as_written(one) for one in missing])
    named = {chunk["id"]: chunk for one in wanted for chunk in found if _is_of(one, chunk)}
    return [candidate(chunk, NAMED_SCORE, "direct", chunk["provision"]) for chunk in named.values()]


async def _having(store: ChunkStore, field: str, values: Sequence[str]) -> list[Chunk]:
    """Return the chunks that have one of some values in a field; an empty value is that of none."""
    there_are = tuple(filter(None, values))
    return await store.select(COLLECTIONS, SearchFilter(fields=((field, there_are),))) if there_are else []


def _as_written(decision: NamedDecision) -> str:
    """Return the number of a ruling as documents of one's own have it: court, number and year."""
    court, _, number = decision["key"].partition("-")
    return f"{court.upper()} {number.replace('-', '/')}" if court in COURTS else ""


def _is_of(decision: NamedDecision, chunk: Chunk) -> bool:
    names = {decision["key"], decision["ecli"], _as_written(decision)} - {""}
    return not names.isdisjoint((chunk["provision_key"], chunk["law_id"], chunk["provision"]))


def _missing(decisions: Sequence[NamedDecision], chunks: Sequence[Chunk]) -> list[NamedDecision]:
    return [decision for decision in decisions if not any(_is_of(decision, chunk) for chunk in chunks)]


def decisions_missing(decisions: Sequence[NamedDecision], found: Sequence[Candidate]) -> list[str]:
    """Return a warning for each decision that was named and is not in the index."""
    missing = _missing(decisions, [one["chunk"] for one in found])
    names = dict.fromkeys(one["name"] for one in missing)
    return [translate("named.no_decision", name=name) for name in names]


MAX_DIRECT_PROVISIONS = 8


async def look_up(
    provisions: Sequence[NamedProvision], store: ChunkStore, as_of: date | None, today: date
) -> list[Candidate]:
    """Return named provisions, all their parts: of several wordings the one of the day, else the nearest to it."""
    looked_up = provisions[:MAX_DIRECT_PROVISIONS]
    indexed = await asyncio.gather(*(store.find(named["law_id"], named["provision_key"]) for named in looked_up))
    return merged(
        candidate(
            annotate_validity(chunk, as_of) if as_of else chunk,
            NAMED_SCORE,
            "direct",
            f"{named['law_id']}#{chunk['provision']}",
        )
        for named, chunks in zip(looked_up, indexed, strict=True)
        for chunk in ([chunk for chunk in chunks if in_force(chunk, as_of, today)] or _nearest(chunks, as_of or today))
    )


def _nearest(chunks: Sequence[Chunk], day: date) -> list[Chunk]:
    """Return the next wording after a day, else the last before it."""
    in_order = order_parts(chunks, day)
    return [chunk for chunk in in_order if chunk["valid_from"] == in_order[0]["valid_from"]]


def not_indexed(named: NamedProvision) -> str:
    """Return the warning for a provision that was named and is not in the index."""
    law = known_laws().get(named["law_id"])
    where = translate("named.of_law", law=law.short) if law else translate("named.of_index")
    kind, _, number = named["provision_key"].partition(":")
    label = translate("named.article" if kind == "art" else "named.provision", number=number)
    return translate("named.not_indexed", label=label, where=where)


def not_in_force(chunk: Chunk, as_of: date | None, today: date) -> str:
    """Return the warning for a provision that was named and has another wording than that of the day asked about."""
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
"""Articles of a law of which one should tell an amendment, if its source tells any."""


async def is_tracked(store: ChunkStore, law_id: str) -> bool:
    """Tell whether the source of a law tells its amendments, as far as its first articles show it."""
    for number in range(1, PROBED + 1):
        if tracked_laws(await store.find(law_id, f"art:{number}")):
            return True
    return False


@dataclass(frozen=True)
class IndexContents:
    """The chunks, collective agreements and laws of an index."""

    store: ChunkStore
    agreements: Sequence[IndexedAgreement] = ()
    laws: IndexedLaws = NO_LAWS
