"""The weights of a match: how likely it is, by the evidence, that an article handles an inquiry."""

from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from articulado.language.translation import translate
from articulado.values.errors import ConfigurationError
from services.case.calibration import Curve
from services.case.matching.evidence import EVIDENCE

FILE = Path(str(resources.files("services.case.matching"))) / "weights.json"
"""Where the weights of the package lie (``tools.train_matching``)."""


class MatchModel(BaseModel):
    """A logistic regression over ``evidence``, each feature of mean 0 and deviation 1; the same for every profile.

    ``curve`` tells how often cases of any log odds are right, for profiles that have no calibration of their own.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    evidence: tuple[str, ...]
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    curve: Curve

    @cached_property
    def fingerprint(self) -> str:
        """Name the weights in 12 hexadecimal digits, so that a calibration can tell those that it was made with."""
        weights = self.model_dump_json(exclude={"curve"})
        return blake2b(weights.encode(), digest_size=6).hexdigest()

    def log_odds(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log odds of each row of features, (articles, features), that the article handles the inquiry."""
        scaled = (features - np.array(self.mean)) / np.array(self.deviation)
        odds: NDArray[np.float64] = scaled @ np.array(self.weights) + self.bias
        return odds


@cache
def packaged_model() -> MatchModel:
    """Return the weights of the package.

    Raises:
        ConfigurationError: the package is damaged.
    """
    try:
        model = MatchModel.model_validate_json(FILE.read_bytes())
        if model.evidence != EVIDENCE:
            raise ValueError("evidence")
        return model
    except (OSError, ValueError, ValidationError) as error:
        raise ConfigurationError(translate("case.weights_damaged", file=FILE)) from error
