"""Answers in code blocks, in JSON and behind announcements, whatever the pieces they come in."""

import pytest

from articulado.models.habits import habits
from articulado.prompting.answer_text import Unwrapper
from articulado.prompting.stream_splitter import StreamSplitter, read_self_evaluation

ANSWER = "Son 30 días [C1]."
META = "===META===\nUSED|1\nDROP|2"

FENCED = [
    f"```markdown\n{ANSWER}\n```",
    f"```markdown\n{ANSWER}\n{META}\n```",
    f"```md\n{ANSWER}\n```\n{META}",
    f"```\n{ANSWER}\n```\n{META}",
    f"```text\n{ANSWER}\n```",
    f"\n```Markdown\n\n{ANSWER}\n\n```\n",
    f"```markdown\n{ANSWER}",
]
IN_JSON = [
    f'{{"answer": "{ANSWER}"}}',
    f'```json\n{{"answer": "{ANSWER}", "confidence": 0.9}}\n```',
    f'{{"respuesta": "{ANSWER}", "used": [1], "dropped": [2]}}',
    f'{{"response": {{"answer": "{ANSWER}"}}, "meta": {{"USED": [1], "DROP": [2]}}}}',
    f'[{{"answer": "{ANSWER}"}}]',
    f'{{"contestación": "{ANSWER}"}}',
    f'{{"answer": ["{ANSWER}"]}}',
    f'{{"answer": "{ANSWER}\n"}}',
    f'{{\n  "answer": "{ANSWER}"\n}}\n{META}',
    f'{{"Answer": "{ANSWER}\\n===META===\\nUSED|1"}}',
    f'{{"answer": "{ANSWER}',
    f'```json\n{{"final_answer": "{ANSWER}"}}\n```\n\n{META}',
]
ANNOUNCED = [
    f"Aquí tiene la respuesta:\n\n```markdown\n{ANSWER}\n```",
    f'Here is the JSON:\n{{"answer": "{ANSWER}"}}',
    f"¡Claro! A continuación, la respuesta en el formato pedido:\n```\n{ANSWER}\n{META}\n```",
    f'Sure, here is the answer:\n\n```json\n{{"answer": "{ANSWER}"}}\n```',
    f"Respuesta:\n{ANSWER}\n{META}",
    f"**Respuesta:** {ANSWER}",
    f"## Respuesta\n\n{ANSWER}",
    f"Answer: {ANSWER}",
]
DELIMITED = [
    f"{ANSWER}\n{line}\nUSED|1\nDROP|2"
    for line in (
        "<META>",
        "== META ==",
        "===META",
        "<!-- META -->",
        "═══META═══",
        "~~~META~~~",
        "**===META===**",
        "[META]",
    )
]
PLAIN = [
    "Modelo de carta:\n\n```\nEstimado señor:\n```\n\nFírmela [C1].",
    "```\nEstimado señor:\n```\n\nEsta carta comunica la baja.",
    "{C1} no es JSON.",
    '{"dias": 30, "meses": 1}',
    "[C1] Son 30 días.",
    "`Son 30 días`",
    "Claro que sí: son 30 días [C1].",
    "La respuesta está en el artículo 38 [C1]:\n\n- son 30 días.",
    "Respuesta corta: son 30 días.",
    "```python\nprint(30)\n```",
]


def split(text: str, size: int) -> tuple[str, list[int], list[int]]:
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    for at in range(0, len(text), size):
        splitter.feed(text[at : at + size])
    splitter.close()
    evaluation = read_self_evaluation(splitter, 3)
    assert "".join(shown) == splitter.answer
    return splitter.answer, evaluation.used, evaluation.dropped


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("reply", [*FENCED, *IN_JSON, *ANNOUNCED, *DELIMITED])
def test_the_answer_is_taken_out_of_its_wrapper(reply, size):
    answer, used, dropped = split(reply, size)
    assert (answer, used) == (ANSWER, [1])
    assert dropped == ([2] if "DROP" in reply or "dropped" in reply else [])


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("reply", PLAIN)
def test_an_answer_that_only_looks_like_a_wrapper_stays_as_it_is(reply, size):
    assert split(reply, size)[0] == reply


@pytest.mark.parametrize(
    ("field", "reply"),
    [
        ("fences", FENCED[0]),
        ("answers", f'{{"answer": "{ANSWER}", "note": "x"}}'),
        ("preambles", ANNOUNCED[0]),
        ("used", IN_JSON[2]),
    ],
)
def test_wrappers_are_recognised_by_the_words_of_the_table(field, reply):
    words = habits().wrappers
    empty = words.model_copy(update={field: () if field in ("answers", "used") else "(?!)"})
    results = []
    for each in (words, empty):
        wrapper = Unwrapper(each)
        results.append(wrapper.feed(reply) + wrapper.rest())
    assert results[0] != results[1]


def test_a_block_of_markdown_is_passed_on_as_it_comes():
    wrapper = Unwrapper()
    assert [wrapper.feed(piece) for piece in ("```markdown\n", "Son 30", " días.\n", "```")] == [
        "",
        "Son 30",
        " días.\n",
        "",
    ]


def test_a_block_within_a_block_keeps_its_fences():
    reply = "```markdown\nCarta:\n```text\nEstimado señor:\n```\nFin [C1].\n```"
    assert split(reply, 4)[0] == "Carta:\n```text\nEstimado señor:\n```\nFin [C1]."
