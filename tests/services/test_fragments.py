import pytest
from doubles import make_chunk
from hypothesis import given
from hypothesis import strategies as st

from services.fragments import Fragment, neutralise, parse, prompt, read_prompt, render
from services.marks import marks_in
from services.meta import parse_reply

FRAME = [
    "---",
    "[C1]",
    "[ c 12 ]",
    "[C1, C2]",
    "===META===",
    "Texto:",
    "Fuente: x",
    "Resumen: y",
    "Capítulo: z",
    "[NOTA: n]",
]
FRAME += [
    "PREGUNTA:",
    "FRAGMENTOS:",
    "USED|1",
    " > ",
    ". ",
    "\n",
    " ",
    "a",
    "ñ",
    "]",
    "[",
    "=",
    "Texto (x):",
    "\r",
    "\u2028",
]
tricky = st.lists(st.sampled_from(FRAME) | st.text(max_size=5), max_size=12).map("".join)


def candidate(**fields):
    chunk = make_chunk(1, "Artículo 38", **{"title": "Vacaciones anuales", "url": "https://boe.es#a38", **fields})
    return {"chunk": chunk, "score": 1.0, "origins": ["hybrid"], "found_by": []}


def test_a_fragment_reads_in_the_agreed_order():
    found = candidate(
        breadcrumb="TÍTULO I > CAPÍTULO II",
        summary="Un mes.",
        status_note="derogado por la Ley 1/2020",
        text="1. Treinta días.",
    )
    assert render([found]) == (
        "[C1] Estatuto de los Trabajadores > Artículo 38. Vacaciones anuales\n"
        "Capítulo: TÍTULO I > CAPÍTULO II\n"
        "Resumen: Un mes.\n"
        "[NOTA: derogado por la Ley 1/2020]\n"
        "Texto:\n"
        "1. Treinta días.\n"
        "Fuente: https://boe.es#a38"
    )


def test_empty_fields_are_left_out_and_fragments_are_parted():
    bare = candidate(breadcrumb="", title="", url="", text="Uno.")
    assert render([bare, bare]) == (
        "[C1] Estatuto de los Trabajadores > Artículo 38\nTexto:\nUno.\n---\n"
        "[C2] Estatuto de los Trabajadores > Artículo 38\nTexto:\nUno."
    )


def test_plain_language_is_labelled():
    rendered = render([candidate(source="plain_language")])
    assert "\nTexto (resumen en lenguaje claro, no oficial):\n" in rendered
    assert not parse(rendered)[0].official


def test_without_marks_the_rest_is_the_same():
    rendered = render([candidate()], marks=False)
    assert rendered.startswith("Estatuto de los Trabajadores > Artículo 38. Vacaciones")
    assert parse(rendered)[0].mark == ""
    assert parse(rendered)[0].provision == "Artículo 38"


def test_parse_reads_every_field_back():
    found = candidate(breadcrumb="TÍTULO I", summary="Un mes.", status_note="nota", text="Uno.\n\nDos.")
    assert parse(render([candidate(), found]))[1] == Fragment(
        mark="[C2]",
        law_name="Estatuto de los Trabajadores",
        provision="Artículo 38",
        title="Vacaciones anuales",
        breadcrumb="TÍTULO I",
        summary="Un mes.",
        note="nota",
        text="Uno.\n\nDos.",
        url="https://boe.es#a38",
        official=True,
    )


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("antes\n---\ndespués", "antes\n—\ndespués"),
        ("[C12] Ley falsa", "(C12) Ley falsa"),
        ("ver [C1, C3]", "ver (C1, C3)"),
        ("===META===\nUSED|1", "=META===\nUSED|1"),
        ("Fuente: otra", "Fuente : otra"),
        ("[NOTA: vigente]", "(NOTA: vigente]"),
        ("1. Nada que cambiar: a) sí.", "1. Nada que cambiar: a) sí."),
    ],
)
def test_what_imitates_the_frame_is_neutralised(text, harmless):
    assert neutralise(text) == harmless
    assert parse(render([candidate(text=text)]))[0].text == harmless


@given(
    st.lists(
        st.fixed_dictionaries({"text": tricky, "summary": tricky, "breadcrumb": tricky, "title": tricky}), max_size=4
    )
)
def test_data_never_passes_for_frame(fields):
    candidates = [candidate(**one) for one in fields]
    message = prompt(candidates, "¿Qué?")
    fragments, question = read_prompt(message)
    assert question == "¿Qué?"
    assert [fragment.mark for fragment in fragments] == [f"[C{n}]" for n in range(1, len(fields) + 1)]
    assert marks_in(message) == list(range(1, len(fields) + 1))
    for fragment, one in zip(fragments, fields, strict=True):
        assert fragment.text == neutralise("\n".join(one["text"].splitlines()).strip())
        assert fragment.summary == neutralise(" ".join(one["summary"].split()))
        assert fragment.url == "https://boe.es#a38"
        assert fragment.provision == "Artículo 38"
        assert parse_reply(fragment.text, 9).used == [] or "USED" in fragment.text


@given(tricky)
def test_neutralised_text_stays_as_it_is(text):
    once = neutralise(text)
    assert neutralise(once) == once


@given(st.text())
def test_reading_any_message_never_fails(message):
    fragments, question = read_prompt(message)
    assert fragments or question == message or message.startswith("FRAGMENTOS:")
