"""``articulado ingest`` over the real graph: files, removal, what is said and what the status is."""

import json
import signal
import threading
from pathlib import Path

import pytest
from support.openai_server import Reply, failure, running_server
from support.program import started
from support.small_laws import write_law
from support.waiting import PATIENCE

from cli.main import run


@pytest.fixture
def index(tmp_path, monkeypatch, nothing_comes_along) -> Path:
    """Work in a folder of the test's own, with an index folder in it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "indice"


@pytest.fixture
def ingested(index, capsys):
    def ingest(*arguments: str) -> tuple[int, dict]:
        status = run(["ingest", *arguments, "--index", str(index), "--json"])
        return status, json.loads(capsys.readouterr().out)

    return ingest


def test_readable_files_are_indexed_and_the_others_named(index, capsys):
    write_law(Path("leyes/a.md"), "BOE-A-2000-1", "La pausa del café dura diecisiete minutos.", "Véase el artículo 9.")
    Path("leyes/rota.md").write_bytes(b"\xff\xfe nada")
    assert run(["ingest", "leyes", "--index", str(index)]) == 1
    output = capsys.readouterr()
    assert "Error: omitido leyes/rota.md: " in output.err.replace(f"{Path.cwd()}/", "")
    rows = [line.split() for line in output.out.splitlines()]
    assert ["Normativa", "1"] in rows
    assert ["Preceptos", "2"] in rows
    assert ["Documentos", "añadidos", "1"] in rows
    assert ["precepto", "inexistente", "1"] in rows
    assert "Añadidos: Ley BOE-A-2000-1." in output.out
    assert f"Índice: {index}\nOmitidos: 1\n" in output.out
    assert "\x1b" not in output.out
    assert run(["search", "pausa del café diecisiete minutos", "--limit", "1", "--index", str(index), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["law_id"] == "BOE-A-2000-1"
    Path("leyes/rota.md").unlink()
    assert run(["ingest", "leyes", "--index", str(index)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert output.out.startswith("Sin cambios: ")
    assert "añadidos" not in output.out


def test_json_is_the_report_and_nothing_else(ingested):
    write_law(Path("a.md"), "BOE-A-2000-1")
    write_law(Path("b.md"), "BOE-A-2000-2")
    status, report = ingested("a.md", "b.md", "nada.md")
    assert status == 1
    assert report["added"] == ["Ley BOE-A-2000-1", "Ley BOE-A-2000-2"]
    assert report["failures"] == [{"source": "nada.md", "reason": "no existe"}]
    status, report = ingested("remove", "BOE-A-2000-1")
    assert (status, report["removed"], report["unchanged"]) == (0, ["Ley BOE-A-2000-1"], 1)
    status, report = ingested("--rebuild")
    assert (status, report["unchanged"], report["documents"]["normativa"]) == (0, 1, 1)
    assert report["written"] == report["parents"] + report["children"]


def test_a_folder_with_the_name_of_a_command_is_written_as_a_path(ingested):
    for name in ("boe", "rutas"):
        write_law(Path(name, "a.md"), f"BOE-A-2000-{len(name)}")
    assert ingested("./boe")[1]["added"] == ["Ley BOE-A-2000-3"]
    assert ingested("rutas")[1]["added"] == ["Ley BOE-A-2000-5"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Nada que hacer: "),
        (["nada"], "no existe"),
        (["boe", "ET"], "«ET» no es un identificador del BOE."),
        (["remove", "ET"], "«ET» no está entre los documentos"),
    ],
)
def test_invalid_requests_are_refused(index, capsys, arguments, message):
    assert run(["ingest", *arguments, "--index", str(index)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("Error: ")
    assert message in output.err
    assert not (index / "current").exists()


class Recorder:
    """Stands for the graph: keeps the requests, and has nothing to report."""

    def __init__(self):
        self.requests = []

    def __call__(self, settings, profile, request):
        self.requests.append({name: value for name, value in request.items() if value})
        return {"failures": [], "unchecked": [], "shrunk": []}


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (["boe"], {"refresh": True}),
        (["boe", "--yes"], {"refresh": True, "confirmed": True}),
        (["boe", "BOE-A-2015-11430"], {"boe": ["BOE-A-2015-11430"]}),
        (["boe", "--accept-shrunk"], {"refresh": True, "accept_shrunk": True}),
        (["boe", "BOE-A-2015-11430", "--accept-shrunk"], {"boe": ["BOE-A-2015-11430"], "accept_shrunk": True}),
        (
            ["boe", "--materia", "6909", "--since", "2024-01-31", "--until", "2024-02-01", "--limit", "3"],
            {"listing": {"materia": "6909", "since": "2024-01-31", "until": "2024-02-01", "limit": 3}},
        ),
        (
            ["boe", "BOE-A-1-2", "--query", "rango@codigo:1340"],
            {"boe": ["BOE-A-1-2"], "listing": {"query": "rango@codigo:1340"}},
        ),
        (["a", "b/c.pdf", "--rebuild"], {"paths": ["a", "b/c.pdf"], "rebuild": True}),
        (["--yes", "a"], {"paths": ["a"], "confirmed": True}),
        (["--with-packaged", "a"], {"paths": ["a"], "packaged": True}),
        (["boe", "BOE-A-1-2", "--with-packaged"], {"boe": ["BOE-A-1-2"], "packaged": True}),
        (["remove", "ET", "a.md"], {"remove": ["ET", "a.md"]}),
    ],
)
def test_the_words_of_the_command_become_a_request(arguments, request_, monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr("cli.ingest.command.run_ingest", recorder)
    assert run(["ingest", *arguments, "--json"]) == 0
    assert recorder.requests == [request_]


SHRUNK = {"law_id": "BOE-A-2001-1", "provisions": 9, "provisions_left": 2, "wordings": 9, "wordings_left": 2}


@pytest.mark.parametrize(
    ("left", "items"),
    [
        ("failures", [{"source": "BOE-A-2001-1", "reason": "no existe"}]),
        ("unchecked", ["BOE-A-2001-1"]),
        ("shrunk", [SHRUNK]),
    ],
)
def test_an_incomplete_download_sets_exit_status_and_json_error(left, items, monkeypatch, capsys):
    report = {"failures": [], "unchecked": [], "shrunk": [], "checked": 0}
    monkeypatch.setattr("cli.ingest.command.run_ingest", lambda *_: report)
    assert run(["ingest", "boe", "--json"]) == 0
    report[left] = items
    assert run(["ingest", "boe", "--json"]) == 1
    written = json.loads(capsys.readouterr().out.partition("\n}\n")[2])
    assert "BOE-A-2001-1" in written["detail"]
    assert written == {"error": "Incomplete", "detail": written["detail"], **report}


def nothing(path: Path) -> None:
    """Leave a path without a file."""


def empty_folder(path: Path) -> None:
    path.mkdir()


def ignored_files(path: Path) -> None:
    (path / "sub").mkdir(parents=True)
    (path / ".oculto.md").write_text("x")
    (path / "foto.png").write_bytes(b"x")
    (path / "sub" / "copia.zip").write_bytes(b"x")


def no_document(path: Path) -> None:
    path.write_text("x")


def dangling_link(path: Path) -> None:
    path.symlink_to("ninguna-parte")


@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (nothing, "no existe"),
        (empty_folder, "la carpeta no contiene documentos"),
        (ignored_files, "1 de .png"),
        (no_document, "formato no admitido"),
        (dangling_link, "enlace"),
    ],
)
def test_paths_without_a_document_are_an_error(ingested, index, capsys, make, reason, indexed):
    if indexed:
        write_law(Path("a.md"), "BOE-A-2000-1")
        ingested("a.md")
    make(Path("ruta"))
    for paths in (["ruta"], ["ruta", "otra"]):
        assert run(["ingest", *paths, "--index", str(index)]) == 2
        output = capsys.readouterr()
        assert output.out == ""
        assert output.err.startswith("Error: No se ha podido leer ningún documento (ruta")
        assert reason in output.err
        assert ("otra: no existe" in output.err) == (len(paths) == 2)
    assert list((index / "documents").glob("*.draft")) == []


@pytest.mark.parametrize("make", [nothing, empty_folder, ignored_files, no_document, dangling_link])
def test_a_path_without_a_document_beside_others_is_named(ingested, index, capsys, make):
    write_law(Path("a.md"), "BOE-A-2000-1")
    make(Path("ruta"))
    assert run(["ingest", "a.md", "ruta", "--index", str(index)]) == 1
    output = capsys.readouterr()
    assert "Añadidos: Ley BOE-A-2000-1." in output.out
    assert "Error: omitido ruta: " in output.err
    assert run(["ingest", "ruta", "a.md", "--index", str(index)]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("Sin cambios en el índice: nada nuevo en lo que se ha podido leer.")
    assert "al día" not in output.out
    assert "Error: omitido ruta: " in output.err


RESUMES = "Lo que ya estaba hecho se conserva: repita la misma orden y seguirá donde quedó."


@pytest.mark.parametrize("place", ["cli.ingest.command.read_configuration", "cli.ingest.command.run_ingest"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_ctrl_c_tells_that_the_next_run_goes_on(index, monkeypatch, capsys, place, options):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupted)
    assert run(["ingest", "a.md", *options]) == 130
    output = capsys.readouterr()
    assert RESUMES in output.err
    assert (json.loads(output.out)["error"] if options else output.out) == ("Interrupted" if options else "")


def test_ctrl_c_of_another_command_says_nothing(index, monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("cli.search.read_configuration", interrupted)
    assert run(["search", "pausa"]) == 130
    assert capsys.readouterr() == ("", "")


@pytest.mark.integration
def test_ctrl_c_keeps_the_index_that_is_served_and_all_vectors(ingested, index):
    write_law(
        Path("a.md"), "BOE-A-2000-1", *(f"La pausa número {number} dura diecisiete minutos." for number in range(30))
    )
    ingested("a.md")
    served = (index / "current").read_text()
    asked, over = threading.Event(), threading.Event()
    answered: list[str] = []

    def stall_at_the_third(request):
        if len(answered) >= 8 + 16:
            asked.set()
            over.wait()
            return failure(500)
        answered.extend(request.body["input"])
        return Reply()

    with running_server() as server:
        server.native_dimensions["text-embedding-3-small"] = 8
        server.answer("text-embedding-3-small", stall_at_the_third)
        embedder = {"PROVIDER": "compatible", "BASE_URL": server.url, "DIMENSIONS": "8"}
        variables = {f"ARTICULADO_EMBEDDER_{name}": value for name, value in embedder.items()}
        process = started("ingest", "a.md", "--index", str(index), env=variables)
        try:
            while not asked.wait(1):
                assert process.poll() is None, "it ended without asking"
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
        finally:
            over.set()
            process.kill()
            process.communicate()
        assert (process.returncode, output) == (130, b"")
        assert b"Traceback" not in errors
        assert RESUMES in errors.decode()
        assert (index / "current").read_text() == served
        assert list((index / "documents").glob("*.draft")) == []
        server.requests.clear()
        server.answer("text-embedding-3-small", lambda request: Reply())
        process = started("ingest", "a.md", "--index", str(index), env=variables)
        assert process.communicate(timeout=PATIENCE)[1] == b""
        sent = [text for request in server.requests for text in request.body["input"]]
    assert process.returncode == 0
    assert sent
    assert not set(sent) & set(answered)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--json", "boe", "ET"],
        ["--yes", "--index", "boe", "boe", "ET"],
        ["--index=remove", "boe", "--json", "ET"],
        ["--limit", "3", "boe", "ET"],
    ],
)
def test_options_may_come_before_the_name_of_a_command(index, capsys, arguments):
    assert run(["ingest", *arguments]) != 0
    assert "«ET» no es un identificador del BOE" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--index", "boe", "nada.md"], ["nada.md", "boe"], ["--json", "--", "boe"]])
def test_arguments_that_name_no_command_are_paths(index, capsys, arguments):
    assert run(["ingest", *arguments]) != 0
    assert f"{arguments[-1]}: no existe" in capsys.readouterr().err
