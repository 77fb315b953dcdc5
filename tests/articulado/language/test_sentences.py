import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.language.sentences import between_sentences, clauses, sentence_spans

LEGAL = st.text(alphabet="abA1 .;:,?!\n\t«»()º\u00a0\u2028-", max_size=200)


def split(text):
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Se paga. Luego se cobra.", ["Se paga.", "Luego se cobra."]),
        ("¿Se paga? ¡Se cobra! Fin", ["¿Se paga?", "¡Se cobra!", "Fin"]),
        ("Uno\nDos\n\nTres", ["Uno", "Dos", "Tres"]),
        ("Véase el art. 38 y la pág. Doce. Fin.", ["Véase el art. 38 y la pág. Doce.", "Fin."]),
        ("El Sr. D. Juan, núm. 3, ss. Del ET. Fin.", ["El Sr. D. Juan, núm. 3, ss. Del ET.", "Fin."]),
        ("La S.A. Uno de EE.UU. Vino. Y EE. UU. Fue.", ["La S.A. Uno de EE.UU. Vino.", "Y EE. UU. Fue."]),
        ("El 1.º De mayo, la 2.ª Vez. Fin.", ["El 1.º De mayo, la 2.ª Vez.", "Fin."]),
        ("1. Uno. 2. Dos.", ["1. Uno.", "2. Dos."]),
        ("a) Uno de ellos.\nb) Dos.", ["a) Uno de ellos.", "b) Dos."]),
        ("Son 1.234,56 euros. Fin.", ["Son 1.234,56 euros.", "Fin."]),
        ("Ponente: J. M. Gil, p. ej. Otro. Fin.", ["Ponente: J. M. Gil, p. ej. Otro.", "Fin."]),
        (" \n ", []),
    ],
)
def test_sentences_of_legal_prose(text, expected):
    assert split(text) == expected


@given(LEGAL)
def test_every_character_but_blanks_is_in_one_sentence(text):
    spans = sentence_spans(text)
    assert "".join(re.sub(r"\s", "", text[start:end]) for start, end in spans) == re.sub(r"\s", "", text)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in spans)


def test_between_sentences_gives_the_blanks_between():
    assert list(between_sentences("Hoy. Ayer.\n\nNunca.")) == [(4, 5), (10, 12)]


def test_a_sentence_that_fits_is_one_clause():
    assert clauses(" uno; dos ") == [(1, 9)]
    assert clauses("  ") == []


def test_a_long_sentence_is_cut_at_semicolons_before_commas_before_blanks():
    text = "uno, dos tres; cuatro cinco seis"
    assert [text[start:end] for start, end in clauses(text, 16)] == ["uno, dos tres;", "cuatro cinco", "seis"]
    assert [text[start:end] for start, end in clauses(text, 10)] == ["uno,", "dos tres;", "cuatro", "cinco seis"]


@given(LEGAL, st.integers(3, 40))
def test_no_clause_is_too_long_and_nothing_is_lost(text, limit):
    spans = clauses(text, limit)
    assert all(0 < end - start <= limit for start, end in spans)
    assert "".join(re.sub(r"\s", "", text[start:end]) for start, end in spans) == re.sub(r"\s", "", text)
