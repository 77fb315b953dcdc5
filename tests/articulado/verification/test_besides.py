"""What goes with an answer beside its findings: references, precedence, freshness."""

from datetime import date

from support.chunks import make_chunk

from articulado.language.languages import language
from articulado.retrieval.fusion import candidate
from articulado.verification.disclosures import freshness_of, precedence_notes, remissions_of
from articulado.verification.reading import named_provisions
from articulado.verification.sources import sources_of

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


ENUMERATED = "en los supuestos de los artículos 40, 41.3, 49.1.m) y 50"
OF_THE_STATUTE = f"Se extingue, {ENUMERATED} del texto refundido de la Ley del Estatuto de los Trabajadores."


def test_an_enumeration_is_of_the_law_that_its_sentence_ends_with():
    cited = fragment(267, law_id="BOE-A-2015-11724", text=OF_THE_STATUTE)
    refs = [(each["law_id"], each["provision_key"]) for each in remissions_of({1: cited}, [cited])]
    assert refs == [("BOE-A-2015-11430", f"art:{number}") for number in (40, 41, 49, 50)]


def test_an_answer_that_cuts_the_law_off_means_that_of_the_sentence_in_its_source():
    sources = sources_of([fragment(267, law_id="BOE-A-2015-11724", text=f"{OF_THE_STATUTE} Según el artículo 269.")])
    named = named_provisions(f"El artículo 267 de la LGSS da paro {ENUMERATED}, y el artículo 269 [C1].", sources)
    assert [(each.law_id, each.provision_key) for each in named] == [
        ("BOE-A-2015-11724", "art:267"),
        *(("BOE-A-2015-11430", f"art:{number}") for number in (40, 41, 49, 50)),
        ("BOE-A-2015-11724", "art:269"),
    ]


def test_norms_with_figures_of_one_unit_get_no_precedence_note():
    law = fragment(1, rank=2, title="Plazo de prescripción", text="Las infracciones prescriben a los 4 años.")
    rule = fragment(2, rank=4, title="Plazo de prescripción", text="Se alegará en 10 días.", law_name="Reglamento")
    assert precedence_notes({1: law, 2: rule}, language("es")) == []
    year = fragment(3, rank=4, title="Plazo de prescripción", text="Se conservará 5 años.", law_name="Reglamento")
    assert precedence_notes({1: law, 2: year}, language("es")) == []


def test_an_agreement_beside_the_law_gets_a_precedence_note():
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
    assert later["laws"][0]["last_change"] is None


def test_the_publication_of_a_law_is_no_change_of_it_and_a_summary_tells_no_day():
    published = {"published": "2011-10-11", "begins": "2011-12-11", "changed": "2011-10-11"}
    amended = {**published, "changed": "2025-04-30"}
    days = {"valid_from": "2011-10-11", "law_id": "BOE-A-2011-15936"}
    for law_days, last_change in ((published, None), (amended, "2025-04-30")):
        [law] = freshness_of({1: fragment(1, law_days=law_days, **days)}, None, {}, TODAY)["laws"]
        assert (law["last_change"], law["published"]) == (last_change, "2011-10-11")
    [summary] = freshness_of({1: fragment(1, source="plain_language", **days)}, None, {}, TODAY)["laws"]
    assert (summary["last_change"], summary["published"]) == (None, None)
