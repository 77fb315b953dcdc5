"""Profile sections: collections, features, models, filter fields, relevance, signals, search, and cases.

The sections for cases hold tiers, filters, token budgets, names, and the calendar of working days. Sections
are frozen and reject unknown keys.
"""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from articulado.language.translation import translate
from articulado.legal.validity import SignalWeights
from articulado.values.chunks import LOWEST_RANK
from articulado.values.protocols import PLAIN, Fusion, RankConstant, SideWeight

TOPIC = "topic"
"""The filter field that is the topic of a chunk; every other is one of its attributes."""

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Rank = Annotated[int, Field(ge=1, le=LOWEST_RANK)]
Weight = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A section of a profile: it takes no unknown keys, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Collection(Section):
    """One collection: its weight in the ranking and what a user calls it.

    ``questions``: free questions are searched in it, too, and not only cases. ``by_meaning``: a pretrained sentence
    encoder makes its dense vectors, because the encoder of the profile was trained on other texts. Without Spanish
    law, that is so of every collection.
    """

    name: Name
    weight: float = Field(default=1.0, gt=0, le=1)
    label: str
    questions: bool = True
    by_meaning: bool = False


class Features(Section):
    """What a profile has switched on. Without any, nothing of Spanish law is at work.

    ``spanish_law``: citations, dates, territory and legal synonyms are read off a question, the encoder trained on the
    law is used offline, and provisions are ranked by it. ``records``: the packaged summaries and decisions are in its
    index. ``references``: what a candidate refers to becomes a candidate.
    """

    spanish_law: bool = False
    records: bool = False
    references: bool = True


class Models(Section):
    """Models of the roles where the settings name none; empty is the default of the settings."""

    reader: str = ""
    principal: str = ""
    embedder: str = ""
    checker: str = ""


class Knowledge(Section):
    """The articles that a profile brings along: they are in its index from the first use on.

    ``folder`` is relative to the profile's own; ``collection`` is where they go. ``official``: their text is the
    source itself; else it is a summary in our own words, and is marked as one.
    """

    folder: str = Field(min_length=1)
    collection: Name
    official: bool = True


class FilterField(Section):
    """A field that cases are filtered by. ``values`` are the known ones, each with other ways to write it.

    ``topic`` is the topic of a chunk, every other name one of its attributes.

    ``named_by`` are the words with which an inquiry names a value, by default those of ``values``: a value that is an
    ordinary word ("general") needs names of its own. ``others`` are names of the same kind without any article, each
    with other ways to write it (``articulado.cases.phrases``).
    """

    name: Name
    label: str
    values: dict[str, tuple[str, ...]] = {}
    named_by: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}

    @property
    def path(self) -> str:
        """Path of the field in a chunk (``SearchFilter.fields``)."""
        return TOPIC if self.name == TOPIC else f"attributes.{self.name}"


class RelevanceBands(Section):
    """From which relevance on a question is answered, and from which the nearest provisions are at least shown.

    Relevance is the probability in [0, 1] that the best candidates answer. Below ``near`` nothing is shown. A chat
    model that reads the candidates decides for itself: before it only what is below ``chat_model`` is declined. What
    follows an answer is answered from ``follow_up`` on, and what goes on where nothing was answered from ``insisting``
    on: who goes on asking meant it.
    """

    answer: Weight = 0.35
    near: Weight = 0.25
    chat_model: Weight = 0.03
    follow_up: Weight = 0.25
    insisting: Weight = 0.3


class Signals(Section):
    """Weights of the legal signals as a profile writes them, each in [0, 1]; without any, relevance alone counts."""

    relevance: Weight = 1.0
    hierarchy: Weight = 0.0
    recency: Weight = 0.0
    in_force: Weight = 0.0
    repealed: Weight = 0.0


class ReadAsSignals:
    """Annotation: read ``SignalWeights`` as ``Signals``, so that errors name the key."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that reads ``Signals`` and gives ``SignalWeights``."""
        return core_schema.no_info_after_validator_function(_weights, handler.generate_schema(Signals))


def _weights(signals: Signals) -> SignalWeights:
    return SignalWeights(**signals.model_dump())


Cap = Annotated[int, Field(ge=1, le=1000)]


