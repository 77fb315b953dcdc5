"""Find the law that a name means, and where a text names laws: by number, by name, or by acronym."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache

from legal.dates import MONTHS
from legal.folding import fold
from legal.registry import KnownLaw, in_force_on, known_laws, laws_by_name, laws_by_number, plain

_KINDS: dict[str, tuple[str, ...]] = {
    "real decreto legislativo": ("real_decreto_legislativo",),
    "real decreto ley": ("real_decreto_ley",),
    "real decreto": ("real_decreto",),
    "ley organica": ("ley_organica",),
    "ley": ("ley",),
    "decreto legislativo": ("real_decreto_legislativo",),
    "decreto ley": ("real_decreto_ley",),
    "orden": ("orden",),
    "rdleg": ("real_decreto_legislativo",),
    "rdlg": ("real_decreto_legislativo",),
    "rdley": ("real_decreto_ley",),
    # "RDL" is written for both.
    "rdl": ("real_decreto_legislativo", "real_decreto_ley"),
    "rd": ("real_decreto",),
    "lo": ("ley_organica",),
    "l": ("ley",),
}
_NUMBERED = re.compile(
    r"\b(?P<kind>real[ -]decreto[ -](?:legislativo|ley)|real decreto|ley organica|ley|decreto[ -](?:legislativo|ley)"
    r"|decreto|orden(?: ministerial)?|r\.?d\.?[ -]?leg\.?|r\.?d\.?l\.?g\.?|r\.?d\.?[ -]?ley|r\.?d\.?-?l\.?|r\.?d\.?"
    r"|l\.?o\.?|l\.)\s*(?:(?:n\.?[ºo]|num\.?|numero)\s*)?"
    r"(?P<number>(?:[a-z]{2,4}/)?\d{1,4}/(?:19|20)?\d\d)(?![\d/])"
)
_DATE = rf"\d{{1,2}}(?:\.?º)?\s+de\s+(?:{MONTHS})(?:\s+de\s+\d{{4}})?"
_DATED = re.compile(rf",?\s+de\s+{_DATE}")
_APPROVED = re.compile(
    r"\s*,?\s*(?:que fue\s+|texto refundido\s+)?aprobad[oa]s?\s+(?:por|mediante)\s+(?:el\s+|la\s+)?(?:citad[oa]\s+)?"
)
_TITLED = re.compile(
    r"\s*,?\s*(?:por\s+(?:el|la)\s+que\s+se\s+(?:aprueba|regula)n?\s+|reguladora?\s+|sobre\s+|para\s+)?"
    r"(?:(?:de la|del|de|el|la)\s+)?(?:texto refundido (?:de la|del|de)\s+)?(?:ley (?:del|de la|de)\s+)?"
)
_REFUNDIDO = re.compile(r"texto refundido (?:de la|del|de)\s+(?:ley (?:del|de la|de)\s+)?$")
# The Community in "Reglamento (CE) n.º 883/2004" is not the Constitution.
_EUROPEAN = re.compile(r"(?:reglamento|directiva|decision)e?s?\s*\($")
_OF_YEAR = re.compile(r"\s+(?:de\s+)?((?:19|20)\d\d)\b")


@dataclass(frozen=True)
class Mention:
    """A law named in ``text[start:end]``.

    ``law_id`` is ``None`` for a law that the registry does not know. A ``weak`` mention is also a common word
    ("et", "constitución"), and counts only next to a citation.
    """

    start: int
    end: int
    law_id: str | None
    weak: bool = False


@cache
def _names() -> dict[str, tuple[re.Pattern[str], dict[str, KnownLaw]]]:
    """Return for each first word of a name a pattern of all names that begin with it, longest first."""
    groups: dict[str, list[str]] = {}
    for name in laws_by_name():
        groups.setdefault(name.split()[0], []).append(name)
    return {
        first: (
            re.compile("(?:" + "|".join(_spaced(name) for name in sorted(names, key=len, reverse=True)) + r")(?!\w)"),
            laws_by_name(),
        )
        for first, names in groups.items()
    }


def _spaced(name: str) -> str:
    return r"[\s,-]+".join(re.escape(word) for word in name.split())


@cache
def _first_words() -> re.Pattern[str]:
    return re.compile(r"(?<![\w/])(?:" + "|".join(sorted(_names(), key=len, reverse=True)) + r")(?![\w/])")


def _by_number(kind: str, number: str) -> KnownLaw | None:
    kind = re.sub(r"[ -]+", " ", kind).removesuffix(" ministerial")
    kind = kind if kind in _KINDS else re.sub(r"[^a-z]", "", kind)
    number, _, year = number.rpartition("/")
    if len(year) == 2:
        year = ("19" if int(year) > 40 else "20") + year
    found = (laws_by_number().get((law_kind, f"{number}/{year}")) for law_kind in _KINDS.get(kind, ()))
    return next((law for law in found if law), None)


def _numbered(folded: str) -> list[Mention]:
    mentions = []
    for match in _NUMBERED.finditer(folded):
        law = _by_number(match["kind"], match["number"])
        dated = _DATED.match(folded, match.end())
        mentions.append(Mention(match.start(), dated.end() if dated else match.end(), law.id if law else None))
    return mentions


def _named(text: str, folded: str, day: date | None) -> list[Mention]:
    mentions, position = [], 0
    while first := _first_words().search(folded, position):
        position = first.end()
        pattern, laws = _names()[first[0]]
        match = pattern.match(folded, first.start())
        if match is None:
            continue
        position = match.end()
        if _EUROPEAN.search(folded, max(0, match.start() - 20), match.start()):
            continue
        law: KnownLaw | None = laws[plain(match[0])]
        written = text[match.start() : match.end()]
        if law is not None and (year := _OF_YEAR.match(folded, position)) and law.number:
            position = year.end()
            family = {law.id: law} | {old.id: old for old in known_laws().values() if old.superseded_by == law.id}
            law = next((one for one in family.values() if one.number.endswith("/" + year[1])), None)
        elif law is not None:
            law = in_force_on(law, day)
        weak = (len(match[0]) <= 3 and not written.isupper()) or (
            match[0] == "constitucion" and not written[0].isupper()
        )
        refundido = _REFUNDIDO.search(folded, max(0, match.start() - 60), match.start())
        start = refundido.start() if refundido else match.start()
        mentions.append(Mention(start, position, law.id if law else None, weak))
    return mentions


def law_mentions(text: str, day: date | None = None) -> list[Mention]:
    """Find all laws that a text names, in order, without overlap.

    A number decides over a name beside it: "Ley 8/1980, del Estatuto de los Trabajadores" is not the law in force.
    ``day`` is when the text was written: a name without a year means the law of that day (today without it).
    """
    folded = fold(text)
    found = sorted([*_numbered(folded), *_named(text, folded, day)], key=lambda m: (m.start, -m.end))
    merged: list[Mention] = []
    numbers = {(m.start, m.end) for m in _numbered(folded)}
    for mention in found:
        last = merged[-1] if merged else None
        if last is not None and mention.start < last.end:
            continue
        if last is not None:
            gap = folded[last.end : mention.start]
            by_number = (mention.start, mention.end) in numbers
            if by_number and _APPROVED.fullmatch(gap):
                merged[-1] = Mention(last.start, mention.end, mention.law_id)
                continue
            if not by_number and (last.start, last.end) in numbers and gap and _TITLED.fullmatch(gap):
                merged[-1] = Mention(last.start, mention.end, last.law_id)
                numbers.add((last.start, mention.end))
                continue
        merged.append(mention)
    return merged


def find_law(name: str) -> KnownLaw | None:
    """Find a law by identifier, acronym, number, alias or (part of) its official title.

    Case, accents and articles do not matter. A name without a year means the law in force.
    """
    if name.strip().upper() in known_laws():
        return known_laws()[name.strip().upper()]
    asked = plain(name)
    if asked in laws_by_name():
        return laws_by_name()[asked]
    mentions = law_mentions(name)
    if mentions:
        return known_laws().get(mentions[0].law_id or "")
    if len(asked.split()) < 3:
        return None
    titled = [law for law in known_laws().values() if asked in plain(law.title)]
    current = [law for law in titled if law.superseded_by is None]
    return current[0] if len(current) == 1 else None
