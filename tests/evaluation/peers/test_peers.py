"""Peers search the same provisions as we do; each is run where it is installed."""

from datetime import date, timedelta
from importlib.util import find_spec

import numpy as np
import pytest
from support.chunks import NO_TERMS, Batch, make_child, make_chunk, terms, unit
from support.doubles import QueueChat, make_services
from support.stores import build

from articulado.config.settings import Settings
from articulado.store.embedded import EmbeddedStore
from articulado.values.errors import NoResultsFound
from evaluation.gold.questions import Question
from evaluation.peers.measure import (
    BM25S,
    HAYSTACK,
    LANGCHAIN,
    PEERS,
    Peer,
    corpus_of,
    measure,
    read_corpus,
    run_peers,
    spanish_stems,
)

ET = "BOE-A-2015-11430"
TEXTS = {
    38: ("Vacaciones anuales", "El periodo de vacaciones anuales retribuidas no será inferior a treinta días."),
    37: ("Descanso semanal", "El descanso semanal será de día y medio ininterrumpido."),
    34: ("Jornada", "La duración máxima de la jornada ordinaria de trabajo será de cuarenta horas semanales."),
    55: ("Forma del despido", "El despido se notificará por escrito con los hechos que lo motivan."),
    56: ("Despido improcedente", "El despido improcedente da derecho a una indemnización de treinta y tres días."),
    14: ("Período de prueba", "El periodo de prueba no podrá exceder de seis meses para los técnicos titulados."),
}
CHUNKS = [make_chunk(number, title=title, text=text) for number, (title, text) in TEXTS.items()]
MODULES = {BM25S.name: ["bm25s"], LANGCHAIN.name: ["langchain_classic", "bm25s"], HAYSTACK.name: ["haystack"]}

each_peer = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.packages[0])


def installed(peer):
    """Skip the test where the peer is not installed: its packages are an optional extra."""
    for module in MODULES[peer.name]:
        if find_spec(module) is None:
            pytest.skip(f"the optional extra «peers» is not installed: no {module}")
    return peer


def numbers(corpus, hits):
    return [int(corpus.provisions[place][1].split()[-1]) for place, _ in hits]


def asked(name, question):
    return Question(name, question, {})


@each_peer
def test_a_peer_finds_the_provision_that_speaks_of_it(peer):
    corpus = corpus_of(CHUNKS)
    search = installed(peer).build(corpus)
    assert numbers(corpus, search("¿cuántas vacaciones anuales tengo?", 3))[0] == 38
    assert set(numbers(corpus, search("indemnización por despido improcedente", 2))) == {55, 56}


@each_peer
def test_a_peer_reads_spanish(peer):
    corpus = corpus_of(CHUNKS)
    # "Vacación" and "vacaciones" share their stem only; "de", "la" and "por" count for nothing.
    assert numbers(corpus, installed(peer).build(corpus)("la vacación de la que por", 1)) == [38]


