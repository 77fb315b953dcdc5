import re
import signal
import socket

import httpx
import pytest
import segno
from support.program import started
from support.waiting import PATIENCE

from articulado.values.errors import ConfigurationError
from cli.main import run
from cli.serve import lan_hosts, show_on_phone
from server.access import KeyRing
from server.settings import lan_address


@pytest.mark.parametrize("named", [False, True])
def test_a_taken_port_is_explained_before_any_index_is_opened(capsys, tmp_path, named):
    index = ["--index", str(tmp_path / "nada")] if named else []
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["serve", "--port", str(port), *index]) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(f"Error: El puerto {port} de 127.0.0.1 ya está en uso.")


def test_a_missing_index_folder_is_explained(capsys, tmp_path):
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


@pytest.mark.parametrize("options", [["--host", "0.0.0.0"], ["--playground"]])
def test_lan_excludes_another_host(capsys, options):
    assert run(["serve", "--lan", *options]) == 2
    assert "--lan elige la dirección y exige clave" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ("", "no está en ninguna red local"),
        ("127.0.0.1", "no está en ninguna red local"),
        ("8.8.8.8", "8.8.8.8, es pública"),
    ],
)
def test_lan_without_a_network_is_refused(own, told):
    with pytest.raises(ConfigurationError, match=told):
        lan_address(lambda: own)


@pytest.mark.parametrize("own", ["192.168.1.20", "10.0.0.7", "172.16.4.4", "169.254.3.3", "100.64.0.9"])
def test_the_address_of_a_local_network_is_taken(own):
    assert lan_address(lambda: own) == own


def shown_on_phone(capsys, monkeypatch, ring):
    made = []
    monkeypatch.setattr(segno, "make", lambda content, **options: made.append(content) or MAKE(content, **options))
    show_on_phone("192.168.1.20", 8123, ring)
    [content] = made
    return capsys.readouterr().out, content


MAKE = segno.make


def test_a_key_is_made_once_and_stands_behind_the_hash_of_the_code(capsys, monkeypatch, tmp_path):
    ring = KeyRing(tmp_path / "keys.json")
    text, content = shown_on_phone(capsys, monkeypatch, ring)
    page, _, key = content.partition("#key=")
    assert page == "http://192.168.1.20:8123/"
    assert ring.caller(key) == "lan"
    assert text.count(key) == 1
    assert "▀" in text
    assert "no va cifrada" in text
    text, content = shown_on_phone(capsys, monkeypatch, ring)
    assert content == page
    assert "art_" not in text
    assert "articulado keys add NOMBRE" in text
    assert [each.name for each in ring.keys] == ["lan"]


def test_the_server_answers_to_its_address_and_no_other_name():
    hosts = lan_hosts("192.168.1.20", ["intranet.example"])
    assert {"192.168.1.20", "127.0.0.1", "localhost", "intranet.example"} <= set(hosts)
    assert "evil.example" not in hosts


@pytest.mark.integration
def test_lan_serves_this_machine_and_the_network_with_a_key_alone(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = started(
        "serve", "--lan", "--port", str(port), env={"ARTICULADO_SERVER_KEYS": str(tmp_path / "keys.json")}
    )
    try:
        log = iter(process.stderr.readline, b"")
        said = b""
        while b"Application startup complete" not in said and (line := next(log, b"")):
            said += line
        if b"ninguna red local" in said:
            pytest.skip("this machine is in no local network")
        url = f"http://127.0.0.1:{port}"
        assert httpx.get(f"{url}/v1/about", timeout=PATIENCE).status_code == 401
        assert httpx.get(url, headers={"host": "evil.example"}, timeout=PATIENCE).status_code == 403
        process.send_signal(signal.SIGINT)
        page, _ = process.communicate(timeout=PATIENCE)
        assert re.search(rf"http://[\d.]+:{port}/\nClave nueva, «lan»: art_", page.decode("utf-8"))
    finally:
        process.kill()
        process.communicate()
