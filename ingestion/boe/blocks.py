"""Turn the blocks of the BOE's XML into provisions, one for each wording that they ever had."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from articulado.language.folding import fold
from articulado.legal.labels import PART_HEADINGS, Heading, law_url, split_heading
from articulado.legal.validity import is_repealed, provision_status
from articulado.values.chunks import Status
from ingestion.boe.markup import tidy
from ingestion.boe.notes import wording_dates
from ingestion.boe.version import LEVELS, Content, read_version
from ingestion.boe.wordings import Wording, wordings
from ingestion.model import Provision
from ingestion.structure.blocks import LONGEST_TITLE
from services.boe.xml import Element

_LEFT_OUT = ("preambulo", "firma", "nota_inicial")
_FOREVER = "9999"
_ANNEX = LEVELS.index("anexo")
LONGEST_KEY = 60
"""Characters of the name in the key of what has no label."""


@dataclass(frozen=True)
class LawFacts:
    """What the provisions of a law need to know of it. ``norms`` names the norms that changed it, by identifier."""

    id: str
    published: str
    norms: Mapping[str, str]
    today: str


@dataclass(frozen=True)
class _Above:
    """A heading above provisions, and the days on which it stands there."""

    level: int
    text: str
    start: str
    end: str


def read_blocks(text: Element, law: LawFacts) -> Iterator[list[Provision]]:
    """Yield the wordings of each provision in the order of the law; ``text`` is the element ``texto``.

    The preamble, signatures and pure headings are left out. What has text but no label of a provision (a whole
    resolution, a treaty, "Primero") gets the key ``texto:`` and its title. Keys may repeat.
    """
    above: list[_Above] = []
    for block in text.iterfind("bloque"):
        if block.get("tipo") in _LEFT_OUT:
            continue
        titled = split_heading(block.get("titulo") or "")
        key, frame = titled.key if titled else "", block.get("tipo") == "encabezado"
        versions = [
            (wording, read_version(wording.version, key, frame=frame)) for wording in wordings(block, law.published)
        ]
        for wording, content in versions:
            above += [_Above(level, text, wording.start, wording.end or _FOREVER) for level, text in content.above]
        versions = [(wording, content) for wording, content in versions if _has_text(content)]
        if not versions:
            continue
        label = _label(block, titled, versions[-1][1])
        if not label.key.startswith(("art:", "texto:")):
            above.clear()
        yield [_provision(law, block, label, wording, content, above) for wording, content in versions]


def _has_text(content: Content) -> bool:
    """Tell whether a version says anything; a heading may say it all: "Artículo 3. (Derogado)"."""
    return bool(content.paragraphs or (content.heading and content.heading.title))


def _label(block: Element, titled: Heading | None, last: Content) -> Heading:
    """Return the label of a block: that of its title, of its heading, or what the block calls itself."""
    if heading := titled or last.heading:
        return heading
    name = tidy(block.get("titulo")).strip("[]") or next((text for _, text in last.above), "")
    name = name or str(block.get("tipo") or "texto").replace("_", " ")
    key = re.sub(r"[^a-z0-9]+", " ", fold(name))[:LONGEST_KEY].strip()
    return Heading(name[0].upper() + name[1:], f"texto:{key}", "")


def _provision(
    law: LawFacts, block: Element, block_label: Heading, wording: Wording, content: Content, above: list[_Above]
) -> Provision:
    heading = content.heading or next(filter(None, (split_heading(text) for _, text in content.above)), block_label)
    label, title, paragraphs = heading.label, heading.title, content.paragraphs
    if not paragraphs:
        title, paragraphs = "", [title]
    if block_label.key.startswith("anexo:"):
        label = label.replace("ANEXO", "Anexo")
        if not title and len(paragraphs) > 1 and len(paragraphs[0]) <= LONGEST_TITLE:
            title, *paragraphs = paragraphs
    status, note = _status(law, wording, paragraphs, content.notes)
    following = read_version(wording.next).notes if wording.next is not None else []
    return Provision(
        label=label,
        key=block_label.key,
        title=title,
        breadcrumb=_breadcrumb(block_label.key, above, wording.end),
        paragraphs=tuple(paragraphs),
        notes=tuple(content.notes),
        status=status,
        status_note=note,
        wording=wording_dates(wording, following, law.norms),
        valid_from=wording.start,
        valid_to=wording.end,
        url=f"{law_url(law.id)}#{block.get('id')}",
    )


def _status(law: LawFacts, wording: Wording, paragraphs: list[str], notes: list[str]) -> tuple[Status, str]:
    """Return status of a wording and note on it.

    The block of one that has ended without another is repealed, and so is one that says no more than that.
    """
    if wording.end is None:
        return provision_status(paragraphs, notes)
    ended = wording.expires and wording.end <= law.today
    return "derogada" if ended or is_repealed(paragraphs) else "modificada", ""


def _breadcrumb(key: str, above: list[_Above], end: str | None) -> str:
    """Return the headings above a provision on the last day of a wording, from the highest."""
    kind = key.partition(":")[0]
    if kind in PART_HEADINGS:
        return PART_HEADINGS[kind]
    end = end or _FOREVER
    names: list[str] = []
    lowest = len(LEVELS)
    for heading in reversed(above):
        if heading.level >= lowest or not heading.start < end <= heading.end:
            continue
        lowest = heading.level
        # An annex above articles is only the frame of the text that a decree approves.
        if kind == "texto" or lowest > _ANNEX:
            names.insert(0, heading.text)
    return " > ".join(names)
