"""Offline answer model: a plain-language lead, then quotations of the best provisions.

``ExtractivePrincipal`` replaces the provider's answer model. It writes the corrected figure of the
question, the plain-language lead, the quotations, the companions (claim deadline, application deadline,
notice, or the place to apply) and the self-evaluation lines of the protocol. It always answers if the
prompt has fragments: the graph has already decided that the question can be answered. ``with_companions``
adds the companions to a selection.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import groupby

from langchain_core.messages import BaseMessage
from pydantic import ConfigDict

from articulado.answering.chat_model import OfflineChat
from articulado.answering.figures import figures_in
from articulado.answering.passages import passages_of
from articulado.answering.quotation import Selection, Statement, select, without_number
from articulado.answering.rating import Scorer, TextSimilarity, in_force, note_for_readers, says_only_that_it_is_gone
from articulado.answering.shortening import read_point, shorten
from articulado.calculations.parameters import asks_for_value_alone
from articulado.calculations.written import UNDERSTOOD
from articulado.language.languages import Language
from articulado.legal.citations.owners import CitationContext
from articulado.legal.domain.base import Domain, EqualWeights, StemWeights
from articulado.legal.domain.spanish_law import (
    asks_for_the_place,
    is_about_answer,
    is_courtesy,
    split_subject,
    without_protocol,
)
from articulado.legal.labels import provision_key, provision_name
from articulado.legal.laws.mentions import find_law
from articulado.legal.laws.registry import known_laws
from articulado.prompting.fragments import Fragment, read_prompt
from articulado.prompting.protocol_lines import DELIMITER
from articulado.values.chunks import Purpose

MAX_COMPANIONS, MAX_WORDS = 2, 70
"""Companions that an answer quotes, and the words of them together; the first may go beyond."""
COMPANION_WORDS = 40
"""Words of the quotation of a companion."""

STATED: tuple[Purpose, ...] = ("value", "calculation", "missing_data")
"""Purposes of fragments that state a value and are no provision."""
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


COMPANIONS: Mapping[Purpose, str] = {
    "claim_deadline": "companion_claim_deadline",
    "application_deadline": "companion_application_deadline",
    "notice": "companion_notice",
    "where": "companion_where",
    "value": "companion_value",
}
"""Keys of the messages before the quotation of a companion, by what it is for."""


class ExtractivePrincipal(OfflineChat):
    """Answers with what is written: our words on the law first, then its own; and evaluates itself by the protocol.

    That a question can be answered has been decided before: where there are fragments, it answers. ``similarity`` is
    learnt, where there is an index; ``closeness`` is that of a sentence encoder, for texts of files.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    domain: Domain
    weights: StemWeights = EqualWeights()
    similarity: TextSimilarity | None = None
    closeness: TextSimilarity | None = None

    def reply(self, messages: Sequence[BaseMessage]) -> str:
        """Return the answer and, where the fragments have numbers, the self-evaluation."""
        language = self.domain.language
        fragments, asked = read_prompt(str(messages[-1].text))
        question, earlier = map(without_protocol, split_subject(asked, language))
        if is_courtesy(question, language):
            selection, answer = Selection(), language.translate("courtesy")
        elif answered := self._value_alone(question, fragments):
            selection, answer = answered
        elif worked := [fragment for fragment in fragments if fragment.purpose == "calculation"]:
            selection, answer = self._worked(worked, fragments, question, earlier)
        else:
            selection, note = self._selection(question, earlier, fragments), ""
            if not is_about_answer(asked, language):
                selection, note = self._not_repeated(selection, question, fragments, messages[:-1])
            where = _where_it_stands(selection, language) if asks_for_the_place(asked, language) else ""
            values = _values_of(fragments) if selection.statements and not selection.whole else ()
            selection = replace(selection, companions=(*selection.companions, *values))
            lacking = [fragment for fragment in fragments if fragment.purpose == "missing_data"]
            asked_for = [_worked_text(fragment, fragments, self.domain) for fragment in lacking]
            selection = replace(selection, used=tuple(lacking))
            answer = "\n\n".join(filter(None, [where, note, *_paragraphs(selection, self.domain), *asked_for]))
        if not any(fragment.number for fragment in fragments):
            return answer
        return "\n".join([answer, "", DELIMITER, *_self_evaluation(selection, fragments, self.domain)])

    def _selection(self, question: str, earlier: str, fragments: Sequence[Fragment]) -> Selection:
        """Return what the provisions say, with the companions."""
        topic = self.domain.question_topic(question) or question
        scorer = Scorer(topic, earlier, self.domain, self.weights, self.similarity, self.closeness)
        provisions = [fragment for fragment in fragments if fragment.purpose not in STATED]
        return with_companions(select(question, provisions, scorer), provisions, self.domain)

    def _not_repeated(
        self, selection: Selection, question: str, fragments: Sequence[Fragment], history: Sequence[BaseMessage]
    ) -> tuple[Selection, str]:
        """Return what the provisions say on a turn's own words where an earlier answer has said all of a selection.

        If that was said as well, the selection stays, with a note that it is the same. A question asked twice is
        answered twice.
        """
        texts = {
            kind: [_on_one_line(str(each.text)) for each in history if each.type == kind] for kind in ("human", "ai")
        }
        if _on_one_line(question) in texts["human"] or not _is_said(selection, texts["ai"]):
            return selection, ""
        others = self._selection(question, "", fragments)
        if others.statements and not _is_said(others, texts["ai"]):
            return others, ""
        return selection, self.domain.language.translate("answer_same")

    def _worked(
        self, worked: Sequence[Fragment], fragments: Sequence[Fragment], question: str, earlier: str
    ) -> tuple[Selection, str]:
        """Answer with worked results: their steps, and what the law adds on deadlines and places."""
        companions = self._selection(question, earlier, fragments).companions
        lacking = [fragment for fragment in fragments if fragment.purpose == "missing_data"]
        texts = [_worked_text(fragment, fragments, self.domain) for fragment in (*worked, *lacking)]
        said = "\n".join(_companion(statement, self.domain.language) for statement in companions)
        cited = [
            fragment for fragment in fragments if any(fragment.marker in text for text in texts if fragment.marker)
        ]
        return Selection(companions=companions, used=tuple(cited)), "\n\n".join(filter(None, [*texts, said]))

    def _value_alone(self, asked: str, fragments: Sequence[Fragment]) -> tuple[Selection, str] | None:
        """Answer a question that asks for nothing but a reference value; ``None`` for any other question."""
        values = _values_of(fragments)
        if not values or not asks_for_value_alone(asked):
            return None
        others = tuple(fragment for fragment in fragments if fragment.purpose != "value")
        text = "\n".join(f"{value.text} {_marks(value.fragments)}".rstrip() for value in values)
        return Selection(companions=values, irrelevant=others), text


