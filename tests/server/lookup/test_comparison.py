"""Two texts side by side."""

from hypothesis import given
from hypothesis import strategies as st

from server.lookup.results import Paragraph, compare

texts = st.lists(st.text("ab 1.", max_size=12), max_size=6).map("\n".join)


def side(paragraphs: list[Paragraph], without: str) -> list[str]:
    """Put one of the two texts together again, by its paragraphs."""
    kept = [
        "".join(piece["text"] for piece in paragraph["pieces"] if piece["kind"] != without) for paragraph in paragraphs
    ]
    return [text for text in kept if text]


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@given(texts, texts)
def test_both_texts_are_in_a_comparison_word_for_word(before: str, after: str) -> None:
    compared = compare(before, after)
    assert sorted(side(compared, "added")) == sorted(lines(before))
    assert side(compared, "removed") == lines(after)


@given(texts)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert {paragraph["kind"] for paragraph in compare(text, text)} <= {"same"}


def test_a_paragraph_that_comes_in_between_leaves_the_others_as_they_are() -> None:
    before = "1. Las vacaciones son de 30 días.\n2. Se fijan de común acuerdo."
    after = "1. Las vacaciones son de 32 días.\n1 bis. Nadie puede renunciar a ellas.\n2. Se fijan de común acuerdo."
    assert [paragraph["kind"] for paragraph in compare(before, after)] == ["changed", "added", "same"]
