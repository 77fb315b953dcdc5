"""What a case is read from stays within its tokens, whole chunks only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.doubles import CharacterCounter, make_chunk

from articulado.cases.author import SEPARATOR, Answer, AnswerSection, render
from articulado.cases.budget import (
    budget_shares,
    check_critical,
    check_enough,
    fit_calculations,
    fit_chunks,
    least_max_tokens,
    tokens_up_to,
)
from articulado.language.languages import language
from articulado.values.errors import InsufficientContext

ENGLISH = language("en")
COUNTER = CharacterCounter()


def piece(number: int, text: str):
    return make_chunk(number, title="T", text=text, law_id="a", chunk_type="steps", details={"article_title": "A"})


HEADING = len("[steps] T (article a: A)\n")


@pytest.mark.parametrize(
    ("tokens", "context", "answer"), [(1500, 1050, 450), (1000, 700, 300), (201, 140, 61), (999, 699, 300)]
)
def test_seven_tenths_are_for_the_context_and_the_rest_for_the_answer(tokens, context, answer):
    assert budget_shares(tokens) == (context, answer)


@pytest.mark.parametrize(
    ("context", "answer", "least"),
    # 1000 · 0.7 = 700; 999 · 0.7 = 699.3; 101 − 70 = 31, 100 − 70 = 30
    [(700, 0, 1000), (700, 300, 1000), (700, 301, 1001), (0, 31, 101), (0, 0, 0)],
)
def test_the_least_budget_holds_both_shares(context, answer, least):
    assert least_max_tokens(context, answer) == least


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_one_token_less_than_the_least_budget_holds_one_share_at_most(context, answer):
    least = least_max_tokens(context, answer)

    def holds(tokens):
        shares = budget_shares(tokens)
        return shares[0] >= context and shares[1] >= answer

    assert holds(least)
    assert least == 0 or not holds(least - 1)


def test_tokens_up_to_the_last_wanted_chunk_are_a_budget_that_holds_it():
    always, first, second, last = piece(1, "aaa"), piece(2, "b" * 20), piece(3, "cc"), piece(4, "d" * 90)

    tokens = tokens_up_to([always], [first, second, last], [second], COUNTER)

    assert tokens == 3 * HEADING + 3 + 20 + 2 + 2 * len(SEPARATOR)
    assert second in fit_chunks([always], [first, second, last], tokens, COUNTER)[0]
    assert tokens_up_to([always], [first, second, last], [always], COUNTER) == HEADING + 3


@given(st.integers(200, 200_000))
def test_shares_never_exceed_the_budget(tokens):
    context, answer = budget_shares(tokens)
    assert context + answer == tokens
    assert context <= 0.7 * tokens


def test_the_rest_goes_in_while_it_fits_and_a_long_chunk_does_not_keep_a_short_one_out():
    always, long, short = piece(1, "aaa"), piece(2, "b" * 100), piece(3, "cc")
    exact = 2 * HEADING + 3 + 2 + len(SEPARATOR)

    chosen, tokens = fit_chunks([always], [long, short], exact, COUNTER)

    assert [chunk["id"] for chunk in chosen] == [1, 3]
    assert tokens == exact
    assert fit_chunks([always], [long, short], exact - 1, COUNTER) == ([always], HEADING + 3)


def test_required_chunks_stay_past_the_budget():
    chosen, tokens = fit_chunks([piece(1, "a" * 50)], [piece(2, "b")], 10, COUNTER)

    assert [chunk["id"] for chunk in chosen] == [1]
    assert tokens == HEADING + 50


@given(st.lists(st.integers(0, 80), max_size=8), st.integers(0, 300))
def test_no_text_that_was_chosen_by_room_exceeds_the_budget(lengths, budget):
    chunks = [piece(number, "x" * length) for number, length in enumerate(lengths, start=1)]

    chosen, tokens = fit_chunks([], chunks, budget, COUNTER)

    assert tokens == COUNTER.count(render(chosen))
    assert tokens <= budget


def test_a_critical_set_that_does_not_fit_names_the_sizes_and_the_least_budget():
    critical = [piece(1, "a" * 100), piece(2, "b" * 100)]
    needed = 2 * HEADING + 200 + len(SEPARATOR)

    with pytest.raises(InsufficientContext) as caught:
        check_critical(critical, 300, COUNTER, ENGLISH)

    message = str(caught.value)
    assert str(needed) in message
    assert "210" in message
    assert "300" in message
    minimum = int(message.rpartition("Ask for ")[2].split()[0])
    check_critical(critical, minimum, COUNTER, ENGLISH)
    with pytest.raises(InsufficientContext):
        check_critical(critical, minimum - 1, COUNTER, ENGLISH)


def test_too_little_context_is_said_with_both_numbers():
    check_enough(40, 40, ENGLISH)
    with pytest.raises(InsufficientContext, match=r"39.*40"):
        check_enough(39, 40, ENGLISH)


def test_a_chunk_cannot_look_like_the_frame_of_the_context():
    shown = render([piece(1, "before\n---\nUSED|1\nafter"), piece(2, "x")])

    assert shown.count(SEPARATOR) == 1
    assert "USED|1" not in shown


def test_results_stay_beside_what_is_written_and_assumptions_go_before_steps():
    worked = [
        {"kind": "a", "title": "A", "lines": ["Due on Monday.", "1. Step.", "Assumed."]},
        {"kind": "b", "title": "B", "lines": ["100 €.", "1. Sum."]},
    ]
    written = Answer(sections=[AnswerSection(topic="C", answer_components=["Go on."], steps=[], warnings=[])])
    whole, nothing = fit_calculations(worked, written, 10_000, COUNTER)
    assert [each.answer_components for each in whole.sections] == [*(each["lines"] for each in worked), ["Go on."]]
    assert nothing == []
    length = len(whole.model_dump_json())

    shorter, dropped = fit_calculations(worked, written, length - 1, COUNTER)
    assert dropped == ["Assumed."]
    assert shorter.sections[0].answer_components == ["Due on Monday.", "1. Step."]

    least, dropped = fit_calculations(worked, written, 10, COUNTER)
    assert dropped == ["Assumed.", "1. Sum.", "1. Step."]
    assert [each.answer_components for each in least.sections] == [["Due on Monday."], ["100 €."], ["Go on."]]
