"""Scope of a collective agreement (sector, company, territory, days), read from its text."""

import re
from collections.abc import Iterable
from datetime import date
from itertools import islice
from typing import NamedTuple

from articulado.language.folding import fold
from articulado.legal.agreements.names import Validity, read_validity
from articulado.legal.territory.mentions import place_mentions, place_name_at
from articulado.legal.territory.table import PlaceName
from articulado.values.chunks import Agreement

MAX_WORDS = 9
MAX_ARTICLES = 12

_ARTICLE = r"(?:(?:el|la|los|las)\s+)?"
_AGREEMENT = re.compile(r"\bconvenio\s+colectivo(?:\s+de\s+trabajo)?\b")
_TITLE_OF = re.compile(
    r"(?:(?:texto|resolucion|acuerdo|acta|revision|actualizacion|modificacion|prorroga|tablas?|anexos?|calendario)\b.*?)?"
    r"(?:(?:[ivxlc]+|\d{1,2})[.ºª]*o?\s+|(?:primer|segundo|tercer|cuarto|quinto|sexto|nuevo)o?\s+)?convenio\s+colectivo\b"
)
_LEVELS = (
    "provincial|estatal|autonomico|nacional|interprovincial|regional|sectorial|marco|general|unico|basico|local"
    "|comarcal"
)
_LEVEL = re.compile(rf"\s*(?:{_LEVELS}|de\s+trabajo(?=\s+(?:del?|para|{_LEVELS})\b))\b")
_OF_AREA = re.compile(rf"\s*[,(]?\s*de\s+ambito\s+(?:territorial\s+)?(?:{_LEVELS})\b\)?")
_STATE = re.compile(
    r"\b(?:estatal|ambito\s+nacional|colectivo\s+nacional|(?:todo\s+el\s+)?territorio\s+(?:nacional|espanol|del\s+estado)"
    r"|todo\s+el\s+estado)\b"
)
_LINK = re.compile(rf"\s*\b(?:del?|para|entre)\s+{_ARTICLE}")
_KIND = re.compile(
    rf"(?:sector(?:es)?|actividad(?:es)?|ramo|subsector(?:es)?|gremio|personal|personas\s+trabajadoras|trabajadores|empresas)"
    rf"\s+(?:economic[oa]s?\s+)?(?:(?:de|dedicad[oa]s\s+a)l?\s+{_ARTICLE}|que\s+(?:\w+\s+){{1,4}}?(?:de|a)l?\s+{_ARTICLE})"
)
_SECTOR_BEFORE_LINE = re.compile(r"sector\s+")
_END = re.compile(
    r"\s*[,;.(]?\s*\b(?:(?:para|durante|en)\s+(?:el|los)\s+(?:anos?|periodo|bienio|trienio|cuatrienio|ejercicios?)|con\s+vigencia"
    r"|vigencia|vigente|codigo|suscrito|publicad[oa]|anos?\s+\d|periodo|de\s+ambito|en\s+el\s+ambito|(?:para|en)\s+(?:tod[oa]s?\s+)?"
    r"(?:la|el|los|las|su|sus)\s+(?:provincias?|comunidad(?:es)?|territorio|centros?|delegacion(?:es)?)|(?:19|20)\d\d)\b"
    r"|[;(«]|\.\s|\.$|\s[-–]\s*\d|[-–,]\s*(?:19|20)\d\d"
)
_TO_PLACE = re.compile(
    r"\s*[,(]?\s*\b(?:del?|en|para)\s+(?:tod[oa]\s+)?(?:(?:la|el|las|los)\s+)?(?:(?:provincias?|comunidad(?:\s+(?:autonoma|foral))?|ciudad"
    r"|principado|region|territorio\s+historico|islas?)\s+(?:del?\s+)?(?:la\s+)?)?|\s*[,(]\s*"
)
_AFTER_PLACE = re.compile(r"\s*(?:$|[,;.()–-]|\by\b|\be\b|\b(?:para|en|con|anos?|19|20))")
_NEXT_PLACE = re.compile(r"\s*(?:,|\by\b|\be\b)\s*(?:de\s+)?")
_REGION_BEFORE = re.compile(
    r"\b(?:provincias?|comunidad(?:es)?(?:\s+(?:autonomas?|foral))?|principado|region|historico|islas?)\s+(?:del?\s+)?(?:las?\s+)?$"
)
_BODIES = "(?:ayuntamiento|diputacion|cabildo|universidad|patronato|consorcio|fundacion)"
_COMPANY = re.compile(
    rf"(?:(?:empresa|mercantil|sociedad|entidad|compania|firma)\s+(?:(?:publica|municipal)\s+)?|personal\s+(?:laboral\s+)?"
    rf"(?:al\s+servicio\s+)?del?\s+{_ARTICLE}(?={_BODIES}\b))[«\"“]?|(?=(?:{_BODIES}|grupo)\s)"
)
_LEGAL_FORM = re.compile(
    r",?\s+(?:s\.?\s?a\.?\s?(?:u|l|d)?|s\.?\s?l\.?\s?(?:u|l|p)?|s\.?\s?coop(?:\.?\s?(?:and|v|l))*|a\.?i\.?e|u\.?t\.?e"
    r"|sociedad\s+(?:anonima|limitada|cooperativa)(?:\s+(?:unipersonal|laboral))?)(?:\.(?=\s|$|,|\))|(?![\w.]))"
)
_SUBJECTS = (
    "territorial",
    "funcional",
    "temporal",
    "personal",
    "aplicacion",
    "vigencia",
    "duracion",
    "entrada en vigor",
)
_IN_TEXT = re.compile(
    rf"\b(?:sector(?:es)?|actividad(?:es)?|ramo|subsector)\s+(?:economic[oa]\s+)?(?:de|a)l?\s+{_ARTICLE}(?P<sector>[^.,;:()]{{3,80}})"
)
_SENTENCES = re.compile(r"(?<=[.;])\s+|\n+")
_ON_PLACE = re.compile(r"territori|provincia|comunidad\s+autonoma|centros?\s+de\s+trabajo")


