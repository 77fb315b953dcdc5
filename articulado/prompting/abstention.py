"""Texts that replace an answer: a refusal that says whom to ask, choices, a question back, a list of provisions."""

from collections.abc import Sequence
from dataclasses import dataclass

from articulado.config.profile import Profile
from articulado.language.folding import fold
from articulado.language.languages import Language
from articulado.legal.vocabulary.matters import Door, Matter, doors
from articulado.prompting.citation_markers import defuse_markers, write_marker
from articulado.prompting.outgoing_links import without_foreign_links
from articulado.values.answers import NearestNeed
from articulado.values.chunks import Candidate, Chunk

MAX_EXCERPT = 60  # Words of a provision without summary
MAX_MATTER = 60  # Characters of the reader's field of law


ASKED_BACK = {"amount": "amount", "deadline": "time", "duration": "time"}


@dataclass(frozen=True)
class Declined:
    """A question without an answer, its classified ``matter``, and the field that the reader names, or empty."""

    question: str
    queries: Sequence[str]
    matter: Matter | None
    other_matter: str


def declined(asked: Declined, profile: Profile, language: Language) -> str:
    """Return the refusal: no answer, the likely matter, and whom to ask; without a matter, the advice to rephrase."""
    spanish_law = profile.features.spanish_law
    texts = asked.matter.in_language(language.code) if asked.matter else None
    about = texts.about if texts else _as_the_reader_names_it(asked, language)
    said = [f"{language.translate('no_verified_information')}."]
    if about:
        said.append(language.translate("rag_seems_law" if spanish_law else "rag_seems", about=about))
    door = None if texts or not spanish_law else _door(asked)
    where = texts.where if texts else door.in_language(language.code) if door else ""
    said.extend([where] if where else [])
    if about or door is doors().outside:
        return " ".join(said)
    advice = language.translate("rag_try_other_words_or_law" if spanish_law else "rag_try_other_words")
    return f"{' '.join(said)}\n\n{advice}"


def _door(asked: Declined) -> Door:
    if asked.other_matter:
        return doors().other_field
    return doors().for_topic(" ".join([asked.question, *asked.queries]))


def _as_the_reader_names_it(asked: Declined, language: Language) -> str:
    named = _inert(asked.other_matter[:MAX_MATTER], language)
    return language.translate("rag_other_matter", matter=named) if named else ""


def _inert(text: str, language: Language) -> str:
    return without_foreign_links(defuse_markers(text), (), language.translate("rag_link_left_out"))


def near_text(choices: Sequence[NearestNeed], language: Language) -> str:
    """Return the numbered choices of an uncertain question, each with its marker."""
    # A bracket in the text of a provision is no marker.
    lines = [
        defuse_markers(f"{each['number']}. {_need(each)}: {each['answer']}") + f" {write_marker(each['number'])}"
        for each in choices
    ]
    return "\n\n".join([language.translate("rag_near"), "\n".join(lines), language.translate("rag_near_add")])


def _need(choice: NearestNeed) -> str:
    return choice["question"] if choice["need"] in choice["question"] else choice["need"]


def question_back(question: str, language: Language) -> str:
    """Return a request for the two or three data that an answer to this kind of question needs."""
    folded, asked = fold(question), language.query_patterns.asked
    kind = next((kind for kind in ASKED_BACK if asked[kind].question.search(folded)), "any")
    return language.translate(f"rag_ask_{ASKED_BACK.get(kind, kind)}")


def listed(candidates: Sequence[Candidate]) -> str:
    """Return a list of provisions in short, each with its marker."""
    # A bracket in the text of a provision is no marker.
    texts = [defuse_markers(f"{_heading(each['chunk'])}: {excerpt(each['chunk'])}") for each in candidates]
    return "\n".join(f"- {text} {write_marker(number)}" for number, text in enumerate(texts, start=1))


def _heading(chunk: Chunk) -> str:
    title = f" ({chunk['title']})" if chunk["title"] not in ("", chunk["provision"]) else ""
    return f"{chunk['law_name']}, {chunk['provision']}{title}"


def excerpt(chunk: Chunk) -> str:
    """Return the plain-language summary of a provision, else the beginning of its text."""
    if chunk["summary"]:
        return chunk["summary"]
    words = chunk["text"].split()
    return " ".join(words) if len(words) <= MAX_EXCERPT else f"{' '.join(words[:MAX_EXCERPT])} […]"
