"""YAML header of a document: its block, and its type, author, dates, scope and interpreted provisions.

``take_block`` returns the fields of a block at the start of a document (at most 60 lines), ``sidecar`` those of
``<name>.<ext>.yaml`` or ``<name>.yaml`` (also ``.yml``) beside it. ``header_of`` validates the fields. All raise
``InvalidInput``. Every field is optional. ``provisions_named`` parses references such as "ET 38" or
"BOE-A-2015-11430#Artículo 38". ``scope_of`` returns the scope of a collective agreement; header values take
precedence over the text.
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

SUFFIX = ".article.yaml"
"""End of the name of an article's file."""

SIDECARS = (".yaml", ".yml")
"""Extensions of the file beside a document; the first that exists counts."""

LONGEST_BLOCK = 60
"""Lines of a header block at most."""

# Word processors make a dash of hyphens.
_RULE = re.compile(r"(?:-{3,}|[–—]-?)\s*")
_FIELD = re.compile(r"\w+\s*:")
_OPEN = re.compile(r"\s*-{3}\s*\n(?:court|body|number|date|ecli|title|provisions|type)\s*:")


def is_article(file: Path | str) -> bool:
    """Tell by its name whether a file is an article; any other YAML belongs to the document beside it.

    >>> is_article("profiles/laboral/despido.article.yaml"), is_article("sentencia.pdf.yaml")
    (True, False)
    """
    return Path(file).name.lower().endswith(SUFFIX)


def is_beside(file: Path) -> bool:
    """Tell if a file is in its folder: it exists, and is no link to another folder."""
    return file.is_file() and file.resolve().parent == file.parent.resolve()


def closing_rule(lines: Sequence[str]) -> int:
    """Return which line closes the header block that a text begins with; -1 where it begins with none."""
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    if not any(_RULE.fullmatch(line) for line in lines[first : first + 1]):
        return -1
    block = range(first + 1, min(len(lines), first + LONGEST_BLOCK))
    last = next((number for number in block if _RULE.fullmatch(lines[number])), -1)
    return last if any(_FIELD.match(line) for line in lines[first + 1 : max(last, 0)]) else -1


def take_block(path: Path, pages: Sequence[Page]) -> tuple[dict[str, Any] | None, tuple[Page, ...]]:
    """Return the fields of the header block that a document begins with (``None`` without one), and what follows it.

    Raises:
        InvalidInput: the block is no YAML with one field a line, or nothing closes it.
    """
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
    """Return the fields of ``<name>.<ext>.yaml`` or ``<name>.yaml`` (or ``.yml``) beside a document, else ``None``.

    Raises:
        InvalidInput: the file cannot be read, or is no YAML with one field a line.
    """
    for file in (path.with_name(name + suffix) for name in (path.name, path.stem) for suffix in SIDECARS):
        if is_beside(file) and not is_article(file):
            lines = decode(read_bytes(file), file).splitlines()
            fields = [line for line in lines if not _RULE.fullmatch(line)]
            return _fields("\n".join(fields), translate("file.the_file", file=file))
    return None


def _fields(written: str, where: str) -> dict[str, Any]:
    try:
        # All values stay as they are written: a number is a name here, and the schema checks the dates.
        fields = load_yaml(unicodedata.normalize("NFC", written), yaml.BaseLoader)
    except UnreadableYaml as error:
        line = translate("file.yaml_line", line=error.line) if error.line else ""
        raise InvalidInput(translate("file.not_yaml", where=where, line=line)) from error
    if not isinstance(fields, dict):
        raise InvalidInput(translate("file.no_fields", where=where))
    return fields


STATE = "España"
"""The territory of what is of the whole state."""

_STATE_NAMES = frozenset(("espana", "estatal", "nacional", "todo el estado"))

DocumentType = Literal["ruling", "criterion", "document", "law", "agreement"]

_ECLI = re.compile(r"ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}")


def provisions_named(written: str) -> list[ProvisionRef]:
    """Return the provisions that "ET 38", "art. 48.4 ET" or "BOE-A-2015-11430#Artículo 38" names.

    Raises:
        ValueError: it names no provision of a law that is known. A BOE identifier needs not be.

    >>> provisions_named("art. 48.4 ET")
    [('BOE-A-2015-11430', 'art:48')]
    """
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
        raise PydanticCustomError(
            "provision",
            "{problem}",
            {"problem": translate("file.header_provision", written=written)},
        )
    return refs


