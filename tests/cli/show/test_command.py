"""``articulado show`` over an index of small laws with several wordings, and over the demo."""

import json
from pathlib import Path

import pytest

from cli.main import run

LAW = """---
title: "Ley 1/2020, de Pausas"
identifier: "BOE-A-2020-1"
rank: "ley"
publication_date: "2020-01-02"
last_updated: "{day}"
---
## TÍTULO I. De la jornada

###### Artículo 1. Pausas.

1. La pausa del café dura {minutes} minutos, según el artículo 2.

2. Se pierde:

a) Por no pedirla.

b) Por dormirse.

{note}
###### Artículo 2. Café.

Lo paga la empresa, como dice el artículo 38 del Estatuto de los Trabajadores.

###### Disposición final primera. Entrada en vigor.

Mañana.
"""
NOTE = """> <small>Se modifica el apartado 1 por el art. 1 de la Ley 5/2022, de 3 de mayo. \
[Ref. BOE-A-2022-5#a1](https://www.boe.es/buscar/doc.php?id=BOE-A-2022-5)</small>
"""
CITING = """---
title: "Ley 2/2020, del Té"
identifier: "BOE-A-2020-2"
rank: "ley"
publication_date: "2020-01-03"
status: "repealed"
---
##### Artículo 1. Remisión.

Véase el artículo 14 de la Ley 31/1995.

##### Artículo 2. Tés.

"""
TEAS = [f"{number}. El té número {number} se toma {'muy ' * 200}despacio." for number in range(1, 5)]


