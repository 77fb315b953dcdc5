"""The offline reader: what of a question is to be searched, without a model."""

import json
from collections.abc import Iterable, Sequence

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import ConfigDict

from services.domain.base import Domain
from services.domain.lexicon import EqualWeights, StemWeights
from services.domain.question import is_courtesy, points_back, searched_topic, without_protocol
from services.offline.chat_model import OfflineChat

FOLLOW_UP = "MODO: SEGUIMIENTO"
"""A line of the system prompt that tells a follow-up with carried-over context from a first question."""

_TOPIC = 3
"""Words of the question before that say what a follow-up is about."""


class KeywordReader(OfflineChat):
    """Reads a question without a model, and gives one search: all of it that is matter.

    Taken apart into keywords and legal terms it was found worse (docs/retrieval.md): both encoders read a question as
    it is asked, and add the legal terms themselves. A provision that the question names is looked up elsewhere: only
    what the question says beside it is searched. In a follow-up only what the conversation has not had yet is
    searched, together with what it was about; nothing new gives ``[]``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return a JSON array of one search, or none in a follow-up."""
        language = self.domain.language
        texts = [str(message.text) for message in messages]
        question, earlier = without_protocol(texts[-1]), texts[1:-1]
        matter = searched_topic(question, self.domain)
        asked = [str(message.text) for message in messages[:-1] if isinstance(message, HumanMessage)]
        if FOLLOW_UP in texts[0].splitlines():
            searches = [] if is_courtesy(question, language) else self._follow_up(matter, earlier, asked)
        else:
            topic = self._topic(asked) if matter and points_back(question, language) else []
            searches = self._search(matter, topic)
            if not searches and asked and not self.domain.citations(question):
                searches = self._search(asked[-1])
            searches = searches or [question or texts[-1]]
        return json.dumps(searches, ensure_ascii=False)

    def _follow_up(self, question: str, earlier: Sequence[str], asked: Sequence[str]) -> list[str]:
        known = {stem for text in earlier for stem in self.domain.stems(text)}
        language = self.domain.language
        new = [word for word in language.content_words(question) if language.stem_word(word) not in known]
        return self._search(" ".join(new), self._topic(asked))

    def _topic(self, asked: Sequence[str]) -> list[str]:
        """Return the words that say most of the question before, in their order; one of no text says little."""
        language = self.domain.language
        words = reversed(language.content_words(asked[-1])) if asked else ()
        distinct = list({language.stem_word(word): word for word in words}.values())
        idf = {word: self.weights.idf(language.stem_word(word)) for word in distinct}
        kept = set(sorted(distinct, key=lambda word: -(idf[word] if idf[word] < 1 else 0.0))[:_TOPIC])
        return [word for word in reversed(distinct) if word in kept]

    def _search(self, matter: str, topic: Iterable[str] = ()) -> list[str]:
        return [" ".join([matter, *topic])] if self.domain.language.content_words(matter) else []
