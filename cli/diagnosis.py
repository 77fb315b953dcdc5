"""The diagnosis of an installation: roles, keys, store, index, and everything that stands in the way of an answer."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from rich.console import Console

from cli.options import read_settings
from cli.render import clean
from services.errors import ArticuladoError, IndexMissing

if TYPE_CHECKING:
    from services.settings import ModelSettings, Role, Settings
    from services.store.manifest import Manifest

ROLES: dict["Role", str] = {"reader": "lector", "principal": "principal", "embedder": "vectores"}
KEYED_PROVIDERS = ("openai", "azure")


class RoleDiagnosis(TypedDict):
    """One model role; ``key`` is "configurada", "falta" or "no hace falta"."""

    provider: str
    model: str
    base_url: str
    key: str


class IndexDiagnosis(TypedDict):
    """The index that is open. ``created`` is UTC; ``collections`` counts chunks, ``documents`` laws (or rulings …)."""

    folder: str
    demo: bool
    source: str
    created: str
    chunks: int
    collections: dict[str, int]
    documents: dict[str, int]
    fingerprints: dict[str, str]


class Diagnosis(TypedDict):
    """Everything found; ``ready`` says whether questions can be answered, ``problems`` what to do."""

    ready: bool
    store: str
    profile: str
    roles: dict[str, RoleDiagnosis]
    index: IndexDiagnosis | None
    problems: list[str]


async def diagnose(index: Path | None) -> Diagnosis:
    """Look at the settings, the keys and the index; the demo index is built where there is none yet."""
    found: Diagnosis = {"ready": False, "store": "", "profile": "", "roles": {}, "index": None, "problems": []}
    try:
        settings = read_settings(index)
        found["store"], found["profile"] = settings.store, settings.profile
        for role in ROLES:
            found["roles"][role] = _role(getattr(settings, role))
            if found["roles"][role]["key"] == "falta":
                found["problems"].append(f"Falta la clave de {ROLES[role]}: defina ARTICULADO_{role.upper()}_API_KEY.")
        found["index"] = await _open(settings, keys_complete=not found["problems"])
    except ArticuladoError as error:
        found["problems"].append(str(error))
    found["ready"] = not found["problems"]
    return found


def _role(settings: "ModelSettings") -> RoleDiagnosis:
    offline = settings.provider == "offline"
    needed = settings.provider in KEYED_PROVIDERS
    missing = "falta" if needed else "no hace falta"
    return {
        "provider": settings.provider,
        "model": "" if offline else settings.model,
        "base_url": settings.base_url,
        "key": "configurada" if settings.api_key and not offline else missing,
    }


async def _open(settings: "Settings", *, keys_complete: bool) -> IndexDiagnosis | None:
    """Open the index, and with all keys at hand every service on it and the store, as a question would."""
    from ingestion.demo import open_configured
    from services.factory import build_services
    from services.index import open_index

    if not keys_complete:
        try:
            return _index(open_index(settings.index_folder).manifest, settings.index_folder)
        except IndexMissing:
            if settings.index is not None:
                raise
            return None
    index = await open_configured(settings)
    services = build_services(settings, index)
    try:
        await services.store.counts()
    finally:
        await services.store.close()
    return _index(index.manifest, settings.index_folder)


def _index(manifest: "Manifest", folder: Path) -> IndexDiagnosis:
    return {
        "folder": str(folder),
        "demo": manifest.demo,
        "source": manifest.source,
        "created": manifest.created.isoformat(timespec="seconds"),
        "chunks": sum(manifest.collections.values()),
        "collections": manifest.collections,
        "documents": manifest.documents,
        "fingerprints": manifest.fingerprints.model_dump(),
    }


def print_diagnosis(out: Console, found: Diagnosis) -> None:
    """Print a diagnosis for a person."""
    lines = []
    for role, settings in found["roles"].items():
        model = " ".join(part for part in (settings["provider"], settings["model"], settings["base_url"]) if part)
        lines.append((f"Modelo {ROLES[role]}", f"{model} · clave: {settings['key']}"))  # type: ignore[index]
    if index := found["index"]:
        lines += [
            ("Almacén", found["store"]),
            ("Índice", index["folder"] + (" (demostración)" if index["demo"] else "")),
            ("Contenido", f"{index['chunks']} fragmentos"),
            *((f"  {name}", _amount(index, name)) for name in index["collections"]),
            ("Procede de", index["source"]),
            ("Construido", f"{index['created']} (UTC)"),
            *((f"Huella {part}", value) for part, value in index["fingerprints"].items()),
        ]
    for name, value in lines:
        out.print(f"{name:<18} {clean(value)}", markup=False)
    for problem in found["problems"]:
        out.print(f"\nProblema: {clean(problem)}", style="red", markup=False)
    if found["ready"]:
        out.print("\nTodo listo: se puede preguntar. (No se ha llamado a ningún modelo.)", style="green")


def _amount(index: IndexDiagnosis, name: str) -> str:
    unit = "leyes" if name == "normativa" else "documentos"
    return f"{index['collections'][name]} fragmentos de {index['documents'].get(name, '?')} {unit}"
