"""Select the plain-language lead and the quoted sentences of an offline answer.

``select`` returns a ``Selection`` of at most 2 provisions. A provision named in the question comes first,
given whole if the question says nothing else. Lengths are in words. ``SetRight`` holds a figure claimed by
the question and the figure of the law that corrects it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from articulado.answering.figures import claimed_figures, figures_in
from articulado.answering.passages import LEFT_OUT, Passage, quote
from articulado.answering.rating import RatedProvision, Scorer, rate_provisions, stems_and_numbers
from articulado.answering.shortening import Point, shorten, spans_of
from articulado.legal.citations.parser import Citation
from articulado.prompting.fragments import Fragment

MAX_PROVISIONS = 2
MAX_LEAD_WORDS = 45
MAX_QUOTES = (4, 1)
"""Sentences that are quoted of the best provision, and of each one after it."""
QUOTE_WORDS = (45, 40, 35, 30)
"""Words of the quotations of the best provision, in their order; their context not counted."""
OTHER_WORDS = 35
"""Words of the quotation of any other provision."""
MAX_CONTEXT_WORDS = 9
"""Of each sentence that leads a quotation in."""
MAX_QUOTED_WORDS = 115
"""Of all quotations; the first of each provision that begins within them may go beyond."""
MIN_ROOM = 15
"""Words that must be left of them for a further provision."""

_SHARE = 0.9
"""Share of the best provision's fit that a further one must have."""
_SHARE_IN_FOLLOW_UP = 0.75
"""The same in a follow-up: what it adds is often in another provision than its subject (docs/conversations.md)."""
_CLOSE = 0.7
"""Share of the best score that a further point or sentence of a provision must have."""
_IRRELEVANT = 0.5
"""Share of the best provision's fit below which a fragment has nothing to do with the question."""
_SAME_MATTER = 0.2
"""Share of the question that what corrects a figure must cover in its own words."""

_WINDOW, _FIGURE, _PARTS = 8, 2.0, 3
"""Words of a passage that are looked at together, what a figure counts for beside words, which count up to 1, and how
many such parts are kept.
"""
_NUMBER = re.compile(r"(\d{1,3})\.?[ºª]?(?:\.[-–—]?|\))\s*(?!\d)")


@dataclass(frozen=True)
class Statement:
    """Something that an answer says of a provision, and the fragments that it stands in.

    It is in our words, or ``literal``. ``apartado`` and ``letter`` are where it stands, empty where it is all of it or
    unknown.
    """

    text: str
    fragments: tuple[Fragment, ...]
    literal: bool
    apartado: str = ""
    letter: str = ""


@dataclass(frozen=True)
class SetRight:
    """A figure that the question claims, and the one that the law has."""

    claimed: str
    right: str


@dataclass(frozen=True)
class Selection:
    """What an answer says, in its order; ``whole`` is set where it gives the text of provisions from end to end.

    ``set_right`` and ``lead`` are of the first of the ``statements``; ``companions`` say until when or where what the
    answer is about is done; ``irrelevant`` fragments have nothing to do with the question, ``used`` ones are said
    beside all these.
    """

    statements: tuple[Statement, ...] = ()
    lead: Statement | None = None
    set_right: SetRight | None = None
    companions: tuple[Statement, ...] = ()
    whole: bool = False
    irrelevant: tuple[Fragment, ...] = ()
    used: tuple[Fragment, ...] = ()


