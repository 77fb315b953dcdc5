import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from cli.main import run

REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_taken_port_is_explained(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port)]) == 1
    assert f"Error: El puerto {port} de 127.0.0.1 ya está en uso." in capsys.readouterr().err


@pytest.mark.integration
def test_it_serves_until_interrupted():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from cli.main import main; main()", "serve", "--port", str(port)]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        log = iter(process.stderr.readline, b"")
        assert any(b"Application startup complete" in line for line in log)
        assert httpx.get(f"http://127.0.0.1:{port}/health", timeout=60).status_code == 200
        process.send_signal(signal.SIGINT)
        page, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        assert f"http://127.0.0.1:{port}/rag" in page.decode("utf-8")
        assert b"Traceback" not in errors
    finally:
        process.kill()
        process.communicate()
