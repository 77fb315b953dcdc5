"""Which rerankers there are, what "auto" stands for, and what is said where one lacks something."""

import logging
import socket

import pytest
from support.cross_encoder import TinyCrossEncoder
from support.doubles import FixedReranker, QueueChat, make_chunk

from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, RerankSettings, Settings
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking import table as table_module
from articulado.retrieval.ranking.comparison import Comparer
from articulado.retrieval.ranking.heuristic import HeuristicReranker
from articulado.retrieval.ranking.table import effective_strategy, reranker_for, rerankers, resolve_auto
from articulado.values.answers import question_of
from articulado.values.errors import ConfigurationError


def settings(tmp_path, **fields):
    return Settings.read(env_file=None, home=tmp_path, **fields)


@pytest.fixture
async def build():
    """Build tables that are closed at the end; what was said before is forgotten."""
    table_module._log_once.cache_clear()
    built = []

    def make(settings, learnt=None):
        reader, profile = (
            QueueChat('{"1": 4}') if settings.reader.provider != "offline" else None,
            load_profile("laboral"),
        )
        built.append(rerankers(settings, reader, HeuristicReranker(Comparer(SPANISH_LAW)), profile, learnt))
        return built[-1]

    yield make
    for table in built:
        for reranker in table.values():
            await reranker.close()


FOUND = [candidate(make_chunk(1, text="Treinta días de vacaciones."), 0.9, "hybrid")]


