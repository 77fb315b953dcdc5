"""From settings to services: the one place that decides which adapter stands behind each Protocol."""

from langchain_core.language_models import BaseChatModel

from services.chat import LangChainChat
from services.container import Services
from services.dual_encoder.encoder import DualEncoder, fitted_fingerprint
from services.dual_encoder.packaged import packaged_encoder
from services.field import Field
from services.fields import field_of
from services.lexicon import Lexicon
from services.likeness import EncodedLikeness
from services.packaged import words_of_people
from services.profile import load_profile
from services.protocols import ChatModel, ChunkStore, Embedder
from services.records import PackagedRecords
from services.rerank.table import rerankers
from services.settings import ModelSettings, Role, Settings
from services.spanish_law import SPANISH_LAW
from services.sparse import Bm25Encoder
from services.store.edge import EdgeStore
from services.store.edge_writer import EdgeWriter
from services.store.manifest import Fingerprints, Index
from services.store.writer import WriterFactory
from services.tokens import token_counter
from services.unindexed import Unindexed
from state.chunks import Chunk

CHUNKER = "small_to_big:2000:300:50:2"
"""How documents are cut and what chunks hold; changes when the same document would give other chunks."""


def expected_fingerprints(settings: Settings, chunker: str = CHUNKER) -> Fingerprints:
    """Return what an index must have been built with to serve these settings.

    Raises:
        ConfigurationError: the profile is missing.
    """
    field = field_of(load_profile(settings.profile))
    embedder, sparse = _embedder_fingerprint(settings, field), Bm25Encoder.of(field).fingerprint
    return Fingerprints(embedder=embedder, sparse=sparse, chunker=chunker)


def build_services(settings: Settings, index: Index | None) -> Services:
    """Bind every service to an open index, or with ``None`` to the packaged records alone.

    Raises:
        ConfigurationError: a key, a model or the profile is missing.
    """
    profile = load_profile(settings.profile)
    field = field_of(profile)
    records = PackagedRecords() if profile.features.records else PackagedRecords(())
    lexicon = Lexicon.load(index.models) if index else records.lexicon
    reader = _reader(settings.reader, field, lexicon)
    encoder = DualEncoder.load(index.models) if index else None
    likeness = EncodedLikeness(encoder) if encoder else None
    spoken = words_of_people if profile.features.records else _silent
    return Services(
        settings=settings,
        profile=profile,
        store=_store(settings, index) if index else records,
        reader=reader,
        principal=_principal(settings.principal, field, lexicon),
        embedder=(document_embedder(settings) or encoder if index else None) or Unindexed(),
        sparse=Bm25Encoder.of(field),
        rerankers=rerankers(settings, reader, field, lexicon, spoken, likeness),
        records=records,
        counter=token_counter(settings.principal.model),
        field=field,
    )


def check_models(settings: Settings) -> None:
    """Check what the chat models need, before anything is paid for.

    Raises:
        ConfigurationError: a key, an address or another part is missing.
    """
    roles: tuple[tuple[Role, ModelSettings], ...] = (("reader", settings.reader), ("principal", settings.principal))
    for role, model in roles:
        if model.provider != "offline":
            from services.openai_models import chat_model

            chat_model(role, model)


def writer_factory(settings: Settings) -> WriterFactory:
    """Return what writes the generations of an index: the store that the settings name."""
    if settings.store == "embedded":
        return EdgeWriter

    from services.store.server_writer import server_writer

    return server_writer(settings)


def document_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of a provider, or ``None`` offline, where it is fitted to the texts themselves."""
    if settings.embedder.provider == "offline":
        return None
    from services.openai_models import embedder

    return embedder(settings.embedder)


def _embedder_fingerprint(settings: Settings, field: Field) -> str:
    if settings.embedder.provider != "offline":
        from services.openai_models import fingerprint_of

        return fingerprint_of(settings.embedder)
    if field is SPANISH_LAW:
        return packaged_encoder(settings.offline_dimensions).fingerprint
    return fitted_fingerprint(settings.offline_dimensions, field)


def _silent(chunk: Chunk) -> str:
    """Say nothing: no record tells how people ask."""
    return ""


def _store(settings: Settings, index: Index) -> ChunkStore:
    if settings.store == "embedded":
        store = EdgeStore(index.folder, list(index.manifest.collections))
        store.open()
        return store
    from services.store.server import ServerStore

    return ServerStore.connect(settings, index)


def _reader(settings: ModelSettings, field: Field, lexicon: Lexicon) -> ChatModel:
    if settings.provider != "offline":
        from services.openai_models import chat_model

        return chat_model("reader", settings)
    from services.offline_reader import KeywordReader

    return _in_process(KeywordReader(field=field, weights=lexicon), "sin conexión (palabras clave)")


def _principal(settings: ModelSettings, field: Field, lexicon: Lexicon) -> ChatModel:
    if settings.provider != "offline":
        from services.openai_models import chat_model

        return chat_model("principal", settings)
    from services.offline_principal import ExtractivePrincipal

    return _in_process(ExtractivePrincipal(field=field, weights=lexicon), "sin conexión (citas literales)")


def _in_process(model: BaseChatModel, name: str) -> LangChainChat:
    return LangChainChat(model, name, requests_per_attempt=0)
