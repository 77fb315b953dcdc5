"""The guides that an inquiry is compared with: articles, and matters that no article handles."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from pydantic import Field

from articulado.config.profile import Profile
from articulado.config.sections import TOPIC, Section
from articulado.guides.schema import OutsideMatter, load_outside
from articulado.language.translation import translate
from articulado.store.records.schema import load_general_matters
from articulado.values.cases import Details, FieldSpec, article_title, details_of
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError

INQUIRIES_FILE = "inquiries.jsonl"

_NOT_COMPARED = "guardrails"


@dataclass(frozen=True)
class Guide:
    """An article, or a matter that no article handles, by its texts."""

    article_id: str  # empty for an outside matter, which has no fields either
    title: str
    topic: str
    asked: tuple[str, ...]  # questions of people
    names: tuple[str, ...] = ()  # title and topic
    texts: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict, hash=False)
    fields: tuple[FieldSpec, ...] = field(default=(), hash=False)

    @property
    def all_texts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.asked, *self.names, *self.texts)))


class LabelledInquiry(Section):
    """An inquiry with its article, if any; training holds out whole writers."""

    inquiry: str = Field(min_length=1)
    article: str | None
    writer: str = ""


def load_inquiries(profile: Profile) -> tuple[LabelledInquiry, ...]:
    """Return the labelled inquiries of a profile; raise ``ConfigurationError`` if the file is unreadable."""
    file = profile.own_folder / INQUIRIES_FILE
    if not file.is_file():
        return ()
    inquiries = []
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(translate("case.inquiries_unreadable", file=file, line=1)) from error
    for number, line in enumerate(lines, start=1):
        try:
            inquiries.append(LabelledInquiry.model_validate_json(line))
        except ValueError as error:
            raise ConfigurationError(translate("case.inquiries_unreadable", file=file, line=number)) from error
    return tuple(inquiries)


def guides_of(
    chunks: Iterable[Chunk], profile: Profile, inquiries: Sequence[LabelledInquiry]
) -> tuple[list[Guide], list[Guide]]:
    matters = [*load_outside(profile), *general_matters(profile.language)]
    return with_inquiries(article_guides(chunks, profile), outside_guides(matters), inquiries)


def article_guides(chunks: Iterable[Chunk], profile: Profile) -> list[Guide]:
    """Return the articles of chunks, by their ids; other documents are left out."""
    by_article: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if "article_title" in details_of(chunk):
            by_article.setdefault(chunk["law_id"], []).append(chunk)
    return [_guide(article, by_article[article], profile) for article in sorted(by_article)]


def outside_guides(matters: Iterable[OutsideMatter]) -> list[Guide]:
    return [
        Guide("", matter.name, f"outside {number}", matter.inquiries, (matter.name,), matter.texts)
        for number, matter in enumerate(matters)
    ]


def with_inquiries(
    articles: Iterable[Guide], outside: Iterable[Guide], inquiries: Iterable[LabelledInquiry]
) -> tuple[list[Guide], list[Guide]]:
    """Add labelled inquiries to articles and outside matters; those without an article are one more matter."""
    by_article: dict[str | None, list[str]] = {}
    for each in inquiries:
        by_article.setdefault(each.article, []).append(each.inquiry)
    extended = [replace(guide, asked=(*guide.asked, *by_article.get(guide.article_id, ()))) for guide in articles]
    others = by_article.get(None, [])
    return extended, [*outside, *([Guide("", "", "outside", tuple(others))] if others else [])]


def asked_in(content: Details) -> list[str]:
    return [
        *(faq["question"] for faq in content.get("faqs", [])),
        *(issue["issue"] for issue in content.get("issues", [])),
    ]


def general_matters(language: str) -> list[OutsideMatter]:
    return [
        OutsideMatter(name=matter.title, inquiries=matter.inquiries, texts=(matter.text,))
        for matter in load_general_matters(language)
    ]


def _guide(article: str, chunks: Sequence[Chunk], profile: Profile) -> Guide:
    compared = sorted(
        (chunk for chunk in chunks if chunk["chunk_type"] != _NOT_COMPARED), key=lambda chunk: chunk["part"]
    )
    first = min(chunks, key=lambda chunk: chunk["part"])
    details, title = [details_of(chunk) for chunk in compared], article_title(first)
    inquiries = [inquiry for content in details for inquiry in content.get("inquiries", [])]
    questions = [question for content in details for question in asked_in(content)]
    return Guide(
        article_id=article,
        title=title,
        topic=first["topic"] or article,
        asked=tuple(dict.fromkeys((*inquiries, *questions))),
        names=(title, *_topic_names(first["topic"], profile)),
        texts=tuple(f"{chunk['title']}\n{chunk['text']}" for chunk in compared),
        attributes=dict(first["attributes"]),
        fields=tuple(spec for content in details for spec in content.get("fields", [])),
    )


def _topic_names(topic: str, profile: Profile) -> tuple[str, ...]:
    synonyms = next((field.values.get(topic, ()) for field in profile.filter_fields if field.name == TOPIC), ())
    return (topic.replace("_", " "), *synonyms)