def select(question: str, fragments: Sequence[Fragment], scorer: Scorer) -> Selection:
    """Choose what an answer says, of 2 provisions at most.

    A provision that the question names goes first; if the question says no more than the name, it is given whole and
    nothing else is said, not even where it is not among the fragments. The others follow in the order of their fit, as
    far as they fit nearly as well as the best. What is no longer in force comes last, and only where it says more than
    what is.
    """
    provisions = rate_provisions(question, fragments, scorer)
    if scorer.domain.citations(question) and not scorer.domain.question_topic(question):
        return _select_whole([provision for provision in provisions if provision.citation], fragments)
    selected = _selected(provisions, _SHARE_IN_FOLLOW_UP if scorer.follows else _SHARE)
    if not selected:
        return Selection(irrelevant=tuple(fragments))
    best = selected[0]
    points = _lead_points(best)
    lead = _lead(best, points)
    carried = points and tuple(best.points[index] for index in best.ranked_points[: MAX_QUOTES[0] - 1])
    statements: list[Statement] = []
    for provision, most in zip(selected, MAX_QUOTES, strict=False):
        reserved = OTHER_WORDS if provision is best and len(selected) > 1 else 0
        room = MAX_QUOTED_WORDS - reserved - sum(len(statement.text.split()) for statement in statements)
        if statements and room < MIN_ROOM:
            break
        further = _statements(provision, most, room, carried if provision is best else (), scorer)
        # What is only told in our words may have been told by the lead.
        statements += [said for said in further if said.literal or lead is None or said.text not in lead.text]
    least = _IRRELEVANT * max(provision.fit for provision in provisions)
    fitting = [fragment for provision in provisions if provision.fit >= least for fragment in provision.fragments]
    fitting += [fragment for fragment in fragments if fragment.purpose]
    said = [fragment for statement in (*filter(None, [lead]), *statements) for fragment in statement.fragments]
    return Selection(
        tuple(statements),
        lead,
        _set_right(question, best, points, statements, scorer),
        irrelevant=_others(fragments, [*said, *fitting]),
    )


def _select_whole(named: Sequence[RatedProvision], fragments: Sequence[Fragment]) -> Selection:
    """Give the provisions that a question names, and nothing else, from end to end."""
    statements = tuple(_whole(provision) for provision in named[:MAX_PROVISIONS])
    lead = _lead(named[0]) if named and named[0].first.official else None
    of_named = [fragment for provision in named for fragment in provision.fragments]
    return Selection(statements, lead, whole=True, irrelevant=_others(fragments, of_named))


def _others(fragments: Sequence[Fragment], relevant: Sequence[Fragment]) -> tuple[Fragment, ...]:
    ids = set(map(id, relevant))
    return tuple(fragment for fragment in fragments if id(fragment) not in ids)


def _selected(provisions: Sequence[RatedProvision], share: float) -> list[RatedProvision]:
    """Return the provisions that an answer rests on; ``share`` of the best one's fit a further one must have."""
    named = [provision for provision in provisions if provision.citation]
    others = [provision for provision in provisions if not provision.citation]
    current = [provision for provision in others if not provision.outdated]
    least = share * max((provision.fit for provision in current), default=0.0)
    close = [other for other in others if other.fit >= least]
    # Seldom is there any, and what they say is read for nothing else.
    if any(other.outdated for other in close):
        covered = max((provision.coverage for provision in current), default=0.0)
        close = [other for other in close if not other.outdated or other.coverage > covered]
    return [*named, *close][:MAX_PROVISIONS]


def _lead_points(provision: RatedProvision) -> tuple[Point, ...]:
    """Return the points that answer best, the best first: as many as lead the answer in 45 words, or a single one."""
    ranked = provision.ranked_points
    if not ranked or not provision.answers(ranked[0]) or provision.is_all_asked_for:
        return ()
    kept, words = ranked[:1], len(provision.points[ranked[0]].text.split())
    for index in ranked[1:2]:
        words += len(provision.points[index].text.split())
        if words <= MAX_LEAD_WORDS and provision.point_scores[index] >= _CLOSE * provision.point_scores[ranked[0]]:
            kept.append(index)
    return tuple(provision.points[index] for index in kept)


def _lead(provision: RatedProvision, points: Sequence[Point] = ()) -> Statement | None:
    """Say in our words what a provision answers: its points, or the beginning of its summary."""
    if provision.plain is None or provision.outdated:
        return None
    texts = [point.text for point in points]
    if not texts and provision.citation and provision.citation.apartado:
        texts = _first_sentences([p.text for p in provision.points if p.apartado == provision.citation.apartado])
    if not texts:
        texts = _first_sentences(provision.plain.summary)
    if not texts:
        return None
    apartado = points[0].apartado if points else ""
    return Statement(" ".join(texts), (provision.first,), literal=False, apartado=apartado)


