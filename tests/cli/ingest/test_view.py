import io
import re

from rich.console import Console

from articulado.config.profile import load_profile
from cli.ingest.view import print_report

QUIET = {
    "index": "/tmp/indice",
    "generation": "g",
    "documents": {"sentencias": 36, "normativa": 1234},
    "official_laws": 1234,
    "record_laws": 0,
    "provisions": 98765,
    "parents": 7,
    "children": 0,
    "added": [],
    "updated": [],
    "removed": [],
    "unchanged": 1270,
    "replaced": [],
    "copies": [],
    "written": 0,
    "deleted": 0,
    "resolved": 0,
    "unresolved": {},
    "examples": [],
    "summaries": 0,
    "stale": [],
    "checked": 0,
    "unchecked": [],
    "shrunk": [],
    "skipped": [],
    "failures": [],
    "warnings": [],
    "seconds": {"accept": 0.04, "read": 1.21},
}


def shown(report: dict, **options) -> list[str]:
    out = Console(file=io.StringIO(), width=80, **options)
    print_report(out, report, load_profile("laboral"))
    lines = (line.strip() for line in out.file.getvalue().splitlines())
    return [re.sub(" {2,}", "  ", line) for line in lines if line]


def test_an_unchanged_index_reports_its_content_only():
    assert shown(QUIET, soft_wrap=True) == [
        "Sin cambios: el índice ya tiene todo esto, al día.",
        "Documentos  1.270",
        "Normativa  1.234",
        "Sentencias  36",
        "Preceptos  98.765",
        "Segundos  1,2",
        "Índice: /tmp/indice",
    ]


def test_laws_that_were_not_checked_are_not_up_to_date():
    shrunk = {"provisions": 180, "provisions_left": 95, "wordings": 300, "wordings_left": 200}
    history = {"provisions": 180, "provisions_left": 180, "wordings": 1_300, "wordings_left": 200}
    report = {
        **QUIET,
        "checked": 1_200,
        "unchecked": [f"BOE-A-2000-{number}" for number in range(1, 8)],
        "shrunk": [{"law_id": "BOE-A-2001-1", **shrunk}, {"law_id": "BOE-A-2001-2", **history}],
        "warnings": ["El servidor no responde."],
    }
    told = shown(report, soft_wrap=True)
    assert told[0] == "Sin cambios en el índice, pero no se ha comprobado que esté al día."
    assert "Normas comprobadas en el BOE  1.200" in told
    assert "Normas sin comprobar en el BOE  7" in told
    assert told[-5:-1] == [
        "Sin comprobar en el BOE: 7 de 1.209 normas (BOE-A-2000-1, BOE-A-2000-2, BOE-A-2000-3, BOE-A-2000-4, "
        "BOE-A-2000-5 y 2 más). Sigue en uso lo que había de ellas. Repita la orden más tarde.",
        "BOE-A-2001-1 pasa de 180 a 95 preceptos: no se ha cambiado; compruébelo en "
        "https://www.boe.es/buscar/act.php?id=BOE-A-2001-1 y, si es correcto, repita con --accept-shrunk "
        "(articulado ingest boe BOE-A-2001-1 --accept-shrunk).",
        "BOE-A-2001-2 pasa de 1.300 a 200 redacciones: no se ha cambiado; compruébelo en "
        "https://www.boe.es/buscar/act.php?id=BOE-A-2001-2 y, si es correcto, repita con --accept-shrunk "
        "(articulado ingest boe BOE-A-2001-2 --accept-shrunk).",
        "Aviso: El servidor no responde.",
    ]


def test_summaries_and_those_out_of_date_are_told_even_where_nothing_has_changed():
    stale = [
        {"law_id": "L", "law": "ET", "provision": f"Artículo {n}", "written_against": "2020-01-01"} for n in range(7)
    ]
    told = shown({**QUIET, "summaries": 1_200, "stale": stale}, soft_wrap=True)
    assert "Preceptos con resumen en lenguaje claro  1.200" in told
    assert "Resúmenes desactualizados, que no se muestran  7" in told
    assert (
        "Resúmenes desactualizados: Artículo 0 (ET); Artículo 1 (ET); Artículo 2 (ET); Artículo 3 (ET); "
        "Artículo 4 (ET) y 2 más." in told
    )


def test_changes_are_reported_as_figures_and_names():
    report = {
        **QUIET,
        "children": 20,
        "added": [f"Ley {number}" for number in range(1, 8)],
        "removed": ["Ley [9]"],
        "written": 27,
        "deleted": 3,
        "resolved": 4,
        "unresolved": {"no such provision": 1, "unknown law": 2},
        "failures": [{"source": "x", "reason": "y"}],
        "warnings": ["Copia antigua."],
    }
    lines = shown(report, soft_wrap=True)
    rows = dict(line.split("  ") for line in lines if "  " in line)
    assert (rows["Fragmentos"], rows["Piezas de búsqueda"]) == ("7", "20")
    assert (rows["Documentos añadidos"], rows["Documentos retirados"]) == ("7", "1")
    assert "Documentos actualizados" not in rows
    assert (rows["Citas enlazadas"], rows["Citas sin enlazar"]) == ("4", "3")
    assert (rows["norma desconocida"], rows["precepto inexistente"]) == ("2", "1")
    assert "norma no incluida" not in rows
    assert lines[-5:] == [
        "Añadidos: Ley 1; Ley 2; Ley 3; Ley 4; Ley 5 y 2 más.",
        "Retirados: Ley [9].",
        "Aviso: Copia antigua.",
        "Índice: /tmp/indice",
        "Omitidos: 1",
    ]


def test_the_table_fits_a_terminal():
    lines = shown(QUIET, force_terminal=True, color_system=None)
    assert all(len(line) <= 80 for line in lines)
    assert "Normativa" in " ".join(lines)


def test_official_texts_and_summaries_are_counted_apart():
    told = shown({**QUIET, "official_laws": 1, "record_laws": 37}, soft_wrap=True)
    assert told[4:6] == ["Normas con su texto oficial  1", "Normas con solo nuestro resumen  37"]


def test_unread_files_are_listed_with_reasons():
    report = {
        **QUIET,
        "replaced": [{"law": "ET", "kept": "/b/et.md", "replaced": "/a/et.md"}],
        "copies": [{"document": "Guía", "kept": "/a/guia.txt", "copy": "/b/guia.txt"}],
        "skipped": [
            {"kind": ".doc", "files": [f"/a/{letter}.doc" for letter in "abcde"], "advice": "guárdelos como .docx"},
            {"kind": "", "files": ["/a/LEEME"], "advice": "nada"},
        ],
    }
    assert shown(report, soft_wrap=True)[-6:-1] == [
        "ET: vale el texto de /b/et.md, no el de /a/et.md.",
        "Guía: /b/guia.txt es lo mismo que /a/guia.txt.",
        "Omitidos por su formato:",
        "5 ficheros .doc (a.doc, b.doc, c.doc y 2 más): guárdelos como .docx.",
        "1 fichero sin extensión (LEEME): nada.",
    ]
