"""The chat models of a recorded run: each prompt is sent once, or never."""

from datetime import date

import pytest
from pydantic import BaseModel
from support.doubles import QueueChat

from articulado.values.errors import InvalidInput, ModelError
from evaluation.recording.recording import Manifest, RecordedModel, Recording, ReplyMissing
from evaluation.recording.run import RecordedChat

MODEL = RecordedModel(provider="compatible", model="m")
MESSAGES = [{"role": "user", "content": "¿Cuántas vacaciones?"}]


@pytest.fixture
def recording(tmp_path):
    recording = Recording.read(tmp_path)
    recording.begin(Manifest(day=date(2026, 3, 2), reader=MODEL, principal=MODEL, profile="laboral"))
    return recording


def no_restart():
    raise AssertionError


async def streamed(chat, system="s"):
    pieces = []
    reply = await chat.stream(system, MESSAGES, on_text=pieces.append, on_restart=no_restart)
    assert "".join(pieces) == reply.text
    return reply


def streamed_by(chat):
    return lambda system, _: streamed(chat, system)


async def test_recorded_replies_are_replayed_without_a_request(recording):
    model = QueueChat("uno", "dos")
    recorder = RecordedChat(recording, "reader", "m", model)
    first, second = await recorder.complete("s", MESSAGES), await streamed(recorder, "t")
    assert (first.text, second.text, first.requests) == ("uno", "dos", 1)

    replay = RecordedChat(Recording.read(recording.folder), "reader", "m")
    for way in (replay.complete, streamed_by(replay)):
        replies = [await way("s", MESSAGES), await way("t", MESSAGES)]
        assert [(reply.text, reply.requests) for reply in replies] == [("uno", 0), ("dos", 0)]
    assert len(model.calls) == 2


async def test_a_prompt_is_sent_once(recording):
    model = QueueChat("uno", "dos")
    recorder = RecordedChat(recording, "reader", "m", model)
    replies = [await recorder.complete("s", MESSAGES), await streamed(recorder), await recorder.complete("s", MESSAGES)]
    assert [reply.text for reply in replies] == ["uno"] * 3
    assert len(model.calls) == 1


async def test_roles_do_not_share_replies(recording):
    recorder = RecordedChat(recording, "reader", "m", QueueChat("uno"))
    await recorder.complete("s", MESSAGES)
    with pytest.raises(ReplyMissing):
        await RecordedChat(recording, "principal", "m").complete("s", MESSAGES)


async def test_a_failure_is_not_recorded(recording):
    with pytest.raises(ModelError):
        await RecordedChat(recording, "reader", "m", QueueChat(ModelError("caído"))).complete("s", MESSAGES)
    with pytest.raises(ReplyMissing):
        await streamed(RecordedChat(recording, "reader", "m"))


async def test_a_missing_reply_is_no_failure_of_a_model(recording):
    with pytest.raises(ReplyMissing) as missing:
        await RecordedChat(recording, "reader", "m").complete("s", MESSAGES)
    assert not isinstance(missing.value, ModelError)
    assert recording.missing == {missing.value.hash: "reader"}


class Verdict(BaseModel):
    verdict: str


async def test_a_reply_with_a_schema_is_kept_as_its_json_and_replayed(recording):
    model = QueueChat('{"verdict": "supported"}')
    recorder = RecordedChat(recording, "checker", "m", model)
    assert (await recorder.structured("s", MESSAGES, Verdict)).value == Verdict(verdict="supported")
    replay = RecordedChat(Recording.read(recording.folder), "checker", "m")
    replayed = await replay.structured("s", MESSAGES, Verdict)
    assert (replayed.value, replayed.requests, len(model.calls)) == (Verdict(verdict="supported"), 0, 1)


async def test_a_written_reply_that_breaks_its_schema_names_itself(recording):
    replay = RecordedChat(recording, "checker", "m")
    with pytest.raises(ReplyMissing) as missing:
        await replay.structured("s", MESSAGES, Verdict)
    (recording.folder / "replies").mkdir(exist_ok=True)
    (recording.folder / "replies" / f"{missing.value.hash}.txt").write_text('{"veredicto": 1}')
    with pytest.raises(InvalidInput, match=missing.value.hash):
        await RecordedChat(Recording.read(recording.folder), "checker", "m").structured("s", MESSAGES, Verdict)
