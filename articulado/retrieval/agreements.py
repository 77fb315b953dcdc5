"""Collective agreements that a question is about.

``applicable`` returns the agreements that the question names, and excludes those of another place if it names
none. A named agreement stays until another is named.
"""

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
"""Questions before this one that are read."""

_LEADING = r"(?:\b(?:en|de|con|según)\s+)?(?:\b(?:el|al|del|mi|su)\s+)?"


@dataclass(frozen=True)
class Applicable:
    """Which agreements apply.

    ``named`` are the ids of those that the question, or one before it, names, ``names`` the words for them;
    ``excluded`` those of which nothing may be cited. ``missing`` are the names, as written, of agreements that the
    index does not have.
    """

    named: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def applicable(
    question: str, earlier: Sequence[str], agreements: Sequence[IndexedAgreement], territory: str | None
) -> Applicable:
    """Read a question after the ``earlier`` ones, oldest first; ``territory`` is the place that is asked about.

    An agreement that was named is kept until another is. Where none is named, those of another place are excluded.
    Of the agreements of one sector, all are named that may be meant: of each place where none is said, and of the whole
    state beside one of a province.
    """
    mentions: list[AgreementMention] = []
    names: list[str] = []
    for turn in [*earlier[-MAX_EARLIER:], question]:
        mentions = _in_context(turn, mentions, agreements)
        names += [mention.text for mention in mentions]
    place = where_named(territory) if territory else None
    everyone = tuple(agreement.law_id for agreement in agreements)
    if not mentions:
        away = (agreement.law_id for agreement in agreements if place and not _is_of(agreement.scope, place))
        return Applicable(excluded=tuple(away))
    meant: list[str] = []
    missing: list[str] = []
    for mention in mentions:
        matching = _matching(mention, agreements, mention.where or place)
        meant += matching
        missing += [] if matching else [mention.text]
    excluded = tuple(law_id for law_id in everyone if law_id not in meant)
    in_words = tuple(sorted(set(names), key=len, reverse=True)) if meant else ()
    return Applicable(tuple(dict.fromkeys(meant)), in_words, excluded, tuple(dict.fromkeys(missing)))


def without_agreement_names(question: str, names: Sequence[str]) -> str:
    """Return what a question asks of the agreements that it names: which they are is settled, and says nothing of that.

    >>> without_agreement_names("¿qué plus de nocturnidad da el convenio del metal?", ["convenio del metal"])
    '¿qué plus de nocturnidad da?'
    """
    if not names:
        return question
    for name in names:
        question = re.sub(rf"{_LEADING}{re.escape(name)}", "", question, flags=re.IGNORECASE)
    return re.sub(r"\s+(?=[\s?!.,;)])", "", question).strip(" ,")


def _in_context(
    question: str, before: list[AgreementMention], agreements: Sequence[IndexedAgreement]
) -> list[AgreementMention]:
    """Return the agreements that a question is about, where those ``before`` are what the last one was about."""
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
    """Return the ids of the agreements that a mention means: of a company, of a sector, or of a place alone."""
    if companies := _by_company(mention, agreements):
        return [company.law_id for company in companies]
    in_place = [
        agreement
        for agreement in agreements
        if (place is None or _is_of(agreement.scope, place))
        and (not mention.statewide or _may_be_of_state(agreement.scope))
    ]
    meant = (_by_words(mention, in_place) or _by_end_of_company(mention, agreements)) if mention.stems else in_place
    return [agreement.law_id for agreement in meant]


def _by_words(mention: AgreementMention, agreements: Sequence[IndexedAgreement]) -> list[IndexedAgreement]:
    """Return the agreements whose sector a mention names: of those that fit, those that share most with it.

    One fits of which the mention has every word, or whose name has every word that surely is of the mention.
    """
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
        if (name := company_core(agreement.scope["company"])) and _has_words(mention.text, name)
    ]


def _by_end_of_company(mention: AgreementMention, agreements: Sequence[IndexedAgreement]) -> list[IndexedAgreement]:
    """Return the agreement of the one company that a mention calls by the end of its name, no word of a sector."""
    words = words_of(fold(mention.text))
    called = [
        agreement for agreement in agreements if words[-1:] == words_of(company_core(agreement.scope["company"]))[-1:]
    ]
    distinctive = len(mention.stems) == 1 and not is_sector_word(words[-1])
    return called if distinctive and len(called) == 1 else []


def _companies_in(question: str, agreements: Sequence[IndexedAgreement]) -> list[AgreementMention]:
    """Return the companies with an agreement that a question names, written as a name is."""
    mentions = []
    for agreement in agreements:
        name = company_core(agreement.scope["company"])
        match = _pattern(name).search(fold(question)) if name else None
        if match and question[match.start()].isupper():
            mentions.append(AgreementMention(question[match.start() : match.end()]))
    return mentions


def _sectors_in(question: str, agreements: Sequence[IndexedAgreement]) -> list[AgreementMention]:
    """Return the sectors and places with an agreement that a question names without that word, the first of them."""
    for agreement in agreements:
        for mention in sector_mentions(question, sector_stems(words_of(agreement.scope["sector"]))):
            if mention.where and agreement.scope["community"] and _is_of(agreement.scope, mention.where):
                return [mention]
    return []


def _has_words(text: str, name: str) -> bool:
    return _pattern(name).search(fold(text)) is not None


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")


def _is_of(scope: Agreement, place: Where) -> bool:
    """Tell whether an agreement may apply in a place: of one that does not say where it applies, too."""
    if scope["statewide"] or not scope["community"]:
        return True
    if scope["community"] != place.community:
        return False
    return not (scope["province"] and place.province) or scope["province"] == place.province


def _may_be_of_state(scope: Agreement) -> bool:
    return scope["statewide"] or not (scope["community"] or scope["province"])
