"""What is done before a server says that it is ready: questions are answered, and no provider is asked."""

from support.doubles import FakeEmbedder, FakeStore, FixedReranker, QueueChat, make_chunk, make_services

from articulado.config.settings import Settings
from articulado.models.embeddings import SameVector
from graph.compose import warm_up
from graph.services import Services

TITLED = [make_chunk(1, "Artículo 1", title="Vacaciones anuales"), make_chunk(2, "Artículo 2", title="Descanso")]


class Asked(FixedReranker):
    limit = 20

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []

    async def score(self, question, queries, candidates, *, deadline=None):  # type: ignore[no-untyped-def]
        self.questions.append(question)
        return await super().score(question, queries, candidates, deadline=deadline)


def of_providers(store: FakeStore, **fields: object) -> tuple[Services, QueueChat, QueueChat, FakeEmbedder]:
    """Return services whose models are all a provider's, and those models."""
    compatible = {"provider": "compatible", "model": "m", "base_url": "http://127.0.0.1:9/v1", "dimensions": 2}
    settings = Settings.read(
        env_file=None, reader=compatible, embedder=compatible, principal=compatible, rerank_strategy="llm"
    )
    reader, principal, embedder = QueueChat(), QueueChat(), FakeEmbedder()
    services = make_services(store, reader, principal, embedder=embedder, settings=settings, **fields)
    return services, reader, principal, embedder


async def test_titles_are_searched_and_read_and_no_provider_is_asked() -> None:
    store, reranker = FakeStore(TITLED), Asked()
    services, reader, principal, embedder = of_providers(
        store, rerankers={"heuristic": FixedReranker(), "llm": reranker}
    )
    store.rankings = {text: [(1, 1.0), (2, 0.9)] for text in (services.profile.title, "Vacaciones anuales", "Descanso")}
    await warm_up(services)
    assert store.searches
    assert (reader.calls, principal.calls, embedder.batches, reranker.questions) == ([], [], [], [])


async def test_the_substitute_embedder_has_one_unit_vector() -> None:
    stand_in = SameVector(FakeEmbedder())
    (first, second) = (await stand_in.embed_queries(["vacaciones", "despido"])).vectors
    assert (stand_in.fingerprint, stand_in.dimensions, first.shape) == ("fake-dense", 2, (2,))
    assert first.tolist() == second.tolist()
    assert abs(float(first @ first) - 1) < 1e-6
