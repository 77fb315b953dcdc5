"""Reading of article files and conversion to chunks, which are those of the editor and never split."""

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.config.files import decode, read_bytes
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC, FilterField
from articulado.guides.cards import packaged_cards
from articulado.guides.checks import (
    article_error,
    check_guards,
    contradictions,
    labels_in,
    location,
    schema_error,
    text_of,
)
from articulado.guides.schema import ITEMS, Article, ArticleChunk, official_link
from articulado.language.translation import translate
from articulado.legal.ids import chunk_id
from articulado.values.cases import Details
from articulado.values.chunks import Chunk, blank_chunk


class _UniqueKeysLoader(yaml.SafeLoader):
    """YAML loader that refuses duplicate keys, whose first value would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "key twice", key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_article(file: Path) -> Article:
    """Read and check an article; ``InvalidInput`` names file, chunk and key."""
    try:
        fields = load_yaml(decode(read_bytes(file), file), _UniqueKeysLoader)
    except UnreadableYaml as error:
        line = translate("article.yaml_line", line=error.line) if error.line else ""
        raise article_error(file, "", translate("article.not_yaml", line=line)) from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise article_error(file, "", translate("article.no_keys"))
    try:
        article = Article.model_validate(fields)
    except ValidationError as error:
        raise schema_error(file, error) from error
    for path, what in contradictions(article):
        raise article_error(file, location(path), what)
    return article


KIND = "article"


@dataclass(frozen=True)
class ArticleChunks:
    """The chunks of an article in order; ``lay_phrasings`` by chunk id are searched and never shown."""

    id: str
    title: str
    collection: str
    chunks: list[Chunk]
    lay_phrasings: dict[int, str]


def cut_article(file: Path, profile: Profile, *, official: bool = True) -> ArticleChunks:
    """Read and convert an article; raise ``InvalidInput`` for unknown names. ``official`` text is no summary."""
    article = read_article(file)
    collection = article_collection(profile)
    attributes = attributes_of(article, file, profile)
    chunks = []
    for number, part in enumerate(article.chunks, start=1):
        if part.type not in (types := _types(profile)):
            what = translate("article.unknown_type", type=part.type, types=", ".join(types))
            raise article_error(file, translate("article.chunk_number", number=number), what)
        chunk = _chunk(article, part, number, collection, profile)
        if number == 1 and (questions := _card_questions(article.id, profile)):
            chunk["details"]["inquiries"] = [*chunk["details"].get("inquiries", []), *questions]
        chunks.append(
            _hashed({**chunk, "attributes": attributes, "source": "official" if official else "plain_language"})
        )
    check_guards(article, labels_in(profile.language), file)
    # Every chunk gets them. Measured, of the ten best chunks 69 instead of 63 in 100 are then of the right article; a
    # search for one type of chunk alone finds it about as well as before (mean reciprocal rank 0.01-0.02 up or down).
    inquiries = "\n".join(article.inquiries)
    lay_phrasings = {chunk["id"]: inquiries for chunk in chunks if inquiries}
    return ArticleChunks(article.id, article.title, collection, chunks, lay_phrasings)


def article_collection(profile: Profile) -> str:
    """Return the collection of articles and of documents without another, by default the first."""
    return profile.knowledge.collection if profile.knowledge else profile.names[0]


def attributes_of(article: Article, file: Path, profile: Profile) -> dict[str, str]:
    """Return each filter field but the topic, empty if the article holds for all its values, and the day of update."""
    fields = {field.name: field for field in profile.filter_fields}
    filters: dict[str, object] = article.filters
    for name in filters:
        if name not in fields:
            known = ", ".join(field for field in fields if field != TOPIC) or translate("system.none")
            raise article_error(
                file, "", translate("article.unknown_key", name=name, profile=profile.name, known=known)
            )
    if TOPIC in fields:
        _check(fields[TOPIC], article.topic, file)
    for name, value in filters.items():
        _check(fields[name], value, file)
    return {**{name: str(filters.get(name, "")) for name in fields if name != TOPIC}, "updated": str(article.updated)}


def _check(field: FilterField, value: object, file: Path) -> None:
    if not isinstance(value, str):
        raise article_error(file, field.name, translate("article.quoted_text"))
    if field.values and value not in field.values:
        raise article_error(
            file, field.name, translate("article.unknown_value", value=value, values=_listed(field.values))
        )


def _listed(values: Iterable[str]) -> str:
    return ", ".join(translate("article.quoted", value=value) for value in values)


def details_of(article: Article, chunk: ArticleChunk) -> Details:
    """Return the structured content of a chunk; the first one has the article's ``inquiries``, too."""
    fields = chunk.model_dump(mode="json", exclude_none=True, include={*ITEMS.values(), "warnings"})
    details: Details = {"article_title": article.title, **{name: items for name, items in fields.items() if items}}  # type: ignore[typeddict-item]
    if provisions := chunk.provisions or article.provisions:
        details["provisions"] = list(provisions)
    if article.inquiries and chunk is article.chunks[0]:
        details["inquiries"] = list(article.inquiries)
    return details


CARD_QUESTIONS = 3  # Questions of a card used for its guide: its need, and two phrasings


def _card_questions(article_id: str, profile: Profile) -> list[str]:
    if not profile.features.records:
        return []
    cards = (card for card in packaged_cards().values() if card.guide == article_id)
    return [question for card in cards for question in (card.need, *card.phrasings)[:CARD_QUESTIONS]]


def _types(profile: Profile) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*profile.case.required_data.types, *profile.case.tiers.types)))


def _chunk(article: Article, part: ArticleChunk, number: int, collection: str, profile: Profile) -> Chunk:
    labels = labels_in(profile.language)
    title = part.title.strip() or labels.types.get(part.type, part.type)
    key = f"{article.id}#{number}"
    return {
        **blank_chunk(chunk_id(collection, article.id, f"{part.type}#{number}", None, number), collection),
        "law_id": article.id,
        "law_name": article.title,
        "rank": profile.rank(KIND),
        "kind": KIND,
        "provision": title,
        "provision_key": key,
        "title": title,
        "breadcrumb": article.title,
        "text": text_of(part, labels),
        "part": number,
        "parts": len(article.chunks),
        "strategy": "article",
        "chunk_type": part.type,
        "tier": "CRITICAL" if part.critical else profile.case.tiers.of(part.type),
        "topic": article.topic,
        "url": article.url or official_link(part.provisions or article.provisions),
        "source": "official",
        "details": dict(details_of(article, part)),
    }


def _hashed(chunk: Chunk) -> Chunk:
    content = json.dumps(chunk, ensure_ascii=False, sort_keys=True)
    return {**chunk, "content_hash": blake2b(content.encode(), digest_size=16).hexdigest()}
