"""The project's own gold set: enough of every kind, labels of the packaged corpus, facts as the law says them."""

import re
from collections import Counter
from functools import cache

import pytest
from support.paths import REPOSITORY

from articulado.ingestion.markdown.reader import read_law
from articulado.language.spanish import stems
from articulado.legal.labels import provision_key
from articulado.store.records.chunks import packaged_law_records
from evaluation.gold.questions import read_gold_set

FOLDER = REPOSITORY / "evaluation" / "datasets"
GOLD = read_gold_set(FOLDER / "demo.jsonl")
QUESTIONS = GOLD.questions
POSITIVE = [question for question in QUESTIONS if not question.is_negative]
AT_LEAST = {
    "basic_info": 14,
    "requisitos": 8,
    "documentos": 8,
    "como_solicitar": 8,
    "plazos": 5,
    "acronyms": 5,
    "colloquial": 7,
    "territorial": 5,
    "negative": 5,
}
ANSWERS = 2
"""The grade of a provision that answers the question."""


def test_there_are_enough_questions_of_every_category():
    counted = Counter(question.category for question in QUESTIONS)
    assert counted.keys() == AT_LEAST.keys()
    assert {name: counted[name] for name, minimum in AT_LEAST.items() if counted[name] < minimum} == {}
    assert len(QUESTIONS) >= 65


def test_the_readme_counts_as_the_file_does():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8").partition("\n## Cases")[0]
    told = {name: int(count) for name, count in re.findall(r"^\| `(\w+)` \| (\d+) \|", readme, re.MULTILINE)}
    voices = Counter(question.voice for question in QUESTIONS)
    assert told == Counter(question.category for question in QUESTIONS)
    assert f"{len(QUESTIONS)} questions, {voices['lay']} `lay` and {voices['professional']} `professional`" in readme
    assert voices.keys() == {"lay", "professional"}


def test_ids_are_unique_and_every_field_means_something():
    ids = [question.id for question in QUESTIONS]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"demo-\d{3}", id_) for id_ in ids)
    assert GOLD.ignored == ()
    assert all(re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", question.topic) for question in QUESTIONS)


def test_no_question_is_asked_twice():
    asked = Counter(tuple(sorted(set(stems(question.question)))) for question in QUESTIONS)
    assert max(asked.values()) == 1


def test_negatives_are_the_category_of_negatives_and_have_no_facts():
    for question in QUESTIONS:
        assert question.is_negative == (question.category == "negative"), question.id
        assert question.is_negative == (not question.answer_facts), question.id


def test_every_other_question_has_a_provision_that_answers_and_one_to_three_facts():
    for question in POSITIVE:
        assert ANSWERS in question.relevant.values(), question.id
        assert set(question.relevant.values()) <= {1, ANSWERS}, question.id
        assert 1 <= len(question.answer_facts) <= 3, question.id


def test_every_label_is_a_provision_of_the_packaged_corpus_that_is_law():
    records = packaged_law_records()
    for question in POSITIVE:
        for law_id, label in question.relevant:
            record = records.get((law_id, provision_key(label) or ""))
            assert record is not None, f"{question.id}: {law_id}#{label}"
            assert record.provision == label, question.id
            assert not getattr(record, "repealed", False), question.id


def test_every_packaged_law_answers_a_question():
    answering = {
        law_id for question in POSITIVE for (law_id, _), grade in question.relevant.items() if grade == ANSWERS
    }
    assert answering == {law_id for law_id, _ in packaged_law_records()}


@pytest.fixture(scope="module")
def official(real_laws):
    """A function from law and label to the official text, in one line; ``None`` if there is none."""

    @cache
    def texts(law_id: str) -> dict[str, str]:
        provisions = read_law(real_laws / f"{law_id}.md").provisions
        return {
            provision.key: " ".join(" ".join((provision.title, *provision.paragraphs)).split())
            for provision in provisions
        }

    return lambda law_id, label: texts(law_id).get(provision_key(label))


def test_every_label_is_a_provision_of_the_law(official):
    missing = [(question.id, label) for question in POSITIVE for label in question.relevant if official(*label) is None]
    assert missing == []


def test_every_fact_stands_in_a_provision_that_answers_as_the_law_puts_it(official):
    invented = [
        (question.id, fact)
        for question in POSITIVE
        for fact in question.answer_facts
        if not any(fact in official(*label) for label, grade in question.relevant.items() if grade == ANSWERS)
    ]
    assert invented == []
