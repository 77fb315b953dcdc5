"""The reforms that people name without a date, ``legal/data/reforms.toml``: read, checked, and found in a text."""

import re
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from legal.dates.forms import DateMention

_NORM = (
    r"(?:(?P<decree>(?:real\s+)?decreto[\s-]*ley|r\.?\s?d\.?[\s-]*l(?:ey)?\.?)|ley)\s+(?:n\.?[ºo]\s*)?"
    r"(?P<number>\d+/\d{4})"
)
# "antes de" and the like, with what may stand between it and the reform.
_BEFORE = (
    r"(?<!\w)(?:antes\s+del?|hasta|(?:anterior(?:es|idad)?|previ[oa]s?)\s+al?)\s+(?:(?:la|el)\s+)?"
    r"(?:entrada\s+en\s+vigor\s+del?\s+(?:la\s+|el\s+)?)?(?:(?:ultima|nueva|famosa)\s+)?"
)
# "La reforma fiscal", "la reforma de la vivienda": of another subject.
_OF_ANOTHER = re.compile(
    r"\s+(?:(?:fiscal|tributaria|concursal|constitucional|educativa|electoral|judicial|procesal|penal|sanitaria|agraria"
    r"|hipotecaria|energetica)(?!\w)|del?\s+(?!(?:ano\s+)?\d))"
)
# Of pensions there were many reforms: without subject and year it may be any.
_OF_PENSIONS = re.compile(r"\b(?:pension|jubil|viud|orfan)")
_YEAR = re.compile(r"\s+(?:del?\s+)?(?:ano\s+)?((?:19|20)\d\d)(?!\d)")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Subject(_Table):
    """What reforms are of; the header of the data file explains the fields."""

    id: str = Field(min_length=1)
    names: tuple[str, ...] = Field(min_length=1)


class Reform(_Table):
    """One norm that reformed a subject; the header of the data file explains the fields."""

    subject: str
    norm: str = Field(pattern=r"^(?:Ley|Real Decreto-ley) \d+/\d{4}, de \d")
    year: int
    in_force: date

    @property
    def number(self) -> str:
        """The official number ("32/2021")."""
        return self.norm.partition(",")[0].rpartition(" ")[2]


class Reforms(_Table):
    """The whole table."""

    subject: tuple[Subject, ...] = Field(min_length=1)
    reform: tuple[Reform, ...] = Field(min_length=1)

    def by_number(self, number: str, *, decree: bool) -> Reform | None:
        """Return the norm with this number, of the two kinds that are numbered apart: laws and decree-laws."""
        norms = (reform for reform in self.reform if reform.number == number)
        return next((reform for reform in norms if reform.norm.startswith("Real Decreto") == decree), None)

    def by_subject(self, subject: str | None, year: int | None, today: date) -> Reform | None:
        """Return the first norm of the reform of a subject in a year; without one, of the last that is law already.

        Without a subject the first of the table is meant, or whichever was reformed in that year.
        """
        enacted = sorted(
            (reform for reform in self.reform if reform.in_force <= today), key=lambda reform: reform.in_force
        )
        own = [reform for reform in enacted if reform.subject == (subject or self.subject[0].id)]
        reform_year = year or max((reform.year for reform in own), default=0)
        of_year = [reform for reform in own if reform.year == reform_year]
        if not of_year and subject is None:
            of_year = [reform for reform in enacted if reform.year == reform_year]
        return of_year[0] if of_year else None


def load_reforms(source: str | None = None) -> Reforms:
    """Read and check the table (that of the package, or the given TOML text).

    Raises:
        ValueError: it breaks its schema, or a reform is of no subject; the message says which.
    """
    if source is None:
        source = resources.files("legal.data").joinpath("reforms.toml").read_text(encoding="utf-8")
    table = Reforms.model_validate(tomllib.loads(source))
    subjects = {subject.id for subject in table.subject}
    for reform in table.reform:
        if reform.subject not in subjects:
            raise ValueError(f"reforms.toml, «{reform.norm}»: la materia «{reform.subject}» no existe. Añádala.")
    return table


@cache
def known_reforms() -> Reforms:
    """Return the table of the package."""
    return load_reforms()


@cache
def _pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    subjects = {fold(name): subject.id for subject in known_reforms().subject for name in subject.names}
    longest = "|".join(re.escape(name) for name in sorted(subjects, key=len, reverse=True))
    return re.compile(rf"{_BEFORE}(?:reforma(?!\w)(?:\s+(?P<subject>{longest})(?!\w))?|{_NORM})"), subjects


def days_before_reforms(folded: str, *, today: date) -> Iterator[DateMention]:
    """Find where a folded text speaks of the law before a reform that is known: of the day before it became law."""
    pattern, subjects = _pattern()
    table = known_reforms()
    for match in pattern.finditer(folded):
        year, end = _YEAR.match(folded, match.end()), match.end()
        if match["number"]:
            reform = table.by_number(match["number"], decree=bool(match["decree"]))
        elif not match["subject"] and (_OF_ANOTHER.match(folded, end) or (not year and _OF_PENSIONS.search(folded))):
            reform = None
        else:
            end = year.end() if year else end
            reform = table.by_subject(subjects.get(match["subject"]), int(year[1]) if year else None, today)
        if reform and reform.in_force <= today:
            yield DateMention(match.start(), end, reform.in_force - timedelta(days=1))
