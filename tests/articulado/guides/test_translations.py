"""Cards in English: statements, figures and links of the Spanish card, and no use after the Spanish text changed."""

from decimal import Decimal

import pytest

from articulado.guides.cards import packaged_cards
from articulado.guides.translations import (
    TRANSLATED,
    Translation,
    differences,
    digest_of,
    figures_in,
    packaged_translations,
    read_translations,
    translated,
)
from articulado.values.errors import ConfigurationError

CARD = packaged_cards()["holidays/how_many_days"]
TRANSLATION = packaged_translations("en")[CARD.id]
ALL = [(code, each) for code in TRANSLATED for each in packaged_translations(code).values()]


def changed(**fields) -> Translation:
    return TRANSLATION.model_copy(update=fields)


@pytest.mark.parametrize(("code", "translation"), ALL, ids=[each.id for _, each in ALL])
def test_a_packaged_translation_says_what_its_card_says(code, translation):
    card = packaged_cards()[translation.id]
    assert list(differences(translation, card)) == []
    assert translated(card, code)


def test_a_translated_card_keeps_the_pins_of_the_spanish_one_in_their_order():
    ours = translated(CARD, "en").card
    assert [each.pins for each in ours.statements] == [each.pins for each in CARD.statements]
    assert [each.regime for each in ours.not_for] == ["funcionarios", "trade", "laboral_publico"]
    assert ours.deadline.text == "You must know your dates two months before they begin."
    assert ours.calculations == CARD.calculations


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"points": TRANSLATION.points[:2]}, "points: 2, 3 in Spanish"),
        (
            {"points": (*TRANSLATION.points[:2], TRANSLATION.points[2].model_copy(update={"when": ""}))},
            "points 3: when",
        ),
        ({"deadline": ""}, "deadline"),
        ({"risk": "You lose them."}, "risk: not in Spanish"),
        ({"not_for": {"trade": "18 working days."}}, "not_for"),
        ({"law": ("",)}, "law"),
        ({"law": ("One.", "Two.")}, "law"),
        ({"answer": "At least twenty calendar days a year."}, "figures 20, in Spanish 2, 30"),
        ({"deadline": "You must know your dates before they begin."}, "figures –, in Spanish 2"),
        ({"need": "How many of my 22 days of holiday are left?"}, "need: figures 22"),
        ({"answer": TRANSLATION.answer + " See www.sepe.es."}, "links ['sepe.es']"),
        ({"answer": f"{TRANSLATION.answer} {'Once more. ' * 30}"}, "words, at most"),
    ],
)
def test_a_translation_that_says_something_else_is_named_by_its_field(fields, named):
    [difference] = differences(changed(**fields), CARD)
    assert named in difference


@pytest.mark.parametrize(
    ("spanish", "english"),
    [
        ("El diez por ciento de 1.184,50 €", "Ten per cent of €1,184.50"),
        ("treinta y tres días por año trabajado", "thirty-three days per year worked"),
        ("hasta el 11-2-2012", "until 11 February 2012"),
        ("17 094 euros al año", "17,094 euros a year"),
        ("un mes y dos semanas", "one month and two weeks"),
        ("el segundo tercio, en la 3.ª letra", "the second third, in the third letter"),
        ("12 días y medio de 365", "12 and a half days of 365"),
        ("0,75 % desde el 1 de enero de 2026", "0.75% from 1 January 2026"),
        ("una multa de 7.501 a 225.018 euros", "a fine of €7,501 to €225,018"),
    ],
)
def test_figures_are_the_same_however_each_language_writes_them(spanish, english):
    assert figures_in(spanish, "es") == figures_in(english, "en")


def test_figures_are_read_by_the_marks_of_their_language():
    assert figures_in("1.500", "es") == {Decimal(1500)}
    assert figures_in("1.500", "en") == {Decimal("1.5")}
    assert figures_in("veintidós días hábiles", "es") == {Decimal(22)}


@pytest.mark.parametrize("field", ["need", "answer", "anchor"])
def test_a_translation_of_an_earlier_text_is_not_used(field):
    answer = CARD.answer
    if field == "answer":
        answer = answer.model_copy(update={"text": f"No: {answer.text}"})
    if field == "anchor":
        answer = answer.model_copy(update={"pins": (answer.pins[0].model_copy(update={"anchor": "dos meses antes"}),)})
    need = "¿Tengo vacaciones?" if field == "need" else CARD.need
    edited = CARD.model_copy(update={"need": need, "answer": answer})
    assert digest_of(edited) != digest_of(CARD)
    assert translated(edited, "en") is None


def test_a_card_without_a_translation_and_a_language_without_cards_have_none():
    assert translated(CARD.model_copy(update={"id": "holidays/none"}), "en") is None
    assert translated(CARD, "fr") is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('[[card]]\nid = "a/b"\nneed = "N"\nanswer = "A"', "a/b card.0.law"),
        ('[[card]]\nid = "a/b"\nneed = "N"\nanswer = "A"\nlaw = ["L"]\npins = []', "a/b card.0.pins"),
        ('[[card]]\nid = "a/b"\nneed = "N"\nanswer = "A"\nlaw = ["L"]\nnot_for = { x = "X" }', "a/b card.0.not_for.x"),
        ("[[card]", "line 1"),
    ],
)
def test_a_file_that_breaks_the_form_is_refused_by_file_card_and_field(tmp_path, text, named):
    file = tmp_path / "area.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigurationError) as refused:
        read_translations(file)
    assert str(file) in str(refused.value)
    assert named in str(refused.value)
