"""Check the figures of an answer: each must be in a source, given by the user, or computed.

``figure_findings`` compares a figure with the sources of its paragraph and recomputes written computations.
Quoted figures are left to ``articulado.verification.quotations``. Figures of examples are skipped.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import combinations

from articulado.language.folding import fold
from articulado.language.quantities import DATE, BareNumber, Quantity, bare_numbers, kinds_of_days, quantities
from articulado.language.spanish import stems
from articulado.language.translation import translate
from articulado.values.findings import Finding
from articulado.verification.attribution import marks_in
from articulado.verification.computations import Computation, computations, follows
from articulado.verification.quoted_text import quotations_in
from articulado.verification.reading import LEAST_QUOTED, ReadAnswer, Sentence
from articulado.verification.sources import Source

_SUPPOSED = re.compile(
    r"\b(?:ejemplo|p\.\s?ej|a modo de ejemplo|en un ejemplo|supon\w*|pongamos|imagina\w*|pon que"
    r"|si (?:cobras|cobraste|ganas|has|llevas|tienes)|(?:con|para|sobre) una? (?:base|salario|sueldo) de)\b"
)
"""How an example begins, whose figures are of nobody's law."""
_GIVEN = re.compile(r"\b(?:para|con|si son|sobre)\s(?:un[oa]s?\s)?$")
"""What stands before a figure that is only supposed."""
_YEARLY = re.compile(r"\b(?:al (?P<year>ano)|al (?P<month>mes))\b(?! siguiente)")
"""How a law says one year or one month without a number: "prescribirán al año"."""
_COMPARABLE = ("day", "week", "month", "hour", "minute")
"""Units of time: a figure with another one of them is told as a wrong unit."""