CIRCULAR = """---
title: "Circular 4/2020, de 5 de enero, de Teteras"
identifier: "BOE-A-2020-3"
rank: "circular"
publication_date: "2020-01-05"
text_state: "as_enacted"
---
Esta Dirección dispone:

Primero. Lavado.

Las teteras se lavan a mano.

Segundo. Secado.

Se secan solas.
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("show")
    (folder / "leyes").mkdir()
    for day, minutes, note in (("2020-01-02", "diez", ""), ("2022-06-01", "doce", NOTE)):
        law = folder / "leyes" / f"BOE-A-2020-1@{day}.md"
        law.write_text(LAW.format(day=day, minutes=minutes, note=note), encoding="utf-8")
    (folder / "leyes" / "te.md").write_text(CITING + "\n\n".join(TEAS) + "\n", encoding="utf-8")
    (folder / "leyes" / "teteras.md").write_text(CIRCULAR, encoding="utf-8")
    assert run(["ingest", str(folder / "leyes"), "--index", str(folder / "indice"), "--without-packaged"]) == 0
    return str(folder / "indice")


@pytest.fixture
def shown(index, capsys):
    capsys.readouterr()

    def show(*arguments: str, status: int = 0) -> dict:
        assert run(["show", *arguments, "--index", index, "--json"]) == status
        return json.loads(capsys.readouterr().out)

    return show


def test_a_provision_with_everything_that_is_known_of_it(shown):
    found = shown("art. 1 BOE-A-2020-1")
    [provision] = found["provisions"]
    assert (found["as_of"], found["laws"], found["missing"]) == (None, [], [])
    assert (provision["law"], provision["provision"], provision["title"]) == (
        "Ley 1/2020, de Pausas",
        "Artículo 1",
        "Pausas",
    )
    assert provision["breadcrumb"] == "TÍTULO I. De la jornada"
    assert provision["text"].startswith("1. La pausa del café dura doce minutos")
    assert provision["text"].endswith("b) Por dormirse.")
    assert provision["official"]
    assert [(wording["valid_from"], wording["valid_to"]) for wording in provision["wordings"]] == [
        ("2020-01-22", provision["valid_from"]),
        (provision["valid_from"], None),
    ]
    assert provision["valid_from"].startswith("2022-05-")
    assert "Ley 5/2022" in provision["notes"][0]
    assert [link["provision"] for link in provision["cites"]] == ["Artículo 2"]
    assert provision["cited_by"] == []
    assert len(provision["chunk_ids"]) == 1


def test_an_older_wording_is_shown_on_its_day(shown):
    for arguments in (["art. 1 BOE-A-2020-1", "--as-of", "2021-06-01"], ["art. 1 BOE-A-2020-1 en 2021"]):
        found = shown(*arguments)
        [provision] = found["provisions"]
        assert found["as_of"].startswith("2021-")
        assert "dura diez minutos" in provision["text"]
        assert provision["valid_from"] == "2020-01-22"


def test_places_are_cut_out_of_the_text(shown):
    [provision] = shown("arts. 1.2 y 1.2 b) BOE-A-2020-1")["provisions"]
    assert [(excerpt["apartado"], excerpt["letter"], excerpt["text"]) for excerpt in provision["excerpts"]] == [
        ("2", "", "2. Se pierde:\n\na) Por no pedirla.\n\nb) Por dormirse."),
        ("2", "b", "b) Por dormirse."),
    ]
    assert provision["remarks"] == []


def test_a_letter_that_is_not_there_is_told_with_the_apartado_around_it(shown):
    [provision] = shown("art. 1.2 b bis) BOE-A-2020-1")["provisions"]
    [excerpt] = provision["excerpts"]
    assert excerpt == {
        "apartado": "2",
        "letter": "b bis",
        "text": "",
        "missing": "Artículo 1.2 (Ley 1/2020, de Pausas) no tiene letra b bis): se muestra el apartado 2.",
        "nearest": "2. Se pierde:\n\na) Por no pedirla.\n\nb) Por dormirse.",
    }


def test_unread_parts_of_a_citation_are_noted_above_the_text(index, capsys):
    assert run(["show", "art. 1.2, párrafo primero, y ss. BOE-A-2020-1", "--index", index]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "«y siguientes»: se muestra solo el primero (Artículo 1)" in page
    assert "queda sin leer «párrafo primero»" in page
    assert page.index("queda sin leer") < page.index("Apartado 2 (solo esta parte")


def test_several_provisions_and_those_that_are_not_there(shown):
    found = shown("arts. 1, 2 y 3 bis BOE-A-2020-1", status=1)
    assert [provision["provision"] for provision in found["provisions"]] == ["Artículo 1", "Artículo 2"]
    [message] = found["missing"]
    assert message == (
        "Según el índice, no existe el artículo 3 bis de «Ley 1/2020, de Pausas». Están: Artículo 1, Artículo 2, "
        "Disposición final primera."
    )


def test_a_page_for_a_person(index, capsys):
    assert run(["show", "art. 1.2.b) BOE-A-2020-1", "--index", index]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    blocks = output.out.split("\n\n")
    assert blocks[0].splitlines()[:3] == [
        "Ley 1/2020, de Pausas (BOE-A-2020-1)",
        "Artículo 1. Pausas",
        "TÍTULO I. De la jornada",
    ]
    assert blocks[0].splitlines()[3].startswith("Vigente (modificada): desde 2022-05-")
    assert blocks[1].splitlines()[0].startswith("Apartado 2, letra b) (solo esta parte")
    assert blocks[1].splitlines()[1:] == ["  b) Por dormirse."]
    assert blocks[2] == "https://www.boe.es/buscar/act.php?id=BOE-A-2020-1#a1"
    wordings = [" ".join(line.split()) for line in blocks[3].splitlines()]
    assert wordings[:2] == ["Redacciones (2)", "Desde Hasta Estado"]
    assert wordings[2].startswith("2020-01-22 2022-05-")
    assert wordings[2].endswith("redacción anterior")
    assert wordings[3].endswith("vigente (modificada) (la de arriba)")
    assert blocks[0].count("Se modifica el apartado 1") == 1
    assert blocks[4].splitlines() == ["Cita (1)", "  Ley 1/2020, de Pausas", "    Artículo 2. Café"]
    assert "\x1b" not in output.out


def test_who_cites_a_provision(index, capsys):
    assert run(["show", "art. 2 BOE-A-2020-1", "--index", index]) == 0
    page = capsys.readouterr().out
    assert "Vigente: desde 2020-01-22." in page
    assert page.endswith("\nLo citan (1)\n  Ley 1/2020, de Pausas\n    Artículo 1. Pausas\n")
    assert "Cita (" not in page, "the law that it cites is not held"


def test_a_place_that_is_not_there_and_a_law_that_was_repealed(index, capsys):
    assert run(["show", "art. 1.7 BOE-A-2020-2", "--index", index]) == 0
    page = capsys.readouterr().out
    assert "Derogada: rigió desde 2020-01-23, sin que conste hasta cuándo.\nNota: Norma derogada." in page
    assert "Artículo 1 (Ley 2/2020, del Té) no tiene apartado 7: se muestra entero.\n\n  Véase el artículo 14" in page


def test_the_parts_of_a_long_provision_are_one_text_and_no_links_of_it(shown):
    [provision] = shown("art. 2 BOE-A-2020-2")["provisions"]
    assert len(provision["chunk_ids"]) == 2
    assert provision["text"] == "\n\n".join(TEAS)
    assert (provision["cites"], provision["cited_by"]) == ([], [])


def test_a_law_alone(index, shown, capsys):
    assert run(["show", "BOE-A-2020-1", "--index", index]) == 0
    page = capsys.readouterr().out
    assert page.splitlines()[:2] == [
        "Ley 1/2020, de Pausas (BOE-A-2020-1)",
        "Preceptos en el índice: Artículo 1, Artículo 2, Disposición final primera.",
    ]
    assert page.count("Procede de ") == 2
    [law] = shown("BOE-A-2020-1")["laws"]
    assert law["labels"]["df:1"] == "Disposición final primera"
    assert [Path(file).name for file in law["files"]] == ["BOE-A-2020-1@2020-01-02.md", "BOE-A-2020-1@2022-06-01.md"]


@pytest.mark.parametrize(
    ("named", "example"),
    [
        ("BOE-A-2020-1", "art. 1 BOE-A-2020-1"),
        ("boe-a-2020-1", "art. 1 boe-a-2020-1"),
        ("BOE-A-2020-3", "Preámbulo BOE-A-2020-3"),
    ],
)
def test_a_law_alone_says_how_one_of_its_provisions_is_asked_for(index, capsys, named, example):
    assert run(["show", named, "--index", index]) == 0
    assert f'\nPara ver uno: articulado show "{example}"\n' in capsys.readouterr().out
    assert run(["show", example, "--index", index]) == 0


@pytest.mark.parametrize(
    ("named", "example"),
    [
        ("ET", "art. 1 ET"),
        ("et", "art. 1 et"),
        ("el Estatuto de los Trabajadores", "art. 1 Estatuto de los Trabajadores"),
    ],
)
def test_a_known_law_goes_by_the_name_that_was_typed(capsys, named, example):
    assert run(["show", named]) == 0
    assert f'\nPara ver uno: articulado show "{example}"\n' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["hola"], 2, "No se entiende «hola»."),
        (["art. 1 de la Ley 99/2024"], 1, "La Ley 99/2024 no está entre las normas de este índice."),
        (["art. 4 CC"], 1, "El CC no está entre las normas de este índice."),
        (["art. 4 LXYZ"], 1, "La LXYZ no está entre las normas de este índice."),
        (["art. 7, apdo. 2, del Código Civil"], 1, "El Código Civil no está entre las normas de este índice."),
        (["art. 7, xyz. 2, del Código Civil"], 1, "El Código Civil no está entre las normas de este índice."),
        (["art. 3 RDL 2/2015, de 6 de marzo"], 1, "El RDL 2/2015, de 6 de marzo no está entre las normas de este"),
        (["art. 3 RDL 2/2015, de 6 de marzo"], 1, "Con ese número sí está: Real Decreto Legislativo 2/2015, de 23 de"),
        (["art. 38 ET"], 1, "Estatuto de los Trabajadores (BOE-A-2015-11430) no está en el índice. En él están: "),
        (["ET"], 1, "articulado ingest boe BOE-A-2015-11430."),
        (["art. 38 del Real Decreto Legislativo 1/1995"], 1, "La sustituyó: Estatuto de los Trabajadores."),
        (["art. 2 bis BOE-A-2020-1"], 1, "¿Quería decir Artículo 2?"),
        (["disposición adicional quinta BOE-A-2020-1"], 1, "no existe la disposición adicional 5 de"),
        (["art. 1 BOE-A-2020-1", "--as-of", "2019-12-31"], 1, "No consta ninguna redacción en vigor el 2019-12-31"),
        (["art. 1 BOE-A-2020-1", "--as-of", "2019-12-31"], 1, "la primera rige desde el 2020-01-22."),
    ],
)
def test_missing_provisions_are_reported_with_the_existing_ones(index, capsys, arguments, status, message):
    assert run(["show", *arguments, "--index", index]) == status
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("Error: ")
    assert message in output.err


def test_the_demo_shows_its_summaries_as_such(capsys):
    assert run(["show", "art.", "38", "ET"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("Estatuto de los Trabajadores (BOE-A-2015-11430)\nArtículo 38. ")
    assert "\n(resumen en lenguaje claro, no es el texto oficial)\n" in page
    assert "Vigente.\n" in page
    assert "Redacciones" not in page
    assert "Lo citan (" in page
    assert run(["show", "art. 999 ET"]) == 1
    assert "Están: " in capsys.readouterr().err
    assert run(["show", "ET"]) == 0
    assert "artículos (Artículo 1 … Artículo " in capsys.readouterr().out


def test_without_search_the_packaged_records_are_shown(capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_RAG_ENABLED", "false")
    assert run(["show", "38"]) == 0
    assert "Artículo 38. " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("asked", "label", "text"),
    [
        ("apartado segundo de la Circular 4/2020", "Apartado segundo", "Se secan solas."),
        ("apartado 1 BOE-A-2020-3", "Apartado primero", "Las teteras se lavan a mano."),
        ("BOE-A-2020-3, preámbulo", "Preámbulo", "Esta Dirección dispone:"),
    ],
)
def test_units_of_a_norm_without_articles_go_by_their_names(shown, asked, label, text):
    [provision] = shown(asked)["provisions"]
    assert (provision["law_id"], provision["provision"], provision["text"]) == ("BOE-A-2020-3", label, text)
    assert "originalmente" in provision["status_note"]


def test_a_norm_alone_names_a_provision_that_it_has(index, capsys):
    assert run(["show", "BOE-A-2020-3", "--index", index]) == 0
    assert 'articulado show "Preámbulo BOE-A-2020-3"' in capsys.readouterr().out
