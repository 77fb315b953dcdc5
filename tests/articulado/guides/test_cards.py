"""Answer cards: their schema, and the sentence of the law that a pin leads to."""

import pytest

from articulado.guides.cards import Pin, packaged_cards, read_cards, sentence_at
from articulado.values.errors import ConfigurationError

ANSWER = "Sí, puede pedirlas: la empresa le debe quince días naturales al año, y usted elige siete de ellos. " * 3
CARD = f"""
[[card]]
id = "holidays/how_many"
need = "¿Cuántas vacaciones tengo?"
asks = "how_much"
answer = {{ text = "{ANSWER.strip()}", pins = ["BOE-A-2015-11430#Artículo 38|1|treinta días naturales"] }}
points = [{{ when = "Si es fijo", text = "Lo mismo.", pins = ["BOE-A-2015-11430#Artículo 38||dos meses antes"] }}]
regimes = ["laboral"]
not_for = [{{ regime = "hogar", text = "Otra.", pins = ["BOE-A-2011-17975#Artículo 9|7|treinta días naturales"] }}]
phrasings = ["vacaciones", "cuantos dias", "cuánto me toca", "holidays in Spain"]
"""

LAW = """1. El periodo será de treinta días naturales. No se cambia por dinero.
2. El calendario se fijará en cada empresa. Se conocerá dos meses antes. El plazo será de diez días:
a) Si lo pide el trabajador, el plazo será de diez días.
b) Si lo pide la empresa, el plazo será de veinte días.
3. El plazo será de diez días.
4. Son faltas:
a) Las leves:
1.º El plazo será de diez días.
2.º Otras."""


@pytest.fixture
def written(tmp_path):
    def write(old="", new=""):
        assert old in CARD
        file = tmp_path / "holidays.toml"
        file.write_text(CARD.replace(old, new), "utf-8")
        return file

    return write


def pin(anchor, part=""):
    return Pin(provision="BOE-A-2015-11430#Artículo 38", part=part, anchor=anchor)


def test_a_card_is_read_with_its_statements_in_reading_order(written):
    [card] = read_cards(written())
    assert [each.text[:5] for each in card.statements] == ["Sí, p", "Lo mi", "Otra."]
    assert [each.part for each in card.pins] == ["1", "", "7"]
    assert card.pins[0].ref == ("BOE-A-2015-11430", "art:38")
    # 3 of the need, 3 · 18 of the answer, 3 + 2 of the point, 1 of the exclusion.
    assert card.words == 63


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("Artículo 38||dos meses antes", "Artículo 38|dos meses antes", "points"),
        ("||dos meses antes", "||antes", "2 to 8 words"),
        ("||dos meses antes", "||" + "dos " * 9, "2 to 8 words"),
        ("Artículo 38|1", "De las vacaciones|1", "answer"),
        ('"how_much"', '"when"', "asks"),
        ('regimes = ["laboral"]', 'regimes = ["hogar"]', "for and not for: hogar"),
        ("y usted elige siete de ellos.", "", "45 words"),
        ('regimes = ["laboral"]', 'regimes = ["laboral"]\ncalculations = ["holidays"]', "no calculations: holidays"),
        ('regimes = ["laboral"]', 'regimes = ["laboral"]\nshort = "x"', "short"),
        ('"cuantos dias", ', "", "phrasings"),
        ("[[card]]", "[[card", "TOML"),
    ],
)
def test_a_card_that_breaks_the_form_is_refused_by_file_card_and_key(written, old, new, named):
    file = written(old, new)
    with pytest.raises(ConfigurationError) as refused:
        read_cards(file)
    assert str(file) in str(refused.value)
    if named != "TOML":
        assert named in str(refused.value)
        assert "holidays/how_many" in str(refused.value)


def test_an_anchor_leads_to_its_sentence_on_one_line():
    assert sentence_at(LAW, pin("dos meses antes")) == "Se conocerá dos meses antes."
    assert sentence_at(LAW, pin("será de veinte días")) == "b) Si lo pide la empresa, el plazo será de veinte días."


def test_an_anchor_across_two_sentences_leads_to_both():
    expected = "El calendario se fijará en cada empresa. Se conocerá dos meses antes."
    assert sentence_at(LAW, pin("cada empresa. Se conocerá")) == f"2. {expected}"


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("3", "3. El plazo será de diez días."),
        ("2.a", "a) Si lo pide el trabajador, el plazo será de diez días."),
        ("4.a.1", "1.º El plazo será de diez días."),
        ("2", ""),
        ("5", ""),
        ("", ""),
    ],
)
def test_the_part_decides_between_sentences_with_the_same_words(part, sentence):
    assert sentence_at(LAW, pin("plazo será de diez días", part)) == sentence


def test_an_anchor_that_the_law_does_not_have_leads_nowhere():
    assert sentence_at(LAW, pin("treinta días hábiles", "1")) == ""


def test_packaged_cards_have_ids_of_their_area_and_phrasings_of_their_own():
    cards = packaged_cards()
    phrasings = [" ".join(text.lower().split()) for card in cards.values() for text in card.phrasings]
    assert len(phrasings) == len(set(phrasings))
    assert {id_ for id_, card in cards.items() if id_ != card.id} == set()
