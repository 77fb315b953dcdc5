"""Deep checks of an index (files, models, points, references, catalogue), and checks of a profile's articles."""

from datetime import date
from typing import TYPE_CHECKING, TypedDict

from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, ConfigurationError, IndexMismatch
from articulado.values.protocols import Progress

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.config.settings import ModelSettings, Settings
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.store.generations import Index
    from articulado.store.opening import Inspection
    from articulado.values.protocols import ChunkStore


FILES = "Revisando ficheros"

_EXAMPLES = 3


class DeepDiagnosis(TypedDict):
    """Result of a deep check: numbers of points and of cited chunks, and findings."""

    points: int
    references: int
    findings: list[str]


def vectors_of(settings: "ModelSettings") -> str:
    """Describe the calls to a provider's embedder: batches, time-out, concurrency and prefixes."""
    from articulado.models.habits import kinds_of

    if settings.provider in ("offline", "fastembed"):
        return ""
    kinds = kinds_of(settings.model, settings.query_prefix, settings.passage_prefix)
    batch = f"hasta {settings.batch} textos" if settings.batch else "textos por petición según tarde"
    parts = [batch, f"{settings.timeout:g} s por petición", f"{settings.concurrency} a la vez como máximo"]
    parts += [f"«{kinds.query}» ante la consulta"] if kinds.query else []
    parts += [f"«{kinds.passage}» ante el texto"] if kinds.passage else []
    parts += ["el servidor distingue consulta y texto (input_type)"] if kinds.query_type else []
    return f" · {', '.join(parts)}"


async def look_deep(settings: "Settings", index: "Index", progress: Progress) -> DeepDiagnosis:
    """Check everything in an index without a model; the engine might crash on the points of damaged files."""
    from articulado.store.files import damaged_files
    from articulado.store.opening import Inspection

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
    from articulado.store.opening import open_store

    store = open_store(settings, index)
    try:
        await inspection.run(store, progress)
    finally:
        await store.close()


def _model_problems(index: "Index") -> list[str]:
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


class StaleCalculations(TypedDict):
    """A provision whose wording in the index differs from that of its calculations, and their kinds."""

    provision: str
    calculations: list[str]


async def stale_calculations(store: "ChunkStore") -> list[StaleCalculations]:
    from articulado.calculations.wordings import find_changed

    changed = await find_changed(store, date.today())
    return [{"provision": each.provision, "calculations": list(each.calculations)} for each in changed]


def note_on_stale(stale: list[StaleCalculations]) -> list[str]:
    from articulado.calculations.written import cited

    listed = [f"{cited(each['provision'])} ({', '.join(each['calculations'])})" for each in stale]
    return [translate("calculation.changed", list="; ".join(listed))] if listed else []


async def note_on_stale_cards(store: "ChunkStore") -> list[str]:
    """Return a note that lists answer cards whose law has another wording in an index; empty without any."""
    from articulado.guides.card_answers import stale_cards

    stale = await stale_cards(store, date.today())
    return [translate("guides.cards_stale", count=len(stale), list=_some(list(stale)))] if stale else []


def article_problem(profile: "Profile") -> str:
    """Return the reason why no index can be made of a profile's articles; empty without one."""
    from articulado.ingestion.bundled import bundled_articles

    try:
        articles = bundled_articles(profile)
    except ConfigurationError as error:
        return str(error)
    if profile.articles and not articles and not profile.features.records:
        return (
            f"La carpeta de artículos del perfil «{profile.name}», {profile.articles}, no tiene ninguno "
            "(*.article.yaml). Ponga en ella los artículos, o quite [knowledge] del perfil."
        )
    return ""


def cases_only(profile: "Profile") -> str:
    if profile.for_questions:
        return ""
    return (
        f"El perfil «{profile.name}» solo trata casos (articulado case): ninguna de sus [[collections]] es para "
        "preguntas libres (questions = true)."
    )


def index_needed(profile: "Profile") -> str:
    if profile.features.records:
        return ""
    return (
        f"El perfil «{profile.name}» no trae resúmenes que consultar sin índice: active la búsqueda "
        "(ARTICULADO_RAG_ENABLED=true)."
    )


def staleness(base: "IndexBase", problem: str) -> str:
    """Return a note if an index was made from other articles than the profile's; ``problem`` prevents a renewal."""
    from articulado.ingestion.first_index import follows_profile, renewal_command

    if problem:
        return f"El índice sirve, pero no se puede renovar hasta que se arregle esto: {problem}"
    try:
        is_current = follows_profile(base)
    except IndexMismatch as error:  # it can be asked all the same
        return str(error)
    return (
        ""
        if is_current
        else (
            "El índice se hizo con otros artículos, u otros ajustes, que los que tiene ahora el perfil. Renuévelo con: "
            f"{renewal_command(base.settings)}"
        )
    )
