"""How a turn goes on: by the bands of the profile, by who reads the candidates, and by what is beyond judging."""

import pytest
from langgraph.runtime import Runtime
from support.doubles import make_chunk
from support.states import begun

from articulado.config.sections import RelevanceBands
from articulado.retrieval.fusion import candidate
from articulado.retrieval.relevance.judge import Judgement
from nodes.judge_relevance import judge_relevance, outcome_of
from nodes.routing import after_judgement
from state.context import ResolvedContext

BANDS = RelevanceBands(answer=0.5, near=0.4, chat_model=0.03, follow_up=0.1, insisting=0.25)
FOUND = [candidate(make_chunk(n), 0.9, "hybrid") for n in (1, 2)]


class KnownJudge:
    """Judges each question as it was told to, every other as ``default``; keeps what it was asked."""

    def __init__(self, default=(0.9, ""), **judgements):
        self.default = Judgement(*default)
        self.judgements = {question: Judgement(*judged) for question, judged in judgements.items()}
        self.questions = []
        self.candidates = []

    async def judge(self, question, candidates):
        self.questions.append(question["text"])
        self.candidates.append([found["chunk"]["id"] for found in candidates])
        return self.judgements.get(question["text"], self.default)


async def judged(judge, *, model_decides=False, read=None, **values):
    searches = ["vacaciones anuales"]
    fresh = {"question": "vacaciones", "queries": searches, "searches": searches, "candidates": FOUND}
    state = begun(read, **{**fresh, **values})
    return await judge_relevance(
        state, Runtime(context=ResolvedContext()), judge=judge, relevance_bands=BANDS, model_decides=model_decides
    )


@pytest.mark.parametrize(
    ("relevance", "matter", "outcome"),
    [
        (1.0, "", "answer"),
        (0.5, "", "answer"),
        (0.499, "fiscal", "near"),
        (0.4, "", "near"),
        (0.399, "fiscal", "decline"),
        (0.0, "", "decline"),
        (0.45, "indeterminada", "ask"),
        (0.0, "indeterminada", "ask"),
    ],
)
async def test_each_band_has_its_outcome(relevance, matter, outcome):
    update = await judged(KnownJudge((relevance, matter)))
    assert update == {"relevance": relevance, "matter": matter, "outcome": outcome}


@pytest.mark.parametrize(("relevance", "matter"), [(0.5, ""), (0.99, ""), (0.49, "fiscal")])
@pytest.mark.parametrize("model_decides", [True, False])
async def test_an_answered_question_has_no_matter(relevance, matter, model_decides):
    # Whoever answers may still refuse; "it seems to be taxes" would then be made up.
    update = await judged(KnownJudge((relevance, "fiscal")), model_decides=model_decides)
    assert update["matter"] == matter
    assert (await judged(KnownJudge((0.5, "indeterminada"))))["outcome"] == "answer"


@pytest.mark.parametrize(
    ("relevance", "matter", "outcome"),
    [
        (0.03, "fiscal", "answer"),
        (0.03, "indeterminada", "answer"),
        (0.029, "fiscal", "decline"),
        (0.029, "indeterminada", "ask"),
    ],
)
async def test_a_chat_model_has_its_own_band_without_near(relevance, matter, outcome):
    assert (await judged(KnownJudge((relevance, matter)), model_decides=True))["outcome"] == outcome


def test_no_near_outcome_if_both_bands_are_equal():
    bands = RelevanceBands(answer=0.5, near=0.5)
    values = (0.5, 0.49, 0.0)
    assert [outcome_of(Judgement(value), bands, model_decides=False) for value in values] == [
        "answer",
        "decline",
        "decline",
    ]


def test_a_chat_model_is_never_declined_for_what_is_near():
    bands = RelevanceBands(answer=0.5, near=0.4, chat_model=0.45)
    assert outcome_of(Judgement(0.42, "fiscal"), bands, model_decides=True) == "decline"
    assert outcome_of(Judgement(0.46, "fiscal"), bands, model_decides=True) == "answer"


@pytest.mark.parametrize(
    ("outcome", "stage"),
    [("answer", "choose_cards"), ("near", "abstain"), ("decline", "abstain"), ("ask", "abstain")],
)
def test_only_an_answer_goes_on_to_the_model(outcome, stage):
    assert after_judgement({"outcome": outcome}) == stage


NAMED = candidate(make_chunk(38), 1.0, "direct")


@pytest.mark.parametrize("direct", [[NAMED], []], ids=["in the index", "in the packaged records"])
async def test_a_lookup_is_answered_without_a_judgement(direct):
    judge = KnownJudge((0.0, "fiscal"))
    update = await judged(judge, read={"is_lookup": True}, direct=direct, candidates=[NAMED, *FOUND])
    assert update == {"relevance": 1.0, "matter": "", "outcome": "answer"}
    assert judge.questions == []


async def test_a_lookup_of_a_missing_provision_is_judged():
    analysis = {"is_lookup": True}
    update = await judged(KnownJudge((0.1, "penal")), read=analysis, candidates=FOUND)
    assert update["outcome"] == "decline"


async def test_a_question_about_a_provision_that_is_there_is_answered_with_the_relevance_that_it_has():
    update = await judged(KnownJudge((0.1, "penal")), candidates=[NAMED, *FOUND])
    assert update == {"relevance": 0.1, "matter": "penal", "outcome": "answer"}


