"""A made-up corpus of packaged records that is quick to index."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from articulado.ingestion import bundled
from articulado.store.records import chunks
from articulado.store.records.schema import Corpus, CriterionRecord, ProvisionRecord, RulingRecord

ET, LGSS = "BOE-A-2015-11430", "BOE-A-2015-11724"


def record(law_id: str, provision: str, *refs: str, content_hash: str = "0" * 16) -> ProvisionRecord:
    """Return the record of a provision, whose summary names it."""
    return ProvisionRecord(
        law_id=law_id,
        provision=provision,
        title=f"Asunto de {provision}",
        summary=f"Nuestro resumen de {provision}.",
        points=(f"Lo que dice {provision}, con nuestras palabras.",),
        questions=("cuando toca veraneo",),
        keywords=(),
        topics=("vacaciones",),
        refs=refs,
        written_against={"content_hash": content_hash, "date": "2000-01-02"},
    )


_COMMON = {"keywords": (), "topics": ("vacaciones",), "status_note": "", "url": ""}

RULING = RulingRecord(
    id="sts-1", number="STS 1/2020", court="Tribunal Supremo", case="Rec. 1/2019", ecli="", title="Descansos",
    date="2020-01-31", doctrine="Descansar es un derecho.", questions=(), refs=(f"{ET}#Artículo 1",), **_COMMON,
)  # fmt: skip
CRITERION = CriterionRecord(
    id="inss-1", number="Criterio 1/2020", body="INSS", title="Prestaciones", date="2020-02-28",
    doctrine="La prestación se paga.", questions=(), refs=(f"{LGSS}#Artículo 1",), **_COMMON,
)  # fmt: skip


def small_corpus(content_hash: str = "0" * 16) -> Corpus:
    """Return two laws in records, a ruling and a criterion.

    Article 1 of the ET has been written against ``content_hash``, and article 1 of the LGSS leads to it.
    """
    provisions = (
        record(ET, "Artículo 1", content_hash=content_hash),
        record(ET, "Artículo 9"),
        record(LGSS, "Artículo 1", f"{ET}#Artículo 1"),
    )
    return Corpus(provisions, (), (RULING,), (CRITERION,))


@contextmanager
def bringing(corpus: Corpus) -> Iterator[None]:
    """Make a corpus the packaged one for the length of a block, without answer cards."""
    cached = (
        chunks.packaged_records,
        chunks.packaged_law_records,
        chunks.records_of_law,
        chunks._decisions,
        bundled._cards,
    )

    def of_law(law_id: str) -> Corpus:
        return Corpus(provisions=tuple(record for record in corpus.provisions if record.law_id == law_id))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "load_corpus", lambda: corpus)
        patch.setattr(chunks, "load_law", of_law)
        patch.setattr(chunks, "load_decisions", lambda: corpus.decisions)
        patch.setattr(bundled, "packaged_cards", dict)
        for read in cached:
            read.cache_clear()
        yield
    for read in cached:
        read.cache_clear()
