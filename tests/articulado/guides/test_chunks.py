"""Articles cut into chunks: what a reader sees, what is filtered by, what answers are checked against."""

import pytest
from support.small_articles import BRINGS_ALONG, decision_guide, guardrails, required_data, write_article, write_profile

from articulado.config.profile import load_profile
from articulado.guides.chunks import cut_article
from articulado.ingestion.bundled import bundled_articles
from articulado.ingestion.chunking.chunks import children_of
from articulado.values.chunks import Chunk
from articulado.values.errors import ConfigurationError, InvalidInput


@pytest.fixture
def profile(tmp_path):
    return load_profile(str(write_profile(tmp_path / "profiles", BRINGS_ALONG)))


@pytest.fixture
def cut(tmp_path, profile):
    def cut(**changes):
        return cut_article(write_article(tmp_path / "a.article.yaml", **changes), profile)

    return cut


def test_each_chunk_stands_for_itself_and_names_its_article(cut):
    article = cut()
    data, guide, guards = article.chunks
    assert set(data) == {*Chunk.__required_keys__, "details"}
    expected = {
        "collection": "guides",
        "law_id": "dry-zone-pruning",
        "law_name": "Pruning roses in the dry zone",
        "rank": 5,
        "kind": "article",
        "provision": "Data for pruning",
        "provision_key": "dry-zone-pruning#1",
        "title": "Data for pruning",
        "breadcrumb": "Pruning roses in the dry zone",
        "part": 1,
        "parts": 3,
        "chunk_type": "required_data",
        "topic": "pruning",
        "attributes": {"climate": "Dry zone", "tool": "", "updated": "2026-11-01"},
        "valid_from": None,
        "valid_to": None,
        "status": "vigente",
        "source": "official",
        "url": "",
        "refs": [],
    }
    assert {name: data[name] for name in expected} == expected
    assert (guide["provision"], guards["title"]) == ("How to decide", "What not to say")
    assert [chunk["tier"] for chunk in article.chunks] == ["LOW", "CRITICAL", "CRITICAL"]
    assert {chunk["id"] for chunk in article.chunks} == set(article.lay_phrasings)
    assert set(article.lay_phrasings.values()) == {"When do I cut my roses back?"}


def test_the_text_has_a_plain_line_for_each_item(cut):
    faq = {"question": "And in June?", "answer": "Wait."}
    more = [
        {"type": "response_frames", "frames": [{"topic": "When", "text": "Prune in winter."}]},
        {"type": "steps", "steps": ["Clean the shears", "Cut above a bud"]},
        {"type": "common_issues", "issues": [{"issue": "It dries out", "answer": "Water it"}]},
        {"type": "faqs", "faqs": [faq], "warnings": [{"about": "fees", "text": "Shears cost money."}]},
    ]
    rules = [
        {"when": {"field": "plant_age", "above": 30.5}, "decision": "uncertain", "because": "It may die."},
        {
            "when": {"field": "plant_age", "one_of": ["old", "very old", "dead"]},
            "decision": "can_proceed",
            "because": "Yes",
        },
    ]
    guide = {**decision_guide(), "rules": [*decision_guide()["rules"], *rules]}
    chunks = cut(chunks=[required_data(required=False), guide, guardrails(), *more]).chunks
    assert [chunk["text"] for chunk in chunks] == [
        "Ask first.\n- plant_age (number, optional): Age of the plant in years. Why: Young plants are left alone.",
        "Look at the age.\n"
        "- If plant_age is below 2: out of scope. It is too young.\n"
        "- If plant_age is above 30.5: uncertain. It may die.\n"
        "- If plant_age is old, very old or dead: can proceed. Yes.",
        "- Do not promise flowers.",
        "- When: Prune in winter.",
        "1. Clean the shears\n2. Cut above a bud",
        "- It dries out. Water it",
        "- And in June? Wait.\nWarning (fees): Shears cost money.",
    ]


def test_labels_are_in_the_language_of_the_profile(tmp_path):
    profile = load_profile("laboral").model_copy(update={"filter_fields": ()})
    file = write_article(tmp_path / "a.article.yaml", climate=None)
    data, guide, _ = cut_article(file, profile, official=False).chunks
    assert "- plant_age (número, obligatorio): Age of the plant in years. Para qué: " in data["text"]
    assert "- Si plant_age es menor que 2: fuera de alcance. It is too young." in guide["text"]
    assert (guide["provision"], guide["collection"], guide["source"]) == ("Cómo decidir", "casos", "plain_language")