def figure_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the figures that the sources of their paragraph do not have; those of quotations are left to their check.

    A figure of the user's own needs no source, nor does what follows from one: "33 días × 4 años = 132 días". What is
    worked out on the page is worked out again.
    """
    own = quantities(answer.question)
    findings: list[Finding] = []
    sums_of = [computations(sentence.text) for sentence in answer.sentences]
    worked_out = [each.result for sums in sums_of for each in sums if each.is_right]
    for sentence, sums in zip(answer.sentences, sums_of, strict=True):
        findings += [_wrong_sum(sentence, each) for each in sums if not each.is_right]
        findings += _unknown_factors(answer, sentence, sums, worked_out)
        sources = answer.of_paragraph(sentence.paragraph)
        for quantity in _out_of_row(quantities(sentence.text), sources):
            findings.append(
                _told(sentence, quantity, "row", translate("verify.figure_row", where=_where(sentence, quantity)))
            )
        for quantity in figures_of_law(answer, sentence):
            if finding := _unsupported(answer, sentence, quantity, own, worked_out):
                findings.append(finding)
    return findings


def figures_of_law(answer: ReadAnswer, sentence: Sentence) -> list[Quantity]:
    """Return the figures of a sentence but those that are quoted, worked out or of an example."""
    quoted = [(each.start, each.end) for each in quotations_in(answer.text) if each.length >= LEAST_QUOTED]
    sums = computations(sentence.text)
    results = {each.result.start for each in sums}
    example = _example_at(fold(sentence.text))
    return [
        quantity
        for quantity in quantities(sentence.text)
        if quantity.start not in results
        and not _is_reckoned_with(sentence.text, quantity, sums)
        and quantity.start < example
        and not any(begin <= sentence.start + quantity.start < end for begin, end in quoted)
    ]


def _is_reckoned_with(text: str, quantity: Quantity, sums: Sequence[Computation]) -> bool:
    """Tell whether a figure is one of a computation alone: "648 € × 8/12", "para 12 días serían 366 / 30 × 12"."""
    if "/" in text[quantity.start : quantity.end]:
        return any(each.start <= quantity.start < each.end for each in sums)
    is_given = _GIVEN.search(fold(text[: quantity.start])) is not None
    return is_given and any(quantity.value in each.operands for each in sums)


def _unsupported(
    answer: ReadAnswer, sentence: Sentence, quantity: Quantity, own: Sequence[Quantity], worked_out: Sequence[Quantity]
) -> Finding | None:
    """Return what is wrong with a figure; ``None`` where it stands somewhere that it may."""
    sources = _sources_of(answer, sentence)
    given = [known for source in sources for known in quantities(source.everything)]
    if quantity.is_count and not any(known.unit == quantity.unit for known in given):
        return None  # Things that the sources do not count are counted by the answer itself.
    if quantity.value in {number.value for number in bare_numbers(answer.question)}:
        return None  # "Somos 300": the user's own, without its unit.
    if _stands_in(quantity, sources) or any(is_same(quantity, known) for known in (*own, *worked_out)):
        return None
    is_counted_otherwise = any(is_same(quantity, known) and _unit_is_wrong(known, quantity) for known in given)
    if not is_counted_otherwise and follows(quantity, own, [*given, *worked_out]):
        return None
    if _is_rest(quantity, sentence, given) or _is_sum(quantity, worked_out):
        return None
    where = _where(sentence, quantity)
    nearest = _nearest(sentence, quantity, sources)
    evidence, mark = (nearest[0], nearest[1].mark) if nearest else ("", "")
    others = [source for source in answer.sources if source not in sources]
    if _has_dangling(answer, sentence) and _stands_in(quantity, others):
        return None  # Its marker is told already.
    elsewhere = next((source for source in others if _stands_in(quantity, [source])), None)
    if any(known.value == quantity.value and _unit_is_wrong(known, quantity) for known in given) or _of_another_time(
        quantity, sources
    ):
        kind, message = "unit", translate("verify.figure_unit", where=where, evidence=evidence)
    elif elsewhere:
        place = f"{elsewhere.provision}, {elsewhere.law_name}"
        kind, message = "other_source", translate("verify.figure_elsewhere", where=where, place=place)
    else:
        kind, message = "unsupported", translate("verify.figure_unsupported", where=where)
        message += translate("verify.figure_nearest", evidence=evidence) if evidence else ""
    return _told(sentence, quantity, kind, message, mark, evidence)


def _is_rest(quantity: Quantity, sentence: Sentence, given: Iterable[Quantity]) -> bool:
    """Tell whether a share is what another one leaves, in a computation ("una reducción del 95 %: 43,20 × 5 %")."""
    if quantity.unit != "percent" or not computations(sentence.text):
        return False
    return any(known.unit == "percent" and known.value + quantity.value == 100 for known in given)


def _is_sum(quantity: Quantity, worked_out: Sequence[Quantity]) -> bool:
    """Tell whether a figure is the sum of all that was worked out before, or of two of it."""
    values = [each.value for each in worked_out if each.unit == quantity.unit]
    pairs = {one + other for one, other in combinations(values, 2)}
    return len(values) > 1 and (quantity.value in pairs or quantity.value == sum(values))


def _sources_of(answer: ReadAnswer, sentence: Sentence) -> list[Source]:
    """Return the sources of the paragraph of a sentence; without a marker or a name it may go on with what came before.

    "Según el artículo 40.1, … La empresa avisa treinta días antes …; el artículo 59.4 le aplica …"
    """
    sources = answer.of_paragraph(sentence.paragraph)
    if sentence.marks or sentence.named:
        return sources
    before = next((s for s in reversed(answer.sentences) if s.end <= sentence.start and (s.marks or s.named)), None)
    return [*sources, *(s for s in answer.of_sentence(before) if s not in sources)] if before else sources


def _has_dangling(answer: ReadAnswer, sentence: Sentence) -> bool:
    return any(not 1 <= n <= len(answer.sources) for _, _, numbers in marks_in(sentence.text) for n in numbers)


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
        elif any(not known.kind for known in same) and quantity.kind in kinds_of_days(source.everything):
            return True
    return False


@lru_cache(maxsize=2048)
def _without_number(text: str) -> frozenset[int]:
    """Return the months that a text names without a number: twelve for "al año"."""
    return frozenset(12 if match["year"] else 1 for match in _YEARLY.finditer(fold(text)))


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
        if any(is_same(quantity, known) for source in sources for known in quantities(source.everything)):
            continue
        cells = [(source.number, cell.row) for source in sources for cell in _as_written(quantity, source)]
        if cells and all(row is not None for _, row in cells):
            rows[quantity] = {(number, row) for number, row in cells if row is not None}
    return [
        quantity
        for quantity, own in rows.items()
        if len(rows) > 2 and not any(own & other for each, other in rows.items() if each is not quantity)
    ]


def is_same(one: Quantity, other: Quantity) -> bool:
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


def _unknown_factors(
    answer: ReadAnswer, sentence: Sentence, sums: Iterable[Computation], worked_out: Sequence[Quantity]
) -> list[Finding]:
    """Return the computations with a coefficient that stands nowhere ("200 × 1,6").

    Whole numbers are not looked at: a year has twelve months, and the user may have said "tres años" in other words.
    """
    sources = answer.of_sentence(sentence)
    texts = [answer.question, *(source.everything for source in sources)]
    given = {quantity.value for text in texts for quantity in quantities(text)}
    given |= {number.value for text in texts for number in bare_numbers(text)} | {each.value for each in worked_out}
    findings = []
    for each in sums:
        unknown = [value for value in each.operands if value % 1 and not _is_known(value, given)]
        if unknown:
            where = sentence.text[each.start : each.end].strip()
            message = translate("verify.figure_unsupported", where=f"{unknown[0]:f}".replace(".", ","))
            finding = _told(sentence, each.result, "unsupported", message)
            start = sentence.start + each.start
            findings.append(Finding({**finding, "where": where, "start": start, "end": start + len(where)}))
    return findings


def _is_known(value: Decimal, given: Collection[Decimal]) -> bool:
    """Tell whether a number is given, or the difference of two that are; a share may be what another one leaves."""
    return value in given or 100 - value in given or any(value + other in given for other in given)


def _wrong_sum(sentence: Sentence, each: Computation) -> Finding:
    right = f"{each.value.quantize(Decimal('0.01')):f}".rstrip("0").rstrip(".").replace(".", ",")
    message = translate("verify.figure_computation", expression=each.written, right=right)
    return _told(sentence, each.result, "computation", message, evidence=right)
