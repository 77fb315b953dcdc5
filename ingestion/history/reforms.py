"""The list of dated reforms that may lie beside the snapshots of laws (``reforms.tsv``)."""

import csv
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from articulado.language.translation import reason
from articulado.legal.labels import provision_key
from articulado.values.errors import InvalidInput
from ingestion.history.amendment_notes import Amendment

_LAW, _PUBLISHED, _NORM, _AFFECTED = "law_id", "commit_date(=publication of reform)", "reforming_norm", "affected"


@dataclass(frozen=True)
class Reform:
    """One norm that reformed a law: its BOE identifier, the day it was published, the provisions that it touched."""

    reference: str
    published: str
    keys: frozenset[str]


@dataclass(frozen=True)
class Reforms:
    """The reforms of each law by its identifier, and the day of publication of each norm by its own."""

    by_law: dict[str, list[Reform]] = field(default_factory=dict)
    published: dict[str, str] = field(default_factory=dict)

    def of(self, law_id: str, key: str) -> list[tuple[str, Amendment]]:
        """Return the amendments of a provision that the list names, with their days; it does not tell labels apart."""
        plain = key.split("~")[0]
        return [
            (reform.published, Amendment(norm="", reference=reform.reference))
            for reform in self.by_law.get(law_id, [])
            if plain in reform.keys and reform.reference != law_id
        ]


def read_reforms(path: Path) -> Reforms:
    """Read a list of reforms: tab-separated, with a head row.

    Raises:
        InvalidInput: the file cannot be read, lacks a column, or holds a day that is none.
    """
    reforms = Reforms()
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                published = date.fromisoformat(row[_PUBLISHED]).isoformat()
                keys = (provision_key(label) for label in row[_AFFECTED].split(","))
                reform = Reform(row[_NORM], published, frozenset(key for key in keys if key))
                reforms.by_law.setdefault(row[_LAW], []).append(reform)
                earliest = min(published, reforms.published.get(reform.reference, published))
                reforms.published[reform.reference] = earliest
    except OSError as error:
        raise InvalidInput(f"La lista de reformas «{path}» no se puede leer: {reason(error)}.") from error
    except KeyError as error:
        raise InvalidInput(f"A la lista de reformas «{path}» le falta la columna {error}. Complétela.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"La lista de reformas «{path}» no se entiende: revise que sea UTF-8 con columnas separadas por "
            "tabuladores y fechas AAAA-MM-DD."
        ) from error
    return reforms
