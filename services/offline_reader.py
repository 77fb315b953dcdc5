"""The offline reader: keyword searches from the words of the question and the synonym table."""

import json
from collections.abc import Iterable, Sequence

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import ConfigDict

from legal.citations import parse_citations
from legal.synonyms import Spoken, find_terms
from services.figures import without_measure
from services.lexicon import EqualWeights, StemWeights
from services.offline_chat import OfflineChat
from services.question import is_courtesy, matter_of, points_back, without_protocol
from services.text import SpanishStemmer, content_words, stems

FOLLOW_UP = "MODO: SEGUIMIENTO"
"""A line of the system prompt that tells a follow-up with carried-over context from a first question."""

_MOST, _MOST_IN_FOLLOW_UP = 4, 3
_TERMS = 6
_FEW = 3
_SURE = 0.7
_stem = SpanishStemmer().stem_word


class KeywordReader(OfflineChat):
    """Decomposes a question without a model.

    Searches: the question's own words; then the legal terms that its colloquial ones call for, together where they
    fit into one search, else one search a term; 6 words at most each. A provision that the question names is looked
    up elsewhere: only what the question says beside it is searched. In a follow-up only what the conversation has
    not had yet is searched, together with what it was about; nothing new gives ``[]``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return a JSON array of 1-4 searches (0-3 in a follow-up)."""
        texts = [str(message.text) for message in messages]
        question, earlier = without_protocol(texts[-1]), texts[1:-1]
        matter = without_measure(matter_of(question))
        asked = [str(message.text) for message in messages[:-1] if isinstance(message, HumanMessage)]
        if FOLLOW_UP in texts[0].splitlines():
            courtesy = is_courtesy(question)
            searches = [] if courtesy else self._follow_up(matter, earlier, asked)[:_MOST_IN_FOLLOW_UP]
        else:
            topic = self._topic(asked) if matter and points_back(question) else []
            searches = self._searches(matter, topic)
            if not searches and asked and not parse_citations(question):
                searches = self._searches(asked[-1])
            searches = searches[:_MOST] or [question or texts[-1]]
        return json.dumps(searches, ensure_ascii=False)

    def _searches(self, question: str, topic: Iterable[str] = ()) -> list[str]:
        words = content_words(question)
        if not words:
            return []
        # A term is searched by its first legal name; a lone one by its second, too, if the table is sure.
        terms = find_terms(question, _stem)
        rest = [word for word in words if not any(_stem(word) in term.stems for term in terms)]
        together = _joined(*(content_words(term.legal[0][0]) for term in terms))
        own = self._best([*words, *topic, *(together if len(words) < _FEW else ())])
        if len(together) <= _TERMS:
            searches = [own, self._best([*together, *rest, *topic])]
        else:
            searches = [own, *(self._best([*content_words(term.legal[0][0]), *rest]) for term in terms)]
        if len(terms) == 1:
            searches += [self._best([*content_words(name), *rest]) for name in _second(terms[0])]
        return _distinct(searches)

    def _follow_up(self, question: str, earlier: Sequence[str], asked: Sequence[str]) -> list[str]:
        known = {stem for text in earlier for stem in stems(text)}
        new = [word for word in content_words(question) if _stem(word) not in known]
        return self._searches(" ".join(new), self._topic(asked))

    def _topic(self, asked: Sequence[str]) -> list[str]:
        """Return the words that say most of the question before."""
        return self._best(content_words(asked[-1])).split()[:3] if asked else []

    def _best(self, words: Sequence[str]) -> str:
        """Return the 6 words that say most, in their order; a word of no text of the index says little."""
        distinct = _joined(words)
        idf = {word: self.weights.idf(_stem(word)) for word in distinct}
        ranked = sorted(distinct, key=lambda word: -(idf[word] if idf[word] < 1 else 0.0))
        kept = set(ranked[:_TERMS])
        return " ".join(word for word in distinct if word in kept)


def _second(term: Spoken) -> list[str]:
    return [name for name, surely in term.legal[1:2] if surely >= _SURE]


def _joined(*lists: Sequence[str]) -> list[str]:
    """Return the words of all lists, the first of each stem."""
    by_stem: dict[str, str] = {}
    for word in (word for words in lists for word in words):
        by_stem.setdefault(_stem(word), word)
    return list(by_stem.values())


def _distinct(searches: Iterable[str]) -> list[str]:
    """Drop searches whose stems another one has already, all of them."""
    kept: list[str] = []
    for search in sorted(searches, key=lambda text: -len(text.split())):
        if not any(set(stems(search)) <= set(stems(other)) for other in kept):
            kept.append(search)
    order = list(searches)
    return sorted(kept, key=order.index)
