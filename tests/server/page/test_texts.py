"""What the page says: in every language, all of it, and nothing that is not said."""

import re
import tomllib

import pytest
from support.paths import REPOSITORY

from articulado.language.languages import LANGUAGES

FOLDER = REPOSITORY / "server" / "page"
FILES = sorted((FOLDER / "files").iterdir())


def texts(code: str) -> dict[str, str]:
    return tomllib.loads((FOLDER / "texts" / f"{code}.toml").read_text(encoding="utf-8"))


def fields(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_says_the_same_with_the_same_fields(code: str) -> None:
    spanish, own = texts("es"), texts(code)
    assert own.keys() == spanish.keys()
    assert {key: fields(text) for key, text in own.items()} == {key: fields(text) for key, text in spanish.items()}


def test_the_page_says_all_its_texts_and_no_others() -> None:
    source = {file.name: file.read_text(encoding="utf-8") for file in FILES}
    used = set(re.findall(r"\{\{(\w+)\}\}", source["index.html"])) - {"title", "language", "field", "data", "notice"}
    used |= {"notice_law", "notice_plain", "own_text", "our_text"}
    scripts = "\n".join(text for name, text in source.items() if name.endswith(".js"))
    used |= set(re.findall(r'say\((?:[^()"]|\([^()]*\))*?"(\w+)"', scripts)) - {"own_words", "notice"}
    for choice in re.findall(r'\? "(\w+)" : "(\w+)"', scripts):
        used |= set(choice) & texts("es").keys()
    begun = set(re.findall(r"say\(`(\w+)\$\{", scripts))
    said = {key for key in texts("es") if key.startswith(tuple(begun))} | used
    assert said == texts("es").keys()


def test_no_script_makes_elements_of_text() -> None:
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text), (
            file
        )
        assert not re.search(r"""(?:src|href|url\()\s*=?\s*["']?(?:https?:)?//""", text), file


def test_nothing_that_the_page_says_is_jargon() -> None:
    for key, text in texts("es").items():
        said = re.sub(r"\{\w+\}", "", text)
        assert not re.search(r"precept|remisi|\btokens?\b|certeza|fragmento|_", said, re.IGNORECASE), key
