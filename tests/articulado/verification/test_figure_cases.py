"""A figure that a source gives for another case is told; the right one of several alike is not."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.quantities import quantities
from articulado.values.findings import Finding
from articulado.verification.claims import figure_cases
from articulado.verification.claims.figure_cases import (
    FEATURES,
    Place,
    claim_at,
    features,
    has_figure_of,
    places_in,
    rarity_in,
    weights,
)
from articulado.verification.claims.findings import claim_findings
from articulado.verification.reading import ReadAnswer, read_answer
from articulado.verification.sources import Source

ET = "BOE-A-2015-11430"
OBJECTIVE = (
    "1. La extinción por causas objetivas exige:\n\nb) Poner a disposición del trabajador la indemnización de veinte "
    "días por año de servicio, con un máximo de doce mensualidades."
)
UNFAIR = (
    "1. Cuando el despido sea declarado improcedente, el empresario podrá optar entre la readmisión o el abono de una "
    "indemnización equivalente a treinta y tres días de salario por año de servicio, hasta un máximo de veinticuatro "
    "mensualidades."
)
OFFENCES = (
    "2. Las faltas leves prescribirán a los diez días; las graves, a los veinte días, y las muy graves, a los sesenta "
    "días a partir de la fecha en que la empresa tuvo conocimiento."
)
FAMILY = (
    "La reserva de su puesto de trabajo se extenderá hasta un máximo de quince meses cuando se trate de una familia "
    "numerosa de categoría general, y hasta un máximo de dieciocho meses si se trata de categoría especial."
)
OTHERS = "\n\n".join(f"El órgano {''.join(name)} emitirá su informe." for name in itertools.permutations("abcde", 3))
"""Sixty sentences of something else: a word is rare or common only among many."""
SOURCES = [
    Source(1, ET, "ET", "Artículo 53", "art:53", OBJECTIVE),
    Source(2, ET, "ET", "Artículo 56", "art:56", UNFAIR),
    Source(3, ET, "ET", "Artículo 60", "art:60", OFFENCES),
    Source(4, ET, "ET", "Artículo 46", "art:46", FAMILY),
    Source(5, ET, "ET", "Artículo 8", "art:8", OTHERS),
]


def read(text: str, question: str = "") -> ReadAnswer:
    return read_answer(text, question, SOURCES)


def told(text: str, question: str = "") -> list[Finding]:
    return [finding for finding in claim_findings(read(text, question)) if finding["kind"] == "figure"]


@pytest.mark.parametrize(
    ("faulty", "where", "right"),
    [
        ("Por un despido improcedente la indemnización es de 20 días de salario por año [C1][C2].", "20 días", "33"),
        ("Si el despido se declara improcedente, el máximo son doce mensualidades [C1][C2].", "doce men", "veinti"),
        ("La extinción por causas objetivas se indemniza con un máximo de 24 mensualidades [C1].", "24 men", "doce"),
        ("Con familia numerosa de categoría general la reserva llega a dieciocho meses [C4].", "dieciocho", "quince"),
    ],
)
def test_a_figure_of_another_case_is_told(faulty: str, where: str, right: str) -> None:
    (finding,) = told(faulty)
    assert (finding["check"], finding["severity"]) == ("condition", "warning")
    assert finding["where"].startswith(where)
    right = {"33": "treinta y tres"}.get(right, right)
    assert f"«{right}" in finding["message"]


@pytest.mark.parametrize(
    "right",
    [
        "Por un despido improcedente la indemnización es de 33 días de salario por año, hasta 24 mensualidades [C2].",
        "En la extinción por causas objetivas te ponen a disposición 20 días por año, con un máximo de 12 "
        "mensualidades [C1].",
        "Las faltas leves prescriben a los diez días, las graves a los veinte y las muy graves a los sesenta [C3].",
        "Con familia numerosa de categoría general la reserva llega a quince meses, y a dieciocho en la especial [C4].",
        "No te corresponden los veinte días de la extinción objetiva si el despido es improcedente [C2].",
        "¿Son 20 días de salario por año en el despido improcedente?",
        "Por un despido improcedente te quedarían unos 20 días de salario por cobrar [C2].",
    ],
)
def test_the_right_case_and_what_is_no_rule_are_not(right: str) -> None:
    assert told(right) == []


def test_a_figure_of_the_user_is_nobodys_case() -> None:
    text = "Como llevas 20 días en la empresa, ante un despido improcedente la indemnización es pequeña [C2]."
    assert told(text, "Llevo 20 días en la empresa y me despiden") == []


def test_the_words_before_a_figure_are_its_own_up_to_the_figure_before() -> None:
    ten, twenty, sixty = (place for place in places_in(OFFENCES, "", "day") if place.unit == "day")
    assert "lev" in ten.layers[0]
    assert "lev" not in twenty.layers[0]
    assert {"fech", "empres"} <= sixty.layers[0]
    assert ten.layers[1] | {"=10 day"} == twenty.layers[1] | {"=20 day"}  # one sentence, but for the figure itself


def test_an_item_of_a_list_has_the_words_that_lead_to_it() -> None:
    place = next(place for place in places_in(OBJECTIVE, "Despido", "day") if place.value == 20)
    assert "objet" in place.layers[2]
    assert "objet" not in place.layers[1]
    assert place.layers[3] == {"desped"}


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("un plazo no superior a quince días", "most"),
        ("con un mínimo de quince días", "least"),
        ("si pasan más de quince días", "over"),
        ("una duración inferior a quince días", "under"),
        ("quince días como máximo", "most"),
        ("el máximo se alcanza, son quince días", ""),
    ],
)
def test_what_bounds_a_figure(text: str, bound: str) -> None:
    (place,) = (place for place in places_in(text, "", "day") if place.unit == "day")
    assert place.bound == bound


def test_a_bare_number_may_be_the_figure_and_years_may_be_months() -> None:
    claim = places_in("dos años", "", "month")[0]
    years, other, bare = places_in("veinticuatro meses; tres años; cinco días; a los dos", "", "month")
    assert [has_figure_of(place, claim) for place in (years, other, bare)] == [True, False, True]


def test_features_count_shared_words_by_their_layers() -> None:
    layers = (frozenset({"a", "=5 day"}), frozenset({"a", "b"}), frozenset(), frozenset({"c"}))
    claim = Place(claim_value(), "month", "", "", layers, "most")
    place = replace(claim, layers=(frozenset({"b", "z"}), frozenset({"a", "=5 day"}), frozenset(), frozenset({"c"})))
    values = features(claim, place, lambda word: 2.0, is_cited=True)
    # a: near in the claim, sentence of the place; b: sentence, near; c: both far; z: near the place alone.
    expected = np.zeros(FEATURES)
    expected[[1, 4, 15]] = 2.0
    expected[16] = 1.0
    expected[-4:] = 2.0, 1.0, 1.0, 0.0
    assert values.tolist() == expected.tolist()


def claim_value() -> "object":
    return quantities("3 meses")[0].value


def test_a_rare_word_weighs_more() -> None:
    rarity = rarity_in(SOURCES)
    assert rarity("improcedent") > rarity("maxim") > 0


def test_the_packaged_weights_prefer_near_words() -> None:
    near_and_far = weights()[[0, 1, 2, 3]]
    assert weights().shape == (FEATURES,)
    assert near_and_far.tolist() == sorted(near_and_far, reverse=True)


@given(st.lists(st.sampled_from(["20 días", "doce meses", "la empresa", "despido", ",", "y", ";", "\n", ".", "[C1]"])))
def test_any_text_is_read(words: Sequence[str]) -> None:
    text = " ".join(words)
    for finding in told(text):
        assert text[finding["start"] : finding["end"]] == finding["where"]
    for place in (place for unit in ("day", "month", "euro", "percent") for place in places_in(text, "", unit)):
        assert place.written in place.sentence
        assert len(place.layers) == figure_cases.LAYERS


def test_a_claim_goes_with_what_announces_it() -> None:
    answer = read("En el despido improcedente sale así:\n- 33 días por año [C2]")
    sentence = answer.sentences[-1]
    claim = claim_at(answer, sentence, quantities(sentence.text)[0])
    assert "improcedent" in claim.layers[1]
    assert claim == claim_at(read_answer(answer.text, "", SOURCES[::-1]), sentence, quantities(sentence.text)[0])
