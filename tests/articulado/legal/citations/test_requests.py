"""Citations as people write them: each part is read or kept as unread, and no law is replaced by another."""

from datetime import date

import pytest

from articulado.legal.citations.items import Place, read_places
from articulado.legal.citations.parser import parse_citations
from articulado.legal.labels import suffix_value, usual_suffix
from articulado.legal.reading import read
from articulado.retrieval.question import as_citation, provisions_asked
from articulado.retrieval.references import read_reference
from benchmarks.citation_requests import FRESH, GOLD, READERS, Reading, read_gold

ET = "BOE-A-2015-11430"
TODAY = date(2026, 7, 1)
# fmt: off
SUFFIXES = (
    "bis", "ter", "quáter", "quinquies", "sexies", "septies", "octies", "nonies", "decies", "undecies", "duodecies",
    "terdecies", "quaterdecies", "quindecies", "sexdecies", "septendecies", "octodecies", "novodecies", "vicies",
    "unvicies",
)
# fmt: on


def requests(text):
    return read_reference(text, ET, TODAY).provisions


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("row", [*read_gold(), *read_gold(FRESH)], ids=lambda row: row["text"])
def test_a_request_is_read_as_it_was_labelled(row, reader):
    assert READERS[reader](row["text"]) == Reading.labelled(row)


@pytest.mark.parametrize("path", [GOLD, FRESH], ids=lambda path: path.stem)
def test_the_gold_set_of_requests_keeps_its_schema(path):
    rows = read_gold(path)
    assert len({row["text"] for row in rows}) == len(rows) >= 150
    for row in rows:
        assert set(row) <= {"text", "provisions", "says"}
        assert set(row.get("says", ())) <= {"assumed_law", "unknown_law", "following", "unread"}
        for provision in row["provisions"]:
            assert set(provision) <= {"law", "key", "places"}


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "form",
    [
        "art. 37.3.b {0}) ET",
        "art. 37.3 b) {0} ET",
        "art. 37, apartado 3, letra b {0}), ET",
        "letra b {0}) del apartado 3 del artículo 37 del ET",
        "ET 37.3 b {0})",
        "art. 37 ET, apdo. 3, letra b {0}",
    ],
)
def test_a_letter_with_any_suffix_is_that_letter(form, suffix):
    [asked] = requests(form.format(suffix))
    assert (asked.provision_key, asked.subdivisions) == ("art:37", (Place("3", f"b {usual_suffix(suffix)}"),))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_article_and_an_apartado_with_any_suffix_are_those(suffix):
    usual = usual_suffix(suffix)
    for text in (f"art. 48 {suffix}.4 {suffix} ET", f"apartado 4 {suffix} del artículo 48 {suffix} del ET"):
        [asked] = requests(text)
        assert (asked.provision_key, asked.subdivisions) == (f"art:48 {usual}", (Place(f"4 {usual}", ""),))


def test_suffixes_are_in_order():
    assert [suffix_value(suffix) for suffix in SUFFIXES] == list(range(2, 22))
    assert usual_suffix("vicies semel") == usual_suffix("unvicies")
    assert usual_suffix("sexiesdecies") == usual_suffix("sexdecies")


@pytest.mark.parametrize("letter", ["n", "ñ"])
def test_the_letter_ñ_is_not_n(letter):
    for text in (f"art. 54.2.{letter}) ET", f"letra {letter.upper()}) del art. 54.2 ET", f"ET, 54, 2, {letter})"):
        [asked] = requests(text)
        assert asked.subdivisions == (Place("2", letter),)


