"""Tell how well a text bears a claim, by the words and figures that they share."""

import itertools
import re
from collections.abc import Sequence
from functools import lru_cache
from math import fsum

from articulado.language.folding import fold
from articulado.language.numerals import CARDINALS

_WORD = re.compile(r"[a-zñ]{4,}|\d+(?:[.,]\d+)*")
_VALUES = {word: str(value) for value, word in enumerate(CARDINALS, start=1) if value > 1}
_STEM = 6
_SHARED_WEIGHT = 0.3


@lru_cache(maxsize=4096)
def features(text: str) -> frozenset[str]:
    """Return the stems, pairs of stems and figures of a text.

    >>> sorted(features("quince días"))
    ['15', '15 dias', 'dias']
    """
    words = [_VALUES.get(word, word)[:_STEM] for word in _WORD.findall(fold(text))]
    return frozenset(words) | {f"{first} {second}" for first, second in itertools.pairwise(words)}


def fits(claim: str, texts: Sequence[str]) -> list[float]:
    """Return for each text the share of the claim that stands in it, in [0, 1].

    What stands in every text tells them apart no more, and weighs less.
    """
    wanted, have = features(claim), [features(text) for text in texts]
    in_all = frozenset[str].intersection(*have) if len(have) > 1 else frozenset[str]()
    weights = {feature: _SHARED_WEIGHT if feature in in_all else 1.0 for feature in wanted}
    # Added without rounding: a set has no order, and a finding must not depend on one.
    anywhere = fsum(weight for feature, weight in weights.items() if any(feature in text for text in have))
    if not anywhere:
        return [0.0] * len(texts)
    return [fsum(weights[feature] for feature in wanted & text) / anywhere for text in have]
