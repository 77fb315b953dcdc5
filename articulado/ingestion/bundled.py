"""Bundled documents of a profile: packaged records and decisions, and the profile's own articles."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from articulado.config.profile import Profile
from articulado.guides.cards import card_chunk, packaged_cards
from articulado.guides.chunks import ArticleChunks, cut_article
from articulado.ingestion.files.header import SUFFIX, is_article
from articulado.ingestion.incremental.base import profile_digest
from articulado.ingestion.incremental.catalog import ARTICLE, DECISION, RECORD
from articulado.ingestion.links.provision_index import ProvisionIndex
from articulado.ingestion.links.references import current_chunk_ids
from articulado.language.translation import translate
from articulado.store.records.chunks import lay_phrasings, packaged_records, parse_refs, refs_of
from articulado.values.cases import details_of
from articulado.values.chunks import CARDS, Chunk, ProvisionRef
from articulado.values.errors import ConfigurationError, InvalidInput

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it


@dataclass(frozen=True)
class BundledChunks:
    """Chunks, and lay phrasings by chunk id: text that is searched and never shown."""

    chunks: list[Chunk]
    lay_phrasings: dict[int, str]


@dataclass(frozen=True)
class BundledDocument:
    """Bundled law, decision or article: its chunks, lay phrasings, and cited provisions by chunk id."""

    kind: str
    collection: str
    id: str
    title: str
    chunks: list[Chunk]
    lay_phrasings: dict[int, str]
    refs: dict[int, list[ProvisionRef]]  # a record cites exactly these; for an article, another provision may answer

    def linked(self, index: ProvisionIndex) -> list[Chunk]:
        """Return the chunks with references to the wordings of the cited provisions in force today."""
        wanted = dict.fromkeys(ref for refs in self.refs.values() for ref in refs)
        ids = current_chunk_ids([ref for ref in wanted if self.kind == ARTICLE or index.has_itself(*ref)], index)
        return [
            {**chunk, "refs": list(dict.fromkeys(ids[ref] for ref in self.refs[chunk["id"]] if ref in ids))}
            for chunk in self.chunks
        ]


def bundled_documents(profile: Profile, *, packaged: bool = True) -> list[BundledDocument]:
    """Return the bundled documents of a profile: articles and, if ``packaged``, records, decisions and cards."""
    documents: dict[tuple[str, str], BundledDocument] = {}
    if packaged and profile.features.records:
        for record, chunk in sorted(packaged_records(), key=lambda pair: pair[1]["chunk_type"] != "provision"):
            key = chunk["collection"], chunk["law_id"]
            if key not in documents:
                kind = RECORD if chunk["chunk_type"] == "provision" else DECISION
                documents[key] = BundledDocument(kind, *key, chunk["law_name"], [], {}, {})
            document = documents[key]
            document.chunks.append(chunk)
            document.lay_phrasings[chunk["id"]] = lay_phrasings(chunk)
            document.refs[chunk["id"]] = refs_of(record)
        if CARDS in profile.names and _cards().chunks:
            documents[CARDS, CARDS] = _cards()
    articles = [
        BundledDocument(
            ARTICLE,
            article.collection,
            article.id,
            article.title,
            article.chunks,
            article.lay_phrasings,
            {chunk["id"]: legal_basis(chunk) for chunk in article.chunks},
        )
        for article in bundled_articles(profile)
    ]
    return [*documents.values(), *articles]


@cache
def _cards() -> BundledDocument:
    """Return all answer cards as one document without references: their provisions are found by their pins."""
    cards = list(packaged_cards().values())
    chunks = [card_chunk(card) for card in cards]
    phrasings = {chunk["id"]: "\n".join(card.phrasings) for chunk, card in zip(chunks, cards, strict=True)}
    nowhere: dict[int, list[ProvisionRef]] = {chunk["id"]: [] for chunk in chunks}
    return BundledDocument(DECISION, CARDS, CARDS, translate("ingest.cards"), chunks, phrasings, nowhere)


def comes_along(
    document: BundledDocument, has_law: Callable[[str], bool], has_document: Callable[[str, str], bool]
) -> bool:
    """Tell if an index lacks a bundled document: itself or, for a law's records, the ingested text of the law."""
    return not (has_law(document.id) if document.kind == RECORD else has_document(document.collection, document.id))


def bundled_chunks(profile: Profile) -> BundledChunks:
    """Return the chunks of the first index of a profile."""
    documents = bundled_documents(profile)
    index = ProvisionIndex.of(chunk for document in documents if document.kind == RECORD for chunk in document.chunks)
    return BundledChunks(
        [chunk for document in documents for chunk in document.linked(index)],
        {id: phrasing for document in documents for id, phrasing in document.lay_phrasings.items()},
    )


def legal_basis(chunk: Chunk) -> list[tuple[str, str]]:
    """Return law id and provision key of each provision an article's chunk rests on; empty for other chunks."""
    return list(dict.fromkeys(parse_refs(details_of(chunk).get("provisions", []))))


def bundled_articles(profile: Profile) -> list[ArticleChunks]:
    """Return the articles of a profile in file order; raise ``ConfigurationError`` for broken or duplicate ones."""
    folder = profile.articles
    if folder is None or profile.knowledge is None:
        return []
    if not folder.is_dir():
        raise ConfigurationError(translate("ingest.no_article_folder", name=profile.name, folder=folder))
    return list(_read_articles(profile_digest(profile), profile.model_dump_json()))


@lru_cache(maxsize=8)
def _read_articles(digest: str, profile_json: str) -> tuple[ArticleChunks, ...]:
    """Read the articles once per ``digest`` of their files: ingests and openings read them repeatedly."""
    profile = Profile.model_validate_json(profile_json)
    assert profile.articles is not None
    assert profile.knowledge is not None
    articles: dict[str, ArticleChunks] = {}
    for file in sorted(filter(is_article, profile.articles.iterdir())):
        try:
            article = cut_article(file, profile, official=profile.knowledge.official)
        except InvalidInput as error:
            raise ConfigurationError(str(error)) from error
        if article.id in articles:
            raise ConfigurationError(translate("ingest.article_twice", name=profile.name, id=article.id))
        articles[article.id] = article
    return tuple(articles.values())


@dataclass(frozen=True)
class ArticleFile:
    """File and id of an article."""

    file: Path
    id: str


def article_named(profile: Profile, text: str) -> ArticleFile | None:
    """Return the article of a profile with this id, title, path or file name, ignoring case."""
    wanted = _folded(text)
    folder = profile.articles
    for file in sorted(filter(is_article, folder.iterdir())) if folder and folder.is_dir() else ():
        stem = file.name[: -len(SUFFIX)]
        fields = _text_fields(file)
        article_id = fields.get("id", stem)
        names = {article_id, file.name, str(file), str(file.resolve()), fields.get("title", "")}
        if wanted and wanted in map(_folded, names):
            return ArticleFile(file, article_id)
    return None


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _text_fields(file: Path) -> dict[str, str]:
    try:
        fields = yaml.load(file.read_text(encoding="utf-8-sig"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError):
        return {}
    return {key: value for key, value in fields.items() if isinstance(value, str)} if isinstance(fields, dict) else {}
