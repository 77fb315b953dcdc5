"""Texts that replace an answer: a refusal with the searches made, and a short list of provisions."""

from collections.abc import Sequence
from dataclasses import dataclass

from articulado.config.profile import Profile
from articulado.language.languages import Language
from articulado.legal.domain.spanish_law import split_subject
from articulado.legal.vocabulary.matters import Matter
from articulado.prompting.citation_markers import defuse_markers, write_marker
from articulado.prompting.outgoing_links import without_foreign_links
from articulado.values.answers import StoreName
from articulado.values.chunks import Candidate, Chunk

MAX_EXCERPT = 60
"""Words of a provision that has no summary."""
MAX_SEARCH_CHARACTERS = 160
MAX_MATTER = 60
"""Characters of the field that the reader finds a question of."""


@dataclass(frozen=True)
class Declined:
    """A question that has no answer, as its conversation makes it complete, and the search that was made for it.

    ``matter`` is the one that was learnt to be recognised, ``None`` without one; ``other_matter`` is the field that the
    reader names, or empty. Without ``collections`` all of the profile's were searched.
    """

    question: str
    queries: Sequence[str]
    matter: Matter | None
    other_matter: str
    store: StoreName
    collections: Sequence[str]


def declined(asked: Declined, profile: Profile, language: Language) -> str:
    """Say in one sentence that there is no answer, what the matter seems to be and where it is answered, and why.

    The matter is the one that was learnt to be recognised, else the one that the reader names. Other words help only
    where there is none: no words make a question of another field one of this.
    """
    matter = asked.matter
    about = matter.about if matter else _as_the_reader_names_it(asked, language)
    said = [f"{language.translate('no_verified_information')}."]
    if about:
        said.append(language.translate("rag_seems_law" if profile.features.spanish_law else "rag_seems", about=about))
    if matter and matter.where:
        said.append(matter.where)
    searched = searches_made(asked, profile, language)
    advice = "rag_try_other_words_or_law" if profile.features.spanish_law else "rag_try_other_words"
    return f"{' '.join(said)}\n\n{searched if about else f'{searched} {language.translate(advice)}'}"


def _as_the_reader_names_it(asked: Declined, language: Language) -> str:
    named = _inert(asked.other_matter[:MAX_MATTER], language)
    return language.translate("rag_other_matter", matter=named) if named else ""


def searches_made(asked: Declined, profile: Profile, language: Language) -> str:
    """Name the searches that were made and the collections that were searched."""
    searches = ", ".join(map(language.quoted, _as_asked(asked, language)))
    names = asked.collections or profile.for_questions
    labels = ", ".join(collection.label for collection in profile.collections if collection.name in names)
    places = labels if asked.store == "index" else language.translate("rag_packaged_records")
    return language.translate("rag_searched", searches=searches, places=places)


def _as_asked(asked: Declined, language: Language) -> Sequence[str]:
    """Return the searches; one that is only what is left of the question is shown as the question.

    What looks like a marker in them points to nothing.
    """
    question = " ".join(split_subject(asked.question, language)[0].split())
    own = set(language.content_words(asked.question))
    searches = [question if own >= set(language.content_words(query)) else query for query in asked.queries]
    return [_cut(_inert(search, language)) for search in dict.fromkeys(searches or [question])]


def _inert(text: str, language: Language) -> str:
    """Return words of others as they may be quoted: without what would look like a marker, and without links."""
    return without_foreign_links(defuse_markers(text), (), language.translate("rag_link_left_out"))


def _cut(search: str) -> str:
    if len(search) <= MAX_SEARCH_CHARACTERS:
        return search
    return f"{search[:MAX_SEARCH_CHARACTERS].rsplit(' ', 1)[0].rstrip(' ,.;:')} […]"


def listed(candidates: Sequence[Candidate]) -> str:
    """Return a list of provisions in short, each with its marker."""
    return "\n".join(
        f"- {_in_short(candidate['chunk'])} {write_marker(number)}"
        for number, candidate in enumerate(candidates, start=1)
    )


def _in_short(chunk: Chunk) -> str:
    # A bracket in its own text is no marker.
    return defuse_markers(f"{_heading(chunk)}: {_gist(chunk)}")


def _heading(chunk: Chunk) -> str:
    title = f" ({chunk['title']})" if chunk["title"] not in ("", chunk["provision"]) else ""
    return f"{chunk['law_name']}, {chunk['provision']}{title}"


def _gist(chunk: Chunk) -> str:
    """Return the plain-language summary of a provision, else how its text begins."""
    if chunk["summary"]:
        return chunk["summary"]
    words = chunk["text"].split()
    return " ".join(words) if len(words) <= MAX_EXCERPT else f"{' '.join(words[:MAX_EXCERPT])} […]"
