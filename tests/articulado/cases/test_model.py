"""The weights of a match: log odds by hand, and the file of the package, whole and damaged."""

import json

import numpy as np
import pytest

from articulado.cases import matching as model_module
from articulado.cases.evidence import EVIDENCE, SENTENCE_EVIDENCE
from articulado.cases.matching import MatchModel, MatchModels, packaged_models
from articulado.values.errors import ConfigurationError

COUNT = len(EVIDENCE)
WHOLE = {
    "evidence": list(EVIDENCE),
    "mean": [1.0] * COUNT,
    "deviation": [2.0] * COUNT,
    "weights": [0.5, -1.0, *[0.0] * (COUNT - 2)],
    "bias": -0.25,
    "curve": {"slope": 1.0, "intercept": 0.0, "cases": 10},
}

MORE = len(SENTENCE_EVIDENCE) - COUNT
SENTENCES = {
    **WHOLE,
    "evidence": list(SENTENCE_EVIDENCE),
    **{name: [*WHOLE[name], *[1.0] * MORE] for name in ("mean", "deviation", "weights")},
}
BOTH = {"words": WHOLE, "sentences": SENTENCES}


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Let the package have its weights in another file."""
    monkeypatch.setattr(model_module, "WEIGHTS_FILE", tmp_path / "weights.json")
    packaged_models.cache_clear()
    yield tmp_path / "weights.json"
    packaged_models.cache_clear()


def test_log_odds_by_hand():
    features = np.ones((2, COUNT))
    features[1, :2] = 5.0, 2.0

    # (5 − 1) / 2 · 0.5 − (2 − 1) / 2 − 0.25
    assert MatchModel(**WHOLE).log_odds(features) == pytest.approx([-0.25, 0.25])


def test_the_fingerprint_is_that_of_the_weights_and_not_of_the_curve():
    first = MatchModel(**WHOLE).fingerprint
    curve = MatchModel(**{**WHOLE, "curve": {"slope": 2.0, "intercept": 0.0, "cases": 10}})
    weights = MatchModel(**{**WHOLE, "bias": -0.5})

    assert len(first) == 12
    assert curve.fingerprint == first != weights.fingerprint


def test_the_weights_of_the_package_are_of_the_evidence_that_is_read():
    for is_of_sentences, evidence in ((False, EVIDENCE), (True, SENTENCE_EVIDENCE)):
        model = packaged_models().of(sentences=is_of_sentences)
        assert model.evidence == evidence
        assert len(model.mean) == len(model.deviation) == len(model.weights) == len(evidence)
        assert min(model.deviation) > 0


def test_a_file_is_read_as_it_is(file):
    file.write_text(json.dumps(BOTH), encoding="utf-8")

    assert packaged_models() == MatchModels(words=MatchModel(**WHOLE), sentences=MatchModel(**SENTENCES))


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        "{",
        json.dumps(BOTH)[:-40],
        json.dumps({**BOTH, "words": {**WHOLE, "evidence": list(EVIDENCE[:-1])}}),
        json.dumps({**BOTH, "sentences": {**SENTENCES, "evidence": list(reversed(SENTENCE_EVIDENCE))}}),
        json.dumps({**BOTH, "words": {**WHOLE, "bias": "much"}}),
        json.dumps({**BOTH, "words": {**WHOLE, "more": 1}}),
        json.dumps({"words": WHOLE}),
        "\xff".encode("latin-1"),
    ],
    ids=["missing", "empty", "torn", "cut", "less", "other", "text", "more", "one alone", "bytes"],
)
def test_a_damaged_file_or_one_of_other_evidence_is_said_with_what_to_do(file, content):
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    with pytest.raises(ConfigurationError, match="Vuelva a instalar articulado") as raised:
        packaged_models()
    assert str(file) in str(raised.value)
