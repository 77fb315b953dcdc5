"""Reader of a norm in Markdown with YAML front matter, in all generations of the source.

Articles are ``######`` headings in the generation with amendment notes in block quotes, ``#####`` headings in the one
without notes, and plain paragraphs in many texts of autonomous communities. Headings after « or in an open
quotation belong to another law, those after a straight quotation mark to a superseded wording.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.ingestion.markdown.body import clean, literal
from articulado.ingestion.markdown.lines import read_provisions
from articulado.ingestion.model import Law, LawStatus, Provision, unique_keys
from articulado.language.folding import fold
from articulado.language.translation import reason, translate
from articulado.legal.territory.mentions import community_of
from articulado.values.chunks import TextState
from articulado.values.errors import InvalidInput

_FRONT_MATTER = re.compile(r"\ufeff?---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_STATUSES: dict[str, LawStatus] = {
    "in_force": "in_force",
    "repealed": "repealed",
    "expired": "expired",
    "annulled": "repealed",
}
_ANNULLED = "Norma anulada."
_TEXT_STATES: dict[str, TextState] = {"consolidated": "consolidated", "as_enacted": "as_enacted"}
_COMMENT = re.compile(r"<!--(?:[^-]|-(?!->))*-->")
_LAW_NOTE = re.compile(r"^(?:Norma derogada|Téngase en cuenta que, con fecha|Norma anulada)")
_HEAD_NOTE = re.compile(r"(?:> *)?(?:<small>)?Téngase en cuenta\b")
_COMMUNITY = re.compile(r"es-[a-z]{2}", re.IGNORECASE)
_REFERENCE = re.compile(r"\s*\[?Ref\. [\w#.-]+\]?(?:\([^)]*\))?\.?$")


def read_law(path: Path) -> Law:
    """Read one law; raise ``InvalidInput`` for a file that is not UTF-8, has no text or misses fields."""
    return read_with_front(path)[0]


def read_with_front(path: Path) -> tuple[Law, dict[str, Any]]:
    """Read one law like ``read_law``, and return also its front matter."""
    front, body = _split(path)
    comments = "".join(_COMMENT.findall(body))
    body = _COMMENT.sub("", body)
    # Soft hyphens would split words in a search.
    lines = [literal(line) for line in body.replace("\u00ad", "").splitlines()]
    title = _field(path, front, "title")
    provisions = unique_keys(read_provisions(_without_title(lines, title)))
    if not provisions:
        raise InvalidInput(translate("file.law_empty", path=path))
    warnings = [translate("file.left_out_hidden", number=len(comments))] if comments else []
    written = str(front.get("status") or "in_force")
    status = _STATUSES.get(written, "unknown")
    if status == "unknown":
        warnings.append(translate("file.law_status", status=written, statuses=", ".join(_STATUSES)))
    state = str(front.get("text_state") or "consolidated")
    if state not in _TEXT_STATES:
        warnings.append(translate("file.law_text_state", state=state, states=", ".join(_TEXT_STATES)))
    law = Law(
        id=_field(path, front, "identifier"),
        title=title,
        rank=str(front.get("rank", "")),
        published=day_field(path, front, "publication_date") or "",
        status=status,
        valid_to=day_field(path, front, "repeal_date", required=False),
        status_note=_law_note(lines) or (_ANNULLED if written == "annulled" else ""),
        provisions=tuple(_at(provision, front) for provision in provisions),
        territory=community_of(_scope(front), str(front.get("department", ""))),
        text_state=_TEXT_STATES.get(state, "consolidated"),
        warnings=tuple(warnings),
        changed=day_field(path, front, "last_updated", required=False),
        head_notes=tuple(_head_notes(lines)),
    )
    return law, front


def read_front(path: Path) -> dict[str, Any]:
    return _split(path)[0]


def _without_title(lines: list[str], title: str) -> list[str]:
    first = next((index for index, line in enumerate(lines) if line), len(lines))
    repeats = lines[first : first + 1] and clean(lines[first].lstrip("# ")).removesuffix(".") == title.removesuffix(".")
    return lines[first + 1 :] if repeats and lines[first].startswith("# ") else lines


def _at(provision: Provision, front: dict[str, Any]) -> Provision:
    identifier, source = str(front.get("identifier", "")), str(front.get("source") or "")
    if identifier.startswith("BOE-") or not source.startswith(("https://", "http://")):
        return provision
    return replace(provision, url=source)


def _split(path: Path) -> tuple[dict[str, Any], str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(translate("file.not_utf8", path=path)) from error
    except OSError as error:
        raise InvalidInput(translate("file.unreadable", path=path, reason=reason(error))) from error
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise InvalidInput(translate("file.front_missing", path=path))
    try:
        front = load_yaml(match[1], yaml.SafeLoader)
    except UnreadableYaml as error:
        line = text.count("\n", 0, match.start(1)) + error.line if error.line else None
        where = translate("file.front_line", line=line) if line else ""
        raise InvalidInput(translate("file.front_invalid", path=path, where=where)) from error
    if not isinstance(front, dict):
        raise InvalidInput(translate("file.front_no_fields", path=path))
    return front, text[match.end() :]


def _field(path: Path, front: dict[str, Any], name: str) -> str:
    value = " ".join(str(front.get(name) or "").split())
    if not value:
        raise InvalidInput(translate("file.front_field", path=path, name=name))
    return value


def day_field(path: Path, front: dict[str, Any], name: str, *, required: bool = True) -> str | None:
    """Return a day of the front matter in ISO 8601; ``None`` if it is missing and not required."""
    if not required and not front.get(name):
        return None
    value = _field(path, front, name)
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise InvalidInput(translate("file.front_date", path=path, name=name, value=value)) from error


def _scope(front: dict[str, Any]) -> str:
    """Return the BOE's code of the scope from its code, its name, or the jurisdiction (ISO 3166-2)."""
    if front.get("ambito_code"):
        return str(front["ambito_code"])
    regional = _COMMUNITY.fullmatch(str(front.get("jurisdiction", "")))
    return "2" if regional or fold(str(front.get("scope", ""))).startswith("auton") else "1"


def _law_note(lines: list[str]) -> str:
    note = next((line for line in _before_text(lines) if _LAW_NOTE.match(line)), "")
    return _without_reference(note) if note else ""


def _head_notes(lines: list[str]) -> Iterator[str]:
    for line in _before_text(lines):
        if _HEAD_NOTE.match(line) and not _LAW_NOTE.match(line):
            yield _without_reference(clean(line.lstrip("> ")))


def _before_text(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if line.startswith("#") and fold(line).lstrip("# ").startswith(("articulo", "art.", "titulo", "capitulo")):
            return
        yield line


def _without_reference(note: str) -> str:
    return _REFERENCE.sub("", note).rstrip(". ") + "."
