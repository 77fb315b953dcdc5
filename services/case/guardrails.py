"""Guardrails: what an answer may not say is searched in each of its items, and taken out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from language.amounts import MULTIPLE, NUMBER, parse_number
from language.folding import letters_and_digits
from language.languages import Language
from services.case.items import kept
from services.case.schema import Answer, GuardrailBroken
from state.articles import Guard, details_of
from state.case import Guardrails, Violation
from state.chunks import Chunk

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
    """A value, and what it counts: ``money``, ``percent``, ``time``, or nothing that is known (empty)."""

    value: Decimal
    kind: str
    written: str


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures of a text, in order; numbers in words are none."""
    for found in _FIGURE.finditer(text):
        value = parse_number(found["digits"], found["fraction"], (found["multiple"] or "").casefold().replace("ó", "o"))
        if value is not None:
            money = found["money"] or found["money_after"]
            kind = "money" if money else "percent" if found["percent"] else "time" if found["time"] else ""
            yield Figure(value, kind, found[0].strip())


FIGURES = "figures"
"""The guardrail that every context has: no figure that nobody gave."""

_CLAUSE = re.compile(r"[.,;:!?()]|\b(?:but|because|since|so|pero|porque|así que|sino)\b", re.IGNORECASE)
"""What parts the clauses of a sentence: a negation does not reach over it."""
SMALL = 12
"""Bare numbers up to it count steps and copies: they are no figures."""
MIN_CONFESSED = 8
"""Letters and digits from which words that an author reports are looked for inside an item."""


@dataclass(frozen=True)
class Checked:
    """An answer without what breaks a guardrail, and the account of it."""

    answer: Answer
    guardrails: Guardrails


def guards_of(chunks: Iterable[Chunk]) -> list[Guard]:
    """Return the guardrails of a context, each once."""
    found: list[Guard] = []
    for chunk in chunks:
        found += [guard for guard in details_of(chunk).get("guards", []) if guard not in found]
    return found


def check(
    answer: Answer, guards: Sequence[Guard], given: str, confessed: Sequence[GuardrailBroken], language: Language
) -> Checked:
    """Search topics and items of an answer for what each guardrail forbids; what breaks one is removed, and reported.

    ``given`` is all that a figure may come from: context, inquiry, collected data. ``confessed`` is what the author
    itself says it has broken; words of it that are nowhere in the answer are reported with nothing removed.
    """
    known = list(figures(given))
    patterns = [(guard, [re.compile(one, re.IGNORECASE) for one in guard["violated_by"]]) for guard in guards]
    rules = {guard["id"]: guard["rule"] for guard in guards}
    violated: list[Violation] = []
    found: set[int] = set()

    def breaks(item: str) -> bool:
        broken = [
            (guard["id"], guard["rule"]) for guard, ways in patterns if any(_says(way, item, language) for way in ways)
        ]
        for place, one in enumerate(confessed):
            if _is_of(one.text, item):
                found.add(place)
                broken.append((one.guardrail, rules.get(one.guardrail, one.guardrail)))
        if invented := _invented(item, known):
            broken.append((FIGURES, language.say("case_invented_figure", figure=invented)))
        violated.extend({"guardrail": name, "rule": rule, "removed": item} for name, rule in dict.fromkeys(broken))
        return bool(broken)

    left = kept(answer, breaks, neutral_topic=language.say("case_topic"))
    violated += [
        {"guardrail": one.guardrail, "rule": rules.get(one.guardrail, one.guardrail), "removed": ""}
        for place, one in enumerate(confessed)
        if place not in found
    ]
    return Checked(left, {"checked": len(guards) + 1, "violated": violated})


def _says(forbidden: re.Pattern[str], item: str, language: Language) -> bool:
    """Tell whether an item says what is forbidden: not where its clause denies it ("nobody can promise that …")."""
    return any(
        not language.query_patterns.negation.search(_CLAUSE.split(item[: found.start()])[-1])
        for found in forbidden.finditer(item)
    )


def _is_of(confessed: str, item: str) -> bool:
    """Tell whether words that were reported are those of an item, or among them, or it among them."""
    one, other = letters_and_digits(confessed), letters_and_digits(item)
    short = min(one, other, key=len)
    return one == other or (len(short) >= MIN_CONFESSED and (one in other or other in one))


def _invented(item: str, known: Sequence[Figure]) -> str:
    """Return the first figure of an item that was not given; empty where all were."""
    for figure in figures(item):
        is_small = not figure.kind and figure.value <= SMALL and figure.value == int(figure.value)
        if not is_small and not any(_same(figure, one) for one in known):
            return figure.written
    return ""


def _same(one: Figure, other: Figure) -> bool:
    """Tell whether two figures may be the same: one value, and no two kinds of it."""
    return one.value == other.value and (one.kind == other.kind or not one.kind or not other.kind)
