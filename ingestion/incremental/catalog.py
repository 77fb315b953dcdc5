"""The catalogue of an index: which documents a generation has, and the files that they came from."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from language.current import say
from services.store.generations import write_durably
from services.store.manifest import CATALOG
from state.errors import IndexMismatch
from state.ingest import Source, StaleRecord


class Catalog(BaseModel):
    """The documents of a generation, in the order of reading.

    ``made_with`` names all else that the points depend on, ``profile`` what of it is the profile's: what it says and
    the articles that it brings along; both are empty where that is not known. ``drift`` counts the points that have
    changed since the models were fitted. ``resolved`` and ``unresolved`` count references, and citations that lead
    nowhere by cause; ``summaries`` the provisions that have one, ``stale`` are packaged records of another wording.
    ``packaged`` tells whether what articulado brings along is wanted, ``record_laws`` are the laws that the generation
    has as packaged records alone.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    made_with: str
    profile: str = ""
    sources: list[Source] = []
    drift: int = 0
    resolved: int = 0
    unresolved: dict[str, int] = {}
    summaries: int = 0
    stale: list[StaleRecord] = []
    packaged: bool = True
    record_laws: list[str] = []

    def save(self, generation: Path) -> None:
        """Write the catalogue into the folder of a generation."""
        write_durably(generation / CATALOG, self.model_dump_json(indent=1))


def read_catalog(generation: Path) -> Catalog:
    """Read the catalogue of a generation; an index without one (the demo) has no documents of its own.

    Raises:
        IndexMismatch: it cannot be read.
    """
    try:
        return Catalog.model_validate_json((generation / CATALOG).read_bytes())
    except FileNotFoundError:
        return Catalog(made_with="")
    except ValidationError as error:
        raise IndexMismatch(say("ingest.catalogue_damaged", generation=generation)) from error


def titles_of(catalog: Catalog) -> dict[str, str]:
    """Return the titles of what a catalogue has by provisions, laws and agreements, by identifier."""
    return {source["law_id"]: source["title"] for source in catalog.sources if source["provisions"]}


def changes_of(catalog: Catalog) -> dict[str, str]:
    """Return the last change of each document of a catalogue whose source tells days, by identifier (ISO 8601)."""
    return {source["law_id"]: day for source in catalog.sources if (day := source.get("last_change"))}
