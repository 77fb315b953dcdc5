"""Languages of questions and texts: analysis, patterns and messages, loaded from ``data/languages``.

``language(code)`` returns a language by its ISO 639-1 code; ``language_of`` recognises that of a question. Patterns
match folded text (lower case, no accents), unless their class says otherwise. The patterns for cases are compiled at
their first use.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from articulado.language import english, spanish
from articulado.language.folding import words_of
from articulado.language.translation import current_language, translate
from articulado.values.errors import ConfigurationError

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

TimeUnit = Literal["days", "weeks", "months", "years"]


class AskedPatterns(BaseModel):
    """A kind of thing that is asked for: how a ``question`` asks for it, and how an ``answer`` gives it.

    An answer has a figure in one of the ``units``; in any, where there are none; ``None``: it needs no figure.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: re.Pattern[str]
    answer: re.Pattern[str]
    units: tuple[str, ...] | None = None


class FormPatterns(BaseModel):
    """Words that only say what kind of thing is asked for (``question``), and how a text gives such a thing."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: re.Pattern[str]
    answer: re.Pattern[str]


class ChoosingWords(BaseModel):
    """Folded words of a message that takes one of numbered choices.

    ``numbers`` has the words of each number, −1 for the last one; ``beside`` the words that may stand beside them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    beside: str
    numbers: dict[int, str]


class QueryPatterns(BaseModel):
    """Patterns for text in lower case and without accents; ``measure`` and ``negation`` are for text as typed.

    ``place`` are words that ask where something is written. ``courtesy`` is all of a message that asks nothing,
    ``farewell`` all of one that ends a conversation at the keyboard.
    ``units`` are patterns of units of measure by their stems. ``leaning`` is how a sentence begins that says too little
    without the one before it; its group ``noun``, where it matches, is the thing in that one which it points to.
    ``claim`` ends before a figure that a question claims or doubts, unless a ``fact`` of life stands beside it.
    ``choosing`` are the words of a message that takes one of numbered choices. ``asked`` are the kinds of things that
    questions ask for, ``forms`` the words in which they ask for some of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    opening: re.Pattern[str]
    pointing: re.Pattern[str]
    place: re.Pattern[str]
    courtesy: re.Pattern[str]
    farewell: re.Pattern[str]
    number_words: str
    figure_words: str
    reference: re.Pattern[str]
    measure: re.Pattern[str]
    negation: re.Pattern[str]
    leaning: re.Pattern[str]
    claim: re.Pattern[str]
    fact: re.Pattern[str]
    choosing: ChoosingWords
    asked: dict[str, AskedPatterns]
    forms: dict[str, FormPatterns]
    units: dict[str, str]

    def without_measure(self, question: str) -> str:
        """Return a question without the word that only asks for a figure.

        "Time" in "how much time" is no topic of its own.
        """
        return self.measure.sub(r"\1", question)

    @cached_property
    def number(self) -> str:
        """The pattern of a number, in digits or in words."""
        return rf"(?:\d[\d.,]*|\b(?:{self.number_words})\b)"

    @cached_property
    def figure(self) -> re.Pattern[str]:
        """What any figure looks like."""
        return re.compile(rf"{self.number}|\b(?:{self.figure_words})\b")

    @cached_property
    def figure_in_words(self) -> re.Pattern[str]:
        """What a figure looks like that is no number."""
        return re.compile(rf"\b(?:{self.figure_words})\b")

    @cached_property
    def counting(self) -> dict[str, re.Pattern[str]]:
        """What follows a number that is in a unit, by the stem of the unit."""
        return {stem: re.compile(rf"\s*(?:{unit})(?!\w)") for stem, unit in self.units.items()}

    @cached_property
    def counted(self) -> dict[str, re.Pattern[str]]:
        """What a number looks like with its unit, by the stem of the unit."""
        return {stem: re.compile(rf"{self.number}\s*(?:{unit})(?!\w)") for stem, unit in self.units.items()}


def _phrases(written: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words_of(phrase)) for phrase in written)


Phrases = Annotated[frozenset[tuple[str, ...]], BeforeValidator(_phrases)]
"""Phrases of a list, each as its folded words."""


class DataWords(BaseModel):
    """Words with which people fill in forms.

    ``placeholders`` are whole texts without a value, ``placeholder_openings`` begin one, and ``not_applicable`` says
    that there is none. ``denial`` keeps a text from being taken for the listed value in it. ``halves``, ``percent``,
    ``periods`` and ``currency`` are words beside a number that change its meaning. ``before_date`` are words without
    meaning before a date, ``relative`` those of a date relative to today. ``month_first``: of two numbers of a date,
    the first is the month.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    placeholders: Phrases
    placeholder_openings: Phrases
    not_applicable: Phrases
    denial: Phrases
    yes: Phrases
    no: Phrases
    zero: Phrases
    halves: Phrases
    percent: Phrases
    periods: Phrases
    currency: Phrases
    before_date: tuple[str, ...]
    relative: Phrases
    month_first: bool
    time_units: dict[TimeUnit, tuple[str, ...]]


@dataclass(frozen=True)
class _Analysis:
    """What turns text of a language into words and stems; ``fingerprint`` names it, word lists included."""

    stop_words: Callable[[], frozenset[str]]
    content_words: Callable[[str], list[str]]
    stem_word: Callable[[str], str]
    stems: Callable[[str], list[str]]
    fingerprint: Callable[[], str]


