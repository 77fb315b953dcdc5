"""Sentence encoders: vectors of whole texts that are near where texts mean the same, in any language they know.

``SentenceEncoder`` is the Protocol. ``sentence_encoder`` opens the one that the settings name; without one,
what uses it does without.
"""

import logging
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from articulado.config.settings import SentenceModel, Settings
from articulado.values.errors import ConfigurationError

_log = logging.getLogger(__name__)


class SentenceEncoder(Protocol):
    """Encodes texts as vectors."""

    def __hash__(self) -> int: ...

    @property
    def fingerprint(self) -> str:
        """Name of the encoder and its weights: vectors of others must not be compared with its own."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts, (texts, dim) of unit length.

        Raises:
            ConfigurationError: the weights are damaged.
        """
        ...


def sentence_encoder(settings: Settings) -> SentenceEncoder | None:
    """Return the encoder that the settings name, or ``None`` where they name none or it cannot be opened.

    A package that is missing or damaged costs quality, never the answer: it is logged once, and the search does
    without.
    """
    return _opened(settings.sentences, settings.home / "encoders")


@cache
def _opened(name: SentenceModel, folder: Path) -> SentenceEncoder | None:
    if name == "none":
        return None
    from articulado.encoders.use_multilingual import MultilingualSentences

    try:
        return MultilingualSentences.open(folder)
    except ConfigurationError as error:
        _log.warning("%s", error)
        return None
