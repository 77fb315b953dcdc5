"""What a model costs is allowed first: by ``--yes``, or by whoever is at the terminal."""

import io
import json
import sys
from pathlib import Path

import pytest
from support.laboral import NAME
from support.openai_server import running_server
from support.small_laws import write_law

from cli.main import run

MODEL = "gpt-5-nano"


class Terminal(io.StringIO):
    """A keyboard with some keys typed, or a screen."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def reader(tmp_path, monkeypatch, nothing_comes_along):
    """Let a reader write the context of fragments, in a folder of the test's own with a law in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path / "home"))
    write_law(Path("a.md"), "BOE-A-2000-1", "La pausa del café dura diecisiete minutos.")
    with running_server() as server:
        monkeypatch.setenv("ARTICULADO_CHUNK_CONTEXT", "reader")
        monkeypatch.setenv("ARTICULADO_READER_PROVIDER", "compatible")
        monkeypatch.setenv("ARTICULADO_READER_BASE_URL", server.url)
        server.answer(MODEL, lambda request: "Trata de la pausa del café en la jornada.")
        yield server


INDEX = Path(f"home/index-{NAME}/current")


def at_the_keyboard(monkeypatch, keys: str) -> Terminal:
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(keys))
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_without_a_terminal_costs_are_refused(reader, capsys, arguments):
    assert run(["ingest", "a.md", *arguments]) == 1
    output = capsys.readouterr()
    if arguments:
        failure = json.loads(output.out)
        assert (failure["error"], failure["detail"][:9]) == ("CostNotAllowed", "Se pedirá")
    else:
        assert output.out == ""
    assert output.err.startswith("Error: Se pedirá")
    assert "--yes" in output.err
    assert reader.calls(MODEL) == 0
    assert not INDEX.exists()


def test_yes_allows_the_cost(reader, capsys):
    assert run(["ingest", "a.md", "--yes"]) == 0
    assert "Añadidos: Ley BOE-A-2000-1." in capsys.readouterr().out
    assert reader.calls(MODEL) > 0
    assert INDEX.exists()


@pytest.mark.parametrize(("keys", "status"), [("s\n", 0), ("quizá\nSÍ\n", 0), ("n\n", 1), ("", 1)])
def test_a_person_at_the_terminal_is_asked(reader, monkeypatch, keys, status):
    screen = at_the_keyboard(monkeypatch, keys)
    assert run(["ingest", "a.md"]) == status
    shown = screen.getvalue()
    assert "Se pedirá" in shown
    assert "--yes" not in shown
    assert shown.count("¿Seguir? (s/n)") == (2 if "quizá" in keys else 1)
    assert INDEX.exists() == (reader.calls(MODEL) > 0) == (status == 0)
