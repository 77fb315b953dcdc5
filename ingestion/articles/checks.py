"""Check what the schema of one chunk cannot: that the chunks of an article agree, and keep its own guardrails."""

import re
from collections.abc import Iterator
from pathlib import Path

from articulado.language.translation import translate
from ingestion.articles.data_checks import data_problems
from ingestion.articles.problems import Problem, article_error
from ingestion.articles.schema import Article, ArticleChunk
from ingestion.articles.text import Labels, text_of


def contradictions(article: Article) -> Iterator[Problem]:
    """Yield the names that an article has twice, and what its data and the rules on them do not bear."""
    seen: set[tuple[str, str]] = set()
    for number, chunk in enumerate(article.chunks):
        for key, item, name in _names(chunk):
            if (key, name) in seen:
                yield ("chunks", number, key, item), translate("article.twice", name=name)
            seen.add((key, name))
    yield from data_problems(article)


def _names(chunk: ArticleChunk) -> Iterator[tuple[str, int, str]]:
    """Yield what must be unique, names and aliases of data and ids of guards: its list, the index in that, itself."""
    for item, datum in enumerate(chunk.fields):
        for name in (datum.field, *datum.aliases):
            yield "fields", item, name
    for item, guard in enumerate(chunk.guards):
        yield "guards", item, guard.id


def check_guards(article: Article, labels: Labels, file: Path) -> None:
    """Look for what the guards of an article forbid in the texts of its chunks, but for the rules that forbid it.

    Raises:
        InvalidInput: an expression is found, which would refuse every answer that says what the article says.
    """
    texts = [text_of(chunk.model_copy(update={"guards": []}), labels) for chunk in article.chunks]
    guards = [
        (number, guard.id, pattern)
        for number, chunk in enumerate(article.chunks, start=1)
        for guard in chunk.guards
        for pattern in guard.violated_by
    ]
    for number, guard_id, pattern in guards:
        for other, text in enumerate(texts, start=1):
            if match := re.search(pattern, text, re.IGNORECASE):
                what = translate("article.guard_matches", pattern=pattern, guard=guard_id, match=match[0], number=other)
                raise article_error(
                    file,
                    translate("article.guards_of_chunk", number=number),
                    translate("article.guard_advice", what=what),
                )
