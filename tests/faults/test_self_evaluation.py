"""2,000 malformed self-evaluations, made by a generator of our own with fixed seeds."""

import random

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.prompting.stream_splitter import StreamSplitter, read_self_evaluation
from graph.rag import build_rag

FRAGMENTS = 3
CASES = 2_000
_HEADS = [
    "===META===", "=== META ===", "---META---", "**META**", "===META", "==META==", "# META", "＝＝＝META＝＝＝", "",
    "===META======META===", "META:", "```\n===META===", "===meta===",
]  # fmt: skip
_WORDS = ["USED", "DROP", "NEED", "used", "**USED**", "- DROP", "ＵＳＥＤ", "USE", "NEED NEED", "USED|DROP", "\0USED"]
_SEPARATORS = ["|", ":", "=", " | ", "||", "｜", "", " ", "\t|"]
_VALUES = [
    "1", "C1,C2", "[C1]", "0", "-1", "4", "99999999999999999999", "1-9999999", "C1-C999", "ninguno", "", "null", "[1",
    "1;2;3", "uno", "1.5", "١", "𝟙", "C" * 500, "artículo 38|ET", "||||", "|ET", "vacaciones", "NaN", "1\0", "\ud83d",
    "‮1", "{\"USED\": [1]}", "1," * 400, "DROP|1", "C1 y C2 al C9", "38 ET|" + "x" * 3_000,
]  # fmt: skip
_TEXTS = [
    "Son 30 días [C1].",
    "Son 30 días.",
    "",
    "[C9] dice que 30.",
    "Son 30 [C1][C4][C0].",
    "« ===META=== » es un signo.",
]


def case(seed: int) -> str:
    """Return the reply of a model that knows the protocol only by hearsay."""
    chance = random.Random(seed)
    lines = [
        f"{chance.choice(_WORDS)}{chance.choice(_SEPARATORS)}{chance.choice(_VALUES)}"
        for _ in range(chance.randrange(6))
    ]
    parts = [chance.choice(_TEXTS), chance.choice(_HEADS), *lines]
    if chance.random() < 0.2:
        chance.shuffle(parts)
    reply = chance.choice(["\n", "\r\n", "\n\n", "\u2028"]).join(parts)
    return reply[: chance.randrange(len(reply) + 1)] if chance.random() < 0.2 else reply


def test_two_thousand_replies_are_read_without_an_exception_and_name_no_unknown_fragment() -> None:
    pieces = random.Random(0)
    for seed in range(CASES):
        reply, splitter = case(seed), StreamSplitter()
        size = pieces.randrange(3, 80)
        for start in range(0, len(reply), size):
            splitter.feed(reply[start : start + size])
        splitter.close()
        evaluation = read_self_evaluation(splitter, FRAGMENTS, marked=True)
        assert {*evaluation.used, *evaluation.dropped} <= set(range(1, FRAGMENTS + 1)), reply
        assert len(evaluation.needs) <= 2, reply


@pytest.mark.parametrize(
    "first",
    [0, *(pytest.param(n, marks=pytest.mark.slow(reason="more replies")) for n in range(400, CASES, 400))],
)
async def test_the_graph_hands_on_known_ids_alone_and_asks_at_most_once_more(first: int) -> None:
    chunks = [make_chunk(number, f"Artículo {number}") for number in range(1, FRAGMENTS + 1)]
    found = {"vacaciones anuales": [(chunk["id"], 1.0) for chunk in chunks]}
    for seed in range(first, first + 400, 20):
        principal = QueueChat(case(seed))
        services = make_services(FakeStore(chunks, found), QueueChat('["vacaciones anuales"]'), principal)
        result = await build_rag(services).ainvoke({"question": "¿Cuántos días de vacaciones tengo?"})
        named = [*result["used_chunk_ids"], *result["dropped_chunk_ids"], *result["context_chunk_ids"]]
        assert set(named) <= {1, 2, 3}, case(seed)
        assert len(principal.calls) <= 2, case(seed)
