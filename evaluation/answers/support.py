"""Detection of provisions and figures in an answer that no fragment supports, by words, not by meaning."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from articulado.answering.passages import LEFT_OUT
from articulado.language.folding import fold
from articulado.language.numerals import read_number
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import Citation, parse_citations
from articulado.legal.labels import provision_name
from articulado.legal.laws.registry import known_laws
from articulado.values.chunks import Chunk

UNITS = {
    "%": r"%|por\s+cien(?:to)?\b|por\s+100\b",
    "euro": r"€|euros?\b|eur\b",
    "mensualidad": r"mensualidad(?:es)?\b",
    "paga": r"pagas?\b",
    "jornada": r"jornadas?\b",
    "día": r"dias?\b",
    "semana": r"semanas?\b",
    "mes": r"mes(?:es)?\b",
    "trimestre": r"trimestres?\b",
    "año": r"anos?\b",
    "hora": r"horas?\b",
    "minuto": r"minutos?\b",
    "persona": r"(?:persona|empleado|empleada|trabajador|trabajadora|asalariado)(?:e?s)?\b",
}

_UNIT = re.compile("|".join(f"(?P<u{index}>{pattern})" for index, pattern in enumerate(UNITS.values())))
_NAMES = tuple(UNITS)
_BETWEEN = re.compile(
    r"\s*(?:(?:o\s+mas|o\s+menos|como\s+(?:maximo|minimo)|primer[oa]s|ultim[oa]s|siguientes|anteriores)\s+){0,2}"
)
"""Words allowed between a number and its unit: "50 o más trabajadores", "tres primeros meses"."""

_JOINED = re.compile(r"\s*(?:-|\b(?:y|e|o|u|a|al|hasta|ni)\b)\s*(?:(?:de|los|las|l[ao]s)\s+)?")
"""Words between numbers that share the unit of the last one: "entre 15 y 30 días"."""

_REFERENCE = re.compile(r"\b(?:art(?:iculo)?s?\.?|apartados?|letras?|numeros?|ley|decreto|disposicion \w+)\s*$")
_ARTICLE = re.compile(r"un[oa]?\s")

_ROW = "|"


@dataclass(frozen=True)
class Figure:
    """A number and its unit, as written, with the offset of the number in the text."""

    value: Decimal
    unit: str
    written: str
    start: int

    @property
    def key(self) -> tuple[Decimal, str]:
        return self.value, self.unit


def figures_in(text: str) -> list[Figure]:
    """Return the figures of a text in order; numbers joined to one with a unit share it ("15 a 30 días")."""
    return list(_figures_in(text, fold(text)))


def table_numbers(text: str) -> set[Decimal]:
    rows = [fold(line) for line in text.splitlines() if _ROW in line]
    return {value for row in rows for _, _, value in _numbers(row)}


def _figures_in(text: str, folded: str) -> Iterator[Figure]:
    joined: list[tuple[int, int, Decimal]] = []
    position = 0
    while read := read_number(folded, position):
        start, position, value = read
        if joined and not _JOINED.fullmatch(folded, joined[-1][1], start):
            joined = []
        between = _BETWEEN.match(folded, position)
        unit = _UNIT.match(folded, between.end() if between else position)
        if unit is None:
            joined.append(read)
            continue
        # From the end of the unit: "4 por ciento" has no hundred.
        position, name = unit.end(), _NAMES[int(str(unit.lastgroup)[1:])]
        counts = name != "persona" or not _ARTICLE.match(folded, start)
        for begins, ends, number in joined if counts else []:
            if not _REFERENCE.search(folded, 0, begins):
                yield Figure(number, name, text[begins:ends], begins)
        if counts:
            yield Figure(value, name, text[start : unit.end()], start)
        joined = []


def _numbers(folded: str) -> Iterator[tuple[int, int, Decimal]]:
    position = 0
    while read := read_number(folded, position):
        yield read
        position = read[1]


CitedProvision = tuple[str | None, str]  # law id (``None`` if not in the registry) and provision key

_QUOTED = re.compile(r"«([^«»]*)»")
_QUOTES = str.maketrans("«»“”„", '"""""')


@dataclass(frozen=True)
class Unsupported:
    """Unsupported provisions and figures of an answer, each once, as written."""

    provisions: tuple[str, ...]
    figures: tuple[str, ...]


def unsupported(answer: str, question: str, context: Sequence[Chunk], cited: Sequence[Chunk]) -> Unsupported:
    """Return the unsupported provisions and figures of an answer.

    A provision is supported if a fragment of ``context``, the question or a verbatim quotation has or names it; a
    figure if a ``cited`` fragment or the question has it, in digits or words, with the same unit or in a table.
    """
    return Unsupported(
        provisions=tuple(dict.fromkeys(_provisions(_without_quotations(answer, context), question, context))),
        figures=tuple(dict.fromkeys(_figures(answer, question, cited))),
    )


def _provisions(answer: str, question: str, context: Sequence[Chunk]) -> Iterator[str]:
    supported = {ref for chunk in context for ref in _named_in(chunk)}
    supported |= {ref for citation in parse_citations(question) for ref in _refs(citation)}
    numbers = {key for _, key in supported}
    # By paragraphs: "dicha ley" is one that the same paragraph names.
    for paragraph in answer.splitlines():
        # In "según el ET, 24 mensualidades" there is no article 24.
        amounts = {figure.start for figure in figures_in(paragraph)}
        for citation in parse_citations(paragraph):
            ref = (citation.law_id, citation.provision_key)
            is_supported = ref in supported if citation.law_named else citation.provision_key in numbers
            if not is_supported and citation.start not in amounts:
                yield _label(citation)


def _figures(answer: str, question: str, cited: Sequence[Chunk]) -> Iterator[str]:
    texts = [question, *map(_text, cited)]
    supported = {figure.key for text in texts for figure in figures_in(text)}
    in_tables = {number for text in texts for number in table_numbers(text)}
    for figure in figures_in(answer):
        if figure.key not in supported and figure.value not in in_tables:
            yield figure.written


def _named_in(chunk: Chunk) -> Iterator[CitedProvision]:
    # The second article of a number is known as "art:1~2"; an answer can only call it "artículo 1".
    yield chunk["law_id"], chunk["provision_key"].partition("~")[0]
    for citation in parse_citations(_text(chunk), CitationContext(law_id=chunk["law_id"])):
        yield from _refs(citation)


def _refs(citation: Citation) -> set[CitedProvision]:
    return {(law_id, citation.provision_key) for law_id in (citation.law_id, citation.current_id or citation.law_id)}


def _text(chunk: Chunk) -> str:
    fields = (chunk["title"], chunk["summary"], chunk["status_note"], chunk["text"])
    return "\n".join(filter(None, fields))


def _without_quotations(answer: str, chunks: Sequence[Chunk]) -> str:
    texts = [_plain(_text(chunk)) for chunk in chunks]

    def unless_verbatim(quotation: re.Match[str]) -> str:
        pieces = [_plain(piece) for piece in quotation[1].split(LEFT_OUT)]
        verbatim = all(any(piece in text for text in texts) for piece in pieces if piece)
        return "«»" if verbatim else quotation[0]

    return _QUOTED.sub(unless_verbatim, answer)


def _plain(text: str) -> str:
    return " ".join(fold(text).translate(_QUOTES).split())


def _label(citation: Citation) -> str:
    law = known_laws().get(citation.law_id or "")
    return provision_name(citation.provision_key) + (f" ({law.short})" if law else "")
