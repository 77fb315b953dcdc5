"""The page and its files over HTTP: closed to other places, open without a key."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from server.access import Authentication, KeyRing
from server.app import HEADERS, page_routes


def client(title: str = "Derecho", language: str = "es", *, law: bool = True) -> TestClient:
    app = FastAPI()
    app.include_router(page_routes(title, language, law=law))
    return TestClient(app)


def test_the_page_and_every_file_it_names_are_served_with_the_policy() -> None:
    with client() as http:
        page = http.get("/")
        names = re.findall(r'(?:href|src)="(page/[\w.]+)"', page.text)
        assert {"page/app.js", "page/page.css", "page/icon.svg"} <= set(names)
        # What a module imports is named beside it, so that no module waits for another.
        imported = [
            re.findall(r'from "\./([\w.]+)"', http.get(f"/{name}").text) for name in names if name.endswith(".js")
        ]
        assert {f"page/{name}" for found in imported for name in found} <= set(names)
        served = [page, *(http.get(f"/{name}") for name in names)]
    for response in served:
        assert response.status_code == 200
        assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert "unsafe" not in HEADERS["Content-Security-Policy"]
    assert re.search(r"<(script|style)(?![^>]*(src=|application/json))", page.text) is None
    assert re.search(r'\son\w+="|style="', page.text) is None


def test_files_are_compressed_for_who_accepts_it() -> None:
    with client() as http:
        for path in ("/", "/page/page.css", "/page/app.js"):
            packed, plain = (http.get(path, headers={"accept-encoding": coding}) for coding in ("gzip", "identity"))
            assert packed.headers["content-encoding"] == "gzip"
            assert "Accept-Encoding" in packed.headers["vary"]
            assert packed.text == plain.text
            assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    ("accepted", "profile", "spoken"),
    [
        ("en-GB,en;q=0.9,es;q=0.8", "es", "en"),
        ("EN", "es", "en"),
        ("es-ES,es;q=0.9,en;q=0.8", "es", "es"),
        ("de-DE,en;q=0.5", "es", "es"),
        ("eng", "es", "es"),
        ("", "es", "es"),
        ("es-ES", "en", "en"),
    ],
)
def test_a_reader_of_english_gets_the_page_in_english(accepted: str, profile: str, spoken: str) -> None:
    with client(language=profile) as http:
        page = http.get("/", headers={"accept-language": accepted})
    texts = json.loads(re.search(r'id="texts"[^>]*>(.*?)</script>', page.text, re.DOTALL)[1])
    assert f'<html lang="{spoken}"' in page.text
    assert (texts["language"], texts["answers"]) == (spoken, profile)
    assert texts["new"] == {"es": "Nueva", "en": "New"}[spoken]
    assert "Accept-Language" in page.headers["vary"]


@pytest.mark.parametrize("name", ["nada.js", "index.html", "..%2froutes.py", "%2e%2e/routes.py"])
def test_only_its_files_are_served(name: str) -> None:
    with client() as http:
        assert http.get(f"/page/{name}").status_code == 404


def test_a_title_is_text_wherever_it_stands() -> None:
    title = "</script><script>alert(1)</script><!--"
    with client(title) as http:
        page = http.get("/").text
    assert "<script>alert" not in page
    [data] = re.findall(r'<script type="application/json" id="texts">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data)["title"] == title


def test_it_speaks_the_language_of_the_profile_and_of_its_field() -> None:
    with client("Plan", "en", law=False) as http:
        page = http.get("/").text
    assert '<html lang="en" data-field="plain">' in page
    assert "Write your question" in page
    assert "legal advice" not in re.sub(r"<script.*", "", page, flags=re.DOTALL).replace("notice_law", "")


def test_the_page_is_open_where_the_api_wants_a_key(tmp_path: Path) -> None:
    app = FastAPI()
    app.include_router(page_routes("Derecho", "es", law=True))
    ring = KeyRing(tmp_path / "keys.json")
    ring.add("ana", date(2026, 1, 1))
    with TestClient(Authentication(app, ring)) as http:
        assert [http.get(path).status_code for path in ("/", "/page/app.js")] == [200, 200]
        assert [http.get(path).status_code for path in ("/v1/about", "/page", "/pages/x")] == [401, 401, 401]
