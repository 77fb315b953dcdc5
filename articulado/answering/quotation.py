"""Select the plain-language lead and the quoted sentences of an offline answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat

from articulado.answering.figures import SetRight, set_right
from articulado.answering.passages import LEFT_OUT, Passage, has_passages, quote
from articulado.answering.rating import Point, RatedProvision, Scorer, in_force
from articulado.language.sentences import first_sentences
from articulado.legal.citations.items import Place
from articulado.legal.citations.parser import Citation
from articulado.legal.laws.indexed import IndexedLaws
from articulado.legal.laws.mentions import law_mentions
from articulado.legal.laws.registry import known_laws
from articulado.prompting.fragments import Fragment

MAX_PROVISIONS = 2
MAX_LEAD_WORDS = 45
MAX_QUOTES = (2, 1)  # Quoted sentences of the best provision, and of each further one
MAX_QUOTED_WORDS = 120  # Words of all quotations with context; the first sentence of the best provision may be longer

_SHARE = 0.9  # Minimum share of the best provision's fit for a further one
_SHARE_IN_FOLLOW_UP = 0.75  # The same in a follow-up, which often concerns another provision (docs/decisions/0063)
_CLOSE = 0.7  # Minimum share of the best score for a further point or sentence
_IRRELEVANT = 0.5  # Share of the best provision's fit below which a fragment is irrelevant
_SAME_MATTER = 0.2  # Minimum share of the question covered by a text that corrects a figure

_NUMBER = re.compile(r"(\d{1,3})\.?[ºª]?(?:\.[-–—]?|\))\s*(?!\d)")


@dataclass(frozen=True)
class Statement:
    """A quotation (``literal``) or plain-language sentence, its fragments, and its place (empty: all, or unknown)."""

    text: str
    fragments: tuple[Fragment, ...]
    literal: bool
    apartado: str = ""
    letter: str = ""


@dataclass(frozen=True)
class Selection:
    """Contents of an answer, in order; ``whole`` if it gives complete provisions.

    ``lead`` and ``set_right`` belong to the first statement; ``values`` are reference values; ``irrelevant`` fragments
    do not concern the question, ``used`` ones are cited otherwise.
    """

    statements: tuple[Statement, ...] = ()
    lead: Statement | None = None
    set_right: SetRight | None = None
    values: tuple[Statement, ...] = ()
    whole: bool = False
    irrelevant: tuple[Fragment, ...] = ()
    used: tuple[Fragment, ...] = ()


def select(question: str, fragments: Sequence[Fragment], scorer: Scorer) -> Selection:
    """Choose the contents of an answer from at most 2 provisions.

    A provision that the question names comes first; if the question has nothing else, it is given whole. Others follow
    if their fit is near the best. Law no longer in force comes last, if it covers more than the law in force.
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
    # Points are shorter than sentences of the law: a provision in our words is told with further ones.
    carried = points if best.first.official or not points else [best.points[index] for index in best.ranked_points]
    statements: list[Statement] = []
    told = _with_communities(selected, provisions, fragments, scorer)
    for provision, max_quotes in zip(told, chain(MAX_QUOTES, repeat(1)), strict=False):
        room = MAX_QUOTED_WORDS - _words(statements)
        is_best = provision is best
        statements += _statements(provision, max_quotes, room, carried if is_best else (), lead, is_first=is_best)
    least = _IRRELEVANT * max(provision.fit for provision in provisions)
    fitting = [fragment for provision in provisions if provision.fit >= least for fragment in provision.fragments]
    fitting += [fragment for fragment in fragments if fragment.purpose]
    quoted = [fragment for statement in (*filter(None, [lead]), *statements) for fragment in statement.fragments]
    return Selection(
        tuple(statements),
        lead,
        _set_right(question, best, points, statements, scorer),
        irrelevant=_others(fragments, [*quoted, *fitting]),
    )


