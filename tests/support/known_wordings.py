"""The wordings of real laws as their sources have them, read without the program: which text was law on which day.

The gazette's own XML gives each wording its day. Texts of several days give less: between two of them that differ, the
new one is law from the day that its notes say; where they say none, from some day between the publication of the reform
and twenty days later (art. 2.1 of the Código Civil); where the reform is not known, from some day between both texts.
The first text of a law has what was added later, too: that is law from the reform on that its notes say has added it.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split()  # noqa: SIM905
)
HEADINGS = ("subsección", "sección", "capítulo", "título")
LONGEST_HEADING = 300
TWENTY_DAYS = timedelta(days=20)
DAY = timedelta(days=1)
_GONE = re.compile(r"(?:\W*(?:derogad[oa]s?|suprimid[oa]s?|sin contenido|anulad[oa]s?)\W*)+", re.IGNORECASE)
_DATE = rf"(\d{{1,2}})\.?º? de ({'|'.join(MONTHS)}) de (\d{{4}})"
_EFFECT = re.compile(rf"(?:efectos|en vigor)(?: (?:de|desde|el|a partir del|día))* {_DATE}")
_ADDS = re.compile(r"> <small>Se añade(?:,[^,]*,)? por")
_REFERENCE = re.compile(r"Ref\. (BOE-A-\d{4}-\d+)")


def letters(text: str) -> str:
    """Return what two copies of one text share: letters and digits, without tables."""
    lines = [line for line in text.splitlines() if "|" not in line]
    return re.sub(r"[\W_]", "", "".join(lines)).lower()


@dataclass(frozen=True)
class Provision:
    """A provision by its label ("Artículo 48 bis"), and the days between which its text is known.

    ``spans`` are texts with the first day on
    which they may, and the last on which they may be law; an empty one is none: not yet there, or repealed.
    """

    law_id: str
    label: str
    spans: tuple[tuple[date, date, str], ...]

    @property
    def edges(self) -> list[date]:
        """The days on which a text begins or ends."""
        days = {day for first, last, _ in self.spans for day in (first, last)}
        return sorted(days - {date.min, date.max})

    @property
    def has_changed(self) -> bool:
        """Whether it has had another text than its first, or none any more."""
        return len(self.spans) > (1 if self.spans[0][2] else 2)

    def on(self, day: date) -> set[str]:
        """Return the texts of which one is law on a day; an empty one tells that none may be."""
        return {text for first, last, text in self.spans if first <= day <= last}

    def allows(self, served: str, day: date) -> bool:
        """Tell whether what is served as law on a day (its letters, none for nothing) is what was law then.

        A heading without marks may stand below the last paragraph of a text.
        """
        return any(text == served or (served and text.removeprefix(served) in _tails(text)) for text in self.on(day))


def _tails(text: str) -> set[str]:
    """Return the ends of a text that may be the heading of what follows it."""
    return {text[at:] for at in range(max(len(text) - LONGEST_HEADING, 1), len(text)) if text[at:].startswith(HEADINGS)}


def of_gazette(file: Path, until: date) -> Iterator[Provision]:
    """Yield the provisions of a law as the gazette's XML has them: every wording from its day to that of the next."""
    root = ElementTree.parse(file).getroot()
    law_id = root.findtext(".//identificador") or ""
    blocks = [block for block in root.iter("bloque") if block.get("tipo") == "precepto"]
    named = Counter(block.get("titulo") for block in blocks)
    for block in blocks:
        label = " ".join((block.get("titulo") or "").split())
        if named[block.get("titulo")] > 1 or not re.match(r"Artículo \w+|Disposición", label):
            continue
        texts: dict[date, str] = {}
        for version in sorted(block.iter("version"), key=lambda one: one.get("fecha_publicacion", "")):
            paragraphs = [p for p in version if p.tag == "p" and p.get("class") != "articulo"]
            text = "\n".join("".join(p.itertext()) for p in paragraphs)
            written = version.get("fecha_vigencia") or version.get("fecha_publicacion") or ""
            texts[date.fromisoformat(written)] = "" if _GONE.fullmatch(text) else letters(text)
        if ended := block.get("fecha_caducidad"):
            texts[date.fromisoformat(ended)] = ""
        days = sorted(texts)
        spans = [(date.min, days[0] - DAY, "")]
        spans += [(day, after - DAY, texts[day]) for day, after in zip(days, [*days[1:], until + DAY], strict=True)]
        yield Provision(law_id, label, tuple(spans))


