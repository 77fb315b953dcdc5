import io
import sys
from datetime import date

from doubles import make_chunk
from rich.console import Console

from cli.render import clean, console, print_json, print_sources
from cli.results import as_dict, print_results
from cli.show_view import print_shown
from services.profile import load_profile

LONG = "https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#" + "a" * 60


def citation(**fields):
    given = {"mark": "C1", "chunk_id": 1, "law_id": "L", "law": "Ley", "provision": "Artículo 1", "title": "Objeto"}
    return {**given, "url": LONG, "note": "", "summary": "", "official": True, **fields}


def piped() -> Console:
    return Console(file=io.StringIO(), width=80, soft_wrap=True)


def test_sources_name_law_provision_and_whole_link():
    out = piped()
    print_sources(out, [citation()])
    assert out.file.getvalue().splitlines() == ["", "Fuentes", "  [C1] Ley, Artículo 1. Objeto", f"       {LONG}"]


def test_the_parts_of_a_provision_are_one_source():
    out = piped()
    print_sources(out, [citation(), citation(mark="C4", provision="Artículo 2"), citation(mark="C2", chunk_id=2)])
    assert out.file.getvalue().splitlines()[2::2] == [
        "  [C1][C2] Ley, Artículo 1. Objeto",
        "  [C4] Ley, Artículo 2. Objeto",
    ]


def test_sources_tell_plain_language_from_official_text_and_show_notes():
    out = piped()
    print_sources(out, [citation(official=False, url="", title="", note="Derogado por la Ley 2/2020.")])
    assert out.file.getvalue().splitlines()[2:] == [
        "  [C1] Ley, Artículo 1",
        "       Nota: Derogado por la Ley 2/2020.",
        "       (resumen en lenguaje claro, no es el texto oficial)",
    ]


def test_a_source_says_which_wording_it_is():
    out = piped()
    then = citation(wording="Redacción vigente del 24/10/2015 al 29/03/2022", note="Sustituida.")
    print_sources(out, [then, citation(mark="C2", wording="Redacción vigente desde el 30/03/2022", note="Sustituida.")])
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
    print_sources(out, [citation(url="", summary="Son 30 días."), citation(official=False, summary="Son 30 días.")])
    assert out.file.getvalue().splitlines()[2:4] == [
        "  [C1] Ley, Artículo 1. Objeto",
        "       Resumen en lenguaje claro, no oficial: Son 30 días.",
    ]
    assert out.file.getvalue().count("Son 30 días.") == 1


def test_a_provision_on_screen_has_its_summary_marked_as_ours():
    version = {"valid_from": "2020-01-02", "valid_to": None, "status": "vigente", "status_note": ""}
    law = {"law": "Ley", "law_id": "L", "provision": "Artículo 1", "title": "", "breadcrumb": "", "url": ""}
    links = {"cites": [], "cited_by": [], "notes": [], "excerpts": [], "wordings": [version]}
    found = {**version, **law, **links, "official": True, "summary": "Son 30 días.", "text": "Treinta días."}
    out = piped()
    print_shown(out, found, date(2026, 1, 1))
    assert "  Resumen en lenguaje claro, no oficial: Son 30 días." in out.file.getvalue().splitlines()


def test_a_narrow_terminal_breaks_lines_but_not_links():
    out = Console(file=io.StringIO(), width=30, force_terminal=True, color_system=None)
    print_sources(out, [citation(title="Objeto y ámbito de aplicación")])
    assert out.file.getvalue().splitlines()[2:] == [
        "  [C1] Ley, Artículo 1. Objeto",
        "  y ámbito de aplicación",
        f"       {LONG}",
    ]


def test_no_sources_no_heading():
    out = piped()
    print_sources(out, [])
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


def test_results_show_collection_score_and_where_each_came_from():
    out = piped()
    print_results(out, [candidate(rerank_score=0.834)], load_profile("laboral"), abstained=False)
    assert out.file.getvalue().splitlines() == [
        " 1. Estatuto de los Trabajadores, Artículo 38. Título (1/2)",
        "    Normativa · puntuación 0,83 · búsqueda «vacaciones anuales»",
        "    Atención: Fin.",
        "    (resumen en lenguaje claro, no es el texto oficial)",
        "    https://www.boe.es/buscar/act.php?id=BOE-A-2015-11430#a5",
    ]


def test_results_below_the_floor_say_so_and_none_are_told():
    out = piped()
    print_results(out, [candidate()], load_profile("laboral"), abstained=True)
    assert "no se respondería" in out.file.getvalue()
    out = piped()
    print_results(out, [], load_profile("laboral"), abstained=True)
    assert out.file.getvalue().startswith("No se ha encontrado nada.")


def test_a_result_as_json_keeps_both_scores():
    found = as_dict(1, candidate(rerank_score=0.25))
    assert (found["score"], found["search_score"], found["rerank_score"]) == (0.25, 0.5, 0.25)
    found = as_dict(2, candidate())
    assert (found["rank"], found["score"], found["rerank_score"], found["official"]) == (2, 0.5, None, False)