@pytest.mark.parametrize(
    ("words", "places", "unread"),
    [
        (".1.18.ª", [("1", "")], ["18.ª"]),
        (".1.5.ª, 6.ª y 7.ª", [("1", "")], ["5.ª, 6.ª y 7.ª"]),
        (".a) 1.º", [("", "a")], ["1.º"]),
        (", apartado 2, parrafo segundo", [("2", "")], ["parrafo segundo"]),
        (", parrafos 1 y 2", [], ["parrafos 1 y 2"]),
        ("parrafo c) del apartado 2 del", [("2", "c")], []),
        ("parrafos a) y f), apartado 1, del", [("1", "a"), ("1", "f")], []),
        ("apartado 2 y letra b) del apartado 3 del", [("2", ""), ("3", "b")], []),
        (", apartado 1, letra a), y apartado 2", [("1", "a"), ("2", "")], []),
        (", letras d y e", [("", "d"), ("", "e")], []),
        (", letras a a d", [("", "a"), ("", "b"), ("", "c"), ("", "d")], []),
        (" bis y una disposicion", [], []),
    ],
)
def test_words_beside_a_number_are_read_or_kept_as_unread(words, places, unread):
    found = read_places(words)
    assert ([tuple(place) for place in found.read], [words[start:end] for start, end in found.unread]) == (
        places,
        unread,
    )


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("art. 7, apdo. 2, del Código Civil", "Código Civil"),
        ("art. 7, xyz. 2, del Código Civil", "Código Civil"),
        ("art. 7 (Código Civil), apartado 2", "Código Civil"),
        ("Código Civil, art. 7.2", "Código Civil"),
        ("7.2 CC", "CC"),
        ("art. 24 LAU", "LAU"),
        ("LAU, art. 24", "LAU"),
        ("art. 5 de la Ley de Costas", "Ley de Costas"),
        ("Ley de Costas art. 5", "Ley de Costas"),
        ("art. 4 Directiva 98/59/CE", "Directiva 98/59/CE"),
        ("artículo 12 del Reglamento (UE) 2016/679", "Reglamento (UE) 2016/679"),
        ("art. 3 RDL 2/2015, de 6 de marzo", "RDL 2/2015, de 6 de marzo"),
        ("art. 3 RDL 2/2015 de 6/3/2015", "RDL 2/2015 de 6/3/2015"),
        ("art. 14 de la Ley 31/1995, de 10 de noviembre", "Ley 31/1995, de 10 de noviembre"),
    ],
)
def test_a_law_that_is_not_known_keeps_its_name_and_is_not_replaced(text, law):
    [shown] = requests(text)
    [asked] = provisions_asked(read(text, TODAY), [], ET)
    for each in (shown, asked):
        assert (each.law_id, each.law_words, each.assumed) == ("", law, False)


def test_the_day_beside_a_number_decides_between_two_kinds():
    by_day = {
        "RDL 2/2015, de 23 de octubre": ET,
        "RDL 2/2015": ET,
        "R.D.L. 2/2015 (23 de octubre)": ET,
        "RDL 32/2021, de 28 de diciembre": "BOE-A-2021-21788",
        "RDL 32/2021 de 28-12-2021": "BOE-A-2021-21788",
        "RDL 32/2021, de 30 de diciembre": None,
        "Real Decreto-ley 2/2015": None,
    }
    named = {law: parse_citations(f"artículo 1 del {law}")[0].law_id for law in by_day}
    assert named == by_day


@pytest.mark.parametrize("text", ["34.8", "¿34.8?", "37.3 b bis)", "el 38.1", "51 a 53", "44 y ss."])
def test_a_number_alone_is_of_the_law_that_is_taken_for_it(text):
    for asked in (requests(text), provisions_asked(read(as_citation(text, TODAY), TODAY), [], ET)):
        assert {each.law_id for each in asked} == {ET}
        assert all(each.assumed for each in asked)


@pytest.mark.parametrize("text", ["34.8 horas", "37,5", "15 de mayo", "2024", "1.500,50 €", "son 30"])
def test_other_numbers_are_no_article(text):
    assert as_citation(text, TODAY) == text


@pytest.mark.parametrize(
    "text",
    [
        "Según el artículo 38, 5 veces se avisa",
        "artículo 38, 2 meses antes",
        "¿El artículo 38 fija 30 días del convenio?",
        "artículo 51, 3 despidos colectivos",
        "el artículo 38 texto íntegro",
        "el artículo 38 de la ley",
    ],
)
def test_words_and_counts_beside_an_article_are_neither_part_nor_law(text):
    [asked] = requests(text)
    assert (asked.law_id, asked.provision_key, asked.subdivisions, asked.assumed) == (ET, "art:38", (), True) or (
        "51" in text and asked.provision_key == "art:51" and not asked.subdivisions
    )


def test_a_whole_provision_includes_its_named_part():
    [asked] = requests("arts. 37 ET y 37.3 ET")
    assert asked.subdivisions == ()


def test_too_long_ranges_are_reported_as_unread():
    first, last = requests("arts. 1 a 92 ET")
    assert (first.provision_key, last.provision_key, last.unread) == ("art:1", "art:92", ("1 a 92",))
