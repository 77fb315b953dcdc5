"""What a collective agreement is called in citations, and how the days are written for which it was agreed."""

import re
from datetime import date

from articulado.language.folding import fold
from articulado.language.formats import long_day
from articulado.values.chunks import Agreement

_NAMES_ITSELF = re.compile(
    r"(?:resolucion\b.*|texto\b.*)?(?:(?:[ivxlc]+|\d{1,2})[.ºª]*o?\s+|\w+\s+)?convenio\s+colectivo\b"
)


def agreement_name(scope: Agreement, title: str) -> str:
    """Return the name of an agreement: what it is of and where, or its title as far as its scope says neither.

    Tables, prorogations and the like of an agreement keep their title.

    >>> from legal.agreements.scope import read_title
    >>> title = "Convenio colectivo del sector de la hostelería de la provincia de Sevilla para los años 2023-2025"
    >>> agreement_name(read_title(title), title)
    'Convenio colectivo de hostelería (Sevilla)'
    """
    of = scope["company"] or scope["sector"]
    folded = fold(title)
    name = f"Convenio colectivo de {of}" if of and _NAMES_ITSELF.match(folded) else title
    where = area(scope)
    return f"{name} ({where})" if where and fold(where) not in fold(name) else name


def area(scope: Agreement) -> str:
    """Return where an agreement is of: its province or community, or that it is of the whole state; else ""."""
    return scope["province"] or scope["community"] or ("ámbito estatal" if scope["statewide"] else "")


def validity_of(scope: Agreement) -> str:
    """Return the validity that was agreed: years where it is of whole ones, else days; empty where it is not known.

    >>> from legal.agreements.scope import no_scope
    >>> validity_of({**no_scope(), "first_day": "2023-01-01", "last_day": "2025-12-31"})
    '2023-2025'
    """
    first, last = scope["first_day"], scope["last_day"]
    if first and last:
        if first.endswith("-01-01") and last.endswith("-12-31"):
            return first[:4] if first[:4] == last[:4] else f"{first[:4]}-{last[:4]}"
        return f"del {long_day(first)} al {long_day(last)}"
    if last:
        return f"hasta el {long_day(last)}"
    return f"desde el {long_day(first)}" if first else ""


def ended_note(scope: Agreement, today: date) -> str:
    """Return the note on an agreement whose agreed validity is over: it may go on applying (art. 86.3 ET); else ""."""
    last = scope["last_day"]
    if last is None or last >= today.isoformat():
        return ""
    return f"Vigencia pactada hasta el {long_day(last)}; puede seguir aplicándose."
