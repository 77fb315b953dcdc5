"""The frame: usage errors, statuses, streams."""

import os
import subprocess
import sys

import pytest
from support.paths import REPOSITORY
from support.program import started
from support.waiting import PATIENCE

from articulado.values.errors import IndexMissing, InvalidInput
from cli.failures import report
from cli.main import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nada"], "No existe la opción --nada. Ayuda: articulado --help"),
        (
            ["ask", "--previo", "x"],
            "No existe la opción --previo. ¿Quería decir --previous? Ayuda: articulado ask --help",
        ),
        (
            ["preguntar", "x"],
            "No existe la orden «preguntar». Las que hay: ask, search, show, chat, check, verify, calculate, eval, "
            "doctor, serve, mcp, ingest, case, keys, conversations.",
        ),
        (["ask"], "Falta PREGUNTA. Ayuda: articulado ask --help"),
        (["search", "x", "--limit"], "A la opción --limit le falta su valor"),
        (["search", "x", "--limit", "0"], "--limit debe ser un número entre 1 y 100, no «0»."),
        (["ask", "x", "--as-of", "mayo"], "«mayo» no es una fecha."),
        (["ask", "x", "--previous", "1,a"], "«a» no es un identificador de fragmento."),
        (["doctor", "hoy"], "Esta parte de la orden sobra o no se entiende: hoy."),
        (["show"], "Falta PRECEPTO. Ayuda: articulado show --help"),
        (["ingest", "--nada"], "No existe la opción --nada."),
        (["ingest", "leyes", "--recursive"], "¿Quería decir --rebuild? Ayuda: articulado ingest --help"),
        (["ingest", "boe", "--limit", "0"], "--limit debe ser un número entre 1 y 20000, no «0»."),
        (["ingest", "boe", "--since", "mayo"], "«mayo» no es una fecha."),
        (["ingest", "x", "--with-packaged", "--without-packaged"], "Indique --with-packaged o --without-packaged"),
        (["ingest", "remove"], "Falta DOCUMENTO. Ayuda: articulado ingest remove --help"),
        (["serve", "--port", "http"], "--port debe ser un número entre 1 y 65535, no «http»."),
    ],
)
def test_a_wrong_command_line_is_explained_in_spanish(arguments, message, capsys):
    assert run(arguments) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert message in output.err.replace("\n", " ")


COMMANDS = [
    [],
    ["ask"],
    ["search"],
    ["show"],
    ["chat"],
    ["ingest"],
    ["ingest", "boe"],
    ["ingest", "remove"],
    ["doctor"],
    ["serve"],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_in_spanish(command, capsys):
    assert run([*command, "--help"]) == 0
    page = capsys.readouterr().out
    assert "Uso: articulado" in page
    assert "Muestra esta ayuda y termina." in page
    for english in ("Usage", "Options", "Commands", "Arguments", "Show this", "default", "required", "list["):
        assert english not in page


def test_the_help_of_ingest_shows_its_three_forms_and_the_options_of_paths(capsys):
    assert run(["ingest", "--help"]) == 0
    page = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in page.splitlines()]
    assert "Uso: articulado ingest [OPCIONES] [RUTA]..." in lines
    assert "articulado ingest boe [OPCIONES] [NORMA]..." in lines
    assert "articulado ingest remove [OPCIONES] {DOCUMENTO}..." in lines
    for option in ("--index", "--rebuild", "--yes", "--json"):
        assert option in page
    assert not any(line.startswith("│ rutas") for line in lines)
    assert run(["ingest", "leyes", "-h"]) == 0
    assert capsys.readouterr().out == page


def test_without_a_command_the_help_is_shown(capsys):
    assert run([]) == 0
    assert "Órdenes" in capsys.readouterr().out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("articulado 0.")


def test_errors_have_their_status_and_no_traceback(capsys, monkeypatch):
    monkeypatch.delenv("ARTICULADO_DEBUG", raising=False)
    assert report(IndexMissing("No hay índice [aquí].")) == 1
    assert report(InvalidInput("Mal.")) == 2
    assert report(ZeroDivisionError("x")) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("Error: No hay índice [aquí].\nError: Mal.\nError: algo ha fallado")
    assert "Traceback" not in errors


def test_debugging_shows_the_traceback(capsys, monkeypatch):
    monkeypatch.setenv("ARTICULADO_DEBUG", "1")
    try:
        raise ZeroDivisionError("x")
    except ZeroDivisionError as error:
        report(error)
    assert "Traceback" in capsys.readouterr().err


def test_a_missing_index_is_an_error_with_advice(tmp_path, capsys):
    assert run(["ask", "vacaciones", "--index", str(tmp_path / "nada")]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("Error: No hay ningún índice en ")


def test_ctrl_c_has_the_status_of_shells(monkeypatch):
    class Interrupted:
        def read(self, size: int) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert run(["ask", "-"]) == 130


@pytest.mark.integration
@pytest.mark.parametrize("arguments", [["search", "--help"], ["keys", "list", "--json"]])
def test_a_closed_pipe_is_no_error(arguments):
    process = started(*arguments, env={"PYTHONUNBUFFERED": ""})
    process.stdout.close()
    assert process.wait(timeout=PATIENCE) == 1
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.integration
def test_output_is_utf8_whatever_the_locale():
    process = started("--help", env={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"})
    page, errors = process.communicate(timeout=PATIENCE)
    assert errors == b""
    assert "Órdenes" in page.decode("utf-8")
    assert b"\x1b" not in page


@pytest.mark.integration
def test_the_exit_status_reaches_the_shell():
    process = started("keys", "--nada", env={"LC_ALL": "C"})
    page, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, page) == (2, b"")
    assert "opción --nada" in errors.decode("utf-8")


@pytest.mark.integration
def test_a_question_that_is_not_utf8_is_refused(capsys):
    latin = "¿cuántos días?".encode("latin-1")
    process = started("ask", "-", stdin=subprocess.PIPE, env={"LC_ALL": "C"})
    page, errors = process.communicate(latin, timeout=PATIENCE)
    assert (process.returncode, page) == (2, b"")
    assert "no está en UTF-8" in errors.decode("utf-8")
    assert run(["ask", os.fsdecode(latin)]) == 2
    assert "no está en UTF-8" in capsys.readouterr().err


def test_starting_the_command_line_imports_no_heavy_package():
    """Screen, services, graph and harness are imported by the command that needs them."""
    heavy = (
        "evaluation",
        "graph",
        "ir_measures",
        "articulado.language.languages",
        "numpy",
        "rich",
        "articulado.config.settings",
        "sklearn",
    )
    code = f"import sys, cli.main; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_help_page_imports_no_command():
    code = (
        "import sys; from cli.main import COMMANDS, run; run(['--help']); "
        "modules = {location.partition(':')[0] for location, _ in COMMANDS.values()}; "
        "print(sorted(modules & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
