"""On which machine, with which versions and over which index something was measured."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from articulado.config.settings import Settings
from articulado.language.formats import figure
from articulado.store.opening import open_index
from graph.services import Services

PACKAGES = (
    "articulado", "langgraph", "qdrant-edge-py", "qdrant-client", "numpy", "scipy", "scikit-learn", "fastembed",
    "onnxruntime", "ir-measures", "matplotlib",
)  # fmt: skip

_GIB = 2**30


def environment(services: Services) -> dict[str, str]:
    """Return what a reader of a report must know to repeat it, by Spanish name; what is not known is left out.

    Raises:
        IndexMissing, IndexMismatch: the index cannot be read.
    """
    settings = services.settings
    values = {
        "Máquina": ", ".join(filter(None, (platform.machine(), _processor(), f"{os.cpu_count()} núcleos", _memory()))),
        "Sistema": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "Paquetes": ", ".join(filter(None, map(_package, PACKAGES))),
        **(_index(settings) if settings.rag_enabled else {}),
        "Perfil": settings.profile,
        "Reordenación": settings.rerank_strategy,
        "Modelo que busca": services.reader.name,
        "Modelo que responde": services.principal.name,
    }
    return {name: value for name, value in values.items() if value}


def _index(settings: Settings) -> dict[str, str]:
    manifest = open_index(settings.index_folder).manifest
    return {
        "Índice": f"{manifest.generation}, {manifest.source}",
        "Fragmentos del índice": ", ".join(f"{name} {count}" for name, count in manifest.collections.items()),
        "Vectores densos": manifest.fingerprints.embedder,
        "Pesos BM25": manifest.fingerprints.sparse,
        "División en fragmentos": manifest.fingerprints.chunker,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    except OSError:
        return platform.processor()
    return names[0] if names else platform.processor()


def _memory() -> str:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not on this system
        return ""
    return f"{figure(size / _GIB)} GiB"


def _package(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return ""