def _with_communities(
    selected: Sequence[RatedProvision],
    provisions: Sequence[RatedProvision],
    fragments: Sequence[Fragment],
    scorer: Scorer,
) -> Sequence[RatedProvision]:
    """Add the best law of each community and the general rule, whose title is most similar; order of fragments."""
    best: dict[str, RatedProvision] = {}
    for provision in sorted(provisions, key=lambda each: fragments.index(each.fragments[0])):
        if provision.first.purpose == "community":
            best.setdefault(provision.first.says, provision)
    if not best or any(each.citation for each in selected):
        return selected
    topic = {stem for each in best.values() for stem in scorer.domain.stems(each.first.title)}
    general = [each for each in provisions if each.first.purpose != "community" and not each.outdated]
    general.sort(key=lambda each: -len(topic.intersection(scorer.domain.stems(each.first.title))))
    told = {id(each): each for each in (*general[:1], *best.values())}
    return sorted(told.values(), key=lambda each: fragments.index(each.fragments[0]))


def rate_provisions(question: str, fragments: Sequence[Fragment], scorer: Scorer) -> list[RatedProvision]:
    """Return the provisions with passages: named ones, then by descending fit; ties: order of fragments."""
    groups: dict[tuple[str, str, bool], list[Fragment]] = {}
    for fragment in fragments:
        groups.setdefault((fragment.law_name, fragment.provision, fragment.official), []).append(fragment)
    citations = _citations_of([parts[0] for parts in groups.values()], scorer.domain.citations(question), question)
    rated = []
    laws = {mention.law_id for mention in law_mentions(question)}
    for parts in groups.values():
        if not has_passages(parts):
            continue
        outdated = not in_force(parts[0]) and parts[0].law_id not in laws
        rated.append(RatedProvision(parts, scorer, citations.get(id(parts[0])), outdated))
    named = list(citations.values())
    return sorted(
        rated,
        key=lambda provision: (
            named.index(provision.citation) if provision.citation else len(named),
            provision.outdated,
            -provision.fit,
        ),
    )


def _citations_of(fragments: Sequence[Fragment], citations: Sequence[Citation], question: str) -> dict[int, Citation]:
    laws = known_laws()
    names = [fragment.law_name for fragment in fragments if fragment.law_id not in laws]
    unknown = IndexedLaws(lambda: {name: name for name in names})
    by_fragment: dict[int, Citation] = {}
    official_first = sorted(fragments, key=lambda fragment: not fragment.official)
    for citation in citations:
        for fragment in official_first:
            if fragment.provision_key != citation.provision_key:
                continue
            law = laws.get(fragment.law_id)
            if citation.law_id is None:
                of_law = law is None and unknown.law_cited(question, citation.end) == fragment.law_name
            else:
                of_law = law is not None and citation.law_id in (law.id, law.superseded_by)
            # Without a law it is the first that has such a provision; a question about the past means the law of then.
            if not citation.law_named or of_law:
                before = by_fragment.get(id(fragment))
                by_fragment[id(fragment)] = _joined(before, citation) if before else citation
                break
    return by_fragment


def _joined(before: Citation, citation: Citation) -> Citation:
    """Return a citation of all parts that two citations name; of the whole provision if one names none."""
    both = before.places and citation.places
    return replace(before, places=(*before.places, *citation.places) if both else ())


def _select_whole(named: Sequence[RatedProvision], fragments: Sequence[Fragment]) -> Selection:
    statements = tuple(_whole(provision) for provision in named[:MAX_PROVISIONS])
    lead = _lead(named[0]) if named and named[0].first.official else None
    of_named = [fragment for provision in named for fragment in provision.fragments]
    return Selection(statements, lead, whole=True, irrelevant=_others(fragments, of_named))


def _others(fragments: Sequence[Fragment], relevant: Sequence[Fragment]) -> tuple[Fragment, ...]:
    ids = set(map(id, relevant))
    return tuple(fragment for fragment in fragments if id(fragment) not in ids)


def _selected(provisions: Sequence[RatedProvision], share: float) -> list[RatedProvision]:
    """Return the provisions of an answer; ``share`` is that of the best one's fit."""
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
    if provision.plain is None or provision.outdated:
        return None
    texts = [point.text for point in points]
    if not texts:
        places = provision.citation.places if provision.citation else ()
        inside = [point for point in provision.points for place in places if point.apartado == place.apartado]
        lettered = [point for point in inside for place in places if place.letter in point.letters]
        told = [point.text for point in lettered or inside]
        texts = first_sentences(told or provision.plain.summary, MAX_LEAD_WORDS)
    if not texts:
        return None
    apartado = points[0].apartado if points else ""
    return Statement(" ".join(texts), (provision.first,), literal=False, apartado=apartado)


