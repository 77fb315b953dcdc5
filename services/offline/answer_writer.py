"""The offline principal: quotes the passages of the context that answer the question, and comments on nothing."""

import re
from collections.abc import Sequence

from langchain_core.messages import BaseMessage, HumanMessage
from pydantic import ConfigDict

from language.languages import Language
from legal.citations.owners import CitationContext
from legal.labels import provision_key, provision_name
from legal.laws.mentions import find_law
from legal.laws.registry import known_laws
from services.domain.base import Domain
from services.domain.lexicon import EqualWeights, StemWeights
from services.domain.question import earlier_topic, is_courtesy, without_protocol
from services.offline.chat_model import OfflineChat
from services.offline.quotation import Choice, Quotation, choose
from services.offline.rating import in_force
from services.prompting.fragments import Fragment, read_prompt
from services.prompting.stream_splitter import DELIMITER

_ENDED = re.compile(r"\W*(?:precepto )?(?:(?:derogad|suprimid|anulad)[oa]s?|de vigencia agotada)\W*", re.IGNORECASE)
"""A text that says no more than that it is law no longer."""


class ExtractivePrincipal(OfflineChat):
    """Answers with literal quotations, provision by provision, and speaks the protocol of ``self_evaluation``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return quotations and, where the fragments have marks, the self-evaluation."""
        asked = [str(message.text) for message in messages if isinstance(message, HumanMessage)]
        fragments, question = read_prompt(asked[-1])
        question = without_protocol(question)
        language = self.domain.language
        if is_courtesy(question, language):
            choice, answer = Choice([], []), language.say("courtesy")
        else:
            earlier = earlier_topic(question, asked[:-1], language)
            choice = choose(question, fragments, self.domain, self.weights, earlier)
            answer = _answer(choice.quotations, self.domain)
        if not any(fragment.marker for fragment in fragments):
            return answer
        return "\n".join([answer, "", DELIMITER, *_metadata(choice, fragments, self.domain)])


def _answer(quotations: Sequence[Quotation], domain: Domain) -> str:
    language = domain.language
    if not quotations:
        return f"{language.say('no_verified_information')}."
    kinds = {quotation.fragments[0].official for quotation in quotations}
    notice = "quotes_of_both" if len(kinds) > 1 else domain.quotes_notice if True in kinds else "quotes_of_summaries"
    return "\n\n".join([language.say(notice), *(_paragraph(quotation, language) for quotation in quotations)])


def _paragraph(quotation: Quotation, language: Language) -> str:
    """Quote one provision; that it is no longer in force is said before what it says."""
    first = quotation.fragments[0]
    title = f" ({first.title})" if first.title not in ("", first.provision) else ""
    label = "" if first.official else f", {language.say('quotes_summary')}"
    quoted = " ".join(map(language.quoted, quotation.sentences))
    noted = dict.fromkeys(one.note.rstrip(".") for one in quotation.fragments if one.note)
    notes = " ".join(language.say("quotes_note", note=note) for note in noted)
    said = f"{quoted} {notes}" if in_force(first) else f"{notes} {language.say('quotes_said', quoted=quoted)}"
    if notes and all(map(_ENDED.fullmatch, quotation.sentences)):
        said = f"{quoted} {notes}"
    marks = "".join(sorted({one.marker for one in quotation.fragments}, key=lambda mark: (len(mark), mark)))
    return f"{first.law_name}, {first.provision}{title}{label}: {said.rstrip()} {marks}".rstrip()


def _metadata(choice: Choice, fragments: Sequence[Fragment], domain: Domain) -> list[str]:
    lines = [
        f"USED|{_numbers([one for quotation in choice.quotations for one in quotation.fragments])}",
        f"DROP|{_numbers(choice.useless)}",
    ]
    if need := _missing(choice.quotations, fragments, domain):
        lines.append(need)
    return lines


def _numbers(fragments: Sequence[Fragment]) -> str:
    return ",".join(dict.fromkeys(fragment.marker.strip("[]C") for fragment in fragments)) or "ninguno"


def _missing(quotations: Sequence[Quotation], fragments: Sequence[Fragment], domain: Domain) -> str | None:
    """Ask for the first provision that a quotation refers to and the context does not have."""
    present = {(law.id, provision_key(one.provision)) for one in fragments if (law := find_law(one.law_name))}
    for quotation in quotations:
        law = find_law(quotation.fragments[0].law_name)
        if law is None:
            continue
        for citation in domain.citations(" ".join(quotation.sentences), CitationContext(law_id=law.id)):
            cited = known_laws().get(citation.law_id or "")
            if cited and (cited.id, citation.provision_key) not in present:
                return f"NEED|{provision_name(citation.provision_key)}|{cited.short}"
    return None
