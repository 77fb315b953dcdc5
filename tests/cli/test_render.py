import io
import sys
from datetime import date
from typing import get_args

import pytest
from rich.console import Console
from support.doubles import make_chunk

from articulado.config.profile import load_profile
from articulado.language.languages import language
from articulado.values.chunks import Origin
from cli.ask.view import print_below, print_end
from cli.render import clean, console, print_json, print_sources
from cli.search import print_results
from cli.show.view import print_provision
from server.lookup.results import SearchResult, Validity, search_hit

ES, EN = language("es"), language("en")
LONG = "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#" + "a" * 60


def citation(**fields):
    given = {"mark": "C1", "chunk_id": 1, "law_id": "L", "law": "Ley", "provision": "Artículo 1", "title": "Objeto"}
    return {**given, "url": LONG, "note": "", "summary": "", "official": True, "document": "", **fields}


def piped() -> Console:
    return Console(file=io.StringIO(), width=80, soft_wrap=True)


def test_sources_name_law_provision_and_whole_link():
    out = piped()
    print_sources(out, [citation()], ES)
    assert out.file.getvalue().splitlines() == ["", "Fuentes", "  [C1] Ley, Artículo 1. Objeto", f"       {LONG}"]


def test_the_parts_of_a_provision_are_one_source():
    out = piped()
    print_sources(out, [citation(), citation(mark="C4", provision="Artículo 2"), citation(mark="C2", chunk_id=2)], ES)
    assert out.file.getvalue().splitlines()[2::2] == [
        "  [C1][C2] Ley, Artículo 1. Objeto",
        "  [C4] Ley, Artículo 2. Objeto",
    ]


def test_sources_tell_plain_language_from_official_text_and_show_notes():
    out = piped()
    print_sources(out, [citation(official=False, url="", title="", note="Derogado por la Ley 2/2020.")], ES)
    assert out.file.getvalue().splitlines()[2:] == [
        "  [C1] Ley, Artículo 1",
        "       Nota: Derogado por la Ley 2/2020.",
        "       (resumen en lenguaje claro, no es el texto oficial)",
    ]


def test_a_source_says_which_wording_it_is():
    out = piped()
    then = citation(wording="Redacción vigente del 24/10/2015 al 29/03/2022", note="Sustituida.")
    print_sources(
        out, [then, citation(mark="C2", wording="Redacción vigente desde el 30/03/2022", note="Sustituida.")], ES
    )
    assert out.file.getvalue().splitlines()[2:] == [
        "  [C1] Ley, Artículo 1. Objeto",
        f"       {LONG}",
        "       Redacción vigente del 24/10/2015 al 29/03/2022",
        "       Nota: Sustituida.",
        "  [C2] Ley, Artículo 1. Objeto",
        f"       {LONG}",
        "       Redacción vigente desde el 30/03/2022",
        "       Nota: Sustituida.",
    ]


def test_the_summary_of_official_text_is_marked_as_ours():
    out = piped()
    print_sources(out, [citation(url="", summary="Son 30 días."), citation(official=False, summary="Son 30 días.")], ES)
    assert out.file.getvalue().splitlines()[2:4] == [
        "  [C1] Ley, Artículo 1. Objeto",
        "       Resumen en lenguaje claro, no oficial: Son 30 días.",
    ]
    assert out.file.getvalue().count("Son 30 días.") == 1


def test_the_sources_of_an_english_profile_are_in_english():
    out = piped()
    given = {"url": "", "law": "Plan guide", "provision": "Rules", "title": "Rules"}
    print_sources(out, [citation(**given, official=False, note="Withdrawn."), citation(summary="30 days.")], EN)
    assert out.file.getvalue().splitlines() == [
        "",
        "Sources",
        "  [C1] Plan guide, Rules",
        "       Note: Withdrawn.",
        "       (summary in plain language, not the official text)",
        "  [C1] Ley, Artículo 1. Objeto",
        f"       {LONG}",
        "       Summary in plain language, not official: 30 days.",
    ]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "Información general sobre la normativa; no es asesoramiento jurídico."),
        ({"features": {"spanish_law": False}}, "Información general de la base de conocimiento; no es asesoramiento."),
        (
            {"features": {"spanish_law": False}, "language": "en"},
            "General information from the knowledge base; it is no advice.",
        ),
    ],
)
def test_an_answer_ends_with_the_notice_of_no_legal_advice(changes, said):
    laboral = load_profile("laboral")
    profile = type(laboral).model_validate({**laboral.model_dump(), **changes})
    out = piped()
    print_end(out, {"citations": [], "warnings": []}, profile, language(profile.language))
    assert out.file.getvalue() == f"\n{said}\n"


