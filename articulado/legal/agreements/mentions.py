"""Collective agreements named in a question: "el convenio de la hostelería malagueña"."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from pydantic import BaseModel, ConfigDict, Field

from articulado.language.folding import fold
from articulado.language.spanish import stem_word, stop_words
from articulado.legal.data import read_table
from articulado.legal.territory.mentions import find_place, place_mentions, place_name_at, province_called

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
"""Stems in the names of many sectors, which distinguish none."""


class _Sector(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    words: tuple[str, ...] = Field(min_length=2)


@cache
def _sectors() -> Mapping[str, str]:
    table = [_Sector.model_validate(sector) for sector in read_table("sectors.toml")["sector"]]
    return {stem_word(word.lower()): stem_word(sector.words[0].lower()) for sector in table for word in sector.words}


def sector_stems(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of a sector's name without general ones, equal for "siderometalúrgica" and "metal"."""
    stems = {stem_word(word) for word in words if fold(word) not in stop_words()}
    return frozenset(_sectors().get(stem, stem) for stem in stems if stem and stem not in _GENERIC)


def is_sector_word(word: str) -> bool:
    stem = stem_word(word.lower())
    return stem in _sectors() or stem in _GENERIC


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


MAX_TOKENS = 14


@dataclass(frozen=True)
class Where:
    """A community and, if meant, its province; both canonical."""

    community: str
    province: str | None = None


@dataclass(frozen=True)
class AgreementMention:
    """An agreement named in a question; without stem and place it is unnamed."""

    text: str  # as written
    linked: frozenset[str] = frozenset()  # stems that surely belong to its name ("de limpieza", "y locales")
    stems: frozenset[str] = frozenset()  # also those that may belong to its name
    where: Where | None = None
    statewide: bool = False

    @property
    def names_something(self) -> bool:
        return bool(self.linked or (self.where and not self.stems))


