"""Features that measure how well each article matches an inquiry.

``EvidenceReader.read`` returns an (articles, features) array; ``EVIDENCE`` names the columns. Lexical features are
those of ``TermIndex``. Semantic features come from the dual encoder, scaled by the share of known
words. With a ``TextVectors``, the cosines of whole sentences follow (``SENTENCE_EVIDENCE``). A ``Guide`` is an article,
or an outside matter that no article handles.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.encoders.dual import DualEncoder
from articulado.guides.schema import OutsideMatter
from articulado.language.folding import words_of
from articulado.language.languages import Language
from articulado.legal.domain.base import Domain, Lexicon
from articulado.retrieval.relevance.evidence import runs_of
from articulado.store.records.schema import load_general_matters
from articulado.values.cases import Details, FieldSpec, article_title, details_of
from articulado.values.chunks import Chunk
from articulado.values.protocols import Vector

_PAIR, _RUN = 0.7, 0.5
"""What a pair of words, or a run of letters, weighs beside a word as rare."""


class TermIndex:
    """Texts as weighted terms: the stems of their words, pairs of neighbours, and runs of 3 to 5 letters.

    weight(t) = ln((N + 1) / (n(t) + 1)), of N texts of which n(t) have the term, times 0.7 for a pair and 0.5 for a run
    of letters, which survives misspelling; a text is of length 1. ``background`` are texts that count for N alone: how
    people ask of anything at all tells which words of an inquiry say something.
    """

    def __init__(self, texts: Sequence[str], background: Sequence[str], language: Language) -> None:
        self._language = language
        self._size, self._count = len(texts), len(texts) + len(background)
        rows = list(self._numbered([*texts, *background]))
        lengths = [row.size for row in rows[: self._size]]
        all_terms = np.concatenate([*rows, np.empty(0, np.intp)])
        self._texts_with = np.bincount(all_terms, minlength=len(self._numbers))
        rarities = np.log((self._count + 1) / (self._texts_with + 1)) * [_share(term) for term in self._numbers]
        # Rows of texts become postings of terms: where each term begins, then places and weights.
        terms, places = all_terms[: sum(lengths)], np.repeat(np.arange(self._size), lengths)
        weights = rarities[terms]
        norms = np.sqrt(np.bincount(places, weights * weights, minlength=self._size))
        by_term = np.argsort(terms, kind="stable")
        self._places = places[by_term]
        self._weights = (weights / np.where(norms > 0, norms, 1.0)[places])[by_term]
        self._starts = np.searchsorted(terms[by_term], np.arange(len(self._numbers) + 1))

    def cosines(self, text: str) -> NDArray[np.float64]:
        """Return the cosine of a text with each of the index, (texts,), in [0, 1]."""
        cosines = np.zeros(self._size)
        for term, weight in self._weigh(set(self._terms(text))).items():
            if (number := self._numbers.get(term)) is not None:
                posting = slice(self._starts[number], self._starts[number + 1])
                cosines[self._places[posting]] += weight * self._weights[posting]
        return cosines

    def _weigh(self, terms: set[str]) -> dict[str, float]:
        weights = {term: self._weight(term) for term in terms}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}

    def _weight(self, term: str) -> float:
        number = self._numbers.get(term)
        texts = 0 if number is None else int(self._texts_with[number])
        return math.log((self._count + 1) / (texts + 1)) * _share(term)

    def _numbered(self, texts: Iterable[str]) -> Iterator[NDArray[np.intp]]:
        """Yield the numbers of the terms of each text, sorted, each once; a term is numbered where it first comes."""
        self._numbers: dict[str, int] = {}
        of_words: dict[str, tuple[str, list[int]]] = {}
        number = self._number
        for text in texts:
            words = words_of(text)
            for word in words:
                if word not in of_words:
                    stem = self._stem(word)
                    of_words[word] = stem, [number(stem), *map(number, self._runs(word))]
            found = {one for word in words for one in of_words[word][1]}
            found.update(number(pair) for pair in _pairs([of_words[word][0] for word in words]))
            yield np.fromiter(sorted(found), np.intp, len(found))

    def _number(self, term: str) -> int:
        return self._numbers.setdefault(term, len(self._numbers))

    def _terms(self, text: str) -> Iterator[str]:
        words = words_of(text)
        stems = [self._stem(word) for word in words]
        yield from stems
        yield from _pairs(stems)
        for word in words:
            yield from self._runs(word)

    def _stem(self, word: str) -> str:
        # Stop words stay: "me", "mi" and "do I" tell who asks. Numbers are all one.
        return "0" if word[0].isdigit() else self._language.stem_word(word) or word

    def _runs(self, word: str) -> Iterator[str]:
        return runs_of(word) if word not in self._language.stop_words else iter(())


def _pairs(stems: Sequence[str]) -> Iterator[str]:
    return (f"{first} {second}" for first, second in pairwise(stems))


def _share(term: str) -> float:
    """Return what a term weighs beside a word as rare."""
    return _RUN if term.startswith("~") else _PAIR if " " in term else 1.0


_UNTOLD = "guardrails"
"""The type of chunk that tells what not to say: it matches no inquiry."""


@dataclass(frozen=True)
class Guide:
    """An article, or a matter that no article handles, by its texts.

    ``topic`` is what guides for the same kind of case share. ``asked`` are sentences as people ask for it, ``names``
    what it is called, ``texts`` what it says. Of an article ``attributes`` are its values of the filter fields and
    ``fields`` the data that it needs; an outside matter has neither, and no ``article_id``.
    """

    article_id: str
    title: str
    topic: str
    asked: tuple[str, ...]
    names: tuple[str, ...]
    texts: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict, hash=False)
    fields: tuple[FieldSpec, ...] = field(default=(), hash=False)

    @property
    def is_article(self) -> bool:
        """Whether it can handle a case."""
        return bool(self.article_id)


def article_guides(chunks: Iterable[Chunk], profile: Profile) -> list[Guide]:
    """Return the articles that some chunks are of, by their ids; a document of another kind is none."""
    by_article: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        if "article_title" in details_of(chunk):
            by_article.setdefault(chunk["law_id"], []).append(chunk)
    return [_guide(article, by_article[article], profile) for article in sorted(by_article)]


def outside_guides(matters: Iterable[OutsideMatter]) -> list[Guide]:
    """Return matters that no article handles, each as a topic of its own."""
    return [
        Guide("", matter.name, f"outside {number}", matter.inquiries, (matter.name,), matter.texts)
        for number, matter in enumerate(matters)
    ]


def asked_in(content: Details) -> list[str]:
    """Return what people ask by the structured content of a chunk: frequent questions, and what goes wrong."""
    return [
        *(faq["question"] for faq in content.get("faqs", [])),
        *(issue["issue"] for issue in content.get("issues", [])),
    ]


def general_matters(language: str) -> list[OutsideMatter]:
    """Return what people ask any desk, in a language: what stands for all that a profile does not name."""
    return [
        OutsideMatter(name=matter.title, inquiries=matter.inquiries, texts=(matter.text,))
        for matter in load_general_matters(language)
    ]


def _guide(article: str, chunks: Sequence[Chunk], profile: Profile) -> Guide:
    first = min(chunks, key=lambda chunk: chunk["part"])
    title = article_title(first)
    told = [chunk for chunk in chunks if chunk["chunk_type"] != _UNTOLD]
    details = [details_of(chunk) for chunk in sorted(told, key=lambda chunk: chunk["part"])]
    inquiries = [inquiry for content in details for inquiry in content.get("inquiries", [])]
    questions = [question for content in details for question in asked_in(content)]
    return Guide(
        article_id=article,
        title=title,
        topic=first["topic"] or article,
        asked=tuple(dict.fromkeys((*inquiries, *questions))),
        names=(title, *_topic_names(first["topic"], profile)),
        texts=tuple(f"{chunk['title']}\n{chunk['text']}" for chunk in told),
        attributes=dict(first["attributes"]),
        fields=tuple(spec for content in details for spec in content.get("fields", [])),
    )


def _topic_names(topic: str, profile: Profile) -> tuple[str, ...]:
    """Return a topic as words, and the other ways to write it that the profile knows."""
    synonyms = next((field.values.get(topic, ()) for field in profile.filter_fields if field.name == TOPIC), ())
    return (topic.replace("_", " "), *synonyms)


_OWN = (
    "asked_best",
    "asked_mean",
    "text_mean",
    "covered",
    "asked_nearest",
    "asked_near",
    "text_nearest",
    "text_near",
)
"""By words: the inquiry and the sentences that people ask with, and the texts; how much of it the guide covers. By
meaning: the same sentences and texts. "Mean" and "near" are means of the three best."""

EVIDENCE = (*_OWN, *(f"{name}_lead" for name in _OWN), "known_share", "words", "unknown_words")
"""Names of the features without a sentence encoder; a lead is over the best guide of another topic."""

_OF_SENTENCES = ("sentence_asked", "sentence_asked_near", "sentence_name", "sentence_text", "sentence_text_near")
"""Cosines of the whole inquiry: the best and the mean of the three best of the sentences that people ask with, the best
name, and the best and the mean of the three best texts."""

SENTENCE_EVIDENCE = (*EVIDENCE, *_OF_SENTENCES, *(f"{name}_lead" for name in _OF_SENTENCES))
"""Names of the features with a sentence encoder."""

_BEST = 3
_NAMED, _ASKED, _TOLD = 1.0, 0.9, 0.6
"""How prominent a word is by where a guide has it; how people ask in their own words counts like a name."""


class TextVectors(Protocol):
    """Unit vectors of sentences; ``articulado.guides.known_questions.KeptVectors`` satisfies it."""

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts that stay the same, (texts, dim)."""

    def of_inquiry(self, text: str) -> NDArray[np.float32]:
        """Return the vector of an inquiry, (dim,)."""


