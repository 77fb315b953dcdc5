"""Train the reader of calculations on the packaged questions: ``python -m tools.train_calculations``.

Run this, for about a minute, when the questions, the fields or the sentence encoder have changed.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.calculations.fields import FIELDS
from articulado.calculations.question import NONE, suits
from articulado.calculations.question_model import (
    FILE,
    Linear,
    QuestionModel,
    kind_features,
    meaning_of,
    mention_features,
)
from articulado.calculations.values import Stop
from articulado.calculations.wordings import CALCULATIONS
from articulado.config.settings import Settings
from articulado.encoders.dual import DualEncoder, packaged_encoder
from articulado.encoders.sentences import SentenceEncoder, sentence_encoder
from articulado.legal.reading import Mention, mentions
from articulado.store.records.schema import CalculationQuestion, load_calculation_questions, load_situations

TODAY = date(2026, 11, 29)
SITUATIONS = 3_000
SEED = 7
_KINDS_STRENGTH, _INPUTS_STRENGTH, _CHOICES_STRENGTH = 30.0, 20.0, 30.0


def trained(questions: Sequence[CalculationQuestion], field: DualEncoder, sentences: SentenceEncoder) -> QuestionModel:
    """Return the models trained on the questions."""
    examples = [*questions, *_further(questions), *_ordinary()]
    found = [mentions(each.question, today=TODAY) for each in examples]
    features = [kind_features(each.question, own) for each, own in zip(examples, found, strict=True)]
    labels = [each.kind for each in examples]
    texts = [each.question for each in examples]
    kinds = fitted(features, labels, _KINDS_STRENGTH, meaning_of(texts, field, None))
    with_sentences = fitted(features, labels, _KINDS_STRENGTH, meaning_of(texts, field, sentences))
    named: list[set[str]] = []
    inputs: list[str] = []
    chosen: list[set[str]] = []
    choices: list[str] = []
    for example, own in zip(examples, found, strict=True):
        if example.kind not in CALCULATIONS:
            continue
        given = typed(example)
        for place, label in enumerate(labelled(example.kind, given, own)):
            named.append(mention_features(example.question, own, place))
            inputs.append(label)
        for name in CALCULATIONS[example.kind].fields:
            if FIELDS[name].type in ("choice", "yes_no"):
                value = given.get(name)
                chosen.append(kind_features(example.question, ()))
                choices.append(f"{name}={str(value).lower() if isinstance(value, bool) else value or ''}")
    models = {
        "kinds": kinds,
        "kinds_with_sentences": with_sentences,
        "inputs": fitted(named, inputs, _INPUTS_STRENGTH),
        "choices": fitted(chosen, choices, _CHOICES_STRENGTH),
    }
    return QuestionModel(usage_of(questions), models.__getitem__)


def usage_of(questions: Sequence[CalculationQuestion]) -> dict[str, dict[str, float]]:
    """Return, by kind and input, the share of the questions of a kind that give the input."""
    given = [(each.kind, typed(each)) for each in questions if each.kind in CALCULATIONS]
    asked = Counter(kind for kind, _ in given)
    counts = Counter((kind, name) for kind, inputs in given for name in inputs)
    usage: dict[str, dict[str, float]] = {}
    for (kind, name), count in sorted(counts.items()):
        usage.setdefault(kind, {})[name] = count / asked[kind]
    return usage


def _further(questions: Sequence[CalculationQuestion]) -> Iterator[CalculationQuestion]:
    for each in questions:
        for kind in each.also:
            yield CalculationQuestion(kind=kind, question=each.question, inputs=each.inputs)


def _ordinary() -> Iterator[CalculationQuestion]:
    """Yield known questions without data: one with data may ask for a calculation."""
    questions = [each.question for each in load_situations()]
    chosen = np.random.default_rng(SEED).choice(len(questions), SITUATIONS, replace=False).tolist()
    for question in (questions[place] for place in chosen):
        if all(each.type == "number" for each in mentions(question, today=TODAY)):
            yield CalculationQuestion(kind=NONE, question=question)


def typed(example: CalculationQuestion) -> dict[str, Any]:
    """Return the typed inputs of an example by the fields of its kind; others are left out."""
    names = CALCULATIONS[example.kind].fields
    given: dict[str, Any] = {}
    for written, raw in example.inputs.items():
        name = written if written in names else next((each for each in names if written in FIELDS[each].aliases), "")
        if name and raw is not None:
            try:
                given[name] = FIELDS[name].read(raw)
            except Stop:
                continue
    return given


def labelled(kind: str, given: Mapping[str, Any], found: Sequence[Mention]) -> Iterator[str]:
    """Yield the input of each mention; of two mentions with the value of one input, the first suitable one has it."""
    left = dict(given)
    for mention in found:
        label = NONE
        for name, value in left.items():
            values = value if isinstance(value, tuple) else (value,)
            if suits(mention, FIELDS[name]) and mention.value in values:
                label = name
                break
        if label != NONE and not isinstance(left[label], tuple):
            del left[label]
        yield label


def fitted(
    features: Sequence[set[str]], labels: Sequence[str], strength: float, vectors: NDArray[np.floating] | None = None
) -> Linear:
    """Return a linear model over the features of at least two examples, and over the vectors."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.linear_model import LogisticRegression

    counts = Counter(each for own in features for each in own)
    places = {each: place for place, each in enumerate(sorted(each for each, count in counts.items() if count > 1))}
    idf = np.array([math.log(len(features) / counts[each]) + 1 for each in places])
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, own in enumerate(features):
        known = [places[each] for each in own if each in places]
        rows += [row] * len(known)
        columns += known
        values += (idf[known] / (np.linalg.norm(idf[known]) or 1.0)).tolist()
    matrix = csr_matrix((values, (rows, columns)), shape=(len(features), len(places)))
    if vectors is not None:
        matrix = hstack([matrix, csr_matrix(vectors)]).tocsr()
    model = LogisticRegression(C=strength, max_iter=2_000, tol=1e-3).fit(matrix, labels)
    return Linear(tuple(model.classes_.tolist()), places, idf, model.coef_, model.intercept_)


def main() -> None:
    """Write the models into the package."""
    sentences = sentence_encoder(Settings.read(env_file=None))
    if sentences is None:
        raise SystemExit("The sentence encoder of the settings cannot be opened.")
    trained(load_calculation_questions(), packaged_encoder(), sentences).save(FILE)


if __name__ == "__main__":
    main()