_KINDS = (
    r"(?:provincial|estatal|nacional|autonomico|regional|sectorial|general|marco|aplicable|vigente|actual|nuevo|propio)"
)
_AGREEMENT = re.compile(rf"\bconvenios?(?:\s+colectivos?)?(?:\s+de\s+trabajo)?(?P<kinds>(?:\s+{_KINDS})*)\b")
_IS = re.compile(r"\s+(?:que\s+(?:\w+\s+){1,4}?)?(?:es|seria|sera)\s+(?:el\s+)?(?=del?\b|para\b)")
_NO_AGREEMENT = re.compile(
    r"\s+(?:especial|regulador|internacional|bilateral|numero|n[.ºo]|\d|(?:de\s+)?(?:la\s+)?oit\b|(?:de|sobre|en\s+materia\s+de)\s+(?:la\s+)?"
    r"(?:seguridad\s+social|colaboracion|cooperacion|practicas|formacion|asociacion|adhesion|doble|reciprocidad|extincion)"
    r"|con\s)"
)
_OTHER = re.compile(r"\b(?:el|al|del)\s+(?=(?:de|del)\s)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_BEFORE_PLACE = re.compile(r"[\s(]*(?:(?:provincia|comunidad(?:\s+autonoma)?|region|principado)\s+de\s+(?:la\s+)?)?")
_LINKS = frozenset(("de", "del", "y", "e", "en", "para", "a", "por", "sin"))
_ARTICLES = frozenset(("el", "la", "los", "las", "mi", "su"))
_STATE = frozenset(("estatal", "nacional", "espana", "estado"))
# fmt: off
_BREAKS = frozenset(
    [
        "que", "me", "te", "se", "nos", "os", "le", "les", "si", "no", "cuando", "cuanto", "cuanta", "cuantos",
        "cuantas", "como", "cual", "cuales", "porque", "pero", "ni", "o", "segun", "sobre", "respecto", "desde",
        "hasta", "es", "son", "da", "dan", "hay", "tengo", "tienes", "tiene", "tienen", "puedo", "puede", "dice",
        "dicen", "establece", "regula", "fija", "permite", "reconoce", "corresponde", "corresponden", "contempla",
        "preve", "incluye", "este", "esta", "un", "una", "uno", "yo", "con", "donde", "quien", "hace", "dias",
    ]
)
# fmt: on


def agreement_mentions(question: str) -> list[AgreementMention]:
    """Return the agreements named in a question, in order; an unnamed one has only its ``text``.

    >>> mention = agreement_mentions("¿Qué vacaciones da el convenio de limpieza de edificios de Jerez?")[0]
    >>> mention.text, mention.where
    ('convenio de limpieza de edificios de Jerez', Where(community='Andalucía', province='Cádiz'))
    """
    folded = fold(question)
    mentions: list[AgreementMention] = []
    for match in _AGREEMENT.finditer(folded):
        if _NO_AGREEMENT.match(folded, match.end()):
            continue
        begin = _IS.match(folded, match.end())
        mention, end = _read(question, folded, match.start(), begin.end() if begin else match.end())
        if not _STATE.isdisjoint(match["kinds"].split()):
            mention = replace(mention, statewide=True)
        mentions.append(mention)
        following = _OTHER.search(folded, end, end + 20)
        if following and mention.names_something:
            other, _ = _read(question, folded, following.start(), following.end())
            # "el de hostelería de Málaga y el de Sevilla"
            mentions.append(other if other.linked else replace(other, linked=mention.linked, stems=mention.stems))
    return mentions


def elliptic_mention(question: str) -> AgreementMention | None:
    """Return the agreement that a follow-up names without the word: "¿y el del metal?"."""
    folded = fold(question)
    match = _OTHER.search(folded)
    return _read(question, folded, match.start(), match.end())[0] if match else None


def sector_mentions(question: str, sector: frozenset[str]) -> list[AgreementMention]:
    """Return the mentions of a sector, by its stems, that a place follows: "un comercio de Teruel"."""
    folded = fold(question)
    starts = (match.start() for match in _TOKEN.finditer(folded) if sector_stems([match[0]]) & sector)
    mentions = (_read(question, folded, start, start)[0] for start in starts)
    return [mention for mention in mentions if mention.where and sector and sector <= mention.stems]


def where_named(text: str) -> Where | None:
    """Return the place named in a text, with its province if known."""
    place = find_place(text)
    if place is None:
        return None
    province = province_called(place.name)
    if province is None and place.city is None:
        provinces = {mention.province for mention in place_mentions(text)}
        return Where(place.community, provinces.pop() if len(provinces) == 1 else None)
    return Where(place.community, province[0] if province else None)


def _read(question: str, folded: str, start: int, position: int) -> tuple[AgreementMention, int]:
    linked: list[str] = []
    loose: list[str] = []
    where: Where | None = None
    statewide = False
    is_linked, end, after_and = False, position, False
    for _ in range(MAX_TOKENS):
        named_place = place_name_at(folded, _skip(folded, position))
        if named_place and named_place[0].doubt != "word":
            meaning, position = named_place
            where, end = Where(meaning.place.community, meaning.province), position
            is_linked = False
            continue
        token = _TOKEN.search(folded, position)
        # What follows "y" and an article is mostly another matter: "el convenio de limpieza y las pagas".
        if token is None or (token[0] in _ARTICLES and after_and) or token[0] in _BREAKS:
            break
        after_and = token[0] in ("y", "e")
        position = token.end()
        if token[0] in _LINKS:
            is_linked = True
        elif token[0] in ("(", ")") or token[0] in _ARTICLES:
            continue
        elif not token[0].isalpha():
            break
        elif token[0] in _STATE:
            statewide, end = True, token.end()
        else:
            is_linked = is_linked and not loose
            (linked if is_linked else loose).append(token[0])
            end = token.end() if is_linked else end
            # "de la empresa Norvalia"
            is_linked = is_linked and question[position:].lstrip(' «"“')[:1].isupper()
    named = sector_stems(linked)
    text = question[start:end].strip()
    return AgreementMention(text, named, named | sector_stems(loose), where, statewide), end


def _skip(folded: str, position: int) -> int:
    match = _BEFORE_PLACE.match(folded, position)
    return match.end() if match else position
