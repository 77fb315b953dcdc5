"""A cross-encoder from its files, through fastembed and ONNX Runtime; what it must answer is worked out apart."""

import asyncio
import socket
import threading
import time

import pytest
from support.cross_encoder import TinyCrossEncoder
from support.doubles import make_chunk
from support.waiting import PATIENCE

from articulado.config.settings import RerankSettings, Settings
from articulado.retrieval.fusion import candidate
from articulado.retrieval.ranking.cross_encoder import BATCH, DEFAULT_MODEL, CrossEncoder, ModelFiles, sigmoid
from articulado.retrieval.ranking.model_reranker import ModelReranker, passage_of
from articulado.values.answers import question_of
from articulado.values.errors import ConfigurationError, ModelError, ModelTimeout

QUESTION = "¿Cuántos días de vacaciones corresponden?"
TEXTS = [
    "Treinta días.",
    "El despido será nulo. " * 9,
    "Salario mínimo.",
    "El periodo de vacaciones anuales. Treinta días, para los trabajadores de la ley.",
    "Trabajo a distancia: la baja por enfermedad.",
    "Plazo de veinte días hábiles para demandar. " * 4,
]


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Fail whatever asks for a name or a connection, and tell."""
    requests = []

    def refuse(*arguments, **options):
        requests.append(arguments)
        raise OSError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return requests


@pytest.fixture
async def opened():
    """Make cross-encoders that are closed at the end."""
    made = []

    def make(folder=None, *, model="x", file="", cache=None, download=False, clock=time.time, files=ModelFiles):
        made.append(CrossEncoder(files(model, file, folder, cache or folder), download=download, clock=clock))
        return made[-1]

    yield make
    for encoder in made:
        await encoder.close()


def candidates(texts):
    return [candidate(make_chunk(n, "Artículo 38", text=text), 0.5, "hybrid") for n, text in enumerate(texts)]


def soon():
    return time.time() + PATIENCE


async def relevances(encoder, question, texts):
    await encoder.open(soon())
    return list((await encoder.score(question, texts, deadline=soon())).scores)


async def test_scores_are_those_of_the_model_in_the_order_of_the_passages(opened, tmp_path, no_network):
    tiny = TinyCrossEncoder()
    assert len(TEXTS) > BATCH
    scores = await relevances(opened(tiny.write(tmp_path)), QUESTION, TEXTS)
    assert scores == pytest.approx([tiny.relevance(QUESTION, text) for text in TEXTS], abs=1e-5)
    assert len({round(score, 4) for score in scores}) == len(TEXTS)
    assert no_network == []


async def test_the_reranker_reads_law_provision_and_title_with_the_text(opened, tmp_path):
    tiny = TinyCrossEncoder()
    ranked = candidates(TEXTS)
    reranker = ModelReranker(opened(tiny.write(tmp_path)), tokens=512, timeout=PATIENCE)
    result = await reranker.score(question_of(QUESTION), ["vacaciones"], ranked)
    expected = [tiny.relevance(QUESTION, passage_of(candidate["chunk"])) for candidate in ranked]
    assert list(result.scores) == pytest.approx(expected, abs=1e-5)
    assert (result.requests, result.input_tokens, result.output_tokens) == (0, 0, 0)
    assert passage_of(ranked[0]["chunk"]).startswith("Estatuto de los Trabajadores > Artículo 38. Título\nTreinta")


async def test_a_long_text_is_cut_at_the_last_sentence_that_fits_the_models_tokens(opened, tmp_path):
    tiny = TinyCrossEncoder()
    encoder = opened(tiny.write(tmp_path, max_length=64))
    (long,) = candidates(["El despido será nulo. " * 3 + "Veinte días hábiles para demandar. " * 9])
    result = await ModelReranker(encoder, tokens=64, timeout=PATIENCE).score(question_of(QUESTION), [], [long])
    # 7 tokens of the question and 4 of the frame leave 53: heading 9, 3 · 5 and 4 · 6 are 48; one more would be 54.
    heading = "Estatuto de los Trabajadores > Artículo 38. Título"
    assert (len(tiny.ids(QUESTION)), len(tiny.ids(heading))) == (7, 9)
    kept = f"{heading}\n{'El despido será nulo. ' * 3}{'Veinte días hábiles para demandar. ' * 4}"
    assert list(result.scores) == pytest.approx([tiny.relevance(QUESTION, kept)], abs=1e-5)


async def test_folders_do_not_mix(opened, tmp_path):
    tiny, other = TinyCrossEncoder(1), TinyCrossEncoder(2)
    first, second = opened(tiny.write(tmp_path / "a")), opened(other.write(tmp_path / "b", file="model.onnx"))
    assert await relevances(first, "plazo", ["veinte días"]) == pytest.approx(
        [tiny.relevance("plazo", "veinte días")], abs=1e-5
    )
    assert await relevances(second, "plazo", ["veinte días"]) == pytest.approx(
        [other.relevance("plazo", "veinte días")], abs=1e-5
    )


async def test_the_same_model_can_be_opened_by_two_at_once(opened, tmp_path):
    tiny = TinyCrossEncoder()
    tiny.write(tmp_path)
    scores = await asyncio.gather(*(relevances(opened(tmp_path), "plazo", ["veinte días"]) for _ in range(4)))
    assert scores == [pytest.approx([tiny.relevance("plazo", "veinte días")], abs=1e-5)] * 4


async def test_the_file_can_be_named(opened, tmp_path):
    plain, small = TinyCrossEncoder(1), TinyCrossEncoder(2)
    small.write(plain.write(tmp_path), file="onnx/model_quint8.onnx")
    scores = await relevances(opened(tmp_path, file="onnx/model_quint8.onnx"), "plazo", ["veinte días"])
    assert scores == pytest.approx([small.relevance("plazo", "veinte días")], abs=1e-5)


async def test_a_download_is_found_again_without_asking_the_network(opened, tmp_path, no_network):
    tiny = TinyCrossEncoder()
    snapshot = tmp_path / "models--cross-encoder--mmarco-mMiniLMv2-L12-H384-v1" / "snapshots" / "1427fd65"
    tiny.write(snapshot)
    encoder = opened(model=DEFAULT_MODEL, cache=tmp_path, download=True)
    assert await relevances(encoder, "plazo", ["veinte días"]) == pytest.approx(
        [tiny.relevance("plazo", "veinte días")], abs=1e-5
    )
    assert no_network == []


async def test_a_model_that_fastembed_knows_is_looked_for_where_it_is_published(tmp_path):
    snapshot = tmp_path / "models--onnx-community--bge-reranker-v2-m3-ONNX" / "snapshots" / "a"
    files = ModelFiles("BAAI/bge-reranker-v2-m3", "", None, tmp_path)
    TinyCrossEncoder().write(snapshot)
    with pytest.raises(ConfigurationError):
        files.find()
    (snapshot / "onnx" / "model.onnx_data").touch()
    assert files.find() == (snapshot, "onnx/model.onnx")


async def test_without_files_and_without_leave_to_download_nothing_is_asked(opened, tmp_path, no_network):
    with pytest.raises(ConfigurationError) as raised:
        await opened(model=DEFAULT_MODEL, cache=tmp_path).open(soon())
    message = str(raised.value)
    assert DEFAULT_MODEL in message
    assert str(tmp_path) in message
    for way_out in ("ARTICULADO_RERANK_STRATEGY=cross_encoder", "ARTICULADO_RERANK_PATH", "heuristic"):
        assert way_out in message
    assert no_network == []


async def test_a_hub_that_cannot_be_reached_is_told_at_once(opened, tmp_path, no_network, monkeypatch):
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    with pytest.raises(ConfigurationError, match=r"no se pueden descargar \(\w+\)\. Sin conexión, copie"):
        await opened(model=DEFAULT_MODEL, cache=tmp_path, download=True).open(soon())
    assert no_network
    assert pauses == [], "fastembed's own way would pause for 39 seconds"


@pytest.mark.parametrize("lost", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
def test_half_a_download_is_none(tmp_path, lost):
    snapshot = tmp_path / "models--a--b" / "snapshots" / "c"
    TinyCrossEncoder().write(snapshot)
    assert ModelFiles("a/b", "", None, tmp_path).find() == (snapshot, "onnx/model.onnx")
    (snapshot / lost).unlink()
    with pytest.raises(ConfigurationError, match="no están todos en"):
        ModelFiles("a/b", "", None, tmp_path).find()


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ("onnx/model.onnx", "falta onnx/model.onnx o model.onnx"),
        ("tokenizer.json", "falta tokenizer.json"),
        ("tokenizer_config.json", "falta tokenizer_config.json"),
    ],
)
async def test_missing_files_of_a_folder_are_named(tmp_path, lost, says):
    TinyCrossEncoder().write(tmp_path)
    (tmp_path / lost).unlink()
    with pytest.raises(ConfigurationError, match=says):
        ModelFiles("x", "", tmp_path, tmp_path).find()


async def test_missing_folders_and_invalid_names_raise(tmp_path):
    with pytest.raises(ConfigurationError, match="la carpeta de ARTICULADO_RERANK_PATH no existe"):
        ModelFiles("x", "", tmp_path / "no", tmp_path).find()
    with pytest.raises(ConfigurationError, match=r"ARTICULADO_RERANK_MODEL=rerank-v3\.5 no es el nombre"):
        ModelFiles("rerank-v3.5", "", None, tmp_path).find()


def test_the_settings_name_the_files(tmp_path):
    own = Settings.read(env_file=None, home=tmp_path, rerank=RerankSettings(path=tmp_path, file="m.onnx"))
    assert ModelFiles.of(own) == ModelFiles(DEFAULT_MODEL, "m.onnx", tmp_path, tmp_path / "models")
    kept = Settings.read(env_file=None, home=tmp_path, rerank=RerankSettings(model="a/b", cache=tmp_path / "c"))
    assert ModelFiles.of(kept) == ModelFiles("a/b", "", None, tmp_path / "c")


@pytest.mark.parametrize("broken", ["onnx/model.onnx", "tokenizer.json", "tokenizer_config.json"])
async def test_files_that_cannot_be_read_are_a_failure_of_the_model_told_each_time(opened, tmp_path, broken):
    TinyCrossEncoder().write(tmp_path)
    (tmp_path / broken).write_bytes(b"{}garbage")
    encoder = opened(tmp_path)
    for _ in range(2):
        with pytest.raises(ModelError, match="incompletos o no son los de un cross-encoder"):
            await encoder.open(soon())
    TinyCrossEncoder().write(tmp_path)
    with pytest.raises(ModelError):
        await encoder.open(soon())


async def test_a_model_that_gives_no_numbers_has_failed(opened, tmp_path):
    encoder = opened(TinyCrossEncoder(bias=float("nan")).write(tmp_path))
    with pytest.raises(ModelError, match="no da puntuaciones"):
        await relevances(encoder, QUESTION, TEXTS)


async def test_no_logit_leaves_the_range(opened, tmp_path):
    for bias, low, high in ((1e6, 0.999, 1.0), (-1e6, 0.0, 0.001)):
        encoder = opened(TinyCrossEncoder(bias=bias).write(tmp_path / str(bias)))
        assert all(low <= score <= high for score in await relevances(encoder, QUESTION, TEXTS))
    assert [sigmoid(x) for x in (-1e308, 0.0, 1e308)] == [0.0, 0.5, 1.0]
    assert sigmoid(2.0) == pytest.approx(0.880797)


async def test_nobody_waits_beyond_the_deadline(opened, tmp_path):
    encoder = opened(TinyCrossEncoder().write(tmp_path))
    with pytest.raises(ModelTimeout, match="no ha terminado a tiempo"):
        await encoder.open(time.time() - 1)
    await encoder.open(soon())
    with pytest.raises(ModelTimeout):
        await encoder.score(QUESTION, TEXTS, deadline=time.time() - 1)


async def test_loading_that_is_too_slow_for_a_question_is_done_for_the_next(opened, tmp_path):
    started, released = threading.Event(), threading.Event()

    class Slow(ModelFiles):
        def find(self, *, download=False):
            started.set()
            assert released.wait(PATIENCE)
            return super().find(download=download)

    tiny = TinyCrossEncoder()
    encoder = opened(tiny.write(tmp_path), files=Slow)
    waiting = asyncio.ensure_future(encoder.open(time.time() + 0.2))
    await asyncio.to_thread(started.wait, PATIENCE)
    with pytest.raises(ModelTimeout, match="ARTICULADO_RERANK_TIMEOUT"):
        await waiting
    released.set()
    assert await relevances(encoder, QUESTION, TEXTS[:1]) == pytest.approx(
        [tiny.relevance(QUESTION, TEXTS[0])], abs=1e-5
    )


async def test_work_that_nobody_waits_for_stops_at_the_next_batch(opened, tmp_path):
    ticks = iter(range(100))
    encoder = opened(TinyCrossEncoder().write(tmp_path), clock=lambda: float(next(ticks)))
    # One tick for the wait itself, then one a batch: the third batch would begin at 3.
    with pytest.raises(ModelTimeout):
        await encoder.score(QUESTION, ["plazo"] * (3 * BATCH), deadline=3.0)
    assert next(ticks) == 4
    await encoder.score(QUESTION, ["plazo"] * (3 * BATCH), deadline=30.0)


async def test_questions_at_once_share_one_model_and_one_thread(opened, tmp_path):
    tiny = TinyCrossEncoder()
    before = set(threading.enumerate())
    encoder = opened(tiny.write(tmp_path))
    questions = ["plazo", "despido", "salario mínimo", "vacaciones anuales"]
    scores = await asyncio.gather(*(relevances(encoder, question, TEXTS) for question in questions))
    for question, of_question in zip(questions, scores, strict=True):
        assert of_question == pytest.approx([tiny.relevance(question, text) for text in TEXTS], abs=1e-5)
    assert [thread.name for thread in set(threading.enumerate()) - before if "cross-encoder" in thread.name] == [
        "cross-encoder_0"
    ]


async def test_the_event_loop_runs_on_while_the_model_works(opened, tmp_path):
    released, waited = threading.Event(), []

    def clock():
        if threading.current_thread() is not threading.main_thread():
            waited.append(released.wait(PATIENCE))
        return time.time()

    encoder = opened(TinyCrossEncoder().write(tmp_path), clock=clock)
    scoring = asyncio.ensure_future(encoder.score(QUESTION, ["plazo"], deadline=soon()))
    await asyncio.sleep(0)
    released.set()
    await scoring
    assert waited == [True]
