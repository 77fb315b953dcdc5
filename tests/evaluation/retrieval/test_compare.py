"""Two rerank strategies on the same questions."""

from pathlib import Path

import pytest
from support.doubles import FakeStore, FixedReranker, QueueChat, make_chunk, make_services

from articulado.config.settings import ModelSettings, Settings
from articulado.retrieval.ranking.table import UnavailableReranker
from articulado.values.errors import ModelTimeout
from evaluation.gold.questions import GoldSet, Question
from evaluation.retrieval.ablation import NO_FILES, available_strategies, reason_unavailable
from evaluation.retrieval.compare import METRIC, Side, compare_strategies, comparison, model_stages
from evaluation.retrieval.evaluate import Outcome, Retrieved, Row

ET = "BOE-A-2015-11430"
RIGHT = (ET, "Artículo 1")


def outcome(*ranks, score=0.5, stages=None, milliseconds=10.0, negatives=0):
    """Questions whose right provision has these ranks (0: it is not found)."""
    questions, retrieved = [], {}
    for number, rank in enumerate(ranks):
        rows = [Row((ET, f"Artículo {at + 100}"), -at, "ET", ("hybrid",)) for at in range(5)]
        if rank:
            rows.insert(rank - 1, Row(RIGHT, 0.0, "ET", ("hybrid",)))
        questions.append(Question(f"q{number}", "¿?", {RIGHT: 2}))
        retrieved[f"q{number}"] = Retrieved(tuple(rows), (), False, score, stages or {"rerank": 2.0}, milliseconds)
    for number in range(negatives):
        questions.append(Question(f"n{number}", "¿?", {}))
        retrieved[f"n{number}"] = Retrieved((), (), True, None, {}, milliseconds)
    return Outcome(GoldSet("oro", Path("oro.jsonl"), tuple(questions)), retrieved)


def compared_sides(before, after, stages=()):
    return comparison(after.gold, Side("none", before), Side("heuristic", after, model_stages=stages))


def test_movable_and_risen_questions_are_counted():
    compared = compared_sides(outcome(1, 2, 3, 0, 0, 2), outcome(2, 1, 3, 4, 0, 0))
    # First already: 1. Found by neither: 1. Of the four others two rise and one is lost; the first one falls.
    assert compared["moved"] == {"movable": 4, "risen": 2, "fallen": 2, "share": None}


def test_a_share_needs_twenty_questions():
    few = compared_sides(outcome(*[2] * 19), outcome(*[1] * 19))["moved"]
    enough = compared_sides(outcome(*[2] * 20), outcome(*[1] * 14, *[2] * 6))["moved"]
    assert (few["share"], enough["share"]) == (None, 0.7)


def test_the_gain_is_relative_to_the_first():
    compared = compared_sides(outcome(0, 1), outcome(1, 1))
    assert (compared[METRIC]["first"], compared[METRIC]["second"], compared["gain"]) == (0.5, 1.0, 1.0)
    assert compared_sides(outcome(0), outcome(1))["gain"] is None


def test_the_top_score_is_of_questions_with_an_answer():
    assert Side("heuristic", outcome(1, 0, score=0.75, negatives=3)).as_json()["top_score"] == 0.75
    assert Side("heuristic", outcome(negatives=2)).as_json()["top_score"] is None


def test_the_time_of_a_providers_model_is_not_ours():
    after = outcome(1, stages={"decompose": 600.0, "rerank": 30.0, "search": 5.0}, milliseconds=640.0)
    side = compared_sides(after, after, stages=("decompose", "embed_queries"))["after"]
    assert (side["rerank_ms"]["p50"], side["total_ms"]["p50"]) == (30.0, 40.0)


def test_stages_that_wait_for_a_provider():
    local = Settings.read(env_file=None)
    remote = Settings.read(env_file=None, reader=ModelSettings(provider="openai"))
    assert model_stages(local, "cross_encoder") == set()
    assert model_stages(remote, "llm") == {"decompose", "rerank"}


