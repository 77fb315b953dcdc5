"""What a chunk holds beside its text: the items of the file as plain dictionaries."""

from ingestion.articles.schema import ITEMS, Article, ArticleChunk
from state.articles import Details


def details_of(article: Article, chunk: ArticleChunk) -> Details:
    """Return the structured content of a chunk; lists that are empty are left out, as are bounds that a rule lacks.

    The provisions of a chunk that names none are those of its article.
    """
    written = chunk.model_dump(mode="json", exclude_none=True, include={*ITEMS.values(), "warnings"})
    details: Details = {"article_title": article.title, **{name: items for name, items in written.items() if items}}  # type: ignore[typeddict-item]
    if provisions := chunk.provisions or article.provisions:
        details["provisions"] = list(provisions)
    return details
