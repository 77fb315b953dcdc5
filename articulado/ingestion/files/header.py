"""YAML header of a document: its block, and its type, author, dates, scope and interpreted provisions.

All fields are optional. Header values take precedence over the text.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from articulado.config.data_files import UnreadableYaml, load_yaml
from articulado.config.files import decode, read_bytes
from articulado.ingestion.model import Page
from articulado.language.folding import fold
from articulado.language.translation import translate
from articulado.legal.agreements.scope import is_agreement_title, read_scope
from articulado.legal.citations.parser import parse_citations
from articulado.legal.ids import boe_id
from articulado.legal.labels import provision_key
from articulado.legal.laws.mentions import find_law
from articulado.legal.territory.mentions import communities, find_territory, place_called, province_called, provinces
from articulado.values.chunks import Agreement, ProvisionRef
from articulado.values.errors import InvalidInput

SUFFIX = ".article.yaml"  # end of the name of an article's file
SIDECARS = (".yaml", ".yml")  # extensions of the header file beside a document; the first that exists counts
LONGEST_BLOCK = 60  # maximum lines of a header block

# Word processors turn hyphens into dashes.
_RULE = re.compile(r"(?:-{3,}|[–—]-?)\s*")
_FIELD = re.compile(r"\w+\s*:")
_OPEN = re.compile(r"\s*-{3}\s*\n(?:court|body|number|date|ecli|title|provisions|type)\s*:")


def is_article(file: Path | str) -> bool:
    """Tell by its name if a file is an article; other YAML belongs to the document beside it."""
    return Path(file).name.lower().endswith(SUFFIX)


def is_beside(file: Path) -> bool:
    """Tell if a file exists in its folder itself: a symbolic link to another folder does not count."""
    return file.is_file() and file.resolve().parent == file.parent.resolve()


def closing_rule(lines: Sequence[str]) -> int:
    """Return the index of the line that closes the header block of a text; -1 without a block."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if not any(_RULE.fullmatch(line) for line in lines[first : first + 1]):
        return -1
    block = range(first + 1, min(len(lines), first + LONGEST_BLOCK))
    last = next((number for number in block if _RULE.fullmatch(lines[number])), -1)
    return last if any(_FIELD.match(line) for line in lines[first + 1 : max(last, 0)]) else -1


def take_block(path: Path, pages: Sequence[Page]) -> tuple[dict[str, Any] | None, tuple[Page, ...]]:
    """Return the fields of a document's header block (``None`` without one), and the pages after it."""
    if not pages:
        return None, ()
    lines = [line for paragraph in pages[0].paragraphs for line in paragraph.split("\n")]
    last = closing_rule(lines)
    if last < 0:
        if _OPEN.match("\n".join(lines)):
            raise InvalidInput(translate("file.header_open", path=path))
        return None, tuple(pages)
    taken, rest = 0, list(pages[0].paragraphs)
    while taken <= last:
        taken += rest.pop(0).count("\n") + 1
    first = next(number for number, line in enumerate(lines) if line.strip())
    fields = _fields("\n".join(lines[first + 1 : last]), translate("file.the_header", path=path))
    return fields, (replace(pages[0], paragraphs=(*lines[last + 1 : taken], *rest)), *pages[1:])


def sidecar(path: Path) -> dict[str, Any] | None:
    """Return the fields of ``<name>.<ext>.yaml`` or ``<name>.yaml`` (or ``.yml``) beside a document, else ``None``."""
    for file in (path.with_name(name + suffix) for name in (path.name, path.stem) for suffix in SIDECARS):
        if is_beside(file) and not is_article(file):
            lines = decode(read_bytes(file), file).splitlines()
            fields = [line for line in lines if not _RULE.fullmatch(line)]
            return _fields("\n".join(fields), translate("file.the_file", file=file))
    return None


def _fields(written: str, where: str) -> dict[str, Any]:
    try:
        # All values stay text: a number is a name here, and the schema parses dates.
        fields = load_yaml(unicodedata.normalize("NFC", written), yaml.BaseLoader)
    except UnreadableYaml as error:
        line = translate("file.yaml_line", line=error.line) if error.line else ""
        raise InvalidInput(translate("file.not_yaml", where=where, line=line)) from error
    if not isinstance(fields, dict):
        raise InvalidInput(translate("file.no_fields", where=where))
    return fields


STATE = "España"  # territory of the whole state

_STATE_NAMES = frozenset(("espana", "estatal", "nacional", "todo el estado"))

DocumentType = Literal["ruling", "criterion", "document", "law", "agreement"]

_ECLI = re.compile(r"ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}")


def provisions_named(written: str) -> list[ProvisionRef]:
    """Return the provisions in "ET 38", "art. 48.4 ET" or "BOE-A-2015-11430#Artículo 38"."""
    law, hash_, label = (part.strip() for part in written.partition("#"))
    if hash_:
        known, key = find_law(law), provision_key(label)
        law_id = known.id if known else boe_id(law)
        refs = [(law_id, key)] if key and law_id else []
    else:
        citations = parse_citations(written)
        refs = [(citation.law_id, citation.provision_key) for citation in citations if citation.law_id]
        refs = refs if len(refs) == len(citations) else []
    if not refs:
        raise _invalid(translate("file.header_provision", written=written))
    return refs


def _invalid(problem: str) -> PydanticCustomError:
    return PydanticCustomError("problem", "{problem}", {"problem": problem})


def _provisions(written: object) -> object:
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return names
    return tuple(dict.fromkeys(ref for name in names if name.strip() for ref in provisions_named(name)))


def _ecli(written: str) -> str:
    ecli = written.upper()
    if not _ECLI.fullmatch(ecli):
        raise _invalid(translate("file.header_ecli"))
    return ecli


