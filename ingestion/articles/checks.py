"""What must hold between the chunks of one article, and that it keeps its own guardrails."""

import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.articles.problems import refused
from ingestion.articles.schema import Article, ArticleChunk
from ingestion.articles.text import Labels, text_of

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


def check_guards(article: Article, words: Labels, file: Path) -> None:
    """Look for what the guards of an article forbid in the texts of its chunks, but for the rules that forbid it.

    Raises:
        InvalidInput: an expression is found, which would refuse every answer that says what the article says.
    """
    texts = [text_of(chunk.model_copy(update={"guards": []}), words) for chunk in article.chunks]
    guards = [
        (number, guard.id, written)
        for number, chunk in enumerate(article.chunks, start=1)
        for guard in chunk.guards
        for written in guard.violated_by
    ]
    for number, name, written in guards:
        for place, text in enumerate(texts, start=1):
            if found := re.search(written, text, re.IGNORECASE):
                what = f"la expresión «{written}» de «{name}» encuentra «{found[0]}» en el trozo {place} del artículo"
                raise refused(file, f"trozo {number}, guards", f"{what}; escríbala de modo que no lo haga")
