"""Provisions that the answer model requests (needs), and the order of their parts."""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import date

from articulado.language.folding import fold
from articulado.language.sentences import sentence_spans
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import ProvisionRequest, parse_citations
from articulado.legal.labels import excerpt, provision_name
from articulado.legal.laws.registry import known_laws
from articulado.retrieval.references import read_reference
from articulado.values.answers import Need
from articulado.values.chunks import Chunk, ProvisionRef
from articulado.values.errors import InvalidInput


def text_of(need: Need) -> str:
    return need["keywords"] or f"{need['article']} {need['law']}"


def name_of(need: Need) -> str:
    return need["keywords"] or f"{need['article']} ({need['law']})"


def provisions_needed(
    need: Need, default_law: str, today: date, as_of: date | None = None, *, spanish_law: bool = True
) -> list[ProvisionRequest]:
    """Return the provisions that a need names, also in its keywords; an unknown law has the ``law_id`` ""."""
    text, default = text_of(need), "" if need["law"] else default_law
    # Of keywords, a number alone is no article: "33 días por año".
    if need["kind"] == "keywords" and not parse_citations(text, CitationContext(day=as_of)):
        return []
    try:
        reference = read_reference(text, default, today, as_of, spanish_law=spanish_law)
    except InvalidInput:
        return []
    return [request for request in reference.provisions if request.provision_key]


_MISSING = (
    "falta", "faltan", "faltaria", "faltarian", "habria que", "convendria", "no consta", "no constan", "no figura",
    "no figuran", "no aparece", "no aparecen", "no esta", "no estan", "no tengo", "no dispongo de", "no he visto",
)  # fmt: skip
_BETWEEN = (
    "aqui", "aportado", "articulo", "articulos", "citados", "comprobar", "consultar", "contenido", "de", "del", "dice",
    "disponible", "disponibles", "documentos", "el", "en", "entre", "fragmentos", "fuentes", "la", "las", "leer", "lo",
    "los", "mirar", "normas", "o", "que", "recibidos", "redaccion", "revisar", "su", "texto", "textos", "ver", "y",
)  # fmt: skip
_ABSENT = ("no consta", "no constan", "no figura", "no figuran", "no aparece", "no aparecen", "no esta", "no estan")
_SOURCES = ("fragmentos", "textos", "fuentes", "documentos", "normas")
_BEFORE = re.compile(rf"\b(?:{'|'.join(_MISSING)})\b(?:\W+(?:{'|'.join(_BETWEEN)}|\d[\w.)]*))*\W*$")
_AFTER = re.compile(
    rf"[^.;:]{{0,80}}?\b(?:{'|'.join(_ABSENT)})\s+(?:aqui|en|entre)\b[^.;:]{{0,30}}?\b(?:{'|'.join(_SOURCES)})\b"
)


def needs_in_answer(text: str, as_of: date | None = None, read: Collection[ProvisionRef] = ()) -> list[Need]:
    """Return the provisions, cited with their law, that an answer calls missing, each once; except those of ``read``.

    >>> needs_in_answer("Son 30 días [C1]. Falta el artículo 47.1.c de la LISOS.")
    [{'kind': 'article', 'article': 'artículo 47.1.c', 'law': 'LISOS', 'keywords': ''}]
    >>> needs_in_answer("Es una falta muy grave del artículo 8 de la LISOS.")
    []
    """
    needs: dict[ProvisionRef, Need] = {}
    for start, end in sentence_spans(text):
        folded = fold(text[start:end])
        if not any(words in folded for words in _MISSING):
            continue
        for citation in parse_citations(text[start:end], CitationContext(day=as_of)):
            law = known_laws().get(citation.law_id or "")
            if law is None or (law.id, citation.provision_key) in read:
                continue
            if _BEFORE.search(folded[: citation.start]) or _AFTER.match(folded[citation.end :]):
                article = provision_name(citation.provision_key)
                article += "".join(f".{part}" for part in (citation.apartado, citation.letter) if part)
                needs.setdefault(
                    (law.id, citation.provision_key),
                    {"kind": "article", "article": article, "law": law.abbreviation or law.short, "keywords": ""},
                )
    return list(needs.values())


def nearest_first(
    parts: Sequence[Chunk], request: ProvisionRequest, words: str, stems: Callable[[str], Sequence[str]]
) -> list[Chunk]:
    """Return the parts of a provision by distance from the requested one, following parts first.

    That is the part with the requested subdivision, else with most stems of ``words``, else the first.
    """
    in_order = sorted(parts, key=lambda chunk: chunk["part"])
    meant = _subdivision(in_order, request)
    if meant is None:
        wanted = set(stems(words))
        shared = [len(wanted & set(stems(chunk["text"]))) for chunk in in_order]
        meant = shared.index(max(shared)) if shared else 0
    nearest = sorted(range(len(in_order)), key=lambda position: (abs(position - meant), position < meant))
    return [in_order[position] for position in nearest]


def _subdivision(in_order: Sequence[Chunk], request: ProvisionRequest) -> int | None:
    if not request.subdivisions:
        return None
    apartado, letter = request.subdivisions[0]
    begins = next((n for n, chunk in enumerate(in_order) if excerpt(chunk["text"], apartado, "")), None)
    if begins is None or not letter:
        return begins
    later = enumerate(in_order[begins:], begins)
    return next((n for n, chunk in later if excerpt(chunk["text"], "", letter)), begins)