def _provisions(written: object) -> object:
    names = [written] if isinstance(written, str) else written
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return names
    return tuple(dict.fromkeys(ref for name in names if name.strip() for ref in provisions_named(name)))


def _ecli(written: str) -> str:
    ecli = written.upper()
    if not _ECLI.fullmatch(ecli):
        raise PydanticCustomError("ecli", translate("file.header_ecli"))
    return ecli


def _day(written: object) -> object:
    try:
        return date.fromisoformat(written) if isinstance(written, str) else written
    except ValueError as error:
        raise PydanticCustomError("day", translate("file.header_day")) from error


def _community(written: object) -> object:
    if not isinstance(written, str):
        return written
    if fold(written).strip() in _STATE_NAMES:
        return STATE
    if community := find_territory(written):
        return community
    raise PydanticCustomError(
        "territory",
        "{problem}",
        {"problem": translate("file.header_communities", communities=", ".join((*communities(), STATE)))},
    )


def _province(written: object) -> object:
    if not isinstance(written, str):
        return written
    if called := province_called(written):
        return called[0]
    problem = translate("file.header_province", written=written, provinces=", ".join(provinces()))
    raise PydanticCustomError("territory", "{problem}", {"problem": problem})


def _city(written: object) -> object:
    if not isinstance(written, str):
        return written
    place = place_called(written)
    if place and place.city:
        return place.city
    raise PydanticCustomError("territory", "{problem}", {"problem": translate("file.header_city", written=written)})


Text = Annotated[str, AfterValidator(lambda text: " ".join(text.split()))]
Name = Annotated[str, Field(pattern=r"^[\w.:-]+$")]


class Header(BaseModel):
    """What a document's header says, all of it optional.

    ``day`` is read from the field ``date``, ``interprets`` from ``provisions``. ``kind`` is the kind of norm of a
    structured text. ``territory`` is a community, or ``STATE``. Of a collective agreement, ``sector`` or ``company``
    tell what it applies to, ``province`` where, ``validity_start`` and ``validity_end`` are the days that were agreed.
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
        """Refuse what contradicts itself; the field that is named is the first of those that do."""
        first, last, problem = self.validity_start, self.validity_end, ""
        if self.sector and self.company:
            problem = translate("file.header_company_or_sector")
        elif first and last and last < first:
            problem = translate("file.header_validity", first=first.isoformat(), last=last.isoformat())
        elif self.province and self.territory not in (None, community := self.community):
            names = {"province": self.province, "territory": self.territory, "community": community}
            problem = translate("file.header_not_of", **names)
        if problem:
            raise PydanticCustomError("scope", "{problem}", {"problem": problem})
        return self

    @property
    def community(self) -> str | None:
        """The community of the municipality or the province, else the one that is given; none of the whole state."""
        if self.municipality:
            return find_territory(self.municipality)
        if self.province and (called := province_called(self.province)):
            return called[1]
        return None if self.territory == STATE else self.territory

    @property
    def names_scope(self) -> bool:
        """Whether it has a field that only agreements have."""
        return bool(self.sector or self.company or self.province or self.validity_start or self.validity_end)

    @property
    def document_type(self) -> DocumentType:
        """The type, or what follows from who wrote it."""
        if self.type:
            return self.type
        if self.names_scope:
            return "agreement"
        return "ruling" if self.court or self.ecli else "criterion" if self.body else "document"


def header_of(path: Path, fields: Mapping[str, Any]) -> Header:
    """Return the header with these fields, checked; an empty field is as good as none.

    Raises:
        InvalidInput: they break the schema; the message names the first field that does, and what is possible.
    """
    try:
        return Header.model_validate({name: value for name, value in fields.items() if value != ""})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(
            translate("file.field_invalid", path=path, field=_field(first), problem=_problem(first))
        ) from error


def _field(details: ErrorDetails) -> object:
    """Return the field that an error is of; of what contradicts itself, what it is all about."""
    return details["loc"][0] if details["loc"] else translate("file.header_scope")


def _problem(details: ErrorDetails) -> str:
    """Return what is wrong with a field, by the type of pydantic's error, whose own words are English."""
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
        case "provision" | "ecli" | "day" | "territory" | "scope":
            return details["msg"]
        case _:
            return translate("file.header_text")


def scope_of(header: Header, title: str, articles: Iterable[tuple[str, str]]) -> Agreement | None:
    """Return the scope of an agreement, ``None`` of any other document; ``articles`` are titles and texts.

    An agreement is what its header says to be one, or what is entitled as one. A place in the header goes before all
    places of the text, and so do its sector or company, and each of its days.
    """
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
