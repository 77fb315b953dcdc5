"""Everything that an index holds, looked at one by one: files, models, points, references, catalogue."""

from typing import TYPE_CHECKING, TypedDict

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError
from articulado.values.protocols import Progress

if TYPE_CHECKING:
    from articulado.config.settings import Settings
    from articulado.store.generations import Index
    from articulado.store.inspection import Inspection

FILES = "Revisando ficheros"

_EXAMPLES = 3
"""Files or documents that a finding names."""


class DeepDiagnosis(TypedDict):
    """What was looked at: the numbers of points and of chunks that others cite, and what is wrong with the index."""

    points: int
    references: int
    findings: list[str]


async def look_deep(settings: "Settings", index: "Index", progress: Progress) -> DeepDiagnosis:
    """Look at all of an index; nothing is written and no model is called.

    With files of the engine damaged, the points are not looked at: the engine may crash on them.
    """
    from articulado.store.checksums import damaged_files
    from articulado.store.inspection import Inspection

    inspection = Inspection(index)
    damaged = damaged_files(index, deep=True, progress=lambda done, total: progress(FILES, done, total))
    findings = _model_problems(index)
    if damaged:
        findings.append(translate("inspection.files", count=len(damaged), examples=_some(damaged)))
        findings.append(translate("inspection.points_not_read"))
    else:
        try:
            await _look_at_points(settings, index, inspection, progress)
            findings += inspection.findings + _document_problems(index, inspection)
        except ArticuladoError as error:
            findings += [*inspection.findings, str(error)]
    if findings and not (inspection.is_unfinished_alone and findings == inspection.findings):
        findings.append(index.advice)
    return {"points": inspection.points, "references": inspection.references, "findings": findings}


async def _look_at_points(settings: "Settings", index: "Index", inspection: "Inspection", progress: Progress) -> None:
    from graph.factory import open_store

    store = open_store(settings, index)
    try:
        await inspection.run(store, progress)
    finally:
        await store.close()


def _model_problems(index: "Index") -> list[str]:
    """Read the models of an index and say which cannot be read."""
    from articulado.encoders.dual import DualEncoder
    from articulado.legal.domain.base import Lexicon

    problems = []
    for load in (Lexicon.load, DualEncoder.load):
        try:
            load(index.models)
        except ArticuladoError as error:
            problems.append(str(error))
    return problems


def _document_problems(index: "Index", inspection: "Inspection") -> list[str]:
    """Compare the documents of manifest and catalogue with those that points were found of."""
    from articulado.ingestion.incremental.catalog import read_catalog

    problems = [
        translate("inspection.documents", name=name, expected=expected, count=len(inspection.laws[name]))
        for name, expected in index.manifest.documents.items()
        if len(inspection.laws[name]) != expected
    ]
    try:
        with read_catalog(index.folder) as catalog:
            sources = [source for source in catalog.sources() if source["parents"]]
    except ArticuladoError as error:
        return [*problems, str(error)]
    for name in dict.fromkeys(source["collection"] for source in sources):
        cataloged = {source["law_id"] for source in sources if source["collection"] == name}
        if lacking := sorted(cataloged - inspection.laws[name]):
            problems.append(translate("inspection.catalogue", name=name, count=len(lacking), examples=_some(lacking)))
    return problems


def _some(names: list[str]) -> str:
    return ", ".join(names[:_EXAMPLES]) + (" …" if len(names) > _EXAMPLES else "")
