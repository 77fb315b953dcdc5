"""A report says what was measured: numbers worked out by hand, in JSON and in Markdown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from articulado.values.errors import InvalidInput
from cli.eval.blocks import Table, as_markdown
from cli.eval.view import measurement_blocks, write_report
from evaluation.answers.answers import NO_INVENTION, PRECISION, AnswerResult
from evaluation.gold.questions import GoldSet, Question
from evaluation.measure import Measurement
from evaluation.peers.measure import PeerFindings, PeerRun
from evaluation.report import set_report
from evaluation.retrieval.evaluate import Outcome, Retrieved, Row, measure_run
from evaluation.retrieval.run import Ranked

ET = "BOE-A-2015-11430"


def named(number):
    return ET, f"Artículo {number}"


def asked(name, *right, category="plazos", voice="lay", helps=()):
    relevant = dict.fromkeys(map(named, right), 2) | dict.fromkeys(map(named, helps), 1)
    return Question(name, f"¿Pregunta {name} | con barra?", relevant, category, "", voice)


def run_of(**rankings):
    return {name: [Ranked(named(one), -at) for at, one in enumerate(found)] for name, found in rankings.items()}


def retrieved(numbers, score, *, abstained=False):
    rows = tuple(Row(named(one), -float(at), "ET", ("hybrid",)) for at, one in enumerate(numbers))
    return Retrieved(rows, ("q",), abstained, score, {"rerank": 2.0}, 10.0)


QUESTIONS = (
    asked("a", 1),
    asked("b", 2, voice="professional"),
    asked("c", 3, category="requisitos", voice="professional", helps=[30]),
    asked("d", 4),
    asked("n", category="negative"),
)
FAR = [*range(100, 119), 4]
FOUND = {"a": [1, 9], "b": [8, 7, 9, 2], "c": [30, 3], "d": [9], "n": [9]}
OUTCOME = Outcome(
    GoldSet("oro", Path("oro.jsonl"), QUESTIONS),
    {
        "a": retrieved(FOUND["a"], 0.9),
        "b": retrieved(FOUND["b"], 0.6),
        "c": retrieved(FOUND["c"], 0.8),
        "d": retrieved(FOUND["d"], 0.2, abstained=True),
        "n": retrieved(FOUND["n"], None, abstained=True),
    },
)
BASE = measure_run("solo palabras", list(QUESTIONS), run_of(a=[9, 1], b=[8], c=[3], d=[9]))
IN_USE = measure_run("todo", list(QUESTIONS), run_of(**FOUND))
ANSWERS = [
    AnswerResult(replace(QUESTIONS[0], answer_facts=("30 días", "dos pagas")), "Son 45 días [C1].", "answer",
                 (named(9),), (named(9),), ("45 días",), ("30 días",), {PRECISION: 0.0, NO_INVENTION: 0.0}, 0.8),
    AnswerResult(QUESTIONS[1], "Sí.", "answer", (named(2),), (), (), (), {PRECISION: 1.0, NO_INVENTION: 1.0}, 0.9),
    AnswerResult(QUESTIONS[2], "Quizá.", "near", (named(8), named(3)), (named(8),), (), (), {}, 0.4, False),
    AnswerResult(QUESTIONS[3], "No.", "decline", (), (), (), (), {}, 0.2, False),
    AnswerResult(QUESTIONS[4], "Son 30.", "answer", (named(9),), (named(9),), (), (), {}, 0.5),
]  # fmt: skip
PEERS = PeerFindings(
    (PeerRun("bm25s", {"bm25s": "0.3"}, run_of(a=[1], b=[2], c=[9], d=[9]), 0.5, 0.25),),
    {"Haystack": "No se ha comparado con Haystack: falta."},
    4_866,
)
MACHINE = {"Máquina": "x86_64, 2 núcleos", "Python": "3.11"}
ALONE = {"outcome": OUTCOME, "environment": MACHINE}
WHOLE = {**ALONE, "configurations": [BASE, IN_USE], "answers": ANSWERS, "peers": PEERS}


def measured(findings):
    report = {"sets": [set_report(**findings)], "conversations": [], "compared_with": None, "recording": None}
    return Measurement(report, [], "")


def report_json(findings):
    (one,) = measured(findings).report["sets"]
    return one


def report_markdown(findings):
    return as_markdown(measurement_blocks(measured(findings), whole=True))


def section(text, title):
    return text.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]


def cells(text, first):
    """The cells of the row that begins so, in each table of a text."""
    rows = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_each_configuration_is_compared_with_the_one_before():
    base, in_use = report_json(WHOLE)["configurations"]
    assert (base["name"], base["difference"]) == ("solo palabras", None)
    # nDCG@10 before: 1/log2(3), 0, 3/(3 + 1/log2(3)) (the helping one is not found), 0; after: 1, 1/log2(5),
    # (1 + 3/log2(3))/(3 + 1/log2(3)), 0.
    assert base["metrics"]["nDCG@10"]["mean"] == pytest.approx((0.63093 + 0 + 0.82624 + 0) / 4, abs=1e-5)
    assert in_use["metrics"]["nDCG@10"]["mean"] == pytest.approx((1 + 0.43068 + 0.79671 + 0) / 4, abs=1e-5)
    difference = in_use["difference"]
    assert difference["difference"] == pytest.approx((0.36907 + 0.43068 - 0.02953) / 4, abs=1e-5)
    assert (difference["wins"], difference["ties"], difference["losses"]) == (2, 1, 1)
    assert difference["low"] < difference["difference"] < difference["high"]


def test_the_table_of_configurations_has_intervals_and_differences():
    text = section(report_markdown(WHOLE), "Técnicas")
    assert cells(text, "solo palabras")[0][1:5:3] == ["0,364", ""]
    (row,) = cells(text, "todo")
    assert (row[1], row[3]) == ("0,557", "+0,193")


def test_without_an_ablation_the_retrieval_in_use_stands_alone():
    report = report_json(ALONE)
    assert not {"configurations", "answers", "peers"} & report.keys()
    text = report_markdown(ALONE)
    assert not [part for part in ("Técnicas", "Respuestas", "Otros buscadores") if f"## {part}" in text]


@pytest.mark.parametrize("number", [16, 24, 40])
def test_the_mean_of_equal_values_is_in_its_interval(number):
    # Second of two is 1/log2(3) each time; added up one by one and divided, these come out a last digit off.
    names = [f"q{at}" for at in range(number)]
    same = measure_run("x", [asked(name, 1) for name in names], run_of(**{name: [9, 1] for name in names}))
    found = {name: retrieved([9, 1], 0.5) for name in names}
    outcome = Outcome(GoldSet("x", Path("x"), tuple(asked(name, 1) for name in names)), found)
    (step,) = report_json({"outcome": outcome, "configurations": [same]})["configurations"]
    of_voice = step["nDCG@10_by_voice"]["lay"]
    assert of_voice["mean"] == pytest.approx(0.63093, abs=1e-5)
    assert of_voice["low"] <= of_voice["mean"] <= of_voice["high"]


def test_categories_have_their_own_metrics():
    groups = report_json(WHOLE)["by_category"]
    assert {name: one["questions"] for name, one in groups.items()} == {"plazos": 3, "requisitos": 1}
    assert groups["plazos"]["metrics"]["hit@3"]["mean"] == pytest.approx(1 / 3, abs=1e-6)
    (row,) = cells(report_markdown(ALONE), "plazos")
    assert (row[1], row[5]) == ("3", "0,333")


def test_failures_are_of_retrieval_of_ranking_or_of_the_answer():
    def kinds(findings):
        return {one["id"]: one["failure"] for one in report_json(findings)["per_question"] if one["failure"]}

    # "a" is found first, but the answer cites another; "b" is fourth, but cited; "c" is shown with a warning.
    assert kinds(WHOLE) == {"a": "answer", "d": "retrieval"}
    assert kinds(ALONE) == {"b": "ranking", "d": "retrieval"}
    assert "Fallos: 1 de recuperación, 0 de ordenación, 1 de respuesta." in report_markdown(WHOLE)
    assert "Fallos: 1 de recuperación, 1 de ordenación." in report_markdown(ALONE)


def test_the_worst_questions_list_the_provisions_found_instead():
    of_b = report_json(WHOLE)["per_question"][1]
    assert (of_b["id"], of_b["rank"], of_b["relevant"]) == ("b", 4, {f"{ET}#Artículo 2": 2})
    assert of_b["instead"] == [f"{ET}#Artículo 8", f"{ET}#Artículo 7", f"{ET}#Artículo 9"]
    lines = [line for line in section(report_markdown(ALONE), "Peores preguntas").splitlines() if line.startswith("- ")]
    assert [line[2] for line in lines] == ["d", "b", "c"]
    assert "Fallo de ordenación" in lines[1]
    assert "Se esperaba: ET, Artículo 2. Se encontró: ET, Artículo 8;" in lines[1]


def test_refusals_are_told_apart():
    report = report_json(WHOLE)
    assert (report["wrongly_refused"], report["negatives_declined"]) == (["d"], ["n"])
    answered = {**OUTCOME.retrieved, "n": retrieved([9], 0.5)}
    text = report_markdown({"outcome": replace(OUTCOME, retrieved=answered)})
    assert "1 de 4 con respuesta, rechazadas sin razón; 0 de 1 sin respuesta, bien declinadas." in text


def test_confidence_counts_an_answering_provision_among_the_first_three():
    found = report_json(WHOLE)["confidence"]
    # a and c are right; b, d and the negative, of which nothing was found, are not.
    (one,) = found["bins"]
    assert (one["confidence"], one["right"], one["count"]) == (pytest.approx(0.5), pytest.approx(0.4), 5)
    assert found["ece"] == pytest.approx(0.1)


def test_answers_show_their_means_and_errors():
    report = report_json(WHOLE)["answers"]
    assert report["metrics"][PRECISION] == {"mean": 0.5, "questions": 2}
    assert report["questions"][0]["unsupported"] == ["45 días"]
    assert report["questions"][0]["missing_facts"] == ["30 días"]
    assert cells(section(report_markdown(WHOLE), "Respuestas"), PRECISION) == [[PRECISION, "0,500", "2"]]


def test_outcomes_have_their_denominators():
    report = report_json(WHOLE)["answers"]
    answerable = report["answerable"]
    assert answerable["outcomes"] == {
        "answer": {"count": 2, "of": 4, "share": 0.5},
        "near": {"count": 1, "of": 4, "share": 0.25},
        "decline": {"count": 1, "of": 4, "share": 0.25},
        "ask": {"count": 0, "of": 4, "share": 0.0},
    }
    assert answerable["declined_by"] == {
        "gate": {"count": 1, "of": 1, "share": 1.0},
        "principal": {"count": 0, "of": 1, "share": 0.0},
    }
    # Of "a" another is cited first, of "b" the right one; of "c" the right one is shown, second, with a warning.
    assert answerable["right_first"] == answerable["right_in_first_two"] == {"count": 1, "of": 4, "share": 0.25}
    assert answerable["near_right"] == {"count": 1, "of": 1, "share": 1.0}
    assert answerable["facts"] == {"count": 1, "of": 2, "share": 0.5}
    assert answerable["words"] == {"median": 2.0, "p90": 2.8, "maximum": 3, "answers": 2}
    assert report["unanswerable"]["outcomes"]["answer"] == {"count": 1, "of": 1, "share": 1.0}
    assert report["unanswerable"]["declined_by"]["gate"] == {"count": 0, "of": 0, "share": None}
    assert list(report["unanswerable"]["by_category"]) == ["negative"]
    assert [
        (one["outcome"], one["abstained"], one["declined_by"], one["relevance"]) for one in report["questions"][2:]
    ] == [("near", True, None, 0.4), ("decline", True, "gate", 0.2), ("answer", False, None, 0.5)]

    text = section(report_markdown(WHOLE), "Respuestas")
    shown = {row[0].strip("| "): row[1] for row in (line.split(" | ") for line in text.splitlines() if "|" in line)}
    assert shown["Contestadas"] == "2/4 (50 %) |"
    assert shown["Se cita primero un precepto que responde"] == "1/4 (25 %) |"
    assert shown["sin llamar al modelo, de estas"] == "1/1 (100 %) |"
    assert shown["Hechos esperados que las respuestas contienen"] == "1/2 (50 %) |"
    assert shown["Palabras: mediana, percentil 90, máximo (respuestas)"] == "2, 3, 3 (2) |"
    assert cells(text, "negative")[:1] == [["negative", "0/1 (0 %)", "0/1 (0 %)", "0/1 (0 %)", "1/1 (100 %)"]]
    assert "sin llamar al modelo –; por el modelo –." in text


def test_relevance_has_its_curves():
    report = report_json(WHOLE)["answers"]["relevance"]
    risk = report["risk_coverage"]
    # By descending relevance "b" is right, "a" wrong, "n" has no answer, "c" shows the right one, "d" nothing.
    assert [(point["threshold"], point["wrong"], point["questions"]) for point in risk["points"]] == [
        (0.9, 0, 1), (0.8, 1, 2), (0.5, 2, 3), (0.4, 2, 4), (0.2, 3, 5),
    ]  # fmt: skip
    assert risk["area"] == pytest.approx((0 + 1 / 2 + 2 / 3 + 1 / 2 + 3 / 5) / 5, abs=1e-6)
    whole = report["calibration"]
    assert (whole["relevance"], whole["answerable"]["count"], whole["answerable"]["of"]) == (0.56, 4, 5)
    assert whole["brier"] == pytest.approx((0.01 + 0.04 + 0.25 + 0.36 + 0.64) / 5)
    assert whole["ece"] == pytest.approx(0.8 - 0.56)
    assert {name: group["answerable"]["of"] for name, group in report["by_category"].items()} == {
        "plazos": 3, "requisitos": 1, "negative": 1,
    }  # fmt: skip

    text = section(report_markdown(WHOLE), "Respuestas")
    assert "Relevancia de 5 preguntas, de 5: área de riesgo y cobertura 0,453, ECE 0,240, Brier 0,260." in text
    assert cells(text, "3/5 (60 %)") == [["3/5 (60 %)", "0,500", "2/3 (67 %)"]]
    assert len([line for line in text.splitlines() if "/5 (" in line and line.count("|") == 4]) == 5


def test_without_a_relevance_there_are_no_curves_to_show():
    found = {**WHOLE, "answers": [replace(answer, relevance=None) for answer in ANSWERS]}
    assert report_json(found)["answers"]["relevance"] is None
    assert "Relevancia" not in report_markdown(found)


def test_peers_stand_beside_us_and_the_missing_ones_are_named():
    report = report_json(WHOLE)["peers"]
    assert (report["provisions"], list(report["missing"])) == (4_866, ["Haystack"])
    (one,) = report["runs"]
    assert (one["name"], one["packages"], one["question_ms"]) == ("bm25s", {"bm25s": "0.3"}, 0.25)
    # What we give against the peer: 0, 1/log2(5) - 1, 0.79671, 0.
    assert one["difference"]["difference"] == pytest.approx((-0.56932 + 0.79671) / 4, abs=1e-5)
    text = section(report_markdown(WHOLE), "Otros buscadores")
    (theirs,), (ours,) = cells(text, "bm25s"), cells(text, "articulado")
    assert "4.866 preceptos" in text
    assert "No se ha comparado con Haystack" in text
    assert (theirs[1][:5], ours[1][:5], len(theirs)) == ("0,500", "0,557", len(ours))


def test_only_negatives_leave_nothing_to_rank():
    negative = Question("n", "¿?", {})
    outcome = Outcome(GoldSet("oro", Path("oro.jsonl"), (negative,)), {"n": retrieved([9], 0.5)})
    assert report_json({"outcome": outcome, "peers": PEERS})["metrics"] == {}
    assert "Métrica" not in report_markdown({"outcome": outcome, "peers": PEERS})


def test_characters_that_would_break_a_table_are_replaced():
    assert as_markdown([Table(["a"], [["x | y\nz"]])]) == "| a |\n| --- |\n| x \\| y z |\n"


def test_the_report_is_written_into_a_folder_the_same_each_time(tmp_path):
    first = write_report(tmp_path / "nueva" / "a", measured(WHOLE))
    second = write_report(tmp_path / "b", measured(WHOLE))
    assert [file.name for file in first] == ["report.json", "report.md"]
    assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    (one,) = json.loads(first[0].read_text(encoding="utf-8"))["sets"]
    assert (one["name"], one["questions"], one["negatives"], one["environment"]) == ("oro", 5, 1, MACHINE)
    assert cells(first[1].read_text(encoding="utf-8"), "Python") == [["Python", "3.11"]]


def test_an_unwritable_report_folder_is_refused(tmp_path):
    (tmp_path / "fichero").write_text("")
    with pytest.raises(InvalidInput, match=r"No se puede escribir el informe en .*Indique otra carpeta"):
        write_report(tmp_path / "fichero", measured(ALONE))


def test_without_an_answer_there_are_no_lengths():
    declined = replace(ANSWERS[3], question=QUESTIONS[0])
    text = report_markdown({**ALONE, "answers": [declined]})
    assert cells(text, "Palabras: mediana, percentil 90, máximo (respuestas)")[0][1] == "–"
