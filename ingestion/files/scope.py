"""The scope of a collective agreement: what its header says, and else what its title and its articles do."""

from collections.abc import Iterable

from articulado.legal.agreements.scope import is_agreement_title, read_scope
from articulado.values.chunks import Agreement
from ingestion.files.header import STATE, Header


def scope_of(header: Header, title: str, articles: Iterable[tuple[str, str]]) -> Agreement | None:
    """Return the scope of an agreement, ``None`` of any other document; ``articles`` are titles and texts.

    An agreement is what its header says to be one, or what is entitled as one. A place in the header goes before all
    places of the text, and so do its sector or company, and each of its days.
    """
    is_agreement = header.document_type == "agreement" or header.kind == "convenio"
    if not (is_agreement or (header.document_type in ("document", "law") and is_agreement_title(title))):
        return None
    scope = read_scope(title, articles)
    if header.sector or header.company:
        scope["sector"], scope["company"] = header.sector, header.company
    if header.territory or header.province or header.municipality:
        scope["community"], scope["province"] = header.community, header.province
        scope["statewide"] = header.territory == STATE
    if header.validity_start:
        scope["first_day"] = header.validity_start.isoformat()
    if header.validity_end:
        scope["last_day"] = header.validity_end.isoformat()
    return scope
