"""What a profile brings along and an index takes in: packaged records, decisions, and the profile's own articles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ingestion.articles.chunks import ArticleChunks, cut_article
from ingestion.files.formats.source import SUFFIX, is_article
from ingestion.incremental.digests import profile_digest
from ingestion.links.references import current_chunk_ids
from language.current import say
from services.corpus.chunks import lay_phrasings, packaged_records, parse_refs, refs_of
from services.profile.profile import Profile
from state.articles import details_of
from state.chunks import Chunk, provision_of
from state.errors import ConfigurationError, InvalidInput

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it


@dataclass(frozen=True)
class BundledChunks:
    """Chunks, and by their ids how people ask about them: text that they are found by, and that is never shown."""

    chunks: list[Chunk] = field(default_factory=list)
    lay_phrasings: dict[int, str] = field(default_factory=dict)


def bundled_chunks(parents: Sequence[Chunk], profile: Profile, *, packaged: bool = True) -> BundledChunks:
    """Return what a profile adds to the parents of documents; a document that is among these is not added again.

    That are its own articles and, if ``packaged``, the packaged rulings and criteria and the records of all laws whose
    text is not there. Without parents it is all of it: what the first index is made of.

    Raises:
        ConfigurationError: what the profile brings along breaks its schema.
    """
    documents = {(chunk["collection"], chunk["law_id"]) for chunk in parents}
    records = packaged_laws(parents, profile) if packaged else []
    targets = [*parents, *records]
    decisions = packaged_decisions() if packaged and profile.features.records else []
    added = [*records, *(chunk for chunk in decisions if (chunk["collection"], chunk["law_id"]) not in documents)]
    articles = [article for article in bundled_articles(profile) if (article.collection, article.id) not in documents]
    linked = linked_articles(articles, targets)
    return BundledChunks(
        [*_linked_records(added, targets), *linked.chunks],
        {chunk["id"]: lay_phrasings(chunk) for chunk in added} | linked.lay_phrasings,
    )


def packaged_laws(provisions: Sequence[Chunk], profile: Profile) -> list[Chunk]:
    """Return the packaged records of each law without a text among ``provisions``; none if the profile has no records.

    It is all of a law or nothing: a record of a provision that the text of its law does not have is of another wording.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    if not profile.features.records:
        return []
    ingested = {chunk["law_id"] for chunk in provisions}
    chunks = (chunk for _, chunk in packaged_records())
    return [chunk for chunk in chunks if chunk["chunk_type"] == "provision" and chunk["law_id"] not in ingested]


def packaged_decisions() -> list[Chunk]:
    """Return the packaged rulings and criteria.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    return [chunk for _, chunk in packaged_records() if chunk["chunk_type"] == "doctrine"]


def _linked_records(chunks: Sequence[Chunk], targets: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks of records with references to the wording in force today of those of ``targets`` they name."""
    refs = {chunk["id"]: refs_of(record) for record, chunk in packaged_records()}
    wanted = {ref for chunk in chunks for ref in refs[chunk["id"]]}
    ids = current_chunk_ids(wanted & {provision_of(chunk) for chunk in targets}, targets)
    return [
        {**chunk, "refs": list(dict.fromkeys(ids[ref] for ref in refs[chunk["id"]] if ref in ids))} for chunk in chunks
    ]


def linked_articles(articles: Iterable[ArticleChunks], provisions: Sequence[Chunk]) -> BundledChunks:
    """Return the chunks of articles, with references to those of ``provisions`` that they rest on."""
    articles = list(articles)
    chunks = [chunk for article in articles for chunk in article.chunks]
    bases = {chunk["id"]: legal_basis(chunk) for chunk in chunks}
    ids = current_chunk_ids({ref for refs in bases.values() for ref in refs}, provisions)
    return BundledChunks(
        [{**chunk, "refs": [ids[ref] for ref in bases[chunk["id"]] if ref in ids]} for chunk in chunks],
        {chunk_id: phrasing for article in articles for chunk_id, phrasing in article.lay_phrasings.items()},
    )


def legal_basis(chunk: Chunk) -> list[tuple[str, str]]:
    """Return law id and provision key of what a chunk of an article rests on; empty for any other chunk."""
    return list(dict.fromkeys(parse_refs(details_of(chunk).get("provisions", []))))


def bundled_articles(profile: Profile) -> list[ArticleChunks]:
    """Return the articles of a profile, in order of the names of their files; none where it has no folder for them.

    Raises:
        ConfigurationError: the folder is not there, one of them is broken, or two have the same id.
    """
    folder = profile.articles
    if folder is None or profile.knowledge is None:
        return []
    if not folder.is_dir():
        raise ConfigurationError(say("ingest.no_article_folder", name=profile.name, folder=folder))
    return list(_read_articles(profile_digest(profile), profile.model_dump_json()))


@lru_cache(maxsize=8)
def _read_articles(digest: str, profile_json: str) -> tuple[ArticleChunks, ...]:
    """Read the articles of a profile; ``digest`` changes when one of their files does.

    Cached, because an ingest and the opening of an index look at them again and again.
    """
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
            raise ConfigurationError(say("ingest.article_twice", name=profile.name, id=article.id))
        articles[article.id] = article
    return tuple(articles.values())


@dataclass(frozen=True)
class ArticleFile:
    """The file of an article, and the article's id."""

    file: Path
    id: str


def article_named(profile: Profile, text: str) -> ArticleFile | None:
    """Return the article of a profile that goes by its id, its title, its path or the name of its file, in any case.

    The files are not checked: of one that cannot be read, only the name of the file counts.
    """
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
    """Return the top-level fields of a YAML file that are text; none where it cannot be read."""
    try:
        fields = yaml.load(file.read_text(encoding="utf-8-sig"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError):
        return {}
    return {key: value for key, value in fields.items() if isinstance(value, str)} if isinstance(fields, dict) else {}
