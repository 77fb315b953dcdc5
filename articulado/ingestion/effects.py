"""Days of effect that a law sets in its final provisions, as a whole and provision by provision.

Examples: "entrará en vigor a los dos meses de su publicación, salvo el artículo 3, que lo hará el 1 de enero de
2027"; "surtirá efectos desde el 1 de enero". A sentence is cut into tokens: subjects (the law, provisions,
divisions), verbs, days and exceptions; a day belongs to the subjects before it, else to those after it. Terms
count from publication (art. 5 of the Civil Code).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from dateutil.relativedelta import relativedelta

from articulado.ingestion.model import Provision
from articulado.language.folding import fold
from articulado.language.formats import MONTHS, long_day, month_number
from articulado.language.numerals import numeral
from articulado.legal.citations.parser import parse_citations
from articulado.legal.labels import DIVISIONS

VACATIO = relativedelta(days=20)
"""Time from publication to the first day of a norm that sets none (art. 2.1 of the Civil Code)."""

_PUBLISHED, _ENTERED = "@publicada", "@vigente"
_OF_THIS = r"(?: del? (?:la |el )?(?:presente|est[ae]) \w+)?"
_PLAIN = {
    r"[«“\"][^«»“”\"]*[»”\"]|\([^()]*\)|[ªº*]|\b(?:completa|integra|naturales) ": "",
    r" en el (?:boletin|diario|diari|butlleti) oficial(?: del? (?:la )?\w+)?": "",
    rf"(?:su|la) publicacion(?: oficial)?(?: en (?:el|la))?{_OF_THIS}|que se publi\w+(?: en (?:el|la))?": _PUBLISHED,
    rf"(?<=[aes] )(?:su|la) entrada en vigor{_OF_THIS}": _ENTERED,
    r"\s+(?=[,.;])": "",
    r"\s+": " ",
}
"""Patterns of folded text for words to remove, and for the events from which terms are counted."""
_EVENT = rf"(?:al? |del? |en |desde |despues |partir )*(?P<event>{_PUBLISHED}|{_ENTERED})"
_UNIT = r"(?P<unit>dia|semana|mes|ano)(?:e?s)?"
_COUNTED = "(?:a contar |contad\\w+ )?(?:(?:desde |a partir )?(?:del? |el )?dia siguiente )?"
_DAYS = (
    rf"(?P<next>dia siguiente) {_EVENT}",
    rf"(?:(?:el|al|del|mismo) )*(?P<same>dia|fecha|momento|desde|partir) {_EVENT}",
    rf"(?:primero|uno|1|primer dia) del (?:(?P<ordinal>\w+) )?(?P<first>mes|ano) siguiente {_EVENT}",
    rf"(?:(?P<number>\w+) )?{_UNIT}(?: siguientes)?,? {_COUNTED}{_EVENT}",
    rf"(?:a los (?P<later>\w+)|al) {_UNIT.replace('unit', 'units')}(?=[.,;]|$)",
    r"(?<!\d)(?<!\d\d\d\d, de )(?<!orden de )(?P<day>\d{1,2}|primero|uno)"
    rf" de (?P<month>{MONTHS})(?: del?(?: ano)? (?P<year>\d{{4}}))?",
)
_ONE = ("un", "una", "al", "el", "del")
_UNITS = {"dia": "days", "semana": "weeks", "mes": "months", "ano": "years"}
_NORM = (
    r"ley|norma|(?<=a )orden|(?<=te )orden|(?:real )?decreto(?:-ley| legislativo)?|texto|reglamento|estatuto"
    "|constitucion|resolucion|acuerdo|ordenanza|instruccion|circular"
)
_TOKENS: Mapping[str, re.Pattern[str]] = {
    "day": re.compile("|".join(re.sub(r"\(\?P<event>", f"(?P<event{at}>", form) for at, form in enumerate(_DAYS))),
    "law": re.compile(
        rf"(?<!de )(?<!del )\b(?:el|la|est[ae]|lo dispuesto en \w+) (?:presente )?(?:{_NORM})\b(?! \d)"
        rf"|\bpresente (?:{_NORM})(?=, que )|\b(?:el|su) resto\b"
    ),
    "entry": re.compile(
        r"\b(?:entra(?:ra)?n?(?: \w+)?(?= en vigor)|lo haran?\b|(?:comenz|empez)aran? a \w+|se producira\b)"
    ),
    "effect": re.compile(
        r"\b(?:(?:surt|produc|desplieg|despleg)\w*|tendran?|con)(?: plenos| sus)? efectos?\b"
        r"|\bseran? (?:de aplicacion|aplicables?)(?= (?:desde|a partir|el) )"
    ),
    "cut": re.compile(r"\b(?:salvo|except\w+|excepcion(?:es)?|no obstante|sin perjuicio)\b|;"),
}
_DIVISION = re.compile(
    rf"\b({'|'.join(DIVISIONS)}) (preliminar|[ivxlc]+|primer\w|segund\w|tercer\w)\b(?: del? (?:el |la )?)?"
)
_FINAL = ("df:", "dd:", "texto:")
_TITLED = re.compile(r"\bvigor|\bvigencia|\befectos|\beficacia")
_ITEM = re.compile(r"(?:[a-zñ]\)|[-–—•]|\d{1,2}\.ª?º?)\s")
_SENTENCES = re.compile(r"(?<=\w{3})\. (?=[a-z])")
_TO = re.compile(r"(?: y(?= el)| al?| hasta)(?: el)?(?: dia)? ?")


class PartEffect(NamedTuple):
    """First day (ISO 8601) of a part of a provision, and a note on it in Spanish."""

    day: str
    note: str


@dataclass(frozen=True)
class Effects:
    """Days that a law sets for its own effect, ISO 8601; ``None`` if not certain."""

    entry: str | None = None
    begins: str | None = None
    ends: str | None = None  # first day after a limited period
    own: Mapping[str, str] = field(default_factory=dict)  # first day of single provisions, by key
    parts: Mapping[str, PartEffect] = field(default_factory=dict)  # effect of a part of a provision, by key
    silent: bool = False  # the law sets no day


def effects_of(provisions: Sequence[Provision], published: str) -> Effects:
    """Return the days of effect that a law sets; ``published`` is ISO 8601 or ""."""
    reading = _Reading(provisions, date.fromisoformat(published) if published else None)
    final = [each for each in provisions if each.key.startswith(_FINAL) or "unico" in each.key]
    titled = [each for each in provisions if "en vigor" in fold(each.title) and not each.key.startswith("dt:")]
    for provision in titled or final:
        for statement in _statements(provision):
            reading.read(statement, provision)
    return reading.effects()


def _statements(provision: Provision) -> Iterator[str]:
    """Yield the folded sentences of a provision on days of effect; list items are joined to their first line."""
    named = _TITLED.search(fold(provision.title)) is not None
    open_list = ""
    for line in filter(None, (_plain(line) for each in provision.paragraphs for line in each.split("\n"))):
        is_item = bool(open_list) and _ITEM.match(line) is not None
        if is_item:
            if _TOKENS["day"].search(line):
                yield line
            else:
                open_list += f", {_ITEM.sub('', line).rstrip('.')}"
            continue
        if open_list:
            yield open_list
            open_list = ""
        for sentence in _SENTENCES.split(line):
            says = _TOKENS["entry"].search(sentence) or _TOKENS["effect"].search(sentence)
            if says and (named or (_TOKENS["law"].search(sentence) and "en vigor" in sentence)):
                if sentence.endswith(":"):
                    open_list = sentence
                else:
                    yield sentence
    if open_list:
        yield open_list


def _plain(line: str) -> str:
    plain = fold(line)
    for pattern, shorter in _PLAIN.items():
        plain = re.sub(pattern, shorter, plain)
    return plain.strip()


class _Token(NamedTuple):
    start: int
    end: int
    kind: str
    match: re.Match[str] | None = None
    keys: tuple[str, ...] = ()
    partial: bool = False


class _When(NamedTuple):
    """A date, or a time ``after`` an event; a period also has the first day after it. Neither: unknown day."""

    day: date | None = None
    event: str = ""
    after: relativedelta = relativedelta()
    ends: date | None = None


class _Reading:
    def __init__(self, provisions: Sequence[Provision], published: date | None) -> None:
        self.provisions, self.published = provisions, published
        self.whole: dict[str, set[_When]] = {"entry": set(), "effect": set()}
        self.own: dict[str, tuple[_When, bool, str]] = {}
        self.spoken = False

    def read(self, statement: str, provision: Provision) -> None:
        """Read one statement: a day belongs to the subjects before it, else to those after it."""
        self.spoken = True
        tokens = self._tokens(statement)
        is_exception = _ITEM.match(statement) or (tokens and tokens[0].kind == "cut")
        if not is_exception and not any(token.kind in ("law", "own") for token in tokens):
            tokens.insert(0, _Token(0, 0, "law"))
        subjects, named = list[_Token](), list[_Token]()
        verb, day, excepts, read_to = "entry", None, False, 0
        for token in tokens:
            match token.kind:
                case "cut":
                    subjects, named, day, excepts = [], [], None, True
                case "entry" | "effect":
                    # Both verbs may share a subject: "entrará en vigor … y surtirá efectos desde …".
                    named = named if verb == token.kind else [*named, *subjects]
                    verb = token.kind
                case "day" if token.start >= read_to:
                    day, read_to = self._when(token, statement, verb)
                    of_law = [each for each in subjects if each.kind == "law"]
                    self._set((of_law if excepts else []) or subjects or named, verb, day, provision)
                    subjects, named = [], subjects
                case "day":
                    pass
                case _ if day and not named:
                    self._set([token], verb, day, provision)
                case _:
                    subjects.append(token)

    def _set(self, subjects: Sequence[_Token], verb: str, when: _When, provision: Provision) -> None:
        for subject in subjects:
            if subject.kind == "law":
                self.whole[verb].add(when)
            for key in subject.keys:
                self.own[key] = (when, subject.partial, provision.label)

    def _tokens(self, statement: str) -> list[_Token]:
        found = [
            _Token(*match.span(), kind, match) for kind, form in _TOKENS.items() for match in form.finditer(statement)
        ]
        for cited in parse_citations(statement):
            if not cited.law_named:
                in_words = _PART.search(statement, 0, cited.start) or _OF_IT.match(statement, cited.end)
                partial = bool(cited.apartado or cited.letter or in_words)
                found.append(_Token(cited.start, cited.end, "own", keys=(cited.provision_key,), partial=partial))
        divisions = list(_DIVISION.finditer(statement))
        while divisions:
            chain = [divisions.pop(0)]
            while divisions and divisions[0].start() == chain[-1].end():
                chain.append(divisions.pop(0))
            keys = self._inside({f"{each[1]} {each[2]}" for each in chain})
            found.append(_Token(chain[0].start(), chain[-1].end(), "own", keys=keys))
        return sorted(found)

    def _inside(self, divisions: set[str]) -> tuple[str, ...]:
        above = ((provision.key, fold(provision.breadcrumb).split(" > ")) for provision in self.provisions)
        return tuple(
            key
            for key, names in above
            if all(any(re.match(rf"{each}\b", name) for name in names) for each in divisions)
        )

    def _when(self, token: _Token, statement: str, verb: str) -> tuple[_When, int]:
        assert token.match is not None
        groups = {name: value for name, value in token.match.groupdict().items() if value}
        event = next((value for name, value in groups.items() if name.startswith("event")), _PUBLISHED)
        if "month" in groups:
            return self._dated(groups, token, statement, verb)
        number: int | None = 1
        if "next" in groups or "same" in groups:
            after = relativedelta(days=1 if "next" in groups else 0)
        elif "first" in groups:
            number = numeral(groups["ordinal"]) if "ordinal" in groups else 1
            of_year = groups["first"] == "ano"
            after = relativedelta(years=1, month=1, day=1) if of_year else relativedelta(months=number or 1, day=1)
        else:
            written = groups.get("number") or groups.get("later") or "un"
            number = int(written) if written.isdigit() else 1 if written in _ONE else numeral(written)
            after = relativedelta(**{_UNITS[groups.get("unit") or groups["units"]]: number or 0})
        return (_When(event=event, after=after) if number else _When()), token.end

    def _dated(self, groups: Mapping[str, str], token: _Token, statement: str, verb: str) -> tuple[_When, int]:
        end, year, ends = token.end, groups.get("year"), None
        last = _TOKENS["day"].match(statement, to.end()) if (to := _TO.match(statement, token.end)) else None
        if last and last["month"] and (" y" not in statement[token.end : last.start()] or "entre" in statement):
            end, year = last.end(), year or last["year"]
            ends = _date(last["day"], last["month"], last["year"] or year)
        if year is None and self.published:
            day = _date(groups["day"], groups["month"], str(self.published.year))
            is_over = day and verb == "entry" and day < self.published
            year = str(self.published.year + 1 if is_over else self.published.year)
        return _When(_date(groups["day"], groups["month"], year), ends=ends + timedelta(days=1) if ends else None), end

    def effects(self) -> Effects:
        entry = self._only("entry", None)
        begins = self._only("effect", entry) if self.whole["effect"] else entry
        ends = {when.ends for when in self.whole["effect"] | self.whole["entry"] if when.ends}
        own: dict[str, str] = {}
        parts: dict[str, PartEffect] = {}
        keys = {provision.key for provision in self.provisions}
        for key, (when, is_part, label) in self.own.items():
            day = self._day(when, entry)
            if day is None or day == begins or key not in keys:
                continue
            if is_part:
                note = f"Una parte de su texto rige desde el {long_day(day.isoformat())} ({label})."
                parts[key] = PartEffect(day.isoformat(), note)
            else:
                own[key] = day.isoformat()
        [last] = ends if len(ends) == 1 else [None]
        of_law = [day.isoformat() if day else None for day in (entry, begins, last)]
        return Effects(of_law[0], of_law[1], of_law[2], own, parts, not self.spoken)

    def _only(self, verb: str, entry: date | None) -> date | None:
        days = {self._day(when, entry) for when in self.whole[verb]}
        return days.pop() if len(days) == 1 else None

    def _day(self, when: _When, entry: date | None) -> date | None:
        base = {_PUBLISHED: self.published, _ENTERED: entry}.get(when.event)
        return when.day or (base + when.after if base else None)


_PART = re.compile(
    r"(?:apartados?|numeros?|parrafos?|letras?|parte|incisos?) [\w ,.)]{1,30}(?:de |del |de la )(?:los |las )?$"
)
_OF_IT = re.compile(r",? (?:en (?:sus?|los?|el) )?(?:apartados?|letras?|parrafos?|numeros?)\b")


def _date(day: str, month: str, year: str | None) -> date | None:
    number = int(day) if day.isdigit() else 1
    try:
        return date(int(year or 0), month_number(month), number)
    except ValueError:
        return None
