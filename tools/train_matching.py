"""Train the match of inquiries to articles, on the labelled inquiries of the packaged profiles.

    python -m tools.train_matching            # writes the weights
    python -m tools.train_matching --folds    # writes nothing, prints the table of docs/cases.md

Run this when articles, outside matters, an encoder or the evidence have changed, and ``articulado case
calibrate`` after it. It takes some minutes. The weights are learnt from the inquiries of ``cases.jsonl`` and
``short_cases.jsonl`` and from one half of the cases with data (``decisions.jsonl``). The curve is fitted to what
weights say that were learnt without a case: its fold has all inquiries of its article.
"""

import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from articulado.cases.evidence import EVIDENCE, SENTENCE_EVIDENCE, EvidenceReader, TextVectors
from articulado.cases.fields import passes_attributes
from articulado.cases.matching import (
    MIN_CONFIDENCE,
    MIN_IN_SCOPE,
    WEIGHTS_FILE,
    Curve,
    MatchModel,
    MatchModels,
    article_reader,
    fit_curve,
)
from articulado.config.profile import Profile, domain_of, load_profile
from articulado.config.settings import Settings
from articulado.encoders.dual import DIMENSIONS, DualEncoder, packaged_encoder
from articulado.encoders.use_multilingual import MultilingualSentences
from articulado.guides.chunks import cut_article
from articulado.guides.known_questions import KeptVectors
from articulado.ingestion.indexing.build import training_pairs_of
from articulado.ingestion.indexing.changes import entries_of
from articulado.legal.domain.spanish_law import SPANISH_LAW
from evaluation.case_desk.cases import LabelledCase, half_of, own_cases, own_decisions, own_short_cases
from evaluation.statistics import Prediction, reliability

PROFILES = ("laboral", "plan_401k")
STRENGTH = 0.3
"""Inverse strength of regularisation."""
FOLDS = 5
_DECIMALS = 6
_NO_CURVE = Curve(slope=1.0, intercept=0.0, cases=1)


class Example(NamedTuple):
    """A case with the evidence for each article that its filter lets through, (articles, features)."""

    source: str
    case: LabelledCase
    features: NDArray[np.float64]
    is_right: NDArray[np.bool_]

    @property
    def fold(self) -> int:
        """The fold of all inquiries of its article; of one that no article handles, its own."""
        group = f"{self.case.profile}:{self.case.article or self.case.id}"
        return int(sha256(group.encode()).hexdigest(), 16) % FOLDS


def packaged_reader(profile: Profile, vectors: TextVectors | None = None) -> EvidenceReader:
    """Return the reader of the evidence for the articles that a profile brings along, as an index of it would have."""
    files = sorted(profile.articles.glob("*.article.yaml")) if profile.articles else []
    articles = [cut_article(file, profile) for file in files]
    chunks = [chunk for article in articles for chunk in article.chunks]
    domain = domain_of(profile)
    if domain is SPANISH_LAW:
        return article_reader(chunks, profile, domain, packaged_encoder(), vectors)
    phrasings = {key: text for article in articles for key, text in article.lay_phrasings.items()}
    pairs = training_pairs_of(entries_of(chunks, phrasings, "none", {}), profile)
    return article_reader(chunks, profile, domain, DualEncoder.fit(pairs, DIMENSIONS, domain), vectors)


def examples_of(reader: EvidenceReader, source: str, cases: Sequence[LabelledCase], profile: Profile) -> list[Example]:
    """Return the cases of a profile with their evidence, and which article is right.

    A case that names another value than its filter is of no article that passes it, and left out: half of any curve is
    shown.
    """
    examples = []
    for each in cases:
        if each.profile != profile.name or each.kind == "wrong_keeper":
            continue
        case = each.canonical(profile)
        passing = [passes_attributes(guide.attributes, case.filters) for guide in reader.articles]
        is_right = np.array([guide.article_id == case.article for guide in reader.articles])
        if any(passing):
            examples.append(Example(source, case, reader.read(case.inquiry)[passing], is_right[passing]))
    return examples


