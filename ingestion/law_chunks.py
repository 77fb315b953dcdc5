"""Turn a law into chunks: one for each part of each of its provisions."""

import re
from hashlib import blake2b

from ingestion.laws import Law, Provision
from ingestion.parts import split_text
from legal.ids import chunk_id
from legal.labels import provision_url
from legal.registry import KnownLaw, known_laws
from state.chunks import Chunk, Status

_RANKS = {"constitucion": 1, "real_decreto": 4, "orden": 5, "resolucion": 5, "instruccion": 5, "circular": 5}
_LAW_STATUS: dict[str, Status] = {"repealed": "derogada", "expired": "agotada"}


def law_chunks(law: Law) -> list[Chunk]:
    """Return the chunks of a law, one for each part of each provision, in order; ``refs`` are still empty."""
    known = known_laws().get(law.id)
    status, note, valid_to = _law_status(law, known)
    chunks: list[Chunk] = []
    for provision in law.provisions:
        parts = split_text(provision.text)
        for number, text in enumerate(parts, 1):
            valid_from = provision.valid_from or law.published
            chunks.append(
                {
                    "id": chunk_id(law.collection, law.id, provision.key, valid_from, number),
                    "collection": law.collection,
                    "law_id": law.id,
                    "law_name": known.short if known else law.title,
                    "rank": known.rank if known else _RANKS.get(law.rank, 2),
                    "kind": law.rank,
                    "provision": provision.label,
                    "provision_key": provision.key,
                    "title": provision.title,
                    "breadcrumb": provision.breadcrumb,
                    "summary": "",
                    "text": text,
                    "part": number,
                    "parts": len(parts),
                    "parent_id": None,
                    "parent_content": "",
                    "strategy": "provision",
                    "refs": [],
                    "valid_from": valid_from,
                    "valid_to": provision.valid_to or valid_to,
                    "status": status or provision.status,
                    "status_note": note or provision.status_note,
                    "notes": list(provision.notes),
                    "territory_ccaa": law.territory,
                    "territory_municipio": None,
                    "chunk_type": "provision",
                    "tier": "",
                    "topic": "",
                    "attributes": {},
                    "url": provision.url or provision_url(law.id, provision.label),
                    "content_hash": _content_hash(provision, text),
                    "source": "official",
                }
            )
    return chunks


def _law_status(law: Law, known: KnownLaw | None) -> tuple[Status | None, str, str | None]:
    """Return the status that the whole law gives its chunks (``None``: their own), its note, and its end."""
    valid_to = law.valid_to or (known.valid_to.isoformat() if known and known.valid_to else None)
    status = _LAW_STATUS.get(law.status)
    successor = known_laws().get(known.superseded_by) if known and known.superseded_by else None
    note = law.status_note if status or valid_to else ""
    if status and not note:
        note = "Norma derogada." if status == "derogada" else "Norma de vigencia agotada."
    if status and successor:
        number = re.sub(r",.*", "", successor.title)
        note = f"{note} La sustituye: {successor.short} ({number})."
    return status, note, valid_to


def _content_hash(provision: Provision, text: str) -> str:
    written = "\x1f".join((provision.label, provision.title, provision.breadcrumb, text))
    return blake2b(written.encode(), digest_size=16).hexdigest()
