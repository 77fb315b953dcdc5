"""An answer is shortened by whole items."""

from hypothesis import given
from hypothesis import strategies as st
from support.doubles import CharacterCounter

from articulado.cases.author import Answer, AnswerSection
from articulado.cases.budget import answer_json, least_tokens, shorten_answer

COUNTER = CharacterCounter()


def section(topic, components=(), steps=(), warnings=()):
    return AnswerSection(topic=topic, answer_components=list(components), steps=list(steps), warnings=list(warnings))


FULL = Answer(
    sections=[section("A", ["first", "second"], ["one", "two"], ["mind"]), section("B", ["third"], [], ["beware"])]
)


def test_an_answer_that_fits_stays_as_it_is():
    assert shorten_answer(FULL, len(answer_json(FULL)), COUNTER) == (FULL, [])


def test_sentences_go_before_steps_and_steps_before_warnings_and_the_first_sentence_last():
    order = []
    for budget in range(len(answer_json(FULL)), 0, -1):
        _, dropped = shorten_answer(FULL, budget, COUNTER)
        assert dropped[: len(order)] == order
        order = dropped

    assert order == ["third", "second", "one", "two", "beware", "mind", "first"]


def test_the_least_tokens_are_those_of_the_shortest_answer_that_is_enough():
    # with steps: all sentences but the first are dropped; with both warnings: the steps, too
    with_steps = Answer(sections=[section("A", ["first"], ["one", "two"], ["mind"]), section("B", [], [], ["beware"])])
    with_warnings = Answer(sections=[section("A", ["first"], [], ["mind"]), section("B", [], [], ["beware"])])

    def has_steps(answer):
        return any(part.steps for part in answer.sections)

    def has_warnings(answer):
        return sum(len(part.warnings) for part in answer.sections) == 2

    assert least_tokens(FULL, has_steps, COUNTER) == len(answer_json(with_steps))
    assert least_tokens(FULL, has_warnings, COUNTER) == len(answer_json(with_warnings))
    assert least_tokens(FULL, lambda answer: True, COUNTER) == len(answer_json(Answer(sections=[])))
    assert least_tokens(FULL, lambda answer: answer == FULL, COUNTER) == len(answer_json(FULL))


def test_steps_go_all_together():
    for budget in range(len(answer_json(FULL))):
        answer, _ = shorten_answer(FULL, budget, COUNTER)
        assert [section.steps for section in answer.sections if section.steps] in ([], [["one", "two"]])


WORDS = st.text(alphabet="ab c", min_size=1, max_size=12).filter(str.strip)
SECTIONS = st.builds(
    section, WORDS, st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=3)
)


@given(st.lists(SECTIONS, max_size=4).map(lambda sections: Answer(sections=sections)), st.integers(15, 400))
def test_the_rest_fits_and_every_dropped_item_is_reported(answer, budget):
    short, dropped = shorten_answer(answer, budget, COUNTER)

    def items(whole):
        return [text for part in whole.sections for text in (*part.answer_components, *part.steps, *part.warnings)]

    assert COUNTER.count(answer_json(short)) <= budget
    assert sorted(items(short) + dropped) == sorted(items(answer))


def test_the_answer_that_was_given_is_not_changed():
    before = FULL.model_dump()
    shorten_answer(FULL, 20, COUNTER)

    assert FULL.model_dump() == before
