"""Dates, figures, spreadsheet values, and marks of gaps: phrases in brackets in place of content that was not read."""

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Literal

from articulado.language.folding import without_accents
from articulado.language.translation import current_language, translate

_MONTHS = (
    ("enero", "january", "ene", "jan"),
    ("febrero", "february", "feb"),
    ("marzo", "march", "mar"),
    ("abril", "april", "abr", "apr"),
    ("mayo", "may"),
    ("junio", "june", "jun"),
    ("julio", "july", "jul"),
    ("agosto", "august", "ago", "aug"),
    ("septiembre", "september", "setiembre", "sep", "sept"),
    ("octubre", "october", "oct"),
    ("noviembre", "november", "nov"),
    ("diciembre", "december", "dic", "dec"),
)
_NUMBER_OF = {name: number for number, names in enumerate(_MONTHS, start=1) for name in names}

MONTHS = "|".join((*(names[0] for names in _MONTHS), "setiembre"))

_NUMERIC = re.compile(r"(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4})")
_DAY_FIRST = re.compile(
    r"(?:el )?(?P<day>\d{1,2})(?:st|nd|rd|th|º)?[ -]+(?:de )?(?P<month>[a-z]+)\.?[ -]+(?:de |del )?(?P<year>\d{4})"
)
_MONTH_FIRST = re.compile(r"(?P<month>[a-z]+)\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>\d{4})")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[t ].*)?")


def month_name(number: int, code: str = "es") -> str:
    spanish, english = _MONTHS[number - 1][:2]
    return spanish if code == "es" else english.capitalize()


def month_number(name: str) -> int:
    """Return the number of a month by its lower-case name, whole or cut, or 0."""
    return _NUMBER_OF.get(name, 0)


def parse_day(written: str) -> date | None:
    """Read one day in ISO 8601, as numbers with a year of four digits, or with the month's name; else ``None``.

    Of two numbers that may both be a month, the first is the day.

    >>> parse_day("3 de mayo de 2026") == parse_day("May 3rd, 2026") == parse_day("03/05/2026") == date(2026, 5, 3)
    True
    """
    text = " ".join(without_accents(written).casefold().split())
    if match := _ISO.fullmatch(text):
        year, month, day = map(int, match.groups())
    elif match := _NUMERIC.fullmatch(text):
        day, month, year = int(match["first"]), int(match["second"]), int(match["year"])
        if month > 12:
            day, month = month, day
    elif match := _DAY_FIRST.fullmatch(text) or _MONTH_FIRST.fullmatch(text):
        year, month, day = int(match["year"]), month_number(match["month"]), int(match["day"])
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


NONE = "–"

SPANISH_MARKS = str.maketrans(",.", ".,")


def figure(value: float, decimals: int = 0) -> str:
    """Return a number with Spanish marks.

    >>> figure(25012), figure(14.2, 1)
    ('25.012', '14,2')
    """
    return f"{value:,.{decimals}f}".translate(SPANISH_MARKS)


def written(value: float, decimals: int = 0, language: str | None = None) -> str:
    """Return a number in the notation of a language (ISO 639-1), by default the current one."""
    return figure(value, decimals) if (language or current_language()) == "es" else f"{value:,.{decimals}f}"


def format_share(count: int, total: int) -> str:
    """Return "12/15 (80 %)", or a dash without a total."""
    return f"{count}/{total} ({figure(100 * count / total)} %)" if total else NONE


def long_day(day: str, language: str = "es") -> str:
    """Return a day (ISO 8601) in words: "7 de diciembre de 2018", "December 7, 2018"."""
    parsed = date.fromisoformat(day)
    month = month_name(parsed.month, language)
    return f"{parsed.day} de {month} de {parsed.year}" if language == "es" else f"{month} {parsed.day}, {parsed.year}"


def exact(number: Decimal, language: str = "es") -> str:
    """Return a number with all its decimals, in the notation of a language."""
    text = f"{number:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return plain.translate(SPANISH_MARKS) if language == "es" else plain


# Values of spreadsheet cells

_GENERAL = ("", "general", "estándar", "standard", "@")
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]'
    r"|(?P<number>[#0?][#0?.,]*)|(?P<power>E[+-])|(?P<other>.)",
    re.DOTALL,
)
_SPOKEN = re.compile(r'"[^"]*"|\\.|\[\$[^\]]*\]')
_MOST_DIGITS = 11  # Digits of a number in a cell without a format


def shown_value(value: object, form: str) -> str:
    """Return a value as its cell shows it (ECMA-376, part 1, section 18.8.31).

    >>> shown_value(0.035, "0.0%"), shown_value(True, "General"), shown_value(320, '0" días"'), shown_value(7, ";;;")
    ('3,5 %', 'sí', '320 días', '')
    """
    if isinstance(value, bool):
        return translate("file.yes" if value else "file.no")
    if isinstance(value, (int, float)):
        return written_number(value, form)
    if isinstance(value, datetime | date | time | timedelta):
        return _written_moment(value, _SPOKEN.sub("", form).lower())
    text = str(value)
    sections = _sections(form)
    of_text = sections[3] if len(sections) > 3 else sections[-1] if "@" in form else "@"
    if of_text == "@":
        return text
    return "".join(text if each == "@" else each for each in map(_literal, _TOKEN.finditer(of_text))).strip()


