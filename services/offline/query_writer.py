"""The offline reader: writes the search of a question without a model."""

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

_TOPIC_WORDS = 3
"""How many words of the question before say what a follow-up is about."""


class KeywordReader(OfflineChat):
    """Reads a question without a model, and gives one search: all of it that is topic.

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
        question, earlier_texts = without_protocol(texts[-1]), texts[1:-1]
        question_topic = searched_topic(question, self.domain)
        earlier_questions = [str(message.text) for message in messages[:-1] if isinstance(message, HumanMessage)]
        if FOLLOW_UP in texts[0].splitlines():
            searches = (
                []
                if is_courtesy(question, language)
                else self._follow_up_search(question_topic, earlier_texts, earlier_questions)
            )
        else:
            is_follow_up = question_topic and points_back(question, language)
            searches = self._search(question_topic, self._topic_words(earlier_questions) if is_follow_up else ())
            if not searches and earlier_questions and not self.domain.citations(question):
                searches = self._search(earlier_questions[-1])
            searches = searches or [question or texts[-1]]
        return json.dumps(searches, ensure_ascii=False)

    def _follow_up_search(
        self, question_topic: str, earlier_texts: Sequence[str], earlier_questions: Sequence[str]
    ) -> list[str]:
        """Return a search of the words that the conversation has not had yet, and of what it was about."""
        earlier_stems = {stem for text in earlier_texts for stem in self.domain.stems(text)}
        language = self.domain.language
        words = language.content_words(question_topic)
        new_words = [word for word in words if language.stem_word(word) not in earlier_stems]
        return self._search(" ".join(new_words), self._topic_words(earlier_questions))

    def _topic_words(self, earlier_questions: Sequence[str]) -> list[str]:
        """Return the words that say most of the last question, in their order; one of no indexed text says little."""
        language = self.domain.language
        words = reversed(language.content_words(earlier_questions[-1])) if earlier_questions else ()
        distinct = list({language.stem_word(word): word for word in words}.values())
        idf = {word: self.weights.idf(language.stem_word(word)) for word in distinct}
        kept = set(sorted(distinct, key=lambda word: -(idf[word] if idf[word] < 1 else 0.0))[:_TOPIC_WORDS])
        return [word for word in reversed(distinct) if word in kept]

    def _search(self, question_topic: str, topic_words: Iterable[str] = ()) -> list[str]:
        if not self.domain.language.content_words(question_topic):
            return []
        return [" ".join([question_topic, *topic_words])]
