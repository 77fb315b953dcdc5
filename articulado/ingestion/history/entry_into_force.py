"""Entry into force of a law, and the notes that stand at its head.

``entry_into_force`` returns a day only where the law says one for all of itself: a date, or a term from its
publication (art. 2.1 of the Civil Code leaves it to the law; art. 5 counts its terms).
"""

import re
from collections.abc import Iterable
from datetime import date

from dateutil.relativedelta import relativedelta

from articulado.ingestion.model import Provision
from articulado.language.folding import fold
from articulado.language.formats import parse_day
from articulado.language.numerals import numeral

_LAW = r"(?:ley|norma|orden|real decreto|reglamento|texto refundido|estatuto|constitucion)"
_SENTENCE = re.compile(
    rf"^(?:1\. )?(?:(?:la|el|esta|este) (?:presente )?{_LAW}[\w -]{{0,60}}|lo dispuesto en el reglamento[\w ]+"
    r"|entrada en vigor\. .{0,80}) entrara[n]? en vigor (?P<day>[^.]+)",
)
_NOT_WHOLE = re.compile(r"\b(?:excep\w+|salvo|sin perjuicio|efectos)\b|:$")
_TERM = re.compile(
    r"(?:a|pasados|transcurridos)?\s*(?:los |el |l )?(?P<number>[a-z]+ )?(?P<unit>dias?|mes(?:es)?|anos?)"
    r"(?: naturales)? (?:de|despues de|desde|contados desde|a contar desde) su (?:completa )?publicacion\b"
)
_NEXT_DAY = re.compile(r"(?:el|al|a partir del|desde el)(?: mismo)? dia siguiente (?:al )?de su publicacion\b")
_SAME_DAY = re.compile(r"(?:el )?(?:mismo )?dia de (?:su|la) publicacion\b")
_FIRST_OF_MONTH = re.compile(
    r"el (?:dia )?(?:primero|uno|1|primer dia) del (?:(?P<ordinal>[a-z]+) )?mes siguiente al de su publicacion\b"
)
_DATED = re.compile(r"el (?:dia )?(?:\d{1,2}|uno|primero) de [a-z]+ de \d{4}$")


def entry_into_force(provisions: Iterable[Provision], published: str) -> str | None:
    """Return the first day of a law (ISO 8601); ``None`` where it is not certain.

    Args:
        provisions: those of the law; only final provisions and the approving article are read.
        published: day of publication, ISO 8601.
    """
    if not published:
        return None
    days: set[date | None] = set()
    for provision in provisions:
        if provision.key.startswith(("df:", "art:")) and "en vigor" in fold(provision.text):
            days.update(_day(match, date.fromisoformat(published)) for match in _sentences(provision))
    [day] = days if len(days) == 1 else [None]
    return day.isoformat() if day else None


def _sentences(provision: Provision) -> Iterable[str]:
    for paragraph in provision.paragraphs:
        folded = " ".join(re.sub(r"[«»“”\"]", "", fold(paragraph)).split())
        if match := _SENTENCE.match(folded):
            # Exceptions stand in the sentence or in the list that it announces; earlier effects are law, too.
            yield "" if _NOT_WHOLE.search(folded) else match["day"].strip()


def _day(written: str, published: date) -> date | None:
    after: relativedelta | None = None
    if _NEXT_DAY.match(written):
        after = relativedelta(days=1)
    elif _SAME_DAY.match(written):
        after = relativedelta()
    elif match := _FIRST_OF_MONTH.match(written):
        months = numeral(match["ordinal"]) if match["ordinal"] else 1
        after = relativedelta(months=months, day=1) if months else None
    elif match := _TERM.match(written):
        number = numeral(match["number"]) if match["number"] else 1
        after = _term(number, match["unit"]) if number else None
    elif _DATED.match(written):
        return parse_day(re.sub(r"^(?:el )?(?:dia )?", "", written))
    if after is None:
        return None
    day: date = published + after
    return day


def _term(number: int, unit: str) -> relativedelta:
    if unit.startswith("dia"):
        return relativedelta(days=number)
    return relativedelta(months=number) if unit.startswith("mes") else relativedelta(years=number)


_RENAMED = re.compile(r"\breferencias? (?:.{0,60}?\b)?a (?:(?:los?|las?) )?(?P<body>[a-z]+)")
_SPEAKS_OF_COURT = re.compile(
    r"\b(?:juzgado|juez|jueces|demanda|organo (?:jurisdiccional|judicial)|jurisdiccion social|secretari[oa] judicial)"
)
_COURTS = frozenset(("juzgado", "tribunal"))


_ENUMERATION = re.compile(r"(?<=\ba los |\ba las )(\w+) [^;:.]*,[^;:.]*,[^;:.]*?(?= se entender| deber)")


def abridged(note: str) -> str:
    """Return a note without the members of a long enumeration of bodies and without its further sentences.

    >>> abridged("Las referencias a los Juzgados de Menores, de lo Penal, de lo Social se entenderán a otros; y más.")
    'Las referencias a los Juzgados […] se entenderán a otros.'
    """
    short = _ENUMERATION.sub(r"\1 […]", note)
    return note if short == note else f"{short.partition(';')[0].rstrip('.')}."


def bears_on(note: str, text: str) -> bool:
    """Tell whether a note at the head of a law bears on a text of it.

    A note on references to a body bears on texts that name the body; one on courts also on those that speak of a
    claim before them. A note of any other kind bears on no text in particular.
    """
    if (renamed := _RENAMED.search(fold(note))) is None:
        return False
    body = re.sub(r"(?<=[^aeiou])es$|s$", "", renamed["body"])
    folded = fold(text)
    if body in _COURTS and _SPEAKS_OF_COURT.search(folded):
        return True
    return re.search(rf"\b{body}", folded) is not None
