"""The message of an answer as clients read it that know no field of ours: annotations, sources as text, metadata."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from support.doubles import make_chunk
from support.states import begun

from articulado.language.languages import language
from articulado.prompting.citation_markers import citation, marker_spans
from articulado.retrieval.fusion import candidate
from articulado.values.chunks import Candidate
from nodes.turn import MAX_EXCERPT, Told, told
from nodes.validation import checked_history

SPANISH = language("es")
VACATION = "1. El periodo de vacaciones será el pactado. En ningún caso será inferior a treinta días naturales."
ANSWER = "Son treinta días naturales, y nunca menos [C1]. Al irse se pagan [C2][C1]."
HEADING, NOTICE = "**Fuentes**", "no es asesoramiento jurídico"


def source(id_: int, text: str = VACATION, **fields: Any) -> Candidate:
    return candidate(make_chunk(id_, f"Artículo {id_}", text=text, **fields), 0.5, "hybrid")


def message(
    answer: str = ANSWER,
    cited: dict[int, Candidate] | None = None,
    *,
    came: bool = True,
    footnotes: bool | None = None,
    law: bool = True,
    code: str = "es",
    warnings: tuple[str, ...] = (),
    **state: Any,
) -> AIMessage:
    """Return the message of an answer to a question that came as a message, or not."""
    cited = {1: source(38), 2: source(49)} if cited is None else cited
    asked = {"messages": [HumanMessage("¿Cuánto?", id="q")], "asked_message": "q"} if came else {}
    citations = [citation(number, each) for number, each in cited.items()]
    extras = {"citations": citations, "outcome": "answer", "warnings": list(warnings), "choices": []}
    return told(
        AIMessage(answer, id="a", additional_kwargs=extras),
        begun(question="¿Cuánto?", **asked, **state),
        cited,
        Told(language(code), SPANISH, law, footnotes, "a-model"),
    )


def annotations(said: AIMessage) -> list[dict[str, Any]]:
    return said.content_blocks[0]["annotations"]  # type: ignore[typeddict-item, return-value]


@pytest.mark.parametrize(
    ("answer", "marks"),
    [
        (ANSWER, ["C1", "C2", "C1"]),
        ("Treinta días. [C1]", ["C1"]),
        ("- Uno [C2]\n- Dos [C1]", ["C2", "C1"]),
        ("«Treinta días» [C1, C2]", ["C1", "C2"]),
        ("€ ñ 😀 [C1]", ["C1"]),
        ("Nada de [C7] ni de (C1).", []),
    ],
)
def test_an_annotation_stands_at_each_marker(answer: str, marks: list[str]) -> None:
    placed = [each for each in annotations(message(answer)) if "start_index" in each]
    assert [each["extras"]["mark"] for each in placed] == marks
    for each in placed:
        assert answer[each["start_index"] : each["end_index"]].startswith("[C")
        assert (each["start_index"], each["end_index"]) in {span[:2] for span in marker_spans(answer)}
        assert (each["type"], each["title"].split(", ")[1]) == ("citation", f"{each['extras']['provision']}. Título")


def test_a_source_of_an_answer_without_markers_is_annotated_without_a_place() -> None:
    [first, second] = annotations(message("Son treinta días."))
    assert "start_index" not in first | second
    assert [each["extras"]["mark"] for each in (first, second)] == ["C1", "C2"]


@pytest.mark.parametrize(
    "url", ["", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://a b", "ftp://x.es"]
)
def test_only_web_addresses_are_links(url: str) -> None:
    said = message("Son 30 [C1].", {1: source(38, url=url)})
    assert "url" not in annotations(said)[0]
    assert "](" not in said.text
    assert (url or "»") not in said.text


@pytest.mark.parametrize(
    ("claim", "excerpt"),
    [
        ("En ningún caso serán menos de treinta días naturales", VACATION.split("pactado. ")[1]),
        ("El periodo de vacaciones es el que se ha pactado", VACATION.split(" En ")[0]),
        ("Puede fraccionarlas con su empresa", VACATION),
        ("Al irse se pagan las vacaciones que no disfrutó", VACATION),
        ("Holidays are thirty days", VACATION),
        ("", VACATION),
    ],
)
def test_the_cited_text_is_the_sentence_that_says_the_claim_or_the_beginning(claim: str, excerpt: str) -> None:
    said = message(f"{claim} [C1].", {1: source(38)})
    assert annotations(said)[0]["cited_text"] == excerpt


def test_the_beginning_of_a_long_source_is_cut_between_words() -> None:
    said = message("Algo ajeno [C1].", {1: source(38, "palabra " * 400)})
    excerpt = annotations(said)[0]["cited_text"]
    assert len(excerpt) <= MAX_EXCERPT
    assert set(excerpt.split()) == {"palabra", "[…]"}


@pytest.mark.parametrize(
    ("came", "footnotes", "shown"),
    [(True, None, True), (True, False, False), (True, True, True), (False, None, False), (False, True, True)],
)
def test_sources_stand_in_the_text_as_the_option_says_or_if_the_question_came_as_a_message(
    came: bool, footnotes: bool | None, shown: bool
) -> None:
    said = message(came=came, footnotes=footnotes)
    assert (HEADING in said.text, NOTICE in said.text) == (shown, shown)
    assert said.text.startswith(ANSWER)
    assert len(said.content_blocks) == 1 + shown
    assert said.additional_kwargs["citations"][0]["mark"] == "C1"


def test_the_block_has_links_warnings_and_the_line_on_advice() -> None:
    said = message(warnings=("Falta *algo* [x](http://mal.es)",), code="en")
    assert "**Sources**" in said.text
    assert "](https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a38)" in said.text
    assert r"\*algo\* (x)" in said.text
    assert said.text.endswith("*General information on the law; it is not legal advice.*")
    assert "advice" in message(law=False, code="en").text
    assert "legal" not in message(law=False, code="en").text


def test_thanks_have_no_sources_below() -> None:
    assert message("De nada.", {}, kind="courtesy").text == "De nada."


@pytest.mark.parametrize("footnotes", [True, False])
@pytest.mark.parametrize(("code", "cut"), [("es", "La respuesta se ha cortado"), ("en", "The answer was cut")])
def test_a_cut_answer_says_so_once_in_its_text(footnotes: bool, code: str, cut: str) -> None:
    warning = language(code).translate("rag_answer_cut")
    said = message("Son treinta días na", cut=True, warnings=(warning,), footnotes=footnotes, code=code)
    assert said.text.count(cut) == 1
    assert said.text.startswith("Son treinta días na\n\n> ")
    assert said.response_metadata["finish_reason"] == "length"


def test_the_metadata_has_model_outcome_and_tokens() -> None:
    usage = {"turn": 1, "model_calls": 2, "tokens": {"input": 900, "output": 45}, "stages": {}}
    said = message(usage=usage)
    assert said.usage_metadata == {"input_tokens": 900, "output_tokens": 45, "total_tokens": 945}
    assert said.response_metadata == {
        "output_version": "v1", "model_name": "a-model", "finish_reason": "stop", "outcome": "answer"
    }  # fmt: skip


@pytest.mark.parametrize("code", ["es", "en"])
@pytest.mark.parametrize("between", ["", " "], ids=["joined", "joined with a space, as agent-chat-ui does"])
@pytest.mark.parametrize("state", [{}, {"cut": True}, {"footnotes": False}, {"cut": True, "footnotes": False}], ids=str)
def test_appended_sources_are_removed_from_a_history(code: str, between: str, state: dict[str, Any]) -> None:
    said = message(code=code, warnings=("Falta algo.",), **state)
    text = between.join(block["text"] for block in said.content_blocks)  # type: ignore[typeddict-item]
    [kept] = checked_history([{"role": "assistant", "content": text}])
    assert kept["content"].strip() == ANSWER
    [question] = checked_history([{"role": "user", "content": text}])
    assert question["content"] == text
