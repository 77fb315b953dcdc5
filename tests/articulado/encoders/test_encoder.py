import subprocess
import sys

import numpy as np
import pytest
from support.damage import DAMAGES

from articulado.encoders.dual import DualEncoder, TrainingPairs, packaged_encoder
from articulado.language.spanish import stems
from articulado.values.errors import IndexMissing

TEXTS = [
    "vacaciones anuales retribuidas del trabajador",
    "vacaciones y descanso semanal del trabajador",
    "descanso semanal y fiestas",
    "despido disciplinario del trabajador",
    "despido improcedente e indemnización",
    "indemnización por despido objetivo",
]


QUESTIONS = [("playa en agosto", 0), ("agosto y playa", 1), ("a la calle", 3), ("en la calle sin más", 4)]


@pytest.fixture(scope="module")
def encoder():
    return DualEncoder.fit(TrainingPairs(TEXTS), 4)


@pytest.fixture(scope="module")
def trained():
    return DualEncoder.fit(TrainingPairs(TEXTS, QUESTIONS), 4)


async def vectors(encoder, *texts):
    return (await encoder.embed_queries(texts)).vectors


async def test_close_texts_have_close_vectors(encoder):
    holiday, dismissal, probe = await vectors(encoder, TEXTS[0], TEXTS[4], "mis vacaciones")
    assert probe @ holiday > 0.8
    assert probe @ holiday > probe @ dismissal + 0.3


