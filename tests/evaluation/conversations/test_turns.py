"""Turns through the whole graph on the memory of their thread, and what each is worth, worked out by hand."""

from pathlib import Path

import pytest
from support.doubles import FakeStore, QueueChat, make_chunk, make_services

from articulado.config.settings import ModelSettings, Settings
from articulado.values.errors import InvalidInput
from evaluation.conversations import TurnResult, conversations_report, evaluate_conversations
from evaluation.gold.sets import Conversation, ConversationSet, Turn

LAW = "BOE-A-2015-11430"
CHAT = Settings.read(env_file=None, principal=ModelSettings(provider="compatible", model="m"))


def article(number):
    return LAW, f"Artículo {number}"


def turn_of(*answers, helps=(), kind="", keep=(), leave=(), facts=()):
    relevant = dict.fromkeys(map(article, answers), 2) | dict.fromkeys(map(article, helps), 1)
    return Turn("¿?", relevant, kind, tuple(map(article, keep)), tuple(map(article, leave)), tuple(facts))


def result_of(turn, *, cited=(), read=(), number=1, outcome="answer", missing=(), form=None):
    cited, read = tuple(map(article, cited)), tuple(map(article, read))
    return TurnResult("c", number, turn, "…", outcome, (), cited, read, tuple(missing), form)


def pair(share):
    return share["count"], share["of"]


@pytest.mark.parametrize(
    ("cited", "hit"), [([1], True), ([7, 8, 1], True), ([7, 8, 9, 1], False), ([2], False), ([], False)]
)
def test_a_turn_hits_with_an_answering_provision_among_the_first_three(cited, hit):
    assert result_of(turn_of(1, helps=[2]), cited=cited).hit is hit


def test_read_kept_and_intruding_provisions_are_measured():
    turn = turn_of(1, keep=[2, 3], leave=[4, 5, 6])
    result = result_of(turn, cited=[4, 1], read=[1, 2, 4, 5])
    assert (result.was_read, result.asks) == (True, True)
    assert result.kept == [article(2)]
    assert result.intruding == [article(4), article(5)]
    assert result.intruding_cited == [article(4)]


def test_provisions_are_the_same_however_they_are_spelt():
    turn = Turn("¿?", {(LAW, "Art. 1.2"): 2}, "", ((LAW, "Art. 2"),), ())
    result = result_of(turn, cited=[1], read=[2])
    assert (result.hit, result.kept) == (True, [(LAW, "Art. 2")])


def test_turns_are_counted_by_number_and_kind():
    results = [
        result_of(turn_of(1, kind="first"), cited=[1], read=[1]),
        result_of(turn_of(1, kind="detail", keep=[1, 2], facts=["a", "b"]), cited=[9], read=[1], number=2,
                  missing=["b"]),
        result_of(turn_of(kind="courtesy"), number=3, outcome="decline"),
        result_of(turn_of(3, kind="first", leave=[7]), cited=[7], read=[7, 8]),
        result_of(turn_of(3, kind="detail", keep=[3], leave=[7]), cited=[3], read=[3, 7], number=2),
    ]  # fmt: skip
    found = conversations_report(ConversationSet("oro", Path("oro.jsonl"), ()), results)
    # The "gracias" is neither hit nor missed.
    assert {name: pair(counted) for name, counted in found["all"].items() if name != "turns"} == {
        "hit@3": (2, 4), "hit_in_context": (3, 4), "must_keep": (2, 3), "intrusion": (2, 2), "intrusion_cited": (1, 2),
        "refused": (1, 5), "facts": (1, 2),
    }  # fmt: skip
    assert (found["turns"], found["conversations"]) == (5, 1)
    assert list(found["by_kind"]) == ["first", "detail", "courtesy"]
    assert pair(found["by_kind"]["detail"]["hit@3"]) == (1, 2)
    assert pair(found["by_kind"]["courtesy"]["hit@3"]) == (0, 0)
    assert list(found["by_number"]) == ["1", "2", "3"]
    assert (pair(found["by_number"]["1"]["hit@3"]), pair(found["by_number"]["2"]["must_keep"])) == ((1, 2), (2, 3))
    assert (found["later"]["turns"], pair(found["later"]["hit@3"])) == (3, (1, 2))


STORED = [make_chunk(number, f"Artículo {number}") for number in (37, 38, 39)]
RANKINGS = {"vacaciones": [(38, 0.9)], "permisos": [(37, 0.9)]}
META = "\n===META===\nUSED|1\nDROP|ninguno"


def live(reader, principal):
    """Services whose reader and principal write these replies, one a turn."""
    return make_services(FakeStore(STORED, RANKINGS), QueueChat(*reader), QueueChat(*principal), settings=CHAT)


def asked(question, *answers, **fields):
    turn = turn_of(*answers, **fields)
    return Turn(question, turn.relevant, turn.kind, turn.must_keep, turn.must_not)


async def test_a_turn_stands_on_the_memory_of_its_thread():
    services = live(['["vacaciones"]', '["permisos"]', '["vacaciones"]'], [f"Son 30 días [C1].{META}"])
    first = Conversation(
        "a", (asked("¿Cuántas vacaciones tengo?", 38), asked("¿y con permisos?", 37, keep=[38], leave=[39]))
    )
    second = Conversation("b", (asked("¿Cuántas vacaciones tengo?", 38),))
    results = (await evaluate_conversations(services, [first, second])).results
    assert [(result.conversation, result.number) for result in results] == [("a", 1), ("a", 2), ("b", 1)]
    assert [result.hit for result in results[::2]] == [True, True]
    # What the last answer rested on was carried over.
    assert set(results[1].read) == {article(37), article(38)}
    assert (results[1].kept, results[1].intruding) == ([article(38)], [])
    told = [messages for _, messages in services.principal_model.calls]
    assert [message["role"] for message in told[1]] == ["user", "assistant", "user"]
    assert told[1][0]["content"] == "¿Cuántas vacaciones tengo?"
    # Another conversation knows nothing of it.
    assert len(told[2]) == 1
    assert results[2].read == (article(38),)
    assert results[2].form == frozenset()


async def test_fragments_read_for_a_first_answer_count_for_the_second():
    services = live(
        ['["vacaciones"]'], ["Nada.\n===META===\nUSED|ninguno\nNEED|artículo 39|ET", f"Son 30 días [C1].{META}"]
    )
    (result,) = (await evaluate_conversations(services, [Conversation("a", (asked("¿Vacaciones?", 39),))])).results
    assert set(result.read) == {article(38), article(39)}
    assert result.was_read
    assert result.form == {"needs", "second_answer"}


async def test_a_refusal_before_the_principal_reads_nothing():
    services = live(['["nada"]'], ["…"])
    (result,) = (await evaluate_conversations(services, [Conversation("a", (asked("¿Y la paella?", 38),))])).results
    assert (result.outcome, result.read, result.cited) == ("decline", (), ())
    assert (result.hit, result.form) == (False, None)


async def test_an_error_names_conversation_and_turn():
    turns = (asked("¿Cuántas vacaciones tengo?"), asked(" "))
    services = live(['["vacaciones"]'], [f"Son 30 días [C1].{META}"])
    with pytest.raises(InvalidInput, match="Conversación «a», turno 2: La pregunta está vacía"):
        await evaluate_conversations(services, [Conversation("a", turns)])
