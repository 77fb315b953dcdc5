"""How an index follows its profile: by itself while nothing was ingested, else by a command."""

from ingestion.articles.named import Named
from ingestion.base import IndexBase
from ingestion.catalog import read_catalog
from ingestion.digests import profile_digest
from services.profile.profile import DEFAULT
from services.settings import Settings


def renewing(settings: Settings) -> str:
    """Return the command that writes an index anew from its own documents and what the profile brings along."""
    profile = f" --profile {settings.profile}" if settings.profile != DEFAULT else ""
    index = f" --index {settings.index}" if settings.index is not None else ""
    return f"articulado ingest{profile}{index}"


def follows_profile(base: IndexBase) -> bool:
    """Tell whether the index that is served was made from what the profile says and brings along now.

    Raises:
        IndexMismatch: the catalogue of the index cannot be read.
    """
    generation = base.generation()
    if generation is None or not base.is_ingested():
        return True  # a first index sees to it itself
    return read_catalog(generation).profile == profile_digest(base.profile)


def nothing_to_renew(base: IndexBase) -> str:
    """Say what to do where an ingest names nothing, and nothing was ever ingested."""
    profile, command = base.profile, renewing(base.settings)
    initial = (
        f" El índice inicial del perfil «{profile.name}», el de lo que trae consigo, se construye con la primera "
        "pregunta y se renueva solo cuando algo cambia."
    ) * bool(profile.features.records or profile.articles)
    return (
        f"Nada que hacer: todavía no se ha ingerido ningún documento.{initial} Para añadirlos, indique ficheros o "
        f"carpetas ({command} RUTA…) o normas del BOE ({command.replace('ingest', 'ingest boe', 1)} BOE-A-2015-11430)."
    )


def brought_along(article: Named, base: IndexBase) -> str:
    """Say how to take an article out that belongs to the profile."""
    command = renewing(base.settings)
    renewed = f" y repita {command}" if base.is_ingested() else "; el índice inicial se renueva solo"
    return (
        f"El artículo «{article.id}» no se ingirió: es del perfil «{base.profile.name}», que lo trae "
        f"consigo. Para quitarlo, borre su fichero, {article.file}{renewed}. No se ha quitado nada."
    )
