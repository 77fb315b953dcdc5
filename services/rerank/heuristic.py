"""The reranker that needs no model: words, legal synonyms, and what is known of the law."""

from collections.abc import Callable, Sequence

from legal.registry import known_laws
from legal.synonyms import of_the_field
from services.concepts import Concept, concepts_of, coverage
from services.lexicon import EqualWeights, StemWeights
from services.text import SpanishStemmer, stems
from state.chunks import REPEALED, Candidate, Chunk

_TITLE, _SPOKEN, _TEXT, _BREADCRUMB, _LAW = 1.0, 0.9, 0.75, 0.6, 0.4
"""How prominent a stem is by where it stands."""
_QUERIES = 0.9
"""What covering one whole search of the decomposer counts for, against covering the whole question."""
_OFF_FIELD, _SHARPNESS = 0.6, 1.5
_FUSION = 0.2
_RANKS = {1: 1.0, 2: 1.0, 3: 0.97, 4: 0.94, 5: 0.91}
_SPECIAL_STATUTE = 0.85
_NOT_IN_FORCE = 0.6
_KINDS = {"dt": 0.85, "df": 0.8, "dd": 0.8}
"""Transitional, final and derogatory dispositions seldom are the rule that is asked about."""
_AMENDING = 0.5
_stem = SpanishStemmer().stem_word


class HeuristicReranker:
    """Scores by how much of the question a candidate covers; satisfies ``Reranker``.

    With C(x) the IDF-weighted share of the concepts of x that the candidate covers, directly or by a legal synonym,
    each by its most prominent place (title 1, words of people 0.9, text 0.75, chapter 0.6, name of the law 0.4)::

        lexical = max(C(question), 0.9 · max over searches of C(search))
        field   = lexical where the question has a word that only this field has, else 0.6 · lexical^1.5
        score   = field · (0.8 + 0.2 · fusion score) · priors of rank, statute, force and kind of provision

    The priors are at most 1 and only order equals: statutes before orders, general statutes before special ones, law
    in force before repealed law, articles before transitional dispositions, rules of a law before its amendments of
    others. A question on another field must stay low whatever the fusion score, hence the product.
    """

    # A candidate costs half a millisecond, and the best by search score leave out provisions that it would put first
    # (docs/retrieval.md).
    is_cheap = True

    def __init__(self, weights: StemWeights | None = None, spoken: Callable[[Chunk], str] = lambda chunk: "") -> None:
        self._weights = weights or EqualWeights()
        self._spoken = spoken

    async def score(self, question: str, queries: Sequence[str], candidates: Sequence[Candidate]) -> list[float]:
        """Return one relevance in [0, 1] for each candidate, in their order (about 0.5 ms each)."""
        asked = concepts_of(question, self._weights)
        searched = [concepts_of(query, self._weights) for query in queries]
        in_field = of_the_field(question, _stem)
        return [self._score(asked, searched, in_field, candidate) for candidate in candidates]

    def _score(
        self, asked: list[Concept], searched: list[list[Concept]], in_field: bool, candidate: Candidate
    ) -> float:
        strengths = _strengths(candidate["chunk"], self._spoken(candidate["chunk"]))
        best_search = max((coverage(concepts, strengths, self._weights) for concepts in searched), default=0.0)
        lexical = max(coverage(asked, strengths, self._weights), _QUERIES * best_search)
        field = lexical if in_field else _OFF_FIELD * lexical**_SHARPNESS
        fusion = min(max(candidate["score"], 0.0), 1.0)
        return float(field * (1 - _FUSION + _FUSION * fusion) * _prior(candidate["chunk"]))


def _strengths(chunk: Chunk, spoken: str) -> dict[str, float]:
    """Return how prominent each stem of a chunk is, in (0, 1]."""
    strengths: dict[str, float] = {}
    topic = chunk["topic"].replace("_", " ")
    for strength, text in (
        (_LAW, chunk["law_name"]),
        (_BREADCRUMB, chunk["breadcrumb"]),
        (_TEXT, chunk["text"]),
        (_SPOKEN, " ".join((spoken, topic, *chunk["attributes"].values()))),
        (_TITLE, f"{chunk['provision']} {chunk['title']}"),
    ):
        strengths.update(dict.fromkeys(stems(text), strength))
    return strengths


def _prior(chunk: Chunk) -> float:
    law = known_laws().get(chunk["law_id"])
    statute = 1.0 if law is None or law.general else _SPECIAL_STATUTE
    force = _NOT_IN_FORCE if chunk["status"] in REPEALED else 1.0
    kind = _KINDS.get(chunk["provision_key"].partition(":")[0], 1.0)
    own = _AMENDING if chunk["title"].startswith("Modificaci") else 1.0
    return _RANKS.get(chunk["rank"], min(_RANKS.values())) * statute * force * kind * own
