"""Laws and provisions of the index, and Spanish messages for a requested provision that it lacks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from articulado.language.formats import figure
from articulado.language.translation import translate
from articulado.legal.labels import KINDS, ProvisionKind, order_of_kind, provision_name

if TYPE_CHECKING:
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.legal.citations.parser import ProvisionRequest
    from articulado.values.answers import TurnQuestion
    from articulado.values.chunks import Agreement, Chunk

MAX_NAMED = 12  # maximum names in a message; longer lists are counted

_WORDS = re.compile(r"(\d*)(\D*)")

_OTHER = ProvisionKind("precepto", "preceptos")


@dataclass(frozen=True)
class IndexedLaw:
    """Law of an index: its provision ``labels`` by key in text order, and its files."""

    law_id: str
    title: str
    collection: str
    labels: dict[str, str]
    files: tuple[str, ...]
    official: bool
    agreement: "Agreement | None" = None


def indexed_laws(base: "IndexBase") -> dict[str, str]:
    """Return the names of the laws of the index by identifier."""
    from articulado.ingestion.incremental.catalog import read_catalog

    names = {record["law_id"]: record["law_name"] for record in _records() if record["chunk_type"] == "provision"}
    if base.settings.rag_enabled and (served := base.open()):
        with read_catalog(served.folder) as catalog:
            return catalog.titles() | {law_id: names[law_id] for law_id in catalog.record_laws if law_id in names}
    return names


def indexed_law(base: "IndexBase", law_id: str) -> IndexedLaw | None:
    """Return the provisions and files of a law of the index, ``None`` if it is missing."""
    from articulado.ingestion.incremental.catalog import Catalog, read_catalog

    served = base.open() if base.settings.rag_enabled else None
    with read_catalog(served.folder) if served else Catalog.empty() as catalog:
        source, keys = catalog.source_of(law_id), catalog.provisions_of(law_id)
        if served is None or law_id in catalog.record_laws:
            chunks = [record for record in _records() if record["law_id"] == law_id]
            return _indexed_law(chunks, chunks[0]["law_name"], ()) if chunks else None
    if source is None:
        return None
    staged = base.workspace.staged(source["staged"])
    files = tuple(file["path"] for file in source["files"])
    if staged is None or not staged.parents:  # read on another machine: only the catalogue's keys are here
        labels = {key: provision_name(key).capitalize() for key in sorted(keys, key=_in_order)}
        return IndexedLaw(law_id, source["title"], source["collection"], labels, files, official=True)
    return _indexed_law(staged.parents, source["title"], files)


def named_documents(base: "IndexBase") -> str:
    """List in Spanish the ingested documents; "" if there are none."""
    from articulado.ingestion.incremental.catalog import read_catalog

    if not (base.settings.rag_enabled and (served := base.open())):
        return ""
    with read_catalog(served.folder) as catalog:
        titles = {
            source["law_id"]: source["title"]
            for source in catalog.sources()
            if source["identity"] in [file["path"] for file in source["files"]]
        }
    return translate("ingest.documents_there", names=_first_names(titles)) if titles else ""


def list_provisions(labels: dict[str, str]) -> str:
    """List provisions in Spanish, without those of an approving decree; count more than ``MAX_NAMED`` by kind.

    >>> list_provisions({f"art:{number}": f"Artículo {number}" for number in range(1, 93)})
    '92 artículos (Artículo 1 … Artículo 92)'
    """
    labels = {key: label for key, label in labels.items() if "~" not in key}
    if len(labels) <= MAX_NAMED:
        return ", ".join(labels.values())
    parts = []
    for kind, group in groupby(sorted(labels, key=order_of_kind), _kind):
        keys = list(group)
        name = KINDS.get(kind, _OTHER)
        parts.append(f"{figure(len(keys))} {name.name if len(keys) == 1 else name.plural}")
        # The "Artículo único" of a decree that approves the law is neither its first nor its last.
        numbered = [labels[key] for key in keys if any(map(str.isdigit, key))]
        if len(numbered) > 1:
            parts[-1] += f" ({numbered[0]} … {numbered[-1]})"
    return ", ".join(parts)


def why_missing(base: "IndexBase", asked: "ProvisionRequest") -> str:
    """Explain in Spanish why a requested provision is not in the index, and list present ones."""
    from articulado.legal.laws.registry import known_laws
    from articulado.retrieval.references import unknown_law

    if not asked.law_id:
        return (
            f"{unknown_law(asked)} Escriba sus siglas o su nombre (ET, LGSS, Ley 31/1995) o su "
            'identificador del BOE: articulado show "art. 1 BOE-A-2015-11430".'
        )
    known, law = known_laws().get(asked.law_id), indexed_law(base, asked.law_id)
    if law is None:
        successor = known_laws().get(known.superseded_by) if known and known.superseded_by else None
        name = f"{known.short} ({asked.law_id})" if known else asked.law_id
        replaced = f" La sustituyó: {successor.short}." if successor else ""
        return (
            f"La norma {name} no está en el índice.{replaced} En él están: {_first_names(indexed_laws(base))}. "
            f"Para añadirla: articulado ingest boe {asked.law_id}."
        )
    near = [label for key, label in law.labels.items() if key.split(" ")[0] == asked.provision_key.split(" ")[0]]
    hint = f" ¿Quería decir {' o '.join(near)}?" if near else ""
    kind = KINDS.get(_kind(asked.provision_key), _OTHER).name
    present = f" Están: {list_provisions(law.labels)}." if law.labels else ""
    name = f"{'la' if kind.startswith('disp') else 'el'} {kind} {asked.provision_key.partition(':')[2]}"
    if law.official:
        return f"Según el índice, no existe {name} de «{law.title}».{hint or present}"
    return f"En el índice no está {name} de «{law.title}».{hint or present}"


def absent_provisions(
    base: "IndexBase", question: "TurnQuestion", warnings: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return why named provisions are not in the index, and which ones their laws have; then the other warnings."""
    from articulado.legal.citations.parser import ProvisionRequest
    from articulado.retrieval.question import not_indexed

    named = [ProvisionRequest(each["law_id"], each["provision_key"]) for each in question["provisions"]]
    told = {not_indexed(asked): asked for asked in named if asked.law_id}
    absent = [*question["missing"], *(warning for warning in warnings if warning in told)]
    why = [why_missing(base, told[message]) if message in told else message for message in absent]
    return list(dict.fromkeys(why)), [warning for warning in warnings if warning not in absent]


def _indexed_law(chunks: Sequence["Chunk"], title: str, files: tuple[str, ...]) -> IndexedLaw:
    first = chunks[0]
    labels = {chunk["provision_key"]: chunk["provision"] for chunk in chunks}
    official, agreement = first["source"] == "official", first.get("agreement")
    return IndexedLaw(first["law_id"], title, first["collection"], labels, files, official, agreement)


def _records() -> list["Chunk"]:
    from articulado.store.records.chunks import packaged_records

    return [chunk for _, chunk in packaged_records()]


def _in_order(key: str) -> tuple[int, list[tuple[int, str]]]:
    number = key.partition(":")[2]
    return order_of_kind(key), [(int(digits or 0), word) for digits, word in _WORDS.findall(number)]


def _kind(key: str) -> str:
    return key.partition(":")[0]


def _first_names(names: dict[str, str]) -> str:
    listed = list(names.values())
    more = f" y {figure(len(listed) - MAX_NAMED)} más" if len(listed) > MAX_NAMED else ""
    return ", ".join(listed[:MAX_NAMED]) + more
