"""``articulado case calibrate`` over the real graphs and the packaged articles, in a profile of the test's own."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from support.paths import REPOSITORY

from articulado.cases.matching import FILE, HIGHEST, packaged_models, read_calibration
from cli.failures import FAILED, MISUSED
from cli.main import run
from evaluation.case_desk.cases import KINDS, own_decisions

PROFILES = REPOSITORY / "profiles"
PER_CLASS = 4
TAKEN = PER_CLASS * len(KINDS)
WITH_ARTICLE = PER_CLASS * (len(KINDS) - 2)
"""Of two classes, none has one."""
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
    """Some of the own cases, as many of each class."""
    own = [case for case in own_decisions() if case.profile == "plan_401k"]
    taken = [case for kind in KINDS for case in [case for case in own if case.kind == kind][:PER_CLASS]]
    rows = [
        {
            "id": case.id,
            "profile": NAME,
            "class": case.kind,
            "inquiry": case.inquiry,
            "filters": dict(case.filters),
            "collected_data": dict(case.collected),
            "today": str(case.today),
            "article": case.article or None,
            "decision": case.decision,
            "outcome": case.outcome,
            "fields": list(case.fields),
        }
        for case in taken
    ]
    (tmp_path / "casos.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return tmp_path / "casos.jsonl"


def folder(profile: Path) -> Path:
    return profile.parent / NAME


def test_the_curves_are_stored_with_the_profile_and_used_from_then_on(profile, gold, capsys, monkeypatch):
    assert run(["case", "calibrate", "--profile", str(profile), "--gold", str(gold), "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    stored = read_calibration(folder(profile))
    (measured,) = output["profiles"]
    assert output["written"] == [str(folder(profile) / FILE)]
    assert (measured["cases"], measured["answerable"], measured["not_held"]) == (TAKEN, WITH_ARTICLE, [])
    assert measured["reranker"] == "heuristic"
    assert stored.model == packaged_models().sentences.fingerprint
    for graph, curve in stored.curves.items():
        of_graph = measured["graphs"][graph]
        assert of_graph["curve"] == curve.model_dump()
        assert len(of_graph["reported_on"]) == len(of_graph["fitted_on"]) == TAKEN // 2
        assert {kind: counts["cases"] for kind, counts in of_graph["decisions"]["classes"].items()} == dict.fromkeys(
            KINDS, PER_CLASS // 2
        )
        assert of_graph["decisions_on_every"] == {}

    with monkeypatch.context() as own:
        # The profile of the settings needs no option.
        own.setenv("ARTICULADO_PROFILE", str(profile))
        assert run(["case", "calibrate", "--gold", str(gold), "--json", "--dry-run"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert [one["profile"] for one in again["profiles"]] == [NAME]
    # What is stored is not calibrated once more.
    assert again == {**output, "written": []}

    asked = ["--inquiry", "Participant wants rollover to Fidelity", "--record-keeper", "LT Trust"]
    confidences = []
    for rewrite in (False, True):
        if rewrite:
            changed = {**json.loads((folder(profile) / FILE).read_text(encoding="utf-8"))}
            changed["curves"]["required_data"] = {"slope": 0.0, "intercept": 20.0, "cases": 5}
            (folder(profile) / FILE).write_text(json.dumps(changed), encoding="utf-8")
        assert run(["case", "required-data", "--profile", str(profile), *asked, "--json"]) == 0
        confidences.append(json.loads(capsys.readouterr().out)["article_reference"]["confidence"])
    assert confidences[0] < confidences[1] == HIGHEST


def test_without_a_fit_nothing_is_stored_and_all_cases_are_measured(profile, gold, capsys):
    options = ["--profile", str(profile), "--gold", str(gold), "--no-fit", "--all", "--json"]
    assert run(["case", "calibrate", *options]) == 0
    output = json.loads(capsys.readouterr().out)
    assert output["written"] == []
    assert not folder(profile).exists()
    for of_graph in output["profiles"][0]["graphs"].values():
        assert of_graph["curve"] == packaged_models().sentences.curve.model_dump()
        assert (len(of_graph["reported_on"]), of_graph["fitted_on"]) == (TAKEN, [])
        assert of_graph["decisions"] == of_graph["decisions_on_every"]
        assert of_graph["decisions"]["total"]["cases"] == TAKEN


def test_a_dry_run_writes_a_report_and_nothing_else_and_the_screen_has_eighty_columns(profile, gold, capsys):
    pytest.importorskip("matplotlib", reason="the optional extra «eval» is not installed: no matplotlib")
    options = ["--profile", str(profile), "--gold", str(gold), "--dry-run", "--report", "informe"]
    assert run(["case", "calibrate", *options]) == 0
    shown = capsys.readouterr().out
    assert not folder(profile).exists()
    assert max(map(len, shown.splitlines())) <= 80
    for said in (f"{NAME}: 28 casos, 20 con artículo", "required_data", "generate_response", "Curva: p = ", "ECE",
                 "Brier", "AUC", "Casos que se miden: 14.", "una regla lo para", "nombra otro valor"):  # fmt: skip
        assert said in shown
    names = {file.name for file in Path("informe").iterdir()}
    assert names == {"calibracion.json", "calibracion.md"} | {
        f"{NAME}-{graph}-{when}.png"
        for graph in ("required_data", "generate_response")
        for when in ("antes", "despues")
    }
    assert shown.count("Escrito") == shown.count("Escrito: informe/") == len(names)


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


def test_too_few_cases_are_refused(profile, gold, capsys):
    few = broken(gold, lambda row: row["class"] in ("complete", "rule"))
    said = failed(capsys, "--profile", profile, "--gold", few)
    assert f"tiene 8 consultas del perfil «{NAME}» y hacen falta al menos 20" in said
    assert not folder(profile).exists()


def test_cases_of_another_profile_are_too_few(profile, gold, capsys):
    said = failed(capsys, "--profile", "laboral", "--gold", gold)
    assert "tiene 0 consultas del perfil «laboral»" in said


def test_without_unanswerable_ones_confidence_cannot_be_measured(profile, gold, capsys):
    answerable = broken(gold, lambda row: row["class"] not in ("other_matter", "wrong_keeper"))
    assert "otras sin él" in failed(capsys, "--profile", profile, "--gold", answerable)


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
    assert "--index can be used with one --profile only" in said


def test_without_an_index_there_are_no_cases(profile, gold, capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    assert "ARTICULADO_RAG_ENABLED=false" in failed(capsys, "--profile", profile, "--gold", gold)


def test_a_broken_calibration_can_be_made_again_but_not_measured(profile, gold, capsys):
    # About as few cases as a calibration takes.
    taken = Counter[str]()
    broken(gold, lambda row: taken.update([row["class"]]) or taken[row["class"]] <= 3)
    folder(profile).mkdir()
    shutil.copy(profile, folder(profile) / FILE)
    said = failed(capsys, "--profile", profile, "--gold", gold, "--no-fit", status=FAILED)
    assert "The calibration " in said
    assert run(["case", "calibrate", "--profile", str(profile), "--gold", str(gold)]) == 0
    remade = read_calibration(folder(profile))
    assert remade is not None
    assert set(remade.curves) == {"required_data", "generate_response"}