def fitted(examples: Sequence[Example], evidence: Sequence[str]) -> MatchModel:
    """Fit the weights of the first features to pairs of an inquiry and an article; no curve."""
    features = np.concatenate([each.features for each in examples])[:, : len(evidence)]
    is_right = np.concatenate([each.is_right for each in examples])
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation == 0] = 1.0  # what never varies says nothing: it gets no weight
    regression = LogisticRegression(C=STRENGTH, max_iter=5_000).fit((features - mean) / deviation, is_right)
    return MatchModel(
        evidence=tuple(evidence),
        mean=_rounded(mean),
        deviation=_rounded(deviation),
        weights=_rounded(regression.coef_[0]),
        bias=round(float(regression.intercept_[0]), _DECIMALS),
        curve=_NO_CURVE,
    )


class FoldResult(NamedTuple):
    """The best article of a case by weights that were learnt without its fold, and whether it is right."""

    example: Example
    log_odds: float
    is_right: bool


def by_folds(examples: Sequence[Example], evidence: Sequence[str]) -> list[FoldResult]:
    """Return the best article of each case by the weights learnt from the other folds."""
    results = []
    for fold in range(FOLDS):
        model = fitted([each for each in examples if each.fold != fold], evidence)
        for each in (each for each in examples if each.fold == fold):
            log_odds = model.log_odds(each.features[:, : len(evidence)])
            best = int(log_odds.argmax())
            results.append(FoldResult(each, float(log_odds[best]), bool(each.is_right[best])))
    return results


def trained(examples: Sequence[Example], evidence: Sequence[str]) -> MatchModel:
    """Return the weights by all cases, and the curve by what is said of each without its fold."""
    curve = _curve_of(by_folds(examples, evidence))
    return fitted(examples, evidence).model_copy(update={"curve": curve})


def _curve_of(results: Sequence[FoldResult]) -> Curve:
    return fit_curve([each.log_odds for each in results], [each.is_right for each in results])


def table_of(results: Sequence[FoldResult]) -> list[str]:
    """Return a line for each source of cases: right articles, what goes on rightly and wrongly, AUC and ECE.

    The confidence of a fold is that of a curve fitted to the others.
    """
    confidences = []
    for fold in range(FOLDS):
        curve = _curve_of([each for each in results if each.example.fold != fold])
        confidences += [(each, curve(each.log_odds)) for each in results if each.example.fold == fold]
    sources = dict.fromkeys(each.example.source for each in results)
    return [_line(name, [pair for pair in confidences if pair[0].example.source == name]) for name in sources] + [
        _line("all", confidences)
    ]


def _line(name: str, found: Sequence[tuple[FoldResult, float]]) -> str:
    answerable = [(each, confidence) for each, confidence in found if each.example.case.answerable]
    best = sum(each.is_right for each, _ in answerable)
    on = sum(each.is_right and confidence >= MIN_CONFIDENCE for each, confidence in answerable)
    wrongly = sum(not each.is_right and confidence >= MIN_CONFIDENCE for each, confidence in found)
    declined = sum(confidence < MIN_IN_SCOPE for each, confidence in found if not each.example.case.answerable)
    auc = roc_auc_score([each.is_right for each, _ in found], [confidence for _, confidence in found])
    ece = reliability([Prediction(confidence, float(each.is_right)) for each, confidence in found]).ece
    asked, others = len(answerable), len(found) - len(answerable)
    return (
        f"| {name} | {best}/{asked} | {on}/{asked} | {wrongly}/{len(found)} | {declined}/{others}"
        f" | {auc:.3f} | {ece:.3f} |"
    )


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), _DECIMALS) for value in values)


def training_examples() -> list[Example]:
    """Return the cases that weights are learnt from, with their evidence by words and by sentences."""
    folder = Settings.read().home / "encoders"
    vectors = KeptVectors(MultilingualSentences.open(folder), folder)
    sources = (
        ("cases", own_cases()),
        ("short_cases", own_short_cases()),
        ("decisions, fitting half", half_of(own_decisions(), "fit")),
    )
    examples = []
    for profile in map(load_profile, PROFILES):
        reader = packaged_reader(profile, vectors)
        examples += [each for name, cases in sources for each in examples_of(reader, name, cases, profile)]
    return examples


def main() -> None:
    """Write the weights into the package, or print how they do by folds."""
    examples = training_examples()
    if "--folds" in sys.argv[1:]:
        for title, evidence in (("words", EVIDENCE), ("with sentences", SENTENCE_EVIDENCE)):
            print(title, *table_of(by_folds(examples, evidence)), sep="\n")
        return
    models = MatchModels(words=trained(examples, EVIDENCE), sentences=trained(examples, SENTENCE_EVIDENCE))
    WEIGHTS_FILE.write_text(models.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
