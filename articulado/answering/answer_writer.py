"""Offline principal: answer cards and worked results, or quotations of the best provisions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from articulado.answering.principal import HISTORY_MESSAGES, AnswerTask, Write, Written
from articulado.answering.quotation import Selection, Statement, select
from articulado.answering.rating import Scorer, TextSimilarity, in_force
from articulado.calculations.parameters import asks_for_value_alone
from articulado.calculations.written import LACKING, UNDERSTOOD
from articulado.guides.card_answers import BEARING, POINT
from articulado.guides.translations import LONGER
from articulado.language.folding import fold
from articulado.language.languages import Language, in_spanish
from articulado.language.translation import DEFAULT_LANGUAGE
from articulado.legal.citations.owners import CitationContext
from articulado.legal.domain.base import Domain, EqualWeights, StemWeights
from articulado.legal.domain.spanish_law import without_protocol
from articulado.legal.labels import provision_key, provision_name
from articulado.legal.laws.registry import known_laws, name_in
from articulado.prompting.citation_markers import MarkerRenumberer, keep_markers
from articulado.prompting.fragments import Fragment, fragments_of, neutralise
from articulado.prompting.notes import note_for_readers, says_only_gone
from articulado.prompting.outgoing_links import LinkFilter, source_addresses
from articulado.prompting.stream_splitter import SelfEvaluation
from articulado.values.answers import Message, Need
from articulado.values.chunks import ProvisionRef, Purpose

MAX_WORDS, MIN_POINTS = 180, 2  # Target words of an answer by cards, and points of a card that always stay
STATED: tuple[Purpose, ...] = ("card", "caveat", "value", "calculation", "missing_data")
"""Purposes of fragments that are no provision."""


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_PIECE = re.compile(r"(?:\s*\S+){1,24}|\s+")


@dataclass(frozen=True)
class ExtractivePrincipal:
    """Principal without a chat model: plain-language text, then quotations. Satisfies ``Principal``.

    It always answers from its fragments: the graph has decided that the question can be answered. ``similarity`` is
    learnt from the index; ``closeness`` is that of a sentence encoder, for texts of files.
    """

    domain: Domain
    weights: StemWeights = field(default_factory=EqualWeights)
    similarity: TextSimilarity | None = None
    closeness: TextSimilarity | None = None

    name = "sin conexión (citas literales)"
    quotes_only = True

    async def answer(self, task: AnswerTask, write: Write) -> Written:
        """Answer the task (``Principal.answer``)."""
        fragments = fragments_of(task.context, markers=task.marked)
        text, evaluation = self.reply(task, fragments)
        if task.supersedes:
            write({"type": "retry", "reason": task.supersedes})

        def show(piece: str) -> None:
            write({"type": "token", "text": piece})

        links = LinkFilter(source_addresses(task.context), task.language.translate("rag_link_left_out"), show)
        renumberer = MarkerRenumberer(range(1, len(fragments) + 1) if task.marked else range(0), links.feed)
        for piece in _PIECE.findall(text):
            renumberer.feed(piece)
        renumberer.close()
        links.close()
        return Written(links.text, renumberer.cited, evaluation)

    def reply(self, task: AnswerTask, fragments: Sequence[Fragment]) -> tuple[str, SelfEvaluation]:
        """Return the answer to a task, with the markers of its fragments, and the self-evaluation."""
        language, asked = self.domain.language, task.question
        own = [fragment for fragment in fragments if fragment.purpose == "own"]
        if 0 < len(own) < len(fragments):
            rest = [fragment for fragment in fragments if fragment.purpose != "own"]
            (text, of_own), (law, of_law) = self.reply(task, own), self.reply(task, rest)
            both = SelfEvaluation([*of_own.used, *of_law.used], [*of_own.dropped, *of_law.dropped], of_law.needs)
            return f"{text}\n\n{law}", both
        question, earlier = (without_protocol(neutralise(asked[part])) for part in ("text", "subject"))
        if asked["kind"] == "courtesy":
            selection, answer = Selection(), language.translate("courtesy")
        elif answered := self._value_alone(question, fragments):
            selection, answer = answered
        elif any(fragment.purpose in ("card", "calculation") for fragment in fragments):
            selection, answer = self._composed(fragments, task.language)
        else:
            selection, note = self._selection(question, earlier, fragments), ""
            is_about_answer = bool(earlier) and asked["kind"] == "same"
            if not is_about_answer:
                selection, note = self._not_repeated(selection, question, fragments, task.conversation)
            asks_where = is_about_answer and language.query_patterns.place.search(fold(question))
            where = _where_it_stands(selection, language) if asks_where else ""
            values = _values_of(fragments) if selection.statements and not selection.whole else ()
            selection = replace(selection, values=values)
            lacking = [fragment for fragment in fragments if fragment.purpose == "missing_data"]
            asked_for = [_worked_text(fragment, fragments, self.domain) for fragment in lacking]
            selection = replace(selection, used=tuple(lacking))
            answer = "\n\n".join(filter(None, [where, note, *_paragraphs(selection, self.domain), *asked_for]))
        caveats = [_on_one_line(fragment.text) for fragment in fragments if fragment.purpose == "caveat"]
        line = self._in_spanish(asked["language"], task.language, selection, fragments)
        return "\n\n".join(filter(None, [line, *caveats, answer])), _self_evaluation(selection, fragments, self.domain)

    def _in_spanish(self, asked: str, spoken: Language, selection: Selection, fragments: Sequence[Fragment]) -> str:
        """Return the notice, in the question's language, that the answer is in Spanish; empty if not needed."""
        if not asked or self.domain.language.code != DEFAULT_LANGUAGE:
            return ""
        cards = [fragment for fragment in fragments if fragment.purpose == "card"]
        shown = cards or [each for statement in selection.statements for each in statement.fragments]
        foreign = spoken.code != asked or any(fragment.language != asked for fragment in shown)
        return in_spanish(asked) if foreign else ""

    async def close(self) -> None: ...

    def _selection(self, question: str, earlier: str, fragments: Sequence[Fragment]) -> Selection:
        topic = self.domain.question_topic(question) or question
        scorer = Scorer(topic, earlier, self.domain, self.weights, self.similarity, self.closeness)
        provisions = [fragment for fragment in fragments if fragment.purpose not in STATED]
        return select(question, provisions, scorer)

    def _not_repeated(
        self, selection: Selection, question: str, fragments: Sequence[Fragment], conversation: Sequence[Message]
    ) -> tuple[Selection, str]:
        """Replace a selection that an earlier answer contains, unless the question is repeated; else add a note."""
        asked, answered = (
            [
                _on_one_line(neutralise(keep_markers(message["content"], ())[0]))
                for message in conversation[-HISTORY_MESSAGES:]
                if message["role"] == role
            ]
            for role in ("user", "assistant")
        )
        if _on_one_line(question) in asked or not _is_said(selection, answered):
            return selection, ""
        others = self._selection(question, "", fragments)
        if others.statements and not _is_said(others, answered):
            return others, ""
        return selection, self.domain.language.translate("answer_same")

    def _composed(self, fragments: Sequence[Fragment], spoken: Language) -> tuple[Selection, str]:
        of = {purpose: [each for each in fragments if each.purpose == purpose] for purpose in STATED}
        worked = [_worked_text(each, fragments, self.domain) for each in of["calculation"]]
        lacking = [_worked_text(each, fragments, self.domain) for each in of["missing_data"]]
        if of["card"]:
            # The card has said the rule.
            lacking = [f"{asked}{rest}" for each in lacking for _, asked, rest in [each.partition(LACKING)] if asked]
        room = MAX_WORDS - sum(len(text.split()) for text in (*worked, *lacking))
        share = room // max(1, len(of["card"]))
        alone = len(of["card"]) == 1
        cards = [_card_text(each, fragments, self.domain, spoken, share, alone=alone) for each in of["card"]]
        text = "\n\n".join([*worked, *cards, *lacking])
        cited = [each for each in fragments if each.marker and each.marker in text]
        return Selection(used=(*of["card"], *cited)), text

    def _value_alone(self, asked: str, fragments: Sequence[Fragment]) -> tuple[Selection, str] | None:
        values = _values_of(fragments)
        if not values or not asks_for_value_alone(asked):
            return None
        others = tuple(fragment for fragment in fragments if fragment.purpose != "value")
        text = "\n".join(f"{value.text} {_marks(value.fragments)}".rstrip() for value in values)
        return Selection(values=values, irrelevant=others), text