def of_snapshots(files: list[Path], reforms: Path, since: date, *, whole: bool = False) -> Iterator[Provision]:
    """Yield the articles of a law of which ``files`` are the texts of some days, the last one that of today.

    They are known from ``since`` on; with the ``whole`` history that is the first day on which the law is in force.
    """
    texts = sorted((_day_of(file), file.read_text(encoding="utf-8")) for file in files)
    law_id = files[0].name.partition("@")[0].removesuffix(".md")
    published = _published(reforms)
    by_day = [(day, _provisions(text)) for day, text in texts]
    labels = dict.fromkeys(label for _, provisions in by_day for label in provisions)
    notes = _notes(texts[-1][1])
    for label in labels:
        if "[" in label or any(provisions.get(label, "") is None for _, provisions in by_day):
            continue  # there are two of this label
        written = [(day, provisions.get(label) or "") for day, provisions in by_day]
        added = _added(notes[label], published)
        if added and added > written[0][0]:
            written[0] = (written[0][0], "")
        spans: list[tuple[date, date, str]] = [(date.min, since - DAY, "")] if whole else []
        first = since
        for (day, old), (after, new) in pairwise(written):
            if old != new:
                earliest, latest = _change(notes[label], published, day, after)
                earliest = min(earliest, added or earliest)
                spans.append((first, latest - DAY, old))
                first = earliest
        spans.append((first, date.max, written[-1][1]))
        yield Provision(law_id, label, tuple(spans))


def _added(notes: list[str], published: dict[str, date]) -> date | None:
    """Return the day on which the reform was published that has added a whole provision; ``None`` without one."""
    oldest = next((note for note in reversed(notes) if _REFERENCE.search(note)), "")
    reference = _REFERENCE.search(oldest)
    return published.get(reference[1]) if reference and _ADDS.match(oldest) else None


def _change(notes: list[str], published: dict[str, date], day: date, after: date) -> tuple[date, date]:
    """Return the first and the last day on which a change between two texts may have had effect."""
    days: dict[str, tuple[date, date]] = {}
    for note in notes:
        for reference in _REFERENCE.findall(note):
            told = published.get(reference)
            if told is not None and day < told <= after:
                effects = [date(int(y), MONTHS.index(m) + 1, int(d)) for d, m, y in _EFFECT.findall(note)]
                span = (max(effects), max(effects)) if effects else (told, told + TWENTY_DAYS)
                known = days.get(reference)
                if known is None or known[0] != known[1]:
                    days[reference] = span
    if len(days) == 1:
        return next(iter(days.values()))
    ends = [last for _, last in days.values()]
    return day + DAY, max([after + TWENTY_DAYS, *ends])


def _day_of(file: Path) -> date:
    _, dated, day = file.stem.partition("@")
    if dated:
        return date.fromisoformat(day)
    found = re.search(r'^last_updated: "(.+)"$', file.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return date.fromisoformat(found[1])


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the label and the lines of each provision of a text."""
    label, lines = "", []
    for line in [*text.splitlines(), "#"]:
        if line.startswith("#"):
            if re.match(r"Artículo \d|Disposición adicional", label):
                yield label, lines
            heading = line.lstrip("# ")
            label, lines = heading.partition(". ")[0].rstrip("."), []
        else:
            lines.append(line)


def _provisions(text: str) -> dict[str, str | None]:
    """Return the letters of each provision by its label; ``None`` where there are two of it."""
    found: dict[str, str | None] = {}
    for label, lines in _sections(text):
        body = "\n".join(line for line in lines if not line.startswith((">", "!")))
        found[label] = None if label in found else "" if _GONE.fullmatch(body) else letters(body)
    return found


def _notes(text: str) -> dict[str, list[str]]:
    notes: dict[str, list[str]] = defaultdict(list)
    for label, lines in _sections(text):
        notes[label] += [line for line in lines if line.startswith(">")]
    return notes


def _published(reforms: Path) -> dict[str, date]:
    with reforms.open(encoding="utf-8") as opened:
        rows = list(csv.reader(opened, delimiter="\t"))[1:]
    return {row[4]: date.fromisoformat(row[5]) for row in rows if row[5]}
