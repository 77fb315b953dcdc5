"""Train the classifier that tells follow-ups from independent questions, on the packaged follow-ups.

    python -m tools.train_leaning

Run this when the follow-ups, the encoder or the relevance judgement have changed. It takes some seconds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.dual import packaged_encoder
from articulado.encoders.phrasings import packaged_precedents
from articulado.language.spanish import stem_word
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.vocabulary.synonyms import has_field_term
from articulado.retrieval.conversation.leaning import FILE, PLACES, LeaningModel, SignReader, places_of
from articulado.retrieval.relevance.judge import packaged_judgement
from articulado.store.records.schema import FollowUp, load_follow_ups, load_situations, load_unanswerable
from tools.train_encoder import is_held_back

FOLDS = 5
SEED = 7
SHORT = 8
"""Words up to which a question is short."""
SHORT_QUESTIONS = 200
"""How many short situations stand beside the follow-ups, and how many questions without an answer."""
_WORDS_STRENGTH, _SIGNS_STRENGTH = 3.0, 1.0
"""Inverse strengths of regularisation."""


class Words(NamedTuple):
    """What words say: ``idf`` and ``weights`` are (PLACES,)."""

    idf: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float


def trained_words(questions: Sequence[str], lean: NDArray[np.bool_]) -> Words:
    """Return what the words of questions say of whether they lean."""
    from sklearn.linear_model import LogisticRegression

    places = [places_of(question) for question in questions]
    frequencies = np.bincount(np.concatenate(places), minlength=PLACES)
    # A term that one question alone has says nothing of the next.
    idf = np.where(frequencies > 1, np.log((len(questions) + 1) / (frequencies + 1)) + 1, 0.0)
    rows = np.zeros((len(questions), PLACES), dtype=np.float32)
    for row, own in zip(rows, places, strict=True):
        row[own] = idf[own] / (np.linalg.norm(idf[own]) or 1.0)
    model = LogisticRegression(C=_WORDS_STRENGTH, max_iter=2_000).fit(rows, lean)
    return Words(idf, model.coef_[0], float(model.intercept_[0]))


def trained_leaning(follow_ups: Sequence[FollowUp], reader: SignReader) -> LeaningModel:
    """Return the model; what words say of a follow-up is told by a model of words that has not seen it."""
    from sklearn.linear_model import LogisticRegression

    questions, lean = [one.next for one in follow_ups], np.array([one.leans for one in follow_ups])
    fold = np.arange(len(questions)) % FOLDS
    scores = np.zeros(len(questions))
    for held in range(FOLDS):
        seen = np.flatnonzero(fold != held)
        others = _words_only(trained_words([questions[i] for i in seen.tolist()], lean[seen]))
        for index in np.flatnonzero(fold == held).tolist():
            scores[index] = others.score_of_words(questions[index])
    signs = np.array([reader.read(one.next, one.first) for one in follow_ups])
    features = np.column_stack([signs, scores])
    mean, deviation = features.mean(axis=0), features.std(axis=0) + 1e-9
    model = LogisticRegression(C=_SIGNS_STRENGTH, max_iter=2_000).fit((features - mean) / deviation, lean)
    return LeaningModel(*trained_words(questions, lean), mean, deviation, model.coef_[0], float(model.intercept_[0]))


def _words_only(words: Words) -> LeaningModel:
    return LeaningModel(*words, np.zeros(1), np.ones(1), np.ones(1), 0.0)


def examples() -> list[FollowUp]:
    """Return the follow-ups of the package, and beside them short questions after ones that they do not go with.

    The situations are such as the encoder has not seen: one that it has would be its own precedent.
    """
    follow_ups = load_follow_ups()
    situations = [one.question for one in load_situations() if is_held_back(one) and stands_alone(one.question)]
    others = [one.question for one in load_unanswerable() if one.kind != "indeterminada" and is_short(one.question)]
    random = np.random.default_rng(SEED)
    chosen = [*random.choice(situations, SHORT_QUESTIONS), *random.choice(others, SHORT_QUESTIONS)]
    firsts = random.choice([one.first for one in follow_ups], len(chosen))
    unrelated = [
        FollowUp(first=str(first), next=str(question), leans=False)
        for first, question in zip(firsts, chosen, strict=True)
    ]
    return [*follow_ups, *unrelated]


def is_short(question: str) -> bool:
    """Tell whether a question is as short as follow-ups are."""
    return len(question.split()) <= SHORT


def stands_alone(question: str) -> bool:
    """Tell whether a short question names what it is about: "cuánto me pagan" may follow anything."""
    return is_short(question) and has_field_term(question, stem_word)


def packaged_reader() -> SignReader:
    """Return the reader of the signs over encoder, precedents and judgement of the package."""
    encoder = packaged_encoder()
    precedents = packaged_precedents(encoder.dimensions)
    return SignReader(
        SPANISH_LAW,
        lambda: packaged_judgement(with_neighbours=False).wording,
        lambda question: precedents.support(encoder.embed_question(question)),
    )


def main() -> None:
    """Write the model into the package."""
    trained_leaning(examples(), packaged_reader()).save(FILE)


if __name__ == "__main__":
    main()
