"""``articulado case calibrate`` over the real graphs and the packaged articles, in a profile of the test's own."""

import json
import shutil
from pathlib import Path

import pytest
from support.paths import REPOSITORY

from cli.failures import FAILED, MISUSED
from cli.main import run
from evaluation.case_desk.cases import own_cases
from services.case.calibration import FILE, read_calibration

PROFILES = REPOSITORY / "profiles"
TAKEN = 24
NAME = "plan_de_prueba"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The home of the index, which is built once."""
    return tmp_path_factory.mktemp("casa")


@pytest.fixture
def profile(tmp_path, built, monkeypatch) -> Path:
    """A profile like plan_401k whose calibration is kept in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARTICULADO_HOME", str(built))
    text = (PROFILES / "plan_401k.toml").read_text(encoding="utf-8")
    articles = PROFILES / "plan_401k" / "articles"
    text = text.replace('"plan_401k/articles"', f'"{articles}"').replace('name = "plan_401k"', f'name = "{NAME}"')
    Path(f"{NAME}.toml").write_text(text, encoding="utf-8")
    return tmp_path / f"{NAME}.toml"


@pytest.fixture
def gold(tmp_path) -> Path:
    """Some of the own inquiries, a third of them without an article."""
    own = [case for case in own_cases() if case.profile == "plan_401k"]
    kinds = [case for case in own if case.answerable][: TAKEN * 2 // 3], [case for case in own if not case.answerable]
    rows = [
        {
            "id": case.id,
            "profile": NAME,
            "inquiry": case.inquiry,
            "filters": dict(case.filters),
            "article": case.article or None,
        }
        for case in (*kinds[0], *kinds[1][: TAKEN // 3])
    ]
    (tmp_path / "casos.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path / "casos.jsonl"


def folder(profile: Path) -> Path:
    return profile.parent / NAME


def test_the_curves_are_stored_with_the_profile_and_used_from_then_on(profile, gold, capsys):
    assert run(["case", "calibrate", "--profile", str(profile), "--gold", str(gold), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    stored = read_calibration(folder(profile))
    (measured,) = output["profiles"]
    assert output["written"] == [str(folder(profile) / FILE)]
    assert (measured["cases"], measured["answerable"], measured["not_held"]) == (TAKEN, TAKEN * 2 // 3, [])
    for graph, curve in stored.curves.items():
        of_graph = measured["graphs"][graph]
        assert of_graph["curve"] == curve.model_dump()
        assert len(of_graph["reported_on"]) == TAKEN // 2
    assert (stored.embedder, stored.reranker) == (measured["embedder"], "heuristic")

    assert run(["case", "calibrate", "--profile", str(profile), "--gold", str(gold), "--json", "--dry-run"]) == 0
    again = json.loads(capsys.readouterr().out)
    # What is stored is not calibrated once more.
    assert again == {**output, "written": []}

    asked = ["--inquiry", "Participant wants rollover to Fidelity", "--record-keeper", "LT Trust"]
    assert run(["case", "required-data", "--profile", str(profile), *asked, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    raw = found["metadata"]["raw_confidence"]
    expected = stored.curves["required_data"](raw)
    # The raw one is shown with two decimals.
    slope = stored.curves["required_data"].slope / 4
    assert found["article_reference"]["confidence"] == pytest.approx(expected, abs=0.005 * slope + 0.006)
    assert found["article_reference"]["confidence"] != raw


def test_a_dry_run_stores_nothing_and_the_screen_has_eighty_columns(profile, gold, capsys):
    assert run(["case", "calibrate", "--profile", str(profile), "--gold", str(gold), "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert not folder(profile).exists()
    assert max(map(len, shown.splitlines())) <= 80
    for said in (f"{NAME}: 24 consultas, 16 con artículo", "required_data", "generate_response", "Curva: p = ", "ECE",
                 "Brier", "AUC", "Isotónica"):  # fmt: skip
        assert said in shown
    assert "Escrito" not in shown


def test_a_report_is_written(profile, gold, capsys):
    pytest.importorskip("matplotlib", reason="the optional extra «eval» is not installed: no matplotlib")
    options = ["--profile", str(profile), "--gold", str(gold), "--dry-run", "--report", "informe"]
    assert run(["case", "calibrate", *options]) == 0
    names = {file.name for file in Path("informe").iterdir()}
    assert names == {"calibracion.json", "calibracion.md"} | {
        f"{NAME}-{graph}-{when}.png"
        for graph in ("required_data", "generate_response")
        for when in ("antes", "despues")
    }
    assert capsys.readouterr().out.count("Escrito: ") == len(names)


def test_an_own_profile_with_its_settings_is_calibrated_without_naming_it(profile, gold, capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_PROFILE", str(profile))
    assert run(["case", "calibrate", "--gold", str(gold), "--dry-run", "--json"]) == 0
    assert [one["profile"] for one in json.loads(capsys.readouterr().out)["profiles"]] == [NAME]


def broken(gold: Path, keep) -> Path:
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    gold.write_text("\n".join(json.dumps(row) for row in rows if keep(row)), encoding="utf-8")
    return gold


def failed(capsys, *options: object, status: int = MISUSED) -> str:
    assert run(["case", "calibrate", *map(str, options)]) == status
    output = capsys.readouterr()
    assert output.out == ""
    assert "Traceback" not in output.err
    return " ".join(output.err.split())


def test_too_few_inquiries_are_refused(profile, gold, capsys):
    few = broken(gold, lambda row: row["id"] <= "plan-009")
    said = failed(capsys, "--profile", profile, "--gold", few)
    assert f"tiene 9 consultas del perfil «{NAME}» y hacen falta al menos 20" in said
    assert not folder(profile).exists()


def test_inquiries_of_another_profile_are_too_few(profile, gold, capsys):
    said = failed(capsys, "--profile", "laboral", "--gold", gold)
    assert "tiene 0 consultas del perfil «laboral»" in said


def test_without_unanswerable_ones_confidence_cannot_be_measured(profile, gold, capsys):
    own = [case for case in own_cases() if case.profile == "plan_401k" and case.answerable]
    rows = [{"id": case.id, "profile": NAME, "inquiry": case.inquiry, "article": case.article} for case in own]
    gold.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert "otras sin él" in failed(capsys, "--profile", profile, "--gold", gold)


def test_a_broken_line_is_named(profile, gold, capsys):
    gold.write_text("{}", encoding="utf-8")
    assert "casos.jsonl, línea 1: falta «id»" in failed(capsys, "--profile", profile, "--gold", gold)


def test_a_report_that_cannot_be_written_is_refused_before_the_work(profile, gold, capsys):
    Path("informe").write_text("", encoding="utf-8")
    said = failed(capsys, "--profile", profile, "--gold", gold, "--report", "informe")
    assert "informe no es una carpeta" in said
    assert not folder(profile).exists()


def test_an_index_is_of_one_profile(profile, gold, capsys):
    said = failed(capsys, "--profile", profile, "--profile", "laboral", "--index", "x", "--gold", gold)
    assert "--index solo se puede usar con un --profile" in said


def test_without_an_index_there_are_no_cases(profile, gold, capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    assert "ARTICULADO_RAG_ENABLED=false" in failed(capsys, "--profile", profile, "--gold", gold)


def test_a_broken_calibration_is_not_overwritten_unseen(profile, gold, capsys):
    folder(profile).mkdir()
    shutil.copy(profile, folder(profile) / FILE)
    said = failed(capsys, "--profile", profile, "--gold", gold, "--dry-run", status=FAILED)
    assert "No se puede leer la calibración" in said