async def test_vectors_are_float32_of_unit_length_and_cost_no_request(encoder):
    embedded = await encoder.embed_queries(["despido", "vacaciones"])
    assert embedded.requests == embedded.tokens == 0
    for vector in embedded.vectors:
        assert vector.dtype == np.float32
        assert vector.shape == (4,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_documents_and_queries_are_embedded_alike(encoder):
    documents = (await encoder.embed_documents(TEXTS)).vectors
    np.testing.assert_allclose(documents, await vectors(encoder, *TEXTS), atol=1e-5)


async def test_a_text_without_known_words_gives_the_zero_vector(encoder):
    for vector in await vectors(encoder, "fotosíntesis", "", "¿y eso?"):
        assert not vector.any()
    assert (await encoder.embed_documents([])).vectors == []
    assert not (await encoder.embed_documents(["", "xyz"])).vectors[0].any()


async def test_questions_and_documents_have_axes_of_their_own(trained):
    # "Playa" is a word of questions alone; what is learnt for them is nothing that a document says.
    [of_question], [of_document] = await vectors(trained, "playa"), trained.embed_all(["playa"])
    assert np.linalg.norm(of_question) == pytest.approx(1, abs=1e-5)
    assert not np.allclose(of_question, of_document, atol=0.01)
    np.testing.assert_array_equal(trained.embed_question("playa"), of_question)
    np.testing.assert_array_equal(trained.embed_all(TEXTS), (await trained.embed_documents(TEXTS)).vectors)
    for vector in (*trained.embed_all(TEXTS), *await vectors(trained, *(text for text, _ in QUESTIONS))):
        assert vector.dtype == np.float32
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


async def test_a_question_is_read_with_the_legal_terms_that_it_calls_for(encoder):
    # No text says "echaron": as a question it means the dismissal, as a document nothing.
    question, dismissal = await vectors(encoder, "me echaron", "despido")
    assert question @ dismissal > 0.9
    np.testing.assert_array_equal(encoder.embed_question("me echaron"), question)
    assert not encoder.embed_all(["me echaron"])[0].any()


async def test_a_saved_encoder_gives_the_same_vectors(encoder, trained, tmp_path):
    for fitted in (encoder, trained):
        fitted.save(tmp_path)
        loaded = DualEncoder.load(tmp_path)
        assert loaded.fingerprint == fitted.fingerprint
        assert loaded.vocabulary.stems == fitted.vocabulary.stems
        for texts in (TEXTS, [text for text, _ in QUESTIONS]):
            np.testing.assert_array_equal(await vectors(loaded, *texts), await vectors(fitted, *texts))
            np.testing.assert_array_equal(loaded.embed_all(texts), fitted.embed_all(texts))


def test_axes_are_stored_in_two_bytes_a_number(trained, tmp_path):
    trained.save(tmp_path)
    with np.load(tmp_path / "dual-encoder.npz", allow_pickle=False) as stored:
        for side in ("asked", "held"):
            assert stored[side].dtype == np.float16
            assert stored[side].shape == (len(trained.vocabulary.stems), 4)


def test_the_same_texts_give_the_same_axes(encoder):
    again = DualEncoder.fit(TrainingPairs(TEXTS), 4)
    np.testing.assert_array_equal(again.embed_all(TEXTS), encoder.embed_all(TEXTS))


async def test_a_small_corpus_keeps_the_dimensions_asked_for():
    encoder = DualEncoder.fit(TrainingPairs(TEXTS[:3]), 16)
    (vector,) = await vectors(encoder, "vacaciones")
    assert encoder.dimensions == len(vector) == 16
    # 3 texts have 2 axes at most; the rest is 0.
    assert 1 <= np.count_nonzero(vector) <= 2


@pytest.mark.parametrize("texts", [[], ["huelga"], ["huelga", "despido"], ["huelga despido", "despido huelga"]])
async def test_a_corpus_that_teaches_nothing_gives_zero_vectors(texts):
    encoder = DualEncoder.fit(TrainingPairs(texts), 8)
    (vector,) = await vectors(encoder, "huelga")
    assert vector.shape == (8,)
    assert not vector.any()


def test_the_fingerprint_is_that_of_what_it_has_learnt(encoder):
    assert DualEncoder.fit(TrainingPairs(TEXTS), 4).fingerprint == encoder.fingerprint
    assert DualEncoder.fit(TrainingPairs(TEXTS[:5]), 4).fingerprint != encoder.fingerprint
    assert encoder.reduced(3).fingerprint != encoder.fingerprint == encoder.reduced(4).fingerprint


def test_rotated_it_finds_the_same_and_its_first_dimensions_say_most(encoder):
    rotated = encoder.rotated(TEXTS)
    question, rotated_question = encoder.embed_question("vacaciones"), rotated.embed_question("vacaciones")
    before, after = np.stack(encoder.embed_all(TEXTS)), np.stack(rotated.embed_all(TEXTS))
    np.testing.assert_allclose(after @ rotated_question, before @ question, atol=2e-3)
    strengths = np.linalg.norm(after, axis=0)
    assert list(strengths) == sorted(strengths, reverse=True)
    assert rotated.reduced(2).embed_question("vacaciones").shape == (2,)


def test_the_encoder_of_the_package_knows_how_people_ask():
    encoder = packaged_encoder()
    law = ["Forma y efectos del despido disciplinario", "Vacaciones anuales", "Recibo individual del salario"]
    documents = np.stack(encoder.embed_all(law))
    for row, question in enumerate(("me han echado a la calle", "quiero coger agosto libre", "no me dan la nómina")):
        assert np.argmax(documents @ encoder.embed_question(question)) == row
    assert (encoder.dimensions, packaged_encoder(64).dimensions) == (192, 64)


def test_the_encoder_of_the_package_knows_the_stems_of_this_analysis():
    known = set(packaged_encoder().vocabulary.stems)
    ordinary = {
        stem
        for text in ("despido improcedente", "vacaciones", "me echaron", "jubilación anticipada")
        for stem in stems(text)
    }
    assert ordinary <= known


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_missing_or_damaged_file_is_a_missing_index(encoder, tmp_path, damage):
    encoder.save(tmp_path)
    damage(tmp_path / "dual-encoder.npz")
    with pytest.raises(IndexMissing, match=r"dañado .*articulado ingest"):
        DualEncoder.load(tmp_path)


def test_loading_and_querying_need_neither_sklearn_nor_scipy(encoder, tmp_path):
    encoder.save(tmp_path)
    code = (
        "import asyncio, sys, pathlib; from articulado.encoders.dual import DualEncoder; "
        f"e = DualEncoder.load(pathlib.Path({str(tmp_path)!r})); asyncio.run(e.embed_queries(['vacaciones'])); "
        "assert not {'sklearn', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
