"""Pydantic schema of an article file (``.article.yaml``)."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Literal, cast

from dateutil.relativedelta import relativedelta
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from articulado.config.data_files import read_toml
from articulado.config.profile import Profile
from articulado.config.sections import Section
from articulado.language.folding import without_accents, words_of
from articulado.language.languages import phrases_of_forms
from articulado.language.translation import translate
from articulado.legal.ids import is_boe_id
from articulado.legal.labels import provision_key, provision_url
from articulado.values.cases import Concern, DataType, Decision, Elapsed, Group

ITEMS = {
    "required_data": "fields",
    "decision_guide": "rules",
    "response_frames": "frames",
    "guardrails": "guards",
    "steps": "steps",
    "common_issues": "issues",
    "faqs": "faqs",
}
"""List that a chunk type must have; ``_TEXTS`` have none, and a type made up by a profile may have any."""

_TEXTS = ("eligibility", "business_rules", "fees_details", "examples")


def _check_provision(written: str) -> str:
    law, _, label = written.partition("#")
    if not is_boe_id(law) or provision_key(label) is None:
        raise PydanticCustomError(
            "provision", "{problem}", {"problem": translate("article.provision", written=written)}
        )
    return written


ProvisionLink = Annotated[str, AfterValidator(_check_provision)]


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
SnakeCase = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


def _check_pattern(written: str) -> str:
    try:
        re.compile(written, re.IGNORECASE)
    except re.error as error:
        raise PydanticCustomError(
            "pattern", "{problem}", {"problem": translate("article.pattern", written=written, why=error)}
        ) from error
    return written


def _check_value_pattern(written: str) -> str:
    """Check a pattern for values, which are searched without accents."""
    _check_pattern(without_accents(written))
    return written


Pattern = Annotated[str, StringConstraints(min_length=1), AfterValidator(_check_pattern)]
ValuePattern = Annotated[str, StringConstraints(min_length=1, max_length=80), AfterValidator(_check_value_pattern)]


def _as_bound(written: object) -> float | str:
    if isinstance(written, date):
        return written.isoformat()
    if isinstance(written, int | float) and not isinstance(written, bool) and math.isfinite(written):
        return float(written)
    if isinstance(written, str) and written.strip():
        return written.strip()
    raise PydanticCustomError("bound", translate("article.bound"))


Bound = Annotated[float | str, BeforeValidator(_as_bound)]  # A number, or a date expression (``parse_expression``)
WrittenDate = Annotated[str, BeforeValidator(lambda written: str(_as_bound(written)))]


class ArticlePart(BaseModel):
    """Base of all parts of an article: no unknown keys, no conversion of types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ComputedPart(ArticlePart):
    """A number computed from a date field (``articulado.values.cases.Computed``)."""

    since: SnakeCase
    unit: Elapsed
    until: SnakeCase | None = None

    @property
    def date_fields(self) -> frozenset[str]:
        return frozenset((self.since, *([self.until] if self.until not in (None, TODAY, YEAR_END) else ())))


class Datum(ArticlePart):
    """A datum of the case; ``aliases`` are other names that callers send (``articulado.values.cases.FieldSpec``)."""

    field: SnakeCase
    group: Group
    description: Text
    why_needed: Text
    data_type: DataType
    required: bool
    aliases: list[Text] = []
    values: dict[Text, list[Text]] | None = Field(None, min_length=1)
    min: Bound | None = None
    max: Bound | None = None
    pattern: ValuePattern | None = None
    accepts: Text | None = None
    several: bool | None = None
    names: SnakeCase | None = None
    unit: Elapsed | None = None
    computed: ComputedPart | None = None


class Condition(ArticlePart):
    """Condition of a rule on one datum, with exactly one comparison."""

    field: SnakeCase
    one_of: list[Text] | None = Field(None, min_length=1)
    below: float | None = Field(None, allow_inf_nan=False)
    above: float | None = Field(None, allow_inf_nan=False)
    before: WrittenDate | None = None
    after: WrittenDate | None = None
    elapsed: Elapsed | None = None

    @model_validator(mode="after")
    def _check_one_comparison(self) -> "Condition":
        if [self.one_of, self.below, self.above, self.before, self.after].count(None) != 4:
            raise PydanticCustomError("when", translate("article.one_comparison"))
        if self.elapsed is not None and self.below is None and self.above is None:
            raise PydanticCustomError("when", translate("article.elapsed_alone"))
        return self


class CalculationPart(ArticlePart):
    """A calculation and the sources of its inputs (``articulado.values.cases.CalculationRequest``)."""

    kind: Text
    inputs: dict[SnakeCase, SnakeCase] = Field(min_length=1)
    given: dict[SnakeCase, Text] | None = None


class Rule(ArticlePart):
    """A decision under a condition or after a calculated term, or a result to report."""

    when: Condition | None = None
    calculation: CalculationPart | None = None
    decision: Decision | None = None
    because: Text | None = None

    @model_validator(mode="after")
    def _check_parts(self) -> "Rule":
        decides = self.decision is not None
        if decides != (self.because is not None) or (self.calculation is None and (self.when is None or not decides)):
            raise PydanticCustomError("rule", translate("article.rule_parts"))
        return self


class FramePart(ArticlePart):
    """A sentence that answers are built from."""

    topic: Text
    text: Text


class GuardPart(ArticlePart):
    """A forbidden statement, and the regular expressions that find it."""

    id: Slug
    rule: Text
    violated_by: list[Pattern] = Field(min_length=1)