def _first_sentences(sentences: Sequence[str]) -> list[str]:
    """Return the first sentences, of 45 words together or a single one."""
    texts: list[str] = []
    for sentence in sentences:
        if texts and len(" ".join([*texts, sentence]).split()) > MAX_LEAD_WORDS:
            break
        texts.append(sentence)
    return texts


def _whole(provision: RatedProvision) -> Statement:
    """Give all that the context has of a provision, or of the apartado and the letter of it that are named."""
    passages = _cited_passages(provision.passages, provision.citation) if provision.citation else provision.passages
    parts = sorted({part.position: part for passage in passages for part in passage.parts}.values(), key=_position)
    lines: list[str] = []
    previous: Passage | None = None
    for part in parts:
        if previous and part.position > previous.last + 1:
            lines.append(LEFT_OUT)
        lines.append(part.text)
        previous = part
    citation = provision.citation
    inside = bool(citation and citation.apartado and all(part.apartado == citation.apartado for part in passages))
    fragments = {id(part.fragment): part.fragment for part in parts}
    return Statement(
        "\n".join(lines),
        tuple(fragments.values()),
        literal=provision.first.official,
        apartado=citation.apartado or "" if citation and inside else "",
    )


def _position(passage: Passage) -> int:
    return passage.position


def _cited_passages(passages: list[Passage], citation: Citation) -> list[Passage]:
    """Return the passages of the apartado and the letter that a question names; all where it has no such."""
    inside = passages
    if citation.apartado:
        inside = [passage for passage in passages if passage.apartado == citation.apartado]
    lettered = [passage for passage in inside if passage.letter == citation.letter] if citation.letter else []
    return lettered or inside or passages


def _statements(
    provision: RatedProvision, most: int, room: int, points: Sequence[Point], scorer: Scorer
) -> list[Statement]:
    """Quote the sentences that carry the points which lead the answer, and those that answer best.

    The first is quoted in any case, the others as far as there is ``room`` for their words.
    """
    passages, scores = provision.passages, provision.passage_scores
    candidates = list(range(len(passages)))
    if provision.citation:
        cited = _cited_passages(passages, provision.citation)
        candidates = [index for index in candidates if passages[index] in cited]
    by_score = sorted(candidates, key=lambda index: -scores[index])
    carried: dict[int, Point] = {}
    for point in points:
        index = provision.carrying(point)
        if index is not None and index in candidates:
            carried.setdefault(index, point)
    chosen: list[Passage] = []
    statements: list[Statement] = []
    for index in dict.fromkeys([*carried, *by_score]):
        is_close = index in carried or scores[index] >= _CLOSE * scores[by_score[0]]
        if len(chosen) == most or (chosen and not is_close):
            break
        if any(passages[index].text in other.text for other in chosen):
            continue
        words = QUOTE_WORDS[len(chosen)] if most > 1 else OTHER_WORDS
        passage = _shortened(passages[index], carried.get(index), words, scorer)
        quoted = _quotations([*chosen, passage], provision)
        if chosen and sum(len(statement.text.split()) for statement in quoted) > room:
            continue
        chosen.append(passage)
        statements = quoted
    return statements


def _quotations(chosen: Sequence[Passage], provision: RatedProvision) -> list[Statement]:
    """Make statements of passages: those of one apartado are one quotation, the best first."""
    if not provision.first.official:
        return [_in_our_words(provision, passage) for passage in chosen]
    groups: dict[str, list[Passage]] = {}
    for passage in chosen:
        groups.setdefault(passage.apartado, []).append(passage)
    return [
        Statement(
            without_number(f" {LEFT_OUT} ".join(quote(group, provision.passages)), apartado),
            _sources(group),
            literal=True,
            apartado=apartado,
            letter=group[0].letter if len({passage.letter for passage in group}) == 1 else "",
        )
        for apartado, group in groups.items()
    ]


def without_number(text: str, apartado: str) -> str:
    """Leave out the number of the apartado that a quotation begins with: its place is said before it."""
    mark = _NUMBER.match(text)
    return text[mark.end() :] if mark and mark[1] == apartado else text


