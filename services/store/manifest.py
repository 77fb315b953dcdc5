"""The manifest of an index: what a generation holds and what it was built with."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.language.translation import translate
from articulado.values.errors import IndexMismatch

FORMAT: Final = 3
"""Version of the layout; it goes up with a change that makes older indexes unreadable."""

MANIFEST = "manifest.json"
MODELS = "models"
CATALOG = "catalog.sqlite"
"""The file of a generation that an ingest alone reads: answers need none of it."""

BUILD_HINT = "articulado ingest"
"""The command that builds an index, as messages quote it."""

REBUILD_HINT = "articulado ingest … --rebuild"
"""The command that builds it from nothing, where what there is cannot be continued."""

INSPECTION_HINT = "articulado doctor --deep"
"""The command that says what of an index is damaged."""

_PARTS = {"embedder": "store.part_embedder", "sparse": "store.part_sparse", "chunker": "store.part_chunker"}


class Fingerprints(BaseModel):
    """What the vectors and chunks of an index depend on: equal fingerprints, interchangeable parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: str
    sparse: str
    chunker: str


class Description(BaseModel):
    """What the builder of an index says of it.

    ``source`` is for a person; ``documents`` counts laws (or rulings, or criteria) by collection.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    fingerprints: Fingerprints
    profile: str
    language: str
    source: str
    documents: dict[str, int] = {}
    demo: bool = False


class GraphSearch(BaseModel):
    """How the graph of a collection is searched: with so many candidates (0: as many as the engine takes by itself).

    ``recall`` is the mean share of the best 100 points that this finds, as measured before it was published.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    candidates: int = Field(ge=0)
    recall: float = Field(ge=0, le=1)


class Manifest(Description):
    """A description and what the build itself adds.

    ``created`` is UTC; ``collections`` counts points, parents and children. ``stored_as`` is the generation under whose
    name the store keeps the points: this one, or the one that was updated in place. ``checksums`` is the checksum of
    the list of those of the generation's files, empty where an earlier version has written none. ``fetched`` tells that
    this machine has it from a server, without the table of its points. ``graphs`` has the collections that are large
    enough to be searched by a graph.
    """

    format: Literal[3]
    generation: str
    created: datetime
    dimensions: int = Field(ge=1)
    collections: dict[str, int]
    stored_as: str
    checksums: str = ""
    fetched: bool = False
    graphs: dict[str, GraphSearch] = {}

    def candidates(self) -> dict[str, int]:
        """Return with how many candidates collections are searched, of those where the engine does not decide it."""
        return {name: graph.candidates for name, graph in self.graphs.items() if graph.candidates}

    def check(self, expected: Fingerprints, folder: Path) -> None:
        """Compare what the index was built with to what the caller searches with.

        Raises:
            IndexMismatch: the message names what differs and what to run.
        """
        built = self.fingerprints.model_dump()
        differences = [
            translate("store.difference", part=translate(_PARTS[part]), built=built[part], configured=configured)
            for part, configured in expected.model_dump().items()
            if built[part] != configured
        ]
        if differences:
            raise IndexMismatch(
                translate("store.mismatch", folder=folder, differences="; ".join(differences), command=BUILD_HINT)
            )


@dataclass(frozen=True)
class Index:
    """A generation that can be searched: its folder and its manifest."""

    folder: Path
    manifest: Manifest

    @property
    def models(self) -> Path:
        """Folder with the files of the embedder."""
        return self.folder / MODELS

    @property
    def advice(self) -> str:
        """What to do where the index is damaged, as the end of a message."""
        if self.manifest.demo:
            return translate("store.renew_first_index", folder=self.folder.parent.parent)
        return translate("store.inspect_and_rebuild", inspection=INSPECTION_HINT, command=REBUILD_HINT)


def read_manifest(generation: Path) -> Manifest:
    """Read the manifest of a generation.

    Raises:
        FileNotFoundError: there is none.
        IndexMismatch: it cannot be read, or is of another format.
    """
    text = (generation / MANIFEST).read_bytes()
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        raise IndexMismatch(
            translate(
                "store.manifest_damaged",
                generation=generation,
                manifest=MANIFEST,
                errors=error.error_count(),
                command=BUILD_HINT,
            )
        ) from error


def is_of_earlier_version(generation: Path, profile: str) -> bool:
    """Tell whether a generation is the first index of a profile in another format: it can be built again as it was."""
    try:
        written = json.loads((generation / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    wanted = {"demo": True, "profile": profile}
    return isinstance(written, dict) and wanted.items() <= written.items() and written.get("format") != FORMAT
