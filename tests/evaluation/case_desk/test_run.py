"""Labelled cases through the real case graphs, over three articles with made-up scores and matches."""

from datetime import date

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.reference_search import passes

from articulado.cases.evidence import Guide
from articulado.cases.matching import (
    Calibration,
    Curve,
    Match,
    MatchModel,
    fit_curve,
    packaged_models,
    write_calibration,
)
from articulado.config.profile import load_profile
from articulado.config.settings import ModelSettings, Settings
from articulado.language.languages import language
from articulado.legal.domain.base import PlainDomain
from articulado.values.errors import InvalidInput
from articulado.values.protocols import Hit
from evaluation.case_desk.cases import LabelledCase, half_of
from evaluation.case_desk.findings import measure_profile
from evaluation.case_desk.run import GRAPHS, TAKE_ANY, CaseResult, run_cases

ARTICLES = {1: "lt-loan", 2: "lt-rollover", 3: "lt-rmd"}


PAY_DAY = {
    "field": "pay_day",
    "group": "plan_data",
    "description": "Day of the payment",
    "why_needed": "It says when",
    "data_type": "date",
    "required": True,
    "aliases": [],
    "max": "today",
}


def part(number: int, article: str, chunk_type: str, tier: str):
    return make_chunk(
        number,
        collection="articles",
        law_id=article,
        title=f"Part {number}",
        text=f"What to know about {article}, part {number}, at some length: it is read before anything is answered.",
        part=number,
        chunk_type=chunk_type,
        tier=tier,
        topic=article.removeprefix("lt-"),
        attributes={"record_keeper": "LT Trust", "plan_type": "401(k)"},
        valid_from=None,
        details={"article_title": article, "fields": [PAY_DAY] if chunk_type == "required_data" else []},
    )


CHUNKS = [part(10 * at + 1, name, "required_data", "CRITICAL") for at, name in ARTICLES.items()]
CHUNKS += [part(10 * at + 2, name, "steps", "HIGH") for at, name in ARTICLES.items()]


class LikenessByTopic(FakeStore):
    """Finds what passes the filter, each chunk as like as ``alike`` says of its article."""

    def __init__(self, alike: dict[str, float]) -> None:
        super().__init__(CHUNKS)
        self.alike = alike

    async def search(self, collection, queries, *, limit, prefetch, where):
        found = [chunk for chunk in self.chunks.values() if passes(chunk, where, date.today())]
        ranked = sorted(found, key=lambda chunk: -self.alike[chunk["law_id"]])
        return [[Hit(chunk, self.alike[chunk["law_id"]], self.alike[chunk["law_id"]]) for chunk in ranked]] * len(
            queries
        )


class MatchesByWord:
    """Matches every article with the log odds that the first word of an inquiry says, the best first."""

    def __init__(self, odds: dict[str, dict[str, float]]) -> None:
        self.odds = odds

    @property
    def model(self) -> MatchModel:
        return packaged_models().words

    async def match(self, inquiry: str) -> list[Match]:
        keeper = {"record_keeper": "LT Trust", "plan_type": "401(k)"}
        found = [
            Match(Guide(name, name, name.removeprefix("lt-"), (), (), attributes=keeper), odds)
            for name, odds in self.odds[inquiry.split()[0]].items()
        ]
        return sorted(found, key=lambda match: -match.log_odds)


ODDS = {
    "Rollover": {"lt-loan": -3.0, "lt-rollover": 4.0, "lt-rmd": -5.0},
    "Loan": {"lt-loan": 2.0, "lt-rollover": -2.0, "lt-rmd": -5.0},
    "Paella": {"lt-loan": -7.0, "lt-rollover": -6.0, "lt-rmd": -8.0},
}


def services_over(alike, principal=None, folder=None, rerank="heuristic"):
    profile = load_profile("plan_401k")
    if folder:
        profile = profile.model_copy(update={"folder": folder})
    model = ModelSettings(provider="openai", model="m") if principal else ModelSettings()
    scores = {chunk["id"]: alike[chunk["law_id"]] for chunk in CHUNKS}
    return make_services(
        LikenessByTopic(alike),
        QueueChat(""),
        principal or QueueChat(""),
        settings=Settings.read(env_file=None, profile="plan_401k", principal=model, rerank_strategy=rerank),
        profile=profile,
        domain=PlainDomain(language("en")),
        rerankers={"heuristic": FixedReranker(scores)},
        matcher=MatchesByWord(ODDS),
    )


ALIKE = {"lt-loan": 0.3, "lt-rollover": 0.8, "lt-rmd": 0.2}


CURVES = dict.fromkeys(GRAPHS, Curve(slope=1.0, intercept=0.0, cases=10))


