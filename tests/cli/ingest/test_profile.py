"""A profile made of data files alone: ingested, described and searched from the command line."""

import json
from pathlib import Path

import pytest
from support.small_articles import BRINGS_ALONG, decision_guide, guardrails, required_data, write_article, write_profile

from cli.main import run


@pytest.fixture
def garden(tmp_path, monkeypatch) -> Path:
    """Give the test an installation of its own, a profile and two articles."""
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    write_article(Path("docs/roses.article.yaml"), chunks=[required_data(), decision_guide(), guardrails()])
    write_article(
        Path("docs/ponds.article.yaml"),
        id="wet-zone-watering",
        title="Filling ponds in the wet zone",
        topic="watering",
        climate="Wet zone",
        inquiries=["My frogs sit on dry ground"],
        chunks=[
            required_data(field="pond_depth", aliases=[], description="Depth of the pond in metres"),
            {"type": "steps", "steps": ["Fill the pond slowly", "Let the water stand for a day", "Look for frogs"]},
            {"type": "faqs", "faqs": [{"question": "How deep is a pond?", "answer": "One metre is deep enough."}]},
        ],
    )
    return write_profile(tmp_path)


def searched(capsys, question: str, profile: str) -> list[dict]:
    assert run(["search", question, "--profile", profile, "--json", "--rerank", "none"]) == 0
    return json.loads(capsys.readouterr().out)["hits"]


@pytest.mark.integration
@pytest.mark.parametrize(
    ("question", "article"),
    [
        ("depth of the pond", "wet-zone-watering"),
        ("where do my frogs sit", "wet-zone-watering"),
        ("may I cut back young roses", "dry-zone-pruning"),
    ],
)
def test_articles_of_a_third_profile_are_ingested_and_found(garden, capsys, question, article):
    assert run(["ingest", "docs", "--profile", str(garden)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    rows = [line.split() for line in output.out.splitlines()]
    assert ["Guides", "2"] in rows
    assert f'Para preguntar: articulado ask --profile {garden} "…"' in output.out
    assert Path("home/index-jardin/current").is_file()
    assert not Path("home/index").exists()
    found = searched(capsys, question, str(garden))
    assert found[0]["law_id"] == article
    assert run(["ingest", "remove", article, "--profile", str(garden), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == {"guides": 1}
    assert article not in {one["law_id"] for one in searched(capsys, question, str(garden))}


def test_the_doctor_names_the_profile_and_its_index(garden, capsys):
    assert run(["doctor", "--profile", str(garden), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["profile"] == "jardin"
    assert "“jardin” brings nothing along" in found["problems"][0]
    write_profile(garden.parent, BRINGS_ALONG)
    write_article(garden.parent / "garden" / "articles" / "a.article.yaml")
    assert run(["doctor", "--profile", str(garden)]) == 0
    page = capsys.readouterr().out
    assert ["Perfil", "jardin"] in [line.split() for line in page.splitlines()]
    folder = Path("home/index-jardin").absolute()
    assert f"El índice inicial del perfil «jardin» se construirá con la primera pregunta en {folder}." in page


def test_an_unknown_profile_is_refused(garden, capsys):
    for command in (["ingest", "docs"], ["search", "x"], ["ask", "x"], ["show", "ET"], ["chat"]):
        assert run([*command, "--profile", "nada"]) == 1
        assert "No existe el perfil «nada»" in capsys.readouterr().err
