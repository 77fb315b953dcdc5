"""Find the title that is printed at the head of a document, and tell a title that a program has made up."""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

from articulado.ingestion.files.header import DocumentType, Header
from articulado.ingestion.files.running_text import RunningText
from articulado.ingestion.structure import division, opening
from articulado.language.folding import fold, without_accents

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


KINDS: dict[DocumentType, str] = {
    "ruling": "sentencia",
    "criterion": "criterio",
    "document": "documento",
    "law": "documento",
    "agreement": "convenio",
}
COLLECTIONS: dict[DocumentType, str] = {
    "ruling": "sentencias",
    "criterion": "criterios_inss",
    "document": "documentos",
    "law": "documentos",
    "agreement": "documentos",
}
_NORMS = (
    ("ley_organica", "ley organica"),
    ("ley", "ley "),
    ("real_decreto_legislativo", "real decreto legislativo"),
    ("real_decreto_ley", "real decreto-ley"),
    ("real_decreto", "real decreto"),
    ("orden", "orden "),
    ("resolucion", "resolucion "),
    ("instruccion", "instruccion "),
    ("circular", "circular "),
)


def id_of(header: Header, text: RunningText, path: Path) -> str:
    """Return the ECLI, else the header's own id, else a slug of kind, number and date, else of the file's name.

    To the name of the file a digest of the text is added: a file that moves keeps its id, and two that are called the
    same in different folders have their own.
    """
    if official := header.ecli or header.id:
        return official
    if header.number:
        day = header.day.isoformat() if header.day else ""
        return slug(" ".join((KINDS[header.document_type], header.number, day)))
    return f"{slug(path.stem)}-{_digest(text.text)}"


def slug(name: str) -> str:
    """Return a name in small ASCII letters, digits and hyphens, the same for composed and decomposed accents.

    Where that loses letters (of another alphabet), a digest of the name keeps it apart from others.

    >>> slug("Convenio Oficinas y Despachos (Málaga) 2024")
    'convenio-oficinas-y-despachos-malaga-2024'
    """
    name = unicodedata.normalize("NFC", name)
    plain = without_accents(unicodedata.normalize("NFKC", name.lower()))
    ascii_only = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
    if ascii_only and all(letter.isascii() for letter in plain if letter.isalpha()):
        return ascii_only
    return f"{ascii_only}-{_digest(name)}".lstrip("-")


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=4).hexdigest()


def title_of(header: Header, text: RunningText, path: Path, own: str = "") -> str:
    """Return the header's title, else the one that is printed, else the file's ``own``, its first line, or its name."""
    paragraphs = [paragraph for _, paragraph in text.paragraphs()]
    title = header.title or printed_title(paragraphs) or ("" if is_made_up(own) else own) or first_line(paragraphs)
    return title or " ".join(re.split(r"[\s_-]+", unicodedata.normalize("NFC", path.stem))).strip()


def norm_of(header: Header, title: str) -> str:
    """Return the kind of norm of a structured text: the header's, else what its title says, else "documento"."""
    folded = fold(title)
    if "convenio colectivo" in folded or header.document_type == "agreement":
        return header.kind or "convenio"
    return header.kind or next((kind for kind, name in _NORMS if folded.startswith(name)), "documento")