class Breaks(FixedReranker):
    """Fails at the first question and at every second one."""

    async def score(self, question, queries, candidates, *, deadline=None):
        if len(self.seen) % 2 == 0:
            self.seen.append([])
            raise ModelTimeout("no responde")
        return await super().score(question, queries, candidates, deadline=deadline)


def gold(*questions):
    return GoldSet("oro", Path("oro.jsonl"), tuple(Question(str(n), q, {RIGHT: 2}) for n, q in enumerate(questions)))


def services(**rerankers):
    store = FakeStore([make_chunk(1, "Artículo 1"), make_chunk(2, "Artículo 2")], {"q": [(2, 1.0), (1, 0.5)]})
    return make_services(store, QueueChat('["q"]'), QueueChat(""), rerankers=rerankers)


async def test_both_strategies_are_measured_and_the_second_against_the_first():
    told = []
    compared = await compare_strategies(
        gold("¿una?", "¿dos?"),
        services(heuristic=FixedReranker({1: 0.9})),
        ("none", "heuristic"),
        on_strategy=told.append,
    )
    assert told == ["none", "heuristic"]
    assert compared["moved"] == {"movable": 2, "risen": 2, "fallen": 0, "share": None}
    assert (compared["after"]["top_score"], compared["after"]["failed"]) == (0.9, 0)
    # 1/log2(3) against 1.
    assert (compared["before"][METRIC], compared["after"][METRIC]) == (pytest.approx(0.63093, abs=1e-5), 1.0)


async def test_a_model_that_is_not_on_the_machine_is_not_measured_and_not_guessed():
    missing = {
        "heuristic": FixedReranker(),
        "cross_encoder": FixedReranker(),
        "api": UnavailableReranker("Configure la API."),
    }
    compared = await compare_strategies(gold("¿una?"), services(**missing), ("heuristic", "cross_encoder"))
    assert (compared[METRIC], compared["gain"], compared["moved"]) == (None, None, None)
    assert compared["after"] == {
        "strategy": "cross_encoder", "not_measured": "no hay ficheros del modelo", "failed": 0, METRIC: None,
        "top_score": None, "rerank_ms": None, "total_ms": None,
    }  # fmt: skip
    # The other side is measured all the same: one question, whose best score is the reranker's 0.5.
    assert compared["before"]["top_score"] == 0.5
    assert missing["cross_encoder"].seen == []
    assert reason_unavailable("api", services(**missing)) == "Configure la API."


async def test_questions_that_the_heuristic_had_to_put_in_order_are_counted():
    """The warm-up, at which it fails first, does not count."""
    broken = services(heuristic=FixedReranker(), llm=Breaks())
    compared = await compare_strategies(gold("¿una?", "¿dos?", "¿tres?"), broken, ("none", "llm"))
    assert compared["after"]["failed"] == 1


def test_strategies_that_can_be_measured_end_with_the_one_in_use():
    table = {"heuristic": FixedReranker(), "cross_encoder": FixedReranker(), "llm": FixedReranker()}
    assert available_strategies(services(**table, api=UnavailableReranker("No."))) == ["heuristic", "llm", "learnt"]
    assert reason_unavailable("none", services()) == ""
    assert reason_unavailable("cross_encoder", services(**table)) == NO_FILES


@pytest.mark.parametrize("files", [("model.onnx", "tokenizer.json", "tokenizer_config.json")])
def test_a_cross_encoder_whose_files_are_here_can_be_measured(tmp_path, files, monkeypatch):
    for name in files:
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.setenv("ARTICULADO_RERANK_PATH", str(tmp_path))
    here = make_services(
        FakeStore([]),
        QueueChat("[]"),
        QueueChat(""),
        settings=Settings.read(env_file=None),
        rerankers={"heuristic": FixedReranker(), "cross_encoder": FixedReranker()},
    )
    assert reason_unavailable("cross_encoder", here) == ""
    assert available_strategies(here) == ["learnt", "heuristic", "cross_encoder"]
