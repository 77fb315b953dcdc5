"""``articulado show`` of what has no provisions: a ruling, a guide."""

import json

import pytest

from cli.main import run

SUBJECTS = ("Las vacaciones no disfrutadas se conservan. ", "La huelga es un derecho. ", "El salario se paga al mes. ")
PARAGRAPHS = [subject * 30 for subject in SUBJECTS]
HEADER = """---
court: Tribunal Supremo
number: STS 1/2024
date: 2024-01-09
ecli: ECLI:ES:TS:2024:1
title: Vacaciones y enfermedad
url: https://www.poderjudicial.es/1
---
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("documentos")
    (folder / "sentencia.txt").write_text(HEADER + "\n\n".join(PARAGRAPHS) + "\n")
    (folder / "guia.txt").write_text("La guía del ET explica los turnos de noche.\n")
    where = str(folder / "indice")
    files = [str(folder / "sentencia.txt"), str(folder / "guia.txt")]
    assert run(["ingest", *files, "--index", where, "--without-packaged"]) == 0
    return where


@pytest.mark.parametrize("name", ["ECLI:ES:TS:2024:1", "ecli:es:ts:2024:1", "sentencia.txt", "STS 1/2024"])
def test_a_ruling_is_shown_whole(index, capsys, name):
    capsys.readouterr()
    assert run(["show", name, "--index", index, "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["documents"]
    assert (found["law_id"], found["published"]) == ("ECLI:ES:TS:2024:1", "2024-01-09")
    assert (found["collection"], found["url"]) == ("sentencias", "https://www.poderjudicial.es/1")
    assert len(found["chunk_ids"]) > 1
    assert found["text"].split() == " ".join(PARAGRAPHS).split(), "every part, in order"


def test_a_page_for_a_person(index, capsys):
    capsys.readouterr()
    assert run(["show", "ECLI:ES:TS:2024:1", "--index", index]) == 0
    page = capsys.readouterr().out
    assert page.splitlines()[0].endswith("(ECLI:ES:TS:2024:1)")
    assert "Vacaciones y enfermedad\nPublicado el 2024-01-09.\n\n  Las vacaciones" in page
    assert page.endswith("\nhttps://www.poderjudicial.es/1\n")


def test_a_document_without_a_header_goes_by_its_file(index, capsys):
    capsys.readouterr()
    assert run(["show", "guia.txt", "--index", index]) == 0
    assert "  La guía del ET explica los turnos de noche." in capsys.readouterr().out


def test_a_text_that_names_no_document_is_read_as_a_reference(index, capsys):
    capsys.readouterr()
    assert run(["show", "el acta", "--index", index]) == 2
    assert "No se entiende «el acta»" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ECLI:ES:TS:2024:2", "STS 2/2024"])
def test_a_ruling_that_is_not_there_is_told_by_its_name(index, capsys, name):
    capsys.readouterr()
    assert run(["show", name, "--index", index]) == 1
    assert f"{name} no está entre las sentencias y los criterios del índice." in capsys.readouterr().err
