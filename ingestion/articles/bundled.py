"""The articles that a profile brings along."""

from functools import lru_cache

from ingestion.articles.chunks import ArticleChunks, cut_article
from ingestion.articles.names import is_article
from ingestion.digests import profile_digest
from services.profile.profile import Profile
from state.errors import ConfigurationError, InvalidInput


def bundled_articles(profile: Profile) -> list[ArticleChunks]:
    """Return the articles of a profile, in order of the names of their files; none where it has no folder for them.

    Raises:
        ConfigurationError: the folder is not there, one of them is broken, or two have the same id.
    """
    folder = profile.articles
    if folder is None or profile.knowledge is None:
        return []
    if not folder.is_dir():
        raise ConfigurationError(f"No existe la carpeta de artículos del perfil «{profile.name}»: {folder}. Créela.")
    return list(_read(profile_digest(profile), profile.model_dump_json()))


@lru_cache(maxsize=8)
def _read(digest: str, written: str) -> tuple[ArticleChunks, ...]:
    """Read the articles of a profile, which is given as JSON; ``digest`` changes when a file of theirs does.

    Kept, because an ingest and the opening of an index look at them again and again.
    """
    profile = Profile.model_validate_json(written)
    assert profile.articles is not None
    assert profile.knowledge is not None
    articles: dict[str, ArticleChunks] = {}
    for file in sorted(one for one in profile.articles.iterdir() if is_article(one)):
        try:
            article = cut_article(file, profile, official=profile.knowledge.official)
        except InvalidInput as error:
            raise ConfigurationError(str(error)) from error
        if article.id in articles:
            raise ConfigurationError(f"El perfil «{profile.name}» tiene dos artículos «{article.id}». Deje uno.")
        articles[article.id] = article
    return tuple(articles.values())
