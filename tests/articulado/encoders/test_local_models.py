"""The embedder of this machine, on a tiny model in the files of a real one; its vectors are worked out without it."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.cross_encoder import SIZE, TinySentenceEncoder

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.encoders.local_models import DEFAULT_MODEL, FastembedEmbedder
from articulado.ingestion.index_models import expected_fingerprints
from articulado.models.openai import chat_model
from articulado.values.errors import ConfigurationError
from graph.factory import provider_embedder

TINY = TinySentenceEncoder()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(TINY, tmp_path / "model")


def written(model: TinySentenceEncoder, folder: Path) -> Path:
    model.write(folder)
    (folder / "config.json").write_text(json.dumps({"hidden_size": SIZE, "pad_token_id": 1}))
    return folder


def settings(model: object, home: Path, **more: object) -> Settings:
    embedder = ModelSettings(provider="fastembed", model=str(model), **more)
    return Settings.read(None, embedder=embedder, home=home)


async def test_queries_and_texts_are_embedded_by_the_model_of_a_folder(folder: Path, tmp_path: Path) -> None:
    embedder = FastembedEmbedder.of(settings(folder, tmp_path))
    texts = ["días de vacaciones", "despido nulo"]
    expected = [TINY.vector(text) for text in texts]
    np.testing.assert_allclose((await embedder.embed_documents(texts)).vectors, expected, atol=1e-5)
    np.testing.assert_allclose((await embedder.embed_queries(texts[:1])).vectors, expected[:1], atol=1e-5)
    assert embedder.dimensions == SIZE
    assert (await embedder.embed_queries([])).vectors == []


async def test_a_model_of_the_e5_family_reads_what_it_was_trained_with(tmp_path: Path) -> None:
    embedder = FastembedEmbedder.of(settings(written(TINY, tmp_path / "my-e5"), tmp_path))
    [query] = (await embedder.embed_queries(["salario"])).vectors
    [text] = (await embedder.embed_documents(["salario"])).vectors
    np.testing.assert_allclose(query, TINY.vector("query: salario"), atol=1e-5)
    np.testing.assert_allclose(text, TINY.vector("passage: salario"), atol=1e-5)


def test_an_index_belongs_to_the_files_of_its_model(folder: Path, tmp_path: Path) -> None:
    other = written(TinySentenceEncoder(seed=1), tmp_path / "other")
    profile = load_profile("laboral")
    made = [expected_fingerprints(settings(path, tmp_path), profile).embedder for path in (folder, folder, other)]
    assert made[0] == made[1] != made[2]
    assert made[0].startswith("fastembed:")
    assert made[0].endswith(f":{SIZE}")


def test_what_is_wrong_with_a_model_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"ARTICULADO_EMBEDDER_MODEL.*onnx/model\.onnx"):
        FastembedEmbedder.of(settings(tmp_path / "nothing", tmp_path))
    with pytest.raises(ConfigurationError, match=f"no conoce el modelo otro/modelo.*{DEFAULT_MODEL.lower()}"):
        FastembedEmbedder.of(settings("otro/modelo", tmp_path))
    (folder / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match="ARTICULADO_EMBEDDER_DIMENSIONS"):
        FastembedEmbedder.of(settings(folder, tmp_path))
    assert FastembedEmbedder.of(settings(folder, tmp_path, dimensions=SIZE)).dimensions == SIZE


async def test_vectors_of_another_length_are_refused(folder: Path, tmp_path: Path) -> None:
    embedder = FastembedEmbedder.of(settings(folder, tmp_path, dimensions=SIZE + 1))
    with pytest.raises(ConfigurationError, match=f"da vectores de {SIZE} números y se esperaban {SIZE + 1}"):
        await embedder.embed_queries(["salario"])


async def test_a_question_never_downloads_a_model(tmp_path: Path) -> None:
    embedder = FastembedEmbedder.of(settings("", tmp_path))
    assert embedder.fingerprint == f"fastembed:{DEFAULT_MODEL}:384"
    with pytest.raises(ConfigurationError, match=f"{DEFAULT_MODEL} no están en {tmp_path}"):
        await embedder.embed_queries(["salario"])


def test_no_chat_model_runs_by_fastembed() -> None:
    with pytest.raises(
        ConfigurationError, match=r"solo sirve para ARTICULADO_EMBEDDER_PROVIDER: ARTICULADO_READER_PROVIDER"
    ):
        chat_model("reader", ModelSettings(provider="fastembed", model="x"))


def test_the_embedder_of_the_settings_is_the_one_of_this_machine(folder: Path, tmp_path: Path) -> None:
    assert isinstance(provider_embedder(settings(folder, tmp_path)), FastembedEmbedder)
