"""What an index holds of a law, for whoever asks for the law alone, or for something that is not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from language.formats import figure
from legal.labels import KINDS, ProvisionKind, order_of_kind

if TYPE_CHECKING:
    from ingestion.incremental.base import IndexBase
    from services.search.reference import ProvisionRef
    from state.chunks import Chunk

MAX_NAMED = 12
"""Names that a message lists; of more it tells the number."""

_OTHER = ProvisionKind("precepto", "preceptos")


@dataclass(frozen=True)
class IndexedLaw:
    """A law of an index: ``labels`` of its provisions by key, in the order of the text; files that it came from."""

    law_id: str
    title: str
    collection: str
    labels: dict[str, str]
    files: tuple[str, ...]
    official: bool


def indexed_laws(base: "IndexBase") -> dict[str, str]:
    """Return the laws of the index: names by identifier."""
    from ingestion.incremental.catalog import read_catalog

    if base.settings.rag_enabled and (served := base.open()):
        return {one["law_id"]: one["title"] for one in read_catalog(served.folder).sources}
    return {one["law_id"]: one["law_name"] for one in _records() if one["chunk_type"] == "provision"}


def held(base: "IndexBase", law_id: str) -> IndexedLaw | None:
    """Return what the index holds of a law; ``None`` where it does not have it."""
    from ingestion.incremental.catalog import read_catalog

    if not (base.settings.rag_enabled and (served := base.open())):
        chunks = [one for one in _records() if one["law_id"] == law_id]
        return _held(chunks, chunks[0]["law_name"], ()) if chunks else None
    source = next((one for one in read_catalog(served.folder).sources if one["law_id"] == law_id), None)
    if source is None:
        return None
    staged = base.workspace.staged(source["staged"])
    files = tuple(file["path"] for file in source["files"])
    if staged is None or not staged.parents:  # an index that was built elsewhere
        return IndexedLaw(law_id, source["title"], source["collection"], {}, files, official=True)
    return _held(staged.parents, source["title"], files)


def counted(labels: dict[str, str]) -> str:
    """Say which provisions there are: "Artículo 1, Artículo 2", or of many how many of each kind.

    Those of a decree that only approves the law are not spoken of.
    """
    labels = {key: label for key, label in labels.items() if "~" not in key}
    if len(labels) <= MAX_NAMED:
        return ", ".join(labels.values())
    said = []
    for kind, keys in groupby(sorted(labels, key=order_of_kind), _kind):
        named = list(keys)
        called = KINDS.get(kind, _OTHER)
        said.append(f"{figure(len(named))} {called.name if len(named) == 1 else called.plural}")
        # The "Artículo único" of a decree that approves the law is neither its first nor its last.
        ends = [labels[key] for key in named if any(map(str.isdigit, key))]
        if len(ends) > 1:
            said[-1] += f" ({ends[0]} … {ends[-1]})"
    return ", ".join(said)


def why_missing(base: "IndexBase", asked: "ProvisionRef") -> str:
    """Say why a provision that is asked for is not in the index, and what is."""
    from legal.laws.registry import known_laws

    if not asked.law_id:
        return (
            "No se conoce la norma que se nombra. Escriba sus siglas o su nombre (ET, LGSS, Ley 31/1995) o su "
            'identificador del BOE: articulado show "art. 1 BOE-A-2015-11430".'
        )
    known, law = known_laws().get(asked.law_id), held(base, asked.law_id)
    if law is None:
        successor = known_laws().get(known.superseded_by) if known and known.superseded_by else None
        name = f"{known.short} ({asked.law_id})" if known else asked.law_id
        replaced = f" La sustituyó: {successor.short}." if successor else ""
        return (
            f"La norma {name} no está en el índice.{replaced} En él están: {_some(indexed_laws(base))}. "
            f"Para añadirla: articulado ingest boe {asked.law_id}."
        )
    near = [label for key, label in law.labels.items() if key.split(" ")[0] == asked.provision_key.split(" ")[0]]
    hint = f" ¿Quería decir {' o '.join(near)}?" if near else ""
    kind = KINDS.get(_kind(asked.provision_key), _OTHER).name
    there = f" Están: {counted(law.labels)}." if law.labels else ""
    return f"En el índice no está {_the(kind)} {asked.provision_key.partition(':')[2]} de {law.title}.{hint or there}"


def _held(chunks: Sequence["Chunk"], title: str, files: tuple[str, ...]) -> IndexedLaw:
    first = chunks[0]
    labels = {one["provision_key"]: one["provision"] for one in chunks}
    return IndexedLaw(
        first["law_id"], title, first["collection"], labels, files, official=first["source"] == "official"
    )


def _records() -> list["Chunk"]:
    from services.corpus.chunks import packaged_records

    return [chunk for _, chunk in packaged_records()]


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _the(kind: str) -> str:
    return f"la {kind}" if kind.startswith("disp") else f"el {kind}"


def _some(names: dict[str, str]) -> str:
    listed = list(names.values())
    more = f" y {figure(len(listed) - MAX_NAMED)} más" if len(listed) > MAX_NAMED else ""
    return ", ".join(listed[:MAX_NAMED]) + more