async def test_without_files_auto_is_the_learnt_ranking_and_says_so_once(build, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    learnt = FixedReranker(is_cheap=True)
    for _ in range(3):
        table = build(settings(tmp_path), learnt)
        assert reranker_for("auto", table) is table["learnt"] is learnt
        assert (effective_strategy("auto", table), effective_strategy("heuristic", table)) == ("learnt", "heuristic")
    (message,) = [
        record.getMessage() for record in caplog.records if record.name == "articulado.retrieval.ranking.table"
    ]
    assert message.startswith(
        "Reordenación automática: learnt, la que se ha aprendido con las preguntas del paquete. "
        "Los ficheros del modelo de reordenación cross-encoder/"
    )
    assert resolve_auto(settings(tmp_path))[0] == "learnt"


def test_the_heuristic_replaces_a_missing_learnt_ranking(build, tmp_path):
    table = build(settings(tmp_path))
    assert reranker_for("auto", table) is reranker_for("learnt", table) is table["heuristic"]


async def test_with_its_files_auto_is_the_cross_encoder(build, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    tiny = TinyCrossEncoder()
    own = settings(tmp_path, rerank=RerankSettings(path=tiny.write(tmp_path / "m")))
    table = build(own)
    chosen = reranker_for("auto", table)
    assert chosen is table["cross_encoder"]
    assert effective_strategy("auto", table) == "cross_encoder"
    assert list((await chosen.score(question_of("plazo"), [], FOUND)).scores) != list(
        (await table["heuristic"].score(question_of("plazo"), [], FOUND)).scores
    )
    assert f"Reordenación automática: cross_encoder, con el modelo {tmp_path / 'm'}." in caplog.text


async def test_a_download_in_the_home_is_found(build, tmp_path):
    snapshot = tmp_path / "models" / "models--cross-encoder--mmarco-mMiniLMv2-L12-H384-v1" / "snapshots" / "a"
    TinyCrossEncoder().write(snapshot)
    assert resolve_auto(settings(tmp_path))[0] == "cross_encoder"


async def test_a_strategy_that_is_set_leaves_auto_unsaid(build, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    build(settings(tmp_path, rerank_strategy="none"))
    assert "articulado.retrieval.ranking.table" not in [record.name for record in caplog.records]


def test_none_has_no_reranker():
    assert reranker_for("none", {"heuristic": FixedReranker()}) is None


async def test_the_heuristic_is_cheap_costs_nothing_and_scores_like_itself(build, tmp_path):
    heuristic = build(settings(tmp_path))["heuristic"]
    result = await heuristic.score(question_of("vacaciones"), [], FOUND)
    assert heuristic.limit is None
    assert (len(result.scores), result.requests, result.input_tokens) == (1, 0, 0)
    assert result == await HeuristicReranker(Comparer(SPANISH_LAW)).score(question_of("vacaciones"), [], FOUND)


async def test_models_are_not_cheap_and_read_only_the_question(build, tmp_path):
    reader = ModelSettings(provider="openai", model="m", api_key="k")
    table = build(settings(tmp_path, reader=reader, rerank=RerankSettings(base_url="http://x/v1", model="m")))
    assert {name for name, reranker in table.items() if reranker.limit is None} == {"learnt", "heuristic"}
    result = await table["llm"].score(question_of("q"), ["s"], FOUND)
    assert (list(result.scores), result.requests) == ([0.4], 1)


@pytest.mark.parametrize(
    ("strategy", "says"), [("llm", "ARTICULADO_READER_PROVIDER"), ("api", "ARTICULADO_RERANK_BASE_URL")]
)
async def test_incomplete_strategies_raise_when_chosen_or_configured(build, tmp_path, strategy, says):
    table = build(settings(tmp_path))
    with pytest.raises(ConfigurationError, match=says):
        await table[strategy].score(question_of("q"), [], FOUND)
    with pytest.raises(ConfigurationError, match=says):
        build(settings(tmp_path, rerank_strategy=strategy))


@pytest.mark.parametrize(("strategy", "tried"), [("auto", False), ("none", False), ("cross_encoder", True)])
async def test_a_download_is_tried_only_where_the_settings_name_it(build, tmp_path, monkeypatch, strategy, tried):
    downloads = []

    def refuse(*arguments, **options):
        downloads.append(arguments)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    table = build(settings(tmp_path, rerank_strategy=strategy))
    assert downloads == []
    # A caller of one question may name it all the same.
    with pytest.raises(ConfigurationError, match="no se pueden descargar" if tried else "no están todos en"):
        await table["cross_encoder"].score(question_of("q"), [], FOUND)
    assert bool(downloads) is tried


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("STRATEGY", "mejor", "'auto', 'none', 'learnt', 'heuristic', 'cross_encoder', 'llm' o 'api'"),
        ("PROVIDER", "google", "'compatible', 'cohere', 'jina' o 'tei'"),
        ("TOKENS", "10", "debe ser 64 o más"),
        ("BATCH", "muchos", "debe ser un número entero"),
        ("TIMEOUT", "0", "debe ser mayor que 0"),
        ("TIMEOUT", "inf", "debe ser un número"),
    ],
)
def test_a_value_that_cannot_be_used_is_explained_in_spanish(monkeypatch, name, value, says):
    monkeypatch.setenv(f"ARTICULADO_RERANK_{name}", value)
    with pytest.raises(ConfigurationError, match=f"El valor de ARTICULADO_RERANK_{name} no es válido: .*{says}"):
        Settings.read(env_file=None)


def test_the_variables_are_read(monkeypatch, tmp_path):
    for name, value in {
        "PROVIDER": "cohere",
        "MODEL": "m",
        "BASE_URL": "http://x",
        "API_KEY": "k",
        "PATH": "~/modelo",
        "FILE": "onnx/m.onnx",
        "CACHE": "",
        "TOKENS": "300",
        "TIMEOUT": "0.5",
        "BATCH": "1",
    }.items():
        monkeypatch.setenv(f"ARTICULADO_RERANK_{name}", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    read = Settings.read(env_file=None).rerank
    assert (read.provider, read.model, read.base_url, read.file) == ("cohere", "m", "http://x", "onnx/m.onnx")
    assert read.api_key.get_secret_value() == "k"
    assert (read.path, read.cache, read.batch, read.timeout) == (tmp_path / "modelo", None, 1, 0.5)
    assert [read.tokens_of(strategy) for strategy in ("cross_encoder", "llm", "api")] == [300] * 3


def test_a_pair_has_fewer_tokens_where_this_machine_reads_it_and_two_seconds_are_waited_for():
    read = RerankSettings(_env_file=None)
    assert [read.tokens_of(strategy) for strategy in ("cross_encoder", "llm", "api")] == [256, 512, 512]
    assert read.timeout == 2.0


def test_the_bare_name_of_the_settings_is_refused(monkeypatch):
    monkeypatch.setenv("ARTICULADO_RERANK", "heuristic")
    with pytest.raises(ConfigurationError, match="ARTICULADO_RERANK y ARTICULADO_CHECKER no llevan valor"):
        Settings.read(env_file=None)
