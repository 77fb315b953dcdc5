"""The synonym table ``legal/data/synonyms.toml``, read and checked."""

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field, model_validator

from language.folding import without_accents

_WORD = re.compile(r"\w+")
_LINKS = frozenset(
    ("a", "al", "con", "de", "del", "el", "en", "la", "las", "lo", "los", "o", "para", "por", "un", "una", "y")
)
_POSSESSIVES = frozenset(("mi", "mis", "su", "sus", "tu", "tus"))
_SKIPPED = _LINKS | _POSSESSIVES
_AS_WRITTEN = "="


class Synonym(BaseModel):
    """One entry of the table; the header of the data file explains the fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    terms: list[str] = Field(min_length=1)
    legal: list[str] = Field(min_length=1)
    weight: float = Field(1.0, gt=0, le=1)
    both_ways: bool = False

    @model_validator(mode="after")
    def _every_term_has_words(self) -> "Synonym":
        for term in (*self.terms, *self.legal):
            if not words_of(term):
                raise ValueError(f"«{term}» no contiene ninguna palabra significativa")
        for term in self.legal:
            if term.startswith(_AS_WRITTEN):
                raise ValueError(f"«{term}»: el signo «=» solo vale en «terms» y en «field»")
        return self


class Synonyms(BaseModel):
    """The whole table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    field: list[str] = Field(min_length=1)
    synonym: list[Synonym] = Field(min_length=1)


def load_synonyms(source: str | None = None) -> Synonyms:
    """Read and check the table (that of the package, or the given TOML text).

    Raises:
        ValueError: the file breaks its schema, or two entries share a term; the message says which.
    """
    if source is None:
        source = resources.files("legal.data").joinpath("synonyms.toml").read_text(encoding="utf-8")
    synonyms = Synonyms.model_validate(tomllib.loads(source))
    owner: dict[tuple[str, ...], Synonym] = {}
    for synonym in synonyms.synonym:
        for term in synonym.terms:
            if owner.setdefault(tuple(words_of(term)), synonym) is not synonym:
                raise ValueError(f"El término «{term}» está en dos entradas de la tabla de sinónimos: deje una sola.")
    return synonyms


def words_of(text: str) -> list[str]:
    """Return the lower-case words of a text without articles, possessives and short prepositions."""
    return [word for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()) if word not in _SKIPPED]


def as_written(term: str) -> bool:
    """Tell whether a term is matched as it stands, not by its stems: an acronym, or marked so with "="."""
    return term.startswith(_AS_WRITTEN) or (term.isupper() and len(words_of(term)) == 1)


@lru_cache(maxsize=65_536)
def folded(word: str) -> str:
    """Return a word without accents; the same words come again and again."""
    return without_accents(word)
