"""Spanish text analysis: stop words, content words and stems, shared by BM25, encoder, reranker and models."""

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain

from py_rust_stemmers import SnowballStemmer

from articulado.language.folding import CharacterTable, MemoTable, read_list, without_accents, word_families

_VERSION = "es-1"  # Changes when this code may give a word another stem

_NO_WORD = re.compile(r"\W")
# Noun endings whose accent the Snowball algorithm would take for a verb form ("garantía" -> "garant", but "garantia" ->
# "garanti"): those lose it before stemming, so that text typed without accents meets text with them.
_MISLEADING_ACCENT = re.compile(r"í(?=as?$)|í(?=d[ao]s?$)|[áéíóú](?=s$)")
_ION = re.compile(r"ion$")
# Plurals that the algorithm misses or takes for verbs: familiares, entidades, imágenes; años, altas, mínimos, tareas.
_PLURAL_ES = re.compile(r"(?<=\w[aeiouáéíóú][dlnr])es$")
_PLURAL_S = re.compile(r"(?<=\w\w[ao])s$")
_FIRST_PERSON_PLURAL = re.compile(r"[ae]mos$")

MAX_LINES = 16_384  # About 10 MB; the chunks of a question have about 800 lines


@cache
def stop_words() -> frozenset[str]:
    """Return the lower-case stop words, each with and without its accents."""
    words = {word for line in read_list("stopwords_es.txt") for word in line.split()}
    return frozenset(words | {without_accents(word) for word in words})


@cache
def analysis_fingerprint() -> str:
    """Name of this analysis with its word lists: texts analysed under different names must not be compared."""
    settings = repr((_VERSION, sorted(stop_words()), sorted(_families().items())))
    return f"{_VERSION}:{blake2b(settings.encode(), digest_size=6).hexdigest()}"


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    """Return the stem without accents (empty for "ª"): Snowball, made robust to missing accents and to plurals."""
    stem = _snowball(word)
    return _families().get(stem, stem)


def content_words(text: str) -> list[str]:
    """Return the lower-case words of a text without stop words; numbers count as words."""
    stop = stop_words()
    return [word for word in _words_alone(text).split() if word not in stop]


def stems(text: str) -> list[str]:
    lines = text.split("\n")
    # No word reaches over the end of a line, and the same lines come in several texts: parts, parents, headings.
    return list(_stems_of_line(text) if len(lines) == 1 else chain.from_iterable(map(_stems_of_line, lines)))


@lru_cache(maxsize=MAX_LINES)
def _stems_of_line(line: str) -> tuple[str, ...]:
    return tuple(filter(None, map(_STEMS.__getitem__, _words_alone(line).split())))


_STEMS = MemoTable(lambda word: "" if word in stop_words() else stem_word(word))  # Empty for a stop word
_words_alone = CharacterTable(lambda text: _NO_WORD.sub(" ", unicodedata.normalize("NFC", text).lower()))


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
