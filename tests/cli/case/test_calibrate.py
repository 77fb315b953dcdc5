"""``articulado case calibrate`` over the real graphs and the packaged articles, in a profile of the test's own."""

import json
import shutil
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from support.paths import REPOSITORY

from articulado.cases.confidence import FILE, HIGHEST, Curve, read_calibration
from articulado.cases.matching import packaged_models
from cli.case.calibrate import ProfileFindings, print_findings
from cli.failures import FAILED, MISUSED
from cli.main import run
from evaluation.case_desk.measure import GRAPHS, KINDS, CaseResult, LabelledCase, own_test

PROFILES = REPOSITORY / "profiles"
PER_CLASS = 3
TAKEN = PER_CLASS * len(KINDS)
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
    own = [case for case in own_test() if case.profile == "plan_401k"]
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


@pytest.mark.slow(reason="fits the models of a profile; tests/articulado/cases shows the parts")
def test_the_curves_are_stored_with_the_profile_and_used_from_then_on(profile, gold, capsys):
    asked = ["case", "calibrate", "--profile", str(profile), "--gold", str(gold), "--json"]
    assert run(asked) == 0
    (measured,) = json.loads(capsys.readouterr().out)["profiles"]
    stored = read_calibration(folder(profile))
    assert (measured["profile"], measured["written"]) == (NAME, str(folder(profile) / FILE))
    assert stored.model == packaged_models().sentences.fingerprint()
    for graph, of_graph in measured["graphs"].items():
        assert of_graph["curve"] == stored.curves[graph].model_dump()
        assert {kind: counts["cases"] for kind, counts in of_graph["kinds"].items()} == dict.fromkeys(KINDS, PER_CLASS)
        assert (of_graph["total"]["cases"], len(of_graph["results"])) == (TAKEN, TAKEN)

    # What is stored is not calibrated once more.
    assert run([*asked, "--dry-run"]) == 0
    (again,) = json.loads(capsys.readouterr().out)["profiles"]
    assert again["written"] is None
    for graph, of_graph in measured["graphs"].items():
        names = ("curve", "ece", "brier", "accepted", "precision")
        assert [again["graphs"][graph][name] for name in names] == [of_graph[name] for name in names]

    inquiry = ["--inquiry", "Participant wants to roll over an account", "--record-keeper", "LT Trust"]
    confidences = []
    for rewrite in (False, True):
        if rewrite:
            changed = json.loads((folder(profile) / FILE).read_text(encoding="utf-8"))
            changed["curves"]["required_data"] = {"slope": 0.0, "intercept": 20.0, "cases": 5}
            (folder(profile) / FILE).write_text(json.dumps(changed), encoding="utf-8")
        assert run(["case", "required-data", "--profile", str(profile), *inquiry, "--json"]) == 0
        confidences.append(json.loads(capsys.readouterr().out)["article_reference"]["confidence"])
    assert confidences[0] < confidences[1] == HIGHEST


@pytest.mark.slow(reason="builds the index of a profile; tests/articulado/cases shows the parts")
def test_no_fit_measures_the_stored_curve_and_stores_nothing(profile, gold, capsys):
    options = ["--profile", str(profile), "--gold", str(gold), "--no-fit"]
    assert run(["case", "calibrate", *options, "--json"]) == 0
    (measured,) = json.loads(capsys.readouterr().out)["profiles"]
    assert measured["written"] is None
    assert not folder(profile).exists()
    for graph, of_graph in measured["graphs"].items():
        assert of_graph["curve"] == packaged_models().sentences.curve(graph).model_dump()


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


@pytest.mark.parametrize(
    ("kept", "more", "said"),
    [
        (("complete", "rule"), (), f"tiene 6 consultas del perfil «{NAME}» y hacen falta al menos 20"),
        (KINDS, ("--profile", "laboral"), "tiene 0 consultas del perfil «laboral»"),
        (KINDS, ("--profile", "laboral", "--index", "x"), "--index can be used with one --profile only"),
        ((), (), "no tiene ninguna consulta"),
    ],
)
def test_cases_that_cannot_be_measured_are_refused(profile, gold, capsys, kept, more, said):
    few = broken(gold, lambda row: row["class"] in kept)
    assert said in failed(capsys, "--profile", profile, *more, "--gold", few)
    assert not folder(profile).exists()


def test_cases_that_all_have_an_article_are_refused(profile, gold, capsys):
    rows = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    complete = [{**row, "id": f"{row['id']}-{at}"} for row in rows if row["class"] == "complete" for at in range(7)]
    gold.write_text("\n".join(map(json.dumps, complete)), encoding="utf-8")
    assert "otras sin él" in failed(capsys, "--profile", profile, "--gold", gold)


def test_without_an_index_there_are_no_cases(profile, gold, capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    assert "ARTICULADO_RAG_ENABLED=false" in failed(capsys, "--profile", profile, "--gold", gold)


def test_a_broken_calibration_is_told_with_what_to_do(profile, gold, capsys, monkeypatch):
    # A home of its own, with an index of one article: all of them take half a minute.
    monkeypatch.setenv("ARTICULADO_HOME", str(profile.parent / "home"))
    articles = profile.parent / "articles"
    articles.mkdir()
    shutil.copy(PROFILES / "plan_401k" / "articles" / "lt-trust-rollover.article.yaml", articles)
    text = profile.read_text(encoding="utf-8").replace(str(PROFILES / "plan_401k" / "articles"), str(articles))
    profile.write_text(text, encoding="utf-8")
    folder(profile).mkdir()
    shutil.copy(profile, folder(profile) / FILE)
    said = failed(capsys, "--profile", profile, "--gold", gold, "--no-fit", status=FAILED)
    assert "The calibration " in said
    assert "make it again with “articulado case calibrate”" in said


def findings(profile: str, written: Path | None = None) -> ProfileFindings:
    """A hundred cases of each class, all decided as they should be in the first graph and none in the second."""
    results = [
        CaseResult(
            LabelledCase(f"{kind}-{at}", profile, "?", "a", kind=kind, decision="can_proceed", outcome="found"),
            "a",
            0.9,
            2.2,
            "found",
        )
        for kind in KINDS
        for at in range(100)
    ]
    curve = Curve(slope=0.5, intercept=1.0, cases=88)
    return ProfileFindings(profile, dict.fromkeys(GRAPHS, results), dict.fromkeys(GRAPHS, curve), written)


def test_measurements_fit_eighty_columns():
    out = StringIO()
    print_findings(Console(file=out, width=200), [findings("laboral", Path("calibration.json")), findings("plan_401k")])
    lines = out.getvalue().splitlines()

    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line.endswith("casos")] == ["laboral: 700 casos", "plan_401k: 700 casos"]
    assert [line for line in lines if line.startswith("Escrito")] == ["Escrito: calibration.json"]
    # Of one class in seven no article is right: 0.9 is sure of 6/7, and all of those with an article reach 0.70.
    assert "ECE 0,043, Brier" in next(line for line in lines if line.startswith("ECE"))
    assert [line.split()[:3] for line in lines if line.startswith("completo")] == [
        ["completo", "100", "100/100"],
        ["completo", "100", "0/100"],
    ] * 2
    assert next(line.split()[:3] for line in lines if line.startswith("todos")) == ["todos", "700", "700/700"]
