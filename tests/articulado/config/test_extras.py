"""What a person reads where an optional package is missing: absent ones are blocked as an absent package would be."""

import subprocess
import sys
import tomllib

import pytest
from support.paths import REPOSITORY

from articulado.cases.confidence import fit_curve
from articulado.config.extras import EXTRAS, importing, installed, require
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder, TrainingPairs
from articulado.ingestion.files.reader import read_brief, read_document
from articulado.legal.domain.base import PlainDomain
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.values.errors import ConfigurationError
from cli.check import write_annotated
from cli.main import run
from server.conversations.store import open_conversations
from server.guards import Guards
from server.settings import ServerSettings

DATA = REPOSITORY / "tests" / "data"


@pytest.fixture
def lacking(monkeypatch):
    """Returns a function that makes an import fail."""

    def block(*modules):
        for module in modules:
            monkeypatch.setitem(sys.modules, module, None)

    return block


def needs(extra):
    return pytest.raises(ConfigurationError, match=rf"Instálelo con: pip install 'articulado\[{extra}\]'")


def test_every_extra_of_the_project_has_a_message():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(project["optional-dependencies"]) == {*EXTRAS, "aegra", "all", "dev", "mutation"}


def test_what_is_missing_is_named_with_its_purpose_and_the_command(lacking):
    lacking("pypdf")
    with pytest.raises(ConfigurationError) as raised, importing("documents"):
        import pypdf  # noqa: F401
    assert str(raised.value) == (
        "Para leer y escribir PDF, DOCX y XLSX hace falta un complemento que no está instalado (pypdf). "
        "Instálelo con: pip install 'articulado[documents]'"
    )
    assert isinstance(raised.value.__cause__, ImportError)


def test_a_package_that_cannot_be_loaded_says_why():
    with pytest.raises(ConfigurationError, match=r"\(no pq wrapper available\)"), importing("postgres"):
        raise ImportError("no pq wrapper available")


def test_an_extra_is_asked_for_before_the_work(lacking):
    require("documents")
    lacking("openpyxl")
    assert not installed("documents")
    with needs("documents"):
        require("documents")


@pytest.mark.parametrize(("suffix", "module"), [("pdf", "pypdf"), ("docx", "docx"), ("xlsx", "openpyxl")])
def test_a_document_is_not_called_damaged(lacking, tmp_path, suffix, module):
    lacking(module)
    file = tmp_path / f"convenio.{suffix}"
    file.write_bytes(b"%PDF-1.4" if suffix == "pdf" else b"PK\x03\x04")
    with needs("documents"):
        read_document(file)


def test_a_brief_is_not_called_damaged(lacking, tmp_path):
    lacking("docx")
    (tmp_path / "demanda.docx").write_bytes(b"PK\x03\x04")
    with needs("documents"):
        read_brief(tmp_path / "demanda.docx")
    (tmp_path / "demanda.txt").write_text("Una demanda.", encoding="utf-8")
    with needs("documents"):
        write_annotated(tmp_path / "demanda.txt", tmp_path / "out.docx", (), {"paragraphs": []})


def test_training_an_encoder(lacking):
    domain = PlainDomain(SPANISH_LAW.language)
    lacking("scipy.sparse")
    with needs("training"):
        DualEncoder.fit(TrainingPairs(["uno dos", "dos tres"]), 2, domain)


def test_fitting_a_calibration(lacking):
    lacking("sklearn.linear_model")
    with needs("training"):
        fit_curve([0.0, 1.0], [False, True])


async def test_conversations_in_postgresql(lacking, tmp_path):
    lacking("psycopg")
    with needs("postgres"):
        async with open_conversations("postgresql://db/articulado", tmp_path):
            pass


@pytest.mark.parametrize(
    ("setting", "module", "extra"),
    [
        ({"rate_storage": "redis://cache"}, "redis", "redis"),
        ({"conversations": "postgresql://db/articulado"}, "psycopg", "postgres"),
    ],
)
def test_a_server_says_it_before_it_starts(lacking, tmp_path, setting, module, extra):
    lacking(module)
    with needs(extra):
        Guards.of(ServerSettings(**setting), Settings.read(env_file=None, home=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["eval"], "scipy", "eval"),
        (["case", "calibrate"], "sklearn", "training"),
    ],
)
def test_commands_that_measure_say_it_before_they_begin(lacking, capsys, arguments, module, extra):
    lacking(module)
    assert run(arguments) == 1
    assert f"pip install 'articulado[{extra}]'" in " ".join(capsys.readouterr().err.split())


def test_doctor_tells_that_a_profile_of_another_field_wants_one(lacking, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("ARTICULADO_HOME", str(tmp_path))
    lacking("sklearn")
    assert run(["doctor", "--profile", "plan_401k"]) == 1
    assert "articulado[training]" in capsys.readouterr().out


def test_doctor_tells_which_extras_are_here(lacking, capsys, tmp_path):
    lacking("psycopg", "bm25s")
    run(["doctor", "--index", str(tmp_path)])
    [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Complementos")]
    present, absent = line.split("; sin instalar: ")
    assert "documents" in present
    assert {"postgres", "peers"} <= set(absent.split(", "))


WITHOUT_EXTRAS = """
import sys
from articulado.config.extras import EXTRAS, modules_of
sys.modules.update(dict.fromkeys(module for extra in EXTRAS for module in modules_of(extra)))
import graph.ingest, server.app
from cli.main import run
sys.exit(run(["ask", "--index", sys.argv[1], "¿Cuántos días de vacaciones me corresponden?"]))
"""


@pytest.mark.integration
def test_the_core_answers_and_can_be_served_without_any_extra(demo_index):
    command = [sys.executable, "-c", WITHOUT_EXTRAS, str(demo_index)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Artículo 38. Vacaciones anuales" in done.stdout
