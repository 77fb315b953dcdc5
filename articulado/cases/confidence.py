"""Confidence of a case: curves from log odds to probabilities, and their calibration by profile."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from articulado.config.extras import importing
from articulado.config.sections import Section
from articulado.language.languages import Language
from articulado.language.translation import reason, translate
from articulado.values.chunks import Candidate
from articulado.values.errors import ConfigurationError

FILE = "calibration.json"
CaseGraph = Literal["required_data", "generate_response"]

_RIDGE = 1e-6
"""Weight of slope² / 2 beside the likelihood: without it, equal log odds have no single best slope."""


class Curve(Section):
    """A logistic curve from the log odds of a match to the share of right cases; it never falls."""

    slope: float = Field(ge=0)
    intercept: float
    cases: int = Field(ge=1, description="How many cases it was fitted on")

    def __call__(self, log_odds: float) -> float:
        """Return the share in [0, 1] of right cases with these log odds."""
        return 0.5 * (1 + math.tanh(0.5 * (self.slope * log_odds + self.intercept)))


IDENTITY = Curve(slope=1.0, intercept=0.0, cases=1)


class Calibration(BaseModel):
    """The curves of a profile by graph (from ``Choice.log_odds``), and the fingerprint of the weights they fit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    model: str = ""
    curves: dict[CaseGraph, Curve]


def read_calibration(folder: Path) -> Calibration | None:
    """Read the calibration of a profile, if any; raise ``ConfigurationError`` if it breaks its schema."""
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return Calibration.model_validate_json(file.read_bytes())
    except (ValidationError, OSError) as error:
        raise ConfigurationError(translate("case.calibration_unreadable", file=file)) from error


def write_calibration(folder: Path, calibration: Calibration) -> Path:
    """Write the calibration of a profile, and return its file; raise ``ConfigurationError`` on failure."""
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(calibration.model_dump(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(translate("case.calibration_unwritable", file=file, why=reason(error))) from error
    return file


def fit_curve(log_odds: Sequence[float], right: Sequence[bool]) -> Curve:
    """Fit a curve to cases (Platt, "Probabilistic Outputs for Support Vector Machines", 1999).

    scikit-learn accepts only targets 0 and 1: each case is passed as right and as wrong, weighted by its smoothed
    target.
    """
    if not log_odds:
        raise ValueError("no cases")
    # Only a calibration is fitted with it: the answering graphs, which read this module, never load it.
    with importing("training"):
        from sklearn.linear_model import LogisticRegression

    count, positives = len(right), sum(right)
    high, low = (positives + 1) / (positives + 2), 1 / (count - positives + 2)
    targets = [high if correct else low for correct in right]
    regression = LogisticRegression(C=1 / _RIDGE, solver="newton-cg", tol=1e-9, max_iter=1_000).fit(
        [[value] for value in log_odds] * 2,
        [1] * count + [0] * count,
        sample_weight=[*targets, *(1 - target for target in targets)],
    )
    slope, intercept = float(regression.coef_[0, 0]), float(regression.intercept_[0])
    if slope < 0:  # better matches, fewer right: the share of all says more
        mean = sum(targets) / count
        slope, intercept = 0.0, math.log(mean / (1 - mean))
    return Curve(slope=round(slope, 6), intercept=round(intercept, 6), cases=count)


BEST_SCORES = 3
CRITICAL_BONUS = 1.1
CRITICAL_CHUNKS = 2
DECIMALS = 2

HIGHEST = 0.99

MIN_CONFIDENCE = 0.70
"""Below it, the decision is ``uncertain``."""

MAX_OF_ONE_WORD = 0.60
"""Highest confidence for an inquiry of a single content word, which names no aim."""

MAX_BARE_WORDS = 2

MIN_IN_SCOPE = 0.40
"""Below this probability that any article handles the inquiry, the decision is ``out_of_scope``."""


def says_too_little(inquiry: str, language: Language) -> bool:
    """Return True for a single content word, with at most an article: "loan", "the loan"."""
    return len(inquiry.split()) <= MAX_BARE_WORDS and len(language.content_words(inquiry)) <= 1


def confidence_of(similarities: Iterable[float], reranked: Iterable[float] | None, critical: int) -> float:
    """Return the confidence in [0, 1], not rounded; 0 without candidates.

    similarity = mean of the 3 best dense cosines, clipped to [0, 1]; confidence = similarity, or (similarity + mean of
    the 3 best rerank scores) / 2 if there are any, × 1.1 with 2 or more critical chunks, at most 1.
    """
    base = _mean_of_best(similarities)
    scores = list(reranked or ())
    if scores:
        base = (base + _mean_of_best(scores)) / 2
    return min(1.0, base * CRITICAL_BONUS if critical >= CRITICAL_CHUNKS else base)


def _mean_of_best(scores: Iterable[float]) -> float:
    best = sorted((min(1.0, max(0.0, score)) for score in scores), reverse=True)[:BEST_SCORES]
    return sum(best) / len(best) if best else 0.0


def raw_confidence(retrieved: Iterable[Candidate], reranked: Iterable[Candidate], critical: int) -> float:
    """Return ``confidence_of`` an article's candidates, two decimals; the inquiry alone found ``retrieved``."""
    similarities = [candidate["similarity"] for candidate in retrieved if "similarity" in candidate]
    rerank_scores = [candidate["rerank_score"] for candidate in reranked if "rerank_score" in candidate]
    return round(confidence_of(similarities, rerank_scores, critical), DECIMALS)


@dataclass(frozen=True)
class ConfidenceEstimator:
    """Calibrates the confidence of a graph; ``weights`` is the fingerprint of the weights in use."""

    graph: CaseGraph
    weights: str
    packaged: Curve
    calibration: Calibration | None = None

    @property
    def curve(self) -> Curve:
        """The curve of the profile if it was fitted with these weights, else that of the package."""
        own = self.calibration
        if own and own.model == self.weights and self.graph in own.curves:
            return own.curves[self.graph]
        return self.packaged

    def confidence(self, log_odds: float) -> float:
        """Return the share of right cases with these log odds, in [0, 0.99], two decimals."""
        return min(HIGHEST, round(self.curve(log_odds), DECIMALS))
