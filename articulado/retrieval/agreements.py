"""Collective agreements that a question is about."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from articulado.language.folding import fold
from articulado.legal.agreements.mentions import (
    AgreementMention,
    Where,
    agreement_mentions,
    elliptic_mention,
    is_sector_word,
    sector_mentions,
    sector_stems,
    where_named,
    words_of,
)
from articulado.legal.agreements.scope import company_core
from articulado.store.layout import IndexedAgreement
from articulado.values.chunks import Agreement

MAX_EARLIER = 6

_LEADING = r"(?:\b(?:en|de|con|según)\s+)?(?:\b(?:el|al|del|mi|su)\s+)?"


@dataclass(frozen=True)
class Applicable:
    """The collective agreements of a question."""

    named: tuple[str, ...] = ()  # ids of the named agreements
    names: tuple[str, ...] = ()  # their names as written in the question
    excluded: tuple[str, ...] = ()  # ids of agreements that do not apply
    missing: tuple[str, ...] = ()  # names, as written, of agreements that the index lacks


def applicable(
    question: str, earlier: Sequence[str], agreements: Sequence[IndexedAgreement], territory: str | None
) -> Applicable:
    """Read a question after the ``earlier`` ones, oldest first; ``territory`` is the requested place.

    A named agreement is kept until another is named; if none is named, those of other places are excluded. All
    agreements of a sector that may be meant are named.
    """
    mentions: list[AgreementMention] = []
    names: list[str] = []
    for turn in [*earlier[-MAX_EARLIER:], question]:
        mentions = _in_context(turn, mentions, agreements)
        names += [mention.text for mention in mentions]
    place = where_named(territory) if territory else None
    if not mentions:
        away = (agreement.law_id for agreement in agreements if place and not _is_of(agreement.scope, place))
        return Applicable(excluded=tuple(away))
    meant: list[str] = []
    missing: list[str] = []
    for mention in mentions:
        matching = _matching(mention, agreements, mention.where or place)
        meant += matching
        missing += [] if matching else [mention.text]
    excluded = tuple(agreement.law_id for agreement in agreements if agreement.law_id not in meant)
    in_words = tuple(sorted(set(names), key=len, reverse=True)) if meant else ()
    return Applicable(tuple(dict.fromkeys(meant)), in_words, excluded, tuple(dict.fromkeys(missing)))


def without_agreement_names(question: str, names: Sequence[str]) -> str:
    """Return a question without the names of its agreements."""
    if not names:
        return question
    for name in names:
        question = re.sub(rf"{_LEADING}{re.escape(name)}", "", question, flags=re.IGNORECASE)
    return re.sub(r"\s+(?=[\s?!.,;)])", "", question).strip(" ,")


def _in_context(
    question: str, before: list[AgreementMention], agreements: Sequence[IndexedAgreement]
) -> list[AgreementMention]:
    mentions = [
        mention
        for mention in agreement_mentions(question)
        if mention.names_something or _by_words(mention, agreements) or _by_company(mention, agreements)
    ]
    if mentions:
        return mentions
    if companies := _companies_in(question, agreements):
        return companies
    if sectors := _sectors_in(question, agreements):
        return sectors
    if not before:
        return []
    elliptic = elliptic_mention(question)
    if elliptic and (_by_words(elliptic, agreements) or _by_company(elliptic, agreements)):
        return [elliptic]
    place = where_named(question)
    return [replace(before[-1], where=place)] if place else before


def _matching(mention: AgreementMention, agreements: Sequence[IndexedAgreement], place: Where | None) -> list[str]:
    if companies := _by_company(mention, agreements):
        return [company.law_id for company in companies]
    in_place = [
        agreement
        for agreement in agreements
        if (place is None or _is_of(agreement.scope, place))
        and (
            not mention.statewide
            or agreement.scope["statewide"]
            or not (agreement.scope["community"] or agreement.scope["province"])
        )
    ]
    meant = (_by_words(mention, in_place) or _by_end_of_company(mention, agreements)) if mention.stems else in_place
    return [agreement.law_id for agreement in meant]


def _by_words(mention: AgreementMention, agreements: Sequence[IndexedAgreement]) -> list[IndexedAgreement]:
    """Return the agreements whose sector a mention names with every word, or that has every word surely meant."""
    fitting: list[tuple[tuple[int, float], IndexedAgreement]] = []
    for agreement in agreements:
        stems = sector_stems(words_of(agreement.scope["sector"]))
        shared = stems & mention.stems
        if shared and (stems <= mention.stems or (mention.linked and mention.linked <= stems)):
            fitting.append(((len(shared), len(shared) / len(stems)), agreement))
    best = max((closeness for closeness, _ in fitting), default=None)
    return [agreement for closeness, agreement in fitting if closeness == best]


def _by_company(mention: AgreementMention, agreements: Sequence[IndexedAgreement]) -> list[IndexedAgreement]:
    return [
        agreement
        for agreement in agreements
        if (name := company_core(agreement.scope["company"])) and _pattern(name).search(fold(mention.text))
    ]


def _by_end_of_company(mention: AgreementMention, agreements: Sequence[IndexedAgreement]) -> list[IndexedAgreement]:
    words = words_of(fold(mention.text))
    called = [
        agreement for agreement in agreements if words[-1:] == words_of(company_core(agreement.scope["company"]))[-1:]
    ]
    distinctive = len(mention.stems) == 1 and not is_sector_word(words[-1])
    return called if distinctive and len(called) == 1 else []


def _companies_in(question: str, agreements: Sequence[IndexedAgreement]) -> list[AgreementMention]:
    mentions = []
    for agreement in agreements:
        name = company_core(agreement.scope["company"])
        match = _pattern(name).search(fold(question)) if name else None
        if match and question[match.start()].isupper():
            mentions.append(AgreementMention(question[match.start() : match.end()]))
    return mentions


def _sectors_in(question: str, agreements: Sequence[IndexedAgreement]) -> list[AgreementMention]:
    """Return the first sector and place with an agreement that a question names without the word "agreement"."""
    for agreement in agreements:
        for mention in sector_mentions(question, sector_stems(words_of(agreement.scope["sector"]))):
            if mention.where and agreement.scope["community"] and _is_of(agreement.scope, mention.where):
                return [mention]
    return []


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _is_of(scope: Agreement, place: Where) -> bool:
    if scope["statewide"] or not scope["community"]:
        return True
    if scope["community"] != place.community:
        return False
    return not (scope["province"] and place.province) or scope["province"] == place.province
