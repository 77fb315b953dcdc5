"""Spanish text analysis: stop words, content words and stems; also a sentence splitter.

BM25, the offline encoder, the reranker and the offline models share this analysis, so that they agree on
the words of a text. The sentence splitter serves Spanish and English. Texts analysed under different
fingerprints must not be compared.
"""

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain

from py_rust_stemmers import SnowballStemmer

from articulado.language.folding import CharacterTable, MemoTable, fold, read_list, without_accents, word_families
from articulado.language.numerals import read_words

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

# Each run of marks is looked at once: from its beginning, and without going back in it.
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[»”\")\]]*+\s++(?=[«“\"(\[¿¡]*[A-ZÁÉÍÓÚÑÜ\d])")
_LIST_MARK = re.compile(r"\s*[«“\"(\[]*(?:\d{1,3}(?:\.\d{1,2})*|[a-zñ]|[ivxlc]+)(?:\.?[ºª])?[.)\]]*\s*", re.IGNORECASE)
MAX_LINES = 16_384
"""Lines whose stems are kept: about 10 MB; the chunks that a question looks at have about 800."""

_LONGEST_NUMERAL = 100
"""Characters of a number in words at most."""

_LONGEST_WORD = 40
"""Characters before a stop in which the last word is looked for."""

_LAST_WORD = re.compile(r"(?:^|[\s(«“\"\[])(\w+(?:\.\w+)*)$")


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


def sentences(text: str) -> list[str]:
    """Split prose, Spanish or English, into sentences, verbatim but for white space.

    A line break always parts; abbreviations ("art.", "núm.", "D."), initials and the mark of an apartado or a letter
    ("1. ", "b) ", "Seis. " at the beginning of a line) never do, so that a mark stays with its text.
    """
    pieces = []
    for line in text.splitlines():
        start = 0
        for ending in _SENTENCE_END.finditer(line):
            short = start == 0 and ending.end() <= _LONGEST_NUMERAL
            written_mark = short and _is_numeral(line[: ending.end()].strip())
            if not written_mark and _ends(line, start, ending):
                pieces.append(line[start : ending.end()].strip())
                start = ending.end()
        if rest := line[start:].strip():
            pieces.append(rest)
    return pieces


def _is_numeral(sentence: str) -> bool:
    """Tell whether a sentence is nothing but a number in words: "Seis.", "Decimoctava."."""
    folded = fold(sentence)
    numeral = read_words(folded)
    return numeral is not None and not folded[numeral[1] :].strip(" .")


def _ends(line: str, start: int, ending: re.Match[str]) -> bool:
    """Tell whether a stop ends the sentence that begins at ``start``, rather than an abbreviation or a list mark."""
    if _LIST_MARK.fullmatch(line, start, ending.end()):
        return False
    # The blank before the sentence bounds its first word.
    last = _LAST_WORD.search(line, max(0, start - 1, ending.start() - _LONGEST_WORD), ending.start())
    if last is None or ending[0].strip() != ".":
        return True
    word = last[1].lower()
    return word not in _abbreviations() and not (word[-1].isalpha() and len(word.split(".")[-1]) == 1)


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


@cache
def _abbreviations() -> frozenset[str]:
    lists = (read_list(f"abbreviations_{code}.txt") for code in ("es", "en"))
    return frozenset(word for lines in lists for line in lines for word in line.split())
