"""Building a generation of an index."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from types import TracebackType
from typing import Self

from services.errors import ArticuladoError, IndexMismatch, InvalidInput
from services.protocols import SparseVector, Vector
from services.store.generations import Generations, write_durably
from services.store.manifest import BUILD_HINT, FORMAT, MANIFEST, MODELS, Description, Index, Manifest
from services.store.writer import WriterFactory
from state.chunks import Chunk


class IndexBuilder:
    """Builds a new generation, as an async context; until ``commit`` nobody sees it.

    One process at a time builds an index: entering waits for the others. Leaving before it is published, by an
    exception or not, removes what was built and changes nothing else; from then on both this generation and the one
    served until now stay whole, whatever fails. What has become of no use is removed by the next build that succeeds.
    """

    def __init__(self, folder: Path, writer: WriterFactory) -> None:
        self._generations = Generations(folder)
        self._make_writer = writer
        self._stack = AsyncExitStack()
        self._ids: set[int] = set()
        self._documents: set[tuple[str, str]] = set()
        self._dimensions: int | None = None
        self._maybe_served = False

    async def __aenter__(self) -> Self:
        """Wait for the build lock and begin a generation."""
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._generations.locked())
            self._folder = await asyncio.to_thread(self._generations.begin)
            self._writer = self._make_writer(self._folder)
            stack.push_async_callback(self._writer.close)
            unfinished = await asyncio.to_thread(self._generations.unfinished)
            await self._remove(folder for folder in unfinished if folder != self._folder)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the generation unless somebody may see it, and let other builds begin."""
        async with self._stack:
            if not self._maybe_served:
                await self._remove([self._folder])

    @property
    def models(self) -> Path:
        """Folder for the files of the embedder; it exists."""
        return self._folder / MODELS

    async def add(
        self, chunks: Sequence[Chunk], dense: Sequence[Vector | None], sparse: Sequence[SparseVector]
    ) -> None:
        """Write a batch of chunks with their vectors, in the same order.

        A ``None`` dense vector (a text without a known word) or an empty sparse one leaves that side out; the first
        batch needs a dense vector, which tells the length of all.

        Raises:
            InvalidInput: two chunks share an id, or no dense vector has come yet.
        """
        if self._dimensions is None:
            self._dimensions = next((len(vector) for vector in dense if vector is not None), None)
        if self._dimensions is None:
            raise InvalidInput(
                "Ningún texto del primer lote tiene vector denso: no contiene palabras que el modelo conozca. Revise "
                "los documentos que se indexan."
            )
        for chunk in chunks:
            if chunk["id"] in self._ids:
                raise InvalidInput(
                    f"Dos fragmentos comparten el identificador {chunk['id']}; el segundo es «{chunk['provision']}» de "
                    f"{chunk['law_id']}. Compruebe que el documento no está repetido en la carpeta que se indexa."
                )
            self._ids.add(chunk["id"])
            self._documents.add((chunk["collection"], chunk["law_id"]))
        await self._writer.add(chunks, dense, sparse, size=self._dimensions)

    async def commit(self, description: Description) -> Index:
        """Check what was written and serve it from now on.

        Raises:
            InvalidInput: nothing was added.
            IndexMismatch: the store does not hold what was added.
            StoreUnavailable, ConfigurationError: it could not be published; the old generation still serves.
        """
        if self._dimensions is None:
            raise InvalidInput("No hay ningún fragmento que indexar. Revise la carpeta de documentos.")
        counts = await self._writer.finish()
        if sum(counts.values()) != len(self._ids):
            raise IndexMismatch(
                f"Se han escrito {len(self._ids)} fragmentos y el almacén devuelve {sum(counts.values())}. El índice "
                f"anterior sigue en uso; compruebe el espacio en disco y repita {BUILD_HINT}."
            )
        manifest = Manifest(
            **description.model_dump(exclude={"fingerprints"}),
            fingerprints=description.fingerprints,
            format=FORMAT,
            generation=self._folder.name,
            created=datetime.now(UTC),
            dimensions=self._dimensions,
            collections=counts,
            documents=Counter(collection for collection, _ in self._documents),
        )
        await asyncio.to_thread(write_durably, self._folder / MANIFEST, manifest.model_dump_json(indent=2))
        served = await asyncio.to_thread(self._generations.current)
        # Set first: a request or a rename that fails may have had its effect all the same.
        self._maybe_served = True
        await self._writer.publish()
        await asyncio.to_thread(self._generations.switch, self._folder)
        # The last generation stays for readers that have it open, or were about to open it.
        await self._remove(await asyncio.to_thread(self._generations.all_but, self._folder, served))
        return Index(self._folder, manifest)

    async def _remove(self, folders: Iterable[Path]) -> None:
        """Remove generations; the folder goes last, so that what could not be removed is known to the next build."""
        for folder in folders:
            with suppress(ArticuladoError):
                await self._writer.remove(folder.name)
                await asyncio.to_thread(rmtree, folder, ignore_errors=True)