def no_scope() -> Agreement:
    return Agreement(
        sector="", company="", community=None, province=None, statewide=False, first_day=None, last_day=None
    )


def is_agreement_title(title: str) -> bool:
    """Tell if a title names an agreement, or its tables or prorogation, but no guide to one."""
    return _TITLE_OF.match(fold(title).strip()) is not None


def read_title(title: str) -> Agreement:
    """Return the scope that a title states."""
    title = " ".join(title.split())
    begin = _AGREEMENT.search(fold(title))
    if begin is None:
        return no_scope()
    scope_text = title[begin.end() :]
    folded = fold(scope_text)
    name, company, end = _named(scope_text, folded)
    community, province = _territory(
        (at.meaning.place.community, at.meaning.province) for at in _places(folded, end, len(scope_text))
    )
    validity = read_validity(folded)
    return Agreement(
        sector=_sector(name),
        company=company,
        community=community,
        province=province,
        statewide=_STATE.search(folded) is not None,
        first_day=_iso(validity.first),
        last_day=_iso(validity.last),
    )


def read_scope(title: str, articles: Iterable[tuple[str, str]]) -> Agreement:
    """Return the scope by the title, completed by the articles (title and text), whose days prevail."""
    scope, validity = read_title(title), Validity()
    for heading, text in islice(articles, MAX_ARTICLES):
        subject = fold(heading) if heading else fold(text[:60])
        subjects = [word for word in _SUBJECTS if word in subject]
        if not subjects or not (
            {"ambito", "vigencia", "duracion"} & set(re.findall(r"\w+", subject)) or "vigor" in subject
        ):
            continue
        general = "aplicacion" in subjects or subject.strip(" .") == "ambito"
        if general or "territorial" in subjects:
            _add_territory(scope, text)
        if general or "funcional" in subjects or "personal" in subjects:
            _add_sector(scope, text)
        if {"temporal", "vigencia", "duracion", "entrada en vigor"} & set(subjects):
            said = read_validity(text)
            validity = Validity(validity.first or said.first, validity.last or said.last)
    scope["first_day"] = _iso(validity.first) or scope["first_day"]
    scope["last_day"] = _iso(validity.last) or scope["last_day"]
    return scope


