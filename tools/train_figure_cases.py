"""Train the matching of a figure to its place in the law, on packaged records and checked answers.

    python -m tools.train_figure_cases --laws FOLDER ANSWERS.jsonl ...

``FOLDER`` has the laws in Markdown. ``ANSWERS`` are lines as ``benchmarks/verification/measure.py`` reads
them. Run this when the features of ``articulado.verification.claims.figure_cases`` have changed; it takes a
minute. Training assumes that a statement about a figure, in a record or in an answer without errors,
matches the place of that figure better than any place with another figure of the same unit. The printed
results are measured on answers that were not used for training.
"""

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from articulado.ingestion.markdown.reader import read_law
from articulado.legal.labels import provision_key
from articulado.store.records.schema import load_corpus
from articulado.values.chunks import ProvisionRef
from articulado.verification.checks import read_item
from articulado.verification.claims import figure_cases
from articulado.verification.claims.figure_cases import (
    FEATURES,
    LAYERS,
    LIMIT,
    Place,
    Rarity,
    features,
    places_of,
    rarity_in,
)
from articulado.verification.figures import figures_of_law
from articulado.verification.reading import ReadAnswer, read_answer
from articulado.verification.sources import Source

SEED = 2
BESIDE = 2
"""Other provisions of the law that stand beside that of a record."""
LONGEST = 15_000
"""Characters of a provision; longer ones are whole annexes."""
FALSE_PLACES = 2
"""Wrong places of a figure that are taken as examples, the likeliest of each."""
ROUNDS = 4
"""Times that the likeliest places are chosen anew by the weights so far."""
WEIGHT_OF_ANSWERS = 3
"""How often a figure of an answer counts: records have no question and are drier than what is to be checked."""
RIDGE = 1.0
"""How much large weights cost."""

Rows = NDArray[np.float64]


class Group(NamedTuple):
    """A figure of a record: the features of the places that have it, and of those that have another of its unit.

    ``is_false``: the figure was taken for another one; then ``others`` are the places of the true one.
    """

    same: Rows
    others: Rows
    is_false: bool


def read_texts(folder: Path) -> dict[ProvisionRef, tuple[str, str]]:
    """Return heading and text of every provision of the laws of a folder."""
    laws = (read_law(path) for path in sorted(folder.glob("*.md")))
    return {
        (law.id, provision_key(provision.label) or provision.key): (f"{law.title}. {provision.title}", provision.text)
        for law in laws
        for provision in law.provisions
    }


def groups_of_records(texts: dict[ProvisionRef, tuple[str, str]], choice: random.Random) -> Iterator[Group]:
    """Yield the figures of the records beside the text of the law."""
    by_law: dict[str, list[ProvisionRef]] = defaultdict(list)
    for ref in texts:
        by_law[ref[0]].append(ref)
    for record in load_corpus().provisions:
        ref = record.law_id, provision_key(record.provision) or ""
        if ref not in texts or len(texts[ref][1]) > LONGEST:
            continue
        beside = choice.sample(by_law[ref[0]], min(BESIDE, len(by_law[ref[0]])))
        refs = [ref, *(other for other in beside if other != ref and len(texts[other][1]) <= LONGEST)]
        sources = [
            Source(number, law_id, "", key, key, texts[law_id, key][1], texts[law_id, key][0])
            for number, (law_id, key) in enumerate(refs, start=1)
        ]
        said = "\n".join([f"{record.summary} [C1]", *(f"- {point} [C1]" for point in record.points)])
        yield from groups_of(read_answer(said, "", sources), choice)


def groups_of(answer: ReadAnswer, choice: random.Random) -> Iterator[Group]:
    """Yield the figures of an answer, each as it stands and taken for others, the hardest that there are."""
    rarity = rarity_in(answer.sources)
    for sentence in answer.sentences:
        for figure in figures_of_law(answer, sentence):
            claim = figure_cases.claim_at(answer, sentence, figure)
            yield from _groups(claim, answer.sources, answer.of_sentence(sentence), rarity, choice)


