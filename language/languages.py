"""A language: how its text is analysed, how people ask in it, and the messages in it (``data/languages``)."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from pydantic import BaseModel, ConfigDict

from language import english, spanish
from state.errors import ConfigurationError


class AskedPatterns(BaseModel):
    """A kind of thing that is asked for: how a ``question`` asks for it, and how an ``answer`` gives it.

    An answer has a figure in one of the ``units``; in any, where there are none; ``None``: it needs no figure.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: re.Pattern[str]
    answer: re.Pattern[str]
    units: tuple[str, ...] | None = None


class QueryPatterns(BaseModel):
    """Patterns for text in lower case and without accents; ``measure`` and ``negation`` are for text as typed.

    ``talk`` are words that speak of the answer and not of its topic; ``leaves`` is how a question says that it leaves
    the subject, ``returns`` that it goes back to an earlier one; ``asking`` are words that ask for something
    particular, ``place`` those that ask where something is written.
    ``units`` are patterns of units of measure by their stems. ``leaning`` is how a sentence begins that says too little
    without the one before it; its group ``noun``, where it matches, is the thing in that one which it points to.
    ``claim`` ends before a figure that a question claims or doubts, unless a ``fact`` of life stands beside it.
    ``asked`` are the kinds of things that questions ask for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    opening: re.Pattern[str]
    pointing: re.Pattern[str]
    talk: re.Pattern[str]
    leaves: re.Pattern[str]
    returns: re.Pattern[str]
    asking: re.Pattern[str]
    place: re.Pattern[str]
    courtesy: re.Pattern[str]
    number_words: str
    figure_words: str
    reference: re.Pattern[str]
    measure: re.Pattern[str]
    negation: re.Pattern[str]
    leaning: re.Pattern[str]
    claim: re.Pattern[str]
    fact: re.Pattern[str]
    asked: dict[str, AskedPatterns]
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


@dataclass(frozen=True)
class _Analysis:
    """What turns text of a language into words and stems; ``fingerprint`` names it, word lists included."""

    stop_words: Callable[[], frozenset[str]]
    content_words: Callable[[str], list[str]]
    stem_word: Callable[[str], str]
    fingerprint: Callable[[], str]


_ANALYSES: Mapping[str, _Analysis] = {
    code: _Analysis(module.stop_words, module.content_words, module.stem_word, module.analysis_fingerprint)
    for code, module in (("es", spanish), ("en", english))
}

LANGUAGES = tuple(_ANALYSES)
"""Codes of the languages that are known."""


class LanguageData(BaseModel):
    """The data file of a language. ``quotation_marks`` go around a quotation and then inside one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    quotation_marks: tuple[str, str, str, str]
    messages: dict[str, str]
    query_patterns: QueryPatterns


@dataclass(frozen=True)
class Language:
    """One language, as ``language(code)`` returns it; ``code`` is of ISO 639-1."""

    code: str
    data: LanguageData
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

    @property
    def stem_word(self) -> Callable[[str], str]:
        """The stemmer, from a lower-case word to its stem; always the same function, to be a key of tables."""
        return self._analysis.stem_word

    def content_words(self, text: str) -> list[str]:
        """Return the words of a text, in order, lower case, without stop words; numbers count as words."""
        return self._analysis.content_words(text)

    def stems(self, text: str) -> list[str]:
        """Return the stems of the content words of a text, in order; numbers stay as they are."""
        return [stem for word in self.content_words(text) if (stem := self._analysis.stem_word(word))]

    def say(self, key: str, **fields: object) -> str:
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


@cache
def language(code: str) -> Language:
    """Return a language by its code.

    Raises:
        ConfigurationError: it is not known.
    """
    if code not in _ANALYSES:
        raise ConfigurationError(f"No se conoce el idioma «{code}». Los que hay son: {', '.join(LANGUAGES)}.")
    file = resources.files("language").joinpath("data", "languages", f"{code}.toml")
    return Language(code, LanguageData.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))), _ANALYSES[code])