def _whole(provision: RatedProvision) -> Statement:
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
    cited = {passage.position for place in citation.places for passage in _passages_of(passages, place)}
    return [passage for passage in passages if passage.position in cited] or passages


def _passages_of(passages: list[Passage], place: Place) -> list[Passage]:
    inside = passages
    if place.apartado:
        inside = [passage for passage in passages if passage.apartado == place.apartado]
    return [passage for passage in inside if place.letter and passage.letter == place.letter] or inside


def _statements(
    provision: RatedProvision,
    max_quotes: int,
    room: int,
    points: Sequence[Point],
    lead: Statement | None,
    *,
    is_first: bool,
) -> list[Statement]:
    """Quote the passages that support ``points`` and the best others, at most ``most``, within ``room`` words."""
    passages, scores = provision.passages, provision.passage_scores
    candidates = list(range(len(passages)))
    if provision.citation:
        cited = _cited_passages(passages, provision.citation)
        candidates = [index for index in candidates if passages[index] in cited]
    by_score = sorted(candidates, key=lambda index: -scores[index])
    carrying = [index for index in map(provision.carrying, points) if index in candidates]
    chosen: list[Passage] = []
    statements: list[Statement] = []
    for index in dict.fromkeys([*carrying, *by_score]):
        is_close = index in (*carrying, by_score[0]) or scores[index] >= _CLOSE * scores[by_score[0]]
        if len(chosen) == max_quotes or not is_close:
            break
        if chosen and index not in carrying and not provision.has_words_of_question(passages[index]):
            continue
        if any(passages[index].position == part.position for other in chosen for part in other.parts):
            continue
        quoted = _quotations([*chosen, passages[index]], provision)
        if lead and not quoted[-1].literal and quoted[-1].text in lead.text:
            continue
        is_required = not chosen and (is_first or provision.citation is not None)
        if is_required or _words(quoted) <= room:
            chosen.append(passages[index])
            statements = quoted
    return statements


def _words(statements: Sequence[Statement]) -> int:
    return sum(len(statement.text.split()) for statement in statements)


def _quotations(chosen: Sequence[Passage], provision: RatedProvision) -> list[Statement]:
    if not provision.first.official:
        return [_in_our_words(provision, passage) for passage in chosen]
    groups: dict[str, list[Passage]] = {}
    for passage in chosen:
        groups.setdefault(passage.apartado, []).append(passage)
    return [
        Statement(
            without_number("\n".join(quote(group)), apartado),
            _sources(group),
            literal=True,
            apartado=apartado,
            letter=group[0].letter if len({passage.letter for passage in group}) == 1 else "",
        )
        for apartado, group in groups.items()
    ]


def without_number(text: str, apartado: str) -> str:
    """Return a quotation without the number of its apartado, which its place already has."""
    mark = _NUMBER.match(text)
    return text[mark.end() :] if mark and mark[1] == apartado else text


def _in_our_words(provision: RatedProvision, passage: Passage) -> Statement:
    point = provision.points[[other.position for other in provision.passages].index(passage.position)]
    letter = point.letters[0] if len(point.letters) == 1 else ""
    return Statement(point.text, (passage.fragment,), literal=False, apartado=point.apartado, letter=letter)


def _sources(passages: Sequence[Passage]) -> tuple[Fragment, ...]:
    sources = {id(part.fragment): part.fragment for passage in passages for part in passage.parts}
    return tuple(sources.values())


def _set_right(
    question: str,
    best: RatedProvision,
    points: Sequence[Point],
    statements: Sequence[Statement],
    scorer: Scorer,
) -> SetRight | None:
    text = points[0].text if points else next((statement.text for statement in statements), "")
    (rated,) = scorer.rate([text], best.first)
    if rated.own < _SAME_MATTER:
        return None
    return set_right(question, text, scorer.domain.language.query_patterns)
