"""Find the title that is printed at the head of a document, and tell a title that a program has made up."""

import re
from collections.abc import Sequence

from articulado.language.folding import fold
from ingestion.structure.headings import division, opening

LONGEST_TITLE = 150
"""Characters of a first paragraph that is taken for the title whatever it says."""

LONGEST_WHOLE = 600
"""Characters of a title that says what kind of text it is, all of its lines together."""

_LINES = 12
"""Paragraphs at the head of a document among which its title is looked for."""

_KIND = re.compile(
    r"(?:texto (?:articulado|refundido) del? |[ivx]+ |(?:primer|segundo|tercer|cuarto|quinto) )?"
    r"(?:convenio|acuerdo|pacto|laudo|ley|real decreto|decreto|orden|resolucion|instruccion|circular|reglamento"
    r"|estatutos?|sentencia|auto|criterio|tablas? salarial(?:es)?|revision salarial)\b(?! (?:adopta|alcanza|establece))"
)
"""How a title begins, without accents in small letters."""

_MASTHEAD = re.compile(
    "|".join(
        (
            r"b\.? ?o\.? ?[a-z]{0,6}\.?\b|(?:boletin|diario) oficial|gaceta",
            r"n(?:um|umero)?\b\.?\s?[ºo°]?\s?\d|pag(?:ina)?\b\.?\s?\d|c\.? ?v\.? ?e\b|deposito legal|d\. ?l\.|issn",
            r"(?:lunes|martes|miercoles|jueves|viernes|sabado|domingo)\b",
            r"\d{1,2} de [a-z]+ de \d{4}|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|https?:|www\.",
            r"administracion\b|(?:otras )?disposiciones(?: generales)?\b|[ivx]+\. |seccion\b|comunidad autonoma\b",
            r"(?:consejeria|(?:sub)?delegacion|(?:sub)?direccion|departamento|ministerio|servicio provincial)\b",
        )
    )
)
"""How lines begin that a gazette prints above a title."""

_GOES_ON = re.compile(r"[a-zñáéíóú(]|\d{4}(?:\s?[-–/ay]\s?\d{4})?\.?$|(?:Para|Año|Años)\b")
_ENDED = re.compile(r"[.:;]$")
_LEFT_OPEN = re.compile(r"\b(?:del?|la|el|los|las|y|e|en|para|por|sector|empresa|provincia)$")
"""Last words after which a title goes on, without accents in small letters."""
_ABBREVIATED = re.compile(r"\.\s?\w\.$")
_MADE_UP = re.compile(
    r"microsoft word|documento?\s*\d*$|untitled|sin titulo|.*\.(?:docx?|odt|pdf|rtf|indd|qxd|xlsx?|txt)$"
    r"|(?:scan|img|escaneo|presentacion|plantilla|normal|pdf)\b|[\W\d_]*$|\S{1,4}$"
)


def printed_title(paragraphs: Sequence[str]) -> str:
    """Return the title at the head of a document, its lines as one; empty where no paragraph begins as titles do.

    What a gazette prints above it (its name, the day, the number) is no title.

    >>> printed_title(["BOLETÍN OFICIAL", "3 de abril de 2023", "CONVENIO COLECTIVO", "DEL METAL", "Artículo 1. Uno."])
    'CONVENIO COLECTIVO DEL METAL'
    """
    front = paragraphs[:_LINES]
    for index, paragraph in enumerate(front):
        if _opens(paragraph) and not _MASTHEAD.match(fold(paragraph)):
            return ""
        if _KIND.match(fold(paragraph)) and len(paragraph) <= LONGEST_WHOLE:
            title = paragraph
            for following in front[index + 1 :]:
                if _opens(following) or not _continues(title, following) or len(title) > LONGEST_WHOLE:
                    break
                title = f"{title} {following}"
            return _without_stop(title)
    return ""


def first_line(paragraphs: Sequence[str]) -> str:
    """Return the first paragraph that is no masthead if it is short and one line, else an empty text."""
    first = next((paragraph for paragraph in paragraphs[:_LINES] if not _MASTHEAD.match(fold(paragraph))), "")
    return _without_stop(first) if len(first) <= LONGEST_TITLE and "\n" not in first else ""


def is_made_up(title: str) -> bool:
    """Tell whether a title in the properties of a file is what a program writes by itself.

    >>> [is_made_up(title) for title in ("Microsoft Word - Documento1", "convenio_v3.docx", "Convenio del metal")]
    [True, True, False]
    """
    return _MADE_UP.match(fold(title.strip())) is not None


def _without_stop(title: str) -> str:
    """Return a title without the stop at its end; that of "S.L." is of the name.

    >>> [_without_stop(title) for title in ("Convenio del metal.", "Convenio de Nortia, S.L.")]
    ['Convenio del metal', 'Convenio de Nortia, S.L.']
    """
    return title if _ABBREVIATED.search(title) else title.removesuffix(".")


def _opens(paragraph: str) -> bool:
    return opening(paragraph) is not None or division(paragraph) is not None


def _continues(title: str, following: str) -> bool:
    """Tell whether a paragraph is the next line of a title: in capitals as that, or going on with its sentence.

    What ends in "del sector" or the like goes on, whatever follows.
    """
    if "\n" in following or _ENDED.search(title) or len(following) > LONGEST_TITLE:
        return False
    in_capitals = title.isupper() and following.upper() == following
    return in_capitals or _LEFT_OPEN.search(fold(title)) is not None or _GOES_ON.match(following) is not None
