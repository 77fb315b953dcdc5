"""What goes with an answer beside its findings: references, precedence, freshness."""

from datetime import date

from support.chunks import make_chunk

from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from articulado.verification.disclosures import freshness_of, precedence_notes, remissions_of

TODAY = date(2026, 11, 23)


def fragment(id_, **fields):
    return candidate(make_chunk(id_, **fields), 1.0, "hybrid")


def test_references_of_cited_texts_are_listed_with_whether_they_were_read():
    cited = fragment(38, text="Conforme al artículo 48 y al artículo 9 de esta ley; véase el artículo 38.")
    read = fragment(48)
    remissions = remissions_of({1: cited}, [cited, read])
    assert [(each["provision_key"], each["consulted"], each["mark"]) for each in remissions] == [
        ("art:48", True, "C1"),
        ("art:9", False, "C1"),
    ]


def test_the_law_goes_before_what_is_below_it_where_their_figures_differ():
    law = fragment(1, rank=2, title="Plazo de preaviso", text="El preaviso será de quince días.")
    rule = fragment(2, rank=4, title="Plazo de preaviso", text="El preaviso será de diez días.", law_name="Reglamento")
    [note] = precedence_notes({1: law, 2: rule}, language("es"))
    assert "prevalece la superior (Estatuto de los Trabajadores, artículo 1 [C1])" in note
    same = fragment(3, rank=4, title="Plazo de preaviso", text="Serán quince días.")
    assert precedence_notes({1: law, 2: same}, language("es")) == []
    other = fragment(4, rank=4, title="Dietas", text="Serán diez días.")
    assert precedence_notes({1: law, 2: other}, language("es")) == []


def test_an_agreement_beside_the_law_is_told_of_its_minimum():
    agreement = {"sector": "metal", "company": "", "community": None, "province": None, "statewide": False}
    own = fragment(2, rank=5, agreement={**agreement, "first_day": None, "last_day": None})
    [note] = precedence_notes({1: fragment(1), 2: own}, language("es"))
    assert "art. 3.3 ET" in note


def test_the_days_of_an_answer_are_those_of_its_laws_and_its_index():
    cited = fragment(38, valid_from="2025-01-01", status_note="Se modifica el apartado 2.", status="modificada")
    freshness = freshness_of({1: cited}, date(2026, 11, 1), {"BOE-A-2015-11430": "2025-07-30"}, TODAY)
    assert freshness["index_day"] == "2026-11-01"
    assert [law["last_change"] for law in freshness["laws"]] == ["2025-07-30"]
    assert freshness["notes"] == ["[C1] Se modifica el apartado 2."]


def test_a_change_that_is_still_to_come_is_no_last_change():
    later = freshness_of({1: fragment(38)}, None, {"BOE-A-2015-11430": "2027-01-01"}, TODAY)
    assert later["laws"][0]["last_change"] == "2015-10-24"
