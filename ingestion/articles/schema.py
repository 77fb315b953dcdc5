"""The schema of an article file: what an editor may write."""

from datetime import date

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ingestion.articles.parts import (
    Datum,
    FaqPart,
    FramePart,
    GuardPart,
    IssuePart,
    Part,
    Rule,
    Said,
    Slug,
    Snake,
    WarningPart,
)
from ingestion.articles.provisions import ProvisionRef

ITEMS = {
    "required_data": "fields",
    "decision_guide": "rules",
    "response_frames": "frames",
    "guardrails": "guards",
    "steps": "steps",
    "common_issues": "issues",
    "faqs": "faqs",
}
"""Which list a type of chunk must have; none of these types, nor of ``_TEXTS``, has another's. A type that a profile
has made up may have any."""

_TEXTS = ("eligibility", "business_rules", "fees_details", "examples")


class ArticleChunk(Part):
    """One chunk: text, and the items that belong to its type.

    ``warnings`` and ``provisions`` go with any; ``critical`` ones are left out of no answer.
    """

    type: Snake
    title: str = ""
    text: str = ""
    critical: bool = False
    provisions: list[ProvisionRef] = Field(default_factory=list)
    fields: list[Datum] = Field(default_factory=list)
    rules: list[Rule] = Field(default_factory=list)
    frames: list[FramePart] = Field(default_factory=list)
    guards: list[GuardPart] = Field(default_factory=list)
    steps: list[Said] = Field(default_factory=list)
    issues: list[IssuePart] = Field(default_factory=list)
    faqs: list[FaqPart] = Field(default_factory=list)
    warnings: list[WarningPart] = Field(default_factory=list)

    @model_validator(mode="after")
    def _says_what_its_type_does(self) -> "ArticleChunk":
        given = [name for name in ITEMS.values() if getattr(self, name)]
        own = ITEMS.get(self.type)
        if own and own not in given:
            raise PydanticCustomError("items", "un trozo «{type}» debe llevar «{own}»", {"type": self.type, "own": own})
        stray = [one for one in given if one != own] if own or self.type in _TEXTS else []
        if stray:
            home = next(one for one, name in ITEMS.items() if name == stray[0])
            raise PydanticCustomError("items", "«{list}» va en un trozo «{type}»", {"list": stray[0], "type": home})
        if not (self.text.strip() or given or self.warnings):
            raise PydanticCustomError("items", "no tiene texto")
        return self


class Article(Part):
    """An article. What has none of these names is a filter field of the profile, and is checked against that."""

    model_config = ConfigDict(extra="allow")

    id: Slug
    title: Said
    topic: str
    updated: date
    url: str = ""
    provisions: list[ProvisionRef] = Field(default_factory=list)
    inquiries: list[Said] = Field(default_factory=list)
    chunks: list[ArticleChunk] = Field(min_length=1)

    @property
    def filters(self) -> dict[str, object]:
        """The filter fields that it names, not yet checked."""
        return dict(self.model_extra or {})
