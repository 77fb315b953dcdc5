"""The agreements of a generation: which collective agreements an index has, and the scope of each."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from articulado.language.translation import translate
from articulado.values.chunks import Agreement, Chunk
from articulado.values.errors import IndexMissing
from services.store.generations import write_durably
from services.store.manifest import REBUILD_HINT

AGREEMENTS = "agreements.json"


@dataclass(frozen=True)
class IndexedAgreement:
    """An agreement of an index: its identifier, the name by which it is cited, and its scope."""

    law_id: str
    name: str
    scope: Agreement


def agreements_of(chunks: Iterable[Chunk]) -> tuple[IndexedAgreement, ...]:
    """Return the agreements that chunks are of, each once, by ascending identifier."""
    by_id = {
        chunk["law_id"]: IndexedAgreement(chunk["law_id"], chunk["law_name"], chunk["agreement"])
        for chunk in chunks
        if "agreement" in chunk
    }
    return tuple(agreement for _, agreement in sorted(by_id.items()))


def save_agreements(generation: Path, agreements: Iterable[IndexedAgreement]) -> None:
    """Write the agreements into the folder of a generation.

    Raises:
        ConfigurationError, StoreUnavailable: as ``Generations``.
    """
    listed = [asdict(agreement) for agreement in agreements]
    write_durably(generation / AGREEMENTS, json.dumps(listed, ensure_ascii=False, indent=1))


def load_agreements(generation: Path) -> tuple[IndexedAgreement, ...]:
    """Return the agreements of a generation; one that has none has no file.

    Raises:
        IndexMissing: the file is damaged.
    """
    path = generation / AGREEMENTS
    try:
        return tuple(IndexedAgreement(**agreement) for agreement in json.loads(path.read_bytes()))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, TypeError) as error:
        raise IndexMissing(translate("store.points_damaged", path=path, command=REBUILD_HINT)) from error