@each_peer
def test_a_peer_finds_each_provision_once_and_no_more_than_wanted(peer):
    corpus = corpus_of(CHUNKS)
    hits = installed(peer).build(corpus)("días de descanso, jornada y despido", 4)
    assert len(hits) == len(set(hits)) == 4
    scores = [score for _, score in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(isinstance(place, int) and isinstance(score, float) for place, score in hits)


@each_peer
@pytest.mark.parametrize("question", ["", "¿de la por?", "quetzalcóatl xilófono"])
def test_a_question_without_a_known_word_finds_nothing(peer, question):
    assert installed(peer).build(corpus_of(CHUNKS))(question, 5) == []


@each_peer
def test_a_peer_gives_the_same_twice(peer):
    corpus = corpus_of(CHUNKS)
    first, second = (installed(peer).build(corpus)("periodo de días", 6) for _ in range(2))
    assert first == second


def test_haystack_reports_nothing_to_its_makers(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    installed(HAYSTACK)
    from haystack import telemetry

    HAYSTACK.build(corpus_of(CHUNKS))("vacaciones", 3)
    assert telemetry._telemetry.telemetry is None
    assert list(tmp_path.iterdir()) == []


def test_a_provision_is_whole_and_reads_law_breadcrumb_heading_and_parts_in_order():
    parts = [
        make_chunk(2, provision="Artículo 9", provision_key="art:9", part=2, parts=2, text="Segunda parte."),
        make_chunk(1, provision="Artículo 9", provision_key="art:9", part=1, parts=2, text="Primera parte."),
    ]
    corpus = corpus_of([*parts, make_chunk(10, title="", text="Otro.")])
    assert corpus.provisions == ((ET, "Artículo 10"), (ET, "Artículo 9"))
    assert corpus.texts == (
        "Estatuto de los Trabajadores\nTÍTULO I > CAPÍTULO II\nArtículo 10\nOtro.",
        "Estatuto de los Trabajadores\nTÍTULO I > CAPÍTULO II\nArtículo 9. Vacaciones anuales\n"
        "Primera parte.\nSegunda parte.",
    )


def test_of_several_wordings_peers_have_that_of_today():
    yesterday, tomorrow = ((date.today() + timedelta(days=step)).isoformat() for step in (-1, 1))
    wordings = [
        make_chunk(1, provision="Artículo 9", provision_key="art:9", text="Vieja.", valid_to=yesterday),
        make_chunk(2, provision="Artículo 9", provision_key="art:9", text="De hoy.", valid_from=yesterday),
        make_chunk(3, provision="Artículo 9", provision_key="art:9", text="Futura.", valid_from=tomorrow),
        make_chunk(4, provision="Artículo 8", provision_key="art:8", text="Acabada.", valid_to=yesterday),
    ]
    assert [text.splitlines()[-1] for text in corpus_of(wordings).texts] == ["Acabada.", "De hoy."]


def test_rulings_are_no_provisions_and_without_any_there_is_nothing_to_compare():
    ruling = make_chunk(1, collection="sentencias")
    assert len(corpus_of([ruling, *CHUNKS]).texts) == len(CHUNKS)
    with pytest.raises(NoResultsFound, match="articulado ingest"):
        corpus_of([ruling])


def test_vectors_are_of_length_one_and_unknown_words_have_none():
    corpus = corpus_of(CHUNKS)
    assert corpus.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(corpus.vectors, axis=1), 1)
    assert not corpus.embed(["quetzalcóatl"]).any()
    assert np.allclose(corpus.embed(corpus.texts), corpus.vectors, atol=1e-6)


def test_stems_are_those_of_snowball_without_stop_words():
    assert spanish_stems("Las VACACIONES y la indemnización de los trabajadores") == ["vacacion", "indemniz", "trabaj"]


def test_a_peer_that_is_not_installed_is_named_and_the_others_go_on():
    def absent(corpus):
        raise ModuleNotFoundError("No module named 'otro'", name="otro")

    def backwards(corpus):
        return lambda question, depth: [(place, float(place)) for place in range(depth, -1, -1)]

    peers = [Peer("Otro", ("otro",), absent), Peer("Al revés", ("numpy",), backwards)]
    ticks = iter([0.0, 10.0, 12.0, 13.0])  # the first one is for the peer that is absent
    found = measure(corpus_of(CHUNKS), [asked("a", "x"), asked("b", "y")], 1, peers=peers, clock=lambda: next(ticks))
    assert list(found.missing) == ["Otro"]
    assert "Otro: " in found.missing["Otro"]
    assert "(otro)" in found.missing["Otro"]
    assert "pip install 'articulado[peers]'" in found.missing["Otro"]
    (one,) = found.runs
    assert (one.name, one.packages, found.provisions) == ("Al revés", {"numpy": np.__version__}, 6)
    assert (one.index_seconds, one.question_ms) == (2.0, 500.0)
    labels = [(ET, "Artículo 34"), (ET, "Artículo 14")]
    assert [[found.provision for found in ranking] for ranking in one.run.values()] == [labels, labels]


def test_two_provisions_of_one_label_have_one_row():
    twice = [make_chunk(1, provision_key="art:1"), make_chunk(2, provision="Artículo 1", provision_key="art:1~2")]
    both = Peer("Ambos", (), lambda corpus: lambda question, depth: [(1, 0.9), (0, 0.8)])
    (one,) = measure(corpus_of(twice), [asked("a", "x")], peers=[both]).runs
    assert [(found.provision, found.score) for found in one.run["a"]] == [((ET, "Artículo 1"), 0.9)]


async def test_peers_search_the_parents_of_the_configured_index(tmp_path):
    children = [make_child(1_000 + chunk["id"], chunk) for chunk in CHUNKS]
    vector = unit(*range(1, 9))
    batch = Batch(
        [*CHUNKS, *children, make_chunk(900, collection="sentencias")],
        [None] * len(CHUNKS) + [vector] * (len(children) + 1),
        [terms({1: 1.0})] * len(CHUNKS) + [NO_TERMS] * (len(children) + 1),
    )
    index = await build(tmp_path, [batch])
    store = EmbeddedStore(index.folder, list(index.manifest.collections))
    settings = Settings.read(env_file=None, index=tmp_path)
    services = make_services(store, QueueChat(""), QueueChat(""), settings=settings)
    try:
        findings = await run_peers(services, [asked("a", "vacaciones anuales")])
        corpus = await read_corpus(services)
    finally:
        await services.close()
    assert corpus.texts == corpus_of(CHUNKS).texts
    assert findings.provisions == len(CHUNKS)
    assert len(findings.runs) + len(findings.missing) == len(PEERS)
    assert all(run.run["a"][0].provision == (ET, "Artículo 38") for run in findings.runs)
