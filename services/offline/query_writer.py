"""The offline reader: writes the search of a question without a model."""

import json
from collections.abc import Sequence

from langchain_core.messages import BaseMessage
from pydantic import ConfigDict

from articulado.legal.domain.base import Domain, EqualWeights, StemWeights
from articulado.legal.domain.spanish_law import (
    is_courtesy,
    searched_topic,
    speaks_of_the_answer,
    split_subject,
    without_protocol,
)
from services.offline.chat_model import OfflineChat

FOLLOW_UP = "MODO: SEGUIMIENTO"
"""A line of the system prompt that tells a follow-up with carried-over context from a first question."""


class KeywordReader(OfflineChat):
    """Reads a question without a model, and gives one search: all of it that is topic.

    Taken apart into keywords and legal terms it was found worse (docs/retrieval.md): both encoders read a question as
    it is asked, and add the legal terms themselves. A provision that the question names is looked up elsewhere: only
    what the question says beside it is searched. A follow-up is searched together with its subject; one that only
    speaks of the answer before it gives ``[]``.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return a JSON array of one search, or none in a follow-up."""
        language = self.domain.language
        asked = str(messages[-1].text)
        question, subject = map(without_protocol, split_subject(asked, language))
        if FOLLOW_UP in str(messages[0].text).splitlines():
            searches = self._follow_up(question, subject)
        else:
            searches = self._search(question, subject) or [question or asked]
        return json.dumps(searches, ensure_ascii=False)

    def _follow_up(self, question: str, subject: str) -> list[str]:
        language = self.domain.language
        if is_courtesy(question, language) or speaks_of_the_answer(question, language):
            return []
        return self._search(question, subject)

    def _search(self, question: str, subject: str) -> list[str]:
        topic = " ".join(searched_topic(part, self.domain) for part in (question, subject)).strip()
        return [topic] if self.domain.language.content_words(topic) else []
