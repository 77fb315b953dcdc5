"""Read a law from Markdown with YAML front matter, in both generations of the source.

Articles are ``######`` headings in one generation, which has amendment notes in block quotes, and ``#####`` in the
other, which has none. What the reader must not trust: headings that quote another law (they begin with «, or stand in
an open quotation) or a superseded wording (they begin with a straight quotation mark), labels that occur twice, and
block quotes, which hold notes, superseded wordings or, in laws that amend others, the quoted text itself.
"""

import re
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from ingestion.markdown.lines import read_provisions
from ingestion.markdown.yaml_fields import UnreadableYaml, load_yaml
from ingestion.model import Law, LawStatus, unique_keys
from language.current import say
from language.folding import fold
from language.system import reason
from legal.territory.mentions import community_of
from state.errors import InvalidInput

_FRONT_MATTER = re.compile(r"\ufeff?---\s*\n(.*?)\n---\s*(?:\n|$)", re.DOTALL)
_STATUSES: dict[str, LawStatus] = {"in_force": "in_force", "repealed": "repealed", "expired": "expired"}
_LAW_NOTE = re.compile(r"^(?:Norma derogada|Téngase en cuenta que, con fecha|Norma anulada)")
_REFERENCE = re.compile(r"\s*\[?Ref\. [\w#.-]+\]?(?:\([^)]*\))?\.?$")


def read_law(path: Path) -> Law:
    """Read one law.

    Raises:
        InvalidInput: the file is not UTF-8, lacks its front matter or a field of it, or has no provisions.
    """
    return read_with_front(path)[0]


def read_with_front(path: Path) -> tuple[Law, dict[str, Any]]:
    """Read one law, and the fields of its front matter as they are; raise what ``read_law`` raises."""
    front, body = _split(path)
    # Soft hyphens would split words for every search.
    lines = [" ".join(line.split()) for line in body.replace("\u00ad", "").splitlines()]
    provisions = unique_keys(read_provisions(lines))
    if not provisions:
        raise InvalidInput(say("file.law_empty", path=path))
    status = _STATUSES.get(str(front.get("status", "in_force")))
    if status is None:
        raise InvalidInput(say("file.law_status", path=path, status=front["status"]))
    law = Law(
        id=_field(path, front, "identifier"),
        title=_field(path, front, "title"),
        rank=str(front.get("rank", "")),
        published=day_field(path, front, "publication_date") or "",
        status=status,
        valid_to=day_field(path, front, "repeal_date", required=False),
        status_note=_law_note(lines),
        provisions=tuple(provisions),
        territory=community_of(_scope(front), str(front.get("department", ""))),
    )
    return law, front


def _split(path: Path) -> tuple[dict[str, Any], str]:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(say("file.not_utf8", path=path)) from error
    except OSError as error:
        raise InvalidInput(say("file.unreadable", path=path, reason=reason(error))) from error
    match = _FRONT_MATTER.match(text)
    if match is None:
        raise InvalidInput(say("file.front_missing", path=path))
    try:
        front = load_yaml(match[1], yaml.SafeLoader)
    except UnreadableYaml as error:
        line = text.count("\n", 0, match.start(1)) + error.line if error.line else None
        where = say("file.front_line", line=line) if line else ""
        raise InvalidInput(say("file.front_invalid", path=path, where=where)) from error
    if not isinstance(front, dict):
        raise InvalidInput(say("file.front_no_fields", path=path))
    return front, text[match.end() :]


def _field(path: Path, front: dict[str, Any], name: str) -> str:
    value = " ".join(str(front.get(name) or "").split())
    if not value:
        raise InvalidInput(say("file.front_field", path=path, name=name))
    return value


def day_field(path: Path, front: dict[str, Any], name: str, *, required: bool = True) -> str | None:
    """Return a field of the front matter that is a day, in ISO 8601; ``None`` if it is missing and not required.

    Raises:
        InvalidInput: it is missing or no day.
    """
    if not required and not front.get(name):
        return None
    value = _field(path, front, name)
    try:
        return date.fromisoformat(value).isoformat()
    except ValueError as error:
        raise InvalidInput(say("file.front_date", path=path, name=name, value=value)) from error


def _scope(front: dict[str, Any]) -> str:
    """Return the BOE's code of the scope, which only one generation of the files has; the other has its name."""
    return str(front.get("ambito_code") or ("2" if fold(str(front.get("scope", ""))).startswith("auton") else "1"))


def _law_note(lines: list[str]) -> str:
    """Return the note on the whole law that stands before its text ("Norma derogada, con efectos de…")."""
    for line in lines:
        if line.startswith("#") and fold(line).lstrip("# ").startswith(("articulo", "art.", "titulo", "capitulo")):
            break
        if _LAW_NOTE.match(line):
            return _REFERENCE.sub("", line).rstrip(". ") + "."
    return ""
