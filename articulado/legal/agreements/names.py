"""Citation name of a collective agreement, and the validity agreed in its text (it may apply longer, art. 86.3 ET)."""

import re
from datetime import date, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from articulado.language.folding import fold
from articulado.language.formats import MONTHS, long_day, month_number
from articulado.language.numerals import read_number
from articulado.values.chunks import Agreement

_NAMES_ITSELF = re.compile(
    r"(?:resolucion\b.*|texto\b.*)?(?:(?:[ivxlc]+|\d{1,2})[.ºª]*o?\s+|\w+\s+)?convenio\s+colectivo\b"
)


def agreement_name(scope: Agreement, title: str) -> str:
    """Return "Convenio colectivo de hostelería (Sevilla)" from the scope, or the title of tables and prorogations."""
    of = scope["company"] or scope["sector"]
    folded = fold(title)
    name = f"Convenio colectivo de {of}" if of and _NAMES_ITSELF.match(folded) else title
    where = area(scope)
    return f"{name} ({where})" if where and fold(where) not in fold(name) else name


def area(scope: Agreement) -> str:
    return scope["province"] or scope["community"] or ("ámbito estatal" if scope["statewide"] else "")


def validity_of(scope: Agreement) -> str:
    """Return the agreed validity: whole years ("2023-2025"), else days; empty if unknown."""
    first, last = scope["first_day"], scope["last_day"]
    if first and last:
        if first.endswith("-01-01") and last.endswith("-12-31"):
            return first[:4] if first[:4] == last[:4] else f"{first[:4]}-{last[:4]}"
        return f"del {long_day(first)} al {long_day(last)}"
    if last:
        return f"hasta el {long_day(last)}"
    return f"desde el {long_day(first)}" if first else ""


def ended_note(scope: Agreement, today: date) -> str:
    """Return the note on an agreement past its validity, which may still apply (art. 86.3 ET), else an empty string."""
    last = scope["last_day"]
    if last is None or last >= today.isoformat():
        return ""
    return f"Vigencia pactada hasta el {long_day(last)}; puede seguir aplicándose."


REACH = 120  # Characters between a cue of a day and the day


class Validity(NamedTuple):
    """Agreed first and last day."""

    first: date | None = None
    last: date | None = None


_YEAR = r"(?:19|20)\d\d"
_DAY = (
    rf"(?:(?:el\s+)?(?:dia\s+)?(?:(?P<{{0}}d>\d{{{{1,2}}}}|primero|uno)(?:\.?[ºo])?\s+de\s+(?P<{{0}}m>{MONTHS})"
    rf"(?:\s+(?:del?\s+)?(?:ano\s+)?(?P<{{0}}y>{_YEAR}))?"
    rf"|(?P<{{0}}n>\d{{{{1,2}}}}[/.-]\d{{{{1,2}}}}[/.-]{_YEAR})))"
)
_END_WORD = r"\b(?:hasta|finaliza\w*|expira\w*|conclu\w+|termina\w*|vence\w*|extingu\w+)\b"
_GAP = rf"(?:(?!{_END_WORD})[^.;]){{0,{REACH}}}?"
_SPAN = re.compile(
    rf"\b(?:desde|del?|entre|a\s+partir\s+del?|vigencia:?)\s+{_DAY.format('a')}{_GAP}\b(?:hasta|al?|y(?:\s+el)?)\s+{_DAY.format('b')}"
)
_BEGINS = re.compile(
    rf"\b(?:vigencia|vigor|efectos|inicia\w*|comienz\w*|comenzar\w*|empezar\w*|desde|a\s+partir)\b{_GAP}"
    rf"(?:\b(?:desde|a\s+partir|con\s+fecha)\s+(?:del?\s+)?|\bel\s+|\bvigor\s+){_DAY.format('a')}"
)
_ENDS = re.compile(rf"{_END_WORD}{_GAP}{_DAY.format('b')}")
_YEARS = re.compile(
    rf"(?:\b(?:anos?|ejercicios?|periodo|bienio|trienio|cuatrienio|quinquenio|vigencia)\b[\s:]*(?:\w+\s+)?|\(\s*|\s[-–]\s*|,\s*|\bpara\s+|(?<![\w/-])(?={_YEAR}\s*[-–/a]\s*{_YEAR}))"
    rf"(?P<years>{_YEAR}(?:(?:\s*[-–/,]\s*|\s+(?:al?|y|e|hasta(?:\s+el)?)\s+)(?:{_YEAR}|\d\d\b))*)(?![\w/])"
)
_EACH_YEAR = re.compile(rf"{_YEAR}|\d\d\b")
_DURATION = re.compile(
    r"\b(?:duracion|vigencia|periodo|plazo|vigor)\b[^.;]{0,80}?\bde\s+(?=\w+(?:\s+\(\d+\))?\s+anos?\b)"
)
_ECONOMIC = re.compile(r"economic|retroacti|retrotra|salarial|atrasos")
_OTHER_MATTER = re.compile(r"prorrog|denunci|ultraactiv|tacita")


def read_validity(text: str) -> Validity:
    """Return the agreed days: two days, years, or a first day and a duration ("1 de abril de 2022 … dos años").

    Effects on salaries alone, prorogations and denunciation do not count.
    """
    folded = " ".join(fold(text).split())
    said = " ".join(
        sentence for sentence in re.split(r"(?<=[.;])\s+", folded) if not _ECONOMIC.search(_before_other(sentence))
    )
    agreed = _before_other(said)
    if span := _SPAN.search(agreed):
        last = _day(span, "b")
        first = _day(span, "a", last.year if last else None)
        if first and last and first <= last:
            return Validity(first, last)
    begins, ends = _BEGINS.search(agreed), _ENDS.search(agreed)
    first, last = _day(begins, "a") if begins else None, _day(ends, "b") if ends else None
    if first is None and last is None and (years := _YEARS.search(agreed)):
        return _of_years(years["years"])
    if first and last is None and (duration := _duration(agreed)):
        last = first + relativedelta(years=duration) - timedelta(days=1)
    return Validity(first, last) if first is None or last is None or first <= last else Validity()


def _before_other(sentence: str) -> str:
    return _OTHER_MATTER.split(sentence)[0]


def _day(match: re.Match[str], name: str, year: int | None = None) -> date | None:
    try:
        if numeric := match[f"{name}n"]:
            day, month, of_year = map(int, re.split(r"[/.-]", numeric))
            return date(of_year, month, day)
        written = match[f"{name}d"]
        named = match[f"{name}y"] or year
        return (
            date(int(named), month_number(match[f"{name}m"]), int(written) if written.isdigit() else 1)
            if named
            else None
        )
    except ValueError:
        return None


def _of_years(written: str) -> Validity:
    years: list[int] = []
    for year in _EACH_YEAR.findall(written):
        years.append(int(year) if len(year) == 4 else years[-1] - years[-1] % 100 + int(year))
    return Validity(date(min(years), 1, 1), date(max(years), 12, 31))


def _duration(folded: str) -> int | None:
    match = _DURATION.search(folded)
    number = read_number(folded, match.end()) if match else None
    return int(number[2]) if number else None
