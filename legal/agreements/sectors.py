"""The words of a sector, compared by what they stand for (``legal/data/sectors.toml``)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from articulado.language.spanish import stem_word, stop_words

# fmt: off
_GENERIC = frozenset(
    map(
        stem_word,
        [
        "sector", "industria", "empresa", "actividad", "servicio", "establecimiento", "trabajo", "personal",
        "trabajadores", "trabajadoras", "ambito", "provincia", "comunidad", "autonoma", "convenio", "colectivo",
        "aplicacion", "referencia", "origen", "destino", "superior", "inferior", "grupo", "eficacia", "general",
        "nuevo", "nueva", "principal", "cedente", "cesionaria", "contratista", "partes", "fecha", "vencimiento",
        "año", "años",
    ],
    )
)
# fmt: on
"""Stems that are in the names of many sectors and tell none from another."""


class _Sector(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    words: tuple[str, ...] = Field(min_length=2)


@cache
def _sectors() -> Mapping[str, str]:
    """Return by the stem of each word that of the first word of its sector."""
    source = resources.files("legal.data").joinpath("sectors.toml").read_text(encoding="utf-8")
    table = [_Sector.model_validate(sector) for sector in tomllib.loads(source)["sector"]]
    return {stem_word(word.lower()): stem_word(sector.words[0].lower()) for sector in table for word in sector.words}


def sector_stems(words: Iterable[str]) -> frozenset[str]:
    """Return what words stand for in the name of a sector: stems, those of one sector alike, without general ones.

    >>> sector_stems(["industria", "siderometalúrgica"]) == sector_stems(["metal"])
    True
    """
    stems = {stem_word(word) for word in words if fold(word) not in stop_words()}
    return frozenset(_sectors().get(stem, stem) for stem in stems if stem and stem not in _GENERIC)


def is_sector_word(word: str) -> bool:
    """Tell whether a word is one of those that sectors are named by."""
    stem = stem_word(word.lower())
    return stem in _sectors() or stem in _GENERIC


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return re.findall(r"\w+", text.lower())
