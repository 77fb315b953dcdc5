"""Provisions that the answer model requests (needs), and the order of their parts.

``provisions_needed`` parses a need into requests; ``law_id`` is empty if the named law is unknown.
``nearest_first`` orders the parts of a provision by distance from the requested part.
"""

from collections.abc import Callable, Sequence
from datetime import date

from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations
from articulado.retrieval.references import ProvisionRequest, excerpt, read_reference
from articulado.values.answers import Need
from articulado.values.chunks import Chunk
from articulado.values.errors import InvalidInput


def text_of(need: Need) -> str:
    """Return the words of a need, as they are read and searched."""
    return need["keywords"] or f"{need['article']} {need['law']}"


def name_of(need: Need) -> str:
    """Return what the user reads of a need."""
    return need["keywords"] or f"{need['article']} ({need['law']})"


def provisions_needed(
    need: Need, default_law: str, today: date, as_of: date | None = None, *, spanish_law: bool = True
) -> list[ProvisionRequest]:
    """Return the provisions that a need names, also among its keywords; none where it names nothing but a topic.

    ``default_law`` is the law of an article among keywords that name none. Where a need names a law that is not known,
    the ``law_id`` is empty.

    >>> need = Need(kind="keywords", article="", law="", keywords="plazo despido art. 59.3 ET")
    >>> [request.provision_key for request in provisions_needed(need, "", date(2026, 11, 23))]
    ['art:59']
    """
    text, default = text_of(need), "" if need["law"] else default_law
    # Of keywords, a number alone is no article: "33 días por año".
    if need["kind"] == "keywords" and not parse_citations(text, CitationContext(day=as_of)):
        return []
    try:
        reference = read_reference(text, default, today, as_of, spanish_law=spanish_law)
    except InvalidInput:
        return []
    return [request for request in reference.provisions if request.provision_key]


def nearest_first(
    parts: Sequence[Chunk], request: ProvisionRequest, words: str, stems: Callable[[str], Sequence[str]]
) -> list[Chunk]:
    """Return the parts of a provision, first the one that is meant, then those around it: what follows goes before.

    Meant is the part that has the subdivision asked for, else the one with most of the ``words`` (by their ``stems``),
    else the first.
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
    """Return the position of the part that has the first subdivision asked for; its letter may be in a later one."""
    if not request.subdivisions:
        return None
    apartado, letter = request.subdivisions[0]
    begins = next((n for n, chunk in enumerate(in_order) if excerpt(chunk["text"], apartado, "")), None)
    if begins is None or not letter:
        return begins
    later = enumerate(in_order[begins:], begins)
    return next((n for n, chunk in later if excerpt(chunk["text"], "", letter)), begins)