def _groups(
    claim: Place, sources: Sequence[Source], cited: Sequence[Source], rarity: Rarity, choice: random.Random
) -> Iterator[Group]:
    same, others = places_of(claim, sources, cited)
    if not others or not any(source in cited for source, _ in same):
        return

    def rows(places: Iterable[tuple[Source, Place]], of: Place) -> Rows:
        return np.array([features(of, place, rarity, is_cited=source in cited) for source, place in places])

    yield Group(rows(same, claim), rows(others, claim), False)
    true_place = same[0][1]
    likest = sorted((pair[1] for pair in others), key=lambda place: -_likeness(place, true_place) - choice.random() / 5)
    for value in list(dict.fromkeys(place.value for place in likest))[:FALSE_PLACES]:
        wrong = replace(claim, value=value)
        taken, rest = places_of(wrong, sources, cited)
        true = [pair for pair in rest if pair[1].value == claim.value]
        if taken and true:
            yield Group(rows(taken, wrong), rows(true, wrong), True)


def _likeness(one: Place, other: Place) -> float:
    """Return how hard two places are to tell apart, from 0 to 1: those of one sentence are the hardest."""
    if one.sentence == other.sentence:
        return 1.0
    words, others = one.layers[0] | one.layers[1], other.layers[0] | other.layers[1]
    return len(words & others) / max(1, min(len(words), len(others)))


def fit(groups: Sequence[Group]) -> Rows:
    """Return the weights that put the right places before the wrong ones: logistic regression on their differences.

    Of several places the likeliest counts, which is chosen by the weights of the round before.
    """
    weights = np.zeros(FEATURES)
    weights[: LAYERS**2] = 0.1
    for _ in range(ROUNDS):
        rows, signs = [], []
        for group in groups:
            own = group.same[(group.same @ weights).argmax()]
            best = np.argsort(-(group.others @ weights))[: 1 if group.is_false else FALSE_PLACES]
            rows += [group.others[n] - own for n in best]
            signs += [1.0 if group.is_false else -1.0] * len(best)
        weights = _regress(np.array(rows), np.array(signs), weights)
    return weights


def _regress(rows: Rows, signs: Rows, start: Rows) -> Rows:
    def loss(weights: Rows) -> tuple[float, Rows]:
        margins = signs * (rows @ weights)
        gradient = -(rows.T @ (signs / (1 + np.exp(margins)))) + RIDGE * weights
        return float(np.logaddexp(0, -margins).sum() + RIDGE * (weights @ weights) / 2), gradient

    found: Rows = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return found


def _margins(groups: Iterable[Group], weights: Rows) -> Rows:
    return np.array([(group.others @ weights).max() - (group.same @ weights).max() for group in groups])


def _right_answers(file: Path, texts: dict[ProvisionRef, tuple[str, str]]) -> Iterator[ReadAnswer]:
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        item = json.loads(line)
        for fragment in item["context"]:
            ref = fragment["law_id"], provision_key(fragment["provision"]) or ""
            fragment.setdefault("text", texts.get(ref, ("", ""))[1])
        if not item["fault"]:
            yield read_item(number, str(number), item).answer


def main() -> None:
    """Read the command line, train, and write the weights beside the code that uses them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", type=Path, required=True)
    parser.add_argument("answers", nargs="*", type=Path)
    arguments = parser.parse_args()
    choice = random.Random(SEED)
    texts = read_texts(arguments.laws)
    records = list(groups_of_records(texts, choice))
    by_file = [
        [group for answer in _right_answers(file, texts) for group in groups_of(answer, choice)]
        for file in arguments.answers
    ]
    for file, tested in zip(arguments.answers, by_file, strict=True):
        others = [group for some in by_file if some is not tested for group in some]
        told = _margins(tested, fit([*records, *others * WEIGHT_OF_ANSWERS])) >= LIMIT
        false = np.array([group.is_false for group in tested])
        print(f"{file.name}: told of false figures {told[false].mean():.3f}, of right ones {told[~false].mean():.4f}")
    weights = fit([*records, *[group for some in by_file for group in some] * WEIGHT_OF_ANSWERS])
    file = Path(figure_cases.__file__).with_name(figure_cases.FILE)
    file.write_text(json.dumps({"weights": [round(float(weight), 4) for weight in weights]}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
