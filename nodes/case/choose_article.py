"""Choose the article that handles a case, and estimate the confidence of the match.

The confidence depends on the inquiry alone. Topic and data only choose among the articles that match.
"""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.choice import Choice, choose, say_kept_out, say_out_of_scope, unasked_data
from articulado.cases.data.phrases import named_choices
from articulado.cases.evidence import Guide
from articulado.cases.fields import passes_attributes
from articulado.cases.matching import (
    DECIMALS,
    MAX_OF_ONE_WORD,
    MIN_IN_SCOPE,
    ArticleMatcher,
    ConfidenceEstimator,
    Match,
    says_too_little,
)
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.legal.vocabulary.matters import matters
from articulado.retrieval.fusion import preference
from articulado.retrieval.relevance.judge import Judgement, RelevanceJudge
from articulado.values.cases import CaseFailure
from state.case import CaseState
from state.context import ResolvedContext

CONFLICT_SHARE = 0.5
"""What is left of a confidence where the inquiry names another value than the filter has: either may be meant."""

FOREIGN = "otro_pais"
"""The matter of another country's law: a place in a text is too often taken for it."""

SURE_OF_HINT = 0.6
"""Share from which on it is said what an inquiry that is out of scope seems to be about."""

NO_MATCH = -20.0
"""Log odds where there is no article at all."""


class ChooseArticleUpdate(TypedDict, total=False):
    """The article, how sure it is that the inquiry is a case of it, and why it is not handled by it."""

    article_id: str
    article_title: str
    log_odds: float
    confidence: float
    failure: CaseFailure | None
    warnings: list[str]


async def choose_article(
    state: CaseState,
    runtime: Runtime[ResolvedContext],
    *,
    matcher: ArticleMatcher,
    judge: RelevanceJudge,
    estimator: ConfidenceEstimator,
    profile: Profile,
    language: Language,
) -> ChooseArticleUpdate:
    """Match the inquiry alone with every article that the filter lets through, whatever its topic.

    Topic and data choose among articles that match; how sure it is that the inquiry is a case of one, they do not
    change. An inquiry that no article matches is out of scope, one of another article than the topic is of is said to
    be so, and so is one that names another provider, plan or regime than the filter, one whose article only the filter
    keeps out, and one whose data are those of another article. Data that no article asks for are named in a warning.

    Raises:
        StoreUnavailable: the articles cannot be read.
    """
    every = await matcher.match(state["inquiry"])
    matches = [match for match in every if passes_attributes(match.guide.attributes, state["filters"])]
    choice = choose(matches, state["filters"].get(TOPIC, ""), state["collected"])
    unasked = unasked_data([match.guide for match in every], _own_data(state, profile)) if every else []
    warnings = [language.translate("case_unasked_data", names=", ".join(unasked))] if unasked else []
    update: ChooseArticleUpdate = {"warnings": warnings}
    if choice is None or estimator.confidence(choice.best) < MIN_IN_SCOPE:
        log_odds = choice.best if choice else NO_MATCH
        is_elsewhere = bool(every) and estimator.confidence(every[0].log_odds) >= MIN_IN_SCOPE
        failure = (
            _kept_out(state, every[0], matches, profile, language)
            if is_elsewhere
            else await _out_of_scope(state, every, matches, judge, profile, language)
        )
        return {**update, "log_odds": log_odds, "confidence": estimator.confidence(log_odds), "failure": failure}
    confidence = estimator.confidence(choice.log_odds)
    if says_too_little(state["inquiry"], language):
        confidence = min(confidence, MAX_OF_ONE_WORD)
    update = {
        **update,
        "article_id": choice.guide.article_id,
        "article_title": choice.guide.title,
        "log_odds": choice.log_odds,
        "confidence": confidence,
    }
    # A field that the article leaves open, and the caller too, is none that it hangs on.
    against = [
        conflict["message"]
        for conflict in state["conflicts"]
        if conflict["given"] or choice.guide.attributes.get(conflict["field"])
    ]
    if against:
        article = _named_article(state["inquiry"], every[0], matches, profile, language)
        return {
            **update,
            "article_id": article.article_id if article else "",
            "article_title": article.title if article else "",
            "confidence": round(confidence * CONFLICT_SHARE, DECIMALS),
            "failure": _other_value(against),
        }
    if choice.is_redirected:
        message = _redirected(choice, profile, state["filters"], language)
        return {**update, "failure": {"error": "OtherArticle", "message": message}}
    if choice.of_data:
        message = _of_other_data(choice.guide, choice.of_data, language)
        return {**update, "failure": {"error": "OtherArticle", "message": message}}
    return update


def _own_data(state: CaseState, profile: Profile) -> dict[str, str]:
    """Return the data that are no filter field."""
    fields = {letters_and_digits(field.name) for field in profile.filter_fields}
    return {name: text for name, text in state["collected"].items() if letters_and_digits(name) not in fields}


def _named_article(
    inquiry: str, best: Match, matches: Sequence[Match], profile: Profile, language: Language
) -> Guide | None:
    """Return the article that passes the filter and is of the topic that the inquiry names, else of its best match.

    Where the inquiry names another provider, what passes may be like it by chance.
    """
    topics = next((field.values for field in profile.filter_fields if field.name == TOPIC), {})
    named = named_choices(inquiry, topics, language)
    topic = next(iter(named)) if len(named) == 1 else best.guide.topic
    return next((match.guide for match in matches if match.guide.topic == topic), None)


def _other_value(messages: Sequence[str]) -> CaseFailure:
    return {"error": "OtherValue", "message": ". ".join(messages)}


def _kept_out(
    state: CaseState, best: Match, matches: Sequence[Match], profile: Profile, language: Language
) -> CaseFailure:
    """Say what the inquiry names against the filter, else why the filter keeps out the article that it matches best."""
    against = [conflict["message"] for conflict in state["conflicts"]]
    return _other_value(against or [say_kept_out(best, matches, profile.filter_fields, state["filters"], language)])


async def _out_of_scope(
    state: CaseState,
    every: Sequence[Match],
    matches: Sequence[Match],
    judge: RelevanceJudge,
    profile: Profile,
    language: Language,
) -> CaseFailure:
    """Say that no article handles the inquiry, what it is about if that is sure, and what there are articles for."""
    if not every:
        return {"error": "NoResultsFound", "message": language.translate("case_nothing_found")}
    message = say_out_of_scope(matches, profile.filter_fields, state["filters"], language)
    candidates = sorted(state["candidates"], key=preference)
    judgement = await judge.judge(state["turn_question"], candidates) if candidates else Judgement(0.0)
    matter = matters().get(judgement.matter)
    if matter and matter.where and matter.key != FOREIGN and judgement.matter_share >= SURE_OF_HINT:
        message = f"{language.translate('rag_seems_law', about=matter.about)} {message}"
    return {"error": "OutOfScope", "message": message}


def _of_other_data(guide: Guide, of_data: Guide, language: Language) -> str:
    """Say that the data are those of another article than the inquiry is of."""
    return language.translate(
        "case_data_of_other",
        of_data=of_data.title,
        data_article=of_data.article_id,
        title=guide.title,
        article=guide.article_id,
    )


def _redirected(choice: Choice, profile: Profile, filters: Mapping[str, str], language: Language) -> str:
    """Say which article the inquiry belongs to, and which topic would ask for it."""
    label = next(field.label for field in profile.filter_fields if field.name == TOPIC)
    return language.translate(
        "case_redirected",
        title=choice.guide.title,
        article=choice.guide.article_id,
        field=label,
        topic=choice.guide.topic,
        asked=filters[TOPIC],
    )
