"""A conversation as a document: all of it, as text that nothing runs or loads."""

import io
import zipfile
from datetime import UTC, datetime
from typing import Any

import docx
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from support.doubles import make_chunk

from articulado.language.languages import language
from articulado.prompting.citation_markers import citation
from server.conversations.routes import export
from server.conversations.store import Conversation, KeptTurn
from state.rag import fresh_turn

CHUNK = make_chunk(38, "Artículo 38", title="Vacaciones anuales", url="https://www.boe.es/x#a38")


def turn(question: str, answer: str, **changes: Any) -> KeptTurn:
    empty = {name: {**fresh_turn(), "warnings": []}.get(name) for name in KeptTurn.__annotations__}
    cited = citation(1, {"chunk": CHUNK})  # type: ignore[typeddict-item]
    turn: Any = {**empty, "asked": "2026-01-02T03:04:05+00:00", "as_of": None, "question": question, "answer": answer}
    return {**turn, "citations": [cited], **changes}


def conversation(*turns: KeptTurn) -> Conversation:
    return Conversation("ana/1", (), turns, datetime(2026, 1, 2, tzinfo=UTC))


def as_markdown(*turns: KeptTurn) -> str:
    return export(conversation(*turns), "markdown", "Derecho laboral", language("es"), law=True).decode()


def test_markdown_has_the_questions_the_answers_and_their_sources() -> None:
    finding = {"check": "figure", "where": "40 días", "message": "no consta en la fuente"}
    text = as_markdown(
        turn("¿Vacaciones?", "Son 30 días [C1].\n- Se pactan [C1]", findings=[finding], warnings=["Hay una reforma."])
    )
    assert text.splitlines()[0] == "# Derecho laboral"
    assert "## ¿Vacaciones?" in text
    assert "Son 30 días \\[C1\\]." in text
    assert "\n- Se pactan" in text
    assert "Artículo 38. Vacaciones anuales" in text
    assert "<https://www.boe.es/x#a38>" in text
    assert "> Atención: «40 días»: no consta en la fuente" in text
    assert "> Aviso: Hay una reforma." in text
    assert text.rstrip().endswith("> Información general sobre la normativa; no es asesoramiento jurídico.")


CLAIM = {
    "check": "claim",
    "where": "Son 40 días [C1].",
    "message": "La fuente dice otra cosa.",
    "mark": "C1",
    "evidence": "Son treinta días.",
}


def test_a_claim_stands_beside_the_sentence_of_its_source() -> None:
    lines = as_markdown(turn("¿Vacaciones?", "Son 40 días [C1].", findings=[CLAIM])).splitlines()
    notes = [line for line in lines if line.startswith(">")][:3]
    assert notes == [
        "> Atención: La fuente dice otra cosa.",
        "> La respuesta: «Son 40 días.»",
        "> La fuente \\[C1\\]: «Son treinta días.»",
    ]


def test_word_has_the_same_with_links() -> None:
    content = export(
        conversation(turn("¿Vacaciones?", "Son 30 días [C1].", findings=[CLAIM])),
        "docx",
        "Derecho",
        language("es"),
        law=True,
    )
    document = docx.Document(io.BytesIO(content))
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[0] == "Derecho"
    assert "¿Vacaciones?" in texts
    assert "Son 30 días [C1]." in texts
    assert "La fuente [C1]: «Son treinta días.»" in texts
    assert "https://www.boe.es/x#a38" in [relation.target_ref for relation in document.part.rels.values()]


@given(st.text(max_size=200), st.text(max_size=200))
def test_markup_in_texts_is_escaped(question: str, answer: str) -> None:
    written = as_markdown(turn(question, answer, citations=[]))
    tokens = MarkdownIt("commonmark", {"html": True}).parse(written)
    inline = [child for token in tokens for child in token.children or []]
    assert not {token.type for token in tokens} & {"html_block", "fence", "code_block"}
    assert {child.type for child in inline} <= {"text", "softbreak", "hardbreak", "text_special"}
    content = export(conversation(turn(question, answer)), "docx", "x", language("es"), law=True)
    assert zipfile.ZipFile(io.BytesIO(content)).testzip() is None
