"""The sections of a profile on cases: tiers, filters, budgets, names."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from services.profile.calendar import Calendar
from services.profile.sections import Section

Tier = Literal["CRITICAL", "HIGH", "MEDIUM", "LOW"]
"""How much an answer needs a chunk, from most to least: a CRITICAL one is never left out."""


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
    """How the data that a case needs are found: what is searched, filtered by what, in how many tokens of context.

    ``types`` in the order of the context; of the first, chunks are always whole. ``filter`` unset: all filter fields
    of the profile but the topic (``Profile.required_data_filter``).
    """

    types: tuple[str, ...] = Field(default=("required_data", "eligibility", "business_rules"), min_length=1)
    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=10, ge=5, le=10)
    context_tokens: int = Field(default=500, ge=100)
    answer_tokens: int = Field(default=500, ge=100)


class ResponseProfile(Section):
    """How a case is answered: filtered by what, from how many chunks, within how many tokens where none are given.

    ``filter`` unset: all filter fields of the profile (``Profile.response_filter``).
    """

    filter: tuple[str, ...] | None = None
    chunks: int = Field(default=30, ge=20, le=30)
    max_tokens: int = Field(default=3_000, ge=200)


class Categories(Section):
    """What the two kinds of data are called in the language of the profile."""

    participant_data: str = ""
    plan_data: str = ""


class CaseProfile(Section):
    """How cases are handled.

    ``collections`` unset: that of the articles which the profile brings along, or else all of the profile.
    """

    collections: tuple[str, ...] = ()
    min_context_tokens: int = Field(default=40, ge=0)
    tiers: Tiers = Tiers()
    required_data: RequiredDataProfile = RequiredDataProfile()
    response: ResponseProfile = ResponseProfile()
    categories: Categories = Categories()
    calendar: Calendar = Calendar()