def case(name, article, inquiry="Rollover of my old account", **filters):
    return LabelledCase(name, "plan_401k", inquiry, article, filters)


async def test_a_case_is_right_where_its_article_is_the_one_that_handles_it(tmp_path):
    cases = [
        case("a", "lt-rollover"),
        case("b", "lt-loan"),
        case("c", ""),
        case("d", "lt-loan", "Loan for a new roof", topic="loan"),
        case("e", "lt-rollover", "Paella for two people"),
    ]
    found = await run_cases(services_over(ALIKE, folder=tmp_path), cases, CURVES)
    for results in found.values():
        assert [one.case.id for one in results] == ["a", "b", "c", "d", "e"]
        assert [one.article for one in results] == ["lt-rollover"] * 3 + ["lt-loan", ""]
        assert [one.right for one in results] == [True, False, False, True, False]
        assert [one.log_odds for one in results] == [4.0, 4.0, 4.0, 2.0, -6.0]
        # 1 / (1 + e^-4) = 0.982, 1 / (1 + e^-2) = 0.881, 1 / (1 + e^6) = 0.002
        assert [one.confidence for one in results] == [0.98, 0.98, 0.98, 0.88, 0.0]
    assert [one.verdict for one in found["generate_response"]][4] == "out_of_scope"


async def test_whatever_is_stored_the_given_curves_give_the_confidence(tmp_path):
    services = services_over(ALIKE, folder=tmp_path)
    before = await run_cases(services, [case("a", "lt-rollover")], CURVES)
    stored = dict.fromkeys(GRAPHS, Curve(slope=0.0, intercept=-5.0, cases=50))
    write_calibration(
        services.profile.own_folder, Calibration(model=packaged_models().words.fingerprint, curves=stored)
    )
    assert await run_cases(services, [case("a", "lt-rollover")], CURVES) == before
    (lower,) = (await run_cases(services, [case("a", "lt-rollover")], stored))["required_data"]
    assert lower.confidence == 0.01


async def test_whatever_hardly_matches_is_taken_to_see_what_would_be(tmp_path):
    found = await run_cases(
        services_over(ALIKE, folder=tmp_path), [case("a", "", "Paella")], dict.fromkeys(GRAPHS, TAKE_ANY)
    )
    assert [(one.article, one.log_odds) for results in found.values() for one in results] == [("lt-rollover", -6.0)] * 2


async def test_no_model_is_asked(tmp_path):
    principal = QueueChat("never")
    found = await run_cases(services_over(ALIKE, principal, tmp_path), [case("a", "lt-rollover")], CURVES)
    assert principal.calls == []
    assert [results[0].right for results in found.values()] == [True, True]


async def test_without_an_article_of_the_filter_there_is_none(tmp_path):
    cases = [case("a", "", record_keeper="Meridian Recordkeeping")]
    found = await run_cases(services_over(ALIKE, folder=tmp_path), cases, CURVES)
    every = [one for results in found.values() for one in results]
    assert [(one.article, one.raw, one.confidence, one.right) for one in every] == [("", 0.0, 0.0, False)] * 2


async def test_another_value_than_that_of_the_filter_is_seen(tmp_path):
    inquiry = "Rollover of my account at Fidelity"
    cases = [case("a", "lt-rollover", inquiry, record_keeper="LT Trust"), case("b", "lt-rollover")]
    found = await run_cases(services_over(ALIKE, folder=tmp_path), cases, CURVES)
    for results in found.values():
        assert [one.names_other for one in results] == [True, False]
        # Half of 0.98.
        assert [one.confidence for one in results] == [0.49, 0.98]
        assert results[0].verdict == "uncertain"


async def test_progress_is_told_graph_by_graph(tmp_path):
    told = []
    await run_cases(
        services_over(ALIKE, folder=tmp_path),
        [case("a", "lt-rollover"), case("b", "")],
        CURVES,
        lambda graph, done: told.append((graph, done)),
    )
    assert told == [("required_data", 1), ("generate_response", 1), ("required_data", 2), ("generate_response", 2)]


async def test_a_case_of_another_profile_is_refused():
    with pytest.raises(InvalidInput, match="«x» no es del perfil «plan_401k»"):
        await run_cases(services_over(ALIKE), [LabelledCase("x", "laboral", "¿?", "")], CURVES)


async def test_a_case_that_cannot_be_used_is_named(tmp_path):
    long = LabelledCase("largo", "plan_401k", "a" * 5_000, "")
    with pytest.raises(InvalidInput, match=r"La consulta «largo» no se puede usar\. The inquiry has 5000"):
        await run_cases(services_over(ALIKE, folder=tmp_path), [long], CURVES)


