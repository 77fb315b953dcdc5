"""Sources of an answer (fragments of its context), their words in folded form, and their figures."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import groupby
from types import MappingProxyType

from articulado.language.folding import CharacterTable, fold
from articulado.language.quantities import DATE, BareNumber, Quantity, bare_numbers, kinds_of_days, quantities
from articulado.language.spanish import stems
from articulado.legal.citations.owners import CitationContext
from articulado.legal.citations.parser import parse_citations
from articulado.prompting.notes import whole_note
from articulado.values.chunks import Candidate, ProvisionRef
from articulado.values.findings import Check, Finding, Severity

_RANGE = 40
_RANGE_BEGINS = re.compile(
    r"(\d+(?:,\d+)?)\s*(?:(?:por ciento|por 100|%)\s*)?(?:a|y|hasta)\s+(?:un\s+)?(?:máximo\s+del?\s+)?(?:un\s+)?$"
)


@dataclass(frozen=True)
class Source:
    """A fragment of the context; quotations must be in ``text``, figures may also be in ``besides`` (heading)."""

    number: int
    law_id: str
    law_name: str
    provision: str
    provision_key: str
    text: str
    besides: str = ""

    @property
    def ref(self) -> ProvisionRef:
        return self.law_id, self.provision_key

    @property
    def mark(self) -> str:
        """The marker without brackets."""
        return f"C{self.number}"

    @property
    def everything(self) -> str:
        return f"{self.besides}\n{self.text}" if self.besides else self.text


def sources_of(context: Sequence[Candidate]) -> list[Source]:
    return [_source(number, candidate) for number, candidate in enumerate(context, start=1)]


def _source(number: int, candidate: Candidate) -> Source:
    chunk = candidate["chunk"]
    heading = f"{chunk['law_name']}. {chunk['provision']}. {chunk['title']}"
    besides = "\n".join(filter(None, (heading, chunk["breadcrumb"], chunk["summary"], whole_note(chunk))))
    return Source(
        number, chunk["law_id"], chunk["law_name"], chunk["provision"], chunk["provision_key"], chunk["text"], besides
    )


def make_finding(
    check: Check,
    kind: str,
    text: str,
    span: tuple[int, int],
    message: str,
    *,
    offset: int = 0,
    severity: Severity = "error",
    mark: str = "",
    evidence: str = "",
) -> Finding:
    """Make the finding on ``text[start:end]``; ``offset`` is the position of ``text`` in the answer."""
    start, end = span
    return Finding(
        check=check,
        kind=kind,
        severity=severity,
        where=text[start:end],
        start=offset + start,
        end=offset + end,
        message=message,
        mark=mark,
        evidence=evidence,
    )


@lru_cache(maxsize=4096)
def provisions_in(text: str, law_id: str) -> tuple[ProvisionRef, ...]:
    """Return the provisions to which a text of a law refers, each once: as named, and by the law's present id."""
    refs: list[ProvisionRef] = []
    for citation in parse_citations(text, CitationContext(law_id=law_id or None, prose=True)):
        refs += [(law, citation.provision_key) for law in (citation.current_id, citation.law_id) if law]
    return tuple(dict.fromkeys(refs))


_TOKEN = re.compile(r"por\s+(?:100|cien|ciento)\b|\d+(?:[.,]\d+)*|[^\W\d_]+|[^\W_]+|[%€]")
_NO_LETTER = re.compile(r"[\W_]")
_GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_SAME = MappingProxyType({"euro": "€", "euros": "€", "°": "º"})


