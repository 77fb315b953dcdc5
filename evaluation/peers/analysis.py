"""Words as the peers count them: what someone who takes care would set up for Spanish with any of these libraries."""

from functools import cache

from py_rust_stemmers import SnowballStemmer

from language.spanish import content_words


def spanish_stems(text: str) -> list[str]:
    """Return the stems of a text in order: lower case, stop words out, Snowball's Spanish algorithm as it is.

    Without what our own analysis adds (accents that are missing, plurals, families of words).
    """
    stems: list[str] = _stemmer().stem_words(content_words(text))
    return stems


@cache
def _stemmer() -> SnowballStemmer:
    return SnowballStemmer("spanish")
