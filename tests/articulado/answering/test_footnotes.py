"""Sources as a block of Markdown: said as elsewhere, inert, and taken off again from what a program sends back."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.doubles import make_chunk

from articulado.answering.footnotes import footnotes, without_footnotes
from articulado.language.languages import language
from articulado.legal.agreements.scope import no_scope
from articulado.prompting.citation_markers import citation
from articulado.values.answers import Citation

URL = "https://www.boe.es/x#a38"
ES = language("es")


def cited(number: int = 1, day: date | None = None, **fields: Any) -> Citation:
    chunk = make_chunk(38, **{"provision": "Artículo 38", "title": "Vacaciones anuales", "url": URL, **fields})
    return citation(number, {"chunk": chunk}, day)  # type: ignore[typeddict-item]


def test_a_block_lists_sources_then_warnings_then_that_it_is_no_advice() -> None:
    law = make_chunk(38)["law_name"]
    sources = [cited(), cited(2, provision="Artículo 1", title="", url="")]
    assert footnotes(sources, ["Hay una reforma."], ES, law=True) == (
        "---\n\n"
        "**Fuentes**\n\n"
        f"- [C1] [{law}, Artículo 38. Vacaciones anuales]({URL})\n"
        f"- [C2] {law}, Artículo 1\n\n"
        "> Aviso: Hay una reforma.\n\n"
        "*Información general sobre la normativa; no es asesoramiento jurídico.*"
    )


def test_without_sources_there_is_no_heading() -> None:
    assert footnotes([], [], ES, law=False) == (
        "---\n\n*Información general de la base de conocimiento; no es asesoramiento.*"
    )


def test_a_block_is_in_the_language_of_the_answer() -> None:
    text = footnotes([cited()], ["Check it."], language("en"), law=True)
    assert "**Sources**" in text
    assert "> Note: Check it." in text
    assert text.endswith("*General information on the law; it is not legal advice.*")


def test_the_parts_of_a_provision_are_one_source() -> None:
    text = footnotes([cited(1), cited(2), cited(3, provision="Artículo 39")], [], ES, law=True)
    marks = [line.partition(" [E")[0] for line in text.splitlines() if line.startswith("- ")]
    assert marks == ["- [C1][C2]", "- [C3]"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"official": False, "document": ""}, "(resumen en lenguaje claro, no es el texto oficial)"),
        ({"official": False, "document": "nómina_enero.pdf"}, "Documento propio: nómina\\_enero.pdf"),
        ({"note": "Derogado."}, "Nota: Derogado."),
        ({"wording": "Redacción de 2012."}, "Redacción de 2012."),
        ({"page": "7"}, ", pág. 7"),
        ({"agreement": {**no_scope(), "first_day": "2023-01-01", "last_day": "2025-12-31"}}, ", vigencia 2023-2025"),
    ],
)
def test_a_source_says_its_kind_its_wording_its_note_and_its_place(changes: dict[str, Any], said: str) -> None:
    source: Any = {**cited(), **changes}
    assert said in footnotes([source], [], ES, law=True)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "https://x.es/a)b", "file:///etc/passwd", "data:text/html,x", "https://x.es/<b>", ""]
)
def test_only_addresses_of_the_web_are_linked_to(url: str) -> None:
    text = footnotes([cited(url=url)], [], ES, law=True)
    assert not [token for token in tokens_of(text) if token.type == "link_open"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_foreign_texts_are_escaped(name: str, warning: str) -> None:
    source: Any = {**cited(), "law": name, "title": f"![x](https://x.es/p.png) {name}", "note": name}
    text = footnotes([source], [warning, f"<img src=x> {warning}"], ES, law=True)
    assert {token.type for token in tokens_of(text)} <= {
        *("hr", "paragraph_open", "paragraph_close", "bullet_list_open", "bullet_list_close", "list_item_open"),
        *("list_item_close", "blockquote_open", "blockquote_close", "inline", "text", "text_special", "softbreak"),
        *("link_open", "link_close", "strong_open", "strong_close", "em_open", "em_close"),
    }
    links = [token.attrs["href"] for token in tokens_of(text) if token.type == "link_open"]
    assert links == [URL]


def tokens_of(text: str) -> list[Any]:
    tokens = MarkdownIt("commonmark", {"html": True}).parse(text)
    return [*tokens, *(child for token in tokens for child in token.children or [])]


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize("law", [True, False])
@pytest.mark.parametrize(
    "answer",
    [
        "Son 30 días [C1].",
        "Son:\n\n---\n\n- 30 días\n- más los pactados",
        "**Fuentes**\n\n- una\n\n> cita",
        "",
        "> Aviso: lea esto\n\n---\n\nY fin.",
    ],
)
def test_a_block_is_taken_off_again(code: str, law: bool, answer: str) -> None:
    block = footnotes([cited(), cited(2)], ["Uno.", "Otro"], language(code), law=law)
    assert without_footnotes(f"{answer}\n\n{block}\n") == answer
    assert without_footnotes(f"{answer}\n\n{footnotes([], [], language(code), law=law)}") == answer


@pytest.mark.parametrize(
    "text",
    [
        "Son 30 días.\n",
        "Uno\n\n---\n\n**Fuentes**\n\n- El Quijote",
        "---\n\ntexto propio\n\n*Información general sobre la normativa; no es asesoramiento jurídico.*",
        "*Información general sobre la normativa; no es asesoramiento jurídico.*",
        "",
    ],
)
def test_text_without_a_block_stays(text: str) -> None:
    assert without_footnotes(text) == text
