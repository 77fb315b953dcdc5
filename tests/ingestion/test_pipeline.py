"""What an ingest leaves out, and what it says of it."""

import os
from pathlib import Path

import pytest
from fakes.unprivileged import articulado

from ingestion.markdown import read_law
from ingestion.pipeline import IngestReport, ingest, law_files
from services.errors import InvalidInput
from services.index import open_index
from services.settings import Settings


def write_law(file: Path, identifier: str, text: str = "El descanso semanal es de día y medio.") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f'---\ntitle: "Ley {identifier}"\nidentifier: "{identifier}"\nrank: "ley"\n'
        f'publication_date: "2000-01-02"\n---\n##### Artículo 1. Descanso.\n\n{text}\n'
    )
    return file


def settings(folder: Path) -> Settings:
    return Settings.read(env_file=None, index=folder)


async def test_the_second_file_of_a_law_is_named_and_the_first_kept(tmp_path: Path) -> None:
    first = write_law(tmp_path / "leyes" / "b.md", "BOE-A-2000-1")
    other = write_law(tmp_path / "leyes" / "c.md", "BOE-A-2000-2", "Las vacaciones son de treinta días.")
    second = write_law(tmp_path / "historia" / "a.md", "BOE-A-2000-1", "Las horas extraordinarias se pagan.")
    report = await ingest([first.parent, second.parent], settings(tmp_path / "indice"))
    assert (report.laws, report.provisions) == (2, 2)
    assert report.failures == [
        (second, f"contiene la misma norma (BOE-A-2000-1) que {first}, que es la que se conserva")
    ]
    assert open_index(tmp_path / "indice").manifest.documents["normativa"] == 2
    again = await ingest([second.parent, other.parent], settings(tmp_path / "indice"))
    assert [file for file, _ in again.failures] == [first]


async def test_a_law_whose_first_file_is_broken_is_read_from_the_second(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nidentifier: BOE-A-2000-1\n---\n")
    write_law(tmp_path / "b.md", "BOE-A-2000-1")
    report = await ingest([tmp_path], settings(tmp_path / "indice"))
    assert report.laws == 1
    assert [file.name for file, _ in report.failures] == ["a.md"]


def test_a_file_reached_twice_is_read_once(tmp_path: Path) -> None:
    law = write_law(tmp_path / "a.md", "BOE-A-2000-1")
    report = IngestReport()
    twice = [law, tmp_path, tmp_path / ".." / tmp_path.name, Path(os.path.relpath(law))]
    assert law_files(twice, report) == [law]
    assert report.failures == []


def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    law = write_law(tmp_path / "dentro" / "ley.MD", "BOE-A-2000-1")
    (tmp_path / "roto.md").symlink_to("nada.md")
    (tmp_path / "ciclo.md").symlink_to("ciclo.md")
    os.mkfifo(tmp_path / "tubo.md")
    (tmp_path / "notas.txt").write_text("texto")
    (tmp_path / "vacía").mkdir()
    report = IngestReport()
    named = [tmp_path, tmp_path / "nada.md", tmp_path / "nada", tmp_path / "notas.txt", tmp_path / "vacía"]
    assert law_files(named, report) == [law]
    assert {file.name: reason for file, reason in report.failures} == {
        "roto.md": "es un enlace a un fichero que no existe",
        "ciclo.md": "los enlaces simbólicos no llevan a ningún fichero",
        "tubo.md": "no es un fichero normal",
        "nada.md": "no existe",
        "nada": "no existe",
        "notas.txt": "formato no admitido: se esperaba Markdown (.md)",
        "vacía": "la carpeta no contiene ficheros Markdown (.md)",
    }


@pytest.mark.integration
def test_what_this_user_may_not_read_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    write_law(tmp_path / "leyes" / "ley.md", "BOE-A-2000-1")
    closed = write_law(tmp_path / "leyes" / "cerrada.md", "BOE-A-2000-2")
    hidden = write_law(tmp_path / "leyes" / "carpeta" / "oculta.md", "BOE-A-2000-3").parent
    closed.chmod(0)
    hidden.chmod(0)
    try:
        ended = articulado("ingest", tmp_path / "leyes", hidden / "oculta.md", "--index", tmp_path / "indice")
    finally:
        hidden.chmod(0o755)
    assert ended.returncode == 1
    assert f"omitido {hidden}: no se puede leer la carpeta: este usuario no tiene permiso" in ended.stderr
    assert f"omitido {hidden / 'oculta.md'}: este usuario no tiene permiso" in ended.stderr
    assert f"«{closed}» no se puede leer: este usuario no tiene permiso" in ended.stderr
    assert "Ficheros omitidos: 3" in ended.stdout
    assert "1 normas" in ended.stdout


@pytest.mark.parametrize(
    ("front", "says"),
    [
        ("title: a\nidentifier: b: c\n", "no es válida: no se entiende la línea 3. Revise"),
        ("title: a\nidentifier: *b\n", "no es válida: no se entiende la línea 3. Revise"),
        ("title: a\n\nidentifier: b\x01\n", "no es válida: no se entiende la línea 4. Revise"),
        ("publication_date: 2000-13-45\n", "no es válida. Revise"),
    ],
)
def test_a_broken_front_matter_is_located_in_one_line_of_spanish(tmp_path: Path, front: str, says: str) -> None:
    file = tmp_path / "rota.md"
    file.write_text(f"---\n{front}---\n##### Artículo 1.\n\nTexto.\n")
    with pytest.raises(InvalidInput) as raised:
        read_law(file)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


async def test_a_step_that_cannot_count_shows_no_count(tmp_path: Path) -> None:
    write_law(tmp_path / "a.md", "BOE-A-2000-1")
    told: list[tuple[str, int, int]] = []
    await ingest([tmp_path], settings(tmp_path / "indice"), progress=lambda *step: told.append(step))
    assert told[:3] == [("Leyendo normas", 1, 1), ("Enlazando citas", 0, 0), ("Analizando el vocabulario", 0, 0)]
    assert {step for step, _, _ in told[3:]} == {"Indexando fragmentos"}
    assert all(0 < done <= total for _, done, total in told[3:])
    assert told[-1][1] == told[-1][2]
