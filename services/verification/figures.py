"""Check the figures of an answer: each stands in a source of its paragraph, is the user's own, or is worked out."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from language.current import say
from language.folding import fold
from language.quantities import DATE, BareNumber, Quantity, bare_numbers, kinds_of_days, quantities
from language.spanish import stems
from services.verification.computations import Computation, computations, follows
from services.verification.quoted_spans import quotations_in
from services.verification.reading import LEAST_QUOTED, ReadAnswer, Sentence
from services.verification.sources import Source
from state.verification import Finding

_SUPPOSED = re.compile(
    r"\b(?:por ejemplo|p\.\s?ej|a modo de ejemplo|en un ejemplo|supon\w*|pongamos|imagina\w*|pon que"
    r"|si (?:cobras|ganas|has|llevas|tienes))\b"
)
"""How an example begins, whose figures are of nobody's law."""
_COMPARABLE = ("day", "week", "month", "hour", "minute")
"""Units of time: a figure with another one of them is told as a wrong unit."""


def figure_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the figures that the sources of their paragraph do not have; those of quotations are left to their check.

    A figure of the user's own needs no source, nor does what follows from one: "33 días × 4 años = 132 días". What is
    worked out on the page is worked out again.
    """
    own = quantities(answer.question)
    quoted = [(each.start, each.end) for each in quotations_in(answer.text) if each.length >= LEAST_QUOTED]
    findings: list[Finding] = []
    worked_out: list[Quantity] = []
    for sentence in answer.sentences:
        sums = computations(sentence.text)
        worked_out += [each.result for each in sums if each.is_right]
        findings += [_wrong_sum(sentence, each) for each in sums if not each.is_right]
        example = _example_at(fold(sentence.text))
        results = {each.result.start for each in sums}
        sources = answer.of_paragraph(sentence.paragraph)
        for quantity in _out_of_row(quantities(sentence.text), sources):
            findings.append(
                _told(sentence, quantity, "row", say("verify.figure_row", where=_where(sentence, quantity)))
            )
        for quantity in quantities(sentence.text):
            start = sentence.start + quantity.start
            if (
                quantity.start in results
                or quantity.start >= example
                or any(begin <= start < end for begin, end in quoted)
            ):
                continue
            if finding := _unsupported(answer, sentence, quantity, own, worked_out):
                findings.append(finding)
    return findings


def _unsupported(
    answer: ReadAnswer, sentence: Sentence, quantity: Quantity, own: Sequence[Quantity], worked_out: Sequence[Quantity]
) -> Finding | None:
    """Return what is wrong with a figure; ``None`` where it stands somewhere that it may."""
    sources = answer.of_paragraph(sentence.paragraph)
    given = [known for source in sources for known in quantities(source.everything)]
    if quantity.is_count and not any(known.unit == quantity.unit for known in given):
        return None  # Things that the sources do not count are counted by the answer itself.
    if quantity.value in {number.value for number in bare_numbers(answer.question)}:
        return None  # "Somos 300": the user's own, without its unit.
    if _stands_in(quantity, sources) or any(_same(quantity, known) for known in (*own, *worked_out)):
        return None
    if follows(quantity, own, [*given, *worked_out]):
        return None
    where = _where(sentence, quantity)
    nearest = _nearest(sentence, quantity, sources)
    evidence, mark = (nearest[0], nearest[1].mark) if nearest else ("", "")
    others = [source for source in answer.sources if source not in sources]
    elsewhere = next((source for source in others if _stands_in(quantity, [source])), None)
    if any(known.value == quantity.value and _unit_is_wrong(known, quantity) for known in given) or _of_another_time(
        quantity, sources
    ):
        kind, message = "unit", say("verify.figure_unit", where=where, evidence=evidence)
    elif elsewhere:
        place = f"{elsewhere.provision}, {elsewhere.law_name}"
        kind, message = "other_source", say("verify.figure_elsewhere", where=where, place=place)
    else:
        kind, message = "unsupported", say("verify.figure_unsupported", where=where)
        message += say("verify.figure_nearest", evidence=evidence) if evidence else ""
    return _told(sentence, quantity, kind, message, mark, evidence)


def _where(sentence: Sentence, quantity: Quantity) -> str:
    return sentence.text[quantity.start : _end(quantity)]


def _end(quantity: Quantity) -> int:
    return max(quantity.end, quantity.per_end)


def _told(
    sentence: Sentence, quantity: Quantity, kind: str, message: str, mark: str = "", evidence: str = ""
) -> Finding:
    """Return what is wrong with a figure of a sentence."""
    return {
        "check": "figure",
        "kind": kind,
        "severity": "error",
        "where": _where(sentence, quantity),
        "start": sentence.start + quantity.start,
        "end": sentence.start + _end(quantity),
        "message": message,
        "mark": mark,
        "evidence": evidence,
    }


def _of_another_time(quantity: Quantity, sources: Sequence[Source]) -> bool:
    """Tell whether sources have a number for another time than a figure says ("ochenta al año")."""
    numbers = (number for source in sources for number in bare_numbers(source.everything))
    return any(
        number.per and quantity.per not in ("", number.per) for number in numbers if number.value == quantity.value
    )


def _example_at(folded: str) -> int:
    """Return where the part of a sentence begins that is an example, or its end: those figures are of nobody's law."""
    cue = _SUPPOSED.search(folded)
    return max(folded.rfind(stop, 0, cue.start()) for stop in (";", ":", "(", "—")) + 1 if cue else len(folded)