_ANALYSES: Mapping[str, _Analysis] = {
    code: _Analysis(
        module.stop_words, module.content_words, module.stem_word, module.stems, module.analysis_fingerprint
    )
    for code, module in (("es", spanish), ("en", english))
}

LANGUAGES = tuple(_ANALYSES)
"""Codes of the languages that are known."""


class LanguageData(BaseModel):
    """The data file of a language. ``quotation_marks`` go around a quotation and then inside one.

    The words of forms, which only cases read, are checked when the first case is read (``Language.data_words``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    quotation_marks: tuple[str, str, str, str]
    messages: dict[str, str]
    query_patterns: QueryPatterns
    data_words: dict[str, Any]


@dataclass(frozen=True)
class Language:
    """One language, as ``language(code)`` returns it; ``code`` is of ISO 639-1."""

    code: str
    data: LanguageData = field(hash=False)
    _analysis: _Analysis

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that say nothing about the topic of a text, lower case."""
        return self._analysis.stop_words()

    @property
    def fingerprint(self) -> str:
        """Name the analysis: texts analysed under different names must not be compared."""
        return self._analysis.fingerprint()

    @property
    def query_patterns(self) -> QueryPatterns:
        """How people ask."""
        return self.data.query_patterns

    @cached_property
    def data_words(self) -> DataWords:
        """How people fill in forms."""
        return DataWords.model_validate(self.data.data_words)

    @property
    def stem_word(self) -> Callable[[str], str]:
        """The stemmer, from a lower-case word to its stem; always the same function, to be a key of tables."""
        return self._analysis.stem_word

    def content_words(self, text: str) -> list[str]:
        """Return the words of a text, in order, lower case, without stop words; numbers count as words."""
        return self._analysis.content_words(text)

    def stems(self, text: str) -> list[str]:
        """Return the stems of the content words of a text, in order; numbers stay as they are."""
        return self._analysis.stems(text)

    def translate(self, key: str, **fields: object) -> str:
        """Return a message with its fields filled in.

        Raises:
            KeyError: there is no such message, or a field of it is not given.
        """
        return self.data.messages[key].format(**fields)

    def quoted(self, quotation: str) -> str:
        """Return a text in quotation marks, those in it turned into inner ones.

        >>> language("es").quoted("el plazo «breve»")
        '«el plazo “breve”»'
        """
        begin, end, inner_begin, inner_end = self.data.quotation_marks
        return f"{begin}{quotation.replace(begin, inner_begin).replace(end, inner_end)}{end}"


def language_of(text: str, expected: Language) -> str:
    """Return the code of the language of a text: ``expected`` unless the text speaks clearly for another one.

    Names, keywords and misspelt words speak for no language. The first call loads the model (about half a second).

    >>> [language_of(text, language("es")) for text in ("¿Cuándo me pagan?", "Am I paid?", "Wie lange ist die Frist?")]
    ['es', 'en', 'de']
    """
    scores = {code: score - _margin(code, expected.code) for code, score in _identifier().rank(text)}
    likeliest = max(scores, key=lambda code: scores[code])
    # A text without letters that the model knows has one score for all.
    return likeliest if len(set(scores.values())) > 1 else expected.code


def closer_of(text: str, code: str) -> str:
    """Return ``es`` or the code of another language: the likelier one of these two for a text of some words.

    >>> [closer_of(text, "ca") for text in ("El descans serà de vuit hores i el sou el mateix", "Doce horas y un día")]
    ['ca', 'es']
    """
    scores = dict(_identifier().rank(text))
    return code if scores[code] > scores["es"] else "es"


def answered_in(code: str, expected: Language) -> Language:
    """Return the language of the texts for a question in the language of a code, ``expected`` if that has none."""
    return language(code) if code in LANGUAGES else expected


def in_spanish(code: str) -> str:
    """Return the line that says, in the language of a code, that what follows is in Spanish; empty for Spanish."""
    known = _recognised().get(code)
    return known.in_spanish if known else ""


def spoken_now() -> Language:
    """Return the language that is spoken now (``use_locale``): in a stage of a graph that of the turn."""
    return language(current_language())


class RecognisedLanguage(BaseModel):
    """A language that questions are recognised in; the fields are explained in ``data/recognised.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    margin: float
    in_spanish: str = ""


@cache
def _recognised() -> Mapping[str, RecognisedLanguage]:
    file = resources.files("articulado.language").joinpath("data", "recognised.toml")
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["language"]
    return {each.code: each for each in map(RecognisedLanguage.model_validate, rows)}


def _margin(code: str, expected: str) -> float:
    return 0.0 if code == expected else _recognised()[code].margin


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(_recognised()))
    return identifier


@cache
def language(code: str) -> Language:
    """Return a language by its code.

    Raises:
        ConfigurationError: it is not known.
    """
    if code not in _ANALYSES:
        raise ConfigurationError(translate("system.unknown_language", code=code, languages=", ".join(LANGUAGES)))
    file = resources.files("articulado.language").joinpath("data", "languages", f"{code}.toml")
    return Language(code, LanguageData.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))), _ANALYSES[code])


@cache
def phrases_of_forms(name: str) -> frozenset[tuple[str, ...]]:
    """Return a list of ``DataWords`` of all languages together: forms travel with their fillings."""
    return frozenset().union(*(getattr(language(code).data_words, name) for code in LANGUAGES))
