"""Notes at the head of a law on how all of it is to be read, and the provisions that they bear on.

Such a note says that references to one body mean another ("las referencias a los Juzgados … se entenderán
referidas a las Secciones …").
"""

import re

from articulado.language.folding import fold

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