LABELLED = [
    *(case(f"r{at}", "lt-rollover", "Rollover of my old account") for at in range(6)),
    *(case(f"l{at}", "lt-loan", "Loan for a new roof") for at in range(6)),
    *(case(f"p{at}", "", "Paella for two people") for at in range(6)),
    case("w", "lt-qdro", "Paella for two people"),
]


async def test_what_is_served_with_the_fitted_curve_is_measured(tmp_path):
    found = await measure_profile(services_over(ALIKE, folder=tmp_path), LABELLED)
    fitting, reported = half_of(LABELLED, "fit"), half_of(LABELLED, "report")
    for report in found.reports.values():
        assert [one.case for one in report.fitted_on] == fitting
        assert [one.served.case for one in report.measured.confidence.scored] == reported
        odds = [max(ODDS[one.inquiry.split()[0]].values()) for one in fitting]
        right = [one.article in ("lt-rollover", "lt-loan") for one in fitting]
        assert report.curve == fit_curve(odds, right)
        for scored in report.measured.confidence.scored:
            log_odds = max(ODDS[scored.served.case.inquiry.split()[0]].values())
            assert scored.served.confidence == min(0.99, round(report.curve(log_odds), 2))
        assert report.measured.every == ()
    assert found.calibration.curves == {graph: report.curve for graph, report in found.reports.items()}


async def test_without_a_fit_all_cases_are_measured_with_the_curve_at_hand(tmp_path):
    services = services_over(ALIKE, folder=tmp_path)
    packaged = await measure_profile(services, LABELLED, fitted=False)
    own = dict.fromkeys(GRAPHS, Curve(slope=0.5, intercept=0.25, cases=50))
    write_calibration(services.profile.own_folder, Calibration(model=packaged_models().words.fingerprint, curves=own))
    stored = await measure_profile(services, LABELLED, fitted=False)
    for graph in GRAPHS:
        assert packaged.reports[graph].curve == packaged_models().words.curve
        assert stored.reports[graph].curve == own[graph]
        assert stored.reports[graph].fitted_on == ()
        scored = stored.reports[graph].measured.confidence.scored
        assert [one.served.case for one in scored] == LABELLED
        # 1 / (1 + e^-(0.5 * 4 + 0.25)) = 0.905, (0.5 * 2 + 0.25): 0.777, (0.5 * -6 + 0.25): 0.060
        assert [one.served.confidence for one in scored] == [0.9] * 6 + [0.78] * 6 + [0.06] * 7


async def test_all_cases_are_told_of_where_they_are_asked_for(tmp_path):
    found = await measure_profile(services_over(ALIKE, folder=tmp_path), LABELLED, every=True)
    for report in found.reports.values():
        assert [one.case for one in report.measured.every] == LABELLED
        assert len(report.measured.confidence.scored) == len(half_of(LABELLED, "report"))


async def test_findings_name_the_scores_and_the_articles_that_are_not_there(tmp_path):
    services = services_over(ALIKE, folder=tmp_path, rerank="auto")
    found = await measure_profile(services, LABELLED)
    assert (found.profile, found.embedder, found.reranker) == ("plan_401k", services.embedder.fingerprint, "heuristic")
    assert found.not_indexed == ("lt-qdro",)


async def test_an_index_without_anything_cannot_be_calibrated(tmp_path):
    cases = [case(f"a{at}", "x", record_keeper="Meridian Recordkeeping") for at in range(8)]
    with pytest.raises(InvalidInput, match="No se puede calibrar el perfil «plan_401k»"):
        await measure_profile(services_over(ALIKE, folder=tmp_path), cases)


def test_without_an_article_nothing_is_right():
    assert not CaseResult(case("a", ""), "", 0.9).right


def test_for_another_provider_no_article_is_right():
    wrong = LabelledCase("a", "plan_401k", "?", "lt-loan", kind="wrong_keeper")
    assert not CaseResult(wrong, "lt-loan", 0.9).right


async def test_data_are_read_in_the_second_step_as_of_the_day_of_their_case(tmp_path):
    def paid(name: str, day: str) -> LabelledCase:
        today = date.fromisoformat(day)
        return LabelledCase(
            name, "plan_401k", "Loan", "lt-loan", collected={"pay_day": "2026-11-20"}, today=today
        )  # fmt: skip

    # The day must not be after today.
    cases = [paid("a", "2026-11-20"), paid("b", "2026-11-19"), case("c", "lt-loan", "Loan")]
    results = (await run_cases(services_over(ALIKE, folder=tmp_path), cases, CURVES))["generate_response"]
    assert [one.bad for one in results] == [(), ("pay_day",), ("pay_day",)]
