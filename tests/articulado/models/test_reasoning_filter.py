"""The reasoning of a model is no reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulado.models.habits import ReasoningFilter


def filtered(text, size=1000):
    reasoning = ReasoningFilter()
    shown = ""
    for piece in [text[at : at + size] for at in range(0, len(text), size)]:
        given = reasoning.feed(piece)
        shown, reasoning.void = ("" if reasoning.void else shown) + given, False
    given = reasoning.rest()
    return ("" if reasoning.void else shown) + given


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("<think>¿Vacaciones?\n[C1]</think>\n\nSon 30 días.", "Son 30 días."),
        ("\n <think></think>Sí.", "Sí."),
        ("Son 30 días.", "Son 30 días."),
        ("<thi", "<thi"),
        ("<thin paper", "<thin paper"),
        ("Dice <think>así</think>.", "Dice <think>así</think>."),
        ("<think>sin fin", ""),
        ("<think>uno</think> \n ", ""),
        ("<think>" + "¿Y si </thin" * 50 + "</think>Sí.", "Sí."),
        ("", ""),
    ],
)
def test_leading_reasoning_is_dropped(text, reply, size):
    assert filtered(text, size).strip() == reply


PIECES = st.sampled_from(["<think>", "</think>", "<", "th", " ", "\n", "Sí.", "ink>"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_however_it_is_cut(text):
    assert filtered(text, 1) == filtered(text)


@pytest.mark.parametrize("piece", ["¿Y si no? ", "<", "</think", " ", "\n"])
def test_long_reasoning_is_not_kept(piece):
    """What is kept is looked at with each piece: were it all the reasoning, the work would grow with its square."""
    reasoning = ReasoningFilter()
    reasoning.feed("<think>")
    assert all(reasoning.feed(piece) == "" and len(reasoning._pending) < 10 for _ in range(5_000))
    assert reasoning.feed("</think>Sí.") == "Sí."


def test_long_white_space_before_a_reply_is_not_kept():
    reasoning = ReasoningFilter()
    assert all(reasoning.feed(" \n") == "" and not reasoning._pending for _ in range(5_000))
    assert reasoning.feed("Sí.") == "Sí."
