"""Train the match of inquiries to articles: ``python -m tools.train_matching``; with ``--folds``, print its quality.

Run this, for some minutes, when articles, labelled inquiries, the encoder or the features have changed. Models of an
inquiry are fitted without its writer.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from articulado.cases.comparison import FEATURES, GuideComparer, TextVectors
from articulado.cases.confidence import IDENTITY, MIN_CONFIDENCE, CaseGraph, Curve, fit_curve
from articulado.cases.fields import passes_attributes
from articulado.cases.guides import Guide, LabelledInquiry, guides_of, load_inquiries
from articulado.cases.matching import WEIGHTS_FILE, Match, MatchModel, MatchModels, Priors, choose, share_sent
from articulado.config.profile import Profile, load_profile
from articulado.config.sections import TOPIC
from articulado.config.settings import Settings
from articulado.encoders.sentences import SentenceEncoder
from articulado.encoders.use_multilingual import MultilingualSentences
from articulado.guides.chunks import cut_article
from articulado.language.languages import language
from articulado.values.chunks import Chunk
from evaluation.case_desk.measure import LabelledCase, own_decisions
from evaluation.statistics import Prediction, reliability

PROFILES = ("laboral", "plan_401k")
STRENGTH = 0.3
PENALTY = 0.05
_DECIMALS = 6
GRAPHS: tuple[CaseGraph, ...] = ("required_data", "generate_response")


class OnceEncoded:
    """Text vectors that are computed once for all comparers, in memory."""

    folder: Path | None = None

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self.fingerprint = encoder.fingerprint
        self._vectors: dict[str, NDArray[np.float32]] = {}

    def of_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        self._vectors |= zip(missing, self._encoder.encode(missing) if missing else (), strict=True)
        return np.stack([self._vectors[text] for text in texts])

    def of_inquiry(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.of_texts([text])[0]
        return vector


class Example(NamedTuple):
    """Inquiry with the features of each article that passes its filter, (articles, features); ``right`` is an index."""

    writer: str
    articles: Sequence[Guide]
    features: NDArray[np.float64]
    right: int
    case: LabelledCase | None


@dataclass(frozen=True)
class Desk:
    """Packaged profile with its chunks, labelled inquiries and labelled cases."""

    profile: Profile
    chunks: Sequence[Chunk]
    inquiries: Sequence[LabelledInquiry]
    cases: dict[str, LabelledCase]

    @classmethod
    def of(cls, name: str) -> "Desk":
        """Read a packaged profile."""
        profile = load_profile(name)
        files = sorted(profile.articles.glob("*.article.yaml")) if profile.articles else []
        chunks = [chunk for file in files for chunk in cut_article(file, profile).chunks]
        cases = {case.inquiry: case.canonical(profile) for case in own_decisions() if case.profile == name}
        return cls(profile, chunks, load_inquiries(profile), cases)

    def comparer(self, without: str, vectors: TextVectors | None) -> GuideComparer:
        others = [each for each in self.inquiries if each.writer != without]
        articles, outside = guides_of(self.chunks, self.profile, others)
        return GuideComparer(articles, outside, language(self.profile.language), vectors)


def examples_of(desk: Desk, vectors: TextVectors | None) -> list[Example]:
    """Return the labelled inquiries of a desk, with features from guides without their writer."""
    examples = []
    for writer in sorted({each.writer for each in desk.inquiries}):
        comparer = desk.comparer(writer, vectors)
        for each in (each for each in desk.inquiries if each.writer == writer):
            case = desk.cases.get(each.inquiry)
            filters = case.filters if case else _filters_of(each, comparer.articles)
            passing = [passes_attributes(guide.attributes, filters) for guide in comparer.articles]
            articles = [guide for guide, passes in zip(comparer.articles, passing, strict=True) if passes]
            ids = [guide.article_id for guide in articles]
            right = ids.index(each.article) if each.article in ids else -1
            examples.append(Example(writer, articles, comparer.features(each.inquiry)[passing], right, case))
    return examples


def _filters_of(inquiry: LabelledInquiry, articles: Sequence[Guide]) -> dict[str, str]:
    """Return the attributes of the inquiry's article; without one, those of an article chosen by hash."""
    digest = int(sha256(inquiry.inquiry.encode()).hexdigest(), 16)
    by_id = {guide.article_id: guide.attributes for guide in articles}
    return by_id.get(inquiry.article or "", articles[digest % len(articles)].attributes)


def fitted(examples: Sequence[Example]) -> MatchModel:
    """Fit the weights to pairs of an inquiry and an article; scope, priors and curves are not fitted."""
    features = np.concatenate([each.features for each in examples])
    is_right = np.concatenate([np.arange(len(each.features)) == each.right for each in examples])
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation == 0] = 1.0  # a constant feature gets no weight
    regression = LogisticRegression(C=STRENGTH, max_iter=5_000).fit((features - mean) / deviation, is_right)
    return MatchModel(
        features=FEATURES,
        mean=_rounded(mean),
        deviation=_rounded(deviation),
        weights=_rounded(regression.coef_[0]),
        bias=round(float(regression.intercept_[0]), _DECIMALS),
        scope=IDENTITY,
        priors=Priors(match=1.0, topic=1.0, data=1.0),
    )


