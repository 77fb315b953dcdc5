"""``articulado eval`` over the real offline graph and the demo index."""

import json
from pathlib import Path

import pytest
from support.cross_encoder import TinyCrossEncoder
from support.waiting import PATIENCE

from cli.main import run
from evaluation.retrieval.run import read_trec

ET, LGSS = "BOE-A-2015-11430", "BOE-A-2015-11724"
QUESTIONS = [
    {"id": "v", "question": "¿Cuántos días de vacaciones me corresponden?", "category": "basic_info",
     "relevant": {f"{ET}#Artículo 38": 2}},
    {"id": "l", "question": "¿Qué dice el artículo 14 del ET?", "category": "lookup", "relevant": {f"{ET}#Art. 14": 2}},
    {"id": "x", "question": "¿Cuánto dura el periodo de prueba?", "category": "basic_info",
     "relevant": {f"{ET}#Artículo 9999": 2, f"{ET}#Artículo 14": 1}},
    {"id": "p", "question": "receta de paella valenciana", "category": "negative", "relevant": {}, "nota": "ajena"},
]  # fmt: skip


@pytest.fixture
def gold(tmp_path, monkeypatch) -> Path:
    """Work in a folder of the test's own, with a gold set in it."""
    monkeypatch.chdir(tmp_path)
    Path("oro.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return Path("oro.jsonl")


@pytest.fixture
def evaluated(capsys):
    def evaluate(*arguments: str) -> dict:
        assert run(["eval", *map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return evaluate


def test_json_has_everything_of_every_question(gold, evaluated):
    result = evaluated("--gold", gold)
    (one,) = result["sets"]
    assert (result["rerank"], one["name"], one["questions"], one["negatives"]) == ("auto", "oro", 4, 1)
    assert one["not_held"] == [f"{ET}#Artículo 9999"]
    assert one["ignored_keys"] == ["nota"]
    assert one["negatives_declined"] == ["p"]
    assert one["wrongly_refused"] == []
    assert {name: of_set["questions"] for name, of_set in one["by_category"].items()} == {"basic_info": 2, "lookup": 1}
    by_id = {question["id"]: question for question in one["per_question"]}
    assert by_id["l"]["metrics"]["hit@1"] == 1.0
    assert by_id["v"]["metrics"]["nDCG@10"] == 1.0
    assert by_id["v"]["failure"] is None
    assert by_id["x"]["failure"] == "retrieval"
    assert by_id["p"]["metrics"] is None
    assert by_id["p"]["failure"] is None
    assert by_id["p"]["abstained"]
    first = by_id["l"]["ranking"][0]
    assert (first["provision"], first["grade"], "direct" in first["origins"]) == (f"{ET}#Artículo 14", 2, True)
    assert by_id["l"]["stages_ms"]["hybrid_search"] > 0
    mean = sum(question["metrics"]["nDCG@10"] for question in one["per_question"] if question["metrics"]) / 3
    assert one["metrics"]["nDCG@10"]["mean"] == pytest.approx(mean)
    assert one["metrics"]["nDCG@10"]["low"] < mean < one["metrics"]["nDCG@10"]["high"]


def test_the_run_has_twenty_provisions_a_question_and_compares_with_itself_as_equal(gold, evaluated):
    listed = evaluated("--gold", gold, "--run", "a.trec", "--rerank", "none")["sets"][0]["per_question"]
    read = read_trec(Path("a.trec"))
    for question in listed:
        written = ["#".join(one.provision) for one in read.get(question["id"], [])]
        assert written == [row["provision"] for row in question["ranking"]]
        assert len(written) >= 20 or question["id"] == "p"
    compared = evaluated("--gold", gold, "--rerank", "none", "--compare-run", "a.trec")["sets"][0]["compared"]
    assert {(paired["difference"], paired["p"], paired["ties"]) for paired in compared.values()} == {(0.0, 1.0, 3)}


def test_tables_fit_eighty_columns_and_name_what_went_wrong(gold, capsys):
    assert run(["eval", "--gold", str(gold), "--run", "a.trec"]) == 0
    assert run(["eval", "--gold", str(gold), "--compare-run", "a.trec"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    lines = output.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in output.out
    text = " ".join(output.out.split())
    assert "oro: 4 preguntas" in text
    assert f"el índice no tiene 1 de los preceptos esperados: {ET}#Artículo 9999." in text
    assert "no se usan estos campos del fichero: nota." in text
    assert any(line.split()[:2] == ["hit@1", "0,667"] for line in lines)
    assert any(line.split()[:2] == ["basic_info", "2"] for line in lines)
    assert "Abstención: 0 de 3 con respuesta, rechazadas sin razón; 1 de 1 sin respuesta, bien declinadas." in text
    assert "Fallos: 1 de recuperación, 0 de ordenación." in text
    assert "x (0,275): ¿Cuánto dura el periodo de prueba?" in text
    assert "Se esperaba: ET, Artículo 9999; ET, Artículo 14." in text
    assert "Se encontró: ET, Artículo 14;" in text
    assert "Escrito: a.trec" in text
    assert "Frente a a.trec" in text


def test_several_sets_are_shown_one_after_the_other(gold, evaluated):
    Path("otro.jsonl").write_text(json.dumps({**QUESTIONS[1], "id": "otra"}), encoding="utf-8")
    result = evaluated("--gold", gold, "--gold", "otro.jsonl", "--run", "a.trec")
    assert [gold_set["name"] for gold_set in result["sets"]] == ["oro", "otro"]
    assert set(read_trec(Path("a.trec"))) >= {"v", "l", "x", "otra"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--gold", "falta.jsonl"], "No se puede leer falta.jsonl"),
        (["--gold", "oro.jsonl", "--rerank", "magia"], "--rerank no admite «magia»"),
        (["--gold", "oro.jsonl", "--run", "falta/a.trec"], "No se puede escribir falta/a.trec"),
        (["--gold", "oro.jsonl", "--compare-run", "oro.jsonl"], "oro.jsonl, línea 1: se esperaba"),
        (["--gold", "oro.jsonl", "--compare-run", "ajena.trec"], "no tiene ninguna pregunta de oro.jsonl"),
        (["--gold", "oro.jsonl", "--gold", "./oro.jsonl", "--run", "a.trec"], "está en oro.jsonl y en oro.jsonl"),
    ],
)
def test_invalid_requests_are_refused_in_one_line(gold, capsys, arguments, said):
    Path("ajena.trec").write_text(f"zz Q0 {ET}#Artículo_1 1 0.5 x\n", encoding="utf-8")
    assert run(["eval", *arguments]) == 2
    output = capsys.readouterr()
    assert output.err.startswith("Error: ")
    assert said in output.err
    assert "Traceback" not in output.err


def test_an_index_that_is_not_there_is_told(gold, capsys):
    assert run(["eval", "--gold", "oro.jsonl", "--index", "falta"]) == 1
    assert capsys.readouterr().err.startswith("Error: ")


def test_an_ablation_shows_every_technique_against_the_one_before(gold, capsys, evaluated):
    (one,) = evaluated("--gold", gold, "--ablation")["sets"]
    names = [step["name"] for step in one["configurations"]]
    assert names[:5] == [
        "solo palabras (BM25)", "solo vectores densos", "híbrida", "+ sinónimos", "+ preceptos citados",
    ]  # fmt: skip
    assert names[-2:] == ["+ reordenar: learnt", "+ remisiones"]
    assert [step["difference"] is None for step in one["configurations"]] == [True] + [False] * 7
    assert one["configurations"][-1]["metrics"]["nDCG@10"]["mean"] == pytest.approx(
        one["metrics"]["nDCG@10"]["mean"], abs=1e-6
    )
    assert run(["eval", "--gold", str(gold), "--ablation"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [name for name in names if any(line.startswith(f"{name} ") for line in lines)] == names


def test_answers_are_measured_and_count_among_the_failures(gold, capsys, evaluated):
    (one,) = evaluated("--gold", gold, "--answers")["sets"]
    assert one["answers"]["unanswerable"]["outcomes"]["decline"] == {"count": 1, "of": 1, "share": 1.0}
    assert one["answers"]["unanswerable"]["declined_by"]["gate"]["count"] == 1
    assert sum(share["count"] for share in one["answers"]["answerable"]["outcomes"].values()) == 3
    assert [answer["id"] for answer in one["answers"]["questions"]] == ["v", "l", "x", "p"]
    assert run(["eval", "--gold", str(gold), "--answers"]) == 0
    output = capsys.readouterr().out
    lines = output.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == ["todas", "1/1", "(100", "%)", *["0/1", "(0", "%)"] * 3] for line in lines)
    assert any(line.startswith("Contestadas ") and line.endswith("/3 (100 %)") for line in lines)
    assert "De las declinadas, sin llamar al modelo 1/1 (100 %); por el modelo 0/1 (0 %)." in output
    assert " de respuesta." in output


def test_strategies_are_compared_and_unavailable_ones_not_measured(gold, capsys, evaluated):
    (one,) = evaluated("--gold", gold, "--compare", "heuristic", "cross_encoder")["sets"]
    assert one["before"]["nDCG@5"] > 0
    assert one["after"]["not_measured"] == "no hay ficheros del modelo"
    assert {one["after"][name] for name in ("nDCG@5", "top_score", "rerank_ms", "total_ms")} == {None}
    assert (one["gain"], one["nDCG@5"], one["moved"]) == (None, None, None)
    (two,) = evaluated("--gold", gold, "--compare", "none", "heuristic")["sets"]
    assert two["moved"]["movable"] < 20
    assert two["moved"]["share"] is None
    assert two["after"]["rerank_ms"]["p95"] < two["after"]["total_ms"]["p95"]
    assert run(["eval", "--gold", str(gold), "--compare", "heuristic", "cross_encoder"]) == 0
    output = capsys.readouterr().out
    assert max(map(len, output.splitlines())) <= 80
    assert "cross_encoder: no medido: no hay ficheros del modelo" in output
    assert output.count("no medido") == 7


def test_a_cross_encoder_in_a_folder_is_measured_by_one_command(gold, tmp_path, monkeypatch, capsys, evaluated):
    # With this bias every passage that it scores has a relevance of 1, which the heuristic gives to none.
    monkeypatch.setenv("ARTICULADO_RERANK_PATH", str(TinyCrossEncoder(bias=20.0).write(tmp_path / "model")))
    monkeypatch.setenv("ARTICULADO_RERANK_TIMEOUT", str(PATIENCE))
    (one,) = evaluated("--gold", gold, "--compare", "heuristic", "cross_encoder")["sets"]
    before, after = one["before"], one["after"]
    assert (before["strategy"], after["strategy"]) == ("heuristic", "cross_encoder")
    assert (after["not_measured"], after["failed"]) == (None, 0)
    assert after["top_score"] == pytest.approx(1.0, abs=1e-4)
    assert before["top_score"] < 0.999
    assert one["gain"] == pytest.approx((after["nDCG@5"] - before["nDCG@5"]) / before["nDCG@5"])
    assert one["nDCG@5"]["difference"] == pytest.approx(after["nDCG@5"] - before["nDCG@5"])
    assert run(["eval", "--gold", str(gold), "--compare", "heuristic", "cross_encoder"]) == 0
    output = capsys.readouterr().out
    assert "Cambio de nDCG@5" in output
    assert "no medido" not in output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--compare", "none", "magia"], "--compare no admite «magia»"),
        (["--compare", "none", "none"], "dos modos distintos"),
        (["--compare", "none", "heuristic", "--run", "a.trec"], "solo se puede combinar con --gold"),
        (["--compare", "none"], "A la opción --compare le falta su valor"),
        (["--report", "oro.jsonl"], "oro.jsonl no es una carpeta"),
    ],
)
def test_options_that_do_not_go_together_are_told(gold, capsys, arguments, said):
    assert run(["eval", "--gold", "oro.jsonl", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--ablation"], ["--peers"], ["--compare", "none", "heuristic"]])
def test_ablation_without_retrieval_is_refused(gold, capsys, monkeypatch, arguments):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    assert run(["eval", "--gold", "oro.jsonl", *arguments]) == 2
    assert "ARTICULADO_RAG_ENABLED" in capsys.readouterr().err


def test_packaged_questions_are_refused_for_another_profile(monkeypatch, capsys):
    monkeypatch.setenv("ARTICULADO_PROFILE", "plan_401k")
    assert run(["eval"]) == 2
    assert "el perfil «plan_401k» no lo trata. Indique las suyas con --gold" in capsys.readouterr().err
