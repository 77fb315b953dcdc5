"""An article must not break its own rules: whatever quotes it would."""

import re
from pathlib import Path

from ingestion.articles.labels import Labels
from ingestion.articles.problems import refused
from ingestion.articles.schema import Article
from ingestion.articles.text import text_of


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
