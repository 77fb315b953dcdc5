"""Labelled inquiries through the real case graphs, over three articles with made-up scores."""

from datetime import date

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services
from support.reference_search import passes

from evaluation.case_desk.cases import LabelledCase
from evaluation.case_desk.findings import calibrate_profile, pooled
from evaluation.case_desk.run import CaseResult, run_cases
from language.languages import language
from services.case.calibration import Calibration, Curve, write_calibration
from services.domain.base import PlainDomain
from services.profile.profile import load_profile
from services.protocols import Hit
from services.settings import ModelSettings, Settings
from state.errors import InvalidInput

ARTICLES = {1: "lt-loan", 2: "lt-rollover", 3: "lt-rmd"}


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
        details={"article_title": article},
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
    )


ALIKE = {"lt-loan": 0.3, "lt-rollover": 0.8, "lt-rmd": 0.2}


def case(name, article, **filters):
    return LabelledCase(name, "plan_401k", "How is it done?", article, filters)


async def test_a_case_is_right_where_its_article_is_the_one_found(tmp_path):
    cases = [case("a", "lt-rollover"), case("b", "lt-loan"), case("c", ""), case("d", "lt-loan", topic="loan")]
    found = await run_cases(services_over(ALIKE, folder=tmp_path), cases)
    assert [one.case.id for one in found["required_data"]] == ["a", "b", "c", "d"]
    # A topic is a preference for the data that a case needs, and a filter of its answer.
    assert [one.article for one in found["required_data"]] == ["lt-rollover"] * 3 + ["lt-loan"]
    assert [one.article for one in found["generate_response"]] == ["lt-rollover"] * 3 + ["lt-loan"]
    for tried in found.values():
        assert [one.right for one in tried] == [True, False, False, True]
    # One chunk of each article is searched: (0.8 + 0.3 + 0.2) / 3 in cosine and in rank, and a context of 500
    # characters bears one of them, which is no bonus. With a topic, the loan alone: 0.3.
    assert [one.raw for one in found["required_data"]] == [pytest.approx(0.43)] * 3 + [pytest.approx(0.3)]
    assert found["generate_response"][3].raw == pytest.approx(0.3)


async def test_no_model_is_asked(tmp_path):
    principal = QueueChat("never")
    found = await run_cases(services_over(ALIKE, principal, tmp_path), [case("a", "lt-rollover")])
    assert principal.calls == []
    assert [tried[0].right for tried in found.values()] == [True, True]


async def test_the_confidence_is_the_raw_one_whatever_is_stored(tmp_path):
    cases = [case("a", "lt-rollover")]
    before = await run_cases(services_over(ALIKE, folder=tmp_path), cases)
    services = services_over(ALIKE, folder=tmp_path)
    curve = Curve(slope=0.0, intercept=-5.0, cases=50)
    stored = Calibration(
        embedder=services.embedder.fingerprint,
        reranker="heuristic",
        curves={"required_data": curve, "generate_response": curve},
    )
    write_calibration(services.profile.own_folder, stored)
    assert await run_cases(services, cases) == before


async def test_nothing_found_is_no_confidence(tmp_path):
    found = await run_cases(
        services_over(ALIKE, folder=tmp_path), [case("a", "", record_keeper="Meridian Recordkeeping")]
    )
    assert [(one.article, one.raw, one.right) for tried in found.values() for one in tried] == [("", 0.0, False)] * 2


async def test_progress_is_told_graph_by_graph(tmp_path):
    told = []
    await run_cases(
        services_over(ALIKE, folder=tmp_path),
        [case("a", "lt-rollover"), case("b", "")],
        lambda graph, done: told.append((graph, done)),
    )
    assert told == [("required_data", 1), ("required_data", 2), ("generate_response", 1), ("generate_response", 2)]


async def test_an_inquiry_of_another_profile_is_refused():
    with pytest.raises(InvalidInput, match="«x» no es del perfil «plan_401k»"):
        await run_cases(services_over(ALIKE), [LabelledCase("x", "laboral", "¿?", "")])


async def test_an_inquiry_that_cannot_be_used_is_named(tmp_path):
    long = LabelledCase("largo", "plan_401k", "a" * 5_000, "")
    with pytest.raises(InvalidInput, match=r"La consulta «largo» no se puede usar\. La consulta tiene 5000"):
        await run_cases(services_over(ALIKE, folder=tmp_path), [long])


async def test_findings_name_the_scores_and_the_articles_that_are_not_there(tmp_path):
    cases = [case(f"a{at}", "lt-rollover") for at in range(8)] + [case("b", "lt-qdro"), case("c", "")]
    services = services_over(ALIKE, folder=tmp_path, rerank="auto")
    found = await calibrate_profile(services, cases)
    assert (found.profile, found.embedder, found.reranker) == ("plan_401k", services.embedder.fingerprint, "heuristic")
    assert found.not_indexed == ("lt-qdro",)
    assert set(found.calibration.curves) == {"required_data", "generate_response"}
    together = pooled([found, found])["required_data"]
    assert len(together.scored) == 2 * len(found.reports["required_data"].measured.scored)


async def test_an_index_without_anything_cannot_be_calibrated(tmp_path):
    cases = [case(f"a{at}", "x", record_keeper="Meridian Recordkeeping") for at in range(8)]
    with pytest.raises(InvalidInput, match="No se puede calibrar el perfil «plan_401k»"):
        await calibrate_profile(services_over(ALIKE, folder=tmp_path), cases)


def test_without_an_article_nothing_is_right():
    assert not CaseResult(case("a", ""), "", 0.9).right