def provision_shown(**fields):
    version = {"valid_from": "2020-01-02", "valid_to": None, "status": "vigente", "status_note": ""}
    law = {
        "law": "Ley",
        "law_id": "L",
        "provision": "Artículo 1",
        "provision_key": "art:1",
        "title": "",
        "breadcrumb": "",
        "url": "",
        "page": "",
        "agreement": None,
    }
    links = {"cites": [], "cited_by": [], "notes": [], "remarks": [], "excerpts": [], "wordings": [version]}
    return {
        **version,
        **law,
        **links,
        "official": True,
        "document": "",
        "summary": "",
        "text": "Treinta días.",
        **fields,
    }


def test_a_calculation_is_not_marked_as_a_summary():
    out = piped()
    worked = citation(official=False, law_id="", law="Cálculo", provision="Indemnización", title="", url="")
    print_sources(out, [worked], ES)
    assert out.file.getvalue().splitlines()[2:] == ["  [C1] Cálculo, Indemnización"]


def test_a_provision_on_screen_is_marked_in_the_language_of_its_profile():
    ours = provision_shown(official=False, summary="Thirty.", status_note="Withdrawn.")
    out = piped()
    print_provision(out, ours, date(2026, 1, 1), EN)
    page = out.file.getvalue().splitlines()
    assert page[3:] == [
        "Note: Withdrawn.",
        "(summary in plain language, not the official text)",
        "",
        "  Summary: Thirty.",
        "",
        "  Treinta días.",
    ]
    out = piped()
    print_provision(out, ours, date(2026, 1, 1), ES)
    page = out.file.getvalue().splitlines()
    assert page[3:5] == ["Nota: Withdrawn.", "(resumen en lenguaje claro, no es el texto oficial)"]
    assert page[6] == "  Resumen: Thirty."


def test_a_provision_on_screen_has_its_summary_marked_as_ours():
    out = piped()
    print_provision(out, provision_shown(summary="Son 30 días."), date(2026, 1, 1), ES)
    assert "  Resumen en lenguaje claro, no oficial: Son 30 días." in out.file.getvalue().splitlines()


def test_a_narrow_terminal_breaks_lines_but_not_links():
    out = Console(file=io.StringIO(), width=30, force_terminal=True, color_system=None)
    print_sources(out, [citation(title="Objeto y ámbito de aplicación")], ES)
    assert out.file.getvalue().splitlines()[2:] == [
        "  [C1] Ley, Artículo 1. Objeto",
        "       y ámbito de aplicación",
        f"       {LONG}",
    ]


def test_no_sources_no_heading():
    out = piped()
    print_sources(out, [], ES)
    assert out.file.getvalue() == ""


def test_clean_keeps_tab_newline_and_letters():
    assert clean("a\tñ\n\x1b]0;x\x07\r\x85€") == "a\tñ\n]0;x€"


