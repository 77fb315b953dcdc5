"""Redirects of the BOE's address stay on its server."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from support.fake_time import FakeTime

from articulado.ingestion.boe.client import BoeClient
from articulado.ingestion.boe.http import BACKOFF, is_same_server
from articulado.values.errors import ArticuladoError, SourceUnavailable

LAW = "BOE-A-2001-9001"
SECRET = "contenido de otro servidor"


@contextmanager
def redirecting(location: str = "") -> Iterator[tuple[str, list[str]]]:
    """Serve redirects to a place (answers without one); yields the address and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302 if location and not self.path.startswith("/here") else 200)
            if location:
                self.send_header("Location", location)
            self.end_headers()
            self.wfile.write(SECRET.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def fetch(url, tmp_path):
    clock = FakeTime()
    backoff = replace(BACKOFF, clock=clock.clock, sleep=clock.sleep, jitter=lambda: 0.5)
    async with BoeClient(url, tmp_path / "boe", pause=0.0, backoff=backoff) as client:
        return await client.law(LAW)


@pytest.mark.parametrize("path", ["", "/admin", "/latest/meta-data/"])
async def test_a_redirect_to_another_port_of_this_machine_is_refused(path, tmp_path):
    with ExitStack() as stack:
        inside, asked = stack.enter_context(redirecting())
        url, _ = stack.enter_context(redirecting(f"{inside}{path}"))
        with pytest.raises(SourceUnavailable, match=rf"redirige a otra dirección \({inside}\).*ARTICULADO_BOE_URL"):
            await fetch(url, tmp_path)
    assert asked == []
    assert SECRET not in "".join(file.read_text() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    "location",
    [
        "http://localhost:9/x",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/",
        "//otro.example/x",
        "https://boe.example/",
    ],
)
async def test_a_redirect_to_another_host_is_refused_before_it_is_asked(location, tmp_path):
    with redirecting(location) as (url, asked), pytest.raises(SourceUnavailable, match="redirige a otra dirección"):
        await fetch(url, tmp_path)
    assert len(asked) == 1


async def test_a_redirect_on_the_same_server_is_followed(tmp_path):
    with redirecting("/here") as (url, asked), pytest.raises(ArticuladoError) as caught:
        await fetch(url, tmp_path)
    assert asked[1:2] == ["/here"]
    assert "redirige" not in str(caught.value)


@pytest.mark.parametrize(
    ("asked", "target", "same"),
    [
        ("http://www.boe.es/a", "https://www.boe.es/b", True),
        ("https://www.boe.es/a", "https://www.boe.es:443/b", True),
        ("https://www.boe.es/a", "http://www.boe.es/b", False),
        ("https://www.boe.es/a", "https://www.boe.es:8443/b", False),
        ("https://www.boe.es/a", "https://www.boe.es.example/b", False),
        ("https://www.boe.es/a", "https://127.0.0.1/b", False),
        ("http://localhost:8000/a", "http://localhost:8000/b", True),
    ],
)
def test_a_server_is_a_host_and_its_port(asked, target, same):
    assert is_same_server(httpx2.URL(asked), httpx2.URL(target)) is same