def _is_said(selection: Selection, answers: Sequence[str]) -> bool:
    """Tell whether one of the answers, each on one line, says all of a selection."""
    says = [_on_one_line(said.text) for said in (*filter(None, [selection.lead]), *selection.statements)]
    return bool(says) and any(all(text in answer for text in says) for answer in answers)


def _worked_text(worked: Fragment, fragments: Sequence[Fragment], domain: Domain) -> str:
    """Return the lines of a worked result, each with its marker and those of the provisions that it names."""
    by_provision = {
        (law.id, provision_key(fragment.provision)): fragment
        for fragment in reversed(fragments)
        if fragment.purpose not in STATED and (law := find_law(fragment.law_name))
    }
    lines = []
    for line in worked.text.splitlines():
        named = [by_provision.get((one.law_id or "", one.provision_key)) for one in domain.citations(line)]
        # Data read off the question and data asked for are no claims.
        claims = any(character.isdigit() for character in line) and not line.startswith((UNDERSTOOD, "- ¿"))
        lines.append(f"{line} {_marks([worked, *filter(None, named)])}".rstrip() if claims else line)
    return "\n".join(lines)


def _values_of(fragments: Sequence[Fragment]) -> tuple[Statement, ...]:
    """Return what the fragments say of dated reference values."""
    return tuple(
        Statement(_on_one_line(fragment.text), (fragment,), literal=False)
        for fragment in fragments
        if fragment.purpose == "value"
    )


def _paragraphs(selection: Selection, domain: Domain) -> Iterator[str]:
    """Write an answer: what sets the question right, our words, what the provisions say, and what goes with it."""
    language = domain.language
    first = next(iter([*filter(None, [selection.lead]), *selection.statements]), None)
    if first is None:
        yield f"{language.translate('no_verified_information')}."
        return
    if selection.set_right:
        right = language.translate(
            "answer_figure", right=selection.set_right.right, claimed=selection.set_right.claimed
        )
        yield f"{right} {_marks(first.fragments)}".rstrip()
    if selection.lead:
        place = "" if first.fragments[0].official else f" ({_place(first, None, language)})"
        words = language.translate("answer_in_our_words", place=place, text=first.text)
        yield f"{words} {_marks(first.fragments)}".rstrip()
    for literal, group in groupby(selection.statements, key=lambda statement: statement.literal):
        statements = list(group)
        of_files = any(_is_of_file(fragment) for statement in statements for fragment in statement.fragments)
        notice = "quotes_of_sources" if of_files else domain.quotes_notice
        lines = [language.translate(notice if literal else "quotes_of_summaries")]
        before: Fragment | None = None
        for statement in statements:
            place = _place(statement, before, language)
            place = place and f"{place}: "
            before = statement.fragments[0]
            lines.append(_line(place, statement, language, whole=selection.whole))
        yield "\n".join(lines)
    if selection.companions:
        yield "\n".join(_companion(statement, language) for statement in selection.companions)


