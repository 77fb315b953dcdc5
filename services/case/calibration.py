"""What confidence is worth: a curve from measured confidence to how often a case of that confidence is right.

Platt, "Probabilistic outputs for support vector machines", 1999: p = 1 / (1 + e^−(slope · x + intercept)), fitted by
maximum likelihood on targets drawn in from 0 and 1 by the numbers of each.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.errors import ConfigurationError

FILE = "calibration.json"
CaseGraph = Literal["required_data", "generate_response"]

_STEPS = 100
_ENOUGH = 1e-9
_RIDGE = 1e-6
"""Keeps the curve finite where confidence parts right from wrong without exception."""


class Curve(BaseModel):
    """A logistic curve; it never falls, so that more confidence is never worth less."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    slope: float = Field(ge=0)
    intercept: float
    cases: int = Field(ge=1, description="How many cases it was fitted on")

    def __call__(self, confidence: float) -> float:
        """Return the share of right ones, in (0, 1), among cases of this confidence."""
        return 1 / (1 + math.exp(-(self.slope * confidence + self.intercept)))


class Calibration(BaseModel):
    """The curves of a profile, and the scores that they are of: those of an embedder and of a reranker."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    embedder: str
    reranker: str
    curves: dict[CaseGraph, Curve]

    def curve(self, graph: CaseGraph, embedder: str, reranker: str) -> Curve | None:
        """Return the curve for these scores; ``None`` where it was fitted on others, which it says nothing about."""
        return self.curves.get(graph) if (embedder, reranker) == (self.embedder, self.reranker) else None


def read_calibration(folder: Path) -> Calibration | None:
    """Read the calibration of a profile; ``None`` where it has none.

    Raises:
        ConfigurationError: the file breaks its schema.
    """
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return Calibration.model_validate_json(file.read_bytes())
    except (ValidationError, OSError) as error:
        raise ConfigurationError(
            f"No se puede leer la calibración {file}. Bórrela, o hágala de nuevo con «articulado case calibrate»."
        ) from error


def write_calibration(folder: Path, calibration: Calibration) -> Path:
    """Write the calibration of a profile, and return its file.

    Raises:
        ConfigurationError: the folder cannot be written to.
    """
    file = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(calibration.model_dump(), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"No se puede escribir la calibración en {file}: {error.strerror}.") from error
    return file


def fit_curve(confidences: Sequence[float], right: Sequence[bool]) -> Curve:
    """Fit the curve to cases, each with its confidence in [0, 1] and whether it was right, by Newton's method.

    Raises:
        ValueError: there are no cases.
    """
    if not confidences:
        raise ValueError("no cases")
    positives = sum(right)
    high, low = (positives + 1) / (positives + 2), 1 / (len(right) - positives + 2)
    targets = np.where(np.asarray(right, dtype=bool), high, low)
    rows = np.column_stack([np.asarray(confidences, dtype=np.float64), np.ones(len(confidences))])
    weights = np.zeros(2)
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (likely - targets) + _RIDGE * weights
        hessian = (rows * (likely * (1 - likely))[:, None]).T @ rows + _RIDGE * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if float(np.abs(step).max()) < _ENOUGH:
            break
    slope, intercept = (float(weight) for weight in weights)
    if slope < 0:  # more confidence, fewer right: the share of all says more
        mean = float(targets.mean())
        slope, intercept = 0.0, math.log(mean / (1 - mean))
    return Curve(slope=round(slope, 6), intercept=round(intercept, 6), cases=len(confidences))