class _SentenceCosines:
    """Compares an inquiry with all sentences of the guides by the vectors of a sentence encoder."""

    def __init__(self, guides: Sequence[Guide], vectors: TextVectors) -> None:
        self._vectors = vectors
        groups = [[list(getattr(guide, part)) for guide in guides] for part in ("asked", "names", "texts")]
        flat = [_flat(texts) for texts in groups]
        every = vectors.of_texts([text for texts in flat for text in texts])
        ends = np.cumsum([len(texts) for texts in flat])
        self._parts = np.split(every, ends[:-1])
        self._bounds = [_bounds(texts) for texts in groups]

    def read(self, inquiry: str) -> NDArray[np.float64]:
        """Return the features of each guide by itself, (guides, 5)."""
        vector = self._vectors.of_inquiry(inquiry)
        asked, names, texts = (part @ vector for part in self._parts)
        rows = [
            (*_best_and_mean(asked[first]), _best_and_mean(names[second])[0], *_best_and_mean(texts[third]))
            for first, second, third in zip(*self._bounds, strict=True)
        ]
        return np.array(rows)


class EvidenceReader:
    """Reads the features of an inquiry and each article among ``guides``, which may be of any domain.

    Similarity by meaning is taken by the share of the inquiry whose words any article has: of what is not known,
    vectors say nothing. ``background`` are texts of any matter. ``evidence`` names the features that are read.
    """

    def __init__(
        self,
        guides: Sequence[Guide],
        domain: Domain,
        encoder: DualEncoder,
        background: Sequence[str],
        vectors: TextVectors | None = None,
    ) -> None:
        self.articles = [guide for guide in guides if guide.is_article]
        self._guides = [*self.articles, *(guide for guide in guides if not guide.is_article)]
        self._domain, self._encoder = domain, encoder
        asked = [list(guide.asked) for guide in self._guides]
        texts = [list(guide.texts) for guide in self._guides]
        flat_asked, flat_texts = _flat(asked), _flat(texts)
        self._asked_bounds, self._text_bounds = _bounds(asked), _bounds(texts)
        self._asked_terms = len(flat_asked)
        self._asked_vectors = _stacked([encoder.embed_question(text) for text in flat_asked], encoder.dimensions)
        self._text_vectors = _stacked(encoder.embed_all(flat_texts), encoder.dimensions)
        wording = _wording((*flat_asked, *flat_texts), tuple(self._guides), tuple(background), domain)
        self._terms, self._weights, self._strengths = wording
        self._known = {stem for strengths in self._strengths[: len(self.articles)] for stem in strengths}
        topics = np.array([guide.topic for guide in self._guides])
        self._others = [topics != guide.topic for guide in self.articles]
        self._sentences = _SentenceCosines(self._guides, vectors) if vectors and self.articles else None
        self.evidence = SENTENCE_EVIDENCE if vectors else EVIDENCE

    def read(self, inquiry: str) -> NDArray[np.float64]:
        """Return the features of an inquiry and each article, (articles, features)."""
        stems = list(dict.fromkeys(self._domain.stems(inquiry)))
        rarities = np.array([self._weights.idf(stem) for stem in stems] or [1.0])
        is_known = np.array([stem in self._known for stem in stems] or [False])
        total = float(rarities.sum()) or 1.0
        known_share = float(rarities[is_known].sum()) / total
        own = self._own(inquiry, stems, rarities / total, known_share)
        shared = np.tile([known_share, math.log1p(len(stems)), 1 - float(is_known.mean())], (len(self.articles), 1))
        of_sentences = self._with_leads(self._sentences.read(inquiry)) if self._sentences else []
        features: NDArray[np.float64] = np.hstack([*self._with_leads(own), shared, *of_sentences])
        return features

    def _with_leads(self, own: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the features of the articles, and how far each is ahead of the best guide of another topic."""
        leads = [
            own[row] - (own[others].max(axis=0) if others.any() else 0.0) for row, others in enumerate(self._others)
        ]
        return [own[: len(self.articles)], np.stack(leads)]

    def _own(
        self, inquiry: str, stems: Sequence[str], shares: NDArray[np.float64], known_share: float
    ) -> NDArray[np.float64]:
        """Return the features of each guide by itself, (guides, 8)."""
        cosines = self._terms.cosines(inquiry)
        of_asked, of_texts = cosines[: self._asked_terms], cosines[self._asked_terms :]
        vector = self._encoder.embed_question(inquiry) * np.float32(known_share)
        near_asked, near_texts = self._asked_vectors @ vector, self._text_vectors @ vector
        rows = []
        for strengths, asked, texts in zip(self._strengths, self._asked_bounds, self._text_bounds, strict=True):
            covered = float(sum(share * strengths.get(stem, 0.0) for stem, share in zip(stems, shares, strict=False)))
            rows.append(
                [
                    *_best_and_mean(of_asked[asked]),
                    _best_and_mean(of_texts[texts])[1],
                    covered,
                    *_best_and_mean(near_asked[asked]),
                    *_best_and_mean(near_texts[texts]),
                ]
            )
        return np.array(rows)


class _Wording(NamedTuple):
    """What is read from words alone; ``strengths`` of each guide are those of its stems."""

    terms: TermIndex
    weights: Lexicon
    strengths: list[dict[str, float]]


# The same in every index of the same guides: one that is opened anew, with another encoder, has it at once.
@lru_cache(maxsize=4)
def _wording(
    texts: tuple[str, ...], guides: tuple[Guide, ...], background: tuple[str, ...], domain: Domain
) -> _Wording:
    return _Wording(
        TermIndex(texts, background, domain.language),
        Lexicon.build([*texts, *background], domain.stems),
        [_strengths(guide, domain) for guide in guides],
    )


def _best_and_mean(values: NDArray[np.floating]) -> tuple[float, float]:
    """Return the best of some values, and the mean of the three best; 0 where there are none."""
    if not values.size:
        return 0.0, 0.0
    best = np.sort(values)[::-1][:_BEST]
    return float(best[0]), float(best.sum()) / _BEST


def _strengths(guide: Guide, domain: Domain) -> dict[str, float]:
    """Return how prominent each stem of a guide is, in (0, 1]."""
    strengths: dict[str, float] = {}
    for strength, texts in ((_TOLD, guide.texts), (_ASKED, guide.asked), (_NAMED, guide.names)):
        for text in texts:
            strengths.update(dict.fromkeys(domain.stems(text), strength))
    return strengths


def _flat(texts: Sequence[Sequence[str]]) -> list[str]:
    return [text for of_guide in texts for text in of_guide]


def _bounds(texts: Sequence[Sequence[str]]) -> list[slice]:
    """Return where the texts of each guide stand among all of them."""

    def slices() -> Iterator[slice]:
        start = 0
        for of_guide in texts:
            yield slice(start, start + len(of_guide))
            start += len(of_guide)

    return list(slices())


def _stacked(vectors: Sequence[Vector], dimensions: int) -> NDArray[np.float32]:
    return np.stack(vectors) if vectors else np.zeros((0, dimensions), dtype=np.float32)
