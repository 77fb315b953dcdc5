"""Profile of a knowledge base (files in ``profiles/``): schema, loader, and further checks."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from articulado.config.data_files import problem_of
from articulado.config.files import SUFFIX, packaged_folder, profile_file, spoken_language
from articulado.config.sections import (
    TOPIC,
    CaseProfile,
    Collection,
    Features,
    FilterField,
    Knowledge,
    Models,
    Name,
    Rank,
    ReadAsSignals,
    RelevanceBands,
    Search,
    Section,
    Signals,
)
from articulado.language.folding import letters_and_digits
from articulado.language.languages import language
from articulado.language.translation import translate, use_locale
from articulado.legal.domain.base import Domain, PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.validity import SignalWeights
from articulado.values.chunks import LOWEST_RANK
from articulado.values.errors import ConfigurationError


def naming_problems(field: FilterField) -> Iterator[str]:
    """Yield contradictions among the names of a filter field, with remedies."""
    yield from _ambiguous_values(field)
    yield from _ambiguous_names(field)
    if field.name == TOPIC and (field.named_by or field.others):
        yield translate("profile.topic_by_names", name=field.name)
    for value in field.named_by:
        if value not in field.values:
            yield translate("profile.named_by_unlisted", name=field.name, value=value)


def _ambiguous_values(field: FilterField) -> Iterator[str]:
    claimed: dict[str, str] = {}
    for value, variants in field.values.items():
        for variant in (value, *variants):
            if claimed.setdefault(letters_and_digits(variant), value) != value:
                other = claimed[letters_and_digits(variant)]
                yield translate("profile.ambiguous_value", name=field.name, variant=variant, other=other, value=value)


def _ambiguous_names(field: FilterField) -> Iterator[str]:
    claimed = {letters_and_digits(word): value for value, words in field.values.items() for word in (value, *words)}
    for key, names in (
        ("named_by", field.named_by.items()),
        ("others", ((name, (name, *words)) for name, words in field.others.items())),
    ):
        for value, words in names:
            for word in words:
                if (other := claimed.setdefault(letters_and_digits(word), value)) != value:
                    yield translate(
                        "profile.ambiguous_name", name=field.name, key=key, word=word, other=other, value=value
                    )


DOCUMENT_KINDS = ("article", "sentencia", "criterio", "documento", "convenio")
"""Kinds of document that a profile can rank; laws have the rank of their norm."""

LAW_COLLECTION = "normativa"
RECORD_COLLECTIONS = (LAW_COLLECTION, "sentencias", "criterios_inss")  # collections of the packaged records

CASE_OPTIONS = ("profile", "index", "json", "help", "rerank", "inquiry", "collected_data", "max_tokens")
"""Fixed options of ``articulado case``; filter fields are options too."""

ARTICLE_KEYS = ("id", "title", "url", "updated", "chunks", "inquiries", "provisions")
"""Fixed keys of an article; filter fields other than the topic are keys too."""

# fmt: off
CASE_STATE_KEYS = frozenset((  # Keys of ``CaseState``; filter fields must not take their names
    "article_id", "article_reference", "article_title", "as_of", "ask_problem", "assumed", "budget", "candidates",
    "collected", "collected_data", "confidence", "conflicts", "context", "context_tokens", "critical", "deadline",
    "decision", "direct", "drafted", "dropped_items", "essential_tokens", "failure", "filters", "found", "guardrails",
    "inquiry", "left_open", "left_out", "lexical_only", "log_odds", "max_tokens", "message", "metadata", "of_article",
    "outcome", "queries", "raw_confidence", "reason", "refetched", "required_fields", "response", "scope", "searches",
    "shortfall", "sources", "store", "today", "turn", "turn_question", "untyped", "usage", "wanted", "warnings",
    "worked",
))
# fmt: on


class Profile(Section):
    """One knowledge base.

    ``relevance``: bands for answering, showing near provisions, or declining. ``signals``: weights of
    ``articulado.legal.validity.final_score``. ``ranks``: 1 (highest) to 5 by kind of document. ``default_law``: law of
    an article cited without one. ``folder``: folder of its file and root of relative paths; ``<name>/`` in it holds
    prompts and calibration.
    """

    name: Name
    title: str
    language: Literal["es", "en"]
    folder: Path
    default_law: str = ""
    relevance: RelevanceBands = RelevanceBands()
    features: Features = Features()
    models: Models = Models()
    search: Search = Search()
    signals: Annotated[SignalWeights, ReadAsSignals()] = SignalWeights(**Signals().model_dump())
    ranks: dict[str, Rank] = Field(default_factory=dict)
    collections: tuple[Collection, ...] = Field(min_length=1)
    filter_fields: tuple[FilterField, ...] = ()
    knowledge: Knowledge | None = None
    case: CaseProfile = CaseProfile()

    @model_validator(mode="after")
    def _check_contradictions(self) -> "Profile":
        if problem := next(contradictions(self), ""):
            raise ValueError(problem)
        return self

    def weight(self, collection: str) -> float:
        return next((entry.weight for entry in self.collections if entry.name == collection), 1.0)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(collection.name for collection in self.collections)

    @property
    def by_meaning(self) -> tuple[str, ...]:
        """Collections embedded by a sentence encoder if the embedder is offline."""
        trained = self.features.spanish_law
        return tuple(collection.name for collection in self.collections if collection.by_meaning or not trained)

    @property
    def for_questions(self) -> tuple[str, ...]:
        return tuple(collection.name for collection in self.collections if collection.questions)

    @property
    def for_cases(self) -> tuple[str, ...]:
        return self.case.collections or ((self.knowledge.collection,) if self.knowledge else self.names)

    @property
    def required_data_filter(self) -> tuple[str, ...]:
        """Filter fields of required data; default: all but the topic."""
        named = self.case.required_data.filter
        return tuple(field.name for field in self.filter_fields if field.name != TOPIC) if named is None else named

    @property
    def response_filter(self) -> tuple[str, ...]:
        """Filter fields of a response; default: all."""
        named = self.case.response.filter
        return tuple(field.name for field in self.filter_fields) if named is None else named

    @property
    def own_folder(self) -> Path:
        """Folder of prompts and calibration."""
        return self.folder / self.name

    @property
    def articles(self) -> Path | None:
        return self.folder / self.knowledge.folder if self.knowledge else None

    def rank(self, kind: str) -> int:
        return self.ranks.get(kind, LOWEST_RANK)


def load_profile(name: str) -> Profile:
    """Load a profile by name or from the path of a ``.toml``; raise ``ConfigurationError`` if it is invalid.

    >>> profile = load_profile("laboral")
    >>> profile.names[:3], profile.weight("sentencias")
    (('normativa', 'sentencias', 'criterios_inss'), 0.8)
    """
    packaged, file = packaged_folder(), profile_file(name)
    if file is None:
        available = sorted(entry.stem for entry in packaged.glob(f"*{SUFFIX}"))
        raise ConfigurationError(
            translate("profile.none_such", name=name, available=", ".join(available), suffix=SUFFIX)
        )
    with use_locale(spoken_language(name)):
        profile = _read(name, file)
        if file.resolve().parent != packaged.resolve():
            _check_own_profile(name, profile, packaged)
    return profile


def _read(name: str, file: Path) -> Profile:
    content: dict[str, Any] = {}
    try:
        content = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        profile = Profile.model_validate({**content, "folder": file.resolve().parent})
    except (ValidationError, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise _unreadable(name, problem_of(error, content, Profile)) from error
    if "folder" in content:
        raise _unreadable(name, translate("profile.folder_key"))
    return profile


def _check_own_profile(file: str, profile: Profile, packaged: Path) -> None:
    if (packaged / f"{profile.name}{SUFFIX}").is_file():
        raise _unreadable(file, translate("profile.packaged_name", name=profile.name))
    for field in profile.filter_fields:
        if field.name in CASE_STATE_KEYS:
            raise _unreadable(file, translate("profile.taken_by_state", name=field.name))


def _unreadable(name: str, problem: str) -> ConfigurationError:
    return ConfigurationError(translate("profile.unreadable", name=name, problem=problem))


def contradictions(profile: Profile) -> Iterator[str]:
    """Yield contradictions in a profile, with remedies."""
    if profile.features.spanish_law and profile.language != "es":
        yield translate("profile.law_is_spanish")
    if profile.relevance.near > profile.relevance.answer:
        yield (translate("profile.near_above_answer", near=profile.relevance.near, answer=profile.relevance.answer))
    for name in _duplicates(profile.names):
        yield translate("profile.collection_twice", name=name)
    for name in _duplicates(field.name for field in profile.filter_fields):
        yield translate("profile.field_twice", name=name)
    yield from _unknown_references(profile)
    for field in profile.filter_fields:
        yield from _taken_names(field)
        yield from naming_problems(field)
    for kind in profile.ranks:
        if kind not in DOCUMENT_KINDS:
            yield translate("profile.unknown_rank", kind=kind, kinds=", ".join(DOCUMENT_KINDS))
    missing = [name for name in RECORD_COLLECTIONS if name not in profile.names]
    if profile.features.records and missing:
        yield translate("profile.records_need", needed=", ".join(RECORD_COLLECTIONS), missing=", ".join(missing))


def _duplicates(names: Iterable[str]) -> list[str]:
    counts = Counter(names)
    return sorted(name for name, count in counts.items() if count > 1)


def _unknown_references(profile: Profile) -> Iterator[str]:
    fields, case = [field.name for field in profile.filter_fields], profile.case
    for where, section, references, existing in (
        (
            "[knowledge] collection",
            "collections",
            [profile.knowledge.collection] if profile.knowledge else [],
            profile.names,
        ),
        ("[case] collections", "collections", case.collections, profile.names),
        ("[case.required_data] filter", "filter_fields", case.required_data.filter or (), fields),
        ("[case.response] filter", "filter_fields", case.response.filter or (), fields),
    ):
        for name in references:
            if name not in existing:
                listed = ", ".join(existing) or translate("system.none")
                yield translate("profile.unknown_reference", where=where, name=name, section=section, listed=listed)


def _taken_names(field: FilterField) -> Iterator[str]:
    if field.name in CASE_OPTIONS:
        yield translate("profile.taken_by_option", name=field.name, option=field.name.replace("_", "-"))
    if field.name in ARTICLE_KEYS:
        yield translate("profile.taken_by_article", name=field.name)


def domain_of(profile: Profile) -> Domain:
    return SPANISH_LAW if profile.features.spanish_law else PlainDomain(language(profile.language))


def domain_named(name: str) -> Domain:
    return SPANISH_LAW if name == SPANISH_LAW.name else PlainDomain(language(name))
