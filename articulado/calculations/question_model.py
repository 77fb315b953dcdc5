"""Linear models that read questions into calculations; ``tools.train_calculations`` trains them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache, partial
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articulado.encoders.dual import DualEncoder
from articulado.encoders.sentences import SentenceEncoder
from articulado.language.folding import words_of
from articulado.language.spanish import stem_word
from articulado.legal.reading import Mention
from articulado.values.arrays import open_arrays

FILE = Path(str(resources.files("articulado.calculations"))) / "data" / "questions.npz"
LEFT, RIGHT = 7, 5  # Words before and after a mention that are features of its input
OF_SENTENCES, OF_FIELD = 2.0, 4.0  # Weights of the vectors of the two encoders beside the words


@dataclass(frozen=True)
class Linear:
    """A multinomial linear model over named features and a vector; ``weights`` is (classes, features + dimensions)."""

    classes: tuple[str, ...]
    places: Mapping[str, int]
    idf: NDArray[np.floating]
    weights: NDArray[np.floating]
    bias: NDArray[np.floating]

    def probabilities(
        self, features: Iterable[str], vector: NDArray[np.floating] | None = None, *, among: Sequence[str] = ()
    ) -> dict[str, float]:
        """Return the probability of each class, or of those ``among`` them."""
        own = np.array([self.places[each] for each in features if each in self.places], dtype=np.intp)
        scores = self.bias.astype(np.float64)
        if len(own):
            values = self.idf[own] / np.linalg.norm(self.idf[own])
            scores = scores + self.weights[:, own].astype(np.float64) @ values
        if vector is not None:
            scores = scores + self.weights[:, len(self.places) :].astype(np.float64) @ vector
        chosen = [index for index, name in enumerate(self.classes) if not among or name in among]
        if not chosen:
            return {}
        exponents = np.exp(scores[chosen] - scores[chosen].max())
        return dict(zip([self.classes[index] for index in chosen], (exponents / exponents.sum()).tolist(), strict=True))


@dataclass(frozen=True)
class QuestionModel:
    """The models of kinds (without and with a sentence encoder), inputs and choices, each loaded at its first use.

    ``read`` returns the model "kinds", "kinds_with_sentences", "inputs" or "choices". ``usage`` is the share of the
    questions of a kind that give an input.
    """

    usage: Mapping[str, Mapping[str, float]]
    read: Callable[[str], Linear]

    def save(self, file: Path) -> None:
        """Write the models, each weight as a byte with a scale per class."""
        arrays: dict[str, Any] = {
            "usage_kinds": np.array([kind for kind, own in self.usage.items() for _ in own]),
            "usage_inputs": np.array([name for own in self.usage.values() for name in own]),
            "usage_shares": np.array([share for own in self.usage.values() for share in own.values()], np.float32),
        }
        for name in ("kinds", "kinds_with_sentences", "inputs", "choices"):
            model = self.read(name)
            scales = np.maximum(np.abs(model.weights).max(axis=1, keepdims=True), np.finfo(np.float32).tiny)
            arrays |= {
                f"{name}_classes": np.array(model.classes),
                f"{name}_features": np.array(list(model.places)),
                f"{name}_idf": model.idf.astype(np.float32),
                f"{name}_weights": np.round(model.weights / scales * 127).astype(np.int8),
                f"{name}_scales": (scales / 127).astype(np.float32),
                f"{name}_bias": model.bias.astype(np.float32),
            }
        np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, file: Path) -> "QuestionModel":
        """Open the models of a file."""
        with open_arrays(file) as arrays:
            usage: dict[str, dict[str, float]] = {}
            columns = (arrays[f"usage_{name}"].tolist() for name in ("kinds", "inputs", "shares"))
            for kind, name, share in zip(*columns, strict=True):
                usage.setdefault(kind, {})[name] = share
        return cls(usage, cache(partial(_read, file)))


def _read(file: Path, name: str) -> Linear:
    with open_arrays(file) as arrays:
        return Linear(
            tuple(arrays[f"{name}_classes"].tolist()),
            {each: index for index, each in enumerate(arrays[f"{name}_features"].tolist())},
            arrays[f"{name}_idf"],
            arrays[f"{name}_weights"] * arrays[f"{name}_scales"],
            arrays[f"{name}_bias"],
        )


@cache
def packaged_questions() -> QuestionModel:
    return QuestionModel.load(FILE)


def meaning_of(texts: Sequence[str], of_field: DualEncoder, sentences: SentenceEncoder | None) -> NDArray[np.floating]:
    """Return the weighted vectors of texts, (texts, dim): of the field encoder, then of the sentence encoder if any."""
    vectors = np.array([of_field.embed_question(text) for text in texts]) * OF_FIELD
    return vectors if sentences is None else np.hstack([vectors, sentences.encode(texts) * OF_SENTENCES])


def kind_features(text: str, mentioned: Sequence[Mention]) -> set[str]:
    """Return the features of the kind: stems, pairs of stems, and types of mentions."""
    stems = _stems(text)
    named = {f"has {each.type} {each.unit} {each.per}" for each in mentioned}
    dates = sum(each.type == "date" for each in mentioned)
    return {*stems, *(f"{first} {second}" for first, second in pairwise(stems)), *named, f"dates {min(dates, 4)}"}


def _stems(text: str) -> list[str]:
    return ["0" if word[0].isdigit() else stem_word(word) or word for word in words_of(text)]


def mention_features(text: str, mentioned: Sequence[Mention], index: int) -> set[str]:
    """Return the features of a mention: the words around it, its form, and its rank among mentions of its type."""
    own = mentioned[index]
    before = _around(text[: own.start], [each for each in mentioned if each.end <= own.start])[-LEFT:][::-1]
    after = _around(
        text[own.end :],
        [
            Mention(each.type, each.value, each.start - own.end, each.end - own.end)
            for each in mentioned
            if each.start >= own.end
        ],
    )[:RIGHT]
    alike = [each for each in mentioned if each.type == own.type]
    features = {f"type {own.type}", f"unit {own.unit}", f"per {own.per}", f"alone {len(alike) == 1} {own.type}"}
    features |= {f"< {word}" for word in before} | {f"> {word}" for word in after}
    features |= {f"<{min(distance, 3)} {word}" for distance, word in enumerate(before)}
    features |= {f">{min(distance, 2)} {word}" for distance, word in enumerate(after)}
    features |= {f"<< {second} {first}" for first, second in pairwise(before)}
    features |= {f">> {first} {second}" for first, second in pairwise(after)}
    features.add(f"type {own.type} {own.unit} {own.per}")
    features.add(f"first {own is alike[0]} {own.type}")
    if own.type == "date":
        days = sorted({each.value for each in alike if isinstance(each.value, date)})
        rank = days.index(own.value) if isinstance(own.value, date) else 0
        features |= {f"day {rank} of {len(days)}", f"last {rank == len(days) - 1}", f"earliest {rank == 0}"}
    elif isinstance(own.value, Decimal):
        features.add(f"size {own.type} {_size(own.value)}")
    return features


def _size(value: Decimal) -> str:
    bounds = (1, 2, 5, 10, 20, 50, 100, 400, 3000, 10_000)
    return str(next((bound for bound in bounds if value <= bound), "more"))


def _around(text: str, mentioned: Sequence[Mention]) -> list[str]:
    marks = list(text)
    for each in mentioned:
        if each.start >= 0 and each.end <= len(text):
            marks[each.start : each.end] = f" {each.type[:3]}xx ".ljust(each.end - each.start)[: each.end - each.start]
    joined = "".join(marks).replace(".", " puntofinal ").replace("?", " puntofinal ").replace(";", " puntoycoma ")
    return [stem_word(word) or word for word in words_of(joined)]
