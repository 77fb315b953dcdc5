from datetime import date

import pytest
from support.laboral import write_laboral

from articulado.config.profile import Profile, load_profile
from articulado.guides.cards import packaged_cards
from articulado.ingestion.bundled import BundledChunks, bundled_chunks, bundled_documents, comes_along
from articulado.ingestion.incremental.catalog import RECORD
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.store.records.chunks import lay_phrasings, search_text, with_chunks
from articulado.store.records.schema import (
    Corpus,
    CriterionRecord,
    EmptyRecord,
    ProvisionRecord,
    RulingRecord,
    load_corpus,
)
from articulado.values.chunks import MAX_CHUNK_ID, Chunk, is_card
from articulado.values.errors import ConfigurationError

ET = "BOE-A-2015-11430"


def provision(label: str, *refs: str, law_id: str = ET, **fields) -> ProvisionRecord:
    return ProvisionRecord(
        law_id=law_id,
        provision=label,
        **{
            "title": f"Título del {label}",
            "summary": "Resumen.",
            "written_against": {"content_hash": "0" * 16, "date": "2015-11-13"},
            "points": ("1. Uno.", "2. Dos."),
            "questions": ("una pregunta",),
            "keywords": ("coloquial", "SIGLA"),
            "topics": ("tema", "otro"),
            "refs": refs,
            **fields,
        },
    )


def decision(kind, number: str, *refs: str, **fields):
    return kind(
        number=number,
        date=date(2020, 1, 31),
        title="Título",
        doctrine="Doctrina.",
        status_note="Superada.",
        questions=("una pregunta",),
        keywords=("palabra",),
        topics=("tema",),
        refs=refs,
        url="https://www.boe.es/x",
        **fields,
    )


RULING = decision(
    RulingRecord, "STS 1/2020", f"{ET}#Artículo 38", id="sts-1", court="Tribunal Supremo", case="Rec. 9/2019", ecli=""
)
CRITERION = decision(CriterionRecord, "Criterio 2/2020", f"{ET}#Artículo 99", id="cg-2", body="INSS")
CORPUS = Corpus(
    (provision("Artículo 38", f"{ET}#Artículo 48 bis"), provision("Artículo 48 bis")), (), (RULING,), (CRITERION,)
)


def chunks_of(corpus: Corpus) -> list[Chunk]:
    return [chunk for _, chunk in with_chunks(corpus)]


def test_a_provision_becomes_a_chunk_of_its_law():
    chunk, other, *_ = chunks_of(CORPUS)
    assert {name: value for name, value in chunk.items() if name not in ("id", "content_hash", "refs")} == {
        "collection": "normativa",
        "law_id": ET,
        "law_name": "Estatuto de los Trabajadores",
        "rank": 2,
        "kind": "resumen",
        "provision": "Artículo 38",
        "provision_key": "art:38",
        "title": "Título del Artículo 38",
        "breadcrumb": "",
        "summary": "Resumen.",
        "text": "1. Uno.\n2. Dos.",
        "part": 1,
        "parts": 1,
        "parent_id": None,
        "parent_content": "",
        "strategy": "record",
        "valid_from": "2015-11-13",
        "valid_to": None,
        "status": "vigente",
        "status_note": "",
        "wording": {},
        "notes": [],
        "territory_ccaa": None,
        "territory_municipio": None,
        "chunk_type": "provision",
        "tier": "",
        "topic": "tema",
        "attributes": {},
        "url": f"https://www.boe.es/buscar/act.php?id={ET}#a38",
        "source": "plain_language",
    }
    assert chunk["refs"] == [other["id"]]


def empty(label: str, reason: str, *replaced_by: str) -> EmptyRecord:
    return EmptyRecord(
        law_id=ET,
        provision=label,
        title="",
        reason=reason,
        note="Hoy rige el artículo 38.",
        replaced_by=replaced_by,
        written_against={"content_hash": "0" * 16, "date": "2015-11-13"},
    )


def test_empty_record_is_noted_and_leads_to_the_present_rules():
    corpus = Corpus((provision("Artículo 38"),), (empty("Artículo 98", "derogada", f"{ET}#Artículo 38"),))
    held, gone = chunks_of(corpus)
    assert (gone["provision"], gone["provision_key"], gone["refs"]) == ("Artículo 98", "art:98", [held["id"]])
    assert (gone["status"], gone["text"]) == ("derogada", "(Precepto derogado)")
    assert gone["status_note"] == "Precepto derogado. Hoy rige el artículo 38."
    (spent,) = chunks_of(Corpus(empty=(empty("Disposición transitoria primera", "agotada"),)))
    assert (spent["status"], spent["text"]) == ("agotada", "(Precepto de vigencia agotada)")


def test_the_same_provision_in_both_folders_is_refused_and_a_note_is_shown():
    with pytest.raises(ConfigurationError, match=r"dos veces «Artículo 38»"):
        with_chunks(Corpus((provision("Artículo 38"),), (empty("Artículo 38", "derogada"),)))
    (chunk,) = chunks_of(Corpus((provision("Artículo 38", status_note="Superado: hoy son 40."),)))
    assert chunk["status_note"] == "Superado: hoy son 40."


def test_a_provision_in_force_without_rules_says_why():
    (chunk,) = chunks_of(Corpus(empty=(empty("Disposición final primera", "habilitacion"),)))
    assert (chunk["status"], chunk["status_note"], chunk["text"]) == ("vigente", "", "Hoy rige el artículo 38.")
    assert search_text(empty("Artículo 9", "derogada")) == ""


