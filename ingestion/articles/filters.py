"""The filter fields that an article names, checked against those of the profile."""

from collections.abc import Iterable
from pathlib import Path

from ingestion.articles.problems import refused
from ingestion.articles.schema import Article
from services.profile.profile import Profile
from services.profile.sections import FilterField

TOPIC = "topic"


def attributes_of(article: Article, file: Path, profile: Profile) -> dict[str, str]:
    """Return every filter field but the topic; empty where the article applies to all. And the day of its update.

    Raises:
        InvalidInput: a field or a value that the profile does not know.
    """
    fields = {one.name: one for one in profile.filter_fields}
    given: dict[str, object] = article.filters
    for name in given:
        if name not in fields:
            known = ", ".join(one for one in fields if one != TOPIC) or "ninguno"
            raise refused(
                file,
                "",
                f"«{name}» no es una clave conocida ni un campo de filtro del perfil «{profile.name}» (los que hay: "
                f"{known})",
            )
    if TOPIC in fields:
        _check(fields[TOPIC], article.topic, file)
    for name, value in given.items():
        _check(fields[name], value, file)
    return {**{name: str(given.get(name, "")) for name in fields if name != TOPIC}, "updated": str(article.updated)}


def _check(field: FilterField, value: object, file: Path) -> None:
    if not isinstance(value, str):
        raise refused(file, field.name, "debe ser un texto (póngalo entre comillas)")
    if field.values and value not in field.values:
        raise refused(file, field.name, f"no se conoce «{value}»; los valores posibles son {_listed(field.values)}")


def _listed(values: Iterable[str]) -> str:
    return ", ".join(f"«{value}»" for value in values)
