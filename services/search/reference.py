"""Reading what ``articulado show`` is asked for: provisions of laws, or a law alone."""

import re
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from legal.ids import BOE_ID_TYPED, boe_id
from legal.labels import INITIALS
from state.errors import InvalidInput

_KNOWN = re.compile(rf"\b(?:D\.?\s?[{INITIALS.upper()}]\.?|ART|RDLEG|RDL|RD|LO|[IVXL]+)\b")
"""What is written in capitals and is no name of a law: kinds of provisions and of norms, Roman numerals."""

_ACRONYM = re.compile(r"(?<![:\w])[A-ZÁÉÍÓÚÑ]{2,8}(?![:\w])")


class Place(NamedTuple):
    """A place in a provision, as its text numbers it; either may be empty, not both."""

    apartado: str
    letter: str


@dataclass(frozen=True)
class Asked:
    """A provision that is asked for, or places in it.

    ``law_id`` is empty where the law named is unknown, ``key`` where a law alone is asked for.
    """

    law_id: str
    key: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Reference:
    """Everything asked for, in order, and the day whose law is meant: ``None`` for today."""

    asked: tuple[Asked, ...]
    day: date | None


def read_reference(
    text: str, default_law: str, today: date, as_of: date | None = None, *, spanish_law: bool = True
) -> Reference:
    """Read "art. 48.4 ET", "anexo II LISOS", "art. 1 BOE-A-2015-11430" or "ET", as a question is read.

    An article without a law is of ``default_law``; ``as_of`` goes before a date in the text. Without ``spanish_law`` a
    law goes by its identifier alone.

    Raises:
        InvalidInput: neither a provision nor a law is named.
    """
    from legal.citations.owners import CitationContext
    from legal.citations.parser import parse_citations
    from legal.dates.finder import find_date
    from legal.labels import provision_key
    from legal.laws.mentions import find_law

    day = as_of or find_date(text, today=today)
    identifier = BOE_ID_TYPED.search(text)
    if not (spanish_law or identifier):
        raise InvalidInput(
            f"«{text.strip()}» no está en el índice. Nombre un documento por su identificador, su título o su fichero. "
            "Si es un artículo nuevo del perfil, renueve antes el índice: articulado ingest."
        )
    words = BOE_ID_TYPED.sub(" ", text)
    by_name = find_law(words)
    law = boe_id(identifier[0]) if identifier else by_name.id if by_name else ""
    places: dict[tuple[str, str], dict[Place, None]] = {}
    cited = parse_citations(words, CitationContext(day=day))
    unknown = _ACRONYM.search(_KNOWN.sub(" ", words))
    if cited and unknown and not law and not any(one.law_named for one in cited):
        raise InvalidInput(
            f"No se conoce la norma «{unknown[0]}». Escriba su nombre, su número (Ley 20/2007) o su identificador del "
            "BOE."
        )
    for one in cited:
        of = places.setdefault((one.law_id or ("" if one.law_named else law or default_law), one.provision_key), {})
        if one.apartado or one.letter:
            of[Place(one.apartado or "", one.letter or "")] = None
    asked = [Asked(law_id, key, tuple(named)) for (law_id, key), named in places.items()]
    # In prose "anexo II" is no citation.
    if not asked and (key := provision_key(words)):
        asked = [Asked(law or default_law, key)]
    if not asked and law:
        asked = [Asked(law)]
    if not asked:
        raise InvalidInput(
            f"No se entiende «{text.strip()}». Nombre un precepto y su norma, por ejemplo: articulado show "
            '"art. 48.4 ET", o una norma: articulado show ET.'
        )
    return Reference(tuple(asked), day)
