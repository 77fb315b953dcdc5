"""Train the match of inquiries to articles, on the labelled inquiries of the packaged profiles.

    python -m tools.train_matching

Run this when articles, outside matters, the encoder or the evidence have changed, and ``articulado case
calibrate`` after it. It takes a minute. The weights are learnt from inquiries without data
(``cases.jsonl``), the curve from one half of the cases with data (``decisions.jsonl``). Both are measured
on the other half.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from articulado.cases.evidence import EVIDENCE, EvidenceReader
from articulado.cases.fields import passes_attributes
from articulado.cases.matching import WEIGHTS_FILE, Curve, MatchModel, article_reader, fit_curve, matches
from articulado.config.profile import Profile, domain_of, load_profile
from articulado.encoders.dual import DIMENSIONS, DualEncoder, packaged_encoder
from articulado.guides.chunks import cut_article
from articulado.ingestion.indexing.build import training_pairs_of
from articulado.ingestion.indexing.changes import entries_of
from articulado.legal.domain.spanish_law import SPANISH_LAW
from evaluation.case_desk.cases import LabelledCase, half_of, own_cases, own_decisions

PROFILES = ("laboral", "plan_401k")
STRENGTH = 0.3
"""Inverse strength of regularisation."""
_DECIMALS = 6
_NO_CURVE = Curve(slope=1.0, intercept=0.0, cases=1)


def packaged_reader(profile: Profile) -> EvidenceReader:
    """Return the reader of the evidence for the articles that a profile brings along, as an index of it would have."""
    files = sorted(profile.articles.glob("*.article.yaml")) if profile.articles else []
    articles = [cut_article(file, profile) for file in files]
    chunks = [chunk for article in articles for chunk in article.chunks]
    domain = domain_of(profile)
    if domain is SPANISH_LAW:
        return article_reader(chunks, profile, domain, packaged_encoder())
    phrasings = {key: text for article in articles for key, text in article.lay_phrasings.items()}
    pairs = training_pairs_of(entries_of(chunks, phrasings, "none", {}), profile)
    return article_reader(chunks, profile, domain, DualEncoder.fit(pairs, DIMENSIONS, domain))


def fitted(features: NDArray[np.float64], handled: NDArray[np.bool_]) -> MatchModel:
    """Fit the weights to pairs of an inquiry and an article, (pairs, features), and whether it handles it; no curve."""
    from sklearn.linear_model import LogisticRegression

    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation == 0] = 1.0  # what never varies says nothing: it gets no weight
    regression = LogisticRegression(C=STRENGTH, max_iter=5_000).fit((features - mean) / deviation, handled)
    return MatchModel(
        evidence=EVIDENCE,
        mean=_rounded(mean),
        deviation=_rounded(deviation),
        weights=_rounded(regression.coef_[0]),
        bias=round(float(regression.intercept_[0]), _DECIMALS),
        curve=_NO_CURVE,
    )


def pairs_of(reader: EvidenceReader, cases: Sequence[LabelledCase]) -> list[tuple[NDArray[np.float64], bool]]:
    """Return the evidence for each inquiry and each article that its filter lets through, and whether it is right."""
    return [
        (row, guide.article_id == case.article)
        for case in cases
        for guide, row in zip(reader.articles, reader.read(case.inquiry), strict=True)
        if passes_attributes(guide.attributes, case.filters)
    ]


def best_matches(reader: EvidenceReader, model: MatchModel, cases: Sequence[LabelledCase]) -> list[tuple[float, bool]]:
    """Return the log odds of the best match of each case, and whether it is right.

    What names another value than its filter is of no article that passes it, and left out: half of any curve is shown.
    """
    found = []
    for case in cases:
        if case.kind == "wrong_keeper":
            continue
        every = matches(reader, model, case.inquiry)
        best = next((match for match in every if passes_attributes(match.guide.attributes, case.filters)), None)
        if best is not None:
            found.append((best.log_odds, best.guide.article_id == case.article))
    return found


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), _DECIMALS) for value in values)


def trained(
    readers: Sequence[tuple[Profile, EvidenceReader]], cases: Sequence[LabelledCase], decisions: Sequence[LabelledCase]
) -> MatchModel:
    """Return the weights by ``cases`` and their curve by one half of ``decisions``; the other has no part in either."""

    def of(profile: Profile, every: Sequence[LabelledCase]) -> list[LabelledCase]:
        return [case.canonical(profile) for case in every if case.profile == profile.name]

    pairs = [pair for profile, reader in readers for pair in pairs_of(reader, of(profile, cases))]
    model = fitted(np.array([row for row, _ in pairs]), np.array([handled for _, handled in pairs]))
    fitting = half_of(decisions, "fit")
    found = [match for profile, reader in readers for match in best_matches(reader, model, of(profile, fitting))]
    curve = fit_curve([odds for odds, _ in found], [right for _, right in found])
    return model.model_copy(update={"curve": curve})


def main() -> None:
    """Write the weights into the package."""
    profiles = [load_profile(name) for name in PROFILES]
    model = trained([(profile, packaged_reader(profile)) for profile in profiles], own_cases(), own_decisions())
    WEIGHTS_FILE.write_text(model.model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
