"""Guides: articles put together from their chunks, outside matters, and what people ask any desk."""

import pytest
from support.chunks import make_chunk
from support.small_articles import write_profile

from articulado.cases.evidence import article_guides, asked_in, general_matters, outside_guides
from articulado.config.profile import load_profile
from articulado.guides.schema import OutsideMatter

AGE = {"field": "plant_age", "required": True, "aliases": []}


@pytest.fixture
def profile(tmp_path):
    return load_profile(str(write_profile(tmp_path)))


def part(number, chunk_type, text, article="roses", topic="pruning", **details):
    return make_chunk(
        number,
        law_id=article,
        title=f"Part {number}",
        text=text,
        part=number,
        chunk_type=chunk_type,
        topic=topic,
        attributes={"climate": "Dry zone"},
        details={"article_title": "Pruning roses", **details},
    )


CHUNKS = [
    part(2, "faqs", "Cut in March.", faqs=[{"question": "When?", "answer": "March"}], fields=[]),
    part(1, "required_data", "Ask for the age.", inquiries=["cut roses", "When?"], fields=[AGE]),
    part(3, "guardrails", "Promise no flowers.", inquiries=["never shown"]),
    part(4, "common_issues", "Frost.", issues=[{"issue": "It froze", "answer": "Wait"}]),
]


def test_an_article_is_put_together_from_its_chunks(profile):
    [guide] = article_guides(CHUNKS, profile)

    assert (guide.article_id, guide.title, guide.topic, guide.is_article) == ("roses", "Pruning roses", "pruning", True)
    assert guide.attributes == {"climate": "Dry zone"}
    assert guide.fields == (AGE,)
    # Inquiries first, then questions and issues by part; each once.
    assert guide.asked == ("cut roses", "When?", "It froze")
    assert guide.names == ("Pruning roses", "pruning", "prune")


def test_what_may_not_be_said_matches_no_inquiry(profile):
    [guide] = article_guides(CHUNKS, profile)

    assert sorted(guide.texts) == ["Part 1\nAsk for the age.", "Part 2\nCut in March.", "Part 4\nFrost."]
    assert "never shown" not in guide.asked


def test_articles_are_in_the_order_of_their_ids_and_other_documents_are_none(profile):
    document = make_chunk(9, law_id="a-law", details={})
    chunks = [part(5, "steps", "Dig.", article="tulips"), document, part(6, "steps", "Cut.", article="apples")]

    assert [guide.article_id for guide in article_guides(chunks, profile)] == ["apples", "tulips"]
    assert article_guides([document], profile) == []


def test_an_article_without_a_topic_has_one_of_its_own_and_a_topic_without_synonyms_its_name(profile):
    chunks = [part(1, "steps", "x", "one", topic=""), part(2, "steps", "x", "two", topic="late_frost")]
    one, two = article_guides(chunks, profile)

    assert (one.topic, two.names) == ("one", ("Pruning roses", "late frost"))


def test_questions_of_a_chunk_are_those_asked_and_what_goes_wrong():
    content = {"issues": [{"issue": "It froze", "answer": "x"}], "faqs": [{"question": "When?", "answer": "y"}]}

    assert asked_in(content) == ["When?", "It froze"]
    assert asked_in({}) == []


def test_outside_matters_are_topics_of_their_own_and_no_articles():
    matters = [
        OutsideMatter(name="Bees", inquiries=("a swarm",), texts=("Call.",)),
        OutsideMatter(name="Bees", inquiries=("b",)),
    ]
    first, second = outside_guides(matters)

    assert (first.asked, first.names, first.texts) == (("a swarm",), ("Bees",), ("Call.",))
    assert not first.is_article
    assert first.topic != second.topic


@pytest.mark.parametrize("code", ["es", "en"])
def test_general_matters_have_a_name_a_text_and_ways_to_ask(code):
    matters = general_matters(code)

    assert len({matter.name for matter in matters}) == len(matters)
    assert all(len(matter.texts) == 1 and matter.inquiries for matter in matters)
