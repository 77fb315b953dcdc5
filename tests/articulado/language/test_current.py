"""Texts of errors: complete in every language, all used, and in the current language."""

import ast
import asyncio
import re
from collections.abc import Iterator
from functools import cache
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
"""Modules used by the profile of Spanish law alone, and the harness."""

ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ArticuladoError)}
FIELD = re.compile(r"(?<!\{)\{(\w+)")


def sources() -> Iterator[tuple[str, str]]:
    for room in ROOMS:
        for file in sorted((REPOSITORY / room).rglob("*.py")):
            yield file.relative_to(REPOSITORY).as_posix(), file.read_text(encoding="utf-8")


@cache
def calls() -> tuple[tuple[str, ast.Call, str], ...]:
    """Return the place, the node and the name of each call of ``translate`` or of an error."""
    names = ERRORS | {"translate"}
    called = re.compile(rf"\b(?:{'|'.join(names)})\(")
    return tuple(
        (f"{path}:{node.lineno}", node, node.func.id)
        for path, source in sources()
        if called.search(source)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names
    )


def fields(text: str) -> set[str]:
    return set(FIELD.findall(text.replace("{{", "").replace("}}", "")))


def test_every_language_has_the_same_texts_with_the_same_fields():
    spanish, english = error_texts("es"), error_texts("en")
    assert spanish.keys() == english.keys()
    assert {key: fields(text) for key, text in spanish.items()} == {key: fields(text) for key, text in english.items()}


def test_each_translate_call_has_a_text_and_all_its_fields():
    texts, wrong = error_texts("es"), []
    for place, call, name in calls():
        if name != "translate" or not isinstance(call.args[0], ast.Constant):
            continue
        key, given = call.args[0].value, {keyword.arg for keyword in call.keywords}
        if key not in texts or (None not in given and given != fields(texts[key])):
            wrong.append((place, key, given))
    assert wrong == []


def test_every_text_is_used():
    named = {name for _, source in sources() for name in re.findall(r"[\"']([\w.]+)[\"']", source)}
    assert sorted(error_texts("es").keys() - named) == []


def test_errors_are_raised_with_translated_texts():
    literal = [
        place
        for place, call, name in calls()
        if name in ERRORS and not place.startswith(SPANISH_ALONE) and call.args
        if isinstance(call.args[0], ast.JoinedStr)
        or (isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str))
    ]
    assert literal == []


def test_use_locale_holds_in_its_block_and_in_threads_started_there():
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


def test_a_language_without_texts_falls_back_to_spanish():
    with use_locale("fr"):
        assert current_language() == "es"


def test_unknown_keys_and_missing_fields_raise_key_error():
    with pytest.raises(KeyError):
        translate("question.nothing_of_the_kind")
    with pytest.raises(KeyError):
        translate("models.silent", name="m")


def test_reasons_of_system_errors_are_translated(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        Path(tmp_path, "x").read_text()
    assert reason(missing.value) == "no existe"
    with use_locale("en"):
        assert reason(missing.value) == "it does not exist"
        assert reason(OSError(9999, "x")) == "the system gives the error 9999"
