"""Parts of a provision under one marker: what is rendered, read back, and joined."""

from support.doubles import make_chunk

from articulado.prompting.fragments import read_prompt, render, write_prompt
from articulado.prompting.shared_marks import by_mark, one_per_mark, share_marks
from articulado.retrieval.fusion import candidate


def part(number, score=0.5, **fields):
    defaults = {
        "part": number,
        "parts": 4,
        "text": f"{number}. Texto.",
        "summary": "Permisos.",
        "refs": [number],
        "url": "u",
    }
    chunk = make_chunk(number, "Artículo 37", **{**defaults, **fields})
    return {**candidate(chunk, score, "hybrid"), "final_score": score}


OTHER = candidate(make_chunk(9, "Artículo 9"), 0.4, "hybrid")
CONTEXT = share_marks([part(1), part(2, 0.9), part(4), OTHER])


def test_parts_of_one_wording_share_a_marker_and_other_provisions_do_not():
    assert [[each["chunk"]["id"] for each in parts] for parts in by_mark(CONTEXT)] == [[1, 2, 4], [9]]
    older = part(1, valid_from="2010-01-01")
    assert len(by_mark(share_marks([part(1), older]))) == 2


def test_the_parts_are_one_fragment_with_a_gap_for_what_is_left_out():
    assert render(CONTEXT, brief=True) == (
        "[C1] Estatuto de los Trabajadores > Artículo 37. Título\n"
        "Relevancia: 0.90\n"
        "Parte: 1, 2, 4 de 4\n"
        "Resumen (en lenguaje claro, no oficial): Permisos.\n"
        "Texto:\n1. Texto.\n2. Texto.\n[…]\n4. Texto.\n"
        "---\n"
        "[C2] Estatuto de los Trabajadores > Artículo 9. Título\n"
        "Relevancia: 0.40\n"
        "Texto:\nTexto del artículo 9, y son 30 días."
    )


def test_a_fragment_of_several_parts_is_read_back():
    fragments, question = read_prompt(write_prompt(CONTEXT, "¿Qué?"))
    assert question == "¿Qué?"
    assert [(each.marker, each.text) for each in fragments] == [
        ("[C1]", "1. Texto.\n2. Texto.\n[…]\n4. Texto."),
        ("[C2]", "Texto del artículo 9, y son 30 días."),
    ]


def test_the_summary_is_left_out_where_the_text_is_complete():
    whole = share_marks([part(n) for n in (1, 2, 3, 4)])
    assert "Resumen" not in render(whole, brief=True)
    assert "Resumen" in render(whole)


def test_a_citation_is_of_the_best_part_and_has_the_text_of_all():
    first, second = one_per_mark(CONTEXT)
    assert (first["chunk"]["id"], first["chunk"]["refs"]) == (2, [1, 2, 4])
    assert first["chunk"]["text"] == "1. Texto.\n2. Texto.\n[…]\n4. Texto."
    assert second == OTHER
