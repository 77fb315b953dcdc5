"""What errors say: the same in every language, named where it is said, and in the language of whoever asks."""

import ast
import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.paths import REPOSITORY

from articulado.language.translation import current_language, error_texts, reason, translate, use_locale
from articulado.values import errors
from articulado.values.errors import ArticuladoError

ROOMS = ("articulado", "cli", "graph", "nodes", "server")
SPANISH_ALONE = (
    "cli/eval",
    "articulado/ingestion/boe",
    "articulado/ingestion/history",
    "articulado/retrieval/conversation",
    "articulado/store/records",
    "articulado/retrieval/relevance",
)
"""What a profile of Spanish law alone has to do with, and the harness."""

ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ArticuladoError)}
FIELD = re.compile(r"(?<!\{)\{(\w+)")


def trees() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for file in sorted((REPOSITORY / room).rglob("*.py")):
            yield file.relative_to(REPOSITORY).as_posix(), ast.parse(file.read_text(encoding="utf-8"))


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Yield every call, after its place, with the name of what is called."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield f"{path}:{node.lineno}", node, node.func.id


def fields(text: str) -> set[str]:
    return set(FIELD.findall(text.replace("{{", "").replace("}}", "")))


def test_every_language_has_the_same_texts_with_the_same_fields():
    spanish, english = error_texts("es"), error_texts("en")
    assert spanish.keys() == english.keys()
    assert {key: fields(text) for key, text in spanish.items()} == {key: fields(text) for key, text in english.items()}


def test_what_is_said_has_a_text_and_all_its_fields():
    texts, wrong = error_texts("es"), []
    for place, call, name in calls():
        if name != "translate" or not isinstance(call.args[0], ast.Constant):
            continue
        key, given = call.args[0].value, {keyword.arg for keyword in call.keywords}
        if key not in texts or (None not in given and given != fields(texts[key])):
            wrong.append((place, key, given))
    assert wrong == []


def test_every_text_is_named_where_it_is_said():
    named = {node.value for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert sorted(error_texts("es").keys() - named) == []


def test_no_error_is_raised_with_a_text_of_one_language():
    literal = [
        place
        for place, call, name in calls()
        if name in ERRORS and not place.startswith(SPANISH_ALONE) and call.args
        if isinstance(call.args[0], ast.JoinedStr)
        or (isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str))
    ]
    assert literal == []


def test_a_language_is_spoken_within_its_block_and_by_what_is_started_there():
    async def said() -> str:
        return await asyncio.to_thread(translate, "question.empty")

    assert translate("question.empty").startswith("La pregunta está vacía.")
    with use_locale("en"):
        assert asyncio.run(said()).startswith("The question is empty.")
        with use_locale("es"):
            assert current_language() == "es"
        assert (
            translate("models.silent", name="m", seconds=9.6)
            == "m has not replied within 10 seconds. Repeat the command."
        )
    assert current_language() == "es"


def test_a_language_without_texts_is_the_default_one():
    with use_locale("fr"):
        assert current_language() == "es"


def test_what_is_not_there_is_a_mistake_of_the_program():
    with pytest.raises(KeyError):
        translate("question.nothing_of_the_kind")
    with pytest.raises(KeyError):
        translate("models.silent", name="m")


def test_why_the_system_refuses_is_said_in_the_language(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        Path(tmp_path, "x").read_text()
    assert reason(missing.value) == "no existe"
    with use_locale("en"):
        assert reason(missing.value) == "it does not exist"
        assert reason(OSError(9999, "x")) == "the system gives the error 9999"