class OfflineFusion(Fusion):
    """The fusion that was measured with the encoder of the package (docs/retrieval.md)."""

    k: RankConstant = 20
    dense: SideWeight = 3.0


class Fusions(Section):
    """The fusion by what makes the dense vectors: their rankings differ in how far they can be trusted.

    ``offline``: the encoders of this package. ``provider``: a model of a provider; none has been measured, so plain.
    """

    offline: OfflineFusion = OfflineFusion()
    provider: Fusion = PLAIN


class Caps(Section):
    """How many parents each step of a search yields, at most (docs/retrieval.md has what more and fewer give).

    ``prefetch`` of each ranking, ``per_collection`` of each query in a collection, ``per_query`` of each query in all
    collections, ``overall`` of all queries.
    """

    prefetch: Cap = 100
    per_collection: Cap = 60
    per_query: Cap = 100
    overall: Cap = 100


class Search(Section):
    """How a search is made; none of it is in an index."""

    caps: Caps = Caps()
    fusion: Fusions = Fusions()


def _check_country(code: str) -> str:
    # Imported for a profile that names one alone.
    if code:
        from holidays import list_supported_countries

        if code not in list_supported_countries():
            raise ValueError(translate("profile.no_calendar", country=code))
    return code


Country = Annotated[str, AfterValidator(_check_country)]


class Calendar(Section):
    """Working days of date rules: Monday to Friday, without the holidays of a ``country``; none without one.

    ``country`` is an ISO 3166 code ("US"). ``name`` is what a user reads of the calendar.
    """

    name: str = ""
    country: Country = ""


Tier = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
"""Importance of a chunk for an answer, the greatest first: a CRITICAL one is never left out."""


class Tiers(Section):
    """The types of chunk in each tier of a response; a chunk of no type named here is LOW.

    A chunk that is marked as critical is CRITICAL, whatever its type.
    """

    critical: tuple[str, ...] = ("decision_guide", "response_frames", "guardrails")
    high: tuple[str, ...] = ("steps", "fees_details", "common_issues")
    medium: tuple[str, ...] = ("eligibility", "business_rules", "faqs")
    low: tuple[str, ...] = ("examples",)

    def of(self, chunk_type: str) -> Tier:
        """Return the tier of a type of chunk."""
        for tier, types in self._by_tier().items():
            if chunk_type in types:
                return tier
        return "LOW"

    @property
    def types(self) -> tuple[str, ...]:
        """All types of chunk that a response is made of."""
        return tuple(chunk_type for types in self._by_tier().values() for chunk_type in types)

    def _by_tier(self) -> Mapping[Tier, tuple[str, ...]]:
        return {"CRITICAL": self.critical, "HIGH": self.high, "MEDIUM": self.medium, "LOW": self.low}


class RequiredDataProfile(Section):
    """Search for the data that a case needs: collections, filters, and tokens of context.

    ``types`` in the order of the context; of the first, chunks are always whole. ``filter`` unset: all filter fields
    of the profile but the topic (``Profile.required_data_filter``).
    """

    types: tuple[str, ...] = Field(default=("required_data", "eligibility", "business_rules"), min_length=1)
    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=10, ge=5, le=10)
    context_tokens: int = Field(default=500, ge=100)
    answer_tokens: int = Field(default=500, ge=100)


class ResponseProfile(Section):
    """Answer to a case: filters, number of chunks, and tokens where none are given.

    ``filter`` unset: all filter fields of the profile (``Profile.response_filter``).
    """

    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=30, ge=20, le=30)
    max_tokens: int = Field(default=3_000, ge=200)


class Categories(Section):
    """Names of the two kinds of data in the language of the profile."""

    participant_data: str = ""
    plan_data: str = ""


class CaseProfile(Section):
    """Handling of cases.

    ``collections`` unset: that of the articles which the profile brings along, or else all of the profile.
    """

    collections: tuple[str, ...] = ()
    min_context_tokens: int = Field(default=40, ge=0)
    tiers: Tiers = Tiers()
    required_data: RequiredDataProfile = RequiredDataProfile()
    response: ResponseProfile = ResponseProfile()
    categories: Categories = Categories()
    calendar: Calendar = Calendar()