@dataclass(frozen=True)
class Words:
    """The folded words of ``text``: "por ciento" and "por 100" are the word "%"; thousands have no points."""

    text: str
    tokens: tuple[str, ...]

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        return tuple(match.span() for match in _TOKEN.finditer(fold(self.text)))

    @cached_property
    def compact(self) -> str:
        return "".join(self.tokens)

    @cached_property
    def longest_row(self) -> str:
        rows = ("".join(row) for of_letters, row in groupby(self.tokens, str.isalpha) if of_letters)
        return max(rows, key=len, default="")

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Begin of each word in ``compact``, ascending, and its length."""
        offsets = [0]
        for token in self.tokens:
            offsets.append(offsets[-1] + len(token))
        return tuple(offsets)

    @cached_property
    def positions(self) -> Mapping[str, Sequence[int]]:
        """Positions of the tokens by word."""
        positions: dict[str, list[int]] = {}
        for number, token in enumerate(self.tokens):
            positions.setdefault(token, []).append(number)
        return positions

    def find(self, piece: str, begin: int = 0) -> int | None:
        """Return the end in ``compact`` of whole words that make up a compact text; ``None`` if it is not here.

        >>> words_of("Treinta días, natu-rales").find("diasnaturales"), words_of("Treinta días").find("dia")
        (20, None)
        """
        at = self.compact.find(piece, begin)
        while at >= 0:
            end = at + len(piece)
            if self._is_edge(at) and self._is_edge(end):
                return end
            at = self.compact.find(piece, at + 1)
        return None

    def written(self, first: int, after: int) -> str:
        if first >= after:
            return ""
        return " ".join(self.text[self.spans[first][0] : self.spans[after - 1][1]].split())

    def _is_edge(self, offset: int) -> bool:
        place = bisect_left(self.offsets, offset)
        return place < len(self.offsets) and self.offsets[place] == offset


def may_hold(text: str, pieces: Sequence[Words]) -> bool:
    """Return False if a text cannot contain some pieces: a fast test before its words are read."""
    letters = _letters_of(text)
    return all(piece.longest_row in letters for piece in pieces)


@lru_cache(maxsize=2048)
def _letters_of(text: str) -> str:
    return _letters_alone(text).replace(" ", "")


_letters_alone = CharacterTable(lambda text: _NO_LETTER.sub(" ", fold(text)))


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """Return the words of a text.

    >>> words_of("El **25 por 100**, o 1.200 euros").tokens
    ('el', '25', '%', 'o', '1200', '€')
    """
    found = _TOKEN.findall(fold(text))
    return Words(text, tuple(map(_plain, found)))


@lru_cache(maxsize=16_384)
def _plain(token: str) -> str:
    if token[0].isdigit():
        return token.replace(".", "") if "." in token and _GROUPED.fullmatch(token) else token
    return "%" if token.startswith("por ") else _SAME.get(token, token)


_YEARLY = re.compile(r"\b(?:al (?P<year>ano)|al (?P<month>mes))\b(?! siguiente)")
UNITS_OF_TIME = ("day", "week", "month", "hour", "minute")


def of_another_time(quantity: Quantity, sources: Sequence[Source]) -> bool:
    """Return True if sources have the number of a figure, but per another time ("a month", not "a year")."""
    numbers = (number for source in sources for number in bare_numbers(source.everything))
    return any(
        number.per and quantity.per not in ("", number.per) for number in numbers if number.value == quantity.value
    )


def stands_in(quantity: Quantity, sources: Sequence[Source]) -> bool:
    """Return True if sources contain a figure.

    Days of a kind match plain days if the source says how it counts them; a number without a unit matches any unit.
    """
    for source in sources:
        if quantity.unit == "month" and quantity.value in _without_number(source.everything):
            return True
        same = [known for known in quantities(source.everything) if is_same(quantity, known)]
        if quantity.per and any(known.per for known in same):
            # Where the source says of which time it is, it is of that one.
            same = [known for known in same if known.per in ("", quantity.per)]
            if not same:
                continue
        if not quantity.kind or any(known.kind == quantity.kind for known in same):
            if same or (not quantity.kind and _as_written(quantity, source)):
                return True
        elif same and not any(known.kind for known in same) and quantity.kind in kinds_of_days(source.everything):
            return True
    return False


@lru_cache(maxsize=2048)
def _without_number(text: str) -> frozenset[int]:
    return frozenset(12 if match["year"] else 1 for match in _YEARLY.finditer(fold(text)))


def _as_written(quantity: Quantity, source: Source) -> list[BareNumber]:
    times = (1, 12) if quantity.unit == "month" else (1,)
    return [
        number
        for number in bare_numbers(source.everything)
        if quantity.value in [number.value * each for each in times]
        and quantity.per in ("", number.per or quantity.per)
    ]


def is_comparable(figure: Quantity, known: Quantity) -> bool:
    return figure.unit == known.unit and figure.per in ("", known.per or figure.per)


def is_in_range(scope: str, figure: Quantity) -> bool:
    """Return True if a figure lies in a range of the law ("de un 30 a un 50 por ciento")."""
    if figure.unit == "euro":
        return False
    for last in (each for each in quantities(scope) if is_comparable(figure, each)):
        low = _RANGE_BEGINS.search(scope, max(0, last.start - _RANGE), last.start)
        if low and Decimal(low[1].replace(",", ".")) <= figure.value <= last.value:
            return True
    return False


def is_range(text: str, one: Quantity, other: Quantity) -> bool:
    first, last = sorted((one, other), key=lambda each: each.start)
    return one is not other and bool(re.fullmatch(r"\s(?:euros\s)?(?:a|y|hasta)\s", text[first.end : last.start]))


def is_same(one: Quantity, other: Quantity) -> bool:
    """Return True if two figures are equal, whichever days they count; a day without a year matches any year."""
    if one.unit != other.unit:
        return False
    if one.unit == DATE:
        return one.value == other.value or (
            min(one.value, other.value) < 10_000 and (one.value - other.value) % 10_000 == 0
        )
    # Shares are written to different decimals: 66,67 % and two thirds.
    return abs(one.value - other.value) <= (Decimal("0.34") if one.unit == "percent" and one.value % 1 else 0)


def unit_is_wrong(known: Quantity, quantity: Quantity) -> bool:
    """Return True if two figures of equal value count other days, refer to other times, or have other units."""
    if known.unit == quantity.unit:
        return known.kind != quantity.kind or bool(known.per and quantity.per and known.per != quantity.per)
    return not quantity.is_count and (known.unit in UNITS_OF_TIME or quantity.unit not in UNITS_OF_TIME)


def nearest_figure(claim: str, quantity: Quantity, sources: Iterable[Source]) -> tuple[str, Source] | None:
    """Return the figure with the same unit or number whose context shares most stems with the claim."""
    wanted = set(stems(claim))
    best: tuple[float, str, Source] | None = None
    for source in sources:
        for known in quantities(source.text):
            if known.unit != quantity.unit and known.value != quantity.value:
                continue
            around = source.text[max(0, known.start - 150) : known.end + 150]
            fit = len(wanted & set(stems(around))) + (0.5 if known.unit == quantity.unit else 0)
            if best is None or fit > best[0]:
                best = fit, " ".join(source.text[known.start : known.end].split()), source
    return (best[1], best[2]) if best else None


def is_known_factor(value: Decimal, given: Collection[Decimal]) -> bool:
    """Return True if a number is given, or is the difference of two given ones or of one and 100."""
    return value in given or 100 - value in given or any(value + other in given for other in given)
