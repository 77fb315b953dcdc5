import subprocess
import sys

import numpy as np
import pytest

from services.errors import IndexMissing
from services.lexicon import EqualWeights, Lexicon
from services.lsa import LsaEmbedder

TEXTS = [
    "vacaciones anuales retribuidas del trabajador",
    "vacaciones y descanso semanal del trabajador",
    "descanso semanal y fiestas",
    "despido disciplinario del trabajador",
    "despido improcedente e indemnización",
    "indemnización por despido objetivo",
]


@pytest.fixture(scope="module")
def embedder():
    return LsaEmbedder.fit(TEXTS, 4)


async def vectors(embedder, *texts):
    return (await embedder.embed_queries(texts)).vectors


async def test_close_texts_have_close_vectors(embedder):
    holiday, dismissal, probe = await vectors(embedder, TEXTS[0], TEXTS[4], "mis vacaciones")
    assert probe @ holiday > 0.8
    assert probe @ holiday > probe @ dismissal + 0.3


async def test_vectors_are_float32_of_unit_length_and_cost_no_request(embedder):
    embedded = await embedder.embed_queries(["despido", "vacaciones"])
    assert embedded.requests == embedded.tokens == 0
    for vector in embedded.vectors:
        assert vector.dtype == np.float32
        assert vector.shape == (4,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_documents_and_queries_are_embedded_alike(embedder):
    documents = (await embedder.embed_documents(TEXTS)).vectors
    np.testing.assert_allclose(documents, await vectors(embedder, *TEXTS), atol=1e-5)


async def test_a_text_without_known_words_gives_the_zero_vector(embedder):
    for vector in await vectors(embedder, "fotosíntesis", "", "¿y eso?"):
        assert not vector.any()
    assert (await embedder.embed_documents([])).vectors == []
    assert not (await embedder.embed_documents(["", "xyz"])).vectors[0].any()


async def test_a_saved_embedder_gives_the_same_vectors(embedder, tmp_path):
    embedder.save(tmp_path)
    loaded = LsaEmbedder.load(tmp_path)
    assert loaded.fingerprint == embedder.fingerprint
    np.testing.assert_array_equal(await vectors(loaded, *TEXTS), await vectors(embedder, *TEXTS))


def test_the_same_texts_give_the_same_axes(embedder):
    np.testing.assert_array_equal(LsaEmbedder.fit(TEXTS, 4)._axes, embedder._axes)


async def test_a_small_corpus_keeps_the_dimensions_asked_for():
    embedder = LsaEmbedder.fit(TEXTS[:3], 16)
    (vector,) = await vectors(embedder, "vacaciones")
    assert embedder.dimensions == len(vector) == 16
    # 3 texts have 2 axes at most; the rest is 0.
    assert 1 <= np.count_nonzero(vector) <= 2


@pytest.mark.parametrize("texts", [[], ["huelga"], ["huelga", "despido"], ["huelga despido", "despido huelga"]])
async def test_a_corpus_that_teaches_nothing_gives_zero_vectors(texts):
    embedder = LsaEmbedder.fit(texts, 8)
    (vector,) = await vectors(embedder, "huelga")
    assert vector.shape == (8,)
    assert not vector.any()


def test_the_fingerprint_is_known_before_fitting_and_tells_dimensions_apart(embedder):
    assert embedder.fingerprint == LsaEmbedder.fingerprint_for(4)
    assert LsaEmbedder.fit(TEXTS[:3], 4).fingerprint == LsaEmbedder.fingerprint_for(4)
    assert LsaEmbedder.fingerprint_for(4) != LsaEmbedder.fingerprint_for(5)


def test_a_missing_or_foreign_file_is_a_missing_index(embedder, tmp_path):
    with pytest.raises(IndexMissing, match="articulado ingest"):
        LsaEmbedder.load(tmp_path)
    embedder.save(tmp_path)
    Lexicon.build(["otro corpus"]).save(tmp_path)
    with pytest.raises(IndexMissing, match="vectores LSA"):
        LsaEmbedder.load(tmp_path)


def test_loading_and_querying_need_neither_sklearn_nor_scipy(embedder, tmp_path):
    embedder.save(tmp_path)
    code = (
        "import asyncio, sys, pathlib; from services.lsa import LsaEmbedder; "
        f"e = LsaEmbedder.load(pathlib.Path({str(tmp_path)!r})); asyncio.run(e.embed_queries(['vacaciones'])); "
        "assert not {'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_idf_goes_from_0_for_a_stem_of_every_text_to_1_for_one_of_none():
    lexicon = Lexicon.build(["vacaciones y despido", "despido", "despidos, despidos"])
    assert lexicon.frequencies == {"desped": 3, "vacacion": 1}
    assert lexicon.idf("desped") == 0
    assert lexicon.idf("vacacion") == 0.5  # ln(4/2) / ln 4
    assert lexicon.idf("huelg") == 1


def test_an_empty_lexicon_weighs_all_alike():
    assert Lexicon.build([]).idf("x") == EqualWeights().idf("x") == 1


def test_the_lexicon_is_stored_in_a_stable_order(tmp_path):
    lexicon = Lexicon.build(["b a", "a c"])
    lexicon.save(tmp_path)
    loaded = Lexicon.load(tmp_path)
    assert list(loaded.frequencies) == ["b", "c"]  # "a" is a stop word; ties in alphabetical order
    assert loaded.digest == lexicon.digest


def test_a_damaged_lexicon_is_a_missing_index(tmp_path):
    (tmp_path / "lexicon.json").write_text('{"texts": 3}', encoding="utf-8")
    with pytest.raises(IndexMissing, match="dañado"):
        Lexicon.load(tmp_path)
