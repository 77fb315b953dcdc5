"""Sections of a profile: frozen models that reject unknown keys."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from articulado.language.translation import translate
from articulado.legal.validity import SignalWeights
from articulado.values.chunks import LOWEST_RANK
from articulado.values.protocols import PLAIN, Fusion, RankConstant, SideWeight

TOPIC = "topic"  # filter field for the topic of a chunk; the others are attributes

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Rank = Annotated[int, Field(ge=1, le=LOWEST_RANK)]
Weight = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Section of a profile."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Collection(Section):
    """A collection: ranking weight, and label for users.

    ``questions``: searched by free questions too, not only by cases. ``by_meaning``: embedded by a pretrained sentence
    encoder; without Spanish law all collections are.
    """

    name: Name
    weight: float = Field(default=1.0, gt=0, le=1)
    label: str
    questions: bool = True
    by_meaning: bool = False


class Features(Section):
    """Switches of a profile.

    ``spanish_law``: read citations, dates, territory and legal synonyms from questions, use the trained encoder
    offline, and rank by law. ``records``: index the packaged summaries and decisions. ``references``: add provisions
    referred to by candidates.
    """

    spanish_law: bool = False
    records: bool = False
    references: bool = True


class Models(Section):
    """Models of roles that the settings leave unset; empty: default of the settings."""

    reader: str = ""
    principal: str = ""
    embedder: str = ""
    checker: str = ""


class Knowledge(Section):
    """Articles of a profile, indexed at first use.

    ``folder``: relative to the profile's; ``collection``: target. ``official``: the text is the source itself, else
    marked as our summary.
    """

    folder: str = Field(min_length=1)
    collection: Name
    official: bool = True


class FilterField(Section):
    """A filter of cases: known ``values`` with variants. ``topic`` is a chunk's topic, other names attributes.

    ``named_by``: words by which an inquiry names a value (default: those of ``values``), for ambiguous values such as
    "general". ``others``: names of the same kind without articles, with variants (``articulado.cases.phrases``).
    """

    name: Name
    label: str
    values: dict[str, tuple[str, ...]] = {}
    named_by: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}

    @property
    def path(self) -> str:
        return TOPIC if self.name == TOPIC else f"attributes.{self.name}"


class RelevanceBands(Section):
    """Minimum relevance, a probability in [0, 1], for each reaction.

    ``answer``: answer. ``near``: show the nearest provisions. ``chat_model``: let a chat model judge. ``follow_up``:
    answer a follow-up of an answer. ``insisting``: answer a follow-up of a declined question.
    """

    answer: Weight = 0.35
    near: Weight = 0.25
    chat_model: Weight = 0.03
    follow_up: Weight = 0.25
    insisting: Weight = 0.3


class Signals(Section):
    """Weights of the legal signals in [0, 1]; by default relevance alone counts."""

    relevance: Weight = 1.0
    hierarchy: Weight = 0.0
    recency: Weight = 0.0
    in_force: Weight = 0.0
    repealed: Weight = 0.0


class ReadAsSignals:
    """Annotation: validate ``SignalWeights`` as ``Signals``, so that errors name the key."""

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_weights, handler.generate_schema(Signals))


def _weights(signals: Signals) -> SignalWeights:
    return SignalWeights(**signals.model_dump())


Cap = Annotated[int, Field(ge=1, le=1000)]


class OfflineFusion(Fusion):
    """Fusion measured with the packaged encoder (docs/decisions/0058)."""

    k: RankConstant = 20
    dense: SideWeight = 3.0


class Fusions(Section):
    """Fusion by origin of the dense vectors: packaged encoders, or a provider's model (unmeasured, so plain RRF)."""

    offline: OfflineFusion = OfflineFusion()
    provider: Fusion = PLAIN


class Caps(Section):
    """Maximum number of parents in each step of a search (docs/decisions/0058).

    ``prefetch``: each ranking; ``per_collection``: each query in a collection; ``per_query``: each query; ``overall``:
    all queries.
    """

    prefetch: Cap = 100
    per_collection: Cap = 60
    per_query: Cap = 100
    overall: Cap = 100


class Search(Section):
    """Parameters of a search; they do not affect the index."""

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
    """Working days: Monday to Friday, without the holidays of ``country`` (ISO 3166, "US"; empty: no calendar)."""

    name: str = ""
    country: Country = ""


Tier = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]  # Importance for an answer; CRITICAL is never left out


class Tiers(Section):
    """Chunk types by tier; other types are LOW, chunks marked as critical are CRITICAL."""

    critical: tuple[str, ...] = ("decision_guide", "response_frames", "guardrails")
    high: tuple[str, ...] = ("steps", "fees_details", "common_issues")
    medium: tuple[str, ...] = ("eligibility", "business_rules", "faqs")
    low: tuple[str, ...] = ("examples",)

    def of(self, chunk_type: str) -> Tier:
        """Return the tier of a chunk type."""
        for tier, types in self._by_tier().items():
            if chunk_type in types:
                return tier
        return "LOW"

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(chunk_type for types in self._by_tier().values() for chunk_type in types)

    def _by_tier(self) -> Mapping[Tier, tuple[str, ...]]:
        return {"CRITICAL": self.critical, "HIGH": self.high, "MEDIUM": self.medium, "LOW": self.low}


class RequiredDataProfile(Section):
    """Search for required data; ``types`` in context order, chunks of the first are kept whole."""

    types: tuple[str, ...] = Field(default=("required_data", "eligibility", "business_rules"), min_length=1)
    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=10, ge=5, le=10)
    context_tokens: int = Field(default=500, ge=100)
    answer_tokens: int = Field(default=500, ge=100)


class ResponseProfile(Section):
    """Answer to a case: filters, number of chunks, and default tokens."""

    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=30, ge=20, le=30)
    max_tokens: int = Field(default=3_000, ge=200)


class Categories(Section):
    """Names of the two kinds of data in the profile's language."""

    participant_data: str = ""
    plan_data: str = ""


class CaseProfile(Section):
    """Handling of cases; ``collections`` defaults to that of the profile's articles, or all."""

    collections: tuple[str, ...] = ()
    min_context_tokens: int = Field(default=40, ge=0)
    tiers: Tiers = Tiers()
    required_data: RequiredDataProfile = RequiredDataProfile()
    response: ResponseProfile = ResponseProfile()
    categories: Categories = Categories()
    calendar: Calendar = Calendar()
