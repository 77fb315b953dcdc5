"""Languages of questions and texts; patterns match folded text unless their class says otherwise."""

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
    """A kind of thing asked for; an answer has a figure in ``units`` (empty: in any; ``None``: it needs no figure)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: re.Pattern[str]
    answer: re.Pattern[str]
    units: tuple[str, ...] | None = None


class FormPatterns(BaseModel):
    """Words that ask for a kind of thing (``question``), and their form in a text (``answer``)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: re.Pattern[str]
    answer: re.Pattern[str]


class ChoosingWords(BaseModel):
    """Folded words of a message that takes one of numbered choices; the last one has the number −1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    beside: str
    numbers: dict[int, str]


class QueryPatterns(BaseModel):
    """Patterns for folded text; ``measure`` and ``negation`` are for text as typed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    opening: re.Pattern[str]
    pointing: re.Pattern[str]
    place: re.Pattern[str]  # asks for the source
    courtesy: re.Pattern[str]  # matches a whole message, as ``farewell``
    farewell: re.Pattern[str]
    number_words: str
    figure_words: str
    reference: re.Pattern[str]
    measure: re.Pattern[str]
    negation: re.Pattern[str]
    leaning: re.Pattern[str]  # begins a sentence that needs the one before; group ``noun``: thing referred to
    claim: re.Pattern[str]  # ends before a claimed figure, except beside a ``fact`` of life
    fact: re.Pattern[str]
    choosing: ChoosingWords
    asked: dict[str, AskedPatterns]  # kinds of things that questions ask for
    forms: dict[str, FormPatterns]  # words in which they ask
    units: dict[str, str]  # by stem

    def without_measure(self, question: str) -> str:
        """Return a question without the word that only asks for a figure ("time" in "how much time")."""
        return self.measure.sub(r"\1", question)

    @cached_property
    def number(self) -> str:
        return rf"(?:\d[\d.,]*|\b(?:{self.number_words})\b)"

    @cached_property
    def figure(self) -> re.Pattern[str]:
        return re.compile(rf"{self.number}|\b(?:{self.figure_words})\b")

    @cached_property
    def figure_in_words(self) -> re.Pattern[str]:
        return re.compile(rf"\b(?:{self.figure_words})\b")

    @cached_property
    def counting(self) -> dict[str, re.Pattern[str]]:
        return {stem: re.compile(rf"\s*(?:{unit})(?!\w)") for stem, unit in self.units.items()}

    @cached_property
    def counted(self) -> dict[str, re.Pattern[str]]:
        return {stem: re.compile(rf"{self.number}\s*(?:{unit})(?!\w)") for stem, unit in self.units.items()}


def _phrases(written: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(words_of(phrase)) for phrase in written)


Phrases = Annotated[frozenset[tuple[str, ...]], BeforeValidator(_phrases)]


class DataWords(BaseModel):
    """Words with which people fill in forms."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    placeholders: Phrases  # whole texts without a value
    placeholder_openings: Phrases  # beginnings of texts without a value
    not_applicable: Phrases
    denial: Phrases  # keeps a text from being taken for the listed value in it
    yes: Phrases
    no: Phrases
    zero: Phrases
    halves: Phrases  # change the number beside, as the next three
    percent: Phrases
    periods: Phrases
    currency: Phrases
    before_date: tuple[str, ...]  # without meaning before a date
    relative: Phrases
    month_first: bool  # the first number of a date is the month
    time_units: dict[TimeUnit, tuple[str, ...]]


@dataclass(frozen=True)
class _Analysis:
    """Analysis of text into words and stems; ``fingerprint`` names it with its word lists."""

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


class LanguageData(BaseModel):
    """The data file of a language; ``Language.data_words`` checks the words of forms at their first use."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quotation_marks: tuple[str, str, str, str]
    messages: dict[str, str]
    query_patterns: QueryPatterns
    data_words: dict[str, Any]


@dataclass(frozen=True)
class Language:
    """A language with an ISO 639-1 ``code``."""

    code: str
    data: LanguageData = field(hash=False)
    _analysis: _Analysis

    @property
    def stop_words(self) -> frozenset[str]:
        return self._analysis.stop_words()

    @property
    def fingerprint(self) -> str:
        """Name of the analysis: texts analysed under different names must not be compared."""
        return self._analysis.fingerprint()

    @property
    def query_patterns(self) -> QueryPatterns:
        return self.data.query_patterns

    @cached_property
    def data_words(self) -> DataWords:
        return DataWords.model_validate(self.data.data_words)

    @property
    def stem_word(self) -> Callable[[str], str]:
        return self._analysis.stem_word

    def content_words(self, text: str) -> list[str]:
        return self._analysis.content_words(text)

    def stems(self, text: str) -> list[str]:
        return self._analysis.stems(text)

    def translate(self, key: str, **fields: object) -> str:
        return self.data.messages[key].format(**fields)

    def quoted(self, quotation: str) -> str:
        begin, end, inner_begin, inner_end = self.data.quotation_marks
        return f"{begin}{quotation.replace(begin, inner_begin).replace(end, inner_end)}{end}"


def language_of(text: str, expected: Language) -> str:
    """Return the code of the language of a text: ``expected`` unless another one is clearly likelier."""
    margins = {code: each.margin for code, each in _recognised().items()} | {expected.code: 0.0}
    scores = {code: score - margins[code] for code, score in _identifier().rank(text)}
    likeliest = max(scores, key=lambda code: scores[code])
    # A text without letters that the model knows has one score for all.
    return likeliest if len(set(scores.values())) > 1 else expected.code


def closer_of(text: str, code: str) -> str:
    """Return the likelier language of a text: ``es`` or ``code``."""
    scores = dict(_identifier().rank(text))
    return code if scores[code] > scores["es"] else "es"


def answered_in(code: str, expected: Language) -> Language:
    """Return the supported language with this code, else ``expected``."""
    return language(code) if code in LANGUAGES else expected


def in_spanish(code: str) -> str:
    """Return the line, in the language ``code``, that announces Spanish text; empty for Spanish."""
    known = _recognised().get(code)
    return known.in_spanish if known else ""


def spoken_now() -> Language:
    return language(current_language())


class RecognisedLanguage(BaseModel):
    """A recognised language; ``data/recognised.toml`` explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    code: str
    margin: float
    in_spanish: str = ""


@cache
def _recognised() -> Mapping[str, RecognisedLanguage]:
    file = resources.files("articulado.language").joinpath("data", "recognised.toml")
    rows = tomllib.loads(file.read_text(encoding="utf-8"))["language"]
    return {each.code: each for each in map(RecognisedLanguage.model_validate, rows)}


@cache
def _identifier() -> "LanguageIdentifier":
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(list(_recognised()))
    return identifier


@cache
def language(code: str) -> Language:
    """Return a language by its code; raise ``ConfigurationError`` for an unknown one."""
    if code not in _ANALYSES:
        raise ConfigurationError(translate("system.unknown_language", code=code, languages=", ".join(LANGUAGES)))
    file = resources.files("articulado.language").joinpath("data", "languages", f"{code}.toml")
    return Language(code, LanguageData.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))), _ANALYSES[code])


@cache
def phrases_of_forms(name: str) -> frozenset[tuple[str, ...]]:
    """Return a list of ``DataWords`` of all languages: forms travel with their fillings."""
    return frozenset().union(*(getattr(language(code).data_words, name) for code in LANGUAGES))