def _day(written: object) -> object:
    try:
        return date.fromisoformat(written) if isinstance(written, str) else written
    except ValueError as error:
        raise _invalid(translate("file.header_day")) from error


def _community(written: object) -> object:
    if not isinstance(written, str):
        return written
    if fold(written).strip() in _STATE_NAMES:
        return STATE
    if community := find_territory(written):
        return community
    raise _invalid(translate("file.header_communities", communities=", ".join((*communities(), STATE))))


def _province(written: object) -> object:
    if not isinstance(written, str):
        return written
    if called := province_called(written):
        return called[0]
    raise _invalid(translate("file.header_province", written=written, provinces=", ".join(provinces())))


def _city(written: object) -> object:
    if not isinstance(written, str):
        return written
    place = place_called(written)
    if place and place.city:
        return place.city
    raise _invalid(translate("file.header_city", written=written))


Text = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Name = Annotated[str, Field(pattern=r"^[\w.:-]+$")]


class Header(BaseModel):
    """Fields of a document's header.

    ``day`` is read from the field ``date``, ``interprets`` from ``provisions``. ``kind`` is the kind of norm of a
    structured text. ``territory`` is a community, or ``STATE``. The scope of a collective agreement is ``sector`` or
    ``company``, ``province``, and the agreed days ``validity_start`` and ``validity_end``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: DocumentType | None = None
    court: Text = ""
    body: Text = ""
    number: Text = ""
    day: Annotated[date | None, BeforeValidator(_day)] = Field(default=None, alias="date")
    ecli: Annotated[Text, AfterValidator(_ecli)] = ""
    title: Text = ""
    interprets: Annotated[tuple[ProvisionRef, ...], BeforeValidator(_provisions)] = Field(
        default=(), alias="provisions"
    )
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] = ""
    status_note: Text = ""
    territory: Annotated[str | None, BeforeValidator(_community)] = None
    municipality: Annotated[str | None, BeforeValidator(_city)] = None
    province: Annotated[str | None, BeforeValidator(_province)] = None
    sector: Text = ""
    company: Text = ""
    validity_start: Annotated[date | None, BeforeValidator(_day)] = None
    validity_end: Annotated[date | None, BeforeValidator(_day)] = None
    id: Name = ""
    collection: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")] = ""
    kind: Annotated[str, Field(pattern=r"^[a-z0-9_]+$")] = ""

    @model_validator(mode="after")
    def _check_scope(self) -> Self:
        first, last, problem = self.validity_start, self.validity_end, ""
        if self.sector and self.company:
            problem = translate("file.header_company_or_sector")
        elif first and last and last < first:
            problem = translate("file.header_validity", first=first.isoformat(), last=last.isoformat())
        elif self.province and self.territory not in (None, community := self.community):
            names = {"province": self.province, "territory": self.territory, "community": community}
            problem = translate("file.header_not_of", **names)
        if problem:
            raise _invalid(problem)
        return self

    @property
    def community(self) -> str | None:
        """Community of the municipality or the province, else of ``territory``; ``None`` for the whole state."""
        if self.municipality:
            return find_territory(self.municipality)
        if self.province and (called := province_called(self.province)):
            return called[1]
        return None if self.territory == STATE else self.territory

    @property
    def names_scope(self) -> bool:
        return bool(self.sector or self.company or self.province or self.validity_start or self.validity_end)

    @property
    def document_type(self) -> DocumentType:
        """The given type, else one inferred from scope and author."""
        if self.type:
            return self.type
        if self.names_scope:
            return "agreement"
        return "ruling" if self.court or self.ecli else "criterion" if self.body else "document"


def header_of(path: Path, fields: Mapping[str, Any]) -> Header:
    """Validate the fields of a header; raise ``InvalidInput`` for the first invalid one."""
    try:
        return Header.model_validate({name: value for name, value in fields.items() if value != ""})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(
            translate("file.field_invalid", path=path, field=_field(first), problem=_problem(first))
        ) from error


def _field(details: ErrorDetails) -> object:
    return details["loc"][0] if details["loc"] else translate("file.header_scope")


def _problem(details: ErrorDetails) -> str:
    limits, field = details.get("ctx", {}), str(next(iter(details["loc"]), ""))
    match details["type"]:
        case "extra_forbidden":
            names = [field.alias or name for name, field in Header.model_fields.items()]
            return translate("file.header_unknown", names=", ".join(names))
        case "literal_error":
            return translate("file.choices", values=limits["expected"].replace(" or ", translate("system.or")))
        case "string_pattern_mismatch" if field == "url":
            return translate("file.header_url")
        case "string_pattern_mismatch" if field == "id":
            return translate("file.header_id")
        case "string_pattern_mismatch":
            return translate("file.header_name")
        case "problem":
            return details["msg"]
        case _:
            return translate("file.header_text")


def scope_of(header: Header, title: str, articles: Iterable[tuple[str, str]]) -> Agreement | None:
    """Return the scope of an agreement by header, title and ``articles`` (titles and texts); else ``None``."""
    is_agreement = header.document_type == "agreement" or header.kind == "convenio"
    if not (is_agreement or (header.document_type in ("document", "law") and is_agreement_title(title))):
        return None
    scope = read_scope(title, articles)
    if header.sector or header.company:
        scope["sector"], scope["company"] = header.sector, header.company
    if header.territory or header.province or header.municipality:
        scope["community"], scope["province"] = header.community, header.province
        scope["statewide"] = header.territory == STATE
    if header.validity_start:
        scope["first_day"] = header.validity_start.isoformat()
    if header.validity_end:
        scope["last_day"] = header.validity_end.isoformat()
    return scope
