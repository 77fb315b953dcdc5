"""The self-evaluation is read whatever a model writes, and never shown."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.prompting.answer_text import DELIMITER
from articulado.prompting.stream_splitter import StreamSplitter, parse_reply

ANY_DELIMITER = re.compile(r"={3,}[ \t]*META[ \t]*={3,}", re.IGNORECASE)
ANY_EVALUATION_LINE = re.compile(r"^[\s>*_`~#+•-]*(USED|DROP|NEED)\s*\|", re.IGNORECASE)

PIECES = st.sampled_from(
    [
        "===META===",
        "```",
        "=== meta ===",
        "**===META===**",
        "===",
        "=",
        "==META",
        "META===",
        "\n",
        "\r\n",
        "\r",
        " ",
        "USED|1,2",
        "used|C1",
        "**USED|1**",
        "- DROP|ninguno",
        "DROP|2-4",
        "DROP|99",
        "NEED|artículo 49|ET",
        "NEED|preaviso despido",
        "NEED|",
        "`NEED|a|b|c`",
        "USED",
        "|",
        "Son 30 días [C1].",
        "[C7]",
        "«",
        "»",
        "> ",
        "1. ",
        "ninguno",
        "Texto",
        "\u2028",
        "U",
        "SED|1",
        "ME",
        "TA",
    ]
)
REPLIES = st.lists(PIECES | st.text(max_size=8), max_size=30).map("".join)


@pytest.mark.parametrize(
    ("text", "answer", "used", "dropped"),
    [
        ("Son 30 días [C1].\n===META===\nUSED|1\nDROP|2", "Son 30 días [C1].", [1], [2]),
        ("Son 30 días [C1].\n===META===\nUSED|C1, C3\nDROP|ninguno", "Son 30 días [C1].", [1, 3], []),
        ("Son 30 días [C2].", "Son 30 días [C2].", [2], []),
        ("Son 30 días [C2-C4].", "Son 30 días [C2-C4].", [2, 3, 4], []),
        ("Son 30 días [C4–C999999].", "Son 30 días [C4–C999999].", [4, 5], []),
        ("Sí.\n===META===\nUSED|2 a 3\nDROP|4–999999", "Sí.", [2, 3], [4, 5]),
        ("Son 30 días [C2].\n===META===\nDROP|2", "Son 30 días [C2].", [], [2]),
        ("Sí [C1].\nUSED|1\nDROP|3", "Sí [C1].", [1], [3]),
        ("Sí.\n===META===\nUSED|1\n===META===\nDROP|3", "Sí.", [1], [3]),
        ("Sí.\n===META===\nUSED|1,2\nDROP|2", "Sí.", [1], [2]),
        ("Sí.\n===META===\nUSED|0,7,5,-3,99999\nDROP|6", "Sí.", [5, 3], []),
        ("Sí.\n===META===\nUSED|ninguno\nDROP|todos", "Sí.", [], [1, 2, 3, 4, 5]),
        ("Sí.\n===meta===\nused|1\ndrop|ninguno", "Sí.", [1], []),
        ("Sí.\n**===META===**\n**USED|1**\n- **DROP**|2\n```", "Sí.", [1], [2]),
        ("Sí.\n\n---\n`===META===`\n> USED: 1-3\n> DROP: 4", "Sí.\n\n---", [1, 2, 3], [4]),
        ("Sí. ===META=== USED|1\nDROP|2", "Sí.", [1], [2]),
        ("Sí.\n===META===\nUSED|1\nDROP|ninguno\nEspero que ayude.", "Sí.", [1], []),
        ("Sí [C4].\n===META===\nUSED|uno\nDROP|dos", "Sí [C4].", [4], []),
        ("Sí. ===META=== USED|1 DROP|2", "Sí.", [1], [2]),
        ("Sí.\n\n```\n===META===\nUSED|1\nDROP|2\n```", "Sí.", [1], [2]),
        ("Así:\n```\nx = 1\n```\n===META===\nUSED|1", "Así:\n```\nx = 1\n```", [1], []),
        ("```\nSí.\n===META===\nUSED|1\n```", "Sí.", [1], []),
        ("", "", [], []),
        ("===META===\nUSED|1", "", [1], []),
        ("===META===\nLa respuesta, después del delimitador.", "La respuesta, después del delimitador.", [], []),
    ],
)
def test_reply_is_taken_apart(text, answer, used, dropped):
    reply = parse_reply(text, 5)
    assert (reply.answer, reply.used, reply.dropped) == (answer, used, dropped)


def test_delimiter_quoted_within_a_line_is_no_delimiter():
    reply = parse_reply("El texto «===META===» es un separador [C1].\n===META===\nUSED|1\nDROP|2", 2)
    assert reply.answer == "El texto «…» es un separador [C1]."
    assert (reply.used, reply.dropped) == ([1], [2])


def test_delimiter_quoted_on_a_line_of_its_own_does_not_cut_the_answer():
    reply = parse_reply(
        "Pregunta por:\n===META===\nEso no es nada. Son 30 días [C1].\n===META===\nUSED|1\nDROP|ninguno", 1
    )
    assert reply.answer == "Pregunta por:\n\nEso no es nada. Son 30 días [C1]."
    assert reply.used == [1]


@pytest.mark.parametrize(
    ("lines", "needs"),
    [
        ("NEED|artículo 49|ET", [("article", "artículo 49", "ET", "")]),
        ("NEED|disposición adicional 3|LGSS", [("article", "disposición adicional 3", "LGSS", "")]),
        ("NEED|48 bis|Estatuto de los Trabajadores", [("article", "48 bis", "Estatuto de los Trabajadores", "")]),
        ("NEED|artículo|artículo 49|ET", [("article", "artículo 49", "ET", "")]),
        ("NEED|artículo 49", [("keywords", "", "", "artículo 49")]),
        ("NEED|preaviso|fin de contrato", [("keywords", "", "", "preaviso fin de contrato")]),
        ("NEED|ninguno\nNEED|", []),
        ("NEED|a1 uno\nneed|dos cosas\nNEED|tres", [("keywords", "", "", "a1 uno"), ("keywords", "", "", "dos cosas")]),
    ],
)
def test_parses_needs(lines, needs):
    reply = parse_reply(f"Falta algo.\n{DELIMITER}\nUSED|1\nDROP|ninguno\n{lines}", 1)
    assert [(n["kind"], n["article"], n["law"], n["keywords"]) for n in reply.needs] == needs
    assert reply.answer == "Falta algo."


@given(REPLIES, st.integers(0, 6))
def test_any_reply_gives_valid_numbers_and_a_clean_answer(text, fragments):
    reply = parse_reply(text, fragments)
    assert all(1 <= n <= fragments for n in reply.used + reply.dropped)
    assert not set(reply.used) & set(reply.dropped)
    assert len(reply.needs) <= 2
    assert not ANY_DELIMITER.search(reply.answer)
    assert not any(ANY_EVALUATION_LINE.match(line) for line in reply.answer.splitlines())
    assert reply.answer == reply.answer.strip()


@given(REPLIES, st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_the_stream_shows_the_same_however_it_is_cut(text, sizes):
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    position, turn = 0, 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        splitter.feed(text[position : position + size])
        position, turn = position + size, turn + 1
    splitter.close()
    assert "".join(shown) == splitter.answer == parse_reply(text, 3).answer


def test_text_is_shown_before_the_reply_is_complete():
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    for piece in ["Son ", "30 días", " naturales [C1].", "\n==="]:
        splitter.feed(piece)
    assert "".join(shown) == "Son 30 días naturales [C1]."
