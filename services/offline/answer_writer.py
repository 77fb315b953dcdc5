"""The offline principal: answers with the passages of the context that fit the question best, without a comment."""

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
from services.domain.question import earlier_question, is_courtesy, without_protocol
from services.offline.chat_model import OfflineChat
from services.offline.quotation import Quotation, Selection, select_quotations
from services.offline.rating import in_force
from services.prompting.fragments import Fragment, read_prompt
from services.prompting.stream_splitter import DELIMITER

_NO_LONGER_LAW = re.compile(
    r"\W*(?:precepto )?(?:(?:derogad|suprimid|anulad)[oa]s?|de vigencia agotada)\W*", re.IGNORECASE
)
"""A text that says no more than that it is law no longer."""


class ExtractivePrincipal(OfflineChat):
    """Answers with literal quotations, provision by provision, and speaks the protocol of ``self_evaluation``."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return quotations and, where the fragments have marks, the self-evaluation."""
        *earlier_prompts, prompt = [str(message.text) for message in messages if isinstance(message, HumanMessage)]
        fragments, question = read_prompt(prompt)
        question = without_protocol(question)
        language = self.domain.language
        if is_courtesy(question, language):
            selection, answer = Selection([], []), language.say("courtesy")
        else:
            earlier = earlier_question(question, earlier_prompts, language)
            selection = select_quotations(question, fragments, self.domain, self.weights, earlier)
            answer = _answer(selection.quotations, self.domain)
        if not any(fragment.marker for fragment in fragments):
            return answer
        return "\n".join([answer, "", DELIMITER, *_self_evaluation(selection, fragments, self.domain)])


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
    distinct_notes = dict.fromkeys(fragment.note.rstrip(".") for fragment in quotation.fragments if fragment.note)
    notes = " ".join(language.say("quotes_note", note=note) for note in distinct_notes)
    body = f"{quoted} {notes}" if in_force(first) else f"{notes} {language.say('quotes_said', quoted=quoted)}"
    if notes and all(map(_NO_LONGER_LAW.fullmatch, quotation.sentences)):
        body = f"{quoted} {notes}"
    marks = "".join(sorted({fragment.marker for fragment in quotation.fragments}, key=lambda mark: (len(mark), mark)))
    return f"{first.law_name}, {first.provision}{title}{label}: {body.rstrip()} {marks}".rstrip()


def _self_evaluation(selection: Selection, fragments: Sequence[Fragment], domain: Domain) -> list[str]:
    """Return the lines below the answer: fragments used and irrelevant, and the provision that is missing."""
    quoted = [fragment for quotation in selection.quotations for fragment in quotation.fragments]
    lines = [f"USED|{_numbers(quoted)}", f"DROP|{_numbers(selection.irrelevant)}"]
    if need := _needed(selection.quotations, fragments, domain):
        lines.append(need)
    return lines


def _numbers(fragments: Sequence[Fragment]) -> str:
    return ",".join(dict.fromkeys(fragment.marker.strip("[]C") for fragment in fragments)) or "ninguno"


def _needed(quotations: Sequence[Quotation], fragments: Sequence[Fragment], domain: Domain) -> str | None:
    """Return the line that asks for the first provision that a quotation refers to and the context does not have."""
    present = {
        (law.id, provision_key(fragment.provision)) for fragment in fragments if (law := find_law(fragment.law_name))
    }
    for quotation in quotations:
        law = find_law(quotation.fragments[0].law_name)
        if law is None:
            continue
        for citation in domain.citations(" ".join(quotation.sentences), CitationContext(law_id=law.id)):
            cited = known_laws().get(citation.law_id or "")
            if cited and (cited.id, citation.provision_key) not in present:
                return f"NEED|{provision_name(citation.provision_key)}|{cited.short}"
    return None