def _in_our_words(provision: RatedProvision, passage: Passage) -> Statement:
    point = provision.points[[other.position for other in provision.passages].index(passage.position)]
    letter = point.letters[0] if len(point.letters) == 1 else ""
    return Statement(point.text, (passage.fragment,), literal=False, apartado=point.apartado, letter=letter)


def _sources(passages: Sequence[Passage]) -> tuple[Fragment, ...]:
    sources = {id(part.fragment): part.fragment for passage in passages for part in passage.parts}
    return tuple(sources.values())


def _shortened(passage: Passage, point: Point | None, words: int, scorer: Scorer) -> Passage:
    """Shorten a passage around what answers: the figures that are asked for, or the words of the point it carries."""
    return replace(
        passage,
        text=_shorten(passage.text, words, _wanted(passage, point, scorer)),
        lead_ins=tuple(_as_context(lead_in) for lead_in in passage.lead_ins),
        leans_on=tuple(_as_context(before) for before in passage.leans_on),
    )


def _shorten(text: str, words: int, wanted: Sequence[str]) -> str:
    """Shorten a text to its beginning, which says who and when, and what is wanted, as much of both as there is room.

    What is wanted goes before the beginning, and its first part before the others.
    """
    for count in range(len(wanted), 0, -1):
        parts = wanted[:count]
        for with_first_word in (True, False):
            shortened = shorten(text, words, keep=spans_of(parts, text, with_first_word=with_first_word))
            if all(part in shortened for part in parts):
                return shortened
    return shorten(text, words, keep=spans_of(wanted[:1], text))


def _as_context(passage: Passage) -> Passage:
    text = passage.text if passage.is_row else shorten(passage.text, MAX_CONTEXT_WORDS)
    lead_ins, leans_on = (tuple(map(_as_context, parts)) for parts in (passage.lead_ins, passage.leans_on))
    return replace(passage, text=text, lead_ins=lead_ins, leans_on=leans_on)


def _wanted(passage: Passage, point: Point | None, scorer: Scorer) -> list[str]:
    """Return the parts that must not be cut out of a passage: where it says most of what is wanted, and other figures.

    Wanted are the words and the figures of the point that it carries, or those that the question asks for.
    """
    domain, weights = scorer.domain, scorer.weights
    stems = stems_and_numbers(point.text, domain) if point else scorer.stems
    figures = {figure.start: figure for figure in figures_in(passage.text, domain.language.query_patterns)}
    words = list(re.finditer(r"\S+", passage.text))
    wanted = []
    for word in words:
        figure = figures.get(word.start()) or figures.get(word.start() + 1)
        if figure and (f"{figure.value:f}" in stems if point else scorer.asked.match(figure.written) > 0):
            wanted.append((figure.written, _FIGURE))
        else:
            said = [stem for stem in domain.stems(word[0]) if stem in stems]
            wanted.append((said[0], weights.idf(said[0])) if said else ("", 0.0))
    worth = [sum(dict(wanted[start : start + _WINDOW]).values()) for start in range(len(words))]
    kept: list[int] = []
    for start in sorted(range(len(words)), key=lambda start: -worth[start]):
        apart = all(abs(start - other) >= _WINDOW for other in kept)
        if len(kept) < _PARTS and apart and worth[start] >= (_FIGURE if kept else 0.01):
            kept.append(start)
    ends = [min(start + _WINDOW, len(words)) - 1 for start in kept]
    return [passage.text[words[start].start() : words[end].end()] for start, end in zip(kept, ends, strict=True)]


def _set_right(
    question: str,
    best: RatedProvision,
    points: Sequence[Point],
    statements: Sequence[Statement],
    scorer: Scorer,
) -> SetRight | None:
    """Set a figure right that the question claims, where what answers it has exactly one other in that unit."""
    patterns = scorer.domain.language.query_patterns
    text = points[0].text if points else next((statement.text for statement in statements), "")
    (rated,) = scorer.rate([text], best.first)
    if rated.own < _SAME_MATTER:
        return None
    for claimed in claimed_figures(question, patterns):
        alike = [figure for figure in figures_in(text, patterns) if figure.is_like(claimed)]
        if len({figure.value for figure in alike}) == 1 and alike[0].value != claimed.value:
            return SetRight(claimed.written, alike[0].written)
    return None
