"""Ingest: files in, an index out; what cannot be read is named and left out, the rest is kept."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.build import Progress, write_chunks
from ingestion.law_chunks import law_chunks
from ingestion.markdown import read_law
from ingestion.packaged import rulings_and_criteria
from ingestion.references import resolve_refs
from services.errors import ArticuladoError, InvalidInput
from services.factory import writer_factory
from services.packaged import words_of_people
from services.settings import Settings
from services.store.builder import IndexBuilder
from services.store.manifest import Index
from services.system_errors import reason
from state.chunks import Chunk

SUFFIXES = (".md", ".markdown")


@dataclass
class IngestReport:
    """What an ingest has done. ``failures`` pairs each file or folder that was left out with the reason."""

    index: Index | None = None
    laws: int = 0
    provisions: int = 0
    chunks: int = 0
    failures: list[tuple[Path, str]] = field(default_factory=list)


async def ingest(
    paths: Sequence[Path], settings: Settings, *, progress: Progress = lambda step, done, total: None
) -> IngestReport:
    """Build a new generation of the index from law files, with the packaged rulings and criteria beside them.

    Of two files with the same law the first is kept.

    Raises:
        InvalidInput: no file could be read; the index that was there is still served.
    """
    report = IngestReport()
    chunks: list[Chunk] = []
    files = law_files(paths, report)
    kept: dict[str, Path] = {}
    for done, file in enumerate(files, start=1):
        try:
            law = read_law(file)
            if law.id in kept:
                raise InvalidInput(f"contiene la misma norma ({law.id}) que {kept[law.id]}, que es la que se conserva")
            chunks.extend(law_chunks(law))
        except ArticuladoError as error:
            report.failures.append((file, str(error)))
        else:
            kept[law.id] = file
            report.laws += 1
            report.provisions += len(law.provisions)
        progress("Leyendo normas", done, len(files))
    if not chunks:
        reasons = "; ".join(f"{file}: {reason}" for file, reason in report.failures) or "no hay ficheros .md"
        raise InvalidInput(
            f"No se ha podido leer ninguna norma ({reasons}). El índice anterior, si lo hay, sigue en uso."
        )
    progress("Enlazando citas", 0, 0)
    chunks = resolve_refs(chunks)
    everything = [*chunks, *rulings_and_criteria(chunks)]
    # Every part of a provision gets them: measured, that finds more than giving them to the first alone.
    spoken = {chunk["id"]: words for chunk in everything if (words := words_of_people(chunk))}
    async with IndexBuilder(settings.index_folder, writer_factory(settings)) as builder:
        description = await write_chunks(
            builder,
            everything,
            settings,
            source=", ".join(str(path) for path in paths),
            extra_text=spoken,
            progress=progress,
        )
        report.index = await builder.commit(description)
    report.chunks = len(everything)
    return report


def law_files(paths: Sequence[Path], report: IngestReport) -> list[Path]:
    """Return the law files named, and those below the folders named, each once, in order of name.

    A path that cannot be read, or is no Markdown, becomes a failure of the report.
    """
    files: dict[str, Path] = {}
    for path in paths:
        if os.path.isdir(path):
            failed = len(report.failures)
            below = sorted(_below(path, report))
            if not below and len(report.failures) == failed:
                report.failures.append((path, "la carpeta no contiene ficheros Markdown (.md)"))
        elif path.suffix.lower() not in SUFFIXES and os.path.exists(path):
            below = []
            report.failures.append((path, "formato no admitido: se esperaba Markdown (.md)"))
        else:
            below = [path]
        for file in below:
            if obstacle := _obstacle(file):
                report.failures.append((file, obstacle))
            else:
                files.setdefault(os.path.realpath(file), file)
    return list(files.values())


def _below(folder: Path, report: IngestReport) -> Iterator[Path]:
    """Yield what is called a law file below a folder; subfolders that cannot be read become failures."""

    def refused(error: OSError) -> None:
        report.failures.append((Path(error.filename), f"no se puede leer la carpeta: {reason(error)}"))

    for inside, _, names in os.walk(folder, onerror=refused):
        yield from (Path(inside, name) for name in names if Path(name).suffix.lower() in SUFFIXES)


def _obstacle(file: Path) -> str:
    """Return why a file cannot be opened, as far as can be told without reading it; empty where nothing is known."""
    try:
        mode = file.stat().st_mode
    except OSError as error:
        dangling = isinstance(error, FileNotFoundError) and file.is_symlink()
        return "es un enlace a un fichero que no existe" if dangling else reason(error)
    return "" if stat.S_ISREG(mode) else "no es un fichero normal"
