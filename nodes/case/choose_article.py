"""Choose the article that handles a case, and estimate the confidence of the match."""

from collections.abc import Mapping, Sequence

from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from articulado.cases.choice import say_kept_out, say_out_of_scope
from articulado.cases.confidence import DECIMALS, MAX_OF_ONE_WORD, MIN_IN_SCOPE, ConfidenceEstimator, says_too_little
from articulado.cases.fields import passes_attributes, unknown_values
from articulado.cases.guides import Guide
from articulado.cases.matching import ArticleMatcher, Choice, Match, choose, unasked_data
from articulado.config.profile import Profile
from articulado.config.sections import TOPIC
from articulado.language.folding import letters_and_digits
from articulado.language.languages import Language
from articulado.legal.vocabulary.matters import matters
from articulado.retrieval.fusion import preference
from articulado.retrieval.relevance.judge import OTHER_COUNTRY, Judgement, RelevanceJudge
from articulado.values.cases import CaseFailure
from state.case import CaseState
from state.context import ResolvedContext

CONFLICT_SHARE = 0.5
"""Factor of the confidence if the inquiry contradicts the filter: either may be meant."""

SURE_OF_HINT = 0.6
"""Minimum share of a matter that is named in the message of an inquiry out of scope."""

NO_MATCH = -20.0


class ChooseArticleUpdate(TypedDict, total=False):
    """The article, the probability that it handles the inquiry, and the failure if it does not."""

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
    """Match the inquiry with every article that passes the filter, and choose one by topic and data.

    The inquiry alone decides if the case is in scope. Reads ``inquiry``, ``filters``, ``collected``, ``conflicts`` and
    ``candidates``.
    """
    every = await matcher.match(state["inquiry"])
    unknown = unknown_values(profile.filter_fields, state["filters"], language)
    matches = [match for match in every if not unknown and passes_attributes(match.guide.attributes, state["filters"])]
    filter_names = {letters_and_digits(field.name) for field in profile.filter_fields}
    data = {name: value for name, value in state["collected"].items() if letters_and_digits(name) not in filter_names}
    unasked = unasked_data([match.guide for match in every], data) if every else []
    warnings = [language.translate("case_unasked_data", names=", ".join(unasked))] if unasked else []
    choice = choose(matcher.model, matches, state["filters"].get(TOPIC, ""), state["collected"])
    if choice is None:
        nothing = _nothing_found(unknown, state["filters"], profile, language)
        return {"warnings": warnings, "log_odds": NO_MATCH, "confidence": 0.0, "failure": nothing}
    confidence = estimator.confidence(choice.log_odds)
    if choice.in_scope < MIN_IN_SCOPE:
        return {
            "warnings": warnings,
            "log_odds": choice.log_odds,
            "confidence": confidence,
            "failure": await _out_of_scope(state, every, matches, judge, profile, language),
        }
    if says_too_little(state["inquiry"], language):
        confidence = min(confidence, MAX_OF_ONE_WORD)
    failure = _doubt(state, choice, profile, language)
    if failure and failure["error"] == "OtherValue":
        confidence = round(confidence * CONFLICT_SHARE, DECIMALS)
    return {
        "warnings": warnings,
        "article_id": choice.guide.article_id,
        "article_title": choice.guide.title,
        "log_odds": choice.log_odds,
        "confidence": confidence,
        "failure": failure,
    }


def _nothing_found(
    unknown: Sequence[str], filters: Mapping[str, str], profile: Profile, language: Language
) -> CaseFailure:
    values = " + ".join(
        filters[field.name] for field in profile.filter_fields if field.name != TOPIC and field.name in filters
    )
    why = unknown or ([language.translate("case_no_article_for", values=values)] if values else [])
    return {"error": "NoResultsFound", "message": ". ".join([language.translate("case_nothing_found"), *why])}


def _doubt(state: CaseState, choice: Choice, profile: Profile, language: Language) -> CaseFailure | None:
    # A field that the article and the caller leave open does not decide anything; and a name without an article may be
    # a datum, such as the institution that receives the money.
    data = {spec["names"] for spec in choice.guide.fields if "names" in spec}
    against = [
        conflict["message"]
        for conflict in state["conflicts"]
        if (conflict["given"] or choice.guide.attributes.get(conflict["field"]))
        and (conflict["is_held"] or conflict["field"] not in data)
    ]
    if against:
        return {"error": "OtherValue", "message": ". ".join(against)}
    if choice.is_redirected:
        return {"error": "OtherArticle", "message": _redirected(choice, profile, state["filters"], language)}
    if choice.of_data:
        return {"error": "OtherArticle", "message": _of_other_data(choice.guide, choice.of_data, language)}
    return None


async def _out_of_scope(
    state: CaseState,
    every: Sequence[Match],
    matches: Sequence[Match],
    judge: RelevanceJudge,
    profile: Profile,
    language: Language,
) -> CaseFailure:
    kept_out = every[0] if every[0] not in matches else None
    message = say_out_of_scope(matches, language)
    candidates = sorted(state["candidates"], key=preference)
    judgement = await judge.judge(state["turn_question"], candidates) if candidates else Judgement(0.0)
    matter = matters().get(judgement.matter)
    # A place in a text is too often taken for another country's law.
    if matter and matter.where and matter.key != OTHER_COUNTRY and judgement.matter_share >= SURE_OF_HINT:
        message = f"{language.translate('rag_seems_law', about=matter.about)} {message}"
    elif kept_out:
        message = f"{message}. {say_kept_out(kept_out, profile.filter_fields, state['filters'], language)}"
    return {"error": "OutOfScope", "message": message}


def _of_other_data(guide: Guide, of_data: Guide, language: Language) -> str:
    return language.translate(
        "case_data_of_other",
        of_data=of_data.title,
        data_article=of_data.article_id,
        title=guide.title,
        article=guide.article_id,
    )


def _redirected(choice: Choice, profile: Profile, filters: Mapping[str, str], language: Language) -> str:
    label = next(field.label for field in profile.filter_fields if field.name == TOPIC)
    return language.translate(
        "case_redirected",
        title=choice.guide.title,
        article=choice.guide.article_id,
        field=label,
        topic=choice.guide.topic,
        asked=filters[TOPIC],
    )
