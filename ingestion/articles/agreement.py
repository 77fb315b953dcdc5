"""What must hold between the chunks of one article."""

from collections.abc import Iterator

from ingestion.articles.schema import Article, ArticleChunk

Problem = tuple[tuple[str | int, ...], str]
"""Where in the file something is wrong, and what."""


def contradictions(article: Article) -> Iterator[Problem]:
    """Yield names that are there twice, and rules on a datum that the article does not ask for."""
    seen: set[tuple[str, str]] = set()
    for number, chunk in enumerate(article.chunks):
        for key, item, name in _names(chunk):
            if (key, name) in seen:
                yield ("chunks", number, key, item), f"«{name}» está dos veces en el artículo"
            seen.add((key, name))
    data = {one.field for chunk in article.chunks for one in chunk.fields}
    for number, chunk in enumerate(article.chunks):
        for item, rule in enumerate(chunk.rules):
            if (name := rule.when.field) not in data:
                where = ("chunks", number, "rules", item, "when", "field")
                yield (
                    where,
                    f"«{name}» no está entre los «fields» del artículo ({', '.join(sorted(data)) or 'ninguno'})",
                )


def _names(chunk: ArticleChunk) -> Iterator[tuple[str, int, str]]:
    """Yield what must be unique: names and aliases of data, ids of guards; with their list and place in it."""
    for item, datum in enumerate(chunk.fields):
        for name in (datum.field, *datum.aliases):
            yield "fields", item, name
    for item, guard in enumerate(chunk.guards):
        yield "guards", item, guard.id
