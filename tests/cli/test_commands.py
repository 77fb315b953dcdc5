"""The commands over the real offline graph and the demo index."""

import io
import json
import re
import resource
import sys

import pytest
from support.program import started
from support.small_articles import BRINGS_ALONG, write_article, write_profile

from cli.main import run

QUESTION = "¿Cuántos días de vacaciones me corresponden al año?"
ET = "BOE-A-2015-11430"


@pytest.fixture
def answered(capsys):
    def ask(*arguments: str) -> dict:
        assert run([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


def test_ask_answers_with_its_sources(capsys):
    assert run(["ask", QUESTION]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    answer, _, sources = output.out.partition("\nFuentes\n")
    assert "[C1]" in answer
    assert "Artículo 38" in sources
    assert f"https://www.boe.es/buscar/act.php?id={ET}#a38" in sources
    assert "(resumen en lenguaje claro, no es el texto oficial)" in sources
    assert output.out.endswith("\n\nInformación general sobre la normativa; no es asesoramiento jurídico.\n")
    assert "\x1b" not in output.out


def test_ask_as_json_is_one_object_with_every_key(answered):
    result = answered("ask", QUESTION)
    expected = {
        "question", "queries", "answer", "citations", "used_chunk_ids", "dropped_chunk_ids", "context_chunk_ids",
        "needs", "retried", "abstained", "outcome", "relevance", "verdicts", "warnings", "usage",
    }  # fmt: skip
    assert expected <= set(result)
    assert result["question"] == QUESTION
    assert {"mark", "chunk_id", "law_id", "law", "provision", "url"} <= set(result["citations"][0])
    assert ET in {citation["law_id"] for citation in result["citations"]}
    assert result["usage"]["model_calls"] == 0
    assert result["outcome"] == "answer"
    assert 0.5 <= result["relevance"] <= 1
    assert {"decompose", "hybrid_search", "answer"} <= set(result["usage"]["stages"])


def test_ask_reads_the_question_from_the_input_and_carries_over(answered, monkeypatch):
    first = answered("ask", QUESTION)
    monkeypatch.setattr(sys, "stdin", io.StringIO("¿y eso?\n"))
    ids = first["context_chunk_ids"]
    assert ids
    second = answered("ask", "-", "--previous", ",".join(map(str, ids)))
    assert second["question"] == "¿y eso?"
    # Only a question that carries something over can do without a search.
    assert second["queries"] == []
    assert "hybrid_search" not in second["usage"]["stages"]


def test_ask_abstains_where_the_law_does_not_answer(answered):
    result = answered("ask", "¿Cuál es la capital de Francia?")
    assert result["abstained"]
    assert result["outcome"] == "decline"
    assert result["relevance"] < 0.4
    assert result["citations"] == []
    assert result["answer"].startswith("No tengo esa información verificada")


def test_ask_refuses_a_blank_question(capsys):
    assert run(["ask", "  "]) == 2
    assert capsys.readouterr().err.startswith("Error: La pregunta está vacía.")


def test_search_lists_hits_in_order_as_the_http_api_does(answered):
    found = answered("search", QUESTION, "--limit", "5")
    results = found["hits"]
    assert [result["rank"] for result in results] == [1, 2, 3, 4, 5]
    assert (results[0]["law_id"], results[0]["provision"]) == (ET, "Artículo 38")
    scores = [result["score"] for result in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert results[0]["origins"] == ["hybrid", "phrasing", "card"]
    assert results[0]["found_by"]
    assert found.keys() == {"query", "as_of", "index_day", "answers", "hits", "absent", "warnings"}


def test_search_keeps_to_the_collections_asked_for(answered):
    found = answered("search", "despido improcedente indemnización", "--collections", "sentencias", "--rerank", "none")
    hybrid = [hit for hit in found["hits"] if "hybrid" in hit["origins"]]
    assert {hit["collection"] for hit in hybrid} == {"sentencias"}


def test_search_prints_results_for_a_person(capsys):
    assert run(["search", "art. 38 ET", "--limit", "1"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(" 1. Estatuto de los Trabajadores, Artículo 38")
    assert "    Normativa · puntuación 1,00 · citado en la pregunta" in page


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("art 500 ET", "el artículo 500"),
        ("art. 9999 LGSS", "el artículo 9999"),
        ("artículo 96 bis ET", "el artículo 96 bis"),
        ("¿Cuántas vacaciones da el art. 500 ET?", "el artículo 500"),
    ],
)
def test_search_says_first_that_a_provision_does_not_exist(capsys, query, label):
    assert run(["search", query, "--limit", "1"]) == 0
    page = capsys.readouterr().out
    assert page.startswith(f"En el índice no está {label} de «")
    assert re.match(r"[^\n]+ Están: \d+ artículos \(Artículo 1 … Artículo \d+\)[^\n]*\.\n\n 1\. ", page)
    assert "no está entre los preceptos" not in page


def test_an_english_profile_prints_english(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    for name, text in (
        ("Roses", "Roses are cut back in March, before the dry season."),
        ("Ferns", "Ferns are cut back in October, after the dry season."),
    ):
        rules = {"type": "business_rules", "title": "Rules", "text": text}
        file = tmp_path / "garden" / "articles" / f"{name}.article.yaml"
        write_article(file, id=name.lower(), title=name, inquiries=[f"When are {name} cut back?"], chunks=[rules])
    profile = str(write_profile(tmp_path, BRINGS_ALONG + "official = false\n"))

    assert run(["search", "When are roses cut back?", "--limit", "1", "--profile", profile]) == 0
    heading, account, *rest = capsys.readouterr().out.splitlines()
    assert heading == " 1. Roses, Rules"
    assert re.fullmatch(r"    Guides · score [01]\.\d\d · search “When are roses cut back\?”", account)
    assert rest == ["    (summary in plain language, not the official text)"]

    assert run(["search", "capital of France", "--profile", profile]) == 0
    least = "None of this reaches the minimum relevance: this question would not be answered.\n"
    assert capsys.readouterr().out.endswith(least)

    assert run(["ask", "When are roses cut back?", "--profile", profile]) == 0
    answer, _, end = capsys.readouterr().out.partition("\nSources\n")
    assert "Roses are cut back in March" in answer
    *sources, index_day, blank, notice = end.splitlines()
    assert sources == [
        "  [C1] Roses, Rules",
        "       (summary in plain language, not the official text)",
        "",
        "The answer consists of quotations and reviewed summaries; "
        "each of its citations was checked to lead to a source.",
    ]
    assert re.fullmatch(r"Index of [A-Z][a-z]+ \d{1,2}, \d{4}\.", index_day)
    assert (blank, notice) == ("", "General information from the knowledge base; it is no advice.")


def test_chat_follows_up_from_a_script(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{QUESTION}\n/fuentes\n/salir\n"))
    assert run(["chat"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.startswith("Información general sobre la normativa; no es asesoramiento jurídico.\n")
    assert output.out.count("Fuentes") == 2
    assert output.out.endswith("Hasta luego.\n")


@pytest.mark.integration
def test_a_fresh_process_answers_in_time(answered):
    answered("ask", QUESTION)  # the demo index is there
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = started("ask", QUESTION)
    page, errors = process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Seconds of the processor, which other processes do not change; the bound only catches a heavy import.
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 10
    assert (process.returncode, errors) == (0, b"")
    assert "Artículo 38" in page.decode("utf-8")
