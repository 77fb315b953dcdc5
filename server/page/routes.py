"""Routes of the chat page and its files.

The content security policy allows files and connections of the same origin only.
"""

import html
import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, Response

from articulado.language.languages import LANGUAGES
from articulado.language.languages import language as language_of
from articulado.language.translation import DEFAULT_LANGUAGE

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content-Security-Policy: no inline script or style, nothing of another place, no frame around it."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    # After an update, the page and its files are of one version: a browser asks whether they are still the same.
    "Cache-Control": "no-cache",
}
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_FIELD = re.compile(r"\{\{(\w+)\}\}")


def page_routes(title: str, language: str, *, law: bool) -> APIRouter:
    """Return the routes of the page, in a language (ISO 639-1); ``law``: its field is Spanish law.

    Without law there are neither territories nor examples of questions.
    """
    router = APIRouter(include_in_schema=False)
    content = _render(title, language, law=law)
    files = {entry.name: Path(str(entry)) for entry in _folder("files").iterdir() if entry.name != "index.html"}

    @router.get("/")
    async def page() -> Response:
        return HTMLResponse(content, headers=HEADERS)

    @router.get("/page/{name}")
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404)
        return FileResponse(files[name], media_type=_MEDIA_TYPES[files[name].suffix], headers=HEADERS)

    return router


@cache
def page_texts(language: str) -> Mapping[str, str]:
    """Return what the page says in a language, by its keys; one without texts has those of the default one."""
    folder = _folder("texts")
    file = folder.joinpath(f"{language}.toml")
    if not file.is_file():
        file = folder.joinpath(f"{DEFAULT_LANGUAGE}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _render(title: str, language: str, *, law: bool) -> str:
    texts: dict[str, Any] = {**_said(language, law=law), "title": title, "law": law}
    texts["field"] = "law" if law else "plain"
    texts["others"] = {code: _said(code, law=law) for code in LANGUAGES if code != language}
    # How the offline writer announces what is not the words of the law.
    texts["own_words"] = language_of(language).translate("answer_in_our_words", place="", text="").rstrip(": ")
    # Nothing in it may end the script element that it stands in.
    data = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    written = _folder("files").joinpath("index.html").read_text(encoding="utf-8")
    return _FIELD.sub(lambda field: data if field[1] == "data" else html.escape(texts[field[1]]), written)


def _said(language: str, *, law: bool) -> dict[str, str]:
    """Return the texts of the page in a language, with its code and what a result is not."""
    texts = page_texts(language)
    return {**texts, "language": language, "notice": texts["notice_law" if law else "notice_plain"]}


def _folder(name: str) -> Any:
    return resources.files("server").joinpath("page", name)
