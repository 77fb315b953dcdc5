"""What an inquiry is matched with: the articles of the knowledge base, and what is asked that none of them handles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from articulado.config.companions import OutsideMatter
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.store.records.schema import load_general_matters
from articulado.values.articles import Details, FieldSpec, article_title, details_of
from articulado.values.chunks import Chunk

_UNTOLD = "guardrails"
"""The type of chunk that tells what not to say: it matches no inquiry."""


@dataclass(frozen=True)
class Guide:
    """An article, or a matter that no article handles, by its texts.

    ``topic`` is what guides for the same kind of case share. ``asked`` are sentences as people ask for it, ``names``
    what it is called, ``texts`` what it says. Of an article ``attributes`` are its values of the filter fields and
    ``fields`` the data that it needs; an outside matter has neither, and no ``article_id``.
    """

    article_id: str
    title: str
    topic: str
    asked: tuple[str, ...]
    names: tuple[str, ...]
    texts: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict, hash=False)
    fields: tuple[FieldSpec, ...] = field(default=(), hash=False)

    @property
    def is_article(self) -> bool:
        """Whether it can handle a case."""
        return bool(self.article_id)


def article_guides(chunks: Iterable[Chunk], profile: Profile) -> list[Guide]:
    """Return the articles that some chunks are of, by their ids; a document of another kind is none."""
    by_article: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if "article_title" in details_of(chunk):
            by_article.setdefault(chunk["law_id"], []).append(chunk)
    return [_guide(article, by_article[article], profile) for article in sorted(by_article)]


def outside_guides(matters: Iterable[OutsideMatter]) -> list[Guide]:
    """Return matters that no article handles, each as a topic of its own."""
    return [
        Guide("", matter.name, f"outside {number}", matter.inquiries, (matter.name,), matter.texts)
        for number, matter in enumerate(matters)
    ]


def asked_in(content: Details) -> list[str]:
    """Return what people ask by the structured content of a chunk: frequent questions, and what goes wrong."""
    return [
        *(faq["question"] for faq in content.get("faqs", [])),
        *(issue["issue"] for issue in content.get("issues", [])),
    ]


def general_matters(language: str) -> list[OutsideMatter]:
    """Return what people ask any desk, in a language: what stands for all that a profile does not name."""
    return [
        OutsideMatter(name=matter.title, inquiries=matter.inquiries, texts=(matter.text,))
        for matter in load_general_matters(language)
    ]


def _guide(article: str, chunks: Sequence[Chunk], profile: Profile) -> Guide:
    first = min(chunks, key=lambda chunk: chunk["part"])
    title = article_title(first)
    told = [chunk for chunk in chunks if chunk["chunk_type"] != _UNTOLD]
    details = [details_of(chunk) for chunk in sorted(told, key=lambda chunk: chunk["part"])]
    inquiries = [inquiry for content in details for inquiry in content.get("inquiries", [])]
    questions = [question for content in details for question in asked_in(content)]
    return Guide(
        article_id=article,
        title=title,
        topic=first["topic"] or article,
        asked=tuple(dict.fromkeys((*inquiries, *questions))),
        names=(title, *_topic_names(first["topic"], profile)),
        texts=tuple(f"{chunk['title']}\n{chunk['text']}" for chunk in told),
        attributes=dict(first["attributes"]),
        fields=tuple(spec for content in details for spec in content.get("fields", [])),
    )


def _topic_names(topic: str, profile: Profile) -> tuple[str, ...]:
    """Return a topic as words, and the other ways to write it that the profile knows."""
    synonyms = next((field.values.get(topic, ()) for field in profile.filter_fields if field.name == TOPIC), ())
    return (topic.replace("_", " "), *synonyms)
