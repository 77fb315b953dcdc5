"""Spanish text analysis: stems for every lexical comparison; and sentences of any language, for quotation.

One analysis serves BM25, the offline encoder, the reranker and the offline models, so that they agree on what a word
is.
"""

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b

from py_rust_stemmers import SnowballStemmer

from language.folding import fold, without_accents
from language.numerals import read_words
from language.word_lists import read_list, word_families

_VERSION = "es-1"
"""Changes when this code may give a word another stem than before."""

_WORD = re.compile(r"\w+")
# Noun endings whose accent the Snowball algorithm would take for a verb form ("garantía" -> "garant", but "garantia" ->
# "garanti"): those lose it before stemming, so that text typed without accents meets text with them.
_MISLEADING_ACCENT = re.compile(r"í(?=as?$)|í(?=d[ao]s?$)|[áéíóú](?=s$)")
_ION = re.compile(r"ion$")
# Plurals that the algorithm misses or takes for verbs: familiares, entidades, imágenes; años, altas, mínimos, tareas.
_PLURAL_ES = re.compile(r"(?<=\w[aeiouáéíóú][dlnr])es$")
_PLURAL_S = re.compile(r"(?<=\w\w[ao])s$")
_FIRST_PERSON_PLURAL = re.compile(r"[ae]mos$")

_SENTENCE_END = re.compile(r"[.!?…]+[»”\")\]]*\s+(?=[«“\"(\[¿¡]*[A-ZÁÉÍÓÚÑÜ\d])")
_LIST_MARK = re.compile(r"[«“\"(\[]*(?:\d{1,3}(?:\.\d{1,2})*|[a-zñ]|[ivxlc]+)(?:\.?[ºª])?[.)\]]*", re.IGNORECASE)
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
    return [word for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()) if word not in stop]


def stems(text: str) -> list[str]:
    """Return the stems of the content words of a text, in order; numbers stay as they are."""
    return [stem for word in content_words(text) if (stem := _stem(word))]


def sentences(text: str) -> list[str]:
    """Split prose, Spanish or English, into sentences, verbatim but for white space.

    A line break always parts; abbreviations ("art.", "núm.", "D."), initials and the mark of an apartado or a letter
    ("1. ", "b) ", "Seis. " at the beginning of a line) never do, so that a mark stays with its text.
    """
    pieces = []
    for line in text.splitlines():
        start = 0
        for ending in _SENTENCE_END.finditer(line):
            sentence = line[start : ending.end()].strip()
            written_mark = start == 0 and _is_numeral(sentence)
            if not written_mark and _ends(line[start : ending.start()], sentence, ending[0]):
                pieces.append(sentence)
                start = ending.end()
        if rest := line[start:].strip():
            pieces.append(rest)
    return pieces


def _is_numeral(sentence: str) -> bool:
    """Tell whether a sentence is nothing but a number in words: "Seis.", "Decimoctava."."""
    folded = fold(sentence)
    numeral = read_words(folded)
    return numeral is not None and not folded[numeral[1] :].strip(" .")


def _ends(before: str, sentence: str, ending: str) -> bool:
    """Tell whether a stop ends the sentence before it, rather than an abbreviation or a list mark."""
    if _LIST_MARK.fullmatch(sentence):
        return False
    last = _LAST_WORD.search(before)
    if last is None or ending.strip() != ".":
        return True
    word = last[1].lower()
    return word not in _abbreviations() and not (word[-1].isalpha() and len(word.split(".")[-1]) == 1)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    stem = _snowball(word)
    return _families().get(stem, stem)


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
