"""Passages: what can be quoted by itself, and quotations that keep their meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.answering.passages import LEFT_OUT, passages_of, quote
from articulado.language.languages import language
from articulado.prompting.fragments import Fragment


def fragment(text, *, number=1, official=True):
    return Fragment(f"[C{number}]", "Ley", "Artículo 1", "", "", "", "", text, "", official)


def read(*texts):
    return passages_of([fragment(text, number=number) for number, text in enumerate(texts, start=1)])


def quoted(text, *words, locale=None):
    """Quote the passages of a text that have one of the words."""
    passages = passages_of([fragment(text)], locale)
    return quote(passage for passage in passages if any(word in passage.text for word in words))


def test_parts_of_a_provision_are_read_in_the_order_of_the_prompt():
    parts = "3. Se avisará.", "Se abonará:\n1. Por cada año, una.\n2. Por cada mes, otra.", "Fin."
    assert [passage.text.split()[-1] for passage in read(*parts)] == ["avisará.", "otra.", "Fin."]


# What leans on what.


@pytest.mark.parametrize(
    "opener",
    [
        "Dicho plazo",
        "Este plazo",
        "Transcurrido dicho plazo,",
        "El citado plazo",
        "En estos casos",
        "En tal caso,",
        "En este supuesto,",
        "En caso contrario,",
        "No obstante,",
        "No obstante lo anterior,",
        "Asimismo,",
        "También",
        "A tal efecto,",
        "A los anteriores efectos,",
        "A efectos de determinar lo anterior",
        "A los efectos señalados en el párrafo anterior,",
        "A efectos de lo previsto en los párrafos anteriores,",
        "Tales plazos",
        "El mismo",
        "Éste",
        "Lo anterior",
        "Lo dispuesto en el párrafo anterior",
        "Igual plazo",
        "Su duración",
        "Para ello",
        "De no pagarse,",
        "Todo ello",
        "Si transcurrido dicho plazo",
        "En particular,",
    ],
)
def test_a_sentence_that_leans_is_quoted_behind_the_one_before(opener):
    leaning = f"{opener} cuenta fiesta."
    for blank in (" ", "\n"):
        assert quoted(f"1. Otra cosa. El plazo es un mes.{blank}{leaning} Nada más.", "fiesta") == (
            f"El plazo es un mes. {leaning}",
        )


@pytest.mark.parametrize(
    "opener",
    [
        "Esta ley",
        "Este real decreto",
        "Este artículo",
        "En su caso,",
        "No obstante lo dispuesto en el artículo 3,",
        "Tal como se pacte,",
        "Además de lo dicho,",
        "A efectos de esta ley,",
        "A los efectos de lo dispuesto en el artículo 3,",
        "Estado y patrono",
        "El plazo",
    ],
)
def test_a_sentence_that_stands_by_itself_is_quoted_alone(opener):
    assert quoted(f"El plazo es un mes. {opener} cuenta fiesta.", "fiesta") == (f"{opener} cuenta fiesta.",)


def test_a_chain_is_followed_over_two_sentences_at_most():
    text = "El pago sigue. Asimismo, la baja. También el alta. No obstante, la huelga."
    assert quoted(text, "huelga") == ("Asimismo, la baja. También el alta. No obstante, la huelga.",)
    assert quoted(text, "alta") == ("El pago sigue. Asimismo, la baja. También el alta.",)


def test_nothing_is_taken_from_another_apartado():
    assert quoted("1. El plazo es un mes.\n2. Dicho plazo cuenta fiesta.", "fiesta") == (
        "2. Dicho plazo cuenta fiesta.",
    )


def test_the_sentence_before_is_enough_if_it_has_what_is_pointed_to():
    text = "El pago sigue. Asimismo, el plazo es un mes. Dicho plazo cuenta fiesta. Asimismo, la huelga."
    assert quoted(text, "fiesta") == ("Asimismo, el plazo es un mes. Dicho plazo cuenta fiesta.",)
    assert quoted(text, "huelga") == ("Asimismo, el plazo es un mes. Dicho plazo cuenta fiesta. Asimismo, la huelga.",)


MUCH = "lo que diga el convenio de aplicación en cada caso y momento, " * 15


def test_a_sentence_that_is_leaned_on_is_never_cut():
    text = f"1. El trabajador tendrá {MUCH}y el plazo para pedirlo es un mes. Dicho plazo cuenta fiesta."
    assert quoted(text, "fiesta") == (text,)
    text = f"1. Cobrará {MUCH}salvo pacto. Asimismo, cuenta fiesta."
    assert quoted(text, "fiesta") == (text,)


ITEM = "cuando se cumpla lo que se pide en el convenio de aplicación y en los pactos que haya, sin más"
LONG_LIST = "1. Se extingue:\n" + "\n".join(
    f"{letter}) El {cause}, {ITEM}, y {ITEM}."
    for letter, cause in (("a", "alta de huelga"), ("b", "cierre"), ("c", "paro"), ("d", "ocio"))
)
"""One that is too long to be quoted whole."""


def test_a_sentence_after_a_list_leans_on_its_lead_in_or_last_item():
    assert quoted(f"{LONG_LIST}\nEn estos casos hay fiesta.", "fiesta") == (
        "1. Se extingue: […] En estos casos hay fiesta.",
    )
    (quotation,) = quoted(f"{LONG_LIST}\nDicho ocio es fiesta.", "fiesta")
    assert quotation.startswith("1. Se extingue: […] d) El ocio")
    assert quotation.endswith(". Dicho ocio es fiesta.")


def test_a_short_list_is_leaned_on_whole():
    assert quoted("1. Se extingue:\na) Por uno.\nb) Por dos.\nEn estos casos hay fiesta.", "fiesta") == (
        "1. Se extingue: a) Por uno. b) Por dos. En estos casos hay fiesta.",
    )


def test_a_lead_in_that_leans_brings_what_it_leans_on():
    text = LONG_LIST.replace("1. Se extingue:", "1. Hay un plazo. Dicho plazo se extingue:")
    (quotation,) = quoted(text, "El paro")
    assert quotation.startswith("1. Hay un plazo. Dicho plazo se extingue: […] c) El paro")


def test_english_leans_in_its_own_words():
    text = "1. The fee is 90 dollars. This fee is not refunded. Este plazo is no English."
    assert quoted(text, "refunded", locale=language("en")) == ("1. The fee is 90 dollars. This fee is not refunded.",)
    foregoing = "Dogs are let in. For the foregoing purposes, cats are dogs."
    assert quoted(foregoing, "cats", locale=language("en")) == (foregoing,)
    assert quoted(text, "plazo", locale=language("en")) == ("Este plazo is no English.",)


# Lists.


def test_items_that_are_left_out_are_marked():
    first, second, third, fourth = LONG_LIST.splitlines()[1:]
    assert quoted(LONG_LIST, "huelga", "ocio") == (f"1. Se extingue: {first} […] {fourth}",)
    assert quoted(LONG_LIST, "cierre", "paro") == (f"1. Se extingue: […] {second} {third}",)


def test_an_item_of_a_nested_list_has_all_its_lead_ins():
    inner = f"\n1.º El mudo, {ITEM}, y {ITEM}.\n2.º El sordo, {ITEM}, y {ITEM}.\n3.º El cojo, {ITEM}, y {ITEM}."
    text = f"1. Se extingue:\na) La huelga, {ITEM}.\nb) El cierre:{inner}\nc) El paro, {ITEM}."
    assert quoted(text, "sordo") == (f"1. Se extingue: […] b) El cierre: […] {inner.splitlines()[2]}",)
    assert quoted(text, "paro") == (f"1. Se extingue: […] c) El paro, {ITEM}.",)


def test_of_a_long_item_that_leads_in_others_the_last_sentence_does():
    long = f"b) El cierre se avisa, {ITEM}, y {ITEM}. Serán causas:"
    text = f"1. Se extingue:\na) La huelga, {ITEM}, y {ITEM}.\n{long}\n1.º El sordo.\n2.º El cojo, {ITEM}, y {ITEM}."
    assert quoted(text, "sordo") == ("1. Se extingue: […] Serán causas: 1.º El sordo.",)


def test_a_long_lead_in_is_quoted_whole():
    lead = f"1. Se extingue {MUCH}por:"
    (quotation,) = quoted(f"{lead}\na) La huelga, {ITEM}, y {ITEM}.\nb) El cierre, {ITEM}.", "cierre")
    assert quotation == f"{lead} […] b) El cierre, {ITEM}."


# Tables.

TABLE = "1. La duración es:\nDías cotizados | Días de paro\nDe 1 a 2 | 120\nDe 3 a 4 | 180\nMás | 720\n2. Otra cosa."


def test_a_row_is_a_passage_behind_the_head_of_its_table():
    rows = [passage for passage in read(TABLE) if passage.is_row]
    assert [row.text for row in rows] == ["De 1 a 2 | 120", "De 3 a 4 | 180", "Más | 720"]
    assert all([part.text for part in row.lead_ins] == TABLE.splitlines()[:2] for row in rows)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        (["120"], "De 1 a 2 | 120"),
        (["180"], "[…]\nDe 3 a 4 | 180"),
        (["720"], "[…]\nMás | 720"),
        (["120", "720"], "De 1 a 2 | 120\n[…]\nMás | 720"),
        (["120", "180", "720"], "De 1 a 2 | 120\nDe 3 a 4 | 180\nMás | 720"),
    ],
)
def test_rows_that_are_left_out_are_marked(words, rows):
    assert quoted(TABLE, *words) == (f"1. La duración es:\nDías cotizados | Días de paro\n{rows}",)


def test_a_head_of_two_rows_and_a_caption_that_is_a_sentence():
    text = "Se reduce según el cuadro.\nMeses | Parte | Parte\n | Corta | Larga\n48 | 30 | 28\n47 | 29 | 27"
    assert quoted(text, "29") == (
        "Se reduce según el cuadro.\nMeses | Parte | Parte\n| Corta | Larga\n[…]\n47 | 29 | 27",
    )


def test_a_table_of_figures_alone_has_no_head():
    assert quoted("Será:\n2033 | 0,10%\n2034 | 0,12%\n2035 | 0,15%", "2034") == ("Será:\n[…]\n2034 | 0,12%",)


def test_text_after_a_table_is_no_row():
    text = f"{TABLE.replace('2. Otra', 'Otra')}"
    assert quoted(text, "720", "Otra")[1] == "Otra cosa."


# What is left out between sentences.


def test_sentences_that_are_left_out_are_marked_within_an_apartado():
    text = "1. Uno. Dos. Tres.\n2. Cuatro. Cinco."
    assert quoted(text, "Uno", "Tres") == ("1. Uno. […] Tres.",)
    assert quoted(text, "Tres", "Cuatro") == ("Tres. 2. Cuatro.",)
    assert quoted(text, "Dos", "Cuatro") == ("Dos.", "2. Cuatro.")
    assert quoted(text, "Dos") == ("Dos.",)


def test_a_part_that_is_missing_between_two_is_marked():
    passages = read("La huelga es libre.\n2. Se anuncia.", "4. La huelga dura.")
    assert quote(passages) == ("La huelga es libre. 2. Se anuncia.", "4. La huelga dura.")
    passages = read("1. La huelga es libre.\n2. Se anuncia.", "3. La huelga dura.")
    assert quote(passages) == ("1. La huelga es libre. 2. Se anuncia. 3. La huelga dura.",)


# Notes.


@pytest.mark.parametrize(
    "note",
    [
        "Se modifica por el art. 2.3 de la Ley 5/2022, de 3 de mayo. Ref. BOE-A-2022-1",
        "Se añade el apartado 2 por la disposición final 1 de la Ley 5/2022.",
        "Se declara inconstitucional el inciso destacado, por Sentencia del TC 1/2020.",
        "Véase la disposición transitoria 2.",
        "Redactado conforme a la corrección de errores publicada en el BOE.",
        "Téngase en cuenta que rige desde 2025.",
        "(*) Actualmente, se refiere a mayores.",
    ],
)
def test_notes_of_the_gazette_are_no_passages(note):
    texts = [passage.text for passage in read(f"1. La huelga es libre.\n{note}\nSe anuncia.")]
    assert texts == ["1. La huelga es libre.", "Se anuncia."]
    assert quoted(f"1. La huelga es libre.\n{note}\nSe anuncia.", "libre", "anuncia") == (
        "1. La huelga es libre. […] Se anuncia.",
    )
    assert passages_of([fragment(note, official=False)])


@pytest.mark.parametrize(
    "law",
    [
        "Se modifica el artículo 9 de la Ley 1/2000, que queda redactado como sigue:",
        "Se suprime el apartado d) del artículo 148 de la Ley 36/2011.",
        "Se modifica el artículo 9 del Estatuto, aprobado por el Real Decreto Legislativo 1/1995.",
        "Se declarará nula la decisión adoptada en fraude de ley.",
        "Redactada el acta, la firmará el juez.",
    ],
)
def test_amendments_stated_by_a_law_are_passages(law):
    assert [passage.text for passage in read(law)] == [law]


# Nothing is lost.

WORDS = st.lists(
    st.sampled_from(["huelga", "libre", "plazo", "de", "un", "mes", "pago", "y,", "o;", "30", "días"]),
    min_size=1,
    max_size=40,
)
OPENERS = st.sampled_from(["El plazo", "Dicho plazo", "Asimismo,", "En estos casos", "Su pago"])
SENTENCE = st.builds(
    lambda opener, words, end: f"{opener} {' '.join(words)}{end}", OPENERS, WORDS, st.sampled_from(".:")
)
MARKS = st.sampled_from(["", "", "1. ", "2. ", "a) ", "b) ", "c) ", "1.º ", "2.º ", "– "])
PARAGRAPH = st.builds(lambda mark, parts: mark + " ".join(parts), MARKS, st.lists(SENTENCE, min_size=1, max_size=3))
ROW = st.lists(st.sampled_from(["mes", "30", "", "de 1 a 2"]), min_size=2, max_size=3).map(" | ".join)
TEXT = st.lists(PARAGRAPH | PARAGRAPH | ROW, min_size=1, max_size=12).map("\n".join)


def words_of(quotations):
    return " ".join(quotations).replace(LEFT_OUT, " ").split()


@given(TEXT)
def test_all_passages_together_are_the_text(text):
    passages = read(text)
    assert words_of(quote(passages)) == text.split()
    assert not any(LEFT_OUT in quotation for quotation in quote(passages))


@given(TEXT, st.data())
def test_a_quotation_is_verbatim_in_order_and_marked_wherever_something_is_left_out(text, data):
    passages = read(text)
    selected = data.draw(st.lists(st.sampled_from(passages), unique_by=lambda passage: passage.position, max_size=4))
    normalised, position = " ".join(text.split()), 0
    for quotation in quote(selected):
        assert f"{LEFT_OUT} {LEFT_OUT}" not in " ".join(quotation.split())
        for piece in (" ".join(piece.split()) for piece in quotation.split(LEFT_OUT)):
            position = normalised.index(piece, position) + len(piece)
    assert all(passage.text in "\n".join(quote(selected)) for passage in selected)


def test_a_part_that_repeats_the_head_of_a_table_goes_on_with_it():
    parts = ["Puesto | Salario\nGuarda | 1.100,00", "Puesto | Salario\nPastor | 1.000,00"]
    provision = passages_of([fragment(text, number=number) for number, text in enumerate(parts, 1)])
    assert [passage.text for passage in provision] == ["Guarda | 1.100,00", "Pastor | 1.000,00"]
    assert quote(provision[1:]) == ("Puesto | Salario\n[…]\nPastor | 1.000,00",)
