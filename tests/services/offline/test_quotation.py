from dataclasses import replace

import pytest

from services.domain.lexicon import EqualWeights
from services.domain.spanish_law import SPANISH_LAW
from services.offline.quotation import MAX_OPENING, select_quotations
from services.prompting.fragments import Fragment

LEAD = "Será también nulo el despido, en los siguientes supuestos:"
ITEMS = [f"{letter}) El de {who}, {'y así se entenderá ' * 12}." for letter, who in zip("abcd", "1234", strict=True)]


def fragment(text, *, number=1, provision="Artículo 55", title="Despido", law="Estatuto de los Trabajadores"):
    return Fragment(f"[C{number}]", law, provision, title, "", "", "", text, "", True)


def quoted(question, *fragments, earlier=""):
    (quotation,) = select_quotations(question, fragments, SPANISH_LAW, EqualWeights(), earlier).quotations
    return quotation.sentences


def with_items(**replaced):
    return "\n".join([f"5. Es nulo.\n{LEAD}", *(replaced.get(item[0], item) for item in ITEMS)])


def test_an_item_is_scored_and_quoted_with_its_lead_in():
    pregnant = f"c) El de las embarazadas, {'y así se entenderá ' * 12}."
    found = quoted("despido nulo de embarazadas", fragment(with_items(c=pregnant), title="Otro"))
    assert found == (f"{LEAD} […] {pregnant} […]",)


def test_paragraphs_between_items_do_not_end_a_list():
    text = with_items(b=f"{ITEMS[1]}\nEste plazo se cuenta aparte.", d=f"d) Cuando haya huelga, {'y así ' * 30}.")
    (found,) = quoted("despido nulo por huelga", fragment(text, title="Otro"))
    assert found.startswith(f"{LEAD} […] d) Cuando haya huelga")


def test_a_list_that_goes_on_in_the_next_part_keeps_its_lead_in():
    first, second = with_items().split("\nc)")
    parts = [fragment(f"c){second}\n6. Otro."), fragment(f"5. Es nulo.\n{first.partition(chr(10))[2]}", number=2)]
    (found,) = select_quotations("despido nulo de 3", [parts[0]], SPANISH_LAW, EqualWeights()).quotations
    assert LEAD not in found.sentences[0]
    (found,) = select_quotations("despido nulo de 3", parts, SPANISH_LAW, EqualWeights()).quotations
    assert found.sentences[0].startswith(LEAD)
    assert {part.marker for part in found.fragments} == {"[C1]", "[C2]"}


def test_a_short_list_is_quoted_whole():
    text = "1. El contrato se extinguirá:\na) Por acuerdo.\nb) Por dimisión.\n2. Otro."
    assert quoted("dimisión", fragment(text)) == ("1. El contrato se extinguirá: a) Por acuerdo. b) Por dimisión.",)


def test_parts_of_a_provision_are_quoted_in_the_order_of_its_text():
    later = fragment("La huelga se anuncia.\n4. La huelga dura.", number=1)
    sooner = fragment("2. La huelga es libre.\n3. Otra cosa.", number=2)
    assert quoted("huelga", later, sooner) == ("2. La huelga es libre.", "La huelga se anuncia. 4. La huelga dura.")


def test_what_two_parts_repeat_is_quoted_once():
    assert quoted("huelga", fragment("La huelga es libre."), fragment("La huelga es libre.", number=2)) == (
        "La huelga es libre.",
    )


LONG = "\n".join(f"{n}. El despido número {'muy ' * 60}{n}." for n in range(1, 9))


def test_a_named_provision_is_quoted_from_its_beginning_and_alone():
    other = fragment("1. El despido del artículo 55 del ET.", number=2, provision="Artículo 56")
    (found,) = quoted("art. 55 ET", other, fragment(LONG))
    assert found.startswith("1. El despido número")
    assert found.rstrip(".")[-1] == "4"
    assert MAX_OPENING - 300 < len(found) <= MAX_OPENING + 3


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ET art. 55.3", "3. El despido número " + "muy " * 60 + "3."),
        ("apartado 3 del artículo 55 ET", "3. El despido número " + "muy " * 60 + "3."),
        ("art. 55.20 ET", LONG[:40]),
    ],
)
def test_a_named_apartado_is_quoted(question, text):
    (found,) = quoted(question, fragment(LONG))
    assert found.startswith(text)


def test_a_named_provision_that_is_not_there_is_replaced_by_no_other():
    assert (
        select_quotations(
            "¿qué decía el artículo 99 ET?", [fragment("1. El artículo.")], SPANISH_LAW, EqualWeights()
        ).quotations
        == []
    )


def test_a_named_letter_is_quoted_with_its_lead_in():
    assert quoted("art. 55.5.b) ET", fragment(with_items())) == (f"{LEAD} […] {ITEMS[1]} […]",)


def test_apartados_in_words_count():
    text = "Uno. La huelga es libre.\nDos. Se anuncia.\nSeis. Hay publicidad."
    assert quoted("art. 55.6 ET", fragment(text)) == ("Seis. Hay publicidad.",)


def test_of_a_named_provision_the_topic_of_the_question_is_quoted():
    text = "1. El despido es libre.\n2. Las embarazadas, no."
    assert quoted("¿qué dice el art. 55 ET de las embarazadas?", fragment(text, title="")) == (
        "2. Las embarazadas, no.",
    )
    assert quoted("¿qué dice el art. 55 ET de los lunes?", fragment(text, title="")) == (
        "1. El despido es libre. 2. Las embarazadas, no.",
    )


def test_an_article_of_no_law_is_that_of_the_first():
    first, second = fragment("1. Uno."), fragment("1. Dos.", number=2, law="Ley General de la Seguridad Social")
    assert quoted("artículo 55", first, second) == ("1. Uno.",)


def marks_of_follow_up(question, *fragments, earlier):
    return [
        quotation.fragments[0].marker
        for quotation in select_quotations(question, fragments, SPANISH_LAW, EqualWeights(), earlier).quotations
    ]


def test_a_follow_up_counts_the_earlier_question_and_goes_by_score():
    near = fragment("El embarazo se protege.", provision="Artículo 1", title="")
    far = fragment("La huelga se paga si hay embarazo.", number=2, provision="Artículo 2", title="")
    best = fragment("Huelga, embarazo y lluvia.", number=3, provision="Artículo 3", title="")
    assert marks_of_follow_up("¿y el embarazo?", near, far, earlier="") == ["[C1]", "[C2]"]
    assert marks_of_follow_up("¿y el embarazo?", near, far, earlier="huelga") == ["[C2]"]
    assert marks_of_follow_up("¿y el embarazo y la lluvia?", near, far, best, earlier="huelga") == ["[C3]", "[C2]"]
    assert marks_of_follow_up("¿y la huelga con embarazo?", far, best, earlier="lluvia") == ["[C3]", "[C2]"]


@pytest.mark.parametrize(
    ("question", "marks"), [("despido nulo", ["[C2]"]), ("despido nulo en el ET", ["[C1]", "[C2]"])]
)
def test_what_is_repealed_is_quoted_beside_what_says_as_much_where_its_law_is_named(question, marks):
    gone = replace(fragment("El despido será nulo."), note="Precepto derogado.")
    now = fragment("El despido será nulo.", number=2, law="Ley de la Jurisdicción Social")
    selection = select_quotations(question, [gone, now], SPANISH_LAW, EqualWeights())
    assert [quotation.fragments[0].marker for quotation in selection.quotations] == marks
