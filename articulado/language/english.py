"""English text analysis: stop words, content words and stems (Snowball and the word families of the package)."""

import re
import unicodedata
from functools import cache, lru_cache
from hashlib import blake2b

from py_rust_stemmers import SnowballStemmer

from articulado.language.folding import read_list, word_families

_VERSION = "en-1"  # Changes when this code may give a word another stem

_CODE = re.compile(
    r"(?<!\w)(\d{2,4})(?: ?\(([a-z])\)| (?=[kb]\b)([kb])|-?([a-z]))(?:'?s)?(?!\w)(?:\([ivx\d]{1,4}\))*(?:'?s(?!\w))?"
)
"""Number of a plan, a section or a form with its letter: "401(k)", "401k", "401 k", "1099-R", "401(a)(9)"."""
_HALF = re.compile(r"(?<=\d)(?:[ -]1/2|\.5)(?![\d/])")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_WORD = re.compile(r"\w+(?:'\w+)*")


@cache
def stop_words() -> frozenset[str]:
    return frozenset(word for line in read_list("stopwords_en.txt") for word in line.split())


@cache
def analysis_fingerprint() -> str:
    """Name of this analysis with its word lists: texts analysed under different names must not be compared."""
    settings = repr((_VERSION, sorted(stop_words()), sorted(_families().items())))
    return f"{_VERSION}:{blake2b(settings.encode(), digest_size=6).hexdigest()}"


def content_words(text: str) -> list[str]:
    """Return the lower-case words without stop words; "401(k)" is "401k", "59 1/2" is "59½", "5,000" is "5000"."""
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'")
    text = _THOUSANDS.sub("", _HALF.sub("½", text))
    text = _CODE.sub(lambda code: code[1] + (code[2] or code[3] or code[4]), text)
    stop = stop_words()
    return [bare for word in _WORD.findall(text) if word not in stop and (bare := _bare(word)) and bare not in stop]


@lru_cache(maxsize=65_536)
def stem_word(word: str) -> str:
    stem = _snowball(word)
    return _families().get(stem, stem)


def stems(text: str) -> list[str]:
    return [stem for word in content_words(text) if (stem := stem_word(word))]


def _bare(word: str) -> str:
    return word.removesuffix("'s").replace("'", "").strip("_")


@cache
def _families() -> dict[str, str]:
    return word_families("word_families_en.txt", _snowball)


@cache
def _algorithm() -> SnowballStemmer:
    return SnowballStemmer("english")


def _snowball(word: str) -> str:
    return word if any(map(str.isdigit, word)) else str(_algorithm().stem_word(word))
