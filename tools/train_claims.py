"""Train what tells whether a term of a claim is at fault, on the packaged records beside the text of the law.

    python -m tools.train_claims --laws FOLDER

``FOLDER`` has the laws in Markdown. To be run when the table of contrasts or the evidence have changed. It takes some
minutes. What a record says in plain words of its provision is right; the same with one term, denial or figure taken for
another that excludes it is not. What is printed was measured on laws that the trees did not learn from.
"""

import argparse
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingestion.markdown.reader import read_law
from language.cuts import sentences
from legal.labels import provision_key
from services.corpus.schema import load_corpus
from services.verification.claims.evidence import EvidenceReader, alternatives, candidates_of
from services.verification.claims.model import FILE
from services.verification.claims.passages import Passage, passages_of, read_passage
from state.chunks import ProvisionRef

SEED = 3
LIMIT = 4.0
"""Log odds from which a term is told: few alarms count more than many faults, for an answer has many terms."""
BESIDE = 0.4
"""Share of the claims that are read beside a second provision of the law."""
_SHORTEST = 25
_RAREST = 3
"""Provisions that have a stem at least, for its weight to be kept."""
_LIST_MARK = re.compile(r"^(?:\d+\.?º?(?:[a-z]\))?\.?|[a-z]\)|\d+\.[a-zº]+\)?(?:\s?\d+\.[ª])?|[\w.ªº]+\))\s+")


class Examples(NamedTuple):
    """Candidates: their features (candidates, features), whether they are at fault, their law and their claim."""

    features: NDArray[np.float32]
    faulty: NDArray[np.bool_]
    laws: NDArray[Any]
    claims: NDArray[np.int64]


def read_texts(folder: Path) -> dict[ProvisionRef, tuple[str, str]]:
    """Return heading and text of every provision of the laws of a folder."""
    laws = (read_law(path) for path in sorted(folder.glob("*.md")))
    return {
        (law.id, provision_key(provision.label) or provision.key): (f"{law.title}. {provision.title}", provision.text)
        for law in laws
        for provision in law.provisions
    }


def weights_of(texts: Iterable[str]) -> tuple[dict[str, float], float]:
    """Return the weight of each stem of the provisions that is not rare, and that of all others."""
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        counts.update(frozenset().union(*(passage.stem_set for passage in passages_of(text))))
        total += 1
    kept = {stem: count for stem, count in counts.items() if count >= _RAREST and not stem[0].isdigit()}
    return {stem: math.log((total + 1) / (count + 0.5)) for stem, count in kept.items()}, math.log(total + 1)


def read_examples(texts: dict[ProvisionRef, tuple[str, str]], reader: EvidenceReader, share: float) -> Examples:
    """Return the candidates of the claims of the records, each as it stands and with another member in its place."""
    choice = random.Random(SEED)
    by_law: dict[str, list[str]] = defaultdict(list)
    for (law, _), (_, text) in texts.items():
        by_law[law].append(text)
    rows: list[tuple[tuple[float, ...], bool, str, int]] = []
    for number, (law, heading, source, claim) in enumerate(_claims(texts)):
        if choice.random() > share:
            continue
        passages = passages_of(source)
        beside = passages_of(choice.choice(by_law[law]))
        if choice.random() < BESIDE:
            passages += beside
        read = _read(claim, passages, heading, reader, choice, beside)
        rows += [(features, faulty, law, number) for features, faulty in read]
    features, faulty, laws, claims = zip(*rows, strict=True)
    return Examples(np.array(features, dtype=np.float32), np.array(faulty), np.array(laws), np.array(claims))


def _claims(texts: dict[ProvisionRef, tuple[str, str]]) -> Iterator[tuple[str, Passage, str, Passage]]:
    for record in load_corpus().provisions:
        heading, text = texts.get((record.law_id, provision_key(record.provision) or ""), ("", ""))
        for said in (*record.points, record.summary) if text else ():
            plain = _LIST_MARK.sub("", said)
            for start, end in sentences(plain):
                if end - start >= _SHORTEST:
                    yield record.law_id, read_passage(heading), text, read_passage(plain[start:end])


