"""Vectors by a sentence encoder for texts that nothing was trained for: their scale, search, warning and index."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.doubles import FakeEmbedder, FakeSparse, FakeStore, make_chunk
from support.sentences import KnownSentences
from support.stores import FINGERPRINTS, describe

from articulado.answering.passages import below_headings
from articulado.config.profile import load_profile
from articulado.encoders.meaning import MeaningEmbedder, TextCloseness
from articulado.encoders.phrasings import Neighbourhood
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.learnt import own_probability
from articulado.retrieval.search import HybridSearch, MeaningSearch
from articulado.store.builder import IndexBuilder
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import MeaningSpace
from articulado.store.opening import open_index
from articulado.values.protocols import PLAIN, SearchFilter, SparseVector

PROFILE = load_profile("laboral")
SPACE = MeaningSpace(
    fingerprint="meaning:1:known:1", dimensions=2, collections=("documentos",), mean=0.1, deviation=0.1
)


def test_closeness_is_zero_for_unrelated_texts_and_one_from_four_deviations_on():
    # (0.3 - 0.1) / (4 · 0.1) = 0.5
    assert [round(SPACE.closeness(cosine), 6) for cosine in (-1.0, 0.1, 0.3, 0.5, 0.9)] == [0, 0, 0.5, 1, 1]


def search(embedder):
    store = FakeStore([make_chunk(1, collection="documentos"), make_chunk(2)], {"q": [(1, 1.0), (2, 1.0)]})
    store.similarities = {1: 0.3, 2: 0.3}
    names = ("normativa", "documentos")
    usual = HybridSearch(store, FakeEmbedder(), FakeSparse(), PROFILE, names, SPANISH_LAW, PLAIN)
    return replace(usual, meaning=MeaningSearch(SPACE, embedder))


async def test_only_texts_by_meaning_have_a_closeness():
    found, _, warnings = await search(MeaningEmbedder(KnownSentences({"q": (1, 0)}), 2)).run_or_by_words(
        ["q"], SearchFilter()
    )
    assert {each["chunk"]["id"]: each.get("closeness") for each in found} == {1: 0.5, 2: None}
    assert warnings == []


async def test_without_the_encoder_of_the_index_words_decide_and_a_warning_says_so():
    _, _, warnings = await search(None).run_or_by_words(["q"], SearchFilter())
    assert len(warnings) == 1
    assert "Documentos" in warnings[0]
    assert "articulado ingest" in warnings[0]


def test_a_clear_lead_is_an_answer_and_a_question_on_the_law_is_none():
    def probability(summary, *closeness):
        own = [{**candidate(make_chunk(n), 1.0, "hybrid"), "closeness": value} for n, value in enumerate(closeness)]
        return own_probability(own, Neighbourhood({}, {("L", "1"): summary}, 0.0, 0.0, 0.0, 0.8))

    # x = 7 · (0.8 - 0.2) - 34 · 0.2 + 5 · 0.8 + 2.9 = 4.3 and, with a summary of 0.5, -5.9
    assert probability(0.2, 0.8, 0.2, 0.2, 0.2, 0.2) == pytest.approx(1 / (1 + np.exp(-4.3)))
    assert probability(0.5, 0.8, 0.2, 0.2, 0.2, 0.2) == pytest.approx(1 / (1 + np.exp(5.9)))
    assert probability(0.2) is None


def test_a_text_is_as_near_as_its_vector_and_headings_are_no_texts():
    near = TextCloseness(MeaningEmbedder(KnownSentences({"q": (1, 0), "a": (0, 1), "b": (1, 0)}), 2), SPACE)
    assert list(near("q", ["a", "b"])) == [0.0, 1.0]
    assert below_headings(["Ropa", "Libre, salvo visitas."]) == ["", "Ropa Libre, salvo visitas."]


async def test_an_index_has_vectors_of_two_lengths_and_names_the_encoder(tmp_path: Path):
    chunks = [make_chunk(1), make_chunk(2, collection="documentos")]
    vectors = [np.ones(3, dtype=np.float32), np.ones(2, dtype=np.float32)]
    async with IndexBuilder(tmp_path, EmbeddedWriter) as builder:
        builder.meaning = SPACE
        await builder.add(chunks, vectors, [SparseVector((), ())] * 2)
        await builder.commit(describe())
    manifest = open_index(tmp_path, FINGERPRINTS).manifest
    assert manifest.meaning == SPACE
    assert [manifest.dimensions_of(name) for name in ("normativa", "documentos")] == [3, 2]
