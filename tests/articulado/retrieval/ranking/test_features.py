"""The features of candidates, by hand on two provisions, and that nothing is known without a sentence encoder."""

import math
from dataclasses import replace

import numpy as np
import pytest
from support.doubles import make_chunk

from articulado.encoders.phrasings import NEIGHBOURS, Neighbourhood, Support
from articulado.language.languages import language
from articulado.legal.domain.base import Lexicon, PlainDomain
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.features import FEATURES, NO_NEIGHBOURS, FeatureReader, without_neighbours
from articulado.values.chunks import provision_of

ET = "BOE-A-2015-11430"
PLAIN = PlainDomain(language("es"))
[HOLIDAY] = PLAIN.stems("vacaciones")
WEIGHTS = Lexicon(8, {HOLIDAY: 2})
"""ln(9 / 3) / ln 9 = 0.5 for "vacaciones", 1 for every word that no text has."""
QUESTION, QUERY = "vacaciones del fontanero", "fontanero"

PLUMBER = candidate(make_chunk(1, "Artículo 1", title="", text="De la fontanero."), 0.3, "phrasing")
HOLIDAYS = candidate(make_chunk(2, "Artículo 2", title="Vacaciones", text="Nada."), 0.9, "hybrid")
COSINES = {QUESTION: {1: 0.2, 2: 0.6}, QUERY: {1: 0.5, 2: 0.1}, "oficio": {1: 0.4, 2: 0.3}}

AROUND = Neighbourhood(
    support={
        (ET, "art:1"): Support(best=0.7, mean=0.5, count=3, rank=0),
        (ET, "art:9"): Support(best=0.6, mean=0.6, count=5, rank=1),
    },
    summaries={(ET, "art:2"): 0.4, (ET, "art:9"): 0.45},
    answered=0.8,
    unanswered=0.3,
    fifth=0.2,
    share=0.9,
)


def similarity(question, chunks):
    return [COSINES[question][chunk["id"]] for chunk in chunks]


READER = FeatureReader(
    Comparer(PLAIN, WEIGHTS, similarity=similarity), lambda question: {(ET, "art:2"): 0.75}, lambda question: AROUND
)


def read(*candidates, queries=(QUERY,), reader=READER):
    """Return the features of each candidate by their names."""
    rows = reader.read(QUESTION, queries, candidates)
    assert rows.dtype == np.float32
    return [dict(zip(FEATURES, row.tolist(), strict=True)) for row in rows]


def test_every_feature_is_its_formula():
    plumber, holidays = read(PLUMBER, HOLIDAYS)
    # Concepts: "vacaciones" of weight 0.5 and "fontanero" of 1. The first has the second in its text (0.75), the
    # second the first in its title (1); of the search, the first has 0.75 of all.
    assert plumber == pytest.approx(
        {
            "fused_score": 0.3,
            "fused_rank": math.log(2),
            "words": 0.75 / 1.5,
            "words_of_search": 0.75,
            "cosine": 0.2,
            "cosine_of_search": 0.5,
            "precedent": 0.0,
            "prior": 1.0,
            "found_by_search": 0.0,
            "words_behind": 0.0,
            "cosine_behind": 0.2 - 0.6,
            "precedent_behind": -0.75,
            "neighbour": 0.7,
            "neighbours_mean": 0.5,
            "neighbour_behind": 0.7 - 0.8,
            "neighbours_mean_behind": 0.5 - 0.6,
            "neighbours": math.log(4),
            "neighbour_rank": 0.0,
            "summary": 0.0,
            "summary_behind": -0.5,
            "card": 0.0,
            "bearing": 0.7,
            "bearing_behind": 0.0,
            "bearing_precedent": 0.0,
        },
        abs=1e-6,
    )
    assert holidays == pytest.approx(
        {
            "fused_score": 0.9,
            "fused_rank": 0.0,
            "words": 0.5 / 1.5,
            "words_of_search": 0.0,
            "cosine": 0.6,
            "cosine_of_search": 0.1,
            "precedent": 0.75,
            "prior": 1.0,
            "found_by_search": 1.0,
            "words_behind": 0.5 / 1.5 - 0.75 / 1.5,
            "cosine_behind": 0.0,
            "precedent_behind": 0.0,
            "neighbour": 0.0,
            "neighbours_mean": 0.0,
            "neighbour_behind": -0.8,
            "neighbours_mean_behind": -0.6,
            "neighbours": 0.0,
            "neighbour_rank": math.log1p(NEIGHBOURS),
            "summary": 0.4,
            "summary_behind": 0.4 - 0.45,
            "card": 0.0,
            "bearing": 0.0,
            "bearing_behind": -0.7,
            "bearing_precedent": 0.75,
        },
        abs=1e-6,
    )


def test_the_best_search_counts():
    plumber, holidays = read(PLUMBER, HOLIDAYS, queries=(QUERY, "oficio"))
    assert plumber["cosine_of_search"] == pytest.approx(0.5)
    assert holidays["cosine_of_search"] == pytest.approx(0.3)
    assert plumber["words_of_search"] == pytest.approx(0.75)


@pytest.mark.parametrize("queries", [(), (QUESTION,)])
def test_without_another_search_its_cosine_is_that_of_the_question(queries):
    plumber, _ = read(PLUMBER, HOLIDAYS, queries=queries)
    assert plumber["cosine_of_search"] == plumber["cosine"] == pytest.approx(0.2)
    assert plumber["words_of_search"] == pytest.approx(0.5 if queries else 0.0)


def test_no_candidate_has_no_row():
    assert READER.read(QUESTION, [], []).shape == (0, len(FEATURES))


def test_without_a_sentence_encoder_neighbour_features_are_neutral():
    alone = replace(READER, around=None)
    assert alone.neighbourhood(QUESTION) == NO_NEIGHBOURS
    plumber, _ = read(PLUMBER, HOLIDAYS, reader=alone)
    assert plumber["neighbour"] == plumber["neighbours_mean"] == plumber["neighbour_behind"] == 0.0
    assert plumber["cosine"] == pytest.approx(0.2)


def test_features_without_neighbours_are_those_that_are_read_without_a_sentence_encoder():
    candidates = [PLUMBER, HOLIDAYS]
    known = READER.read(QUESTION, [QUERY], candidates)
    kept = known.copy()
    alone = replace(READER, around=None).read(QUESTION, [QUERY], candidates)
    assert (known != alone).any()
    np.testing.assert_array_equal(without_neighbours(known), alone)
    np.testing.assert_array_equal(known, kept)


def test_a_card_has_what_the_provisions_that_bear_it_have():
    bears = [list(provision_of(PLUMBER["chunk"])), list(provision_of(HOLIDAYS["chunk"]))]
    chunk = {**make_chunk(2, "¿Cuánto cobra un fontanero?"), "chunk_type": "card", "details": {"bears": bears}}
    _, card = read(PLUMBER, candidate(chunk, 0.2, "hybrid"))
    assert (card["card"], card["bearing"], card["bearing_behind"], card["bearing_precedent"]) == pytest.approx(
        (1.0, 0.7, 0.0, 0.75)
    )
