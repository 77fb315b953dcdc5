"""Guides: articles put together from their chunks, outside matters, labelled inquiries, what people ask any desk."""

import json
from collections import Counter

import pytest
from support.chunks import make_chunk
from support.small_articles import write_profile

from articulado.cases.guides import (
    INQUIRIES_FILE,
    LabelledInquiry,
    article_guides,
    general_matters,
    guides_of,
    load_inquiries,
)
from articulado.config.profile import load_profile
from articulado.values.errors import ConfigurationError

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

    assert (guide.article_id, guide.title, guide.topic) == ("roses", "Pruning roses", "pruning")
    assert guide.attributes == {"climate": "Dry zone"}
    assert guide.fields == (AGE,)
    # Inquiries first, then questions and issues by part; each once.
    assert guide.asked == ("cut roses", "When?", "It froze")
    assert guide.names == ("Pruning roses", "pruning", "prune")
    # By part, without what may not be said.
    assert guide.texts == ("Part 1\nAsk for the age.", "Part 2\nCut in March.", "Part 4\nFrost.")
    assert guide.all_texts == (*guide.asked, *guide.names, *guide.texts)


def test_articles_are_in_the_order_of_their_ids_and_other_documents_are_none(profile):
    document = make_chunk(9, law_id="a-law", details={})
    chunks = [part(5, "steps", "x", "tulips", topic="late_frost"), document, part(6, "steps", "x", "apples", topic="")]
    apples, tulips = article_guides(chunks, profile)

    # One without a topic has one of its own; a topic without synonyms has its name.
    assert (apples.article_id, apples.topic) == ("apples", "apples")
    assert (tulips.article_id, tulips.names) == ("tulips", ("Pruning roses", "late frost"))
    assert article_guides([document], profile) == []


LABELLED = [
    LabelledInquiry(inquiry="thorns everywhere", article="roses", writer="a"),
    LabelledInquiry(inquiry="my bulbs rot", article="tulips", writer="a"),
    LabelledInquiry(inquiry="my car is broken", article=None, writer="b"),
]


def test_a_desk_has_its_articles_its_outside_matters_the_general_ones_and_its_labelled_inquiries(profile):
    profile.own_folder.mkdir()
    outside = '[[matters]]\nname = "Bees"\ninquiries = ["a swarm"]\ntexts = ["Call."]\n'
    (profile.own_folder / "outside.toml").write_text(outside, encoding="utf-8")
    [roses], matters = guides_of(CHUNKS, profile, LABELLED)

    assert roses.asked == ("cut roses", "When?", "It froze", "thorns everywhere")
    bees, *general, others = matters
    assert (bees.asked, bees.names, bees.texts) == (("a swarm",), ("Bees",), ("Call.",))
    assert [guide.title for guide in general] == [each.name for each in general_matters("en")]
    assert others.asked == ("my car is broken",)
    # Each is a topic of its own, and no article.
    assert len({guide.topic for guide in matters}) == len(matters)
    assert {guide.article_id for guide in matters} == {""}
    assert guides_of(CHUNKS, profile, LABELLED[:2])[1] == matters[:-1]


def write(profile, *lines):
    profile.own_folder.mkdir()
    file = profile.own_folder / INQUIRIES_FILE
    file.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
    return file


def test_labelled_inquiries_are_read_and_a_profile_may_have_none(profile):
    assert load_inquiries(profile) == ()

    write(profile, {"inquiry": "when?", "article": "roses", "writer": "a"}, {"inquiry": "egg", "article": None})
    assert load_inquiries(profile) == (
        LabelledInquiry(inquiry="when?", article="roses", writer="a"),
        LabelledInquiry(inquiry="egg", article=None, writer=""),
    )


@pytest.mark.parametrize(
    ("second", "line"),
    [
        (b"{", 2),
        (b"", 2),
        ({"inquiry": "", "article": None}, 2),
        ({"inquiry": "when?"}, 2),
        ({"inquiry": "when?", "article": "a", "more": 1}, 2),
        (b"\xff", 1),
    ],
    ids=["torn", "empty", "no text", "no article", "more", "bytes"],
)
def test_a_broken_line_of_inquiries_is_named_with_its_file(profile, second, line):
    file = write(profile, {"inquiry": "first", "article": "roses"}, second, {"inquiry": "third", "article": "roses"})

    with pytest.raises(ConfigurationError) as raised:
        load_inquiries(profile)
    assert str(file) in str(raised.value)
    assert str(line) in str(raised.value).replace(str(file), "")


@pytest.mark.parametrize("name", ["laboral", "plan_401k"])
def test_the_packaged_inquiries_are_of_articles_that_exist_and_of_several_writers(name):
    packaged = load_profile(name)
    articles = {file.name.removesuffix(".article.yaml") for file in packaged.articles.glob("*.article.yaml")}
    inquiries = load_inquiries(packaged)

    assert {each.article for each in inquiries if each.article} == articles
    assert sum(each.article is None for each in inquiries) >= 100
    # Weights are checked on the inquiries of other writers.
    assert len({each.writer for each in inquiries}) >= 3
    assert all(each.writer for each in inquiries)
    repeated = [text for text, count in Counter(each.inquiry for each in inquiries).items() if count > 1]
    assert repeated == []