def test_decisions_become_chunks_that_lead_to_their_provisions():
    vacations, _, ruling, criterion = chunks_of(CORPUS)
    assert (ruling["collection"], ruling["kind"], ruling["rank"]) == ("sentencias", "sentencia", 5)
    assert (ruling["law_id"], ruling["law_name"], ruling["provision"]) == ("sts-1", "Tribunal Supremo", "STS 1/2020")
    assert (ruling["text"], ruling["status_note"], ruling["valid_from"]) == ("Doctrina.", "Superada.", "2020-01-31")
    assert ruling["url"] == "https://www.boe.es/x"
    assert ruling["refs"] == [vacations["id"]]
    assert (criterion["collection"], criterion["kind"], criterion["law_name"]) == ("criterios_inss", "criterio", "INSS")
    assert criterion["refs"] == []  # its provision is not in the corpus


def test_ruling_is_identified_by_its_ecli():
    known = RULING.model_copy(update={"ecli": "ECLI:ES:TS:2020:1"})
    assert [chunk["law_id"] for chunk in chunks_of(Corpus(rulings=(known,)))] == ["ECLI:ES:TS:2020:1"]
    # … and keeps its id when the ECLI is found out later.
    assert [chunk["id"] for chunk in chunks_of(Corpus(rulings=(known,)))] == [
        chunk["id"] for chunk in chunks_of(Corpus(rulings=(RULING,)))
    ]


def test_lay_phrasings_are_not_part_of_the_chunk():
    (record, chunk), *_ = with_chunks(CORPUS)
    found_by = search_text(record)
    for word in ("una pregunta", "coloquial", "SIGLA", "Real Decreto Legislativo 2/2015", "ET"):
        assert word in found_by
        assert word not in chunk["text"] + chunk["summary"] + chunk["title"]
    assert "Rec. 9/2019" in search_text(RULING)


def test_an_unknown_law_a_strange_label_and_a_provision_twice_are_refused():
    with pytest.raises(ConfigurationError, match=r"BOE-A-1900-1, que no está en laws\.toml"):
        with_chunks(Corpus((provision("Artículo 1", law_id="BOE-A-1900-1"),)))
    with pytest.raises(ConfigurationError, match="«Preámbulo»"):
        with_chunks(Corpus((provision("Preámbulo"),)))
    with pytest.raises(ConfigurationError, match=r"dos veces «Art\. 38»"):
        with_chunks(Corpus((provision("Artículo 38"), provision("Art. 38"))))


@pytest.fixture(scope="module")
def profile(tmp_path_factory) -> Profile:
    """The profile of the law with its records, and without its articles."""
    return load_profile(write_laboral(tmp_path_factory.mktemp("profile"), records=True))


@pytest.fixture(scope="module")
def packaged(profile) -> BundledChunks:
    return bundled_chunks(profile)


def official(packaged: BundledChunks, key: str, **fields) -> Chunk:
    """Return the official text of a provision of the ET."""
    record = next(one for one in packaged.chunks if (one["law_id"], one["provision_key"]) == (ET, key))
    return {**record, "source": "official", "strategy": "small_to_big", **fields}


def test_the_packaged_corpus_is_whole_and_its_references_lead_somewhere(packaged):
    ids = [chunk["id"] for chunk in packaged.chunks]
    records = len(load_corpus().law_records) + len(load_corpus().decisions)
    assert len(set(ids)) == len(ids) == records + len(packaged_cards())
    assert all(0 <= identity <= MAX_CHUNK_ID for identity in ids)
    assert {chunk["collection"] for chunk in packaged.chunks} == {"normativa", "sentencias", "criterios_inss", "fichas"}
    assert packaged.lay_phrasings.keys() == set(ids)
    for chunk in packaged.chunks:
        assert set(chunk["refs"]) <= set(ids) - {chunk["id"]}
        assert chunk.keys() - {"details", "emptied"} == Chunk.__required_keys__
        assert ("details" in chunk) == is_card(chunk)


def test_records_of_an_ingested_law_are_left_out(packaged, profile):
    law = [official(packaged, "art:38", id=number, part=number - 6, parts=2) for number in (7, 8)]
    documents = [each for each in bundled_documents(profile) if comes_along(each, ET.__eq__, lambda *key: False)]
    records = [chunk for each in documents if each.kind == RECORD for chunk in each.chunks]
    index = ProvisionIndex.of([*law, *records])
    beside = [chunk for each in documents for chunk in each.linked(index)]
    assert {chunk["law_id"] for chunk in packaged.chunks} - {chunk["law_id"] for chunk in beside} == {ET}
    refs = {chunk["provision"]: chunk["refs"] for chunk in beside if chunk["chunk_type"] == "doctrine"}
    assert refs["STJUE C-78/11"] == [7]
    assert refs["STS 805/2020"] == []
    ids = {chunk["id"] for chunk in packaged.chunks if chunk["law_id"] == ET}
    assert not ids & {ref for chunk in beside for ref in chunk["refs"]}, "none leads to a record that is gone"
    assert bundled_documents(profile, packaged=False) == []


def test_official_text_has_lay_phrasings_too(packaged):
    text = official(packaged, "art:38", id=8, part=2)
    record = official(packaged, "art:38")
    assert packaged.lay_phrasings[record["id"]] == lay_phrasings(text) != ""
    assert lay_phrasings({**text, "law_id": "X"}) == ""