@pytest.mark.parametrize(("relevance", "outcome"), [(0.25, "answer"), (0.24, "decline")])
async def test_insisting_after_a_refusal_lowers_the_threshold(relevance, outcome):
    judge = KnownJudge((relevance, "penal"))
    assert (await judged(judge, conversation=CONVERSATION))["outcome"] == outcome
    assert (await judged(judge, conversation=CONVERSATION, new_topic=True))["outcome"] == "decline"


async def test_a_follow_up_on_carried_chunks_is_answered_with_its_relevance():
    carried = [candidate(make_chunk(7), 0.5, "carryover")]
    update = await judged(KnownJudge((0.1, "fiscal")), carried=carried)
    assert update == {"relevance": 0.1, "matter": "fiscal", "outcome": "answer"}
    assert (await judged(KnownJudge((0.1, "fiscal")), carried=[]))["outcome"] == "decline"


@pytest.mark.parametrize("earlier", [0.6, 0.031, 0.0])
async def test_a_second_answer_keeps_the_relevance_of_the_first(earlier):
    judge = KnownJudge((0.0, "fiscal"))
    update = await judged(judge, retried=True, relevance=earlier)
    assert update == {"relevance": earlier, "matter": "", "outcome": "answer"}
    assert judge.questions == []


async def test_the_best_candidates_come_first_by_their_final_score():
    judge = KnownJudge()
    candidates = [
        candidate(make_chunk(1), 0.9, "hybrid"),
        {**candidate(make_chunk(2), 0.3, "hybrid"), "final_score": 0.4},
        {**candidate(make_chunk(3), 0.2, "hybrid"), "final_score": 0.8},
    ]
    await judged(judge, candidates=candidates)
    assert judge.candidates == [[3, 2, 1]]
    assert [found["chunk"]["id"] for found in candidates] == [1, 2, 3]


CONVERSATION = [{"role": "user", "content": "¿me deben vacaciones?"}, {"role": "assistant", "content": "Sí [C1]."}]


async def test_a_first_question_is_judged_as_asked():
    judge = KnownJudge()
    await judged(judge, question="¿cuántos días?", searches=["días de vacaciones"])
    assert judge.questions == ["¿cuántos días?"]


async def test_a_question_is_read_as_its_conversation_completes_it():
    judge = KnownJudge()
    await judged(judge, question="¿y el 49?", read={"text": "¿y el 49? (artículo 49, ET)"})
    assert judge.questions == ["¿y el 49? (artículo 49, ET)"]


async def test_a_question_for_the_deadline_of_an_answer_card_is_always_answered():
    said = [candidate(make_chunk(7, law_id="fichas", collection="fichas", chunk_type="card"), 0.5, "card")]
    turn = {"carried": said, "conversation": CONVERSATION}
    assert (await judged(KnownJudge((0.01, "fiscal")), **turn, asks_deadline=True))["outcome"] == "answer"
    assert (await judged(KnownJudge((0.01, "fiscal")), **turn))["outcome"] == "decline"


async def test_follow_ups_are_answered_unless_the_topic_is_new():
    judge = KnownJudge(**{"¿y el IRPF?": (0.1, "fiscal")})
    turn = {"question": "¿y el IRPF?", "carried": FOUND[:1], "conversation": CONVERSATION}
    assert (await judged(judge, **turn))["outcome"] == "answer"
    assert (await judged(judge, **turn, new_topic=True))["outcome"] == "decline"


@pytest.mark.parametrize(("code", "matter"), [("ca", ""), ("en", ""), ("", "fiscal")])
async def test_the_matter_of_a_question_in_another_language_is_not_guessed(code, matter):
    analysis = {"language": code}
    update = await judged(KnownJudge((0.1, "fiscal")), read=analysis, queries=["vacaciones"])
    assert (update["matter"], update["outcome"]) == (matter, "decline")


@pytest.mark.parametrize(("meant", "outcome"), [([], "decline"), (["a/one"], "decline"), (["a/one", "a/two"], "near")])
async def test_several_needs_that_a_question_in_another_language_may_ask_for_are_shown(meant, outcome):
    update = await judged(KnownJudge((0.1, "")), read={"language": "fr", "meant": meant})
    assert update["outcome"] == outcome
    assert (await judged(KnownJudge((0.6, "")), read={"language": "fr", "meant": meant}))["outcome"] == "answer"


@pytest.mark.parametrize(
    ("code", "query", "matter", "outcome"),
    [
        ("ro", "cuántos días de vacaciones", "", "near"),
        ("ro", "cuál es salario mínimo en Rumanía", "otro_pais", "decline"),
        ("", "cuántos días de vacaciones", "otro_pais", "near"),
    ],
)
async def test_only_the_country_that_it_names_makes_a_question_in_another_language_one_on_foreign_law(
    code, query, matter, outcome
):
    read = {"language": code, "text": "Câte zile de concediu am?"}
    update = await judged(KnownJudge((0.45, "otro_pais")), read=read, queries=[query])
    assert (update["matter"], update["outcome"]) == (matter, outcome)


@pytest.mark.parametrize(("relevance", "outcome"), [(0.45, "answer"), (0.1, "decline")])
async def test_a_calculation_that_lacks_data_is_asked_on_where_the_law_is_near(relevance, outcome):
    lacking = {"status": "missing", "understood": "He entendido: salario bruto mensual, 1.800 €."}
    update = await judged(KnownJudge((relevance, "")), calculations=[lacking])
    assert update["outcome"] == outcome


@pytest.mark.parametrize("given", [{"status": "missing", "understood": ""}, {"status": "none", "understood": "x"}])
async def test_a_calculation_without_data_or_refused_changes_no_outcome(given):
    assert (await judged(KnownJudge((0.45, "")), calculations=[given]))["outcome"] == "near"