class WarningPart(ArticlePart):
    """A warning on the content of a chunk."""

    about: Concern
    text: Text


class IssuePart(ArticlePart):
    """A frequent problem and its solution."""

    issue: Text
    answer: Text


class FaqPart(ArticlePart):
    """A frequent question."""

    question: Text
    answer: Text


class ArticleChunk(ArticlePart):
    """A chunk with text and the items of its type; ``critical`` ones are left out of no answer."""

    type: SnakeCase
    title: str = ""
    text: str = ""
    critical: bool = False
    provisions: list[ProvisionLink] = Field(default_factory=list)
    fields: list[Datum] = Field(default_factory=list)
    rules: list[Rule] = Field(default_factory=list)
    frames: list[FramePart] = Field(default_factory=list)
    guards: list[GuardPart] = Field(default_factory=list)
    steps: list[Text] = Field(default_factory=list)
    issues: list[IssuePart] = Field(default_factory=list)
    faqs: list[FaqPart] = Field(default_factory=list)
    warnings: list[WarningPart] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_items(self) -> "ArticleChunk":
        present = [name for name in ITEMS.values() if getattr(self, name)]
        own = ITEMS.get(self.type)
        if own and own not in present:
            raise PydanticCustomError(
                "items", "{problem}", {"problem": translate("article.needs_list", type=self.type, own=own)}
            )
        stray = [name for name in present if name != own] if own or self.type in _TEXTS else []
        if stray:
            home = next(chunk_type for chunk_type, name in ITEMS.items() if name == stray[0])
            raise PydanticCustomError(
                "items", "{problem}", {"problem": translate("article.stray_list", list=stray[0], type=home)}
            )
        if not (self.text.strip() or present or self.warnings):
            raise PydanticCustomError("items", translate("article.no_text"))
        return self


class Article(ArticlePart):
    """An article; extra keys are filter fields of the profile."""

    model_config = ConfigDict(extra="allow")

    id: Slug
    title: Text
    topic: str
    updated: date
    url: str = ""
    provisions: list[ProvisionLink] = Field(default_factory=list)
    inquiries: list[Text] = Field(default_factory=list)
    chunks: list[ArticleChunk] = Field(min_length=1)

    @property
    def filters(self) -> dict[str, object]:
        return dict(self.model_extra or {})


def official_link(refs: list[str]) -> str:
    """Return the official address of the first provision, or an empty string."""
    if not refs:
        return ""
    law, _, label = refs[0].partition("#")
    return provision_url(law, label)


OUTSIDE_FILE = "outside.toml"  # File of a profile on the matters that no article handles


class OutsideMatter(Section):
    """A matter that no article handles: its name, its questions, and texts on it."""

    name: str = Field(min_length=1)
    inquiries: tuple[str, ...] = Field(min_length=1)
    texts: tuple[str, ...] = ()


class _OutsideFile(Section):
    matters: tuple[OutsideMatter, ...] = ()


def load_outside(profile: Profile) -> tuple[OutsideMatter, ...]:
    """Return the matters of a profile, if it has a file; raise ``ConfigurationError`` for a broken one."""
    file = profile.own_folder / OUTSIDE_FILE
    return read_outside(file) if file.is_file() else ()


def read_outside(file: Path) -> tuple[OutsideMatter, ...]:
    return read_toml(file, _OutsideFile).matters


TODAY = "today"
YEAR_END = "year_end"  # 31 December of this year, as the end of a computed number
Unit = Literal["days", "weeks", "months", "years"]

_EXPRESSION = re.compile(
    r"(?P<base>\d{4}-\d{2}-\d{2}|[a-z][a-z0-9_]*)"
    r"(?:\s*(?P<sign>[+-])\s*(?:(?P<count>\d{1,4})\s*(?P<unit>day|week|month)|(?P<years>\d{1,3})\s*year)s?)?"
)


@dataclass(frozen=True)
class DateExpression:
    """A day: ``base`` (``today``, ISO 8601, or a date field) plus ``count`` units."""

    base: str
    count: int = 0
    unit: Unit = "days"

    @property
    def field(self) -> str | None:
        return None if self.base == TODAY or self.base[0].isdigit() else self.base

    def resolve(self, today: date, days_of: Mapping[str, date]) -> date | None:
        """Return the day; ``None`` if its field has none, or it lies beyond the calendar."""
        try:
            if self.field:
                base = days_of.get(self.field)
            else:
                base = today if self.base == TODAY else date.fromisoformat(self.base)
            return base + relativedelta(**{self.unit: self.count}) if base else None
        except (OverflowError, ValueError):
            return None


def parse_expression(written: str) -> DateExpression:
    """Read a date expression ("today - 16 years"); raise ``ValueError`` for other texts."""
    match = _EXPRESSION.fullmatch(written.strip())
    if match is None:
        raise ValueError(f"no date expression: {written}")
    count = int(match["count"] or match["years"] or 0)
    unit = cast(Unit, f"{match['unit']}s" if match["unit"] else "years" if match["years"] else "days")
    expression = DateExpression(match["base"], -count if match["sign"] == "-" else count, unit)
    if expression.field is None and expression.resolve(date(2000, 1, 1), {}) is None:
        raise ValueError(f"beyond the calendar: {written}")
    return expression


def truth_of(value: str) -> bool | None:
    """Return the truth value that a text spells ("sí", "no", "true", …) in any language, else ``None``."""
    words = tuple(words_of(value))
    if words in phrases_of_forms("yes"):
        return True
    return False if words in phrases_of_forms("no") else None
