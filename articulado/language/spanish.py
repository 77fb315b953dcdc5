"""Spanish text analysis: stop words, content words and stems.

BM25, the offline encoder, the reranker and the offline models share this analysis, so that they agree on
the words of a text. Texts analysed under different fingerprints must not be compared.
"""

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain

from py_rust_stemmers import SnowballStemmer

from articulado.language.folding import CharacterTable, MemoTable, read_list, without_accents, word_families

_VERSION = "es-1"
"""Changes when this code may give a word another stem than before."""

_NO_WORD = re.compile(r"\W")
# Noun endings whose accent the Snowball algorithm would take for a verb form ("garantía" -> "garant", but "garantia" ->
# "garanti"): those lose it before stemming, so that text typed without accents meets text with them.
_MISLEADING_ACCENT = re.compile(r"í(?=as?$)|í(?=d[ao]s?$)|[áéíóú](?=s$)")
_ION = re.compile(r"ion$")
# Plurals that the algorithm misses or takes for verbs: familiares, entidades, imágenes; años, altas, mínimos, tareas.
_PLURAL_ES = re.compile(r"(?<=\w[aeiouáéíóú][dlnr])es$")
_PLURAL_S = re.compile(r"(?<=\w\w[ao])s$")
_FIRST_PERSON_PLURAL = re.compile(r"[ae]mos$")

MAX_LINES = 16_384
"""Lines whose stems are kept: about 10 MB; the chunks that a question looks at have about 800."""


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words, lower case, each with and without its accents."""
    words = {word for line in read_list("stopwords_es.txt") for word in line.split()}
    return frozenset(words | {without_accents(word) for word in words})


@cache
def analysis_fingerprint() -> str:
    """Name this analysis, word lists included: texts analysed under different names must not be compared."""
    settings = repr((_VERSION, sorted(stop_words()), sorted(_families().items())))
    return f"{_VERSION}:{blake2b(settings.encode(), digest_size=6).hexdigest()}"


def stem_word(word: str) -> str:
    """Return the stem of a lower-case word, without accents; an empty string where nothing is left ("ª").

    Snowball's Spanish algorithm, made indifferent to missing accents and better at plurals.
    """
    return _stem(word)


def content_words(text: str) -> list[str]:
    """Return the words of a text, in order, lower case, without stop words; numbers count as words."""
    stop = stop_words()
    return [word for word in _words_alone(text).split() if word not in stop]


def stems(text: str) -> list[str]:
    """Return the stems of the content words of a text, in order; numbers stay as they are."""
    lines = text.split("\n")
    # No word reaches over the end of a line, and the same lines come in several texts: parts, parents, headings.
    return list(_stems_of_line(text) if len(lines) == 1 else chain.from_iterable(map(_stems_of_line, lines)))


@lru_cache(maxsize=MAX_LINES)
def _stems_of_line(line: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_STEMS.__getitem__, _words_alone(line).split())))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    stem = _snowball(word)
    return _families().get(stem, stem)


_STEMS = MemoTable(lambda word: "" if word in stop_words() else _stem(word))
"""The stem of each lower-case word, empty for a stop word."""
_words_alone = CharacterTable(lambda text: _NO_WORD.sub(" ", unicodedata.normalize("NFC", text).lower()))
"""Returns a text in lower case with a blank in the place of all that is of no word."""


@cache
def _families() -> dict[str, str]:
    return word_families("word_families_es.txt", _snowball)


@cache
def _algorithm() -> SnowballStemmer:
    return SnowballStemmer("spanish")


def _snowball(word: str) -> str:
    word = word.strip("_ªº")
    word = _MISLEADING_ACCENT.sub(lambda match: without_accents(match[0]), word)
    word = _PLURAL_ES.sub("", word)
    if not _FIRST_PERSON_PLURAL.search(word):
        word = _PLURAL_S.sub("", word)
    # "indemnizacion" is stemmed as "indemnización": every Spanish word in -ion carries the accent.
    word = _ION.sub("ión", word)
    return without_accents(_algorithm().stem_word(word))
