"""What a profile lets be done, and whether its articles can be used and are those of the index."""

from typing import TYPE_CHECKING

from articulado.values.errors import ConfigurationError, IndexMismatch

if TYPE_CHECKING:
    from articulado.config.profile import Profile
    from articulado.ingestion.incremental.base import IndexBase


def article_problem(profile: "Profile") -> str:
    """Read the articles that a profile brings along and say what keeps an index from being made of them; else ""."""
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
    """Say that a profile has nothing to ask free questions of; "" where it has."""
    if profile.for_questions:
        return ""
    return (
        f"El perfil «{profile.name}» solo trata casos (articulado case): ninguna de sus [[collections]] es para "
        "preguntas libres (questions = true)."
    )


def index_needed(profile: "Profile") -> str:
    """Say what keeps a profile from answering where the search is switched off; "" where nothing does."""
    if profile.features.records:
        return ""
    return (
        f"El perfil «{profile.name}» no trae resúmenes que consultar sin índice: active la búsqueda "
        "(ARTICULADO_RAG_ENABLED=true)."
    )


def staleness(base: "IndexBase", problem: str) -> str:
    """Say that an index was made from other articles than the profile has now, and what to run; else "".

    ``problem`` is what keeps it from being renewed, or empty.
    """
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
