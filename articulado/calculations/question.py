"""Reading of questions into calculations: their kind and their inputs; doubtful inputs are asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np

from articulado.calculations.calendars import seat_in
from articulado.calculations.engine import MOST_ASKED, calculate
from articulado.calculations.fields import FIELDS, InputField
from articulado.calculations.parameters import kinds_named
from articulado.calculations.question_model import QuestionModel, kind_features, meaning_of, mention_features
from articulado.calculations.values import Missing, NotEntitled, Outcome, Refused, Result, Wanted
from articulado.calculations.wordings import CALCULATIONS, calculation_of
from articulado.calculations.written import Calculated
from articulado.encoders.dual import DualEncoder
from articulado.encoders.sentences import SentenceEncoder
from articulado.language.folding import fold, words_of
from articulado.language.translation import translate
from articulado.legal.dates.finder import find_date
from articulado.legal.reading import Mention, joined_months, mentions
from articulado.values.errors import ConfigurationError, InvalidInput

NONE = "none"  # Kind of a question without calculation, and input of a mention that is none
SURE_OF_INPUT, MAY_BE_LEFT, MAY_BE_INPUT = 0.4, 0.1, 0.05
"""Probabilities to take a mention as an input, to use a day or an amount left over, and to fill a missing input."""
SURE_OF_CHOICE, MAY_BE_CHOICE = 0.5, 0.25  # Probabilities to take a choice, and to fill a missing choice
LEAST_USAGE = 0.05  # Assumed share of the questions of a kind that give an input absent from the training questions
OF_NONE = 0.15  # Factor of the probability of being no input: most data of such a question serve the calculation
SURE_OF_CALCULATION, SURE_OF_KIND, SURE_OF_SECOND = 0.4, 0.5, 0.25
"""Probabilities that a question asks for any calculation, for the first kind, and for a second one of another group."""
MOST_TURNS, MOST_WORDS = 4, 14  # earlier turns read; words of a follow-up that only changes a datum
LENGTHS = frozenset(("service_years", "service_months", "service_in_months"))
TODAY_AS_END = "hoy, si no dice otro día"
NEARLY = 0.3  # Share of the weight of the likeliest kind that makes another of its group a rival
SURE_WITHOUT_DATA = 0.8  # Probability from which a question without data asks for a calculation
OF_OUTCOMES = {Missing: 0.5, Refused: 0.25}  # the data fit another kind better
WEIGHED, OF_INPUTS, LEAST_FIT = 5, 0.5, 0.01  # kinds whose inputs are weighed, exponent and minimum of their fit
OF_SHARES = (1, 100)  # Largest values of inputs that are shares: a part, or a percentage
LEAST_AMOUNT = 20
YEARS = range(1990, 2036)
SUITED = {
    "date": ("date",),
    "dates": ("date",),
    "amount": ("amount", "number"),
    "number": ("count", "number", "share"),
    "count": ("count", "number"),
}


@dataclass(frozen=True)
class Request:
    """A calculation that a question asks for, with the inputs given."""

    kind: str
    inputs: Mapping[str, object]
    certainty: float  # probability of the kind
    read: Mapping[str, str] = field(default_factory=dict)  # words of the question by input
    unclear: tuple[str, ...] = ()  # days and amounts that no input takes
    rival: str = ""  # nearly as likely kind with another result

    def outcome(self, law_day: date | None = None) -> Outcome:
        """Work out the calculation; ask for unclear data, since they may count."""
        calculation = CALCULATIONS[self.kind]
        outcome = calculate(calculation, self.inputs, law_day)
        if not (self.unclear or self.rival) or not isinstance(outcome, Result | NotEntitled):
            return outcome
        if self.rival:
            kinds = f"¿Pregunta por «{calculation.title}» o por «{CALCULATIONS[self.rival].title}»?"
            return Missing(
                (Wanted("", kinds, "Dan resultados distintos."),), calculation.general, calculation.provision
            )
        wanted = (Wanted("", f"¿Qué es «{words}» en su caso?", "No sé para qué cuenta.") for words in self.unclear)
        return Missing(tuple(wanted)[:MOST_ASKED], calculation.general, calculation.provision)


@dataclass(frozen=True)
class QuestionReader:
    """Reader of calculations in questions; pass ``mentioned`` if the mentions of the text have been read already."""

    model: QuestionModel
    of_field: DualEncoder
    sentences: SentenceEncoder | None = None

    def kinds(self, text: str, mentioned: Sequence[Mention]) -> dict[str, float]:
        """Return the probability of each kind, and of ``NONE``."""
        features = kind_features(text, mentioned)
        try:
            vector = meaning_of([text], self.of_field, self.sentences)[0]
        except ConfigurationError:  # damaged weights cost certainty, never the answer
            return self.model.read("kinds").probabilities(features, meaning_of([text], self.of_field, None)[0])
        model = self.model.read("kinds" if self.sentences is None else "kinds_with_sentences")
        return model.probabilities(features, vector)

    def read(self, text: str, *, today: date, mentioned: Sequence[Mention] | None = None) -> tuple[Request, ...]:
        """Return the requested calculations, the likeliest first; at most one of each group."""
        mentioned = mentions(text, today=today) if mentioned is None else mentioned
        shares = self.kinds(text, mentioned)
        calculates = 1 - shares.pop(NONE)
        if calculates < SURE_OF_CALCULATION:
            return ()
        without_data = calculates < SURE_WITHOUT_DATA
        shares_of_inputs = self._inputs_of(text, mentioned)
        likely = sorted((kind for kind in shares if kind in CALCULATIONS), key=lambda kind: -shares[kind])[:WEIGHED]
        requests = {
            kind: _ending_today(self.inputs(kind, text, mentioned, shares_of_inputs), text, today) for kind in likely
        }
        weights = {
            kind: shares[kind] * request.certainty**OF_INPUTS * OF_OUTCOMES.get(type(request.outcome()), 1.0)
            for kind, request in requests.items()
        }
        total = sum(weights.values())
        chosen: dict[str, Request] = {}
        ranked = sorted(weights, key=lambda kind: -weights[kind])
        for kind in ranked:
            certainty = weights[kind] / total
            if certainty < (SURE_OF_SECOND if chosen else SURE_OF_KIND):
                break
            group = kind.partition("/")[0]
            if group in chosen:
                continue
            rivals = (other for other in ranked if other != kind and other.partition("/")[0] == group)
            rival = next((other for other in rivals if weights[other] >= NEARLY * weights[kind]), "")
            if rival and _differ(requests[kind], requests[rival]):
                chosen[group] = replace(requests[kind], certainty=certainty, rival=rival)
            else:
                chosen[group] = replace(requests[kind], certainty=certainty)
        return tuple(request for request in chosen.values() if request.read or not without_data)

    def asked(self, text: str, kind: str = "", *, today: date) -> Request | None:
        """Return the likeliest calculation, or the inputs given to one ``kind``; ``None`` if there is none."""
        mentioned = mentions(text, today=today)
        if kind:
            return _ending_today(self.inputs(kind, text, mentioned), text, today)
        return next(iter(self.read(text, today=today, mentioned=mentioned)), None)

    def read_turn(
        self, question: str, earlier: Sequence[str], *, today: date, mentioned: Sequence[Mention] | None = None
    ) -> tuple[Request, ...]:
        """Return the calculations of a follow-up: those of the ``earlier`` turns with its changes."""
        last: tuple[Request, ...] = ()
        for text in (*earlier[-MOST_TURNS:], question):
            named = mentioned if mentioned is not None and text is question else mentions(text, today=today)
            own = self.read(text, today=today, mentioned=named)
            if own and last:
                own = (_continued(last[0], own[0]), *own[1:])
            elif last:
                own = self._changed(last[0], text, named)
            last = own or (last if text is not question else ())
        return last

    def _changed(self, before: Request, text: str, mentioned: Sequence[Mention]) -> tuple[Request, ...]:
        # Each mention of a short follow-up is a datum: it is said for nothing else.
        shares = [
            {name: share for name, share in own.items() if name != NONE} for own in self._inputs_of(text, mentioned)
        ]
        new = self.inputs(before.kind, text, mentioned, shares)
        if not new.read or len(words_of(text)) > MOST_WORDS:
            return ()
        return (_continued(before, new),)

    def _inputs_of(self, text: str, mentioned: Sequence[Mention]) -> list[dict[str, float]]:
        return [
            self.model.read("inputs").probabilities(mention_features(text, mentioned, index), among=_suited(mention))
            for index, mention in enumerate(mentioned)
        ]

    def inputs(
        self, kind: str, text: str, mentioned: Sequence[Mention], shares: Sequence[Mapping[str, float]] | None = None
    ) -> Request:
        """Return the inputs of a kind that a question gives.

        Each mention becomes its likeliest input; mentions left over fill missing inputs. ``certainty`` is the geometric
        mean of the probabilities of the inputs.
        """
        shares, names = self._inputs_of(text, mentioned) if shares is None else shares, CALCULATIONS[kind].fields
        if not any(name.endswith("years") for name in names):
            joined = joined_months(mentioned)
            shares = [{NONE: 1.0} if index + 1 in joined else own for index, own in enumerate(shares)]
            mentioned = [joined.get(index, mention) for index, mention in enumerate(mentioned)]
        used = self.model.usage.get(kind, {})
        usage = {name: max(used.get(name, 0.0), LEAST_USAGE) for name in names}
        pairs: list[tuple[float, int, str]] = []
        for index, own in enumerate(shares):
            none = own.get(NONE, 0.0) * OF_NONE
            taking = {name: share * usage.get(name, 0.0) for name, share in own.items() if name in names}
            total = sum(taking.values()) + none or 1.0
            pairs += [(share / total, index, name) for name, share in taking.items()]
        of_law = _given_by_law(text)
        pairs = sorted((pair for pair in pairs if mentioned[pair[1]].value not in of_law), reverse=True)
        taken: dict[int, str] = {}
        self._take(pairs, taken, SURE_OF_INPUT)
        values = dict(self._choices(names, text))
        if "seat" in names and (seat := seat_in(text)):
            values["seat"] = seat
        outcome = calculate(CALCULATIONS[kind], values | _values(taken, mentioned))
        if isinstance(outcome, Missing):
            lacking = {wanted.field for wanted in outcome.fields}
            groups = {FIELDS[name].group for name in lacking if name} - {""}
            lacking |= {name for name in names if FIELDS[name].group in groups}
            values |= self._choices(tuple(lacking), text, MAY_BE_CHOICE)
            listed = {index for index, name in taken.items() if FIELDS[name].type == "dates"}
            for share, index, name in pairs:
                # A day that is lacking goes before one of a list.
                if index in listed and name in lacking and name not in taken.values() and share >= MAY_BE_INPUT:
                    taken[index] = name
            self._take([pair for pair in pairs if pair[2] in lacking], taken, MAY_BE_INPUT)
        _order(taken, mentioned)
        values, unclear = self._weighed(kind, values, taken, pairs, mentioned, of_law)
        read = {name: text[mentioned[index].start : mentioned[index].end] for index, name in taken.items()}
        fits = [own.get(taken.get(index, NONE), 0.0) for index, own in enumerate(shares)]
        fit = float(np.exp(np.mean(np.log(np.maximum(fits, LEAST_FIT))))) if fits else 1.0
        left = tuple(text[mentioned[index].start : mentioned[index].end] for index in unclear)
        return Request(kind, values | _values(taken, mentioned), fit, read, left)

    def _weighed(
        self,
        kind: str,
        values: dict[str, Any],
        taken: dict[int, str],
        pairs: Sequence[tuple[float, int, str]],
        mentioned: Sequence[Mention],
        of_law: frozenset[Decimal],
    ) -> tuple[dict[str, Any], list[int]]:
        """Assign days and amounts by their effect on the result, and return the places of the unclear ones."""
        calculation = CALCULATIONS[kind]

        def result(places: Mapping[int, str]) -> object:
            outcome = calculate(calculation, values | _values(places, mentioned))
            return outcome.values[0].value if isinstance(outcome, Result) else type(outcome)

        value = result(taken)
        if isinstance(value, type):
            return values, [index for index in _weighty(mentioned, of_law) if index not in taken]
        for index, name in list(taken.items()):
            others = {other: each for other, each in taken.items() if other != index}
            if mentioned[index].type == "amount" and result(others) == value:
                del taken[index]
                pairs = [pair for pair in pairs if pair[1:] != (index, name)]
        unclear = []
        for index in _weighty(mentioned, of_law):
            if index in taken:
                continue
            free = [pair for pair in pairs if pair[1] == index and pair[2] not in taken.values()]
            weighing = [
                (share, name) for share, _, name in free if result({**taken, index: name}) not in (value, Refused)
            ]
            if weighing and weighing[0][0] >= MAY_BE_LEFT:
                taken[index] = weighing[0][1]
                value = result(taken)
            elif weighing:
                unclear.append(index)
        return values, unclear

    def _take(self, pairs: Sequence[tuple[float, int, str]], taken: dict[int, str], threshold: float) -> None:
        for share, index, name in pairs:
            is_list = FIELDS[name].type == "dates"
            if share >= threshold and index not in taken and (is_list or name not in taken.values()):
                taken[index] = name

    def _choices(
        self, names: Sequence[str], text: str, threshold: float = SURE_OF_CHOICE
    ) -> Iterator[tuple[str, object]]:
        features, folded = kind_features(text, ()), fold(text)
        for name in names:
            if FIELDS[name].type not in ("choice", "yes_no"):
                continue
            if (value := _said(FIELDS[name], folded)) is not None:
                yield name, value
                continue
            model = self.model.read("choices")
            classes = [each for each in model.classes if each.startswith(f"{name}=")]
            shares = model.probabilities(features, among=classes) if len(classes) > 1 else {}
            best = max((each for each in shares if not each.endswith("=")), key=shares.__getitem__, default="")
            if best and shares[best] >= threshold:
                yield name, best.partition("=")[2]


def _differ(request: Request, rival: Request) -> bool:
    outcomes = [each.outcome() for each in (request, rival)]
    results = [each.values[0].value for each in outcomes if isinstance(each, Result)]
    return len(results) == len(outcomes) and results[0] != results[1]


def _continued(before: Request, new: Request) -> Request:
    """Add the inputs of the previous request; an input replaces its whole group ("8 años" the first day of work)."""
    groups = {FIELDS[name].group for name in new.inputs} - {""}
    names = CALCULATIONS[new.kind].fields
    kept = {
        name: value
        for name, value in before.inputs.items()
        if name in names and (FIELDS[name].group not in groups or (name == "payments" and "monthly" in new.inputs))
    }
    read = {name: words for name, words in before.read.items() if name in kept} | dict(new.read)
    return replace(new, inputs=kept | dict(new.inputs), read=read)


def _weighty(mentioned: Sequence[Mention], of_law: frozenset[Decimal]) -> list[int]:
    return [
        index
        for index, mention in enumerate(mentioned)
        if mention.type in ("date", "amount") and mention.unit != "month" and mention.value not in of_law
    ]


def _given_by_law(text: str) -> frozenset[Decimal]:
    """Return the amounts of the reference values named in a text ("IPREM de 600 €"), which are no data."""
    periods = (period for kind in kinds_named([text]) for period in kind.period)
    return frozenset(value for period in periods for value in period.values.values())


def _order(taken: dict[int, str], mentioned: Sequence[Mention]) -> None:
    """Exchange the days of a contract that would end before it begins."""
    places = {name: index for index, name in taken.items()}
    days = [mentioned[places[name]].value for name in ("start", "end") if name in places]
    if len(days) == 2 and isinstance(days[0], date) and isinstance(days[1], date) and days[1] < days[0]:
        taken[places["start"]], taken[places["end"]] = "end", "start"


def _suited(mention: Mention) -> list[str]:
    return [NONE, *(name for name, input_field in FIELDS.items() if suits(mention, input_field))]


def _ending_today(request: Request, text: str, today: date) -> Request:
    """Set the end of a contract to today if a question gives only its length, and no past day."""
    lacking = request.outcome()
    lacks_end = isinstance(lacking, Missing) and [wanted.field for wanted in lacking.fields] == ["end"]
    if not lacks_end or LENGTHS.isdisjoint(request.inputs) or find_date(text, today=today):
        return request
    return replace(request, inputs={**request.inputs, "end": today}, read={**request.read, "end": TODAY_AS_END})


def suits(mention: Mention, field_: InputField) -> bool:
    """Tell if the type and the bounds of an input admit a mention."""
    if mention.type not in SUITED.get(field_.type, ()):
        return False
    if not isinstance(mention.value, Decimal):
        return True
    if mention.type == "number" and not mention.unit and mention.value in YEARS and field_.type != "amount":
        return field_.name == "year"
    if mention.unit in {other.unit for other in FIELDS.values() if other.unit}:
        return field_.unit == mention.unit
    if mention.type == "number" and field_.type == "amount" and mention.value < LEAST_AMOUNT:
        return False
    if mention.type == "share" and field_.most not in OF_SHARES:
        return False
    is_whole = field_.type != "count" or mention.value == mention.value.to_integral_value()
    return is_whole and mention.value >= (field_.least or 0) and (field_.most is None or mention.value <= field_.most)


def _said(choice: InputField, folded: str) -> str | None:
    """Return the value of a choice that a text names, by the longest phrase; ``None`` if there is none."""
    said = {phrase: value for value, phrases in choice.said.items() for phrase in phrases}
    phrases = {fold(label): key for key, label in choice.choices.items()} | said
    matches = [phrase for phrase in phrases if f" {phrase}" in f" {folded}"]
    return phrases[max(matches, key=len)] if matches else None


def _values(taken: Mapping[int, str], mentioned: Sequence[Mention]) -> dict[str, object]:
    values: dict[str, Any] = {}
    for index, name in sorted(taken.items()):
        if FIELDS[name].type == "dates":
            values.setdefault(name, []).append(mentioned[index].value)
        else:
            values[name] = mentioned[index].value
    return values


def work_out(
    reader: QuestionReader | None,
    kind: str,
    inputs: Mapping[str, object],
    question: str,
    today: date,
    law_day: date | None = None,
) -> Calculated:
    """Work out an amount or a last day; ``inputs`` replace those of the question, which may name the ``kind``."""
    if not (kind or question.strip()):
        raise InvalidInput(translate("calculation.nothing_asked"))
    kind = kind and calculation_of(kind).kind
    if not question.strip():
        calculation = calculation_of(kind)
        return Calculated(calculation, inputs, calculate(calculation, inputs, law_day), {})
    request = reader.asked(question, kind, today=today) if reader else None
    if request is None:
        return Calculated(None, inputs, Refused(translate("calculation.none_asked")), {})
    request = replace(request, inputs={**request.inputs, **inputs}, unclear=() if inputs else request.unclear)
    return Calculated(calculation_of(request.kind), request.inputs, request.outcome(law_day), request.read)