def _add_territory(scope: Agreement, text: str) -> None:
    if scope["statewide"] or scope["community"]:
        return
    on_place = " ".join(sentence for sentence in _SENTENCES.split(text) if _ON_PLACE.search(fold(sentence)))
    scope["statewide"] = _STATE.search(fold(on_place)) is not None
    if not scope["statewide"]:
        mentions = place_mentions(on_place)
        called = [mention for mention in mentions if _REGION_BEFORE.search(fold(on_place[: mention.start]))]
        # "en toda la provincia de Lugo, aunque la sede esté en Madrid"
        mentions = called or mentions
        best = min((mention.phase for mention in mentions), default=0)
        surest = (mention for mention in mentions if mention.phase == best)
        scope["community"], scope["province"] = _territory((at.place.community, at.province) for at in surest)


def _add_sector(scope: Agreement, text: str) -> None:
    if scope["sector"] or scope["company"]:
        return
    match = _IN_TEXT.search(fold(text))
    if match:
        scope["sector"] = _sector(text[match.start("sector") : match.end("sector")])


def _named(scope_text: str, folded: str) -> tuple[str, str, int]:
    start = 0
    while step := _OF_AREA.match(folded, start) or _LEVEL.match(folded, start):
        start = step.end()
    link = _LINK.match(folded, start)
    start = link.end() if link else start
    company = _COMPANY.match(folded, start)
    form = _LEGAL_FORM.search(folded, start)
    end = _END.search(folded, form.end() if form and not _END.search(folded, start, form.start()) else start)
    stop = end.start() if end else len(scope_text)
    is_company = company or (form and form.start() < stop)
    if is_company:
        start = company.end() if company else start
        stop = form.end() if form and form.end() <= stop else stop
        name = scope_text[start:stop].strip(' ,;-–«»"“”(')
        # The last point of a legal form ("S.L") is lost at the end of a title.
        return "", f"{name}." if re.search(r"\.\s?\w$", name) else name, stop
    while kind := _KIND.match(folded, start):
        start = kind.end()
    if (line := _SECTOR_BEFORE_LINE.match(folded, start)) and scope_text[line.end() :].split(" ")[0].isupper():
        start = line.end()
    places = _places(folded, start, stop)
    stop = places[0].start if places else stop
    return scope_text[start:stop].strip(" ,;-–.("), "", stop


def company_core(company: str) -> str:
    """Return the folded name of a company without its legal form ("S.A.")."""
    folded = fold(company)
    form = _LEGAL_FORM.search(folded)
    return (folded[: form.start()] if form else folded).strip(' ,.«»"“”')


def _sector(name: str) -> str:
    words = name.split()
    if not words or len(words) > MAX_WORDS:
        return ""
    if name.isupper() or not any(word.isupper() and len(word) > 1 for word in words):
        return name.lower().strip(" .")
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words).strip(" .")


class _PlaceAt(NamedTuple):
    """A place in a title, and the start of the words that introduce it."""

    start: int
    meaning: PlaceName


def _places(folded: str, start: int, end: int) -> list[_PlaceAt]:
    """Return the places after "de", "en" or a bracket that only other places or an end follow."""
    places: list[_PlaceAt] = []
    for match in _TO_PLACE.finditer(folded, start, end):
        named = place_name_at(folded, match.end())
        if named is None or not (_END.match(folded, named[1]) or _AFTER_PLACE.match(folded, named[1])):
            continue
        while named and not named[0].adjective:
            places.append(_PlaceAt(match.start(), named[0]))
            more = _NEXT_PLACE.match(folded, named[1])
            named = place_name_at(folded, more.end()) if more else None
    return places


def _territory(places: Iterable[tuple[str, str | None]]) -> tuple[str | None, str | None]:
    named = set(places)
    communities = {community for community, _ in named}
    if len(communities) != 1:
        return None, None
    provinces = {province for _, province in named}
    return communities.pop(), provinces.pop() if len(provinces) == 1 else None


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None
