"""Read what ``articulado show`` is asked for: provisions of laws, or a law alone."""

import re
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from articulado.language.translation import translate
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations
from articulado.legal.dates.finder import find_date
from articulado.legal.ids import BOE_ID_TYPED, boe_id
from articulado.legal.labels import INITIALS, provision_key
from articulado.legal.laws.indexed import NO_LAWS, IndexedLaws
from articulado.legal.laws.mentions import find_law
from articulado.values.chunks import ProvisionRef
from articulado.values.errors import InvalidInput

_NO_LAW = re.compile(rf"\b(?:D\.?\s?[{INITIALS.upper()}]\.?|ART|RDLEG|RDL|RD|LO|[IVXL]+)\b")
"""What is written in capitals and is no name of a law: kinds of provisions and of norms, Roman numerals."""

_ACRONYM = re.compile(r"(?<![:\w])[A-ZÁÉÍÓÚÑ]{2,8}(?![:\w])")


class Subdivision(NamedTuple):
    """A part of a provision, as its text numbers it; either may be empty, not both."""

    apartado: str
    letter: str


@dataclass(frozen=True)
class ProvisionRequest:
    """A provision that is asked for, or subdivisions of it.

    ``law_id`` is empty where the law named is unknown, ``provision_key`` where a law alone is asked for.
    """

    law_id: str
    provision_key: str = ""
    subdivisions: tuple[Subdivision, ...] = ()


@dataclass(frozen=True)
class Reference:
    """All provisions and laws asked for, in order, and the day whose law is meant: ``None`` for today."""

    provisions: tuple[ProvisionRequest, ...]
    day: date | None


def read_reference(
    text: str,
    default_law: str,
    today: date,
    as_of: date | None = None,
    *,
    spanish_law: bool = True,
    indexed: IndexedLaws = NO_LAWS,
) -> Reference:
    """Read "art. 48.4 ET", "anexo II LISOS", "art. 1 BOE-A-2015-11430" or "ET", as a question is read.

    An article without a law is of ``default_law``; ``as_of`` goes before a date in the text. ``indexed`` are laws that
    the registry need not know. Without ``spanish_law`` a law goes by its identifier alone.

    >>> reference = read_reference("art. 48.4 ET en 2019", "BOE-A-2015-11430", date(2026, 11, 22))
    >>> reference.provisions[0].provision_key, reference.provisions[0].subdivisions
    ('art:48', (Subdivision(apartado='4', letter=''),))
    >>> reference.day
    datetime.date(2019, 12, 31)

    Raises:
        InvalidInput: neither a provision nor a law is named.
    """
    identifier = BOE_ID_TYPED.search(text)
    if not (spanish_law or identifier):
        raise InvalidInput(translate("search.not_in_index", text=text.strip()))
    day = as_of or find_date(text, today=today)
    words = BOE_ID_TYPED.sub(" ", text)
    law_by_name = find_law(words)
    law_id = boe_id(identifier[0]) if identifier else law_by_name.id if law_by_name else ""
    citations = parse_citations(words, CitationContext(day=day))
    unknown = _ACRONYM.search(_NO_LAW.sub(" ", words))
    if citations and unknown and not law_id and not any(citation.law_named for citation in citations):
        raise InvalidInput(translate("search.unknown_law", law=unknown[0]))
    subdivisions: dict[ProvisionRef, dict[Subdivision, None]] = {}
    for citation in citations:
        if citation.law_id is None and citation.law_named:
            cited_law = indexed.law_cited(words, citation.end) or ""
        else:
            cited_law = citation.law_id or law_id or default_law
        named = subdivisions.setdefault((cited_law, citation.provision_key), {})
        if citation.apartado or citation.letter:
            named[Subdivision(citation.apartado or "", citation.letter or "")] = None
    provisions = [ProvisionRequest(*provision, tuple(named)) for provision, named in subdivisions.items()]
    # In prose "anexo II" is no citation.
    if not provisions and (key := provision_key(words.strip())):
        provisions = [ProvisionRequest(law_id or default_law, key)]
    if not provisions and law_id:
        provisions = [ProvisionRequest(law_id)]
    if not provisions:
        raise InvalidInput(translate("search.not_understood", text=text.strip()))
    return Reference(tuple(provisions), day)
