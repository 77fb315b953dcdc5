"""Articles that a profile brings along, from the command line: shown, renewed, looked at by the doctor."""

import json
from pathlib import Path

import pytest
from support.small_articles import BRINGS_ALONG, decision_guide, guardrails, required_data, write_article, write_profile

from cli.main import run


@pytest.fixture
def profile(tmp_path, monkeypatch) -> Path:
    """Give the test an installation of its own and a profile that brings one article along."""
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    write_article(tmp_path / "garden" / "articles" / "roses.article.yaml")
    return write_profile(tmp_path, BRINGS_ALONG)


@pytest.fixture
def doctor(profile, capsys):
    def look() -> tuple[int, dict]:
        status = run(["doctor", "--profile", str(profile), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return look


@pytest.mark.parametrize(
    "name", ["dry-zone-pruning", "PRUNING roses in the dry zone", "roses.article.yaml", "garden/articles"]
)
def test_an_article_of_the_profile_is_shown_whole(profile, capsys, name):
    name = str(profile.parent / name / "roses.article.yaml") if "/" in name else name
    assert run(["show", name, "--profile", str(profile)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Pruning roses in the dry zone (dry-zone-pruning)"
    # Every chunk below its own title; that of the first is not taken for the article's.
    assert lines[1] == ""
    assert lines[2:4] == ["  Data for pruning", "  Ask first."]
    assert "  - Do not promise flowers." in lines


def test_an_article_is_a_document_in_json(profile, capsys):
    assert run(["show", "dry-zone-pruning", "--profile", str(profile), "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["documents"]
    assert (found["title"], found["collection"]) == ("Pruning roses in the dry zone", "guides")
    assert len(found["chunk_ids"]) == 3


def test_an_article_of_a_profile_of_law_is_shown_beside_its_laws(capsys):
    assert run(["show", "finiquito"]) == 0
    assert "(finiquito)" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize("name", ["vacaciones", "ET", "art. 48.4 ET"])
def test_missing_documents_of_a_non_law_profile_are_reported_without_laws(profile, capsys, name):
    assert run(["show", name, "--profile", str(profile)]) == 2
    said = capsys.readouterr().err
    assert f"“{name}” is not in the index" in said
    assert "Name a provision" not in said


@pytest.mark.parametrize("words", [["ingest"], ["ingest", "--rebuild"], ["ingest", "boe"]])
def test_an_initial_index_needs_no_renewal(profile, capsys, words):
    assert run(["show", "dry-zone-pruning", "--profile", str(profile)]) == 0
    capsys.readouterr()
    assert run([*words, "--profile", str(profile)]) == 2
    said = capsys.readouterr().err
    assert "Nothing to do: no document was ingested yet." in said
    assert "The first index of the profile “jardin”" in said
    assert "renewed only when something changes" in said
    assert f"articulado ingest --profile {profile} PATH…" in said


def test_the_doctor_tells_when_the_articles_have_changed_since(profile, doctor, capsys):
    Path("guide.txt").write_text("Lavender is planted in spring.")
    assert run(["ingest", "guide.txt", "--profile", str(profile), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == {"guides": 2}, "the text and the profile's own"
    assert doctor()[1]["notes"] == []
    write_article(profile.parent / "garden" / "articles" / "roses.article.yaml", title="Mended")
    status, found = doctor()
    assert (status, found["ready"], len(found["notes"])) == (0, True, 1)
    assert found["notes"][0].endswith(f"Renuévelo con: articulado ingest --profile {profile}")
    assert run(["ingest", "--profile", str(profile)]) == 0
    capsys.readouterr()
    assert doctor()[1]["notes"] == []
    write_article(profile.parent / "garden" / "articles" / "roses.article.yaml", title=None)
    status, found = doctor()
    assert (status, found["ready"]) == (0, True), "what was ingested can still be asked"
    assert "no se puede renovar hasta que se arregle esto: The article" in found["notes"][0]


def test_an_index_whose_catalogue_is_damaged_can_be_asked(profile, doctor, capsys):
    Path("guide.txt").write_text("Lavender is planted in spring.")
    assert run(["ingest", "guide.txt", "--profile", str(profile)]) == 0
    capsys.readouterr()
    [catalog] = Path("home/index-jardin").rglob("catalog.sqlite")
    catalog.write_text("{")
    status, found = doctor()
    assert (status, ["catalogue" in note for note in found["notes"]]) == (0, [True])


def test_an_article_that_cannot_be_used_is_a_problem(profile, doctor):
    broken = write_article(profile.parent / "garden" / "articles" / "roses.article.yaml", climate="Moon")
    status, found = doctor()
    assert (status, found["ready"], found["notes"]) == (1, False, [])
    assert [str(broken) in problem and "“Moon”" in problem for problem in found["problems"]] == [True]


@pytest.mark.parametrize("gone", [True, False])
def test_articles_that_are_not_there_are_a_problem(profile, doctor, gone):
    folder = profile.parent / "garden" / "articles"
    (folder / "roses.article.yaml").unlink()
    if gone:
        folder.rmdir()
    status, found = doctor()
    assert (status, found["ready"]) == (1, False)
    assert [str(folder) in problem for problem in found["problems"]] == [True]
    assert ("does not exist" in found["problems"][0]) is gone


def test_a_profile_for_cases_alone_is_ready_for_them(profile, doctor, capsys):
    written = profile.read_text()
    for label in ("Guides", "Notes"):
        written = written.replace(f'label = "{label}"', f'label = "{label}"\nquestions = false')
    profile.write_text(written)
    status, found = doctor()
    assert (status, found["ready"], found["questions"], found["problems"]) == (0, True, False, [])
    assert "El perfil «jardin» solo trata casos (articulado case)" in found["notes"][0]
    assert run(["doctor", "--profile", str(profile)]) == 0
    page = capsys.readouterr().out
    assert "se pueden tratar casos, y no preguntas libres" in page
    assert "se puede preguntar" not in page


def test_a_profile_without_records_needs_the_search(profile, doctor, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    status, found = doctor()
    assert (status, found["notes"]) == (1, [])
    assert "ARTICULADO_RAG_ENABLED=true" in found["problems"][0]


def test_an_article_that_was_ingested_has_its_own_title_too(profile, capsys):
    chunks = [required_data(), decision_guide(), guardrails()]
    write_article(Path("docs/ponds.article.yaml"), id="ponds", title="Ponds", chunks=chunks)
    assert run(["ingest", "docs", "--profile", str(profile)]) == 0
    capsys.readouterr()
    assert run(["show", "ponds.article.yaml", "--profile", str(profile)]) == 0
    assert capsys.readouterr().out.startswith("Ponds (ponds)\n\n  Data for pruning\n")