def _is_said(selection: Selection, answers: Sequence[str]) -> bool:
    says = [_on_one_line(statement.text) for statement in (*filter(None, [selection.lead]), *selection.statements)]
    return bool(says) and any(all(text in answer for text in says) for answer in answers)


def _worked_text(worked: Fragment, fragments: Sequence[Fragment], domain: Domain) -> str:
    """Return the lines of a worked result with the markers of the named provisions."""
    by_provision = _by_provision(fragments)
    lines = []
    for line in worked.text.splitlines():
        # Data read off the question and data asked for are no claims.
        claims = any(character.isdigit() for character in line) and not line.startswith((UNDERSTOOD, "- ¿"))
        lines.append(f"{line} {_marks([worked, *_named(line, by_provision, domain)])}".rstrip() if claims else line)
    return "\n".join(lines)


def _card_text(
    card: Fragment, fragments: Sequence[Fragment], domain: Domain, spoken: Language, room: int, *, alone: bool
) -> str:
    """Return a card with markers and sentences of law; beyond ``room`` words, points and sentences are dropped."""
    by_provision = _by_provision(fragments)
    lines = [card.provision]
    for line in card.text.splitlines():
        bearing = BEARING.search(line)
        named = _named(bearing[1], by_provision, domain) if bearing else []
        lines.append(f"{line[: bearing.start()]} {_marks(named or [card])}".rstrip() if bearing else line)
    text = "\n".join(lines)
    language = spoken if card.language == spoken.code else domain.language
    room = int(room * LONGER) if card.language else room
    quoted = [
        "\n".join(_law_lines(each, language))
        for each in fragments
        if each.purpose == "decisive" and (each.marker in text if each.marker else alone)
    ]
    while len(" ".join([*lines, *(each.partition("\n")[0] for each in quoted)]).split()) > room:
        points = [place for place, line in enumerate(lines) if line.startswith(POINT)]
        if len(points) > MIN_POINTS:
            del lines[points[-1]]
        elif len(quoted) > 1:
            quoted.pop()
        else:
            break
    return "\n\n".join("\n".join(part) for part in (lines, quoted) if part)


