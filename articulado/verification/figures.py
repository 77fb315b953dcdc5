"""Check the figures of an answer: each must be in a source or in the conversation, or follow from those by arithmetic.

Only certain errors are reported. Quoted figures (``quotations``), examples, ordinals and clock times are not checked.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from articulado.language.folding import fold
from articulado.language.numerals import ORDINAL_STEMS
from articulado.language.quantities import DATE, Quantity, bare_numbers, quantities
from articulado.language.translation import translate
from articulado.values.findings import Finding
from articulado.verification.computations import (
    Calendar,
    Computation,
    bare_quantities,
    compounds,
    computations,
    dates_in,
    day_of,
    whole_durations,
    with_numbers,
)
from articulado.verification.derivations import Values, tolerance_of
from articulado.verification.quoted_text import quotations_in
from articulado.verification.reading import LEAST_QUOTED, ReadAnswer, Sentence
from articulado.verification.sources import (
    UNITS_OF_TIME,
    is_known_factor,
    is_same,
    make_finding,
    nearest_figure,
    of_another_time,
    stands_in,
    unit_is_wrong,
)

_SUPPOSED = re.compile(
    r"\b(?:ejemplo|p\.\s?ej|a modo de ejemplo|en un ejemplo|supong\w*|suponiendo|supon que|pongamos|imagina\w*|pon que"
    r"|si (?:cobras|cobraste|ganas|has|llevas|tienes)|(?:con|para|sobre) una? (?:base|salario|sueldo) de)\b"
)
_EXAMPLE_HEADING = re.compile(r"\W*(?:un |el )?ejemplos?\b[^.]{0,80}$")
_GIVEN = re.compile(r"\b(?:para|con|si son|sobre)\s(?:un[oa]s?\s)?$")
_ORDINAL = re.compile(rf"dias?\s\d|\d{{1,3}}\.?\s?[ºª]|[a-z]*(?:{'|'.join(ORDINAL_STEMS)}|ecim|esim)[oa]?\s")
_CLOCK = re.compile(r"(?:\d:|\b(?:a|de|hasta|desde) las?\s)$")
_ROUGH = re.compile(r"(?:≈|≃|~|\b(?:un[oa]s|aprox\w*|alrededor de|cerca de|casi|en torno a)\b)[^.;\d]{0,12}$")
_COMBINED = re.compile(
    r"\b(?:totals?|totales|suma\w*|en conjunto|quedan?|quedaria\w*|faltan?|restan?|restantes?|resto|pendientes?"
    r"|diferencia|exceso|de mas|acumulad\w*|reduc\w*|rebaj\w*|descuent\w*|pierd\w*)\b|[+−=]|\s[-–]\s"
)
_TO_SHARE = re.compile(r",?\s(?:al?|hasta|y)\s(?:el\s)?\d")
_MOST_OWN = 3  # Values of the question with which a sum of any length may be reckoned.
_IF = re.compile(r"\bsi\b[^.;:]*$")
_RANGE = re.compile(r"\bdel (\d\d?) al (\d\d?)\b")
_COMMON_YEAR = 2025  # No leap year; the year of days without one if none is known.
_PERIOD_DAYS = (28, 29, 30, 31, 360, 365, 366)
_PERIOD_OF = re.compile(r"(?:\b(?:mes(?:es)?|anos?)\s(?:natural\s)?de\s|[/÷:]\s?|\bentre\s(?:los\s)?)$")
_ROUNDS = 4  # Steps of a chain of results that is followed over the whole answer.


def figure_findings(answer: ReadAnswer) -> list[Finding]:
    """Return the figures without any source or derivation, and the wrong computations."""
    return _Check(answer).findings()


def figures_of_law(answer: ReadAnswer, sentence: Sentence) -> list[Quantity]:
    """Return the figures of a sentence except quoted ones, computed ones and those of examples."""
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


class _Check:
    def __init__(self, answer: ReadAnswer) -> None:
        self._answer = answer
        said = "\n".join(filter(None, (answer.question, answer.conversation)))
        self._said_numbers = {number.value for number in bare_numbers(said)}
        self._own_words = with_numbers(answer.question)
        self._said = [each for each in with_numbers(said) if each.unit != "#" or each.value > 1]
        texts = [source.everything for source in answer.sources]
        self._law = [known for text in texts for known in (*quantities(text), *whole_durations(text))]
        self._sums = [computations(sentence.text) for sentence in answer.sentences]
        results = [each.result for sums in self._sums for each in sums if each.is_right]
        self._worked_out = results
        self._lines = [answer.text.count("\n", 0, sentence.start) for sentence in answer.sentences]
        self._written = [
            (number, Quantity(value, "#", "", 0, 0))
            for number, sums in enumerate(self._sums)
            for each in sums
            if each.is_right
            for value in (*sorted(each.operands), each.value)
        ]
        for sentence in answer.sentences:
            begin = _example_at(fold(sentence.text))
            self._said += [each for each in quantities(sentence.text) if each.start >= begin]
        self._has_pay = any(each.unit == "euro" or (each.unit == "#" and each.value >= 100) for each in self._said)
        self._accepted: dict[int, list[Quantity]] = {}
        self._derived: dict[int, list[Quantity]] = {}

    def findings(self) -> list[Finding]:
        waiting = self._not_direct()
        for _ in range(_ROUNDS):
            if not waiting:
                break
            left = [(number, figure) for number, figure in waiting if not self._follows(number, figure)]
            if len(left) == len(waiting):
                break
            waiting = left
        findings = [self._unsupported(self._answer.sentences[number], figure) for number, figure in waiting]
        if any(self._sums):
            values = self._values()
            for number, sums in enumerate(self._sums):
                sentence = self._answer.sentences[number]
                findings += [_wrong_sum(sentence, each) for each in sums if self._is_wrong(sentence.text, each)]
                findings += self._unknown_factors(values, sentence, sums)
        return sorted(findings, key=lambda finding: finding["start"])

    def _not_direct(self) -> list[tuple[int, Quantity]]:
        """Accept the figures found in sources or conversation; return the others by sentence number."""
        waiting = []
        supposed = _paragraphs_of_examples(self._answer.sentences)
        for number, sentence in enumerate(self._answer.sentences):
            if sentence.paragraph in supposed:
                self._said += quantities(sentence.text)
                continue
            for figure in figures_of_law(self._answer, sentence):
                if _is_unsettled(sentence.text, figure):
                    continue
                if self._is_given(figure, number) or stands_in(figure, self._answer.sources):
                    self._accepted.setdefault(number, []).append(figure)
                    self._written.append((number, figure))
                else:
                    waiting.append((number, figure))
        return waiting

    def _is_given(self, figure: Quantity, number: int) -> bool:
        if figure.is_count and not any(known.unit == figure.unit for known in self._law):
            return True  # Things that the sources do not count are counted by the answer itself.
        if figure.value in self._said_numbers or any(is_same(figure, known) for known in self._said):
            return True
        before = fold(self._answer.sentences[number].text)[: figure.start]
        if figure.unit == DATE and (
            _IF.search(before)
            or any(figure.value in (n, n % 10_000) for n in (int(f"{day:%Y%m%d}") for day in self._answer.days))
        ):
            return True
        if any(is_same(figure, known) for known in self._worked_out):
            return True
        if figure.unit == "day" and figure.value in _PERIOD_DAYS and _PERIOD_OF.search(before):
            return True
        if figure.unit == "day" and any(int(m[2]) - int(m[1]) + 1 == figure.value for m in _RANGE.finditer(before)):
            return True
        sums = self._sums[number] if figure.unit == "euro" else []
        # A salary that the answer supposes.
        return any(each.is_right and figure.value in each.operands for each in sums)

    def _days(self, values: Iterable[Quantity]) -> set[date]:
        known = dates_in([*self._said, *(each for _, each in self._written)])
        years = {int(each.value) // 10_000 for each in known if each.value >= 10_000}
        years |= {day.year for day in self._answer.days}
        years |= {int(each.value) for each in self._said if each.unit == "#" and 1950 <= each.value <= 2100}
        return {day for each in dates_in(values) for day in day_of(each, years or [_COMMON_YEAR])}

    def _calendar(self) -> Calendar:
        said = self._days(self._said)
        page = self._days([*self._worked_out, *(each for _, each in self._written)])
        return Calendar(said, [*self._answer.days, *sorted(page)])

    def _follows(self, number: int, figure: Quantity) -> bool:
        """Return True if a figure follows from known values; add it to them if it does."""
        sentence = self._answer.sentences[number]
        folded = fold(sentence.text)
        rough = _ROUGH.search(folded, 0, figure.start) is not None
        if (figure.kind or figure.per) and any(
            is_same(figure, known) and unit_is_wrong(known, figure) for known in self._law
        ):
            return not figure.per and self._calendar().is_span(float(figure.value), figure.unit, 0, figure.kind)
        if figure.unit == "euro" and self._is_beyond:
            follows = True
        elif figure.unit == DATE:
            follows = self._is_reached(figure)
        else:
            whole = next(
                (each for each in compounds(sentence.text, quantities(sentence.text)) if figure in each.parts), None
            )
            near = self._near(number, figure)
            is_rule = figure.unit in (*UNITS_OF_TIME, "percent", "times") and not figure.value % 1
            values = self._values(number, is_rule=is_rule)
            combined = _COMBINED.search(folded) is not None
            follows = values.give(figure, near, rough=rough, combined=combined)
            if whole and not follows:
                months = replace(figure, value=whole.months, unit="month")
                follows = any(is_same(months, known) for known in (*self._said, *self._law)) or values.give(
                    months, near, rough=rough, combined=combined
                )
        if follows:
            self._accepted.setdefault(number, []).append(figure)
            self._worked_out.append(figure)
            self._derived.setdefault(number, []).append(figure)
        return follows

    def _is_reached(self, figure: Quantity) -> bool:
        durations = [*self._said, *self._law, *self._worked_out]
        days = {
            float(each.value) * (7 if each.unit == "week" else 1) for each in durations if each.unit in ("day", "week")
        }
        months = {float(each.value) for each in durations if each.unit == "month"}
        calendar = self._calendar()
        if dates_in(self._said):
            # The day before or after one of the law begins or ends a part of the user's time.
            law = self._days(self._law)
            if any(abs((day - other).days) == 1 for day in self._days([figure]) for other in law):
                return True
        return any(calendar.is_reached(day, days, months) for day in self._days([figure]))

    def _near(self, number: int, figure: Quantity) -> list[Quantity]:
        sentences = self._answer.sentences
        before = next(
            (n for n in range(number - 1, -1, -1) if n in self._accepted or bare_quantities(sentences[n].text)), number
        )
        near: list[Quantity] = []
        for each in dict.fromkeys((before, number)):
            near += self._accepted.get(each, [])
            bare = bare_quantities(sentences[each].text)
            near += [value for value in bare if each != number or not figure.start <= value.start < figure.end]
        return near

    def _values(self, number: int | None = None, *, is_rule: bool = False) -> Values:
        last = number if is_rule and number is not None else len(self._sums)
        worked_out = [each.result for sums in self._sums[: last + 1] for each in sums if each.is_right]
        worked_out += [each for place, derived in self._derived.items() if place <= last for each in derived]
        line = None if number is None else self._lines[number]
        written = [each for place, each in self._written if line in (None, self._lines[place])]
        return Values(self._said, worked_out, written, self._law, self._calendar())

    @property
    def _is_beyond(self) -> bool:
        """Return True if the user gives so many values that an amount may take more steps than are searched."""
        return self._has_pay and len(self._own_words) > _MOST_OWN

    def _is_wrong(self, text: str, each: Computation) -> bool:
        before = [known for known in with_numbers(text) if known.end <= each.start]
        slack = Decimal(tolerance_of(each.result.value)) + abs(each.result.value) / 2000
        factors = [known.value / (100 if known.unit == "percent" else 1) for known in (*self._said, *before)]
        return not each.is_right and all(abs(each.value * times - each.result.value) > slack for times in factors)

    def _unknown_factors(self, values: Values, sentence: Sentence, sums: Iterable[Computation]) -> list[Finding]:
        """Return the computations with an unknown decimal coefficient ("200 × 1,6")."""
        given = {each.value for each in (*self._said, *self._law, *self._worked_out)} | self._said_numbers
        given |= {number.value for source in self._answer.sources for number in bare_numbers(source.everything)}
        findings = []
        for each in sums:
            for value in each.operands:
                if not value % 1 or is_known_factor(value, given) or values.give_factor(value):
                    continue
                if any(figure.value == value and figure.unit == "euro" for figure in quantities(sentence.text)):
                    continue  # An amount is checked by itself.
                span = each.start, each.start + len(sentence.text[each.start : each.end].strip())
                message = translate("verify.figure_unsupported", where=f"{value:f}".replace(".", ","))
                findings.append(
                    make_finding("figure", "unsupported", sentence.text, span, message, offset=sentence.start)
                )
                break
        return findings

    def _unsupported(self, sentence: Sentence, quantity: Quantity) -> Finding:
        where = figure_text(sentence, quantity)
        nearest = nearest_figure(sentence.text, quantity, [*self._answer.of_sentence(sentence), *self._answer.sources])
        evidence, mark = (nearest[0], nearest[1].mark) if nearest else ("", "")
        if any(known.value == quantity.value and unit_is_wrong(known, quantity) for known in self._law) or (
            of_another_time(quantity, self._answer.sources)
        ):
            kind, message = "unit", translate("verify.figure_unit", where=where, evidence=evidence)
        else:
            kind, message = "unsupported", translate("verify.figure_unsupported", where=where)
            message += translate("verify.figure_nearest", evidence=evidence) if evidence else ""
        return finding_on_figure(sentence, quantity, kind, message, evidence, mark)


def _is_unsettled(text: str, figure: Quantity) -> bool:
    """Return True for an ordinal, a clock time, or a number before a share ("del 4 al 20, el 60 %")."""
    folded = fold(text)
    if figure.unit == "percent" and _TO_SHARE.match(folded, figure.end) and folded[figure.end - 1].isdigit():
        return True
    if figure.unit in UNITS_OF_TIME and _ORDINAL.match(folded, figure.start):
        return True
    return figure.unit == "hour" and _CLOCK.search(folded[: figure.start]) is not None


def _paragraphs_of_examples(sentences: Sequence[Sentence]) -> set[int]:
    paragraphs: set[int] = set()
    for sentence in sentences:
        if _EXAMPLE_HEADING.match(fold(sentence.text)) and not quantities(sentence.text):
            paragraphs |= {sentence.paragraph, sentence.paragraph + 1}
    return paragraphs


def _is_reckoned_with(text: str, quantity: Quantity, sums: Sequence[Computation]) -> bool:
    if "/" in text[quantity.start : quantity.end]:
        return any(each.start <= quantity.start < each.end for each in sums)
    is_given = _GIVEN.search(fold(text[: quantity.start])) is not None
    return is_given and any(quantity.value in each.operands for each in sums)


def figure_text(sentence: Sentence, figure: Quantity) -> str:
    return sentence.text[figure.start : max(figure.end, figure.per_end)]


def finding_on_figure(
    sentence: Sentence, figure: Quantity, kind: str, message: str, evidence: str = "", mark: str = ""
) -> Finding:
    """Make a finding on a figure of a sentence."""
    span = figure.start, max(figure.end, figure.per_end)
    return make_finding(
        "figure", kind, sentence.text, span, message, offset=sentence.start, mark=mark, evidence=evidence
    )


def _example_at(folded: str) -> int:
    cue = _SUPPOSED.search(folded)
    return max(folded.rfind(stop, 0, cue.start()) for stop in (";", ":", "(", "—")) + 1 if cue else len(folded)


def _wrong_sum(sentence: Sentence, each: Computation) -> Finding:
    right = f"{each.value.quantize(Decimal('0.01')):f}".rstrip("0").rstrip(".").replace(".", ",")
    message = translate("verify.figure_computation", expression=each.written, right=right)
    return finding_on_figure(sentence, each.result, "computation", message, right)
