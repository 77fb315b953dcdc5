"""Read an article file: its YAML, checked against the schema and against itself."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.config.files import decode, read_bytes
from articulado.language.translation import translate
from ingestion.articles.checks import contradictions
from ingestion.articles.problems import article_error, location, schema_error
from ingestion.articles.schema import Article


class _UniqueKeysLoader(yaml.SafeLoader):
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
        fields = load_yaml(decode(read_bytes(file), file), _UniqueKeysLoader)
    except UnreadableYaml as error:
        line = translate("article.yaml_line", line=error.line) if error.line else ""
        raise article_error(file, "", translate("article.not_yaml", line=line)) from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise article_error(file, "", translate("article.no_keys"))
    try:
        article = Article.model_validate(fields)
    except ValidationError as error:
        raise schema_error(file, error) from error
    for path, what in contradictions(article):
        raise article_error(file, location(path), what)
    return article
