"""A reply that keeps to the protocol only roughly is read all the same, and shows none of it on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.prompting.fragments import neutralise
from articulado.prompting.stream_splitter import Reply, StreamSplitter, parse_reply, read_self_evaluation

DELIMITERS = [
    "===META===",
    "---META---",
    "--- META ---",
    "——META——",
    "===METADATA===",
    "=== METADATOS ===",
    "=== META",
    "META ===",
    "== META ==",
    "## META",
    "### Metadata:",
    "**META**",
    "***META***",
    "__META__",
    "`META`",
    "[META]",
    "<META>",
    "<<META>>",
    "(META)",
    "META:",
    "Meta",
    "**Metadatos:**",
    "> META",
    "＝＝＝META＝＝＝",
    "＝＝＝ＭＥＴＡ＝＝＝",
    "［ＭＥＴＡ］",
    "\ufeff===META===",
    "=====META=====",
]
ORDINARY = [
    "## Metas",
    "La meta es reducir la jornada [C1].",
    "Meta es una empresa [C1].",
    "**Meta** despide a 100 personas [C1].",
    "- Meta: cumplir el convenio [C1].",
    "Metadatos: no son datos personales [C1].",
    "META4 es un programa de nóminas.",
    "## Meta\nLa empresa comunica el despido [C1].",
    "**META**\n\nLa empresa comunica el despido [C1].",
    "Meta\n====\nLa empresa comunica el despido [C1].",
    "Metas:\n- una\n- otra",
    "Tres guiones:\n\n---\n\nMeta cumplida [C1].",
    "¿Quién ha despedido?\n**Meta**",
    "El plan --meta 2030-- sigue: a-b--c",
    "2 + 2 =",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "Meta USED in English [C1].",
]
EVALUATION = "USED|1\nDROP|2\nNEED|preaviso"


def split(text, sizes=(10_000,)):
    """Return the reply of a text that comes in pieces of these sizes, by turns, and what was shown on the way."""
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    position, turn = 0, 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        splitter.feed(text[position : position + size])
        position, turn = position + size, turn + 1
    splitter.close()
    assert "".join(shown) == splitter.answer
    evaluation = read_self_evaluation(splitter, 3)
    return Reply(evaluation.used, evaluation.dropped, evaluation.needs, splitter.answer)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_variants_of_the_delimiter_are_accepted(delimiter, size):
    for blank in ("\n", "\n\n", "\n```\n"):
        reply = split(f"Son 30 días [C1].\n\n{delimiter}{blank}{EVALUATION}\nEspero que ayude.", [size])
        assert reply.answer == "Son 30 días [C1]."
        assert (reply.used, reply.dropped, len(reply.needs)) == ([1], [2], 1)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "ending",
    [
        f"\n---META--- {EVALUATION}",
        f"\nMETA: {EVALUATION}",
        f"\n[META] {EVALUATION}",
        f"\n**META** {EVALUATION}",
        f" ---META---\n{EVALUATION}",
        f" ---METADATA--- {EVALUATION}",
        f" ——META——\n{EVALUATION}",
        f" ＝＝＝META＝＝＝ {EVALUATION}",
        f" -----META-----\n{EVALUATION}",
    ],
)
def test_a_delimiter_may_share_its_line(ending, size):
    reply = split(f"Son 30 días [C1].{ending}", [size])
    assert reply.answer == "Son 30 días [C1]."
    assert (reply.used, reply.dropped, len(reply.needs)) == ([1], [2], 1)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_on_goals_stays(text, size):
    assert split(text, [size]).answer == text
    reply = split(f"{text}\n\n===META===\n{EVALUATION}", [size])
    assert (reply.answer, reply.used, reply.dropped) == (text, [1], [2])


@pytest.mark.parametrize("delimiter", ["---META---", "## META", "**META**", "[META]", "META:", "=== META", "===ME"])
def test_a_reply_that_ends_in_its_delimiter_shows_none(delimiter):
    assert split(f"Son 30 días [C1].\n{delimiter}").answer == "Son 30 días [C1]."


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "before",
    [
        f"===META===\n{EVALUATION}\n\n",
        f"{EVALUATION}\n===META===\n",
        f"{EVALUATION}\n\n",
        f"## META\n{EVALUATION}\n\n---\n",
        f"```\n===META===\n{EVALUATION}\n```\n\n",
        f"```text\n{EVALUATION}\n```\n",
        f"===META===\n{EVALUATION}\n===META===\n",
    ],
)
@pytest.mark.parametrize("after", ["", "\n===META===\nUSED|1\nDROP|2"])
def test_a_self_evaluation_that_comes_first_leaves_the_answer(before, after, size):
    reply = split(f"{before}Son 30 días [C1].\n\nO más [C1].{after}", [size])
    assert reply.answer.removeprefix("---\n") == "Son 30 días [C1].\n\nO más [C1]."
    assert (reply.used, reply.dropped, len(reply.needs)) == ([1], [2], 1)


@pytest.mark.parametrize("size", [1, 1000])
def test_an_answer_in_a_block_after_the_self_evaluation_keeps_it(size):
    assert split(f"{EVALUATION}\n\n```\nx = 1\n```\nAsí [C1].", [size]).answer == "```\nx = 1\n```\nAsí [C1]."


@pytest.mark.parametrize("size", [1, 1000])
def test_the_answer_after_a_preface_and_a_self_evaluation_is_kept(size):
    reply = split(f"Aquí tiene:\n===META===\n{EVALUATION}\n\nSon 30 días naturales al año [C1].", [size])
    assert reply.answer == "Aquí tiene:\n\nSon 30 días naturales al año [C1]."


@pytest.mark.parametrize("line", ["ＵＳＥＤ｜１，２", "USED│1, 2", "ＵＳＥＤ：１ y ２", "\u3000USED|1,2"])
def test_full_width_signs_are_read(line):
    reply = parse_reply(f"Sí.\n＝＝＝META＝＝＝\n{line}\nＤＲＯＰ｜３", 3)
    assert (reply.answer, reply.used, reply.dropped) == ("Sí.", [1, 2], [3])
    assert parse_reply(f"Sí.\n{line}", 3).answer == "Sí."


PIECES = st.sampled_from(
    [
        *DELIMITERS,
        *ORDINARY,
        *EVALUATION.split("\n"),
        "\n",
        "\n\n",
        "```",
        "```text",
        "Sí [C1].",
        "Meta",
        "ME",
        "TA",
        "=",
        "---",
        "—",
        "META: USED|1",
        "==",
        "-",
        "--",
        "#",
        "**",
        "[",
        "]",
        " ",
        "U",
        "SED",
        "|",
        "1",
        "＝",
        "…",
        "\r\n",
        "> ",
    ]
)
REPLIES = st.lists(PIECES | st.text(max_size=4), max_size=24).map("".join)
CUTS = st.lists(st.integers(1, 9), min_size=1, max_size=40)


@given(REPLIES, CUTS)
def test_any_cut_gives_the_same(text, sizes):
    assert split(text, sizes) == split(text)


@given(REPLIES, st.sampled_from(DELIMITERS), CUTS)
def test_no_cut_ever_shows_the_self_evaluation(text, delimiter, sizes):
    answer = f"{neutralise(text)}\nFin."
    reply = split(f"{answer}\n\n{delimiter}\n{EVALUATION}", sizes)
    assert reply.answer == split(answer).answer
    assert reply.used == [1]


HELD = 3_000
"""More than what is read of a line of self-evaluation, which is the most that is ever held back of a line."""


@pytest.mark.parametrize("piece", ["a", "=", "-", "--M", "[", "USED|1,", "> ", "META", "===META===", "`", "1. ", "== "])
def test_what_is_held_back_of_a_line_is_bounded(piece):
    """Each piece is looked at together with what is held back: without a bound, the work would grow with its square."""
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    for _ in range(HELD):
        splitter.feed(piece)
    assert len(splitter._line) < HELD


def test_text_that_is_shown_is_not_looked_at_again():
    shown: list[str] = []
    splitter = StreamSplitter(shown.append)
    for _ in range(5_000):
        splitter.feed("Son 30 días. ")
        splitter.feed("\n```\n")
    assert sum(map(len, shown)) == len(splitter.answer)
    assert max(map(len, shown)) < 40
