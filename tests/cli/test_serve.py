import signal
import socket

import httpx
import pytest
from support.program import started
from support.waiting import PATIENCE

from cli.main import run


@pytest.mark.parametrize("named", [False, True])
def test_a_taken_port_is_explained_before_any_index_is_opened(capsys, tmp_path, named):
    index = ["--index", str(tmp_path / "nada")] if named else []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), *index]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"Error: El puerto {port} de 127.0.0.1 ya está en uso.")


def test_a_named_index_that_is_not_there_is_explained(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert run(["serve", "--port", str(port), "--index", str(tmp_path / "nada")]) == 1
    assert capsys.readouterr().err.startswith("Error: No hay ningún índice en ")


@pytest.mark.integration
def test_it_serves_until_interrupted():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = started("serve", "--port", str(port))
    try:
        log = iter(process.stderr.readline, b"")
        assert any(b"Application startup complete" in line for line in log)
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=PATIENCE).status_code == 200
        process.send_signal(signal.SIGINT)
        page, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert f"http://127.0.0.1:{port}: la página de preguntas" in page.decode("utf-8")
        assert b"Traceback" not in errors
    finally:
        process.kill()
        process.communicate()