def _law_lines(decisive: Fragment, language: Language) -> Iterator[str]:
    place = _place(Statement(decisive.says, (decisive,), literal=True), None, language)
    yield f"{language.translate('card_law', place=place)} {language.quoted(decisive.says)} {decisive.marker}".rstrip()
    if decisive.gloss:
        yield language.translate("card_law_gloss", text=decisive.gloss)


def _by_provision(fragments: Sequence[Fragment]) -> Mapping[ProvisionRef, Fragment]:
    return {
        (fragment.law_id, fragment.provision_key): fragment
        for fragment in sorted(fragments, key=lambda fragment: fragment.purpose == "decisive")
        if fragment.purpose not in STATED
    }


def _named(text: str, by_provision: Mapping[ProvisionRef, Fragment], domain: Domain) -> list[Fragment]:
    named = (by_provision.get((citation.law_id or "", citation.provision_key)) for citation in domain.citations(text))
    return list({fragment.marker: fragment for fragment in named if fragment}.values())


def _values_of(fragments: Sequence[Fragment]) -> tuple[Statement, ...]:
    return tuple(
        Statement(_on_one_line(fragment.text), (fragment,), literal=False)
        for fragment in fragments
        if fragment.purpose == "value"
    )


def _paragraphs(selection: Selection, domain: Domain) -> Iterator[str]:
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
        notice = "quotes_of_own" if first.fragments[0].purpose == "own" else notice
        lines = [language.translate(notice if literal else "quotes_of_summaries")]
        before: Fragment | None = None
        for statement in statements:
            place = _place(statement, before, language)
            place = place and f"{place}: "
            before = statement.fragments[0]
            lines.append(_line(place, statement, language, whole=selection.whole))
        yield "\n".join(lines)
    if selection.values:
        yield "\n".join(_value(statement, language) for statement in selection.values)