def test_the_details_are_the_items_and_no_more(cut):
    data, guide, guards = cut(provisions=["BOE-A-2015-11430#Artículo 55"]).chunks
    common = {"article_title": "Pruning roses in the dry zone", "provisions": ["BOE-A-2015-11430#Artículo 55"]}
    inquiries = ["When do I cut my roses back?"]
    assert data["details"] == {**common, "inquiries": inquiries, "fields": required_data()["fields"]}
    assert guide["details"] == {**common, "rules": decision_guide()["rules"]}
    assert guards["details"] == {**common, "guards": guardrails()["guards"]}


def test_the_link_is_the_articles_own_else_that_of_its_first_provision(cut):
    own = {**guardrails(), "provisions": ["BOE-A-2015-11724#Artículo 194"]}
    provisions = ["BOE-A-2015-11430#Artículo 55", "BOE-A-2015-11430#Artículo 56"]
    data, other = cut(provisions=provisions, chunks=[required_data(), own]).chunks
    assert data["url"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a55"
    assert other["url"] == "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11724#a194"
    assert cut(url="https://a.test/b", provisions=provisions).chunks[0]["url"] == "https://a.test/b"


def test_a_critical_chunk_is_critical_whatever_its_type(cut):
    rule = {"type": "steps", "steps": ["Not in frost"]}
    tiers = [chunk["tier"] for chunk in cut(chunks=[rule, {**rule, "critical": True}]).chunks]
    assert tiers == ["HIGH", "CRITICAL"]


def test_an_id_outlives_a_change_of_text_and_the_hash_does_not(cut):
    before, after = cut().chunks[0], cut(chunks=[required_data(description="Another"), guardrails()]).chunks[0]
    assert (before["id"], before["content_hash"] == after["content_hash"]) == (after["id"], False)
    assert cut(climate="Wet zone").chunks[0]["content_hash"] != before["content_hash"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"soil": "clay"},
            "«soil» no es una clave conocida ni un campo de filtro del perfil «jardin» .*: climate, tool",
        ),
        ({"climate": "dry"}, "climate: no se conoce «dry»; los valores posibles son «Dry zone», «Wet zone»"),
        ({"topic": "mowing"}, "topic: no se conoce «mowing»; los valores posibles son «pruning», «watering»"),
        ({"tool": 3}, "tool: debe ser un texto"),
        (
            {"chunks": [{"type": "poem", "text": "x"}]},
            "trozo 1: el tipo «poem» no existe; los posibles son required_data,",
        ),
        (
            {"chunks": [{"type": "examples", "text": "In May it WILL bloom."}, guardrails()]},
            "trozo 2, guards: la expresión «will bloom» de «no-promise» encuentra «WILL bloom» en el trozo 1",
        ),
    ],
)
def test_rejects_values_unknown_to_the_profile(cut, changes, message):
    with pytest.raises(InvalidInput, match=message):
        cut(**changes)


def test_a_rule_may_name_what_it_forbids(cut):
    assert len(cut(chunks=[required_data(), guardrails("promise flowers")]).chunks) == 2


def test_a_field_without_values_takes_all(cut):
    assert cut(tool="a golden spade").chunks[0]["attributes"]["tool"] == "a golden spade"


def test_children_are_filtered_as_their_parent_and_carry_no_details(cut):
    [parent, *_] = cut().chunks
    [child, *_] = children_of(parent)
    shared = ("chunk_type", "tier", "topic", "attributes", "collection")
    assert "details" not in child
    assert [child[name] for name in shared] == [parent[name] for name in shared]


def test_articles_of_a_profile_are_checked_together(tmp_path, profile):
    with pytest.raises(ConfigurationError, match=r"No existe la carpeta de artículos del perfil «jardin»"):
        bundled_articles(profile)
    write_article(profile.articles / "b.article.yaml", id="b")
    write_article(profile.articles / "a.article.yaml", id="a")
    (profile.articles / "notes.yaml").write_text("no: article")
    assert [one.id for one in bundled_articles(profile)] == ["a", "b"]
    write_article(profile.articles / "c.article.yaml", id="a")
    with pytest.raises(ConfigurationError, match="tiene dos artículos «a»"):
        bundled_articles(profile)
    write_article(profile.articles / "c.article.yaml", topic="mowing")
    with pytest.raises(ConfigurationError, match=r"c\.article\.yaml» no se puede usar: topic"):
        bundled_articles(profile)