class Scored(NamedTuple):
    """Example with the log odds of its articles, by weights fitted without its writer."""

    example: Example
    log_odds: NDArray[np.float64]


def across_writers(examples: Sequence[Example]) -> list[Scored]:
    """Return each example with the log odds by the weights of the other writers."""
    scored = []
    for writer in sorted({each.writer for each in examples}):
        model = fitted([each for each in examples if each.writer != writer])
        scored += [Scored(each, model.log_odds(each.features)) for each in examples if each.writer == writer]
    return scored


def trained(examples: Sequence[Example]) -> MatchModel:
    """Return the weights by all inquiries, and scope, priors and curves across writers."""
    scored = across_writers(examples)
    scope = fit_curve([float(each.log_odds.max()) for each in scored], [each.example.right >= 0 for each in scored])
    model = fitted(examples).model_copy(update={"scope": scope, "priors": _priors(scored)})
    curves = {graph: _curve(scored, model, graph) for graph in GRAPHS}
    return model.model_copy(update={"curves": curves})


def _priors(scored: Sequence[Scored]) -> Priors:
    cases = [each for each in scored if each.example.case and each.example.right >= 0]

    def loss(weights: NDArray[np.float64]) -> float:
        total = PENALTY * float(weights @ weights)
        for each in cases:
            case = each.example.case
            assert case is not None
            terms = np.stack([each.log_odds, *_topic_and_data(each.example.articles, case)])
            odds = weights @ terms
            total += float(np.logaddexp.reduce(odds) - odds[each.example.right])
        return total

    match, topic, data = (round(float(weight), _DECIMALS) for weight in minimize(loss, np.ones(3)).x)
    return Priors(match=match, topic=topic, data=data)


def _topic_and_data(articles: Sequence[Guide], case: LabelledCase) -> tuple[list[float], list[float]]:
    topics = [float(guide.topic == case.filters.get(TOPIC)) for guide in articles]
    return topics, [share_sent(guide, case.collected) for guide in articles]


def _curve(scored: Sequence[Scored], model: MatchModel, graph: CaseGraph) -> Curve:
    log_odds, right = [], []
    for each in scored:
        if (case := each.example.case) is None:
            continue
        matches = [Match(guide, float(odds)) for guide, odds in zip(each.example.articles, each.log_odds, strict=True)]
        choice = choose(
            model, matches, case.filters.get(TOPIC, ""), case.collected if graph == "generate_response" else {}
        )
        if choice:
            log_odds.append(choice.log_odds)
            right.append(case.answerable and choice.guide.article_id == case.article)
    return fit_curve(log_odds, right)


def table_of(scored: Sequence[Scored]) -> Iterable[str]:
    """Yield a line per writer and for all: right articles first, in and out of scope, AUC and ECE."""
    found = []
    for writer in dict.fromkeys(each.example.writer for each in scored):
        others = [each for each in scored if each.example.writer != writer]
        curve = fit_curve([float(each.log_odds.max()) for each in others], [_is_first(each) for each in others])
        found += [(each, curve(float(each.log_odds.max()))) for each in scored if each.example.writer == writer]
    for writer in (*dict.fromkeys(each.example.writer for each in scored), "all"):
        yield _line(writer, [pair for pair in found if writer in (pair[0].example.writer, "all")])


def _is_first(scored: Scored) -> bool:
    return int(scored.log_odds.argmax()) == scored.example.right


def _line(name: str, found: Sequence[tuple[Scored, float]]) -> str:
    answerable = [(each, probability) for each, probability in found if each.example.right >= 0]
    first = sum(_is_first(each) for each, _ in answerable)
    on = sum(_is_first(each) and probability >= MIN_CONFIDENCE for each, probability in answerable)
    wrongly = sum(not _is_first(each) and probability >= MIN_CONFIDENCE for each, probability in found)
    right = [_is_first(each) for each, _ in found]
    auc = roc_auc_score(right, [probability for _, probability in found])
    pairs = zip(found, right, strict=True)
    ece = reliability([Prediction(probability, float(is_right)) for (_, probability), is_right in pairs])["ece"]
    asked = len(answerable)
    return f"| {name} | {first}/{asked} | {on}/{asked} | {wrongly}/{len(found)} | {auc:.3f} | {ece:.3f} |"


def _rounded(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(float(value), _DECIMALS) for value in values)


def main() -> None:
    """Write the weights into the package, or print their quality across writers."""
    folder = Settings.read().home / "encoders"
    desks = [Desk.of(name) for name in PROFILES]
    models = {}
    for name, vectors in (("sentences", OnceEncoded(MultilingualSentences.open(folder))), ("words", None)):
        examples = [each for desk in desks for each in examples_of(desk, vectors)]
        if "--folds" in sys.argv[1:]:
            print(name, *table_of(across_writers(examples)), sep="\n")
        else:
            models[name] = trained(examples)
    if models:
        WEIGHTS_FILE.write_text(MatchModels(**models).model_dump_json(indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