def test_a_console_in_a_pipe_has_no_colour(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    out = console()
    out.print("hola", style="bold red")
    assert sys.stdout.getvalue() == "hola\n"


def test_json_keeps_spanish_letters(capsys):
    print_json({"título": "«artículo»"})
    assert capsys.readouterr().out == '{\n  "título": "«artículo»"\n}\n'


def candidate(**fields):
    chunk = make_chunk(
        5, "Artículo 38", part=1, parts=2, source="plain_language", status="derogada", status_note="Fin."
    )
    return {"chunk": chunk, "score": 0.5, "origins": ["hybrid"], "found_by": ["vacaciones anuales"], **fields}


def result_of(*candidates, answers: bool = True) -> SearchResult:
    validity: Validity = {"valid_from": None, "valid_to": None, "certainty": "sure", "in_force": True}
    hits = [search_hit(rank, each, validity) for rank, each in enumerate(candidates, start=1)]
    return {"query": "", "as_of": "2026-01-01", "index_day": None, "answers": answers, "hits": hits, "warnings": []}


def test_results_show_collection_score_and_where_each_came_from():
    out = piped()
    print_results(out, result_of(candidate(rerank_score=0.834)), load_profile("laboral"), ES, 10)
    assert out.file.getvalue().splitlines() == [
        " 1. Estatuto de los Trabajadores, Artículo 38. Título (1/2)",
        "    Normativa · puntuación 0,83 · búsqueda «vacaciones anuales»",
        "    Atención: Fin.",
        "    (resumen en lenguaje claro, no es el texto oficial)",
        "    https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a5",
    ]


def test_the_results_of_an_english_profile_are_in_english():
    rules = make_chunk(
        5, "Rules", title="Rules", law_name="Loans", collection="articles", url="", source="plain_language"
    )
    ended = make_chunk(6, "Page 3", title="Guide", law_name="Plan", collection="x", status="derogada", status_note="X.")
    found = [
        {"chunk": rules, "score": 0.958, "origins": ["hybrid"], "found_by": ["loan", "a «b»"]},
        {"chunk": ended, "score": 0.5, "origins": ["reference", "need"], "found_by": []},
    ]
    out = piped()
    print_results(out, result_of(*found, answers=False), load_profile("plan_401k"), EN, 10)
    assert out.file.getvalue().splitlines() == [
        " 1. Loans, Rules",
        "    Knowledge base · score 0.96 · search “loan”, “a «b»”",
        "    (summary in plain language, not the official text)",
        " 2. Plan, Page 3. Guide",
        "    x · score 0.50 · referred to by, asked for by the model",
        "    Caution: X.",
        "    https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a6",
        "",
        "None of this reaches the minimum relevance: this question would not be answered.",
    ]


def test_empty_results_advise_to_name_the_law_only_in_law_profiles():
    laboral = load_profile("laboral")
    gym = type(laboral).model_validate({**laboral.model_dump(), "features": {}})
    for profile, spoken, said in (
        (laboral, ES, "No se ha encontrado nada. Pruebe con otras palabras o indique la ley y el artículo.\n"),
        (gym, ES, "No se ha encontrado nada. Pruebe con otras palabras.\n"),
        (load_profile("plan_401k"), EN, "Nothing was found. Try other words.\n"),
    ):
        out = piped()
        print_results(out, result_of(answers=False), profile, spoken, 10)
        assert out.file.getvalue() == said


@pytest.mark.parametrize("spoken", [ES, EN])
def test_every_origin_has_a_name(spoken):
    origins = get_args(Origin)
    assert "hybrid" in origins
    assert len({spoken.translate(f"view_origin_{origin}") for origin in origins}) == len(origins)


def test_results_below_the_floor_say_so():
    out = piped()
    print_results(out, result_of(candidate(), answers=False), load_profile("laboral"), ES, 10)
    assert out.file.getvalue().endswith(
        "\n\nNada de esto alcanza la relevancia mínima: a esta pregunta no se respondería.\n"
    )


def test_the_parts_of_a_provision_are_one_result():
    def part(id: int, number: int, score: float, **fields) -> dict:
        chunk = make_chunk(id, "Artículo 38", part=number, **{"parts": 4, **fields})
        return {"chunk": chunk, "score": score, "origins": ["hybrid"], "found_by": ["vacaciones"]}

    found = [part(5, 3, 0.9), part(6, 1, 0.8), part(7, 2, 0.7), part(8, 1, 0.6, provision_key="art:39", parts=1)]
    direct = {"origins": ["direct", "hybrid"], "found_by": ["BOE-A-2015-11430#Artículo 38", "art. 38 ET"]}
    out = piped()
    print_results(out, result_of(found[0] | direct, *found[1:]), load_profile("laboral"), ES, 1)
    assert out.file.getvalue().splitlines()[:2] == [
        " 1. Estatuto de los Trabajadores, Artículo 38. Título (partes 1, 2 y 3 de 4)",
        "    Normativa · puntuación 0,90 · citado en la pregunta, búsqueda «art. 38 ET», «vacaciones»",
    ]
    assert " 2. " not in out.file.getvalue()


def test_sentences_of_the_answer_are_left_out_of_summaries_below_it():
    out = piped()
    source = citation(url="", summary="Son 30 días. Se pactan.", title="Artículo 1. Objeto")
    unread = {**citation(provision="Artículo 41"), "text": "1. La dirección podrá."}
    remissions = [
        {"law": "Ley", "provision": provision, "consulted": consulted}
        for provision, consulted in (("artículo 41", False), ("artículo 2", False), ("artículo 3", False))
    ]
    answer = "Con nuestras palabras: Son 30 días. [C1]"
    result = {"answer": answer, "citations": [source], "unread": [unread], "remissions": remissions, "warnings": []}
    print_below(out, result, ES)
    page = out.file.getvalue()
    assert "\n  [C1] Ley, Artículo 1. Objeto\n       Resumen en lenguaje claro, no oficial: […] Se pactan.\n" in page
    assert "Artículos que se nombran y no se han leído: artículo 2, artículo 3 (Ley)." in page
    assert "La dirección podrá." in page

    out = piped()
    print_end(out, result, load_profile("laboral"), ES)
    page = out.file.getvalue()
    assert "\n  [C1] Ley, Artículo 1. Objeto\n" in page
    assert [line for line in page.splitlines() if "leído" in line] == [
        "Preceptos que se nombran y no se han leído: 3 (los enumera --json)."
    ]
    assert "La dirección podrá." not in page


def test_a_claim_stands_beside_the_sentence_of_its_source():
    out = piped()
    finding = {"check": "claim", "kind": "contradicted", "severity": "warning", "where": "Son 40 días [C1].",
               "message": "La fuente dice otra cosa.", "mark": "C1", "evidence": "Son treinta días."}  # fmt: skip
    other = {**finding, "check": "figure", "where": "40 días", "message": "No consta.", "evidence": ""}
    print_below(out, {"answer": "", "citations": [citation()], "warnings": [], "findings": [finding, other]}, ES)
    page = out.file.getvalue()
    assert (
        "  - La fuente dice otra cosa.\n    La respuesta: «Son 40 días.»\n    La fuente [C1]: «Son treinta días.»\n"
        "  - «40 días»: No consta.\n"
    ) in page


def test_an_abstention_without_candidates_shows_no_count():
    certificate = {"candidates": 0, "relevance": None, "best": [], "missing": ["hola"]}
    out = piped()
    print_below(out, {"answer": "?", "citations": [], "warnings": [], "certificate": certificate}, ES)
    assert out.file.getvalue() == ""


def test_a_provision_on_screen_repeats_no_heading():
    out = piped()
    note = "Se modifica el apartado 2 por la Ley 2/2025, de 29 de abril"
    only = {"valid_from": "2015-10-24", "valid_to": None, "status": "modificada", "status_note": ""}
    shown = provision_shown(
        provision="Disposición adicional tercera",
        provision_key="da:3",
        title="Disposición adicional tercera. Inclusión",
        breadcrumb="TÍTULO I > Disposiciones adicionales",
        status_note=f"{note} (BOE-A-2025-8567).",
        notes=[f"{note}. Ref. BOE-A-2025-8567", "Se añade el apartado 3 por la Ley 1/2020."],
        wordings=[only],
        cited_by=[
            {"law": "Finiquito", "provision": name, "title": title, "status": "vigente"}
            for name, title in (("Ejemplo", "Ejemplo"), ("Pasos", "Pasos previos"), ("Artículo 3", "Artículo 38"))
        ],
    )
    print_provision(out, shown, date(2026, 1, 1), ES)
    page = out.file.getvalue()
    assert page.splitlines()[1:3] == ["Disposición adicional tercera. Inclusión", "TÍTULO I"]
    assert "Redacciones" not in page
    assert page.count(note) == 1
    assert "\nOtras modificaciones anotadas\n  – Se añade el apartado 3 por la Ley 1/2020.\n" in page
    assert page.endswith("\n  Finiquito\n    Ejemplo\n    Pasos. Pasos previos\n    Artículo 3. Artículo 38\n")


@pytest.mark.parametrize(
    ("checked", "said", "not_said"),
    [
        (["citations"], "textos literales y resúmenes revisados", "cifras"),
        (["citations", "quotations"], "Las cifras no se han comprobado.", "resúmenes"),
        (["citations", "quotations", "figures"], "las cifras de la respuesta constan", "resúmenes"),
        ([], "Fuentes", "comprobado"),
    ],
)
def test_the_line_below_an_answer_says_what_was_checked(checked, said, not_said):
    out = piped()
    print_below(out, {"answer": "Sí [C1].", "citations": [citation()], "warnings": [], "checked": checked}, ES)
    page = " ".join(out.file.getvalue().split())
    assert said in page
    assert not_said not in page


@pytest.mark.parametrize(
    ("code", "heading", "law", "notice"),
    [
        ("en", "Sources", "Estatuto de los Trabajadores (Workers’ Statute), Artículo 38", "it is not legal advice."),
        ("es", "Fuentes", "Estatuto de los Trabajadores, Artículo 38", "no es asesoramiento jurídico."),
        (None, "Fuentes", "Estatuto de los Trabajadores, Artículo 38", "no es asesoramiento jurídico."),
    ],
)
def test_texts_below_an_answer_are_in_its_language(code, heading, law, notice):
    out = piped()
    source = citation(law="Estatuto de los Trabajadores", law_id="BOE-A-2015-11430", provision="Artículo 38")
    result = {"answer": "", "citations": [source], "warnings": [], **({"language": code} if code else {})}
    print_end(out, result, load_profile("laboral"), ES)
    page = out.file.getvalue()
    assert f"\n{heading}\n" in page
    assert law in page
    assert page.endswith(f"{notice}\n")
