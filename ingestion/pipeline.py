"""Ingest: files in, an index out; what cannot be read is named and left out, the rest is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingestion.build import Progress, write_chunks
from ingestion.markdown import read_law
from ingestion.packaged import rulings_and_criteria
from ingestion.references import law_chunks, resolve_refs
from services.errors import ArticuladoError, InvalidInput
from services.factory import writer_factory
from services.packaged import words_of_people
from services.settings import Settings
from services.store.builder import IndexBuilder
from services.store.manifest import Index
from state.chunks import Chunk

SUFFIXES = (".md", ".markdown")


@dataclass
class IngestReport:
    """What an ingest has done. ``failures`` pairs each file that was left out with the reason."""

    index: Index | None = None
    laws: int = 0
    provisions: int = 0
    chunks: int = 0
    failures: list[tuple[Path, str]] = field(default_factory=list)


async def ingest(
    paths: Sequence[Path], settings: Settings, *, progress: Progress = lambda step, done, total: None
) -> IngestReport:
    """Build a new generation of the index from law files, with the packaged rulings and criteria beside them.

    Raises:
        InvalidInput: no file could be read; the index that was there is still served.
    """
    report = IngestReport()
    chunks: list[Chunk] = []
    files = law_files(paths, report)
    for done, file in enumerate(files, start=1):
        try:
            law = read_law(file)
            chunks.extend(law_chunks(law))
        except (ArticuladoError, OSError) as error:
            report.failures.append((file, str(error)))
        else:
            report.laws += 1
            report.provisions += len(law.provisions)
        progress("Leyendo normas", done, len(files))
    if not chunks:
        reasons = "; ".join(f"{file}: {reason}" for file, reason in report.failures) or "no hay ficheros .md"
        raise InvalidInput(
            f"No se ha podido leer ninguna norma ({reasons}). El índice anterior, si lo hay, sigue en uso."
        )
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

    A path that does not exist, or is no Markdown, becomes a failure of the report.
    """
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            below = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
            files.update(dict.fromkeys(below))
            if not below:
                report.failures.append((path, "la carpeta no contiene ficheros Markdown (.md)"))
        elif not path.exists():
            report.failures.append((path, "no existe"))
        elif path.suffix.lower() not in SUFFIXES:
            report.failures.append((path, "formato no admitido: se esperaba Markdown (.md)"))
        else:
            files[path] = None
    return list(files)