def _stands_in(quantity: Quantity, sources: Sequence[Source]) -> bool:
    """Tell whether sources have a figure.

    Of days of a kind, a source that counts those days without a kind beside the number must say somewhere how it does.
    A number without a unit ("ochenta al año", a cell of a table) may be of any, but not of a kind of days.
    """
    for source in sources:
        same = [known for known in quantities(source.everything) if _same(quantity, known)]
        if quantity.per and any(known.per for known in same):
            # Where the source says of which time it is, it is of that one.
            same = [known for known in same if known.per in ("", quantity.per)]
            if not same:
                continue
        if not quantity.kind or any(known.kind == quantity.kind for known in same):
            if same or (not quantity.kind and _as_written(quantity, source)):
                return True
        elif any(not known.kind for known in same) and quantity.kind in kinds_of_days(source.everything):
            return True
    return False


def _as_written(quantity: Quantity, source: Source) -> list[BareNumber]:
    """Return the bare numbers of a source that a quantity may be; years are counted in months."""
    times = (1, 12) if quantity.unit == "month" else (1,)
    return [
        number
        for number in bare_numbers(source.everything)
        if quantity.value in [number.value * each for each in times]
        and quantity.per in ("", number.per or quantity.per)
    ]


def _out_of_row(figures: Sequence[Quantity], sources: Sequence[Source]) -> list[Quantity]:
    """Return the figures of a sentence that stand in no row of a table in which another one of them stands."""
    rows: dict[Quantity, set[tuple[int, int]]] = {}
    for quantity in figures:
        if any(_same(quantity, known) for source in sources for known in quantities(source.everything)):
            continue
        cells = [(source.number, cell.row) for source in sources for cell in _as_written(quantity, source)]
        if cells and all(row is not None for _, row in cells):
            rows[quantity] = {(number, row) for number, row in cells if row is not None}
    return [
        quantity
        for quantity, own in rows.items()
        if len(rows) > 2 and not any(own & other for each, other in rows.items() if each is not quantity)
    ]


def _same(one: Quantity, other: Quantity) -> bool:
    """Tell whether two figures are the same, whichever days are counted; a day without a year is that of any."""
    if one.unit != other.unit:
        return False
    if one.unit == DATE:
        return one.value == other.value or (
            min(one.value, other.value) < 10_000 and (one.value - other.value) % 10_000 == 0
        )
    # Shares are written to different decimals: 66,67 % and two thirds.
    return abs(one.value - other.value) <= (Decimal("0.34") if one.unit == "percent" and one.value % 1 else 0)


def _unit_is_wrong(known: Quantity, quantity: Quantity) -> bool:
    if known.unit == quantity.unit:
        return known.kind != quantity.kind or bool(known.per and quantity.per and known.per != quantity.per)
    return not quantity.is_count and (known.unit in _COMPARABLE or quantity.unit not in _COMPARABLE)


def _nearest(sentence: Sentence, quantity: Quantity, sources: Iterable[Source]) -> tuple[str, Source] | None:
    """Return the figure of the same unit, or else the same number, in the words most like those of the sentence."""
    wanted = set(stems(sentence.text))
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


def _wrong_sum(sentence: Sentence, each: Computation) -> Finding:
    right = f"{each.value.quantize(Decimal('0.01')):f}".rstrip("0").rstrip(".").replace(".", ",")
    message = say("verify.figure_computation", expression=each.written, right=right)
    return _told(sentence, each.result, "computation", message, evidence=right)
