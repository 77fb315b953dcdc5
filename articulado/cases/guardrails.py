"""Guardrails of an answer: remove the items that break a rule of the article or invent a figure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from articulado.cases.author import Answer, GuardrailBroken
from articulado.cases.budget import without_items
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.language.numerals import MULTIPLE, NUMBER, parse_number
from articulado.values.cases import Guard, Guardrails, Violation, details_of
from articulado.values.chunks import Chunk

FIGURES_GUARDRAIL = "figures"

_CLAUSE = re.compile(r"[.,;:!?()]|\b(?:but|because|since|so|pero|porque|así que|sino)\b", re.IGNORECASE)

MAX_COUNT = 12
"""Largest bare integer that needs no source: it counts steps or copies."""

MIN_REPORTED_LENGTH = 8

_MONEY = r"[$€£]|usd|eur(?:os?)?|dollars?|d[oó]lares"
_PERCENT = r"%|per\s?cent|por ciento"
_TIME = (
    r"(?:business |calendar |working |full )?(?:days?|weeks?|months?|years?|hours?)"
    r"|d[ií]as?|semanas?|mes(?:es)?|años?|horas?"
)
_FIGURE = re.compile(
    rf"(?P<money>[$€£]|\b(?:usd|eur))?\s?(?<!\d)(?<!\d[.,]){NUMBER}{MULTIPLE}"
    rf"(?:[\s-]?(?:(?P<money_after>{_MONEY})|(?P<percent>{_PERCENT})|(?P<time>(?:{_TIME})\b)))?",
    re.IGNORECASE,
)


class Figure(NamedTuple):
    """A value with its kind: ``money``, ``percent``, ``time``, or empty if its unit is unknown."""

    value: Decimal
    kind: str
    written: str


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text in order, without numbers in words.

    >>> [(float(figure.value), figure.kind) for figure in figures("Pay $1,500 within 30 days.")]
    [(1500.0, 'money'), (30.0, 'time')]
    """
    for match in _FIGURE.finditer(text):
        value = parse_number(match["digits"], match["fraction"], (match["multiple"] or "").casefold().replace("ó", "o"))
        if value is not None:
            money = match["money"] or match["money_after"]
            kind = "money" if money else "percent" if match["percent"] else "time" if match["time"] else ""
            yield Figure(value, kind, match[0].strip())


@dataclass(frozen=True)
class Checked:
    """An answer without the items that break a guardrail, and the report of the removed items."""

    answer: Answer
    guardrails: Guardrails


def guards_of(chunks: Iterable[Chunk]) -> list[Guard]:
    """Return the guardrails of a context, each once."""
    guards: list[Guard] = []
    for chunk in chunks:
        guards += [guard for guard in details_of(chunk).get("guards", []) if guard not in guards]
    return guards


def check(
    answer: Answer,
    guards: Sequence[Guard],
    source_text: str,
    self_reported: Sequence[GuardrailBroken],
    language: Language,
) -> Checked:
    """Remove the topics and items of an answer that break a guardrail, and report each.

    A figure may come from ``source_text``: context, inquiry, collected data. ``self_reported`` are the author's
    reports.
    """
    known_figures = list(figures(source_text))
    patterns = [(guard, [re.compile(pattern, re.IGNORECASE) for pattern in guard["violated_by"]]) for guard in guards]
    rules = {guard["id"]: guard["rule"] for guard in guards}
    violated: list[Violation] = []
    matched: set[int] = set()

    def breaks(item: str) -> bool:
        broken = [
            (guard["id"], guard["rule"])
            for guard, forbidden in patterns
            if any(_asserts(pattern, item, language) for pattern in forbidden)
        ]
        for index, report in enumerate(self_reported):
            if _overlaps(report.text, item):
                matched.add(index)
                broken.append((report.guardrail, rules.get(report.guardrail, report.guardrail)))
        if invented := _invented_figure(item, known_figures):
            broken.append((FIGURES_GUARDRAIL, language.translate("case_invented_figure", figure=invented)))
        violated.extend({"guardrail": name, "rule": rule, "removed": item} for name, rule in dict.fromkeys(broken))
        return bool(broken)

    remaining = without_items(answer, breaks, neutral_topic=language.translate("case_topic"))
    violated += [
        {"guardrail": report.guardrail, "rule": rules.get(report.guardrail, report.guardrail), "removed": ""}
        for index, report in enumerate(self_reported)
        if index not in matched
    ]
    return Checked(remaining, {"checked": len(guards) + 1, "violated": violated})


def _asserts(forbidden: re.Pattern[str], item: str, language: Language) -> bool:
    """Return True unless the clause of a match denies it ("nobody can promise that …")."""
    return any(
        not language.query_patterns.negation.search(_CLAUSE.split(item[: match.start()])[-1])
        for match in forbidden.finditer(item)
    )


def _overlaps(reported: str, item: str) -> bool:
    reported_key, item_key = letters_and_digits(reported), letters_and_digits(item)
    short = min(reported_key, item_key, key=len)
    return reported_key == item_key or (
        len(short) >= MIN_REPORTED_LENGTH and (reported_key in item_key or item_key in reported_key)
    )


def _invented_figure(item: str, sources: Sequence[Figure]) -> str:
    for figure in figures(item):
        is_small = not figure.kind and figure.value <= MAX_COUNT and figure.value == int(figure.value)
        if not is_small and not any(_may_be_same(figure, source) for source in sources):
            return figure.written
    return ""


def _may_be_same(first: Figure, second: Figure) -> bool:
    return first.value == second.value and (first.kind == second.kind or not first.kind or not second.kind)
