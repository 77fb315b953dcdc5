"""What laws and provisions are called on screen: by law, label and title, and nothing twice."""

import re

from articulado.language.folding import fold
from articulado.legal.labels import PART_HEADINGS

_MARKS = " .,:;–—-"
_BEFORE_SENTENCE = re.compile(r"(?<=[.;:]) +(?=[A-ZÁÉÍÓÚÑ¿«])")
_LEFT_OUT = "[…]"


def titled(provision: str, title: str) -> str:
    """Return the label of a provision with its title, which may begin with the label, or be it.

    >>> titled("Artículo 38", "Vacaciones anuales"), titled("Artículo 38", "Artículo 38. Vacaciones anuales")
    ('Artículo 38. Vacaciones anuales', 'Artículo 38. Vacaciones anuales')
    >>> titled("Ejemplo", "Ejemplo"), titled("Artículo 3", "Artículo 38"), titled("Pasos", "Pasos previos")
    ('Ejemplo', 'Artículo 3. Artículo 38', 'Pasos. Pasos previos')
    """
    rest = title.strip()
    while rest and _begins(rest, provision):
        rest = rest[len(provision) :].lstrip(_MARKS)
    if not rest or fold(provision).endswith(fold(rest)):
        return provision or rest
    return f"{provision}. {rest}" if provision else rest


def named(law: str, provision: str, title: str = "") -> str:
    """Return a law with one of its provisions; what is named after its law goes by its own name.

    >>> named("Estatuto de los Trabajadores", "Artículo 38", "Vacaciones anuales")
    'Estatuto de los Trabajadores, Artículo 38. Vacaciones anuales'
    >>> named("Convenio del metal", "Convenio del metal")
    'Convenio del metal'
    """
    of_law = titled(provision, title)
    if _begins(of_law, law):
        return of_law
    return ", ".join(filter(None, (law, of_law)))


def placed(breadcrumb: str, key: str, *names: str) -> str:
    """Return where in its law a provision stands, without what its label and the ``names`` above it have said.

    >>> placed("TÍTULO I. De la jornada > Disposiciones adicionales", "da:3", "Ley 1/2020")
    'TÍTULO I. De la jornada'
    """
    said = {fold(name) for name in (*names, PART_HEADINGS.get(key.partition(":")[0], ""))}
    return " > ".join(place for place in breadcrumb.split(" > ") if fold(place) not in said)


def unsaid(summary: str, answer: str) -> str:
    """Return the sentences of a summary that do not stand in an answer; "[…]" stands for those that do.

    >>> unsaid("Son 30 días. Se pactan.", "Son 30 días. [C1]"), unsaid("Son 30 días.", "Son 30 días. [C1]")
    ('[…] Se pactan.', '')
    """
    said = " ".join(answer.split())
    kept: list[str] = []
    for sentence in _BEFORE_SENTENCE.split(" ".join(summary.split())):
        if sentence not in said:
            kept.append(sentence)
        elif kept[-1:] != [_LEFT_OUT]:
            kept.append(_LEFT_OUT)
    return "" if kept == [_LEFT_OUT] else " ".join(kept)


def _begins(text: str, name: str) -> bool:
    """Tell whether a text is a name, or begins with one that a mark ends: "Pasos previos" does not with "Pasos"."""
    rest = text[len(name) :].strip()
    return bool(name) and fold(text).startswith(fold(name)) and (not rest or rest[0] in _MARKS)