def _sections(form: str) -> list[str]:
    """Return the sections of a format: positive numbers, negative numbers, zero, text."""
    return re.findall(r'(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\\[])+|(?<=;)(?=;|$)|^(?=;)', form) or [""]


def _literal(match: re.Match[str], default: str = "") -> str:
    groups = ("quoted", "escaped", "currency", "other")
    return next((match[name] for name in groups if match[name] is not None), default)


def _written_moment(value: datetime | date | time | timedelta, form: str) -> str:
    """Return a day, a time of day ("8:30 h") or a duration, in the detail of the format."""
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return _clock(minutes // 60, minutes % 60, seconds)
    clock = _clock(value.hour, value.minute, value.second) if isinstance(value, datetime | time) else ""
    if isinstance(value, time):
        return clock
    has_time = clock and ("h" in form or (not form and value != datetime(value.year, value.month, value.day)))
    if has_time and not re.search(r"[dy]", form):
        return clock
    if re.search("m{3}", form):
        day = long_day(value.strftime("%Y-%m-%d"))
        if "d" not in form:
            day = f"{month_name(value.month)} de {value.year}" if "y" in form else month_name(value.month)
        elif "y" not in form:
            day = day.rpartition(" de ")[0]
    else:
        parts = [part for part, mark in (("%d", "d"), ("%m", "m"), ("%Y", "y")) if mark in form] or ["%d", "%m", "%Y"]
        day = value.strftime("/".join(parts))
    return f"{day} {clock}" if has_time else day


def _clock(hours: int, minutes: int, seconds: int) -> str:
    return f"{hours}:{minutes:02}:{seconds:02} h" if seconds else f"{hours}:{minutes:02} h"


def written_number(value: float, form: str = "") -> str:
    """Return a number in its cell format with Spanish marks: "1.450,20 €"."""
    sections = _sections(form)
    section = sections[0]
    if value < 0 and len(sections) > 1:
        section, value = sections[1], -value
    elif value == 0 and len(sections) > 2:
        section = sections[2]
    tokens = list(_TOKEN.finditer(section))
    code = next((match["number"] for match in tokens if match["number"]), "")
    is_general = form.strip().lower() in _GENERAL or section.strip().lower() in _GENERAL[1:]
    if is_general or any(match["power"] for match in tokens) or "?/" in section:
        return _spanish(f"{value:.{_MOST_DIGITS}g}") if abs(value) < 10**_MOST_DIGITS else _spanish(f"{value:.0f}")
    percent = any(match["other"] == "%" for match in tokens)
    text, is_written = "", False
    for match in tokens:
        if match["number"]:
            text += "" if is_written else _digits(value * 100 if percent else value, code)
            is_written = True
        else:
            text += _literal(match, " ")
    return re.sub(r"(?<=[\d-])\s*(?=[%€])", " ", re.sub(r"^- (?=\d)", "-", " ".join(text.split())))


def _digits(value: float, code: str) -> str:
    whole, _, fraction = code.partition(".")
    unscaled = code.rstrip(",")
    value /= 1000 ** (len(code) - len(unscaled))
    max_decimals, min_decimals = len(fraction.rstrip(",")), fraction.count("0")
    grouped = "," in whole.rstrip(",")
    integer, _, decimals = f"{abs(value):{',' if grouped else ''}.{max_decimals}f}".partition(".")
    decimals = decimals[:min_decimals] + decimals[min_decimals:].rstrip("0")
    integer = integer.rjust(whole.count("0"), "0") if "0" in whole or integer != "0" else ""
    sign = "-" if value < 0 and (integer.strip("0,") or decimals.strip("0")) else ""
    return f"{sign}{integer.replace(',', '.')}{',' if decimals else ''}{decimals}"


def _spanish(number: str) -> str:
    return number.replace(".", ",")


GapKind = Literal["formula", "table", "cell", "page", "image", "recognised"]

_GAP_MARKS: dict[GapKind, str] = {
    "formula": "fórmula que no se ha podido leer",
    "table": "tabla que no se ha podido leer",
    "cell": "celda sin valor calculado",
    "page": "página que es una imagen sin texto",
    "image": "imagen con texto que no se ha podido leer",
    "recognised": "texto reconocido de una imagen: compruébese",
}

_MARK = re.compile(r"\[(?:" + "|".join(map(re.escape, _GAP_MARKS.values())) + r")(?:: [^\]\n]{1,80})?\]")


def gap_mark(kind: GapKind, detail: str = "") -> str:
    """Return a mark such as "[fórmula que no se ha podido leer: página 3]"; ``detail`` keeps 80 characters."""
    place = re.sub(r"[\[\]\s]+", " ", detail).strip()[:80]
    return f"[{_GAP_MARKS[kind]}: {place}]" if place else f"[{_GAP_MARKS[kind]}]"


def gaps_in(text: str) -> list[str]:
    """Return the marks (``gap_mark``) of unread places in a text, without those of text read by OCR."""
    return [mark for mark in marks_in(text) if not is_recognised(mark)]


def marks_in(text: str) -> list[str]:
    return _MARK.findall(text)


def is_recognised(mark: str) -> bool:
    """Tell if a mark (``gap_mark``) stands for text read by OCR."""
    return mark.startswith(f"[{_GAP_MARKS['recognised']}")
