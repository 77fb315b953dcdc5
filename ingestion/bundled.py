"""What comes along and goes into an index: the packaged corpus, decisions, and the articles of a profile."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from ingestion.articles.chunks import ArticleChunks, cut_article
from ingestion.files.formats.source import SUFFIX, is_article
from ingestion.incremental.digests import profile_digest
from ingestion.links.references import interpreted
from services.corpus.chunks import decision_chunk, packaged_records, parse_refs, search_text
from services.corpus.schema import load_corpus
from services.profile.profile import Profile
from state.articles import details_of
from state.chunks import Chunk
from state.errors import ConfigurationError, InvalidInput


@dataclass(frozen=True)
class PackagedCorpus:
    """Chunks, and by their ids the text that they are found by and that is never shown."""

    chunks: list[Chunk]
    search_text: dict[int, str]


def packaged_corpus() -> PackagedCorpus:
    """Return everything: summaries of provisions, rulings and criteria, with references among them.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    pairs = packaged_records()
    return PackagedCorpus(
        chunks=[chunk for _, chunk in pairs],
        search_text={chunk["id"]: search_text(record) for record, chunk in pairs},
    )


def rulings_and_criteria(provisions: Sequence[Chunk]) -> list[Chunk]:
    """Return the decisions alone, to go beside the official text of laws.

    Their references lead to the first part of the wording of each of ``provisions`` that is in force today.

    Raises:
        ConfigurationError: the corpus breaks its schema.
    """
    places = {(chunk["law_id"], chunk["provision_key"]) for chunk in provisions}
    ids = interpreted(places, provisions)
    return [decision_chunk(record, ids) for record in load_corpus().decisions]


def bundled_articles(profile: Profile) -> list[ArticleChunks]:
    """Return the articles of a profile, in order of the names of their files; none where it has no folder for them.

    Raises:
        ConfigurationError: the folder is not there, one of them is broken, or two have the same id.
    """
    folder = profile.articles
    if folder is None or profile.knowledge is None:
        return []
    if not folder.is_dir():
        raise ConfigurationError(f"No existe la carpeta de artículos del perfil «{profile.name}»: {folder}. Créela.")
    return list(_read(profile_digest(profile), profile.model_dump_json()))


@lru_cache(maxsize=8)
def _read(digest: str, written: str) -> tuple[ArticleChunks, ...]:
    """Read the articles of a profile, which is given as JSON; ``digest`` changes when a file of theirs does.

    Kept, because an ingest and the opening of an index look at them again and again.
    """
    profile = Profile.model_validate_json(written)
    assert profile.articles is not None
    assert profile.knowledge is not None
    articles: dict[str, ArticleChunks] = {}
    for file in sorted(one for one in profile.articles.iterdir() if is_article(one)):
        try:
            article = cut_article(file, profile, official=profile.knowledge.official)
        except InvalidInput as error:
            raise ConfigurationError(str(error)) from error
        if article.id in articles:
            raise ConfigurationError(f"El perfil «{profile.name}» tiene dos artículos «{article.id}». Deje uno.")
        articles[article.id] = article
    return tuple(articles.values())


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with it


@dataclass(frozen=True)
class Named:
    """An article: its file and its id."""

    file: Path
    id: str


def article_named(profile: Profile, text: str) -> Named | None:
    """Return the article of a profile that goes by its id, its title, its path or the name of its file, in any case.

    The files are not checked: of one that cannot be read, only the name of the file counts.
    """
    wanted = " ".join(text.split()).casefold()
    folder = profile.articles
    for file in sorted(one for one in folder.iterdir() if is_article(one)) if folder and folder.is_dir() else ():
        stem = file.name[: -len(SUFFIX)]
        written = _texts_of(file)
        id_ = written.get("id", stem)
        names = {id_, file.name, str(file), str(file.resolve()), written.get("title", "")}
        if wanted and wanted in {" ".join(name.split()).casefold() for name in names}:
            return Named(file, id_)
    return None


def _texts_of(file: Path) -> dict[str, str]:
    """Return the texts at the top of a file by their keys; none where it cannot be read."""
    try:
        written = yaml.load(file.read_text(encoding="utf-8-sig"), _Loader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError):
        return {}
    return {key: value for key, value in written.items() if isinstance(value, str)} if isinstance(written, dict) else {}


@dataclass(frozen=True)
class Beside:
    """Chunks, and how people ask about them, by id: it is found by that, and never shown."""

    chunks: list[Chunk] = field(default_factory=list)
    spoken: dict[int, str] = field(default_factory=dict)


def beside_documents(parents: Sequence[Chunk], profile: Profile) -> Beside:
    """Return what a profile puts beside documents; of a document that is among them, theirs is the one that counts.

    Raises:
        ConfigurationError: what comes along breaks its schema.
    """
    held = {(chunk["collection"], chunk["law_id"]) for chunk in parents}
    decisions = rulings_and_criteria(parents) if profile.features.records else []
    articles = [one for one in bundled_articles(profile) if (one.collection, one.id) not in held]
    found = articles_of(articles, parents)
    kept = [chunk for chunk in decisions if (chunk["collection"], chunk["law_id"]) not in held]
    return Beside([*kept, *found.chunks], found.spoken)


def articles_of(articles: Iterable[ArticleChunks], provisions: Sequence[Chunk]) -> Beside:
    """Return the chunks of articles, with references to those of ``provisions`` that they rest on."""
    articles = list(articles)
    chunks = [chunk for article in articles for chunk in article.chunks]
    wanted = {chunk["id"]: rests_on(chunk) for chunk in chunks}
    ids = interpreted({place for places in wanted.values() for place in places}, provisions)
    return Beside(
        [{**chunk, "refs": [ids[place] for place in wanted[chunk["id"]] if place in ids]} for chunk in chunks],
        {one: said for article in articles for one, said in article.spoken.items()},
    )


def rests_on(chunk: Chunk) -> list[tuple[str, str]]:
    """Return law and key of the provisions that a chunk of an article names; none for any other chunk."""
    return list(dict.fromkeys(parse_refs(details_of(chunk).get("provisions", []))))
