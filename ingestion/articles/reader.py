"""Read an article file."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ingestion.articles.checks import contradictions
from ingestion.articles.problems import explained, place, refused
from ingestion.articles.schema import Article
from ingestion.files.formats.source import decode, read_bytes
from ingestion.markdown.yaml_fields import UnreadableYaml, load_yaml


class _OneOfEach(yaml.SafeLoader):
    """Refuses a key that is there twice: the first value would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, "key twice", key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def read_article(file: Path) -> Article:
    """Read and check an article.

    Raises:
        InvalidInput: it cannot be read, is no YAML or breaks the schema; the message names file, chunk and key.
    """
    try:
        written = load_yaml(decode(read_bytes(file), file), _OneOfEach)
    except UnreadableYaml as error:
        line = f": no se entiende su línea {error.line}, o repite una clave" if error.line else ""
        raise refused(file, "", f"no es YAML válido{line}") from error
    if not isinstance(written, dict) or not all(isinstance(key, str) for key in written):
        raise refused(file, "", "no es una serie de claves con su valor, como «title: …»")
    try:
        article = Article.model_validate(written)
    except ValidationError as error:
        raise explained(file, error) from error
    for path, what in contradictions(article):
        raise refused(file, place(path), what)
    return article