def _is_of_file(fragment: Fragment) -> bool:
    """Tell whether a fragment is of an agreement or another file of one's own: what it says is no law."""
    return bool(fragment.validity) or fragment.url.startswith("file:")


def _where_it_stands(selection: Selection, language: Language) -> str:
    """Name the provisions that an answer rests on, each once; nothing where there is none."""
    places = {
        _place(replace(statement, apartado="", letter=""), None, language): _marks(statement.fragments)
        for statement in reversed(selection.statements)
    }
    named = "; ".join(f"{place} {marks}".rstrip() for place, marks in reversed(places.items()))
    return language.translate("answer_stands_in", places=named) if named else ""


def _companion(statement: Statement, language: Language) -> str:
    """Say until when, or where, what an answer is about is done."""
    purpose = statement.fragments[0].purpose
    label = language.translate(COMPANIONS[purpose], place=_place(statement, None, language)) if purpose else ""
    said = language.quoted(statement.text) if statement.literal else statement.text
    return f"{label} {said} {_marks(statement.fragments)}".strip()


def _line(place: str, statement: Statement, language: Language, *, whole: bool) -> str:
    """Say what one place says; that it is no longer in force is said before."""
    first = statement.fragments[0]
    said = language.quoted(statement.text) if statement.literal else statement.text
    if whole and "\n" in said:
        place, said = place.rstrip(), f"\n{said}"
    note = note_for_readers(first)
    if note:
        note = language.translate("quotes_note", note=note)
        gone = not in_force(first) and not says_only_that_it_is_gone(statement.text)
        said = f"{note} {language.translate('quotes_said', quoted=said)}" if gone else f"{said} {note}"
    return f"- {place}{said} {_marks(statement.fragments)}".rstrip()


def _place(statement: Statement, before: Fragment | None, language: Language) -> str:
    """Name where a statement stands: "Estatuto de los Trabajadores, artículo 38.1"; of an agreement with its validity.

    ``before`` is what the line above is of: the same law and provision need not be named again.
    """
    first = statement.fragments[0]
    same = before is not None and (before.law_name, before.provision) == (first.law_name, first.provision)
    name, of_law = first.provision, provision_key(first.provision) is not None
    number = statement.apartado if of_law else ""
    letter = f" {statement.letter})" if of_law and statement.letter else ""
    if same:
        place = language.translate("place_part", number=number) if number else ""
        return f"{place}{letter}".lstrip()
    if of_law:
        name = name[0].lower() + name[1:]
    if number:
        name += f".{number}" if name[-1].isdigit() else f", {language.translate('place_part', number=number).lower()}"
    validity = language.translate("place_validity", validity=first.validity) if first.validity else ""
    page = language.translate("place_page", page=first.page) if first.page else ""
    return f"{first.law_name}, {name}{letter}{validity}{page}"


def _marks(fragments: Sequence[Fragment]) -> str:
    marks = {fragment.marker for fragment in fragments}
    return "".join(sorted(marks, key=lambda mark: (len(mark), mark)))


def _self_evaluation(selection: Selection, fragments: Sequence[Fragment], domain: Domain) -> list[str]:
    """Return the lines below the answer: fragments used and irrelevant, and the provision that is missing."""
    said = (*selection.statements, *selection.companions)
    used = [*selection.used, *(fragment for statement in said for fragment in statement.fragments)]
    if selection.lead:
        used = [*selection.lead.fragments, *used]
    lines = [f"USED|{_numbers(used)}", f"DROP|{_numbers(selection.irrelevant)}"]
    # Who wants the text of a provision wants that of no other; and what only adds to the rule sends nobody elsewhere.
    if not selection.whole and (need := _needed(selection.statements[:1], fragments, domain)):
        lines.append(need)
    return lines


def _numbers(fragments: Sequence[Fragment]) -> str:
    return ",".join(dict.fromkeys(str(fragment.number) for fragment in fragments)) or "ninguno"


def _needed(statements: Sequence[Statement], fragments: Sequence[Fragment], domain: Domain) -> str | None:
    """Return the line that asks for the first provision that a quotation refers to and the context does not have."""
    present = {
        (law.id, provision_key(fragment.provision)) for fragment in fragments if (law := find_law(fragment.law_name))
    }
    for statement in statements:
        law = find_law(statement.fragments[0].law_name)
        # Of a record, what it refers to is told where it matters.
        if law is None or not statement.literal:
            continue
        for citation in domain.citations(statement.text, CitationContext(law_id=law.id)):
            cited = known_laws().get(citation.law_id or "")
            if cited and (cited.id, citation.provision_key) not in present:
                return f"NEED|{provision_name(citation.provision_key)}|{cited.short}"
    return None
