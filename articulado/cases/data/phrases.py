"""Phrase matching in values, evaluation of rule conditions, and formatting of days and numbers.

``named_choices`` returns the listed values that a text names: the longest match wins and denied values are
left out. ``holds`` evaluates a condition on a datum. It returns ``None`` if only a month is known and the
result depends on the day. ``say_day``, ``say_days`` and ``say_number`` format values in the language of the
profile.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache

from dateutil.relativedelta import relativedelta

from articulado.calculations.calendars import CountryCalendar
from articulado.config.sections import Calendar
from articulado.guides.data_values import Circumstances, Days, Reading, parse_expression, truth_of
from articulado.language.folding import letters_and_digits, without_accents
from articulado.language.formats import SPANISH_MARKS, month_name
from articulado.language.languages import Language
from articulado.values.cases import Condition, Elapsed

_WORD = re.compile(r"\w+(?:'\w+)*")
_PAUSE = re.compile(r"[,;?]\s*\w")
_CLAUSE_END = re.compile(r"[.,;:()/?–—]")


@dataclass(frozen=True)
class _Word:
    """A word as written, without case and accents, and its stems; stop words have none."""

    bare: str
    stems: frozenset[str]
    begins_clause: bool
    answers: bool
    """Whether a question ends right before it."""

    def is_same(self, other: "_Word") -> bool:
        return self.bare == other.bare

    def is_form_of(self, other: "_Word") -> bool:
        return self.is_same(other) or not self.stems.isdisjoint(other.stems)


@dataclass(frozen=True)
class _Match:
    start: int
    end: int
    choice: str


def has_phrase(text: str, phrase: str, language: Language, *, anywhere: bool) -> bool:
    """Tell whether a text is a phrase, or has it in it as words, in any form of them."""
    if _is_phrase(text, phrase):
        return True
    return anywhere and bool([*_positions(_words(text, language), _listed(phrase, language), _Word.is_form_of)])


def named_choices(text: str, choices: Mapping[str, Sequence[str]], language: Language) -> frozenset[str]:
    """Return the values that a text names, each by itself or another way to write it, anywhere in the text.

    Of two that overlap the longer one counts ("no longer employed" is not "employed"), and none that is denied right
    before it ("not active"). Words in another form count where no value is named as it is listed, so that an "employee
    terminated" is not "employed".
    """
    phrases = [(phrase, choice) for choice, others in choices.items() for phrase in (choice, *others)]
    if whole := {choice for phrase, choice in phrases if _is_phrase(text, phrase)}:
        return frozenset(whole)
    words = _words(text, language)
    listed = [(_listed(phrase, language), choice) for phrase, choice in phrases]
    for is_equal in (_Word.is_same, _Word.is_form_of):
        matches = [
            _Match(start, start + len(phrase), choice)
            for phrase, choice in listed
            for start in _positions(words, phrase, is_equal)
        ]
        named = {match.choice for match in _longest(matches) if not _is_denied(words, match, language)}
        if named:
            return frozenset(named)
    return frozenset()


def _is_phrase(text: str, phrase: str) -> bool:
    truth = truth_of(text)
    if truth is not None and truth == truth_of(phrase):
        return True
    is_one_clause = not _PAUSE.search(text) or _PAUSE.search(phrase) is not None
    return is_one_clause and letters_and_digits(text) == _listed_key(phrase)


# What articles list is the same in every case; what a case says is read anew.
_listed_key = lru_cache(maxsize=4_096)(letters_and_digits)


@lru_cache(maxsize=4_096)
def _listed(phrase: str, language: Language) -> tuple[_Word, ...]:
    return tuple(_words(phrase, language))


def _words(text: str, language: Language) -> list[_Word]:
    composed = unicodedata.normalize("NFC", text).lower().replace("’", "'").replace("_", " ")
    words, end = [], 0
    for match in _WORD.finditer(composed):
        bare = without_accents(match[0]).removesuffix("'s")
        begins_clause = _CLAUSE_END.search(composed, end, match.start()) is not None
        answers = "?" in composed[end : match.start()]
        words.append(_Word(bare, frozenset(language.stems(match[0])), begins_clause, answers))
        end = match.end()
    return words


def _positions(
    words: Sequence[_Word], phrase: Sequence[_Word], is_equal: Callable[[_Word, _Word], bool]
) -> Iterator[int]:
    """Yield where in some words a phrase begins; no clause ends in the middle of it, unless one does in the phrase."""
    starts = range(len(words) - len(phrase) + 1) if phrase else range(0)
    for start in starts:
        part = words[start : start + len(phrase)]
        is_whole = all(
            same.begins_clause or not word.begins_clause for word, same in zip(part[1:], phrase[1:], strict=True)
        )
        if is_whole and all(map(is_equal, part, phrase)):
            yield start


def _longest(matches: Sequence[_Match]) -> list[_Match]:
    """Return the matches that overlap no longer one; of equally long ones the first."""
    kept: list[_Match] = []
    for match in sorted(matches, key=lambda match: (match.start - match.end, match.start)):
        if all(match.end <= other.start or other.end <= match.start for other in kept):
            kept.append(match)
    return kept


def _is_denied(words: Sequence[_Word], match: _Match, language: Language) -> bool:
    """Tell whether the word before a match denies it, or the answer to it as a question ("active? no").

    Words that say nothing may stand between ("not in an active").
    """
    patterns = language.data_patterns
    answer = words[match.end] if match.end < len(words) else None
    if answer and answer.answers and patterns.denial.fullmatch(answer.bare):
        return True
    for index in range(match.start - 1, -1, -1):
        word = words[index].bare
        if words[index + 1].begins_clause:
            return False
        if patterns.denial.fullmatch(word):
            return True
        if word not in language.stop_words and not patterns.adverb.fullmatch(word):
            return False
    return False


def say_day(day: date, language: Language) -> str:
    """Return a day as it is written: "3 de mayo de 2026", "May 3, 2026"."""
    return language.translate("case_day", day=day.day, month=month_name(day.month, language.code), year=day.year)


def say_days(days: Days, language: Language) -> str:
    """Return a day, or a month as it is written."""
    if days.first == days.last:
        return say_day(days.first, language)
    return language.translate("case_month", month=month_name(days.first.month, language.code), year=days.first.year)


def say_number(number: Decimal, language: Language) -> str:
    """Return a number with its marks of thousands and decimals: "7.000,5" in Spanish, "7,000.5" in English."""
    text = f"{number:,f}"
    plain = text.rstrip("0").rstrip(".") if "." in text else text
    return plain.translate(SPANISH_MARKS) if language.translate("view_decimal_mark") == "," else plain


def holds(
    when: Condition, reading: Reading, days_of: Mapping[str, Days], circumstances: Circumstances, *, stops: bool
) -> bool | None:
    """Tell whether a condition holds; ``None`` where a month was given and it depends on the day.

    ``stops``: the rule keeps a case from going on. Its words are then found anywhere in free text, and one of several
    values that a text names is enough; those that let it go on must be all of it.
    """
    if "one_of" in when:
        return _is_one_of(when["one_of"], reading, circumstances.language, stops=stops)
    if isinstance(reading.value, Days):
        return _holds_for_days(when, reading.value, days_of, circumstances)
    return _compares(reading.value, when) if isinstance(reading.value, Decimal) else False


def elapsed_units(unit: Elapsed, since: date, today: date, calendar: Calendar) -> int:
    """Return the whole units of time from a day to today; negative for a day to come."""
    if unit == "working_days":
        return CountryCalendar(calendar.country).elapsed(since, today)
    if unit in ("days", "weeks"):
        days = (today - since).days
        return days if unit == "days" else int(days / 7)
    between = relativedelta(today, since)
    return int(between.years if unit == "years" else 12 * between.years + between.months)


def _is_one_of(phrases: Sequence[str], reading: Reading, language: Language, *, stops: bool) -> bool:
    if isinstance(reading.value, frozenset):
        allowed = canonical_choices(phrases, reading.spec.get("values", {}))
        named = reading.value & allowed
        return bool(named) and (stops or len(reading.value) == 1)
    if isinstance(reading.value, bool):
        return any(truth_of(phrase) is reading.value for phrase in phrases)
    return any(has_phrase(reading.given, phrase, language, anywhere=stops) for phrase in phrases)


def canonical_choices(phrases: Sequence[str], choices: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the listed values that phrases stand for, by themselves or by another way to write them."""
    keys = {letters_and_digits(phrase) for phrase in phrases}
    return frozenset(
        choice for choice, others in choices.items() if not keys.isdisjoint(map(letters_and_digits, (choice, *others)))
    )


def _holds_for_days(
    when: Condition, days: Days, days_of: Mapping[str, Days], circumstances: Circumstances
) -> bool | None:
    if "elapsed" in when:
        ends = {
            _compares(Decimal(elapsed_units(when["elapsed"], day, circumstances.today, circumstances.calendar)), when)
            for day in (days.first, days.last)
        }
        return ends.pop() if len(ends) == 1 else None
    written = when.get("before") or when.get("after")
    limit = parse_expression(written).resolve(circumstances.today, days_of) if written else None
    if limit is None:
        return False
    earlier, later = (days, limit) if "before" in when else (limit, days)
    if earlier.last < later.first:
        return True
    return False if earlier.first >= later.last else None


def _compares(number: Decimal, when: Condition) -> bool:
    if "below" in when:
        return number < Decimal(str(when["below"]))
    return "above" in when and number > Decimal(str(when["above"]))