def _is_of_file(fragment: Fragment) -> bool:
    """Tell if a fragment is of an agreement or another file of the user's, not law."""
    return bool(fragment.validity) or fragment.url.startswith("file:")


def _where_it_stands(selection: Selection, language: Language) -> str:
    places = {
        _place(replace(statement, apartado="", letter=""), None, language): _marks(statement.fragments)
        for statement in reversed(selection.statements)
    }
    named = "; ".join(f"{place} {marks}".rstrip() for place, marks in reversed(places.items()))
    return language.translate("answer_stands_in", places=named) if named else ""


def _value(statement: Statement, language: Language) -> str:
    return f"{language.translate('reference_value')} {statement.text} {_marks(statement.fragments)}".strip()


def _line(place: str, statement: Statement, language: Language, *, whole: bool) -> str:
    """Return the line of a statement, preceded by a note if it is no longer in force."""
    first = statement.fragments[0]
    said = language.quoted(statement.text) if statement.literal else statement.text
    if whole and "\n" in said:
        place, said = place.rstrip(), f"\n{said}"
    note = note_for_readers(first.note)
    if note:
        note = language.translate("quotes_note", note=note)
        gone = not in_force(first) and not says_only_gone(statement.text)
        said = f"{note} {language.translate('quotes_said', quoted=said)}" if gone else f"{said} {note}"
    return f"- {place}{said} {_marks(statement.fragments)}".rstrip()


def _place(statement: Statement, before: Fragment | None, language: Language) -> str:
    """Return "Estatuto de los Trabajadores, artículo 38.1"; without law and provision if ``before`` has the same."""
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
    return f"{name_in(language.code, first.law_id, first.law_name)}, {name}{letter}{validity}{page}"


def _marks(fragments: Sequence[Fragment]) -> str:
    marks = {fragment.marker for fragment in fragments}
    return "".join(sorted(marks, key=lambda mark: (len(mark), mark)))


def _self_evaluation(selection: Selection, fragments: Sequence[Fragment], domain: Domain) -> SelfEvaluation:
    statements = (*selection.statements, *selection.values)
    used = [*selection.used, *(fragment for statement in statements for fragment in statement.fragments)]
    if selection.lead:
        used = [*selection.lead.fragments, *used]
    # Who wants the text of a provision wants that of no other; and what only adds to the rule sends nobody elsewhere.
    need = None if selection.whole else _needed(selection.statements[:1], fragments, domain)
    dropped = _numbers(selection.irrelevant)
    return SelfEvaluation([each for each in _numbers(used) if each not in dropped], dropped, [need] if need else [])


def _numbers(fragments: Sequence[Fragment]) -> list[int]:
    return list(dict.fromkeys(fragment.number for fragment in fragments))


def _needed(statements: Sequence[Statement], fragments: Sequence[Fragment], domain: Domain) -> Need | None:
    present, laws = {(fragment.law_id, fragment.provision_key) for fragment in fragments}, known_laws()
    for statement in statements:
        law_id = statement.fragments[0].law_id
        # Of a record, what it refers to is told where it matters.
        if law_id not in laws or not statement.literal:
            continue
        for citation in domain.citations(statement.text, CitationContext(law_id=law_id)):
            cited = laws.get(citation.law_id or "")
            if cited and (cited.id, citation.provision_key) not in present:
                name = provision_name(citation.provision_key)
                return {"kind": "article", "article": name, "law": cited.short, "keywords": ""}
    return None
