"""What an answer says beside what was asked: until when, or where, what it is about is done, in the law's own words."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from articulado.legal.domain.base import Domain
from articulado.prompting.fragments import Fragment
from articulado.values.chunks import Purpose
from services.offline.figures import figures_in
from services.offline.passages import passages_of
from services.offline.plain_words import read_point
from services.offline.quotation import Selection, Statement, without_number
from services.offline.shortening import shorten

MAX_COMPANIONS, MAX_WORDS = 2, 70
"""Companions that an answer quotes, and the words of them together; the first may go beyond."""
COMPANION_WORDS = 40
"""Words of the quotation of a companion."""

DEADLINES: tuple[Purpose, ...] = ("claim_deadline", "application_deadline", "notice")
"""What is quoted in any case; where to apply is quoted where none of these is."""


def with_companions(selection: Selection, fragments: Sequence[Fragment], domain: Domain) -> Selection:
    """Return what an answer says with the companions that it does not say yet; a provision given whole goes alone."""
    if selection.whole or not selection.statements:
        return selection
    deadlines = _quotable(selection, [part for part in fragments if part.purpose in DEADLINES], domain)
    places = _quotable(selection, [part for part in fragments if part.purpose == "where"], domain)
    quoted = (deadlines or places[:1])[:MAX_COMPANIONS]
    if sum(len(statement.text.split()) for statement in quoted) > MAX_WORDS:
        quoted = quoted[:1]
    return replace(selection, companions=tuple(quoted))


def _quotable(selection: Selection, companions: Sequence[Fragment], domain: Domain) -> list[Statement]:
    """Quote companions, but those that are quoted already, and those that give the figures of one before."""
    statements: list[Statement] = []
    given: list[object] = []
    for companion in companions:
        figures = _figures(companion.says, domain)
        is_said = any(companion.says in _on_one_line(said.text) for said in selection.statements)
        statement = _quotation(companion, domain)
        if statement and not is_said and (not figures or figures not in given):
            statements.append(statement)
        given.append(figures)
    return statements


def _quotation(companion: Fragment, domain: Domain) -> Statement | None:
    """Quote the sentence that says what a companion is brought for; our own words say it where they give the figure."""
    figures = _figures(companion.says, domain)
    for passage in passages_of([companion], domain.language):
        text = _on_one_line(passage.text)
        if not companion.official and figures & _figures(text, domain):
            return Statement(read_point(text).text, (companion,), literal=False, apartado=passage.apartado)
        if companion.says in text:
            text = without_number(text, passage.apartado)
            quoted = _shortened(text, companion.says)
            # The letter that it stands in begins the quotation.
            return Statement(quoted, (companion,), companion.official, passage.apartado)
    return None


def _figures(text: str, domain: Domain) -> frozenset[tuple[Decimal, str]]:
    return frozenset((figure.value, figure.unit) for figure in figures_in(text, domain.language.query_patterns))


def _shortened(text: str, says: str) -> str:
    """Shorten a sentence to its beginning and what it is quoted for, or to the latter alone, which is never cut."""
    keeping = re.escape(says)
    shortened = (shorten(text, COMPANION_WORDS, keep=pattern) for pattern in (rf"^\S+|{keeping}", keeping))
    return next((candidate for candidate in shortened if says in candidate), text)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