def _read(
    claim: Passage,
    passages: Sequence[Passage],
    heading: Passage,
    reader: EvidenceReader,
    choice: random.Random,
    beside: Sequence[Passage],
) -> Iterator[tuple[tuple[float, ...], bool]]:
    nothing = read_passage("")
    for candidate in candidates_of(claim, passages):
        others = alternatives(candidate, [*passages, *beside])
        for taken in (candidate, choice.choice(others) if others else None):
            evidence = taken and reader.read(claim, taken, passages, heading, nothing)
            if evidence:
                yield evidence.features, taken is not candidate


def fit(examples: Examples) -> Any:
    """Fit the trees."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(
        max_iter=250, learning_rate=0.08, max_leaf_nodes=16, min_samples_leaf=40, l2_regularization=1, random_state=SEED
    )
    return trees.fit(examples.features, examples.faulty)


def measure(examples: Examples) -> None:
    """Print which share of right claims, and of faults, is above some log odds."""
    from sklearn.model_selection import GroupKFold

    odds = np.zeros(len(examples.faulty))
    for learnt, tried in GroupKFold(3).split(examples.features, examples.faulty, examples.laws):
        trees = fit(Examples(*(part[learnt] for part in examples)))
        odds[tried] = trees.decision_function(examples.features[tried])
    highest: dict[int, float] = {}
    for claim, value in zip(examples.claims[~examples.faulty], odds[~examples.faulty], strict=True):
        highest[claim] = max(value, highest.get(claim, -99.0))
    right = np.array(list(highest.values()))
    for limit in (LIMIT - 1, LIMIT - 0.5, LIMIT, LIMIT + 0.5, LIMIT + 1):
        told, found = (right > limit).sum() / len(set(examples.claims)), (odds[examples.faulty] > limit).mean()
        print(f"log odds {limit:.1f}: right claims told {told:.2%}, faults found {found:.1%}")


def save(trees: Any, idf: dict[str, float], rarest: float) -> None:
    """Write the trees and the weights of stems."""
    nodes = [predictors[0].nodes for predictors in trees._predictors]
    size = max(map(len, nodes))
    arrays: dict[str, Any] = {
        "feature": np.full((len(nodes), size), -1, dtype=np.int16),
        "threshold": np.zeros((len(nodes), size), dtype=np.float32),
        "left": np.zeros((len(nodes), size), dtype=np.int16),
        "right": np.zeros((len(nodes), size), dtype=np.int16),
        "value": np.zeros((len(nodes), size), dtype=np.float32),
    }
    for number, tree in enumerate(nodes):
        inner = tree["is_leaf"] == 0
        arrays["feature"][number, : len(tree)] = np.where(inner, tree["feature_idx"], -1)
        arrays["threshold"][number, : len(tree)] = np.where(inner, tree["num_threshold"], 0)
        arrays["left"][number, : len(tree)] = np.where(inner, tree["left"], 0)
        arrays["right"][number, : len(tree)] = np.where(inner, tree["right"], 0)
        arrays["value"][number, : len(tree)] = np.where(inner, 0, tree["value"])
    stems = sorted(idf)
    weights = np.array([idf[stem] for stem in stems], dtype=np.float16)
    scalars = np.array([float(trees._baseline_prediction.ravel()[0]), LIMIT, rarest])
    np.savez_compressed(FILE, stems=np.array(" ".join(stems)), idf=weights, scalars=scalars, **arrays)


def main() -> None:
    """Read, measure, fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--laws", type=Path, required=True, help="folder of the laws in Markdown")
    parser.add_argument("--share", type=float, default=1.0, help="share of the claims that is read")
    options = parser.parse_args()
    texts = read_texts(options.laws)
    idf, rarest = weights_of(text for _, text in texts.values())
    examples = read_examples(texts, EvidenceReader(idf, rarest), options.share)
    print(f"{len(set(examples.claims))} claims, {len(examples.faulty)} candidates")
    measure(examples)
    save(fit(examples), idf, rarest)
    print(f"{FILE.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
