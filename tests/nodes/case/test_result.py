"""What is read off the state of a case."""

from pathlib import Path

import pytest
from support.case_fields import field
from support.doubles import make_chunk

from articulado.cases.author import assembled, render
from articulado.config.profile import load_profile
from articulado.guides.chunks import cut_article
from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from nodes.case.accept_case import summary
from nodes.case.result import case_material, case_rules, case_sources, left_out_of, read_case, titles_of

COLLECTED = {"Saldo": "TBD", "plan_name": "Acme", "note": "x y"}


def state(**values):
    return {
        "inquiry": "i",
        "article_id": "own",
        "context": [],
        "critical": [],
        "of_article": [],
        "today": "2026-11-23",
        "wanted": [field("balance", "currency", aliases=("saldo",)), field("plan_name"), field("reason")],
        "filters": {"topic": "rollover"},
        "assumed": {},
        "collected": COLLECTED,
        **values,
    }


def test_invalid_data_are_missing_for_the_author():
    case = state()
    material = case_material(case, 100, read_case(case, load_profile("plan_401k"), language("en")))

    assert material.collected == {"plan_name": "Acme", "note": "x y"}
    assert list(material.missing) == ["balance", "reason"]


def test_nothing_is_missing_before_the_data_are_read():
    assert case_material(state(), 100).collected == COLLECTED
    assert list(case_material(state(), 100).missing) == []


def test_the_rules_of_the_article_that_fits_best_come_first():
    def guide(id_, law, because):
        rule = {"when": {"field": "a", "one_of": ["b"]}, "decision": "uncertain", "because": because}
        return candidate({**make_chunk(id_), "law_id": law, "details": {"rules": [rule]}}, 1.0, "direct")

    case = state(context=[guide(1, "other", "1"), guide(2, "own", "2"), guide(3, "own", "3")])
    assert [rule["because"] for rule in case_rules(case)] == ["2", "3", "1"]


def test_searches_omit_placeholders():
    assert summary(COLLECTED) == "plan name Acme; note x y"


def test_a_placeholder_leaves_a_filter_field_as_it_is():
    wanted = [field("record_keeper")]
    for name in ("record_keeper", "Record Keeper"):
        case = state(wanted=wanted, filters={"record_keeper": "LT Trust"}, collected={name: "TBD"})
        read = read_case(case, load_profile("plan_401k"), language("en"))
        assert read.readings["record_keeper"].given == "LT Trust"
        assert read.conflicting == []


def test_a_datum_that_contradicts_a_filter_field_is_conflicting():
    case = state(filters={"record_keeper": "LT Trust"}, collected={"record_keeper": "Meridian", "balance": "5"})
    assert read_case(case, load_profile("plan_401k"), language("en")).conflicting == ["record_keeper"]


def test_a_source_names_the_law_and_the_address_of_each_provision():
    chunk = make_chunk(1, details={"provisions": ["BOE-A-2015-11430#Artículo 48 bis", "BOE-A-1900-1#Artículo 2"]})
    [source] = case_sources(state(context=[candidate(chunk, 1.0, "direct")]))
    known, unknown = source["cited"]
    assert known == {
        "law_id": "BOE-A-2015-11430",
        "law": "Estatuto de los Trabajadores",
        "provision": "Artículo 48 bis",
        "url": "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a48bis",
    }
    assert unknown["law"] == "BOE-A-1900-1"


WRITTEN_FOR_THE_WRITER = {"decision_guide", "response_frames", "guardrails"}


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_internal_titles_of_parts_are_never_shown(name):
    profile = load_profile(name)
    files = sorted(Path(profile.folder, profile.knowledge.folder).glob("*.article.yaml"))
    assert len(files) > 10
    for file in files:
        chunks = cut_article(file, profile).chunks
        inner = {chunk["title"] for chunk in chunks if chunk["chunk_type"] in WRITTEN_FOR_THE_WRITER}
        warned = [
            {**chunk, "details": {**chunk["details"], "warnings": [{"text": str(n)}]}} for n, chunk in enumerate(chunks)
        ]
        sources = case_sources(state(context=[candidate(chunk, 1.0, "direct") for chunk in chunks]))
        shown = [section.topic for section in assembled(warned).sections]
        shown += [source["title"] for source in sources] + [part["title"] for part in left_out_of(chunks)]
        assert len(inner) == 3
        assert inner.isdisjoint(shown)
        assert "Pasos" in shown or name != "laboral" or "Pasos para la empresa" in shown
        assert not [title for title in inner if title in titles_of(chunks) or title in render(chunks)]
